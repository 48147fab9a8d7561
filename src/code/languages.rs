//! The table of languages: how a file is recognised, and the grammars that parse it.

use tree_sitter::{Node, Tree};
use tree_sitter_language::LanguageFn;

use super::definitions::{self, SymbolRules};
use super::faults::{self, TokenFault};
use super::rewrites::{
    collections, collections_in_first_branches, first_branches, last_branches, named_macros,
    type_imports, typedefs_and_throws,
};
use super::{
    Unparsed, declarations, here_documents, macros, markup, names, parse, shell, unsafe_texts,
};

/// A programming language with at least one grammar.
pub struct Language {
    /// The name of the language in messages.
    pub name: &'static str,
    /// The extensions of file names, in lower case.
    pub(super) extensions: &'static [&'static str],
    /// Complete file names.
    pub(super) file_names: &'static [&'static str],
    /// The interpreters that a `#!` line names.
    pub(super) interpreters: &'static [&'static str],
    /// The grammars. A text is valid if one of them accepts it.
    grammars: &'static [LanguageFn],
    /// The rules for symbols, one for each grammar.
    symbols: &'static [&'static SymbolRules],
    /// Rewrites of valid code that the grammars do not accept.
    rewrites: &'static [Rewrite],
    /// The kinds of nodes that are faults after a rewrite, although the grammar accepts them.
    fault_kinds: &'static [&'static str],
    /// Returns whether a node is a fault, although the grammar accepts it.
    is_fault: Option<fn(Node<'_>, &str) -> bool>,
    /// Keywords that the grammar also accepts as names.
    keywords: &'static [&'static str],
    /// Returns whether a fault counts that a change of the first text to the second one adds. A
    /// reliable grammar is always right.
    is_certain: fn(&str, &str) -> bool,
    /// The parts of a file that the guard compares.
    comparison: Comparison,
    /// Whether files of the language are often templates.
    has_templates: bool,
    /// Whether the language has the here-documents of shells.
    has_here_documents: bool,
    /// Whether macros can stand for any code.
    has_macros: bool,
    /// Returns whether the scanner of the grammar could run beyond its buffers.
    is_unsafe: fn(&[u8]) -> bool,
}

/// The parts of a file that are compared before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Comparison {
    /// Whole files, with the grammars.
    Files,
    /// The statements of SQL. See [`compare_sql`](crate::code::compare_sql).
    Statements,
}

/// A function that rewrites a text, or returns `None` if it has nothing to rewrite.
type Rewrite = fn(&str) -> Option<String>;

/// Texts that only templates contain.
const TEMPLATE_MARKS: &[&str] = &["{{", "{%", "<%", "<?php"];

/// A row with the properties that most languages have.
const PLAIN: Language = Language {
    name: "",
    extensions: &[],
    file_names: &[],
    interpreters: &[],
    grammars: &[],
    symbols: &[&definitions::NONE],
    rewrites: &[],
    fault_kinds: &[],
    is_fault: None,
    keywords: &[],
    is_certain: |_, _| true,
    comparison: Comparison::Files,
    has_templates: false,
    has_here_documents: false,
    has_macros: false,
    is_unsafe: |_| false,
};

/// All languages.
pub(super) const LANGUAGES: &[Language] = &[
    Language {
        name: "Python",
        extensions: &["py", "pyi", "pyw"],
        interpreters: &["python", "python2", "python3"],
        grammars: &[tree_sitter_python::LANGUAGE],
        symbols: &[&definitions::PYTHON],
        is_unsafe: unsafe_texts::has_wide_indentation,
        ..PLAIN
    },
    Language {
        name: "JavaScript",
        extensions: &["js", "mjs", "cjs", "jsx"],
        interpreters: &["node", "nodejs"],
        grammars: &[tree_sitter_javascript::LANGUAGE],
        symbols: &[&definitions::JAVASCRIPT],
        rewrites: &[names::javascript],
        ..PLAIN
    },
    Language {
        name: "TypeScript",
        extensions: &["ts", "mts", "cts"],
        grammars: &[tree_sitter_typescript::LANGUAGE_TYPESCRIPT],
        symbols: &[&definitions::JAVASCRIPT],
        rewrites: &[type_imports, names::typescript],
        ..PLAIN
    },
    Language {
        name: "TSX",
        extensions: &["tsx"],
        grammars: &[tree_sitter_typescript::LANGUAGE_TSX],
        symbols: &[&definitions::JAVASCRIPT],
        rewrites: &[type_imports, names::tsx],
        ..PLAIN
    },
    Language {
        name: "Rust",
        extensions: &["rs"],
        grammars: &[tree_sitter_rust::LANGUAGE],
        symbols: &[&definitions::RUST],
        rewrites: &[named_macros],
        ..PLAIN
    },
    Language {
        name: "Go",
        extensions: &["go"],
        grammars: &[tree_sitter_go::LANGUAGE],
        symbols: &[&definitions::GO],
        ..PLAIN
    },
    Language {
        name: "Java",
        extensions: &["java"],
        grammars: &[tree_sitter_java::LANGUAGE],
        symbols: &[&definitions::JAVA],
        ..PLAIN
    },
    Language {
        name: "C",
        extensions: &["c"],
        grammars: &[tree_sitter_c::LANGUAGE],
        symbols: &[&definitions::C],
        rewrites: &[first_branches, last_branches, typedefs_and_throws],
        has_macros: true,
        ..PLAIN
    },
    // The extension belongs to both languages.
    Language {
        name: "C or C++",
        extensions: &["h"],
        grammars: &[tree_sitter_c::LANGUAGE, tree_sitter_cpp::LANGUAGE],
        symbols: &[&definitions::C, &definitions::CPP],
        rewrites: &[first_branches, last_branches, typedefs_and_throws],
        has_macros: true,
        ..PLAIN
    },
    Language {
        name: "C++",
        extensions: &["cc", "cpp", "cxx", "hh", "hpp", "hxx"],
        grammars: &[tree_sitter_cpp::LANGUAGE],
        symbols: &[&definitions::CPP],
        rewrites: &[first_branches, last_branches, typedefs_and_throws],
        has_macros: true,
        ..PLAIN
    },
    Language {
        name: "C#",
        extensions: &["cs"],
        grammars: &[tree_sitter_c_sharp::LANGUAGE],
        symbols: &[&definitions::C_SHARP],
        rewrites: &[
            collections,
            first_branches,
            last_branches,
            collections_in_first_branches,
            names::c_sharp,
            names::c_sharp_in_first_branches,
        ],
        ..PLAIN
    },
    Language {
        name: "Ruby",
        extensions: &["rb", "rake", "gemspec", "ru"],
        file_names: &["Rakefile", "Gemfile", "Vagrantfile", "Podfile", "Guardfile"],
        interpreters: &["ruby"],
        grammars: &[tree_sitter_ruby::LANGUAGE],
        symbols: &[&definitions::RUBY],
        keywords: &["end"],
        is_unsafe: unsafe_texts::has_many_literals,
        ..PLAIN
    },
    Language {
        name: "PHP",
        extensions: &["php"],
        interpreters: &["php"],
        grammars: &[tree_sitter_php::LANGUAGE_PHP],
        symbols: &[&definitions::PHP],
        ..PLAIN
    },
    Language {
        name: "Bash",
        extensions: &["sh", "bash"],
        file_names: &[".bashrc", ".bash_profile", ".bash_aliases"],
        interpreters: &["sh", "bash", "dash"],
        grammars: &[tree_sitter_bash::LANGUAGE],
        symbols: &[&definitions::BASH],
        rewrites: &[shell::expansions, shell::tests_and_expansions],
        has_here_documents: true,
        ..PLAIN
    },
    Language {
        name: "HTML",
        extensions: &["html", "htm"],
        grammars: &[tree_sitter_html::LANGUAGE],
        rewrites: &[markup::stray_characters],
        has_templates: true,
        fault_kinds: &["erroneous_end_tag"],
        is_fault: Some(markup::is_unclosed),
        is_unsafe: unsafe_texts::has_many_elements,
        ..PLAIN
    },
    Language {
        name: "CSS",
        extensions: &["css"],
        grammars: &[tree_sitter_css::LANGUAGE],
        is_fault: Some(declarations::is_malformed_node),
        has_templates: true,
        is_certain: declarations::is_certain,
        ..PLAIN
    },
    Language {
        name: "SQL",
        extensions: &["sql"],
        grammars: &[tree_sitter_sequel::LANGUAGE],
        symbols: &[&definitions::SQL],
        comparison: Comparison::Statements,
        ..PLAIN
    },
];

impl Language {
    /// Parses `text` and returns its first tree without faults, or the tree of the last grammar.
    ///
    /// # Errors
    ///
    /// Returns the reason if the text cannot be parsed, or only with too many steps.
    pub fn parse(&self, text: &str) -> Result<Tree, Unparsed> {
        self.parse_with_rules(text).map(|(tree, _)| tree)
    }

    /// Parses `text` like [`Self::parse`], and also returns the rules for the symbols of the
    /// grammar.
    pub(super) fn parse_with_rules(
        &self,
        text: &str,
    ) -> Result<(Tree, &'static SymbolRules), Unparsed> {
        let mut result = Err(Unparsed::NoGrammar);
        // Rewrites are not used, because offsets must refer to the text.
        let grammars = self.grammars.iter().zip(self.symbols);
        for (&grammar, &rules) in grammars {
            let variant = Variant {
                grammar,
                rewrite: None,
            };
            if let Some(tree) = self.parse_variant(text, variant)? {
                let is_valid = !self.has_fault(&tree, text, variant);
                result = Ok((tree, rules));
                if is_valid {
                    break;
                }
            }
        }
        result
    }

    /// Returns the parts of a file that the guard compares.
    #[must_use]
    pub fn comparison(&self) -> Comparison {
        self.comparison
    }

    /// Returns all ways to parse a text of this language: each grammar, and each grammar after each
    /// rewrite. A text is valid if one of the trees has no faults.
    pub fn variants(&self) -> impl Iterator<Item = Variant> + '_ {
        let rewrites = std::iter::once(None).chain(self.rewrites.iter().copied().map(Some));
        rewrites.flat_map(|rewrite| {
            self.grammars
                .iter()
                .map(move |&grammar| Variant { grammar, rewrite })
        })
    }

    /// Parses `text` in one way. Returns `None` if the rewrite has nothing to change.
    ///
    /// # Errors
    ///
    /// Returns the reason if the text cannot be parsed, or only with too many steps.
    pub fn parse_variant(&self, text: &str, variant: Variant) -> Result<Option<Tree>, Unparsed> {
        if text.len() > parse::MAX_SIZE {
            return Err(Unparsed::TooLarge);
        }
        if (self.is_unsafe)(text.as_bytes()) {
            return Err(Unparsed::TooComplex);
        }
        let Some(rewrite) = variant.rewrite else {
            return parse::parse(variant.grammar, text).map(Some);
        };
        rewrite(text)
            .map(|text| parse::parse(variant.grammar, &text))
            .transpose()
    }

    /// Returns whether `tree` has a fault. `variant` is the way in which it was parsed.
    #[must_use]
    pub fn has_fault(&self, tree: &Tree, text: &str, variant: Variant) -> bool {
        tree.root_node().has_error() || self.find_accepted(tree, text, variant).is_some()
    }

    /// Returns the first fault that the grammar accepts.
    fn find_accepted(&self, tree: &Tree, text: &str, variant: Variant) -> Option<TokenFault> {
        let kinds = variant.rewrite.map_or(&[][..], |_| self.fault_kinds);
        if kinds.is_empty() && self.keywords.is_empty() && self.is_fault.is_none() {
            return None;
        }
        // The end of a paragraph can follow the element that has ended it.
        let is_paragraph = |node: Node<'_>| text.get(node.byte_range()) == Some("</p>");
        let is_fault = |node: Node<'_>| {
            self.is_fault.is_some_and(|is_fault| is_fault(node, text))
                || (kinds.contains(&node.kind()) && !is_paragraph(node))
        };
        faults::find_accepted(tree, text, is_fault, self.keywords)
    }

    /// Returns the first fault of `tree` that ends at or after `from`, or the last one before it.
    ///
    /// The caller passes the offset of the first difference to a text without faults, because a
    /// fault cannot be before it.
    #[must_use]
    pub fn first_fault(&self, tree: &Tree, text: &str, from: usize) -> Option<TokenFault> {
        let variant = self.variants().next()?;
        faults::first(tree, text, from).or_else(|| self.find_accepted(tree, text, variant))
    }

    /// Returns the reason if a new fault at `offset` of `after` can be valid code that the grammar
    /// does not know.
    #[must_use]
    pub fn doubt(&self, before: &str, after: &str, offset: usize) -> Option<&'static str> {
        if self.has_macros && macros::has_new_macro_near(before, after, offset) {
            return Some("the grammar does not know the macros that the change adds");
        }
        if self.has_macros && macros::has_fewer_conditions(before, after) {
            return Some("the change removes conditions of the preprocessor");
        }
        if self.has_templates
            && (TEMPLATE_MARKS.iter().any(|mark| after.contains(mark))
                || markup::has_prefixed_tag(after))
        {
            return Some("the file is a template");
        }
        if self.has_here_documents && here_documents::is_in_here_document(after, offset) {
            return Some("the fault is in a here-document");
        }
        if self.has_here_documents && shell::is_for_zsh(after) {
            return Some("the script can be for zsh");
        }
        if self.has_here_documents && shell::is_in_template(after, offset) {
            return Some("the fault is in a line of a template");
        }
        (!(self.is_certain)(before, after))
            .then_some("the grammar does not accept the change, but it balances all brackets")
    }
}

/// One way to parse a text.
#[derive(Clone, Copy)]
pub struct Variant {
    grammar: LanguageFn,
    rewrite: Option<Rewrite>,
}
