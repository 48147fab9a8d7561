//! The verdicts on changes of scripts.

use super::*;

fn fault(before: &str, after: &str) -> Option<(usize, String)> {
    match compare_sql(before, after) {
        SqlVerdict::Fault(fault) => Some((fault.offset, fault.message)),
        _ => None,
    }
}

#[test]
fn a_broken_statement_is_a_fault_at_its_first_unexpected_token() {
    for (before, after, offset, message) in [
        (
            "SELECT (a) FROM b;",
            "SELECT (a FROM b;",
            10,
            "unexpected `FROM`",
        ),
        ("SELECT é, ab", "SELECT é ab ab", 13, "unexpected `ab`"),
        (
            "A; SELECT a FROM b, c",
            "A; SELECT a b c FROM",
            14,
            "unexpected `c`",
        ),
        (
            "SELECT 1;\nSELECT 2;\n",
            "SELECT 1\nSELECT 2;\n",
            9,
            "unexpected `SELECT`",
        ),
        ("SELECT 'a'", "SELECT 'a", 7, "unterminated string"),
        (
            "SELECT 1 /* a */",
            "SELECT 1 /* a /",
            15,
            "unterminated comment",
        ),
        (
            "SELECT a FROM b",
            "SELECT a FROM",
            13,
            "unexpected end of statement",
        ),
        (
            "CREATE TABLE a (b serial)",
            "CREATE TABLE a (b serial, new int",
            33,
            "unexpected end of statement",
        ),
    ] {
        let expected = Some((offset, message.to_owned()));
        assert_eq!(fault(before, after), expected, "{after}");
    }
    let (before, after) = (
        "CREATE TABLE a (b serial NOT NULL)",
        "CREATE TABLE a (b NOT NULL)",
    );
    let message = "unexpected column without a type".to_owned();
    assert_eq!(fault(before, after), Some((16, message)));
    let add = (
        "ALTER TABLE a ADD COLUMN b serial",
        "ALTER TABLE a ADD COLUMN b",
    );
    assert!(fault(add.0, add.1).is_some());
}

#[test]
fn a_statement_that_a_dialect_can_have_is_unknown() {
    for (before, after) in [
        ("SELECT 1;", "SELECT 1; FOO BAR;"),
        ("SELECT 1;", "SELECT 1 QUALIFIES SELECT 2;"),
        ("FOO (a);", "FOO (a;"),
        ("SELECT 1 FROM a;", "SELECT 1 FROM a TABLESAMPLER (b) c;"),
        ("SELECT a, b FROM c;", "PROMPT a\nSELECT a, b FROM c;"),
        ("DROP TABLE a CASCADE;", "DROP TABLE a CASCADE CONSTRAINTS;"),
        ("DROP TABLE a;", "UNDROP TABLE a;"),
        (
            "CREATE INDEX a ON b (c);",
            "CREATE INDEX a ON b (c) REVERSE_IT;",
        ),
        (
            "TABLE x (a int FOO); SELECT 1;",
            "TABLE x (a2 int FOO); SELECT 2;",
        ),
        (
            "CREATE TABLE x (a int FOO BAR); CREATE TABLE y (a int, b int);",
            "CREATE TABLE x (c int FOO BAR); CREATE TABLE y (c int, b int);",
        ),
        ("EXPLAIN SELECT 1 FROM a;", "EXPLAIN :b SELECT 1 FROM a;"),
        ("SELECT a FROM b;", "SELECT a FROM b FROM $where;"),
        (
            "UPDATE a SET b = b + 1;\nGO\n",
            "UPDATE a SET b = b b + 1;\nGO\n",
        ),
        ("SELECT 1;", "{# it's #} SELECT 1;"),
        ("SELECT 1;", "\\if :a\nSELECT 'a;\n\\endif\n"),
    ] {
        let verdict = compare_sql(before, after);
        assert!(
            matches!(verdict, SqlVerdict::Unknown(_)),
            "{after}: {verdict:?}"
        );
    }
}

#[test]
fn a_statement_that_some_dialect_has_is_valid() {
    for (before, after) in [
        ("SELECT 1", "SELECT 'it\\'s'"),
        ("SELECT 1", "# it's\nSELECT 1"),
        ("SELECT 1", "/* a/*.sql */ SELECT 1"),
        ("SELECT 1", "\\set a (\nSELECT 1"),
        ("SELECT 1", "SELECT 1 \\gset\nSELECT 1\n\\gexec\nSELECT 1"),
        ("SELECT 1", "COPY a FROM stdin;\n1\t(\n\\.\nSELECT 1"),
        ("SELECT 1", "SELECT 1\nGO\nSELECT 2\ngo\n"),
        (
            "SELECT 1",
            "SELECT * FROM :a WHERE b = :'c' AND d = (:\"e\")",
        ),
        ("SELECT 1", "SELECT @a@.b"),
        (
            "CREATE TABLE a (b INTEGER, c TEXT)",
            "CREATE TABLE a (b INTEGER, c)",
        ),
    ] {
        assert_eq!(compare_sql(before, after), SqlVerdict::Valid, "{after}");
    }
    assert!(is_valid_sql("\\d\nSELECT 1\nGO\nSELECT `a` FROM :b;;"));
    assert!(!is_valid_sql("SELECT 1; FOO"));
}

#[test]
fn valid_changes_are_not_refused() {
    for (before, after) in [
        (
            "SELECT 1 FROM a;\n/\nSELECT 2 FROM b;",
            "SELECT 1 FROM a; -- c\n/\nSELECT 2 FROM b;",
        ),
        (
            "SELECT 1::int; CREATE TABLE p PARTITION OF t (CHECK (a IS NOT NULL)) FOR VALUES IN (1);",
            "SELECT 1::int; CREATE TABLE p PARTITION OF t (a NOT NULL) FOR VALUES IN (1);",
        ),
        (
            "-- a serial number\nCREATE TABLE a (b TEXT NOT NULL);",
            "-- a serial number\nCREATE TABLE a (b NOT NULL);",
        ),
        ("SELECT 1;\nSELECT 2;\n", "SELECT 1\nSELECT 2\nGO\n"),
        ("/* a/*.sql */ SELECT 1;", "SELECT 1;"),
    ] {
        assert_eq!(fault(before, after), None, "{after}");
    }
}

#[test]
fn a_copy_over_two_lines_does_not_hide_later_statements() {
    let copy = "COPY a (b)\nFROM stdin;\n1\n\\.\n";
    let (before, after) = ("SELECT (a) FROM b;", "SELECT (a FROM b;");
    assert!(fault(&(copy.to_owned() + before), &(copy.to_owned() + after)).is_some());
}

#[test]
fn data_of_a_copy_does_not_hide_later_statements() {
    let copy = "COPY a FROM stdin;\n1\n\\.\n";
    let (before, after) = ("SELECT (a) FROM b;", "SELECT (a FROM b;");
    let found = fault(&(copy.to_owned() + before), &(copy.to_owned() + after));
    assert_eq!(found.map(|(offset, _)| offset), Some(copy.len() + 10));
}

#[test]
fn deep_and_long_statements_are_limited() {
    let units = [
        "(",
        "JOIN a ",
        "NOT ",
        "CASE WHEN ",
        "UNION SELECT 1 ",
        "[",
        "-",
        "a->",
        "a=(",
        ",(1",
        "+1",
        "::a",
        ".a",
        "(SELECT ",
        "[1]",
        "{",
        ",1",
    ];
    for unit in units {
        for count in [20, 49, 60, 499, 1900, 50_000] {
            let text = format!("SELECT 1 FROM a {}", unit.repeat(count));
            let verdict = compare_sql("SELECT 1 FROM a", &text);
            // The stack has not overflowed.
            assert_ne!(verdict, INVALID_BEFORE, "{unit} {count}");
        }
    }
    let pattern = "(".repeat(100_000) + "A" + &")".repeat(100_000);
    let pattern = format!("SELECT * FROM a MATCH_RECOGNIZE(PATTERN ({pattern}) DEFINE A AS 1)");
    assert_eq!(compare_sql("SELECT 1", &pattern), TOO_COMPLEX);
}

#[test]
fn the_number_of_comparisons_is_limited() {
    let before = "SELECT (a) FROM b;".to_owned() + &"END;COMMIT;".repeat(16_000);
    let after = "A B;".repeat(32_000) + "SELECT (a FROM b;";
    assert_eq!(compare_sql(&before, &after), NEW_STATEMENT);
}
