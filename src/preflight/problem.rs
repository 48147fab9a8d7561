//! Reasons not to apply, as data.

use std::fmt;

use serde::Serialize;

use super::codes::Code;
use crate::digest::Sha256;
use crate::matching::{END_OF_NAME, Lookalike, Nearest};
use crate::path::RelPath;
use crate::syntax::SyntaxErrorKind;
use crate::text::Span;
use crate::text::tag::Tag;

/// One reason not to apply, or one thing that should be known.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What it is: a row of [`CODES`](super::CODES).
    pub code: &'static Code,
    /// Whether it keeps the patch from applying.
    pub severity: Severity,
    /// One line for people, without path and without full stop. Not yet escaped for printing.
    pub message: String,
    /// The file, where one is meant.
    pub path: Option<RelPath>,
    /// What the file is called, where that is no path below the root.
    pub name: Option<Vec<u8>>,
    /// Index of the operation in the plan.
    pub operation: Option<usize>,
    /// Index of the hunk in the operation.
    pub hunk: Option<usize>,
    /// The input and the place in it.
    pub place: Option<(usize, Span)>,
    /// Lines of the file that are meant, counted from 0.
    pub lines: Vec<usize>,
    /// What to do about it.
    pub help: Option<String>,
    /// Numbers and digests for programs.
    pub facts: Facts,
}

/// What programs want to know of a problem besides its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// How many places are meant, where that is more than there are lines.
    pub count: Option<usize>,
    /// Index of the edit in its list, counted from 0.
    pub edit: Option<usize>,
    /// The digest that the file should have.
    pub expected: Option<Sha256>,
    /// The digest that it has.
    pub actual: Option<Sha256>,
    /// The tag that it has.
    pub actual_tag: Option<Tag>,
    /// The lines around the places that are meant, without terminators, counted from 0.
    pub around: Vec<(usize, Vec<u8>)>,
    /// The limit that was passed, in bytes.
    pub limit: Option<u64>,
    /// The size that passed it, in bytes.
    pub size: Option<u64>,
    /// What a model should do next, where that depends on the problem.
    pub advice: Option<String>,
    /// Why a rule of policy refuses it, in the words of the rule.
    pub reason: Option<String>,
    /// The mode that holds, and the least one that would allow it.
    pub modes: Option<(&'static str, &'static str)>,
    /// The names of the cells that a notebook has.
    pub cells: Vec<String>,
    /// The place of the file that is most like it, where no hunk has it.
    pub nearest: Option<Nearest>,
    /// What is wrong with a patch text.
    pub mistake: Option<SyntaxErrorKind>,
    /// Whether the message states no more than git's sentence for the code.
    pub is_bare: bool,
    /// Whether the patch text seems to end too early.
    pub is_cut_off: bool,
    /// The strip level that leaves nothing of a name.
    pub strip: Option<usize>,
    /// The blob that a patch was made for.
    pub blob: Option<Vec<u8>>,
    /// Why a text is not in the file.
    pub cause: Option<Cause>,
    /// Whether what is in the way is in the work tree alone, where git's index counts.
    pub is_untracked: bool,
}

impl Problem {
    /// Returns an error of which no more is known.
    #[must_use]
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            path: None,
            name: None,
            operation: None,
            hunk: None,
            place: None,
            lines: Vec::new(),
            help: None,
            facts: Facts::default(),
        }
    }
}

/// How much a problem weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Nothing is applied.
    Error,
    /// What it is about is not applied, and the rest is (`--reject`).
    #[serde(rename = "error")]
    Reject,
    /// Said, and applied all the same.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A known reason why a text is not in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The lines of the patch and those of the file end in different ways.
    LineEnding {
        /// Whether it is the file whose lines end with CR LF.
        is_file_crlf: bool,
    },
    /// The text looks like one in the file.
    Lookalike(Lookalike),
    /// The file is in this encoding.
    Encoding(&'static str),
    /// The program that showed the patch marked its text.
    Markup(Markup),
    /// A file exists whose name looks like that of the missing one.
    Name {
        /// The existing file.
        path: RelPath,
        /// The first character that differs, at its place in the whole path.
        lookalike: Lookalike,
    },
}

/// What a program that shows a text puts into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Markup {
    /// Entities of HTML, as in `&lt;`.
    Entities,
    /// Escape sequences of a terminal that set colours.
    Colours,
}

impl Markup {
    /// Returns what the text has, as in "the patch has ...".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Entities => "HTML entities",
            Self::Colours => "escape sequences that set colours",
        }
    }

    pub(super) fn help(self) -> &'static str {
        match self {
            Self::Entities => "get the plain text of the patch; --lenient replaces the entities",
            Self::Colours => "write the patch without colours, for example with `--color=never`",
        }
    }

    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Entities => "write the characters themselves, not their HTML entities",
            Self::Colours => "send the text without escape sequences",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LineEnding { is_file_crlf: true } => {
                f.write_str("the file has CR LF line endings, and the patch has LF")
            }
            Self::LineEnding {
                is_file_crlf: false,
            } => f.write_str("the file has LF line endings, and the patch has CR LF"),
            Self::Lookalike(Lookalike {
                line,
                column,
                expected,
                found,
            }) => {
                let (line, column) = (line + 1, column + 1);
                write!(
                    f,
                    "line {line}, column {column} of the file has {found}, and the patch has {expected}"
                )
            }
            Self::Encoding(name) => write!(f, "the file is encoded in {name}"),
            Self::Markup(markup) => write!(
                f,
                "the patch has {} where the file has plain text",
                markup.name()
            ),
            Self::Name {
                path,
                lookalike:
                    Lookalike {
                        column,
                        expected,
                        found,
                        ..
                    },
            } => {
                let place = column + 1;
                match (expected.as_str(), found.as_str()) {
                    (END_OF_NAME, found) => {
                        write!(
                            f,
                            "{path} exists and has {found} at character {place}, where this name ends"
                        )
                    }
                    (expected, END_OF_NAME) => {
                        write!(
                            f,
                            "{path} exists and ends before character {place}, where this name has {expected}"
                        )
                    }
                    _ => {
                        write!(
                            f,
                            "{path} exists and has {found} at character {place}, where this name has {expected}"
                        )
                    }
                }
            }
        }
    }
}
