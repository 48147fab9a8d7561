//! Finds statements of SQL that a change breaks.
//!
//! No parser knows all dialects, and most files contain statements that a parser does not know. So
//! the statements that a change adds are compared with the ones that it removes. A statement that
//! the parser does not know is a fault only if the parser knows the statements that it replaces, and
//! if it has no new keywords or punctuation. Otherwise it can be in a construct of a dialect that
//! the parser does not know.

mod dialects;
mod scripts;
mod statements;

use std::collections::HashMap;

use sqlparser::tokenizer::Token;

use self::dialects::Parsed;
use self::statements::Statement;
use super::{TokenFault, Unparsed};

/// The size of the stack of the parser, in bytes. It is recursive.
const STACK_SIZE: usize = 32 << 20;
/// The number of neighbouring statements that a fault such as a missing `;` can join.
const JOINED: usize = 2;
/// The number of tokens that a statement has in common with the one that it replaces.
const SAME: usize = 2;

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SqlVerdict {
    /// The parser knows all statements that the change adds.
    Valid,
    /// The change breaks a statement.
    Fault(TokenFault),
    /// The statements cannot be judged. Contains the reason.
    Unknown(&'static str),
}

/// Returns whether the parser knows each statement of `text`.
#[must_use]
pub fn is_valid_sql(text: &str) -> bool {
    stacker::grow(STACK_SIZE, || is_valid(text))
}

fn is_valid(text: &str) -> bool {
    let script = scripts::without_commands(text);
    statements::split(&script, dialects::of(text)).is_ok_and(|statements| {
        statements
            .iter()
            .all(|statement| matches!(dialects::parse(statement), Ok(Parsed::Valid)))
    })
}

/// Compares the statements of a file before and after a change.
///
/// # Errors
///
/// Returns [`Unparsed::TooComplex`] for a statement that is nested too deeply.
pub fn compare_sql(before: &str, after: &str) -> Result<SqlVerdict, Unparsed> {
    stacker::grow(STACK_SIZE, || compare(before, after))
}

fn compare(before: &str, after: &str) -> Result<SqlVerdict, Unparsed> {
    const INVALID: SqlVerdict =
        SqlVerdict::Unknown("the parser does not accept the file before the change");
    let dialect = dialects::of(before);
    let was_valid = || is_valid(before);
    let (before_script, after_script) = (
        scripts::without_commands(before),
        scripts::without_commands(after),
    );
    let Ok(old) = statements::split(&before_script, dialect) else {
        return Ok(INVALID);
    };
    let new = match statements::split(&after_script, dialect) {
        Ok(new) => new,
        Err(fault) if was_valid() => return Ok(SqlVerdict::Fault(fault)),
        Err(_) => return Ok(INVALID),
    };
    let removed = without(&old, &new);
    let mut unknown = Vec::new();
    for statement in without(&new, &old).into_iter().flatten() {
        if let Parsed::Fault(fault) = dialects::parse(statement)? {
            unknown.push((statement, fault));
        }
    }
    if unknown.is_empty() {
        return Ok(SqlVerdict::Valid);
    }
    if scripts::has_conditions(after) {
        return Ok(SqlVerdict::Unknown("the script has conditions of psql"));
    }
    let runs = known_runs(&removed)?;
    let found = unknown
        .into_iter()
        .find(|(statement, _)| runs.iter().any(|run| can_be(statement, run)));
    Ok(match found {
        Some((_, fault)) => SqlVerdict::Fault(fault),
        None => SqlVerdict::Unknown("the parser does not know a new statement"),
    })
}

/// Returns the statements that `others` does not contain, and `None` for each of the others.
fn without<'s>(
    statements: &'s [Statement<'_>],
    others: &'s [Statement<'_>],
) -> Vec<Option<&'s Statement<'s>>> {
    let mut counts: HashMap<Vec<&Token>, usize> = HashMap::new();
    for statement in others {
        *counts.entry(statement.key()).or_default() += 1;
    }
    let mut result = Vec::with_capacity(statements.len());
    for statement in statements {
        let count = counts.entry(statement.key()).or_default();
        result.push((*count == 0).then_some(statement));
        *count = count.saturating_sub(1);
    }
    result
}

/// Returns the runs of neighbouring removed statements that the parser knows.
fn known_runs<'s>(
    removed: &[Option<&'s Statement<'s>>],
) -> Result<Vec<Vec<&'s Statement<'s>>>, Unparsed> {
    let mut known = Vec::with_capacity(removed.len());
    for statement in removed {
        known.push(match statement {
            Some(statement) if dialects::parse(statement)? == Parsed::Valid => Some(*statement),
            _ => None,
        });
    }
    let windows = (1..=JOINED).flat_map(|length| known.windows(length));
    Ok(windows
        .filter_map(|run| run.iter().copied().collect())
        .collect())
}

/// Returns whether `statement` can be what a change makes of `run`: the start or the end is the same,
/// and no keyword or symbol is new.
fn can_be(statement: &Statement<'_>, run: &[&Statement<'_>]) -> bool {
    let key = statement.key();
    let (Some(first), Some(last)) = (run.first(), run.last()) else {
        return false;
    };
    let (first, last) = (first.key(), last.key());
    let has_start = first[..first.len().min(SAME)] == key[..key.len().min(SAME)];
    let has_end = last[last.len().saturating_sub(SAME)..] == key[key.len().saturating_sub(SAME)..];
    // A variable of psql can contain the start of a statement.
    if !(has_start || has_end) || key[0] == &Token::Colon {
        return false;
    }
    let mut allowed: HashMap<String, usize> = HashMap::new();
    for (word, count) in run.iter().flat_map(|statement| statement.keywords()) {
        *allowed.entry(word).or_default() += count;
    }
    statement
        .keywords()
        .into_iter()
        .all(|(word, count)| allowed.get(&word).is_some_and(|allowed| *allowed >= count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(before: &str, after: &str) -> Option<(usize, String)> {
        match compare_sql(before, after).unwrap() {
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
            ("SELECT é, a", "SELECT é a b", 12, "unexpected `b`"),
            (
                "A; SELECT a FROM b",
                "A; SELEC a FROM b",
                3,
                "unexpected `SELEC`",
            ),
            (
                "SELECT 1;\nSELECT 2;\n",
                "SELECT 1\nSELECT 2;\n",
                9,
                "unexpected `SELECT`",
            ),
            ("SELECT 'a'", "SELECT 'a", 7, "unterminated string literal"),
            (
                "CREATE TABLE a (b int NOT NULL)",
                "CREATE TABLE a (b NOT NULL)",
                16,
                "unexpected column without a type",
            ),
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
        ] {
            let expected = Some((offset, message.to_owned()));
            assert_eq!(fault(before, after), expected, "{after}");
        }
    }

    #[test]
    fn what_can_be_a_construct_of_a_dialect_is_no_fault() {
        for (before, after) in [
            ("SELECT 1;", "SELECT 1; FOO BAR;"),
            ("SELECT 1;", "SELECT 1 QUALIFIES SELECT 2;"),
            ("FOO (a);", "FOO (a;"),
            ("SELECT 1;", "SELECT 1 FROM a TABLESAMPLER (b) c;"),
        ] {
            let verdict = compare_sql(before, after).unwrap();
            assert!(matches!(verdict, SqlVerdict::Unknown(_)), "{verdict:?}");
        }
    }

    #[test]
    fn commands_and_variables_of_shells_are_not_judged() {
        for after in [
            "\\set a (\nSELECT 1",
            "SELECT 1 \\gset\nSELECT 1\n\\gexec\nSELECT 1",
            "\\if :a\n(\n\\endif\nSELECT 1",
            ":A 1",
            "SELECT @a@.b",
            "COPY a FROM stdin;\n1\t(\n\\.\nSELECT 1",
            "SELECT 1\nGO\nSELECT 2\ngo\n",
            "SELECT * FROM :a WHERE b = :'c' AND d = (:\"e\")",
            "CREATE PROCEDURE a () BEGIN SELECT 1; END\n/\nSELECT 1",
        ] {
            assert_eq!(fault("SELECT 1", after), None, "{after}");
        }
        assert!(is_valid_sql("\\d\nSELECT 1\nGO\nSELECT `a` FROM :b;;"));
    }

    #[test]
    fn deep_statements_are_limited() {
        let units =
            "( JOIN_a_ NOT_ CASE_WHEN_ UNION_SELECT_1_ [ - a-> a=( ,(1 +1 ::a .a (SELECT_ [1] {";
        for unit in units.split(' ').map(|unit| unit.replace('_', " ")) {
            for count in [20, 60, 1900, 50_000] {
                let text = format!("SELECT 1 FROM a {}", unit.repeat(count));
                let verdict = compare_sql("SELECT 1 FROM a", &text);
                let is_judged = matches!(verdict, Ok(SqlVerdict::Valid | SqlVerdict::Unknown(_)));
                assert!(
                    is_judged || verdict == Err(Unparsed::TooComplex),
                    "{unit} {count}"
                );
            }
        }
    }
}
