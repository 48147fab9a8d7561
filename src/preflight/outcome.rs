//! The outcome of one operation, for the report.

use super::bases::{MergeOutcome, NoMergeReason};
use super::codes::ProblemCode;
use super::reject::RejectedHunks;
use super::whitespace::FileWhitespace;
use crate::digest::Sha256;
use crate::matching::{Placement, Placements};
use crate::mode::FileMode;
use crate::notebook::EditedCell;
use crate::policy::PolicyDecision;
use crate::text::TextEncoding;
use crate::text::tag::HashlineTag;

/// The outcome of one operation.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct FileOutcome {
    /// The verdict of the policy.
    pub decision: PolicyDecision,
    /// The code of the first error; `None` if the operation can be performed.
    pub failed: Option<&'static ProblemCode>,
    /// The placement or the mismatch of each hunk, in order. Empty if the operation failed earlier,
    /// or if every hunk is at its stated line and no description was requested.
    pub placements: Placements,
    /// For text edits: the index of the edit of each placement, and the number of lines after the
    /// change.
    pub edit_lines: Box<[(usize, usize)]>,
    /// The changed cell of a notebook.
    pub cell: Option<Box<EditedCell>>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// Whether the change concerns bytes instead of lines.
    pub is_binary: bool,
    /// The modes before and after, as git writes them.
    pub modes: (Option<FileMode>, Option<FileMode>),
    /// Whether the file is a symbolic link that is written as a regular file.
    pub is_link_file: bool,
    /// Whether the content changes.
    pub is_edited: bool,
    /// The properties of the content before, if it exists and a description was requested.
    pub before: Option<Box<ContentProperties>>,
    /// The properties of the content after, if it exists and a description was requested.
    pub after: Option<Box<ContentProperties>>,
    /// The mode and the digest of another file that the result replaces, if a description was
    /// requested.
    pub replaced: Option<Box<(FileMode, Sha256)>>,
    /// Whether the line numbers refer to an earlier version of the file.
    pub is_recovered: bool,
    /// The tag after the change, for edits of numbered lines.
    pub tag: Option<HashlineTag>,
    /// The generated diff of the change, if one was requested.
    pub diff: Option<Vec<u8>>,
    /// Whether the diff was truncated at [`Options::max_diff`](super::Options::max_diff).
    pub is_diff_cut: bool,
    /// The encoding in which texts were replaced, if one was selected.
    pub encoding: Option<TextEncoding>,
    /// The number of hard links to the existing file, if there are several.
    pub hardlinks: Option<u64>,
    /// Whether the whole operation was already applied.
    pub is_already_applied: bool,
    /// The hunks that were left out because they do not match.
    pub rejects: Option<Box<RejectedHunks>>,
    /// The outcome of the merge, if the patch was merged.
    pub merge: Option<Box<MergeOutcome>>,
    /// The reason why the patch was not merged although a merge was requested.
    pub no_merge_reason: Option<NoMergeReason>,
    /// The white space errors of the patch, if there are any.
    pub whitespace: Option<Box<FileWhitespace>>,
    /// The number of hunk problems that [`Resolution::problems`](super::Resolution::problems) omits because of its limit.
    pub omitted_problems: usize,
}

impl FileOutcome {
    /// Returns whether every hunk is at its stated line, as far as placements are kept.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        self.placements
            .iter()
            .all(|placed| placed.as_ref().is_ok_and(Placement::is_as_stated))
    }

    /// Sets the placements of text edits. Each item is the index of the edit, the number of lines
    /// after the change, and the placement.
    pub(super) fn set_placements(
        &mut self,
        places: impl Iterator<Item = (usize, usize, Placement)>,
    ) {
        let (texts, placements): (Vec<_>, _) = places
            .map(|(edit, new_lines, placement)| ((edit, new_lines), Ok(placement)))
            .unzip();
        (self.edit_lines, self.placements) = (texts.into(), placements);
    }
}

/// The properties of a file's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentProperties {
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 digest.
    pub sha256: Sha256,
    /// The name of the blob in git (SHA-1).
    pub blob: String,
    /// `lf`, `crlf`, `mixed`, or `none` for a text without line endings.
    pub line_end: &'static str,
    /// Whether the content starts with the byte order mark of UTF-8.
    pub has_bom: bool,
    /// Whether the last line has a terminator.
    pub has_final_newline: bool,
    /// `utf-8`, `binary` for content that git treats as binary, or `unknown`.
    pub encoding: &'static str,
}
