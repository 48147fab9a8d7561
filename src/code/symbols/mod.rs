//! Finds the symbols of a file in the tree of its grammar.
//!
//! The walk visits each node once, and `definitions` tells which nodes define symbols. `extent` then
//! adds the comments and separators that belong to a symbol.
//! `construct` finds the construct that begins on a line.
//!
//! Looking for the siblings of a node takes time for each of them. So the walk keeps what it needs
//! to know about earlier siblings in a [`Level`].

mod construct;
mod extent;

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::definitions::{Definition, SymbolRules};
use super::detection::{language_of_name, last_component};
use super::symbol::{Scope, Symbol, SymbolKind, SymbolList, SymbolSide};
use super::{Language, Unparsed};
use crate::text::{bom_length, without_bom};

pub(super) use construct::last_lines_of_constructs;

/// The maximum number of symbols around a symbol. It bounds the length of all names together.
const MAX_DEPTH: usize = 64;

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

/// A definition, still without its comments.
struct Found {
    symbol: Symbol,
    /// The start of the first named node in the container.
    container_start: usize,
}

/// The state of the walk in the children of one node.
struct Level {
    is_wrapper: bool,
    /// The kinds of which a wrapper has one child.
    single_kinds: Vec<u16>,
    /// The span of the node with its wrappers and attributes.
    outer: Outer,
    /// The start of the attributes directly before the next child.
    attributes: Option<usize>,
    /// The start of the first named child.
    first_named: Option<usize>,
    /// The symbols that the last named child defines.
    last: Vec<usize>,
    is_in_error: bool,
}

/// A node with the wrappers and attributes that belong to it.
#[derive(Clone)]
struct Outer {
    bytes: Range<usize>,
    has_error: bool,
    /// The index of the level that contains the node as a child.
    level: usize,
}

/// A symbol or container that contains the current node.
struct OpenScope {
    scope: usize,
    /// The number of levels above its children.
    depth: usize,
    is_type: bool,
    is_function: bool,
}

/// The walk through a tree.
struct Walk<'s> {
    rules: &'s SymbolRules,
    text: &'s str,
    levels: Vec<Level>,
    open: Vec<OpenScope>,
    found: Vec<Found>,
    scopes: Vec<Scope>,
    comments: Vec<Range<usize>>,
}

/// Returns the symbols of the file at `path` with the content `text`.
pub(super) fn list(path: &[u8], text: &[u8]) -> Result<SymbolList, Unparsed> {
    let source = parse(path, text)?;
    if source.rules.definitions.is_empty() {
        return Err(Unparsed::NoSymbols);
    }
    let mut walk = Walk {
        rules: source.rules,
        text: source.text,
        levels: Vec::new(),
        open: Vec::new(),
        found: Vec::new(),
        scopes: Vec::new(),
        comments: Vec::new(),
    };
    walk.run(&source.tree);
    let mut list = SymbolList {
        language: source.language.name,
        scopes: walk.scopes,
        symbols: Vec::new(),
    };
    for Found {
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
    let defined: std::collections::HashSet<_> = list
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

impl Walk<'_> {
    fn run(&mut self, tree: &Tree) {
        let root = tree.root_node();
        let outer = Outer {
            bytes: root.byte_range(),
            has_error: root.has_error(),
            level: 0,
        };
        let level = self.level(root, outer);
        self.levels.push(level);
        let mut cursor = tree.walk();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let node = cursor.node();
            if let Some(outer) = self.visit(node)
                && cursor.goto_first_child()
            {
                let level = self.level(node, outer);
                self.levels.push(level);
                continue;
            }
            self.close_scopes();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.levels.pop();
                self.close_scopes();
            }
        }
    }

    /// Returns the state for the children of `node`.
    fn level(&self, node: Node<'_>, outer: Outer) -> Level {
        let is_wrapper = self.rules.wrappers.contains(&node.kind());
        Level {
            is_wrapper,
            single_kinds: if is_wrapper {
                single_kinds(node)
            } else {
                Vec::new()
            },
            outer,
            attributes: None,
            first_named: None,
            last: Vec::new(),
            is_in_error: node.is_error()
                || self.levels.last().is_some_and(|level| level.is_in_error),
        }
    }

    /// Visits `node` and returns its outer node, or `None` if its children are of no interest.
    fn visit(&mut self, node: Node<'_>) -> Option<Outer> {
        let index = self.levels.len() - 1;
        let level = &mut self.levels[index];
        let is_comment = is_comment(node);
        if node.is_named() {
            level.first_named.get_or_insert(node.start_byte());
        }
        // Comments can belong to the symbol before them. `extent` looks at them.
        if node.is_named() && !is_comment {
            for found in level.last.drain(..) {
                let symbol = &mut self.found[found].symbol;
                symbol.after.has_no_neighbour &= node.start_byte() < symbol.bytes.end;
            }
        }
        if is_comment {
            self.comments.push(node.byte_range());
            return None;
        }
        if self.rules.attributes.contains(&node.kind()) {
            level.attributes.get_or_insert(node.start_byte());
            return None;
        }
        let start = level.attributes.take().unwrap_or(node.start_byte());
        let outer = if level.is_wrapper && level.single_kinds.contains(&node.kind_id()) {
            level.outer.clone()
        } else {
            Outer {
                bytes: start..node.end_byte(),
                has_error: node.has_error(),
                level: index,
            }
        };
        self.define(node, &outer);
        Some(outer)
    }

    /// Adds the symbol that `node` defines, if it defines one.
    fn define(&mut self, node: Node<'_>, outer: &Outer) {
        let rows = self.rules.definitions;
        let Some(row) = rows.iter().find(|row| row.node == node.kind()) else {
            return;
        };
        let container = self.open.last();
        let is_in_function = container.is_some_and(|scope| scope.is_function);
        // Within a function, the call of a constructor can look like a declaration.
        let is_call = row.kind == SymbolKind::Declaration && is_in_function;
        if is_call || self.open.len() >= MAX_DEPTH {
            return;
        }
        let Some(Definition {
            kind,
            names,
            offset,
        }) = (row.read)(node, self.text, row.kind)
        else {
            return;
        };
        let kind = match kind {
            Some(SymbolKind::Function) if container.is_some_and(|scope| scope.is_type) => {
                Some(SymbolKind::Method)
            }
            kind => kind,
        };
        let scope = self.scopes.len();
        let parent = container.map(|scope| scope.scope);
        self.scopes.push(Scope { names, parent });
        if let Some(kind) = kind {
            self.add(kind, outer, (scope, offset));
        }
        if !matches!(
            kind,
            Some(SymbolKind::Type | SymbolKind::Constant | SymbolKind::Macro)
        ) {
            self.open.push(OpenScope {
                scope,
                depth: self.levels.len(),
                is_type: kind.is_none_or(is_type),
                is_function: kind.is_some_and(is_function),
            });
        }
    }

    /// Adds a symbol with the span of `outer`. `scope` are its names, and `name_offset` is the start
    /// of its name.
    fn add(&mut self, kind: SymbolKind, outer: &Outer, (scope, name_offset): (usize, usize)) {
        let is_in_error = self.levels.last().is_some_and(|level| level.is_in_error);
        let level = &mut self.levels[outer.level];
        level.last.push(self.found.len());
        let alone = SymbolSide {
            shares_line: false,
            has_no_neighbour: true,
        };
        self.found.push(Found {
            container_start: level.first_named.unwrap_or(outer.bytes.start),
            symbol: Symbol {
                kind,
                bytes: outer.bytes.clone(),
                separator_end: outer.bytes.end,
                name_offset,
                before: alone,
                after: alone,
                has_fault: outer.has_error || is_in_error,
                is_repeated: false,
                scope,
            },
        });
    }

    /// Closes the scopes of the nodes that the walk leaves.
    fn close_scopes(&mut self) {
        while self
            .open
            .last()
            .is_some_and(|scope| scope.depth >= self.levels.len())
        {
            self.open.pop();
        }
    }
}

/// Returns the kinds of which `node` has exactly one child.
fn single_kinds(node: Node<'_>) -> Vec<u16> {
    let mut cursor = node.walk();
    let mut kinds: Vec<_> = node
        .children(&mut cursor)
        .map(|child| child.kind_id())
        .collect();
    kinds.sort_unstable();
    let single = kinds.chunk_by(|a, b| a == b).filter(|run| run.len() == 1);
    single.map(|run| run[0]).collect()
}

fn is_comment(node: Node<'_>) -> bool {
    node.kind().ends_with("comment") || node.kind() == "marginalia"
}

fn is_type(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Union
            | SymbolKind::Enum
            | SymbolKind::Interface
            | SymbolKind::Trait
    )
}

fn is_function(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor
    )
}
