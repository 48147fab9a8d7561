//! What can be wrong with a patch text, and where.

use super::MailError;
use crate::plan::Input;
use crate::text::Span;

/// The first mistake in a patch text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where, in bytes of the input.
    pub span: Span,
}

/// A patch text that could not be read, with the text, so that the place can be shown.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}")]
pub struct Broken {
    /// The text.
    pub input: Input,
    /// The mistake.
    pub error: SyntaxError,
}

/// What can be wrong with a patch text.
///
/// The code of each is in [`crate::preflight::CODES`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// No section of any grammar.
    #[error("no patch found")]
    NoPatch,
    /// Lines that name changes, and no change.
    #[error("the input names changes, but does not contain them")]
    NotIncluded,
    /// The named thing should stand here.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A hunk header promises another number of lines than follow.
    #[error("the hunk header promises {promised} {side} lines, {found} follow")]
    LineCount {
        /// `old` or `new`.
        side: &'static str,
        /// What the header says.
        promised: usize,
        /// What follows.
        found: usize,
    },
    /// The input ends before the last hunk does.
    #[error(
        "hunk {hunk} is cut off: its header counts {} old and {} new lines, the patch has {} and {}",
        .promised.0, .promised.1, .found.0, .found.1
    )]
    Truncated {
        /// The number of the hunk in its file, counted from 1.
        hunk: usize,
        /// How many old and new lines the header counts.
        promised: (usize, usize),
        /// How many there are.
        found: (usize, usize),
    },
    /// A number is larger than any file has lines or bytes.
    #[error("the number is too large")]
    NumberTooLarge,
    /// Lines that look like those of a hunk follow one whose counts are used up.
    #[error("more lines follow than the hunk header promises")]
    ExtraLines,
    /// A file mode that no tree can hold.
    #[error("not a mode of a file in a tree")]
    Mode,
    /// The text of a quoted name breaks off or has an unknown escape.
    #[error("not a quoted name as git writes it")]
    QuotedName,
    /// Header lines that cannot stand together.
    #[error("{0}")]
    Contradiction(&'static str),
    /// A binary section that is damaged or incomplete.
    #[error("damaged binary data: {0}")]
    Binary(&'static str),
    /// Commands for an editor, as `diff -e` writes them.
    #[error("an ed script is a program, not a patch, and is not applied")]
    EdScript,
    /// A form that is recognised and not taken.
    #[error("{0} are not taken")]
    Unsupported(&'static str),
    /// Mail that cannot be decoded.
    #[error("{0}")]
    Mail(MailError),
    /// An input that is recognised and not applied.
    #[error("the input is {}", .0.name())]
    Foreign(Foreign),
    /// More files than this limit.
    #[error("the patch changes more than {0} files")]
    TooManyFiles(usize),
    /// More hunks than this limit.
    #[error("the patch has more than {0} hunks")]
    TooManyHunks(usize),
}

impl SyntaxErrorKind {
    /// A hunk that belongs to no file.
    pub const LONE_HUNK: Self = Self::Expected("`---` and `+++` lines before a hunk");
    /// The last line of the text has no newline.
    pub const NO_NEWLINE: Self = Self::Expected("a newline at the end of the line");
    /// A header without anything below that would change its file.
    pub const NO_HUNK: Self = Self::Expected("a hunk");
    /// Binary data of no known kind.
    pub const NO_METHOD: Self = Self::Expected("`literal SIZE` or `delta SIZE`");
    /// One side of a change has no name.
    pub const ONE_NAME: Self =
        Self::Contradiction("a change has both a `---` and a `+++` line, or neither");
}

impl SyntaxError {
    /// Returns an error at `span`.
    #[must_use]
    pub fn new(kind: SyntaxErrorKind, span: Span) -> Self {
        Self { kind, span }
    }
}

/// A kind of input that is recognised and not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Foreign {
    /// A context diff where another format was chosen.
    Context,
    /// A diff of a merge commit, with one column for each parent.
    Combined,
    /// A diff with escape sequences for terminals.
    Coloured,
    /// A diff that marks words instead of lines.
    WordDiff,
    /// `diff -y`.
    SideBySide,
    /// `git diff --stat`.
    Statistics,
    /// HTML.
    Html,
    /// Text in another encoding, by its name.
    Encoded(&'static str),
    /// Compressed data, by the name of the program.
    Compressed(&'static str),
}

impl Foreign {
    /// Returns what the input is, as in "the input is ...".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Context => "a context diff",
            Self::Combined => "a combined diff of a merge",
            Self::Coloured => "coloured output, with ANSI escape sequences",
            Self::WordDiff => "a word diff, which marks words instead of lines",
            Self::SideBySide => "a side-by-side diff",
            Self::Statistics => "a diffstat, which contains no changes",
            Self::Html => "HTML, not the plain text of a patch",
            Self::Encoded("UTF-16LE") => "text encoded as UTF-16 (little-endian)",
            Self::Encoded("UTF-16BE") => "text encoded as UTF-16 (big-endian)",
            Self::Encoded(_) => "text encoded as UTF-32",
            Self::Compressed("gzip") => "compressed data (gzip)",
            Self::Compressed("xz") => "compressed data (xz)",
            Self::Compressed("bzip2") => "compressed data (bzip2)",
            Self::Compressed("zstd") => "compressed data (zstd)",
            Self::Compressed("zip") => "compressed data (zip)",
            Self::Compressed(_) => "compressed data",
        }
    }

    /// Returns how to write an input that can be applied.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::Context => "choose the format `context` or `auto`",
            Self::Combined => {
                "write the diff against one parent, for example with `git diff HEAD^ HEAD`"
            }
            Self::Coloured => {
                "write the diff without colours (`git diff --no-color`, `grep --color=never`); --lenient removes those of a diff"
            }
            Self::WordDiff => "write the diff by lines, without `--word-diff`",
            Self::SideBySide => "write the diff with `diff -u`",
            Self::Statistics => {
                "write the diff itself, without `--stat` or with `--patch-with-stat`"
            }
            Self::Html => {
                "get the plain text of the patch; many sites add `.patch` or `.diff` to the address of the page"
            }
            Self::Encoded(_) => {
                "convert the patch to UTF-8, for example with `iconv`; --lenient converts UTF-16"
            }
            Self::Compressed(_) => "decompress the patch first",
        }
    }

    pub(super) fn error(self, at: Span) -> SyntaxError {
        SyntaxError::new(SyntaxErrorKind::Foreign(self), at)
    }
}
