//! The questions about the symbols of a file. Without grammars, they have no answer.

use super::{SymbolList, Unparsed};

/// Returns the symbols of the file at `path` with the content `text`.
///
/// # Errors
///
/// Returns the reason if the file cannot be parsed. A text with syntax errors is no error: the
/// symbols that contain one are marked.
pub fn list_symbols(path: &[u8], text: &[u8]) -> Result<SymbolList, Unparsed> {
    #[cfg(feature = "code-guard")]
    return super::symbols::list(path, text);
    #[cfg(not(feature = "code-guard"))]
    {
        let _ = (path, text);
        Err(Unparsed::NoFeature)
    }
}

/// Returns the last line of each construct that begins on one of `lines` of the file at `path` with
/// the content `text`. Lines are counted from 1. An entry is `None` if no construct begins on the
/// line, or if its end is uncertain.
///
/// A construct is the longest statement, definition or element that begins with the first character
/// of the line. An attribute includes the definition to which it belongs.
///
/// # Errors
///
/// Returns the reason if the file cannot be parsed.
pub fn last_lines_of_constructs(
    path: &[u8],
    text: &[u8],
    lines: &[usize],
) -> Result<Vec<Option<usize>>, Unparsed> {
    #[cfg(feature = "code-guard")]
    return super::symbols::last_lines_of_constructs(path, text, lines);
    #[cfg(not(feature = "code-guard"))]
    {
        let _ = (path, text, lines);
        Err(Unparsed::NoFeature)
    }
}
