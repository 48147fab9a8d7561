//! The options for parsing.

use super::{SyntaxError, SyntaxErrorKind};
use crate::text::Span;

/// The options for parsing a patch.
#[derive(Clone, Copy, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Options {
    /// Whether to count the lines of a hunk and ignore the counts in its header (`--recount`).
    pub recount: bool,
    /// The treatment of a last hunk with fewer lines than its header states, if `recount` is set.
    pub truncated: TruncationHandling,
    /// Whether to repair typical mistakes of models if only one interpretation is possible
    /// (`--lenient`).
    pub lenient: bool,
    /// Whether a change that the text names without its content is an error (`--strict-input`).
    pub strict_input: bool,
    /// Whether a text without a section is a valid, empty patch (`--allow-empty`).
    pub allow_empty: bool,
    /// The treatment of sections that name no file.
    pub unnamed: UnnamedHandling,
    /// Whether the text is mail, in which `-- ` after a complete hunk starts the signature.
    /// [`parse`](super::parse()) sets this field for each text.
    pub is_mail: bool,
    /// The maximum number of files in one patch text. A file counts each time it is named.
    pub max_files: usize,
    /// The maximum number of hunks in one patch text.
    pub max_hunks: usize,
}

/// The treatment of a last hunk with fewer lines than its header states, under `--recount`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TruncationHandling {
    /// Report an error, because the patch is truncated.
    Refused,
    /// Read the hunk, for output such as `--stat` that changes no file.
    Read,
}

/// The treatment of sections that name no file: diffs that consist of hunks only, or with
/// `/dev/null` on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnnamedHandling {
    /// Read blocks and context hunks, because an option names the file (`--file`). A unified diff
    /// without a name is an error.
    Blocks,
    /// Report an error, as git does.
    Refused,
    /// Read them, as GNU patch does. An `Index:` line above the section names the file, or the
    /// caller does.
    Accept,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            recount: false,
            truncated: TruncationHandling::Refused,
            lenient: false,
            strict_input: false,
            allow_empty: false,
            unnamed: UnnamedHandling::Refused,
            is_mail: false,
            max_files: 100_000,
            max_hunks: 1_000_000,
        }
    }
}

impl Options {
    /// Checks the number of files against the limit. `count` includes the section at `at`.
    pub(super) fn allow_files(&self, count: usize, at: Span) -> Result<(), SyntaxError> {
        if count <= self.max_files {
            return Ok(());
        }
        Err(SyntaxError::new(
            SyntaxErrorKind::TooManyFiles(self.max_files),
            at,
        ))
    }

    /// Checks the number of hunks against the limit. `count` includes the hunk at `at`.
    pub(super) fn allow_hunks(&self, count: usize, at: Span) -> Result<(), SyntaxError> {
        if count <= self.max_hunks {
            return Ok(());
        }
        Err(SyntaxError::new(
            SyntaxErrorKind::TooManyHunks(self.max_hunks),
            at,
        ))
    }
}
