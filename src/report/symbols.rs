//! The symbols of a file, as data and as text.

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::words::{hex_if_lossy, text};
use crate::digest::Sha256;
use crate::matching::SymbolCandidate;
use crate::text::printable;

/// The symbols of a file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch list --symbols"))]
#[non_exhaustive]
pub struct SymbolListing {
    /// `wpatch.symbols/1`.
    pub schema: &'static str,
    /// Always true. If the symbols are unknown, the command prints an error report instead.
    pub ok: bool,
    /// The path of the file, with all links resolved.
    pub path: String,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The language of the file.
    pub language: &'static str,
    /// The digest of the file.
    pub sha256: String,
    /// The symbols in the order of the file.
    pub symbols: Vec<ListedSymbol>,
    /// Whether symbols were omitted because there are too many.
    pub truncated: bool,
}

/// A symbol with its lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ListedSymbol {
    /// The name and the line of the symbol.
    #[serde(flatten)]
    pub symbol: NamedSymbol,
    /// The first line with the symbol, its comments and attributes, counted from 1.
    pub first_line: usize,
    /// The last line with the symbol.
    pub last_line: usize,
    /// Whether the symbol contains a syntax error. It then cannot be edited by its name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub faulty: bool,
}

/// The name of a symbol and the line of the name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NamedSymbol {
    /// The names of its containers and its own name, separated by `.`.
    pub name: String,
    /// The type of the symbol, such as `function`, `method` or `class`.
    pub kind: &'static str,
    /// The line of the name, counted from 1.
    pub line: usize,
}

impl NamedSymbol {
    /// Returns the symbol that an edit can mean.
    #[must_use]
    pub fn of(symbol: &SymbolCandidate) -> Self {
        Self {
            name: symbol.name.clone(),
            kind: symbol.kind,
            line: symbol.line + 1,
        }
    }
}

impl SymbolListing {
    /// Returns the listing of the file at `path` with the content `raw`.
    #[must_use]
    pub fn of(path: &[u8], raw: &[u8], language: &'static str) -> Self {
        Self {
            schema: "wpatch.symbols/1",
            ok: true,
            path: text(path),
            path_hex: hex_if_lossy(&path),
            language,
            sha256: Sha256::of(raw).to_string(),
            symbols: Vec::new(),
            truncated: false,
        }
    }

    /// Prints the listing as text: one symbol per line, with its lines, its type and its name.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        for ListedSymbol {
            symbol,
            first_line,
            last_line,
            faulty,
        } in &self.symbols
        {
            let note = if *faulty { " (syntax error)" } else { "" };
            let name = printable(symbol.name.as_bytes());
            writeln!(
                out,
                "{first_line}-{last_line}\t{}\t{name}{note}",
                symbol.kind
            )?;
        }
        Ok(())
    }
}
