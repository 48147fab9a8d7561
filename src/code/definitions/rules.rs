//! The table of definitions: which nodes of a grammar define symbols, and what belongs to them.

use tree_sitter::Node;

use super::names::{
    Definition, read_assignment, read_created, read_declarator, read_implementation, read_name,
    read_receiver, read_singleton,
};
use crate::code::SymbolKind;

/// The rules for one grammar.
pub(in crate::code) struct SymbolRules {
    /// The nodes that define symbols.
    pub(in crate::code) definitions: &'static [DefinitionRow],
    /// The nodes around a definition that belong to it, if they contain no other definition.
    pub(in crate::code) wrappers: &'static [&'static str],
    /// The siblings before a definition that belong to it.
    pub(in crate::code) attributes: &'static [&'static str],
    /// The starts of comments that document the file and not the definition below them.
    pub(in crate::code) file_comments: &'static [&'static str],
    /// Whether indentation delimits the bodies, so that comments below a body can belong to it.
    pub(in crate::code) is_indented: bool,
    /// Whether a semicolon or the end of the file must follow a definition.
    pub(in crate::code) needs_semicolon: bool,
    /// Whether a declaration and a definition with the same name are the same function.
    pub(in crate::code) merges_declarations: bool,
}

impl SymbolRules {
    /// Returns whether `node` can define a symbol, or belong to one that it contains.
    pub(in crate::code) fn is_definition(&self, node: Node<'_>) -> bool {
        let kind = node.kind();
        self.wrappers.contains(&kind) || self.definitions.iter().any(|row| row.node == kind)
    }
}

/// A node that can define a symbol.
pub(in crate::code) struct DefinitionRow {
    /// The kind of the node.
    pub(in crate::code) node: &'static str,
    pub(in crate::code) kind: SymbolKind,
    /// Reads the names of the symbol. Returns `None` if the node defines none.
    pub(in crate::code) read: fn(Node<'_>, &str, SymbolKind) -> Option<Definition>,
}

/// A row for a node with the field `name`.
const fn named(node: &'static str, kind: SymbolKind) -> DefinitionRow {
    let read = read_name;
    DefinitionRow { node, kind, read }
}

/// A row for a node whose name is read by `read`.
const fn read_by(
    node: &'static str,
    kind: SymbolKind,
    read: fn(Node<'_>, &str, SymbolKind) -> Option<Definition>,
) -> DefinitionRow {
    DefinitionRow { node, kind, read }
}

/// Rules of a language without symbols.
pub(in crate::code) const NONE: SymbolRules = SymbolRules {
    definitions: &[],
    wrappers: &[],
    attributes: &[],
    file_comments: &["#!"],
    is_indented: false,
    needs_semicolon: false,
    merges_declarations: false,
};

pub(in crate::code) const PYTHON: SymbolRules = SymbolRules {
    definitions: &[
        named("function_definition", SymbolKind::Function),
        named("class_definition", SymbolKind::Class),
    ],
    wrappers: &["decorated_definition"],
    is_indented: true,
    ..NONE
};

/// The rules for JavaScript and TypeScript.
pub(in crate::code) const JAVASCRIPT: SymbolRules = SymbolRules {
    definitions: &[
        named("function_declaration", SymbolKind::Function),
        named("generator_function_declaration", SymbolKind::Function),
        named("function_signature", SymbolKind::Function),
        named("class_declaration", SymbolKind::Class),
        named("abstract_class_declaration", SymbolKind::Class),
        named("interface_declaration", SymbolKind::Interface),
        named("enum_declaration", SymbolKind::Enum),
        named("type_alias_declaration", SymbolKind::Type),
        named("internal_module", SymbolKind::Module),
        named("module", SymbolKind::Module),
        named("method_definition", SymbolKind::Method),
        named("method_signature", SymbolKind::Method),
        named("abstract_method_signature", SymbolKind::Method),
        read_by("variable_declarator", SymbolKind::Function, read_assignment),
        read_by(
            "assignment_expression",
            SymbolKind::Function,
            read_assignment,
        ),
        read_by("field_definition", SymbolKind::Method, read_assignment),
        read_by(
            "public_field_definition",
            SymbolKind::Method,
            read_assignment,
        ),
        read_by("pair", SymbolKind::Method, read_assignment),
    ],
    wrappers: &[
        "export_statement",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
        "ambient_declaration",
    ],
    attributes: &["decorator"],
    ..NONE
};

pub(in crate::code) const RUST: SymbolRules = SymbolRules {
    definitions: &[
        named("function_item", SymbolKind::Function),
        named("function_signature_item", SymbolKind::Function),
        named("struct_item", SymbolKind::Struct),
        named("enum_item", SymbolKind::Enum),
        named("union_item", SymbolKind::Union),
        named("trait_item", SymbolKind::Trait),
        read_by("impl_item", SymbolKind::Type, read_implementation),
        named("mod_item", SymbolKind::Module),
        named("macro_definition", SymbolKind::Macro),
        named("type_item", SymbolKind::Type),
        named("associated_type", SymbolKind::Type),
        named("const_item", SymbolKind::Constant),
        named("static_item", SymbolKind::Constant),
    ],
    attributes: &["attribute_item"],
    file_comments: &["//!", "/*!"],
    ..NONE
};

pub(in crate::code) const GO: SymbolRules = SymbolRules {
    definitions: &[
        named("function_declaration", SymbolKind::Function),
        read_by("method_declaration", SymbolKind::Method, read_receiver),
        named("method_elem", SymbolKind::Method),
        named("type_spec", SymbolKind::Type),
        named("type_alias", SymbolKind::Type),
    ],
    wrappers: &["type_declaration"],
    ..NONE
};

pub(in crate::code) const JAVA: SymbolRules = SymbolRules {
    definitions: &[
        named("class_declaration", SymbolKind::Class),
        named("interface_declaration", SymbolKind::Interface),
        named("annotation_type_declaration", SymbolKind::Interface),
        named("enum_declaration", SymbolKind::Enum),
        named("record_declaration", SymbolKind::Class),
        named("method_declaration", SymbolKind::Method),
        named("constructor_declaration", SymbolKind::Constructor),
        named("compact_constructor_declaration", SymbolKind::Constructor),
    ],
    ..NONE
};

pub(in crate::code) const C: SymbolRules = SymbolRules {
    merges_declarations: true,
    ..CPP
};

/// The rules for C++. The nodes that C has are the same.
pub(in crate::code) const CPP: SymbolRules = SymbolRules {
    definitions: &[
        read_by("function_definition", SymbolKind::Function, read_declarator),
        read_by("declaration", SymbolKind::Declaration, read_declarator),
        read_by(
            "field_declaration",
            SymbolKind::Declaration,
            read_declarator,
        ),
        read_by("type_definition", SymbolKind::Type, read_declarator),
        named("struct_specifier", SymbolKind::Struct),
        named("union_specifier", SymbolKind::Union),
        named("enum_specifier", SymbolKind::Enum),
        named("class_specifier", SymbolKind::Class),
        named("namespace_definition", SymbolKind::Module),
        named("alias_declaration", SymbolKind::Type),
        named("concept_definition", SymbolKind::Type),
        named("preproc_def", SymbolKind::Macro),
        named("preproc_function_def", SymbolKind::Macro),
    ],
    wrappers: &[
        "template_declaration",
        "type_definition",
        "linkage_specification",
        "friend_declaration",
    ],
    attributes: &["attribute_declaration"],
    ..NONE
};

pub(in crate::code) const C_SHARP: SymbolRules = SymbolRules {
    definitions: &[
        named("namespace_declaration", SymbolKind::Module),
        named("class_declaration", SymbolKind::Class),
        named("struct_declaration", SymbolKind::Struct),
        named("record_declaration", SymbolKind::Class),
        named("interface_declaration", SymbolKind::Interface),
        named("enum_declaration", SymbolKind::Enum),
        named("delegate_declaration", SymbolKind::Type),
        named("method_declaration", SymbolKind::Method),
        named("constructor_declaration", SymbolKind::Constructor),
        named("property_declaration", SymbolKind::Property),
        named("local_function_statement", SymbolKind::Function),
    ],
    ..NONE
};

pub(in crate::code) const RUBY: SymbolRules = SymbolRules {
    definitions: &[
        named("module", SymbolKind::Module),
        named("class", SymbolKind::Class),
        named("method", SymbolKind::Method),
        read_by("singleton_method", SymbolKind::Method, read_singleton),
    ],
    // `private def name` is a call with a definition as its argument.
    wrappers: &["argument_list", "call"],
    ..NONE
};

pub(in crate::code) const PHP: SymbolRules = SymbolRules {
    definitions: &[
        named("namespace_definition", SymbolKind::Module),
        named("class_declaration", SymbolKind::Class),
        named("interface_declaration", SymbolKind::Interface),
        named("trait_declaration", SymbolKind::Trait),
        named("enum_declaration", SymbolKind::Enum),
        named("function_definition", SymbolKind::Function),
        named("method_declaration", SymbolKind::Method),
    ],
    ..NONE
};

pub(in crate::code) const BASH: SymbolRules = SymbolRules {
    definitions: &[named("function_definition", SymbolKind::Function)],
    ..NONE
};

pub(in crate::code) const SQL: SymbolRules = SymbolRules {
    definitions: &[
        read_by("create_table", SymbolKind::Table, read_created),
        read_by("create_view", SymbolKind::View, read_created),
        read_by("create_materialized_view", SymbolKind::View, read_created),
        read_by("create_function", SymbolKind::Function, read_created),
    ],
    wrappers: &["statement"],
    needs_semicolon: true,
    ..NONE
};
