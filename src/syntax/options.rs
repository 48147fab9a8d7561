//! The options of parsing.

use super::{SyntaxError, SyntaxErrorKind};
use crate::text::Span;

/// How patches are read.
#[derive(Clone, Copy, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Options {
    /// Whether the lines of a hunk are counted instead of believing its header (`--recount`).
    pub recount: bool,
    /// What `recount` does with a last hunk that has fewer lines than its header counts.
    pub truncated: Truncated,
    /// Whether forms that models write by mistake are mended where they have one meaning only
    /// (`--lenient`).
    pub lenient: bool,
    /// Whether a change that the text names and does not contain is an error (`--strict-input`).
    pub strict_input: bool,
    /// Whether a text without a section is a patch that changes nothing (`--allow-empty`).
    pub allow_empty: bool,
    /// What is done about sections that name no file.
    pub unnamed: Unnamed,
    /// Whether the text is mail, where `-- ` after a complete hunk begins the signature.
    /// [`parse`](super::parse()) sets it for each text.
    pub is_mail: bool,
    /// Most files that one patch text may be about, counted each time that it names them.
    pub max_files: usize,
    /// Most hunks in one patch text.
    pub max_hunks: usize,
}

/// What `--recount` does with a last hunk that has fewer lines than its header counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Truncated {
    /// It is a mistake: the patch was cut off.
    Refused,
    /// It is read, for output such as `--stat` that changes no file.
    Read,
}

/// What is done about sections that name no file: diffs with hunks alone, or with `/dev/null` on
/// both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unnamed {
    /// Blocks are read: an option names their file (`--file`). Diffs are a mistake.
    Blocks,
    /// They are a mistake, as git has it.
    Refused,
    /// An `Index:` line above them names it, or whoever applies them, as GNU patch has it.
    Taken,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            recount: false,
            truncated: Truncated::Refused,
            lenient: false,
            strict_input: false,
            allow_empty: false,
            unnamed: Unnamed::Refused,
            is_mail: false,
            max_files: 100_000,
            max_hunks: 1_000_000,
        }
    }
}

impl Options {
    /// Refuses the section at `at` if it is one too many; `count` is the number of sections with
    /// it.
    pub(super) fn allow_files(&self, count: usize, at: Span) -> Result<(), SyntaxError> {
        if count <= self.max_files {
            return Ok(());
        }
        Err(SyntaxError::new(
            SyntaxErrorKind::TooManyFiles(self.max_files),
            at,
        ))
    }

    /// Refuses the hunk at `at` if it is one too many; `count` is the number of hunks with it.
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
