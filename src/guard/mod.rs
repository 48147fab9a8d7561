//! Changes that fit and yet look like a mistake. Pure: what a file was and what it becomes go in, a
//! finding comes out.
//!
//! A guard is a file of this folder and a row of [`GUARDS`]. None is at work unless somebody asks
//! for it.

mod balance;
#[cfg(feature = "guard")]
mod syntax;

use std::fmt;

pub use balance::Difference;

use crate::path::RelPath;
use crate::text::Position;

/// Something that a change is looked at for.
#[derive(Debug)]
pub struct Guard {
    /// Its name on the command line.
    pub name: &'static str,
    file: fn(&Change<'_>) -> Option<Finding>,
    block: fn(&[u8], &[u8]) -> Option<Finding>,
}

/// Every guard.
pub const GUARDS: &[Guard] = &[
    Guard {
        name: "balance",
        file: balance::of_file,
        block: balance::of_block,
    },
    #[cfg(feature = "guard")]
    Guard {
        name: "syntax",
        file: syntax::of_file,
        block: syntax::of_block,
    },
];

/// A file before and after.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// What it is called afterwards.
    pub path: &'a RelPath,
    /// Its text before.
    pub before: &'a [u8],
    /// Its text after.
    pub after: &'a [u8],
}

/// What a guard finds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// Of these pairs there are more openings than before, or fewer, for the same closings.
    Unbalanced(Vec<Difference>),
    /// A block of this many characters gives way to what models write when they leave something
    /// out.
    Placeholder(usize),
    /// The file parsed before, and does not after.
    Broken {
        /// What it was.
        language: &'static str,
        /// Where it is that no longer, in the text after.
        fault: Fault,
    },
    /// The file was not looked at. No reason to refuse it.
    TooLarge {
        /// What it would be parsed as.
        language: &'static str,
        /// The larger of its sizes before and after, in bytes.
        size: usize,
        /// The limit, in bytes.
        limit: usize,
    },
}

/// The first thing in a text that is not of its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it is.
    pub position: Position,
    /// What it is, in the words of the parser.
    pub message: String,
}

impl Guard {
    /// Looks at a file that was there before and is there afterwards.
    #[must_use]
    pub fn judge_file(&self, change: &Change<'_>) -> Option<Finding> {
        (self.file)(change)
    }

    /// Looks at one of the places of a file, where `new` replaces `old`.
    #[must_use]
    pub fn judge_block(&self, old: &[u8], new: &[u8]) -> Option<Finding> {
        (self.block)(old, new)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unbalanced(differences) => {
                f.write_str("the file does not balance as before: ")?;
                for (index, difference) in differences.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{difference}")?;
                }
                Ok(())
            }
            Self::Placeholder(length) => write!(f, "`[]` replaces a block of {length} characters"),
            Self::Broken {
                language,
                fault:
                    Fault {
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
                    "not parsed as {language}: {size} bytes are over the limit of {limit}"
                )
            }
        }
    }
}

/// Returns whether the name of `path` ends in a dot and one of `extensions`, in any case.
fn has_extension(path: &RelPath, extensions: &[&str]) -> bool {
    let name = path.name();
    let extension = memchr::memrchr(b'.', name).map_or(&[][..], |dot| &name[dot + 1..]);
    extensions
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known.as_bytes()))
}
