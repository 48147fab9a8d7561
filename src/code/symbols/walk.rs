//! The walk through a tree that finds definitions.
//!
//! Looking for the siblings of a node takes time for each of them. So the walk keeps what it needs
//! to know about earlier siblings in a [`Level`].

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::{Source, is_comment};
use crate::code::definitions::{Definition, SymbolRules};
use crate::code::symbol::{Scope, Symbol, SymbolKind, SymbolSide};

/// The maximum number of containers around a symbol. Definitions below them are not listed.
const MAX_DEPTH: usize = 64;

/// Nodes whose elements are delimited by separators, so that an element alone is no statement.
const LISTS: &[&str] = &[
    "arguments",
    "lexical_declaration",
    "object",
    "variable_declaration",
];

/// Nodes whose children are not at the top level, although no container has a name.
const ANONYMOUS: &[&str] = &[
    "anonymous_class",
    "anonymous_method_expression",
    "argument_list",
    "arguments",
    "array",
    "arrow_function",
    "closure_expression",
    "do_block",
    "func_literal",
    "function_expression",
    "generator_function",
    "lambda",
    "lambda_expression",
    "object_creation_expression",
];

/// A definition, still without its comments.
pub(super) struct FoundSymbol {
    pub(super) symbol: Symbol,
    /// The start of the first named node in the container.
    pub(super) container_start: usize,
}

/// The state of the walk in the children of one node.
struct Level {
    /// The span of the node, if it belongs to the definition that it contains.
    wrapper: Option<OuterSpan>,
    /// Whether the children are elements that separators delimit.
    is_list: bool,
    /// Whether the children are in a function or an argument without a name, below the last
    /// container with a name.
    is_anonymous: bool,
    /// The start of the attributes directly before the next child.
    attributes: Option<usize>,
    /// The start of the first named child.
    first_named: Option<usize>,
    /// The symbols that the last named child defines.
    last: Vec<usize>,
    is_in_error: bool,
    /// The end of the previous child, if it has a syntax error.
    error_end: Option<usize>,
}

/// A node with the wrappers and attributes that belong to it.
#[derive(Clone)]
struct OuterSpan {
    bytes: Range<usize>,
    has_error: bool,
    /// The index of the level that contains the node as a child.
    level: usize,
}

/// A symbol or container that contains the current node.
struct OpenScope {
    scope: usize,
    /// The number of levels where the scope begins. It ends when the walk is back there.
    depth: usize,
    is_type: bool,
    is_function: bool,
}

/// The walk through a tree.
pub(super) struct Walk<'s> {
    rules: &'s SymbolRules,
    text: &'s str,
    levels: Vec<Level>,
    open: Vec<OpenScope>,
    pub(super) found: Vec<FoundSymbol>,
    pub(super) scopes: Vec<Scope>,
    pub(super) comments: Vec<Range<usize>>,
}

impl<'s> Walk<'s> {
    /// Walks through the tree of `source`.
    pub(super) fn of(source: &Source<'s>) -> Self {
        let mut walk = Self {
            rules: source.rules,
            text: source.text,
            levels: Vec::new(),
            open: Vec::new(),
            found: Vec::new(),
            scopes: Vec::new(),
            comments: Vec::new(),
        };
        walk.run(&source.tree);
        walk
    }

    fn run(&mut self, tree: &Tree) {
        let root = tree.root_node();
        let outer = OuterSpan {
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
    fn level(&self, node: Node<'_>, outer: OuterSpan) -> Level {
        let parent = self.levels.last();
        let is_wrapper =
            self.rules.wrappers.contains(&node.kind()) && self.has_one_definition(node);
        let is_named = self
            .open
            .last()
            .is_some_and(|scope| scope.depth == self.levels.len());
        Level {
            wrapper: is_wrapper.then_some(outer),
            is_list: LISTS.contains(&node.kind()),
            is_anonymous: !is_named
                && (ANONYMOUS.contains(&node.kind())
                    || parent.is_some_and(|level| level.is_anonymous)),
            attributes: None,
            first_named: None,
            last: Vec::new(),
            is_in_error: node.is_error() || parent.is_some_and(|level| level.is_in_error),
            error_end: None,
        }
    }

    /// Visits `node` and returns its outer node, or `None` if its children are of no interest.
    fn visit(&mut self, node: Node<'_>) -> Option<OuterSpan> {
        let index = self.levels.len() - 1;
        let level = &mut self.levels[index];
        // The text of a here-document in Ruby follows the statement to which it belongs.
        if node.kind() == "heredoc_body" {
            for &found in &level.last {
                let symbol = &mut self.found[found].symbol;
                symbol.bytes.end = node.end_byte();
            }
            return None;
        }
        let is_comment = is_comment(node);
        if node.is_named() {
            level.first_named.get_or_insert(node.start_byte());
        }
        // Comments can belong to the symbol before them. `extent` looks at them.
        if node.is_named() && !is_comment {
            for found in level.last.drain(..) {
                let symbol = &mut self.found[found].symbol;
                symbol.after.has_no_neighbour = false;
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
        // The text before it can be a part of the definition that the parser does not understand.
        let is_after_error = level.error_end.take().is_some_and(|end| {
            let between = self.text.get(end..start).unwrap_or_default();
            between.matches('\n').count() < 2
        });
        level.error_end = node.has_error().then(|| node.end_byte());
        let own = OuterSpan {
            bytes: start..node.end_byte(),
            has_error: node.has_error() || is_after_error,
            level: index,
        };
        let wrapper = level.wrapper.as_ref();
        let wrapper = wrapper.filter(|_| self.rules.is_definition(node));
        let outer = wrapper.cloned().unwrap_or(own);
        self.define(node, &outer);
        Some(outer)
    }

    /// Adds the symbol that `node` defines, if it defines one.
    fn define(&mut self, node: Node<'_>, outer: &OuterSpan) {
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
        let is_anonymous = self.levels.last().is_some_and(|level| level.is_anonymous)
            || parent.is_some_and(|parent| self.scopes[parent].is_anonymous);
        self.scopes.push(Scope {
            names,
            parent,
            is_anonymous,
        });
        if let Some(kind) = kind {
            self.add(kind, outer, (scope, offset));
        }
        // Nothing is named through a macro or another name of a type.
        let is_container = match kind {
            Some(SymbolKind::Type) => node.kind() == "type_alias_declaration",
            kind => !matches!(kind, Some(SymbolKind::Constant | SymbolKind::Macro)),
        };
        if is_container {
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
    fn add(&mut self, kind: SymbolKind, outer: &OuterSpan, (scope, name_offset): (usize, usize)) {
        let is_in_error = self.levels.last().is_some_and(|level| level.is_in_error);
        let level = &mut self.levels[outer.level];
        level.last.push(self.found.len());
        let alone = SymbolSide {
            shares_line: false,
            has_no_neighbour: true,
        };
        self.found.push(FoundSymbol {
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
                is_list_element: level.is_list,
                scope,
            },
        });
    }

    /// Returns whether `node` contains one definition and no other element.
    fn has_one_definition(&self, node: Node<'_>) -> bool {
        let mut cursor = node.walk();
        let mut definitions = 0;
        for child in node.children(&mut cursor) {
            definitions += usize::from(self.rules.is_definition(child));
        }
        let mut cursor = node.walk();
        let declarators = node.children_by_field_name("declarator", &mut cursor);
        definitions == 1 && declarators.count() <= 1
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
