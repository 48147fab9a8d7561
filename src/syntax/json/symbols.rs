//! Edits of symbols in a list of edits.

use super::listed_edit::ListedEdit;
use super::reader::{Member, Value};
use super::{SyntaxError, SyntaxErrorKind, read_digest, read_path};
use crate::plan::{EditTarget, Replacement, SymbolAction, SymbolName, SymbolTarget};

/// The keys of the new text.
const NEW: [&str; 5] = ["new", "new_string", "new_str", "newText", "replace"];

/// Reads an entry with the key `symbol`. The path of the file is part of the target, unless it is
/// stated elsewhere.
pub(super) fn read_entry(
    value: Value<'_>,
    members: &[Member<'_>],
    index: usize,
) -> Result<ListedEdit, SyntaxError> {
    let (mut path, mut expected, mut name, mut new, mut place, mut deletes) =
        (None, None, None, None, None, None);
    for member in members {
        match member.key.as_str() {
            "symbol" => name = Some(read_name(member)?),
            "path" => path = Some(read_path(member)?),
            "place" => place = Some(read_place(member)?),
            "delete" => deletes = Some(member.value.flag()?),
            "expected_hash" | "expected" if expected.is_none() => {
                expected = Some(read_digest(member)?);
            }
            key if NEW.contains(&key) && new.is_none() => {
                new = Some(member.value.text("the new text as a string")?);
            }
            _ => {
                return Err(member.unknown_key_error(
                    "`path`, `symbol`, `new`, `place`, `delete`, `expected_hash` or `expected`",
                ));
            }
        }
    }
    let contradiction = |what| SyntaxError::new(SyntaxErrorKind::Contradiction(what), value.span());
    let (action, new) = match (deletes, new, place) {
        (Some(true), None, None) => (SymbolAction::Delete, String::new()),
        (Some(true), ..) => {
            return Err(contradiction(
                "`delete` together with a new text or `place`",
            ));
        }
        (_, Some(new), place) => (place.unwrap_or(SymbolAction::Replace), new),
        (_, None, _) => return Err(value.expected_error("`new` or `delete` with `symbol`")),
    };
    let Some(name) = name else {
        return Err(value.expected_error("an object with `symbol`"));
    };
    let symbol = SymbolTarget {
        name,
        action,
        path: path
            .as_ref()
            .map_or_else(Vec::new, |path| path.bytes.clone()),
    };
    let edit = Replacement {
        span: value.span(),
        index: Some(index),
        ..Replacement::of(EditTarget::Symbol(Box::new(symbol)), new)
    };
    Ok(ListedEdit {
        path,
        expected,
        edit,
    })
}

fn read_name(member: &Member<'_>) -> Result<SymbolName, SyntaxError> {
    const WANTED: &str = "the name of a symbol as a string that is not empty";
    let text = member.value.text(WANTED)?;
    text.parse()
        .map_err(|_| member.value.expected_error(WANTED))
}

fn read_place(member: &Member<'_>) -> Result<SymbolAction, SyntaxError> {
    const WANTED: &str = "\"before\" or \"after\"";
    match member.value.text(WANTED)?.as_str() {
        "before" => Ok(SymbolAction::InsertBefore),
        "after" => Ok(SymbolAction::InsertAfter),
        _ => Err(member.value.expected_error(WANTED)),
    }
}
