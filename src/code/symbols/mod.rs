//! Finds the symbols of a file in the tree of its grammar.
//!
//! `walk` visits each node once, and `definitions` tells which nodes define symbols. `extent` then
//! adds the comments and separators that belong to a symbol.
//! `construct` finds the construct that begins on a line.
//!

mod construct;
mod extent;
mod walk;

use std::collections::HashSet;

use tree_sitter::{Node, Tree};

use super::definitions::SymbolRules;
use super::detection::{language_of_name, last_component};
use super::symbol::{Symbol, SymbolKind, SymbolList};
use super::{Language, Unparsed};
use crate::text::{bom_length, without_bom};

pub(super) use construct::last_lines_of_constructs;
use walk::{FoundSymbol, Walk};

/// A file of source code.
struct Source<'t> {
    language: &'static Language,
    rules: &'static SymbolRules,
    tree: Tree,
    /// The text without its byte order mark.
    text: &'t str,
    /// The length of the byte order mark, in bytes.
    offset: usize,
}

/// Returns the symbols of the file at `path` with the content `text`.
pub(super) fn list(path: &[u8], text: &[u8]) -> Result<SymbolList, Unparsed> {
    let source = parse(path, text)?;
    if source.rules.definitions.is_empty() {
        return Err(Unparsed::NoSymbols);
    }
    let walk = Walk::of(&source);
    let mut list = SymbolList {
        language: source.language.name,
        scopes: walk.scopes,
        symbols: Vec::new(),
    };
    for FoundSymbol {
        mut symbol,
        container_start,
    } in walk.found
    {
        extent::complete(&mut symbol, source.text, &walk.comments, source.rules);
        symbol.before.has_no_neighbour &= container_start >= symbol.bytes.start;
        symbol.shift(source.offset);
        list.symbols.push(symbol);
    }
    remove_duplicates(&mut list);
    if source.rules.merges_declarations {
        mark_repeated(&mut list);
    }
    Ok(list)
}

/// Parses the file at `path`.
fn parse<'t>(path: &[u8], text: &'t [u8]) -> Result<Source<'t>, Unparsed> {
    let name = last_component(path);
    let language = language_of_name(name, text).ok_or(Unparsed::NoGrammar)?;
    let offset = bom_length(text);
    let text = std::str::from_utf8(without_bom(text)).map_err(|_| Unparsed::NotText)?;
    let (tree, rules) = language.parse_with_rules(text)?;
    Ok(Source {
        language,
        rules,
        tree,
        text,
        offset,
    })
}

/// Removes symbols with the name and the place of the symbol before them: `typedef struct a {…} a`
/// defines two types with one name.
fn remove_duplicates(list: &mut SymbolList) {
    let mut kept: Vec<Symbol> = Vec::with_capacity(list.symbols.len());
    for symbol in std::mem::take(&mut list.symbols) {
        let is_same =
            |other: &Symbol| other.bytes == symbol.bytes && list.path(other) == list.path(&symbol);
        if !kept.last().is_some_and(is_same) {
            kept.push(symbol);
        }
    }
    list.symbols = kept;
}

/// Marks the declarations of functions that the file also defines.
fn mark_repeated(list: &mut SymbolList) {
    let is_declaration = |symbol: &Symbol| symbol.kind == SymbolKind::Declaration;
    let defined: HashSet<_> = list
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Function)
        .map(|symbol| list.path(symbol).join("."))
        .collect();
    let repeated: Vec<bool> = list
        .iter()
        .map(|symbol| is_declaration(symbol) && defined.contains(&list.path(symbol).join(".")))
        .collect();
    for (symbol, is_repeated) in list.symbols.iter_mut().zip(repeated) {
        symbol.is_repeated = is_repeated;
    }
}

impl Symbol {
    /// Adds `offset` to all offsets.
    fn shift(&mut self, offset: usize) {
        self.bytes = self.bytes.start + offset..self.bytes.end + offset;
        self.separator_end += offset;
        self.name_offset += offset;
    }
}

fn is_comment(node: Node<'_>) -> bool {
    // `marginalia` is a block comment in the grammar of SQL.
    node.kind().ends_with("comment") || node.kind() == "marginalia"
}
