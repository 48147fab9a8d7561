//! Guards: checks for changes that apply but look like a mistake.
//!
//! Input: a file before and after a change. Output: a [`GuardFinding`], if the change looks wrong.
//! The module is pure. A guard runs only if the user enables it.
//!
//! To add a guard, add a file to this folder and a row to [`GUARDS`].

mod balance;
#[cfg(feature = "guard")]
mod syntax;

use std::fmt;

pub use balance::BalanceChange;

use crate::path::RelPath;
use crate::text::Position;

/// A check of a change.
#[derive(Debug)]
pub struct Guard {
    /// The name of the guard on the command line.
    pub name: &'static str,
    file: fn(&Change<'_>) -> Option<GuardFinding>,
    block: fn(&[u8], &[u8]) -> Option<GuardFinding>,
}

/// All guards.
pub const GUARDS: &[Guard] = &[
    Guard {
        name: "balance",
        file: balance::check_file,
        block: balance::check_block,
    },
    #[cfg(feature = "guard")]
    Guard {
        name: "syntax",
        file: syntax::check_file,
        block: syntax::check_block,
    },
];

/// A file before and after a change.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The path of the file after the change.
    pub path: &'a RelPath,
    /// The content before the change.
    pub before: &'a [u8],
    /// The content after the change.
    pub after: &'a [u8],
}

/// The result of a guard.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GuardFinding {
    /// The change unbalances these pairs.
    Unbalanced(Vec<BalanceChange>),
    /// A block with this many characters was replaced with `[]`, which models write when they omit
    /// text.
    Placeholder(usize),
    /// The file was valid before the change and is invalid after it.
    InvalidSyntax {
        /// The language of the file.
        language: &'static str,
        /// The first fault in the new content.
        failure: ParseFailure,
    },
    /// The file was not checked, because it is too large. This is not a reason to refuse the
    /// change.
    TooLarge {
        /// The language that the file would be parsed as.
        language: &'static str,
        /// The larger of the sizes before and after the change, in bytes.
        size: usize,
        /// The size limit, in bytes.
        limit: usize,
    },
    /// The file was not checked for another reason. This is not a reason to refuse the change.
    NotParsed {
        /// The language of the file, if it has a grammar.
        language: Option<&'static str>,
        /// The reason.
        reason: String,
    },
}

/// The first syntax error in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFailure {
    /// The position of the error.
    pub position: Position,
    /// The message of the parser.
    pub message: String,
}

impl Guard {
    /// Checks a change of a file that exists before and after it.
    #[must_use]
    pub fn check_file(&self, change: &Change<'_>) -> Option<GuardFinding> {
        (self.file)(change)
    }

    /// Checks one place of a file, where `new` replaces `old`.
    #[must_use]
    pub fn check_block(&self, old: &[u8], new: &[u8]) -> Option<GuardFinding> {
        (self.block)(old, new)
    }
}

impl fmt::Display for GuardFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unbalanced(differences) => {
                f.write_str("the change unbalances the brackets of the file: ")?;
                for (index, difference) in differences.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{difference}")?;
                }
                Ok(())
            }
            Self::Placeholder(length) => write!(f, "`[]` replaces a block of {length} characters"),
            Self::InvalidSyntax {
                language,
                failure:
                    ParseFailure {
                        position: Position { line, column },
                        message,
                    },
            } => {
                write!(
                    f,
                    "the file is no longer valid {language}: line {line}, column {column}: {message}"
                )
            }
            Self::TooLarge {
                language,
                size,
                limit,
            } => {
                write!(
                    f,
                    "not parsed as {language}: {size} bytes exceed the limit of {limit}"
                )
            }
            Self::NotParsed { language, reason } => match language {
                Some(language) => write!(f, "not checked as {language}: {reason}"),
                None => write!(f, "not checked: {reason}"),
            },
        }
    }
}

/// Returns whether the name of `path` has one of `extensions`. Case is ignored.
fn has_extension(path: &RelPath, extensions: &[&str]) -> bool {
    let name = path.name();
    let extension = memchr::memrchr(b'.', name).map_or(&[][..], |dot| &name[dot + 1..]);
    extensions
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known.as_bytes()))
}
