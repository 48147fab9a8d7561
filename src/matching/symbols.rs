//! Selects the symbol that a name denotes.

use std::cell::LazyCell;

use crate::code::{Symbol, SymbolList, Unparsed};
use crate::lines::LineOffsets;
use crate::plan::SymbolName;

use super::MAX_CANDIDATES;

/// The reason why a symbol cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SymbolMismatch {
    /// The file cannot be parsed.
    Unparsed(Unparsed),
    /// The file has no symbol with this name. The candidates have similar names.
    NotFound(Vec<SymbolCandidate>),
    /// The file has this number of symbols with this name; at least two. At most
    /// [`MAX_CANDIDATES`] are listed.
    Ambiguous(usize, Vec<SymbolCandidate>),
    /// The symbol contains a syntax error, so that its end is uncertain.
    Faulty(SymbolCandidate),
    /// Other code is on the first or the last line of the symbol.
    SharedLine,
    /// The symbol is an element of a list, and its separators are uncertain.
    ListElement,
}

/// A symbol that a name can denote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolCandidate {
    /// The names of its containers and its own name, separated by `.`.
    pub name: String,
    /// The line of its name, counted from 0.
    pub line: usize,
    /// The word for its type.
    pub kind: &'static str,
}

impl SymbolMismatch {
    /// Returns the number of symbols that match.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Ambiguous(count, _) => *count,
            _ => 0,
        }
    }
}

/// Returns the only symbol of the file `text` that `name` denotes.
///
/// # Errors
///
/// Returns the reason if there is no such symbol, if there are several, or if it contains a syntax
/// error.
pub fn find_symbol<'s>(
    symbols: &'s SymbolList,
    text: &[u8],
    name: &SymbolName,
) -> Result<&'s Symbol, SymbolMismatch> {
    let offsets = LazyCell::new(|| LineOffsets::new(text));
    let line = |symbol: &Symbol| offsets.line_at(symbol.name_offset);
    let candidate = |symbol: &&Symbol| SymbolCandidate {
        name: symbols.path(symbol).join("."),
        line: line(symbol),
        kind: symbol.kind.as_str(),
    };
    let lines = |symbol: &Symbol| offsets.line_at(symbol.bytes.start) + 1..=line(symbol) + 1;
    let is_named = |symbol: &&Symbol| {
        let is_at_top = || !name.is_anchored() || !symbols.is_anonymous(symbol);
        name.can_end_with(symbols.name(symbol))
            && is_at_top()
            && name.matches(&symbols.path(symbol), || lines(symbol))
    };
    let mut found: Vec<_> = symbols.iter().filter(is_named).collect();
    if !name.has_line() && found.iter().any(|symbol| !symbol.is_repeated) {
        found.retain(|symbol| !symbol.is_repeated);
    }
    match found[..] {
        [] => {
            let similar = symbols
                .iter()
                .filter(|symbol| is_similar(symbols, symbol, name));
            let similar = similar
                .take(MAX_CANDIDATES)
                .map(|symbol| candidate(&symbol));
            Err(SymbolMismatch::NotFound(similar.collect()))
        }
        [symbol] if symbol.has_fault => Err(SymbolMismatch::Faulty(candidate(&symbol))),
        [symbol] => Ok(symbol),
        _ => {
            let listed = found.iter().take(MAX_CANDIDATES).map(candidate).collect();
            Err(SymbolMismatch::Ambiguous(found.len(), listed))
        }
    }
}

/// Returns whether the last component of `name` and the name of `symbol` are equal or one contains
/// the other, without regard to case.
fn is_similar(symbols: &SymbolList, symbol: &Symbol, name: &SymbolName) -> bool {
    let wanted = name.last().to_lowercase();
    symbols.path(symbol).last().is_some_and(|own| {
        let own = own.to_lowercase();
        own.contains(&wanted) || own.len() > 2 && wanted.contains(&own)
    })
}
