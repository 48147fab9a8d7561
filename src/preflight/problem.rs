//! Problems: the reasons why a plan does not apply, as data.

use std::fmt;

use serde::Serialize;

use super::codes::ProblemCode;
use crate::digest::Sha256;
use crate::matching::{ClosestMatch, END_OF_NAME, Lookalike, SymbolCandidate};
use crate::path::RelPath;
use crate::syntax::SyntaxErrorKind;
use crate::text::Span;
use crate::text::tag::HashlineTag;

/// A reason why the plan does not apply, or a warning.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The code: a row of [`CODES`](super::CODES).
    pub code: &'static ProblemCode,
    /// Whether the problem prevents the plan from being applied.
    pub severity: Severity,
    /// One line for people, without the path and without a final full stop. Control characters are
    /// not yet escaped.
    pub message: String,
    /// The file, if the problem concerns one.
    pub path: Option<RelPath>,
    /// The name of the file, if it is not a path below the root.
    pub name: Option<Vec<u8>>,
    /// The index of the operation in the plan.
    pub operation: Option<usize>,
    /// The index of the hunk in the operation.
    pub hunk: Option<usize>,
    /// The index of the input, and the span in it.
    pub place: Option<(usize, Span)>,
    /// The affected lines of the file, counted from 0.
    pub lines: Vec<usize>,
    /// The next action or command, if it depends on the problem. See [`Problem::next_step`].
    pub help: Option<String>,
    /// The details for programs.
    pub facts: ProblemFacts,
}

/// The details of a problem for programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct ProblemFacts {
    /// The number of places, if `lines` does not list all of them.
    pub count: Option<usize>,
    /// The index of the edit in its list, counted from 0.
    pub edit: Option<usize>,
    /// The expected digest.
    pub expected: Option<Sha256>,
    /// The actual digest.
    pub actual: Option<Sha256>,
    /// The actual tag.
    pub actual_tag: Option<HashlineTag>,
    /// The lines around the affected places, without terminators. Lines are counted from 0.
    pub around: Vec<(usize, Vec<u8>)>,
    /// The exceeded limit in bytes.
    pub limit: Option<u64>,
    /// The size that exceeds the limit, in bytes.
    pub size: Option<u64>,
    /// The next action for a model, if it depends on the problem.
    pub advice: Option<String>,
    /// The reason that a policy rule states.
    pub reason: Option<String>,
    /// The active policy mode, and the least mode that allows the change.
    pub modes: Option<(&'static str, &'static str)>,
    /// The names of the cells in the notebook.
    pub cells: Vec<String>,
    /// The symbols that the edit can mean.
    pub symbols: Vec<SymbolCandidate>,
    /// The closest match of a hunk that does not match.
    pub nearest: Option<ClosestMatch>,
    /// The fault of a malformed patch.
    pub mistake: Option<SyntaxErrorKind>,
    /// Whether the message states no more than git's sentence for the code.
    pub is_bare: bool,
    /// Whether the patch seems to be truncated.
    pub is_cut_off: bool,
    /// The strip level that removes all of a name.
    pub strip: Option<usize>,
    /// The blob of the existing file, if the patch was made for another blob.
    pub blob: Option<Vec<u8>>,
    /// The reason why the file does not contain a text.
    pub cause: Option<MismatchCause>,
    /// Whether the obstacle is only in the work tree, although git's index decides.
    pub is_untracked: bool,
    /// Whether another problem has the help for this one.
    pub is_helped_elsewhere: bool,
}

impl Problem {
    /// Returns an error with this code and message, and without details.
    #[must_use]
    pub fn new(code: &'static ProblemCode, message: impl Into<String>) -> Self {
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
            facts: ProblemFacts::default(),
        }
    }
}

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Prevents the whole plan from being applied.
    Error,
    /// Prevents a part from being applied. The rest is applied (`--reject`).
    #[serde(rename = "error")]
    Reject,
    /// Does not prevent the plan from being applied.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A known reason why a file does not contain a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchCause {
    /// The patch and the file have different line endings.
    LineEnding {
        /// Whether the file is the one with CR LF.
        is_file_crlf: bool,
    },
    /// The file contains a text with a character that looks like the expected one.
    Lookalike(Lookalike),
    /// The file has this encoding.
    Encoding(&'static str),
    /// The program that displayed the patch added markup to its text.
    Markup(Markup),
    /// A file exists whose name looks like the missing name.
    Name {
        /// The existing file.
        path: RelPath,
        /// The first character that differs, with its position in the whole path.
        lookalike: Lookalike,
    },
}

/// Markup that a program adds to a text that it displays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Markup {
    /// HTML entities, for example `&lt;`.
    Entities,
    /// Terminal escape sequences that set colours.
    Colours,
}

impl Markup {
    /// Returns the name of the markup, as in "the patch has ...".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Entities => "HTML entities",
            Self::Colours => "escape sequences that set colours",
        }
    }

    pub(super) fn help(self) -> &'static str {
        match self {
            Self::Entities => {
                "use the plain text of the patch, or --lenient to decode the entities"
            }
            Self::Colours => "create the patch without colours, for example with `--color=never`",
        }
    }

    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Entities => "send the characters themselves, not their HTML entities",
            Self::Colours => "send the text without escape sequences",
        }
    }
}

impl fmt::Display for MismatchCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LineEnding { is_file_crlf: true } => {
                f.write_str("the file has CRLF line endings, but the patch has LF")
            }
            Self::LineEnding {
                is_file_crlf: false,
            } => f.write_str("the file has LF line endings, but the patch has CRLF"),
            Self::Lookalike(Lookalike {
                line,
                column,
                expected,
                found,
            }) => {
                let (line, column) = (line + 1, column + 1);
                write!(
                    f,
                    "line {line}, column {column} of the file has {found}, but the patch has {expected}"
                )
            }
            Self::Encoding(name) => write!(f, "the file is encoded in {name}"),
            Self::Markup(markup) => write!(
                f,
                "the patch has {}, but the file has plain text",
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
                            "{path} exists, but it has {found} at character {place}, where this name ends"
                        )
                    }
                    (expected, END_OF_NAME) => {
                        write!(
                            f,
                            "{path} exists, but it ends before character {place}, where this name has {expected}"
                        )
                    }
                    _ => {
                        write!(
                            f,
                            "{path} exists, but it has {found} at character {place}, where this name has {expected}"
                        )
                    }
                }
            }
        }
    }
}
