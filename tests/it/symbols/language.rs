//! The templates of one language.

/// The templates of a language. In a template, `{n}` is a name, `{a}` are parameters, and a line
/// `{}` stands for the indented body.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a property of the language"
)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) extension: &'static str,
    /// The lines at the start of each file.
    pub(crate) header: &'static [&'static str],
    pub(crate) comments: &'static [&'static [&'static str]],
    pub(crate) attributes: &'static [&'static str],
    pub(crate) functions: &'static [&'static [&'static str]],
    /// Functions whose path has the component `R` before their name.
    pub(crate) received: &'static [&'static [&'static str]],
    /// Functions without a body.
    pub(crate) declarations: &'static [&'static [&'static str]],
    pub(crate) classes: &'static [&'static [&'static str]],
    pub(crate) methods: &'static [&'static [&'static str]],
    /// Definitions without symbols in them.
    pub(crate) types: &'static [&'static [&'static str]],
    pub(crate) parameters: &'static [&'static str],
    /// Lines between definitions.
    pub(crate) statements: &'static [&'static [&'static str]],
    /// Lines between the methods of a class.
    pub(crate) fields: &'static [&'static [&'static str]],
    /// Lines in functions.
    pub(crate) bodies: &'static [&'static [&'static str]],
    /// Whether functions can contain functions.
    pub(crate) nests: bool,
    /// Whether attributes can be on methods only.
    pub(crate) only_methods_have_attributes: bool,
    /// Whether a body is not a body without a statement.
    pub(crate) needs_statement: bool,
    /// Whether a definition and a declaration with the same name are the same.
    pub(crate) merges: bool,
}

/// A language without templates.
pub(crate) const NONE: Language = Language {
    name: "",
    extension: "",
    header: &[],
    comments: &[
        &["// c"],
        &["/* function f() { */"],
        &["/**", " * class A {", " */"],
    ],
    attributes: &[],
    functions: &[],
    received: &[],
    declarations: &[],
    classes: &[],
    methods: &[],
    types: &[],
    parameters: &["", "a", "a, b"],
    statements: &[],
    fields: &[],
    bodies: &[],
    nests: false,
    only_methods_have_attributes: false,
    needs_statement: false,
    merges: false,
};
