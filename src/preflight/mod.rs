//! Plan and tree to changes and problems: decides everything, writes nothing.

pub mod problem;

use crate::digest::Sha256;
use crate::matching::{Placements, Rules};
use crate::mode::FileMode;
use crate::workspace::WorkspaceError;

pub use problem::{CODES, Code, Kind, Problem, Severity, code};

/// How the tree is looked at.
#[derive(Clone, Debug)]
pub struct Options {
    /// How closely hunks have to fit.
    pub rules: Rules,
    /// Whether a file may be replaced by one that the patch makes or moves there (`--overwrite`).
    pub overwrite: bool,
    /// Whether digests and properties of contents are worked out, for a report or a guard.
    pub describe: bool,
    /// Whether a clean diff of each file is written, for a report.
    pub diff: bool,
    /// Largest file that is read or made, in bytes.
    pub max_file: u64,
}

/// What came of a plan on a tree.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// One for each operation, in their order.
    pub files: Vec<FileOutcome>,
    /// All reasons not to apply, and what should be known, in the order of the operations.
    pub problems: Vec<Problem>,
}

/// What came of one operation.
#[derive(Clone, Debug, Default)]
pub struct FileOutcome {
    /// Code of the first error; `None` if the operation can be done.
    pub failed: Option<&'static Code>,
    /// Where the hunks went or why not, in their order; empty if the operation failed before.
    pub placements: Placements,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Whether the change is one of bytes, not of lines.
    pub is_binary: bool,
    /// The mode before and after, as git writes it.
    pub modes: (Option<FileMode>, Option<FileMode>),
    /// Whether the contents change.
    pub is_edited: bool,
    /// The contents before, where there were any and they were asked for.
    pub before: Option<Side>,
    /// The contents after.
    pub after: Option<Side>,
    /// A clean diff, where one was asked for.
    pub diff: Option<Vec<u8>>,
}

/// What is known of a file's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Size in bytes.
    pub size: u64,
    /// Digest for guards.
    pub sha256: Sha256,
    /// Name of the blob in git, by SHA-1.
    pub blob: String,
    /// `lf`, `crlf`, `mixed`, or `none` for a text without line ends.
    pub line_end: &'static str,
    /// Whether it begins with the byte order mark of UTF-8.
    pub has_bom: bool,
    /// Whether the last line has a terminator.
    pub has_final_newline: bool,
    /// `utf-8`, or `binary` for contents with a NUL byte, or `unknown`.
    pub encoding: &'static str,
}

/// Looks at the tree; see the module. Stub.
///
/// # Errors
///
/// Returns the error of a disk that failed; what the patch gets wrong is in [`Resolution::problems`].
pub fn resolve() -> Result<Resolution, WorkspaceError> {
    Ok(Resolution::default())
}
