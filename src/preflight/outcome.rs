//! What resolving a plan results in.

use super::bases::{Fallback, Merge};
use super::codes::Code;
use super::problem::{Problem, Severity};
use super::reject::Rejects;
use super::whitespace::FileWhitespace;
use crate::digest::Sha256;
use crate::matching::{Placement, Placements};
use crate::mode::FileMode;
use crate::notebook::EditedCell;
use crate::policy::Ruling;
use crate::text::TextEncoding;
use crate::text::tag::Tag;

/// What came of a plan on a tree.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// One for each operation, in their order.
    pub files: Vec<FileOutcome>,
    /// Reasons not to apply, and what should be known, in the order of the operations: the first
    /// 1000 of each code for each input, and of the hunks of one file the first
    /// [`MOST_EXPLAINED`](crate::matching::MOST_EXPLAINED) errors and as many warnings.
    pub problems: Vec<Problem>,
    /// Number of files that would be other than they are.
    pub changes: usize,
}

impl Resolution {
    /// Returns whether files are going to have conflicts in them.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.files
            .iter()
            .filter_map(|file| file.merge.as_ref())
            .any(|merge| merge.is_marked)
    }

    /// Returns whether nothing speaks against it.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems
            .iter()
            .all(|problem| problem.severity != Severity::Error)
    }
}

/// What came of one operation.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct FileOutcome {
    /// What policy says.
    pub ruling: Ruling,
    /// Code of the first error; `None` if the operation can be done.
    pub failed: Option<&'static Code>,
    /// Where the hunks went or why not, in their order; empty if the operation failed before, and
    /// if nobody asked for a description and each went to its stated place.
    pub placements: Placements,
    /// For changes of texts: which change each placement belongs to, and how many lines are there
    /// afterwards.
    pub texts: Box<[(usize, usize)]>,
    /// The cell that changes, for a notebook.
    pub cell: Option<Box<EditedCell>>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Whether the change is one of bytes, not of lines.
    pub is_binary: bool,
    /// The mode before and after, as git writes it.
    pub modes: (Option<FileMode>, Option<FileMode>),
    /// Whether it is a symbolic link that is written as a regular file.
    pub is_link_file: bool,
    /// Whether the contents change.
    pub is_edited: bool,
    /// The contents before, where there were any and they were asked for.
    pub before: Option<Box<Side>>,
    /// The contents after.
    pub after: Option<Box<Side>>,
    /// The mode and the digest of another file that it takes the place of, where they were asked
    /// for.
    pub replaced: Option<Box<(FileMode, Sha256)>>,
    /// Whether the numbers of its lines were those of an earlier version.
    pub is_recovered: bool,
    /// The tag afterwards, of a file whose lines are changed by their numbers.
    pub tag: Option<Tag>,
    /// A clean diff, where one was asked for.
    pub diff: Option<Vec<u8>>,
    /// Whether the diff was cut at [`Options::max_diff`](super::Options::max_diff).
    pub is_diff_cut: bool,
    /// The encoding that texts were replaced in, where one was asked for.
    pub encoding: Option<TextEncoding>,
    /// How many names the file has on disk, where there are several.
    pub hardlinks: Option<u64>,
    /// Whether all of it had been done already.
    pub is_done: bool,
    /// The hunks that were left out, as they do not fit.
    pub rejects: Option<Box<Rejects>>,
    /// How the patch was merged with what became of the file, where it was.
    pub merge: Option<Box<Merge>>,
    /// Why the patch was not merged, where it was to be.
    pub fallback: Option<Fallback>,
    /// What is wrong with the white space of the patch, where something is.
    pub whitespace: Option<Box<FileWhitespace>>,
    /// The number of problems of its hunks that are not in [`Resolution::problems`], because it has
    /// too many of them.
    pub omitted_problems: usize,
}

impl FileOutcome {
    /// Returns whether every hunk went to its stated place, as far as placements are kept.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        self.placements
            .iter()
            .all(|placed| placed.as_ref().is_ok_and(Placement::is_as_stated))
    }
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
