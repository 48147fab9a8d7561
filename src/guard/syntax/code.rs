//! Compares the syntax of source code before and after a change.

use std::borrow::Cow;
use std::cell::Cell;

use crate::code::{self, Comparison, Language, SqlVerdict, TokenFault, Unparsed, Variant};
use crate::guard::{Change, GuardFinding, ParseFailure};
use crate::text::{Position, without_bom};

/// The number of bytes that are parsed for one change, with all grammars and rewrites together.
/// Parsing them takes about three seconds at most.
const MAX_PARSED: usize = 4 << 20;

/// Checks a change of a file of source code.
pub(super) fn check(change: &Change<'_>) -> Option<GuardFinding> {
    let Some(language) = code::language_of(change.path, change.after) else {
        return code::is_without_grammar(change.path).then_some(GuardFinding::NotParsed {
            language: None,
            reason: Unparsed::NoGrammar.to_string(),
        });
    };
    let size = change.before.len().max(change.after.len());
    if size > code::MAX_SIZE {
        return Some(GuardFinding::TooLarge {
            language: language.name,
            size,
            limit: code::MAX_SIZE,
        });
    }
    compare(language, change)
        .unwrap_or_else(|reason| Some(not_parsed(language, reason.to_string())))
}

fn compare(language: &Language, change: &Change<'_>) -> Result<Option<GuardFinding>, Unparsed> {
    let changed = text(change.after)?;
    let before = &with_last_newline(text(change.before)?);
    let after = &with_last_newline(changed);
    if language.comparison() == Comparison::Statements {
        return Ok(match code::compare_sql(before, after) {
            SqlVerdict::Valid => None,
            SqlVerdict::Fault(fault) => Some(invalid_syntax(language, changed, fault)),
            SqlVerdict::Unknown(reason) => Some(not_parsed(language, reason)),
        });
    }
    let budget = Cell::new(MAX_PARSED);
    let is_valid = |text: &str, variant: Variant| -> Result<bool, Unparsed> {
        let tree = language.parse_variant(text, variant)?;
        if tree.is_some() {
            spend(&budget, text)?;
        }
        Ok(tree.is_some_and(|tree| !language.has_fault(&tree, text, variant)))
    };
    for variant in language.variants() {
        if is_valid(after, variant)? {
            return Ok(None);
        }
    }
    let mut was_valid = false;
    for variant in language.variants() {
        was_valid = was_valid || is_valid(before, variant)?;
    }
    if !was_valid {
        return Ok(Some(not_parsed(
            language,
            "the grammar does not accept the file before the change",
        )));
    }
    let Some(fault) = last_fault(language, before, after, &budget)? else {
        return Ok(None);
    };
    if let Some(reason) = language.doubt(before, after, fault.offset) {
        return Ok(Some(not_parsed(language, reason)));
    }
    Ok(Some(invalid_syntax(language, changed, fault)))
}

/// Returns the first fault of the variant that gets furthest, because it knows most of the text.
fn last_fault(
    language: &Language,
    before: &str,
    after: &str,
    budget: &Cell<usize>,
) -> Result<Option<TokenFault>, Unparsed> {
    // No fault is before the first difference to a valid text.
    let difference = before
        .bytes()
        .zip(after.bytes())
        .position(|(old, new)| old != new)
        .unwrap_or(before.len().min(after.len()));
    let mut last: Option<TokenFault> = None;
    for variant in language.variants() {
        let Some(tree) = language.parse_variant(after, variant)? else {
            continue;
        };
        spend(budget, after)?;
        let fault = language.first_fault(&tree, after, difference);
        let is_later =
            |fault: &TokenFault| last.as_ref().is_none_or(|last| fault.offset > last.offset);
        if let Some(fault) = fault.filter(is_later) {
            last = Some(fault);
        }
    }
    Ok(last)
}

/// Takes the size of `text` from the budget.
fn spend(budget: &Cell<usize>, text: &str) -> Result<(), Unparsed> {
    let left = budget.get().checked_sub(text.len());
    budget.set(left.ok_or(Unparsed::TooComplex)?);
    Ok(())
}

fn invalid_syntax(language: &Language, after: &str, fault: TokenFault) -> GuardFinding {
    GuardFinding::InvalidSyntax {
        language: language.name,
        failure: ParseFailure {
            position: Position::of(after.as_bytes(), fault.offset.min(after.len())),
            message: fault.message,
        },
    }
}

fn not_parsed(language: &Language, reason: impl Into<String>) -> GuardFinding {
    GuardFinding::NotParsed {
        language: Some(language.name),
        reason: reason.into(),
    }
}

/// Some grammars need a line ending after a directive at the end of the file.
fn with_last_newline(text: &str) -> Cow<'_, str> {
    if text.ends_with('\n') || text.len() == code::MAX_SIZE {
        text.into()
    } else {
        (text.to_owned() + "\n").into()
    }
}

fn text(bytes: &[u8]) -> Result<&str, Unparsed> {
    std::str::from_utf8(without_bom(bytes)).map_err(|_| Unparsed::NotText)
}
