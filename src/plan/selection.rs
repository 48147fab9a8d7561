//! The options that select operations, and the reasons to reject an operation.

use super::{Direction, FilterRule, HunkSelection, MatchMode, NameError};
use crate::digest::Sha256;
use crate::path::RelPath;
use crate::text::Span;

/// The selection: which operations apply, and how names are read.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The number of leading components to remove from names that have a prefix (`-p`). The default
    /// is 1. As in git, the default becomes 0 at the first diff without git header whose names have
    /// no directory.
    pub strip: Option<usize>,
    /// The directory that is prepended to every name (`--directory`).
    pub directory: Vec<u8>,
    /// The path of the root below the top of its repository, if names in git diffs start at the top
    /// (`--git-paths`). Files outside the root are skipped.
    pub below: Option<Vec<u8>>,
    /// `--include` and `--exclude` in the given order. The first matching filter decides. A path
    /// that matches no filter is selected unless there is an `--include`.
    pub filters: Vec<FilterRule>,
    /// Whether the patch is applied in reverse (`-R`).
    pub direction: Direction,
    /// The file below the root that replaces the name in a patch of one file (`--file`).
    pub file: Option<Vec<u8>>,
    /// The required digest of the only file of the patch before the change (`--expect-hash`).
    pub expected: Option<Sha256>,
    /// The files and hunks to apply (`--only`), numbered after all other filters; `None` applies
    /// all. wpatch does not read the files that are left out. It still places the other hunks of a
    /// selected file, because hunks are placed as they would be placed together. Any hunk of a file
    /// brings the other changes of the file with it, such as its name and its mode.
    pub only: Option<HunkSelection>,
    /// The lower bound for the tolerance of text matches (`--match`, `--reindent`).
    pub match_mode: MatchMode,
    /// The absolute names of the root. In grammars without prefixes, an absolute name below one of
    /// them is a name below the root.
    pub roots: Vec<Vec<u8>>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            strip: None,
            directory: Vec::new(),
            below: None,
            filters: Vec::new(),
            direction: Direction::Forward,
            file: None,
            expected: None,
            only: None,
            match_mode: MatchMode::Exact,
            roots: Vec::new(),
        }
    }
}

impl Selection {
    /// Returns the strip level for names without a level of their own.
    #[must_use]
    pub fn strip_level(&self) -> usize {
        self.strip.unwrap_or(1)
    }

    /// Returns whether the filters select `path`.
    pub(super) fn is_selected(&self, path: &RelPath) -> bool {
        let first = self
            .filters
            .iter()
            .find(|filter| filter.pattern.is_match(path.as_bytes()));
        first.map_or_else(
            || !self.filters.iter().any(|filter| filter.is_include),
            |filter| filter.is_include,
        )
    }
}

/// An operation that cannot apply to any tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOperation {
    /// Index of the input.
    pub input: usize,
    /// The position of the name in the input.
    pub span: Span,
    /// The invalid name after stripping, if the strip level leaves any of it.
    pub name: Option<Vec<u8>>,
    /// The reason for the rejection.
    pub kind: InvalidOperationKind,
}

/// The reasons to reject an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidOperationKind {
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The patch changes several files, or it renames or copies one, although the option names one
    /// file.
    #[error("the patch changes more than one file, but --file names only one")]
    SeveralFiles,
    /// The patch itself requires another digest of the preimage.
    #[error("the patch states another digest than the one expected for this file")]
    OtherDigest,
    /// The section does not contain the previous content and cannot be reversed.
    #[error("this section does not contain the previous content and cannot be reversed")]
    Irreversible,
}
