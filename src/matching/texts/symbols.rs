//! Finds the symbol that an edit names, and the place of the edit next to it.

use super::place::{EditMismatch, TextMatch};
use super::{TextSearch, spacing};
use crate::code::Symbol;
use crate::matching::{Mismatch, MismatchKind, SymbolMismatch, find_symbol};
use crate::plan::{SymbolAction, SymbolTarget};

/// Returns the place of an edit of a symbol.
pub(super) fn place_of_symbol(
    file: &TextSearch<'_>,
    edit: &SymbolTarget,
    new: &[u8],
) -> Result<TextMatch, EditMismatch> {
    let refuse = |reason: SymbolMismatch| {
        let count = reason.count();
        let name = edit.name.to_string();
        (
            Mismatch::of_kind(MismatchKind::Symbol { name, reason }),
            count,
        )
    };
    let symbols = file
        .symbols(&edit.path)
        .map_err(|reason| refuse(SymbolMismatch::Unparsed(reason)))?;
    let symbol = find_symbol(symbols, file.text, &edit.name).map_err(refuse)?;
    place_at(file.text, symbol, edit.action, new).map_err(refuse)
}

/// Returns the place of an edit of `symbol` with the new text `new`.
fn place_at(
    text: &[u8],
    symbol: &Symbol,
    action: SymbolAction,
    new: &[u8],
) -> Result<TextMatch, SymbolMismatch> {
    let place = |bytes, blank_lines| TextMatch {
        bytes,
        rung: 0,
        core: None,
        blank_lines,
    };
    // The other code on the line can be a part of the statement, or separators can depend on it.
    if symbol.before.shares_line || symbol.after.shares_line {
        return Err(SymbolMismatch::SharedLine);
    }
    // Without a separator, the neighbours of the element decide whether one is necessary.
    let separator = text[symbol.bytes.end..symbol.separator_end].trim_ascii();
    let needs_separator = symbol.is_list_element && separator.is_empty();
    let is_only = symbol.before.has_no_neighbour && symbol.after.has_no_neighbour;
    match action {
        SymbolAction::Replace if !new.is_empty() => {
            let new = new.trim_ascii_end();
            let end = if new.ends_with(separator) {
                symbol.separator_end
            } else if new.ends_with(b",") && separator.starts_with(b",") {
                symbol.separator_end - separator.len() + 1
            } else {
                symbol.bytes.end
            };
            Ok(place(symbol.bytes.start..end, (0, 0)))
        }
        SymbolAction::Delete | SymbolAction::Replace if needs_separator && !is_only => {
            Err(SymbolMismatch::ListElement)
        }
        SymbolAction::Delete | SymbolAction::Replace => Ok(TextMatch {
            core: Some(symbol.bytes.clone()),
            ..place(spacing::removal(text, symbol), (0, 0))
        }),
        SymbolAction::InsertAfter if needs_separator => Err(SymbolMismatch::ListElement),
        SymbolAction::InsertBefore => {
            let start = symbol.bytes.start;
            Ok(place(start..start, (0, spacing::distance(text, symbol))))
        }
        SymbolAction::InsertAfter => {
            let end = spacing::line_end(text, symbol.separator_end);
            Ok(place(end..end, (spacing::distance(text, symbol), 0)))
        }
    }
}
