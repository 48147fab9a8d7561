//! Reads the names of definitions.

use tree_sitter::Node;

use crate::code::SymbolKind;

/// The maximum length of the names of one definition, in bytes. A longer one is no symbol.
const MAX_LENGTH: usize = 256;

/// The maximum number of names of one definition.
const MAX_COMPONENTS: usize = 16;

/// The names that a node defines.
pub(in crate::code) struct Definition {
    /// The type of the symbol; `None` for a container that is no symbol, such as an object.
    pub(in crate::code) kind: Option<SymbolKind>,
    /// The names of containers that the definition states, and the name of the symbol.
    pub(in crate::code) names: Vec<String>,
    /// The start of the name.
    pub(in crate::code) offset: usize,
}

impl Definition {
    fn of(kind: SymbolKind, name: Node<'_>, text: &str) -> Option<Self> {
        Self::with_names(Some(kind), name, split(name, text))
    }

    fn with_names(kind: Option<SymbolKind>, name: Node<'_>, names: Vec<String>) -> Option<Self> {
        let length: usize = names.iter().map(String::len).sum();
        let is_valid = names.iter().all(|name| !name.is_empty())
            && (1..=MAX_COMPONENTS).contains(&names.len())
            && length <= MAX_LENGTH;
        is_valid.then(|| Self {
            kind,
            names,
            offset: name.start_byte(),
        })
    }
}

/// Reads the field `name`. A type without a body is only named, and a namespace without a body is
/// the rest of the file.
pub(super) fn read_name(node: Node<'_>, text: &str, kind: SymbolKind) -> Option<Definition> {
    let needs_body = node.kind().ends_with("_specifier") || node.kind() == "namespace_definition";
    let is_use = needs_body && node.child_by_field_name("body").is_none();
    let name = node.child_by_field_name("name").filter(|_| !is_use)?;
    let kind = match node.child_by_field_name("type").map(|node| node.kind()) {
        Some("struct_type") => SymbolKind::Struct,
        Some("interface_type") => SymbolKind::Interface,
        _ => kind,
    };
    Definition::of(kind, name, text)
}

/// Reads the declarator of a definition in C or C++. A declaration must be one of a function.
pub(super) fn read_declarator(node: Node<'_>, text: &str, kind: SymbolKind) -> Option<Definition> {
    let mut cursor = node.walk();
    let mut declarators = node.children_by_field_name("declarator", &mut cursor);
    let mut name = declarators.next()?;
    // Several names share the statement.
    if declarators.next().is_some() {
        return None;
    }
    let mut is_function = false;
    loop {
        match name.kind() {
            "function_declarator" => is_function = true,
            "pointer_declarator" | "reference_declarator" | "array_declarator" => {
                is_function = false;
            }
            _ => {}
        }
        let is_wrapper = name.kind().ends_with("declarator");
        let inner = match name.child_by_field_name("declarator") {
            Some(inner) if is_wrapper => inner,
            _ if is_wrapper => name.named_child(0)?,
            _ => break,
        };
        name = inner;
    }
    let is_cast = name.kind() == "operator_cast";
    if kind != SymbolKind::Type && !is_function && !is_cast {
        return None;
    }
    let mut names = Vec::new();
    while name.kind() == "qualified_identifier" {
        if let Some(scope) = name.child_by_field_name("scope") {
            names.extend(split(scope, text));
        }
        name = name.child_by_field_name("name")?;
    }
    if name.kind() == "template_function" {
        name = name.child_by_field_name("name")?;
    }
    if name.kind() == "operator_cast" {
        let target = name.child_by_field_name("type")?;
        names.push(format!("operator {}", slice(target, text)));
    } else {
        names.extend(split(name, text));
    }
    Definition::with_names(Some(kind), name, names)
}

/// Reads a method in Go. Its receiver is the container.
pub(super) fn read_receiver(node: Node<'_>, text: &str, kind: SymbolKind) -> Option<Definition> {
    let name = node.child_by_field_name("name")?;
    let parameter = node.child_by_field_name("receiver")?.named_child(0)?;
    let mut receiver = parameter.child_by_field_name("type")?;
    loop {
        receiver = match receiver.kind() {
            "pointer_type" | "parenthesized_type" => receiver.named_child(0)?,
            "generic_type" => receiver.child_by_field_name("type")?,
            _ => break,
        };
    }
    let names = vec![
        slice(receiver, text).to_owned(),
        slice(name, text).to_owned(),
    ];
    Definition::with_names(Some(kind), name, names)
}

/// Reads the type of an implementation in Rust. It is a container and no symbol.
pub(super) fn read_implementation(node: Node<'_>, text: &str, _: SymbolKind) -> Option<Definition> {
    let mut name = node.child_by_field_name("type")?;
    loop {
        name = match name.kind() {
            "generic_type" | "reference_type" => name.child_by_field_name("type")?,
            "scoped_type_identifier" => name.child_by_field_name("name")?,
            _ => break,
        };
    }
    Definition::with_names(None, name, vec![slice(name, text).to_owned()])
}

/// Reads a method of a single object in Ruby.
pub(super) fn read_singleton(node: Node<'_>, text: &str, kind: SymbolKind) -> Option<Definition> {
    let name = node.child_by_field_name("name")?;
    let object = node.child_by_field_name("object");
    let object = object.filter(|object| object.kind() == "constant");
    let object = object.map(|object| slice(object, text).to_owned());
    let names = object.into_iter().chain(split(name, text)).collect();
    Definition::with_names(Some(kind), name, names)
}

/// Reads a name to which a function, a class or an object is assigned in JavaScript.
pub(super) fn read_assignment(node: Node<'_>, text: &str, kind: SymbolKind) -> Option<Definition> {
    let field = |names: &[&str]| names.iter().find_map(|name| node.child_by_field_name(name));
    let name = field(&["name", "left", "key", "property"])?;
    let kind = kind_of_value(field(&["value", "right"])?, kind)?;
    let names = match name.kind() {
        "member_expression" => {
            let path = slice(name, text);
            let is_plain = |letter: char| letter.is_alphanumeric() || "_$.#".contains(letter);
            if !path.chars().all(is_plain) {
                return None;
            }
            path.split('.').map(str::to_owned).collect()
        }
        "array_pattern" | "object_pattern" | "subscript_expression" => return None,
        _ => split(name, text),
    };
    Definition::with_names(kind, name, names)
}

/// Returns the kind of the symbol that has the value `node`. Returns `Some(None)` for an object,
/// which is only a container.
#[allow(
    clippy::option_option,
    reason = "an object is no symbol, but not nothing"
)]
fn kind_of_value(mut node: Node<'_>, kind: SymbolKind) -> Option<Option<SymbolKind>> {
    let is_function = |node: Node<'_>| {
        matches!(
            node.kind(),
            "arrow_function" | "function_expression" | "generator_function"
        )
    };
    while matches!(
        node.kind(),
        "parenthesized_expression" | "as_expression" | "satisfies_expression"
    ) {
        node = node.named_child(0)?;
    }
    match node.kind() {
        "class" => Some(Some(SymbolKind::Class)),
        "object" => Some(None),
        // For example, `memo(() => …)` is a component.
        "call_expression" => {
            let arguments = node.child_by_field_name("arguments")?;
            let mut cursor = arguments.walk();
            let has_function = arguments.named_children(&mut cursor).any(is_function);
            has_function.then_some(Some(kind))
        }
        _ => is_function(node).then_some(Some(kind)),
    }
}

/// Reads the name of a table, a view or a function in SQL.
pub(super) fn read_created(node: Node<'_>, text: &str, kind: SymbolKind) -> Option<Definition> {
    let mut cursor = node.walk();
    let name = node
        .named_children(&mut cursor)
        .find(|child| child.kind() == "object_reference")?;
    let mut cursor = name.walk();
    let names = name
        .named_children(&mut cursor)
        .flat_map(|part| split(part, text))
        .collect();
    Definition::with_names(Some(kind), name, names)
}

/// Returns the components of a name, without quotes and type arguments.
fn split(name: Node<'_>, text: &str) -> Vec<String> {
    let whole = slice(name, text);
    let parts: Vec<&str> = match name.kind() {
        "nested_namespace_specifier" | "scope_resolution" | "qualified_identifier" => {
            whole.split("::").collect()
        }
        "nested_identifier" | "qualified_name" => whole.split('.').collect(),
        "namespace_name" => whole.split('\\').collect(),
        "template_type" => vec![whole.split('<').next().unwrap_or(whole)],
        _ => vec![whole],
    };
    let plain = |part: &str| part.trim().trim_matches(['"', '\'', '`']).to_owned();
    parts
        .into_iter()
        .map(plain)
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns the text of a node.
fn slice<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}
