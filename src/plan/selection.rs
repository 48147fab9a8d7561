//! The options that select operations, and the reasons to reject one.

use super::{Closeness, Direction, Filter, NameError, Only};
use crate::digest::Sha256;
use crate::path::RelPath;
use crate::text::Span;

/// Which operations are meant, and how names are read.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Leading components to take off names that have a prefix (`-p`). Without one it is 1, and 0
    /// from the first diff without git header on whose names have no directory, as in git.
    pub strip: Option<usize>,
    /// The directory before every name (`--directory`).
    pub directory: Vec<u8>,
    /// Where the root is below the top of its repository, if git diffs name files from there
    /// (`--git-paths`); those of other directories are left out.
    pub below: Option<Vec<u8>>,
    /// `--include` and `--exclude` in the order given; the first that matches decides. With none
    /// that matches, a path is taken unless there is an `include`.
    pub filters: Vec<Filter>,
    /// Whether the patch is undone instead of done (`-R`).
    pub direction: Direction,
    /// The file below the root that a patch of one file is for, whatever it names (`--file`).
    pub file: Option<Vec<u8>>,
    /// The digest that the only file of a patch must have before (`--expect-hash`).
    pub expected: Option<Sha256>,
    /// The files and hunks that are meant (`--only`), by their numbers in what the rest of the
    /// selection leaves; without it all of them. What is left out is not looked at, but for the
    /// other hunks of a file: hunks go where they would go together. A name, a mode and what else
    /// is said of a file comes with any hunk of it.
    pub only: Option<Only>,
    /// How closely texts have to fit at least (`--match`, `--reindent`).
    pub closeness: Closeness,
    /// The absolute names of the root. In grammars without prefixes a name below one of them is one
    /// below the root.
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
            closeness: Closeness::Exact,
            roots: Vec::new(),
        }
    }
}

impl Selection {
    /// Returns how many components go where nothing else is said.
    #[must_use]
    pub fn level(&self) -> usize {
        self.strip.unwrap_or(1)
    }

    pub(super) fn takes(&self, path: &RelPath) -> bool {
        let first = self
            .filters
            .iter()
            .find(|filter| filter.pattern.is_match(path.as_bytes()));
        first.map_or_else(
            || !self.filters.iter().any(|filter| filter.takes),
            |filter| filter.takes,
        )
    }
}

/// An operation that cannot be asked of any tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Index of the input.
    pub input: usize,
    /// The position of the name.
    pub span: Span,
    /// The name that cannot be used, as far as the strip level leaves any of it.
    pub name: Option<Vec<u8>>,
    /// What is wrong.
    pub kind: RejectionKind,
}

/// What is wrong with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RejectionKind {
    /// Its name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// It is about another file than the ones before, or about two, and all are to be one.
    #[error("the patch changes more than one file, and only one was named for it")]
    SeveralFiles,
    /// It says itself what the file must be before, and that is something else.
    #[error("the patch expects another digest than the one that was given for it")]
    OtherDigest,
    /// It does not say what was in the file before, and is to be undone.
    #[error("this section does not state the previous content and cannot be reversed")]
    Irreversible,
}
