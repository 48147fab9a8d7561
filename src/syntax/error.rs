//! The errors in a patch text and their positions.

use super::MailError;
use crate::plan::Input;
use crate::text::Span;

/// The first error in a patch text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct SyntaxError {
    /// The kind of error.
    pub kind: SyntaxErrorKind,
    /// The position of the error, in bytes of the input.
    pub span: Span,
}

/// A malformed patch and its error. The text is kept so that a message can show the position.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}")]
pub struct MalformedPatch {
    /// The text.
    pub input: Input,
    /// The error.
    pub error: SyntaxError,
}

/// The ways in which a patch text can be malformed.
///
/// [`crate::preflight::CODES`] contains the code of each kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// The input contains no section of any grammar.
    #[error("no patch found")]
    NoPatch,
    /// The input names changes, but contains none.
    #[error("the input lists changes without their content")]
    NotIncluded,
    /// The input does not contain the named element at this position.
    #[error("expected {0}")]
    Expected(&'static str),
    /// The hunk header states a different number of lines than the body contains.
    #[error("the hunk header counts {promised} {side} lines, but {found} follow")]
    LineCount {
        /// `old` or `new`.
        side: &'static str,
        /// The number in the header.
        promised: usize,
        /// The number of lines found.
        found: usize,
    },
    /// The input ends before the last hunk is complete.
    #[error(
        "hunk {hunk} is truncated: its header counts {} old and {} new lines, but the patch has {} and {}",
        .promised.0, .promised.1, .found.0, .found.1
    )]
    Truncated {
        /// The number of the hunk in its file, counted from 1.
        hunk: usize,
        /// The numbers of old and new lines in the header.
        promised: (usize, usize),
        /// The numbers of old and new lines found.
        found: (usize, usize),
    },
    /// A number exceeds the limit for line numbers and sizes.
    #[error("the number is too large")]
    NumberTooLarge,
    /// Lines that look like hunk lines follow a hunk whose counts are used up.
    #[error("more lines follow than the hunk header counts")]
    ExtraLines,
    /// The file mode is not a mode that a git tree can contain.
    #[error("invalid file mode; expected a mode of git, such as 100644")]
    Mode,
    /// A quoted name is incomplete or contains an unknown escape sequence.
    #[error("invalid quoted file name; expected the quoting of git")]
    QuotedName,
    /// Header lines contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
    /// A binary section is damaged or incomplete.
    #[error("invalid binary data: {0}")]
    Binary(&'static str),
    /// The input contains editor commands, as `diff -e` writes them.
    #[error("ed scripts are not supported, because they can run commands")]
    EdScript,
    /// The patch uses a construct of its format that wpatch does not support. The field names the
    /// construct in the plural.
    #[error("{0} are not supported")]
    UnsupportedConstruct(&'static str),
    /// The mail cannot be decoded.
    #[error("{0}")]
    Mail(MailError),
    /// The whole input has a known format that wpatch does not apply.
    #[error("the input is {}", .0.name())]
    UnsupportedFormat(UnsupportedFormat),
    /// The patch changes more files than this limit.
    #[error("the patch changes more than {0} files")]
    TooManyFiles(usize),
    /// The patch contains more hunks than this limit.
    #[error("the patch has more than {0} hunks")]
    TooManyHunks(usize),
}

impl SyntaxErrorKind {
    /// A hunk without a file name.
    pub const LONE_HUNK: Self = Self::Expected("`---` and `+++` lines before a hunk");
    /// The last line of the text has no newline.
    pub const NO_NEWLINE: Self = Self::Expected("a newline at the end of the line");
    /// A header without any change below it.
    pub const NO_HUNK: Self = Self::Expected("a hunk");
    /// Binary data of an unknown kind.
    pub const NO_METHOD: Self = Self::Expected("`literal SIZE` or `delta SIZE`");
    /// Only one side of a change has a name.
    pub const ONE_NAME: Self =
        Self::Contradiction("only one of the `---` and `+++` lines is present; expected both");
}

impl SyntaxError {
    /// Returns an error of kind `kind` at `span`.
    #[must_use]
    pub fn new(kind: SyntaxErrorKind, span: Span) -> Self {
        Self { kind, span }
    }
}

/// The formats that wpatch recognises and does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnsupportedFormat {
    /// A context diff, although another format was selected.
    Context,
    /// A diff of a merge commit, with one column for each parent.
    Combined,
    /// A diff with terminal escape sequences.
    Coloured,
    /// A diff that marks words instead of lines.
    WordDiff,
    /// The output of `diff -y`.
    SideBySide,
    /// The output of `git diff --stat`.
    Statistics,
    /// HTML.
    Html,
    /// Text in UTF-16 or UTF-32.
    Encoded(UnicodeEncoding),
    /// Compressed data.
    Compressed(Compression),
}

/// An encoding in which no patch can be read, because its ASCII characters have more than one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum UnicodeEncoding {
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// UTF-32 in either byte order.
    Utf32,
}

/// A format of compressed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// gzip.
    Gzip,
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
    /// Zstandard.
    Zstd,
    /// LZMA in the format of `lzma`.
    Lzma,
    /// A zip archive.
    Zip,
}

impl Compression {
    /// Returns the name of the program that compresses to this format.
    #[must_use]
    pub fn program(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
            Self::Zstd => "zstd",
            Self::Lzma => "lzma",
            Self::Zip => "zip",
        }
    }
}

impl UnsupportedFormat {
    /// Returns a description of the format that completes "the input is ...".
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
            Self::Encoded(UnicodeEncoding::Utf16Le) => "text encoded as UTF-16 (little-endian)",
            Self::Encoded(UnicodeEncoding::Utf16Be) => "text encoded as UTF-16 (big-endian)",
            Self::Encoded(UnicodeEncoding::Utf32) => "text encoded as UTF-32",
            Self::Compressed(Compression::Gzip) => "compressed data (gzip)",
            Self::Compressed(Compression::Xz) => "compressed data (xz)",
            Self::Compressed(Compression::Bzip2) => "compressed data (bzip2)",
            Self::Compressed(Compression::Zstd) => "compressed data (zstd)",
            Self::Compressed(Compression::Lzma) => "compressed data (lzma)",
            Self::Compressed(Compression::Zip) => "compressed data (zip)",
        }
    }

    /// Returns a hint on how to produce an input that can be applied.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::Context => "choose the format `context` or `auto`",
            Self::Combined => {
                "create the diff against one parent, for example with `git diff HEAD^ HEAD`"
            }
            Self::Coloured => {
                "create the diff without colours (`git diff --no-color`, `grep --color=never`), or use --lenient to \
                 remove them"
            }
            Self::WordDiff => "create the diff without `--word-diff`",
            Self::SideBySide => "create the diff with `diff -u`",
            Self::Statistics => "create the diff without `--stat`, or with `--patch-with-stat`",
            Self::Html => {
                "download the plain text of the patch; on many sites, append `.patch` or `.diff` to the URL"
            }
            Self::Encoded(_) => {
                "convert the patch to UTF-8, for example with `iconv`, or use --lenient for UTF-16"
            }
            Self::Compressed(_) => "decompress the patch first",
        }
    }

    pub(super) fn error(self, at: Span) -> SyntaxError {
        SyntaxError::new(SyntaxErrorKind::UnsupportedFormat(self), at)
    }
}
