//! Parses source code with the grammars of tree-sitter.
//!
//! Input: a path and the text of a file. Output: a [`Language`] and the trees of its grammars. The
//! module is pure. The work is limited by the number of steps, so that the result does not depend
//! on the load of the machine. No function is recursive, because a tree can be as deep as the text
//! is long.
//!
//! To add a language, add a row to `LANGUAGES` in `languages.rs`. Read `parse.rs` first.

mod balance;
mod declarations;
mod detection;
mod faults;
mod here_documents;
mod languages;
mod macros;
mod markup;
mod names;
mod parse;
mod rewrites;
mod shell;
mod unsafe_texts;

pub use detection::{is_without_grammar, language_of};
pub use faults::TokenFault;
pub use languages::{Language, Variant};
pub use parse::{MAX_SIZE, Unparsed};
