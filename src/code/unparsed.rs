//! The reasons why source code cannot be parsed.

use std::fmt;

/// The reason why a text was not parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unparsed {
    /// The text is larger than the limit.
    TooLarge,
    /// The parser needs more steps than the limit, or its scanner needs larger buffers.
    TooComplex,
    /// The text contains a NUL byte or is not in UTF-8.
    NotText,
    /// No grammar exists for the language, or the language is unknown.
    NoGrammar,
    /// The language has no definitions with names.
    NoSymbols,
    /// The library was compiled without grammars.
    NoFeature,
}

impl fmt::Display for Unparsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "the file has more than 1 MiB",
            Self::TooComplex => "the file needs too many steps of the parser",
            Self::NotText => "the file is not text in UTF-8",
            Self::NoGrammar => "no grammar exists for the language",
            Self::NoSymbols => "the language has no functions and classes",
            Self::NoFeature => "this program was compiled without grammars (feature code-guard)",
        })
    }
}
