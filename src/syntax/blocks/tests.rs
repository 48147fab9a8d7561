//! Tests of blocks in the forms that models write.

use crate::syntax::SyntaxErrorKind;
use crate::syntax::testing::{describe, parse_error};

const BLOCK: &str = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";

/// Returns the description of a block below the text `before`.
fn named(before: &str) -> String {
    describe(&format!("{before}{BLOCK}")).remove(0)
}

fn is_refused(before: &str, kind: &SyntaxErrorKind) {
    assert_eq!(
        parse_error(&format!("{before}{BLOCK}")).0,
        *kind,
        "{before:?}"
    );
}

#[test]
fn a_path_line_may_have_what_models_put_around_it() {
    let lines = [
        "x/a.txt\n",
        "x/a.txt  \r\n",
        "x/a.txt:\n",
        "`x/a.txt`\n",
        "`x/a.txt`:\n",
        "# x/a.txt\n",
        "### `x/a.txt`\n",
        "// x/a.txt\n",
        "**x/a.txt**\n",
        "**`x/a.txt`:**\n",
        "```\nx/a.txt\n",
        "x/a.txt\n```rust\n",
        "Some words:\n\nx/a.txt\n\n~~~~ \n",
    ];
    for line in lines {
        assert_eq!(
            named(line),
            r#"Modify x/a.txt lines "a\n" "b\n""#,
            "{line:?}"
        );
    }
    assert_eq!(named("my file\n"), r#"Modify my file lines "a\n" "b\n""#);
    assert_eq!(
        named("`my file`\n\n```\n"),
        r#"Modify my file lines "a\n" "b\n""#
    );
    assert_eq!(named("Makefile\n"), r#"Modify Makefile lines "a\n" "b\n""#);
}

#[test]
fn what_may_be_prose_is_no_path() {
    for line in [
        "",
        "\n",
        "```\n",
        "Then:\n",
        "# Changes\n",
        "Change it in a.txt.\n",
        "Now the second change\n\n",
    ] {
        is_refused(line, &super::PATH);
    }
}

#[test]
fn blocks_below_one_path_line_belong_to_that_file() {
    let text = [
        "a.txt\n```\n",
        BLOCK,
        "```\n\n```\n",
        BLOCK,
        "```\nb.txt\n",
        BLOCK,
        "words\n",
    ]
    .concat();
    let block = r#"lines "a\n" "b\n""#;
    assert_eq!(
        describe(&text),
        [
            format!("Modify a.txt {block} {block}"),
            format!("Modify b.txt {block} step 1")
        ]
    );
    assert_eq!(
        parse_error(&["a.txt\n", BLOCK, "Then:\n\n", BLOCK].concat()),
        (super::PATH, "<<<<<<< SEARCH".to_owned())
    );
}

#[test]
fn markers_of_another_length_are_content() {
    let text = "a.txt\n<<<<<<< SEARCH\n<<<<<< SEARCH\n========\n=======\n======\n>>>>>>>> REPLACE\n>>>>>>> REPLACE";
    let expected = r#"Modify a.txt lines "<<<<<< SEARCH\n========\n" "======\n>>>>>>>> REPLACE\n""#;
    assert_eq!(describe(text), [expected]);
}

#[test]
fn what_is_nearly_a_block_is_refused() {
    let cases = [
        (
            "a.txt\n<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
            "<<<<<< SEARCH",
        ),
        ("a.txt\n<<<<<< SEARCH\na\n", "<<<<<< SEARCH"),
        (
            "a.txt\n<<<<<<< SEARCH\na\n=======\n=======\n>>>>>>> REPLACE\n",
            "=======",
        ),
        (
            "a.txt\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
            ">>>>>>> REPLACE",
        ),
        (
            "a.txt\n<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\n",
            "<<<<<<< SEARCH",
        ),
        ("a.txt\n<<<<<<< SEARCH\na\n=======\nb\n", ""),
        (">>>>>>> REPLACE\n", ">>>>>>> REPLACE"),
    ];
    for (text, place) in cases {
        assert_eq!(parse_error(text).1, place, "{text}");
    }
}

#[test]
fn line_ends_of_the_patch_are_not_those_of_the_file() {
    let crlf = format!("a.txt\n{BLOCK}").replace('\n', "\r\n");
    assert_eq!(describe(&crlf), [r#"Modify a.txt lines "a\n" "b\n""#]);
    let text = "a.txt\n<<<<<<< SEARCH\na\r\n=======\n>>>>>>> REPLACE\n";
    assert_eq!(describe(text), [r#"Modify a.txt lines "a\r\n" """#]);
}

#[test]
fn an_empty_search_makes_a_file() {
    let text = "a.txt\n<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n";
    assert_eq!(describe(text), [r#"Modify a.txt EmptyFile "b\n""#]);
}
