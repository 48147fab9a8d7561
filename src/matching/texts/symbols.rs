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
    place_at(file.text, symbol, edit.action).map_err(refuse)
}

/// Returns the place at `action` of `symbol`.
fn place_at(
    text: &[u8],
    symbol: &Symbol,
    action: SymbolAction,
) -> Result<TextMatch, SymbolMismatch> {
    let place = |bytes, blank_lines| TextMatch {
        bytes,
        rung: 0,
        blank_lines,
    };
    Ok(match action {
        SymbolAction::Replace => place(symbol.bytes.clone(), (0, 0)),
        SymbolAction::Delete => place(spacing::removal(text, symbol), (0, 0)),
        SymbolAction::InsertBefore if symbol.before.shares_line => {
            return Err(SymbolMismatch::SharedLine);
        }
        SymbolAction::InsertAfter if symbol.after.shares_line => {
            return Err(SymbolMismatch::SharedLine);
        }
        SymbolAction::InsertBefore => {
            let start = symbol.bytes.start;
            place(start..start, (0, spacing::distance(text, symbol)))
        }
        SymbolAction::InsertAfter => {
            let end = spacing::line_end(text, symbol.separator_end);
            place(end..end, (spacing::distance(text, symbol), 0))
        }
    })
}
