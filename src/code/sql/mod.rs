//! Finds statements of SQL that a change breaks.
//!
//! Input: the text of a script before and after a change. Output: a [`SqlVerdict`].
//!
//! No parser knows all dialects, and most scripts contain statements that a parser does not know. So
//! only statements that a change adds are judged, and only by comparison with the statements that it
//! removes. A statement that the parser does not know is a fault if it has the first or last tokens of
//! a removed statement that the parser knows, and not those of an unknown one, has no variables, and one of
//! these holds:
//!
//! - It has no new keywords or symbols, and the token at the fault occurs in the old script.
//! - Its parentheses became unbalanced.
//! - It starts with a token that starts no statement.
//!
//! If the new script cannot be split into tokens, this is a fault only if the parser knows all old
//! statements. Known limit: a change can combine old keywords to a construct that the parser does not know.
//!
//! Read `statements.rs` first. `scripts.rs` prepares the text, and `dialects.rs` calls the parser.

mod dialects;
mod removed;
mod scripts;
mod statements;

use std::collections::{HashMap, HashSet};

use sqlparser::tokenizer::Token;

use self::dialects::{Database, Parsed};
use self::removed::Removed;
use self::statements::Statement;
use super::TokenFault;

/// The size of the stack of the parser, in bytes. It is recursive.
const STACK_SIZE: usize = 32 << 20;
/// The maximum number of comparisons of a new statement with an old one.
const MAX_COMPARISONS: usize = 20_000;

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SqlVerdict {
    /// The parser knows all statements that the change adds.
    Valid,
    /// The change breaks a statement.
    Fault(TokenFault),
    /// The statements cannot be judged. Contains the reason.
    Unknown(&'static str),
}

const INVALID_BEFORE: SqlVerdict =
    SqlVerdict::Unknown("the parser does not accept the file before the change");
const TEMPLATE: SqlVerdict = SqlVerdict::Unknown(
    "the file is a template, is for SQL Server, or has commands such as `\\if`",
);
const TOO_COMPLEX: SqlVerdict = SqlVerdict::Unknown("a statement is too long or nested too deeply");
const NEW_STATEMENT: SqlVerdict = SqlVerdict::Unknown("the parser does not know a new statement");

/// Returns whether the parser knows each statement of `text`.
#[must_use]
pub fn is_valid_sql(text: &str) -> bool {
    stacker::grow(STACK_SIZE, || is_valid(text))
}

/// Compares the statements of a script before and after a change.
#[must_use]
pub fn compare_sql(before: &str, after: &str) -> SqlVerdict {
    stacker::grow(STACK_SIZE, || compare(before, after))
}

fn is_valid(text: &str) -> bool {
    let script = scripts::without_commands(text);
    let database = Database::of(text);
    let split = |dialect| statements::split(&script, text, dialect).ok();
    let is_known =
        |statement: &Statement<'_>| dialects::parse(statement, database) == Ok(Parsed::Valid);
    dialects::lexical(text, text)
        .into_iter()
        .find_map(split)
        .is_some_and(|statements| statements.iter().all(is_known))
}

fn compare(before: &str, after: &str) -> SqlVerdict {
    let old_script = scripts::without_commands(before);
    let new_script = scripts::without_commands(after);
    let mut fault = None;
    for dialect in dialects::lexical(before, after) {
        let Ok(old) = statements::split(&old_script, before, dialect) else {
            continue;
        };
        match statements::split(&new_script, after, dialect) {
            Ok(new) => return compare_statements((before, &old), (after, &new)),
            Err(first) => fault = fault.or(Some(first)),
        }
    }
    // No dialect can split both scripts into tokens.
    match fault {
        Some(_) if scripts::has_unsupported_text(after) => TEMPLATE,
        Some(fault) if is_valid(before) => SqlVerdict::Fault(fault),
        _ => INVALID_BEFORE,
    }
}

fn compare_statements(
    (before, old): (&str, &[Statement<'_>]),
    (after, new): (&str, &[Statement<'_>]),
) -> SqlVerdict {
    let database = Database::of(before);
    let mut faults = Vec::new();
    let mut is_too_complex = false;
    for statement in without(new, old).into_iter().flatten() {
        match dialects::parse(statement, database) {
            Ok(Parsed::Valid) => {}
            Ok(Parsed::Fault(fault)) => faults.push((statement, fault)),
            Err(_) => is_too_complex = true,
        }
    }
    if faults.is_empty() && !is_too_complex {
        return SqlVerdict::Valid;
    }
    if [before, after]
        .iter()
        .any(|text| Database::of(text) == Database::SqlServer)
        || scripts::has_unsupported_text(after)
    {
        return TEMPLATE;
    }
    let removed = Removed::new(&without(old, new), database);
    let old_tokens: HashSet<&Token> = old.iter().flat_map(Statement::key).collect();
    let mut left = MAX_COMPARISONS;
    for (statement, fault) in faults {
        let Some(rest) = left.checked_sub(removed.len()) else {
            break;
        };
        left = rest;
        let token = statement.token_at(fault.offset);
        let is_new_token = token.is_some_and(|token| !old_tokens.contains(token));
        if !statement.has_variables && removed.proves_fault(statement, is_new_token) {
            return SqlVerdict::Fault(fault);
        }
    }
    if is_too_complex {
        return TOO_COMPLEX;
    }
    NEW_STATEMENT
}

/// Returns each statement that `others` does not contain equally often, and `None` for each other one, which
/// keeps the neighbours apart.
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

#[cfg(test)]
mod tests;
