//! The symbols of a file: functions, classes, methods and other definitions with a name.

use std::fmt;
use std::ops::Range;

/// The symbols of a file, in their order. A symbol precedes the symbols in it.
#[derive(Debug, Default)]
pub struct SymbolList {
    /// The name of the language in messages.
    pub language: &'static str,
    pub(super) symbols: Vec<Symbol>,
    pub(super) scopes: Vec<Scope>,
}

/// A definition with a name. All offsets are counted in bytes from 0.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The type of the symbol.
    pub kind: SymbolKind,
    /// The definition with its attributes and decorators and the comments directly above it. It
    /// begins at the start of its first line and ends at the end of its last line, without the
    /// line ending, unless other code is on these lines.
    pub bytes: Range<usize>,
    /// The end of the separator after the symbol, for example of the comma in an object literal.
    pub separator_end: usize,
    /// The start of the name.
    pub name_offset: usize,
    /// The code before the symbol.
    pub before: SymbolSide,
    /// The code after the symbol.
    pub after: SymbolSide,
    /// Whether the symbol contains a syntax error, so that its end is uncertain.
    pub has_fault: bool,
    /// Whether the symbol only declares what another symbol of the file defines.
    pub is_repeated: bool,
    /// Whether the symbol is an element of a list with separators, such as an object literal.
    pub is_list_element: bool,
    /// The index of its names.
    pub(super) scope: usize,
}

/// The code on one side of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolSide {
    /// Whether other code is on the line where the symbol begins or ends.
    pub shares_line: bool,
    /// Whether no other element and no comment of its own is on this side in the container.
    pub has_no_neighbour: bool,
}

/// The names of a symbol, and the symbol that contains it.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) names: Vec<String>,
    pub(super) parent: Option<usize>,
    /// Whether the symbol is in a function or an argument without a name.
    pub(super) is_anonymous: bool,
}

/// The type of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are the terms of the languages")]
pub enum SymbolKind {
    Function,
    Method,
    Constructor,
    Property,
    Class,
    Struct,
    Union,
    Enum,
    Interface,
    Trait,
    Type,
    Constant,
    Macro,
    Module,
    Table,
    View,
    /// A function in C or C++ without its body. Signatures in other languages are functions or
    /// methods.
    Declaration,
}

impl SymbolKind {
    /// Returns the word for the kind.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Property => "property",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Union => "union",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Macro => "macro",
            Self::Module => "module",
            Self::Table => "table",
            Self::View => "view",
            Self::Declaration => "declaration",
        }
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl SymbolList {
    /// Returns the symbols in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter()
    }

    /// Returns whether a function or an argument without a name contains `symbol`.
    #[must_use]
    pub fn is_anonymous(&self, symbol: &Symbol) -> bool {
        self.scopes[symbol.scope].is_anonymous
    }

    /// Returns the own name of `symbol`, which must be in this list.
    #[must_use]
    pub fn name(&self, symbol: &Symbol) -> &str {
        let names = &self.scopes[symbol.scope].names;
        names.last().map_or("", String::as_str)
    }

    /// Returns the names of the containers of `symbol` and its own name, outermost first.
    #[must_use]
    pub fn path(&self, symbol: &Symbol) -> Vec<&str> {
        let mut path = Vec::new();
        let mut next = Some(symbol.scope);
        while let Some(scope) = next.map(|index| &self.scopes[index]) {
            path.extend(scope.names.iter().rev().map(String::as_str));
            next = scope.parent;
        }
        path.reverse();
        path
    }
}
