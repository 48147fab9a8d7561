//! Parses source code with the grammars of tree-sitter, and SQL with a parser of its dialects.
//!
//! Input: a path and the text of a file. Output: a [`Language`] and the trees of its grammars, or
//! the [`Symbol`]s of the file, or a [`SqlVerdict`] about a change. The module is pure. The work is
//! limited by the number of steps, so that the result does not depend on the load of the machine. No
//! function here is recursive, because a tree can be as deep as the text is long. The parser of SQL is,
//! and gets a stack of its own.
//!
//! Without the feature `code-guard` there are no grammars, and no file can be parsed.
//!
//! To add a language, add a row to `LANGUAGES` in `languages.rs`, and its definitions to
//! `definitions/rules.rs`. Read `parse.rs`, `symbols/mod.rs` and `sql/mod.rs` first.

#[cfg(feature = "code-guard")]
mod balance;
#[cfg(feature = "code-guard")]
mod declarations;
#[cfg(feature = "code-guard")]
mod definitions;
#[cfg(feature = "code-guard")]
mod detection;
#[cfg(feature = "code-guard")]
mod faults;
#[cfg(feature = "code-guard")]
mod here_documents;
#[cfg(feature = "code-guard")]
mod languages;
#[cfg(feature = "code-guard")]
mod macros;
#[cfg(feature = "code-guard")]
mod markup;
#[cfg(feature = "code-guard")]
mod names;
#[cfg(feature = "code-guard")]
mod parse;
mod queries;
#[cfg(feature = "code-guard")]
mod rewrites;
#[cfg(feature = "code-guard")]
mod shell;
#[cfg(feature = "code-guard")]
mod sql;
mod symbol;
#[cfg(feature = "code-guard")]
mod symbols;
mod unparsed;
#[cfg(feature = "code-guard")]
mod unsafe_texts;

#[cfg(feature = "code-guard")]
pub use detection::{is_without_grammar, language_of};
#[cfg(feature = "code-guard")]
pub use faults::TokenFault;
#[cfg(feature = "code-guard")]
pub use languages::{Comparison, Language, Variant};
#[cfg(feature = "code-guard")]
pub use parse::MAX_SIZE;
pub use queries::{last_lines_of_constructs, list_symbols};
#[cfg(feature = "code-guard")]
pub use sql::{SqlVerdict, compare_sql, is_valid_sql};
pub use symbol::{Symbol, SymbolKind, SymbolList, SymbolSide};
pub use unparsed::Unparsed;
