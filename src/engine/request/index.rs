//! Git's index as part of a change.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::preflight::Problem;
use crate::transaction::IndexLocation;
use crate::workspace::GIT_INDEX_DIRECTORY_NAME;
use crate::workspace::index::GitIndex;

/// Git's index as part of a change.
#[derive(Clone, Debug)]
pub struct IndexTarget {
    /// The index.
    pub index: Arc<GitIndex>,
    /// The part of the repository that the change updates.
    pub scope: UpdateScope,
}

/// The part of the repository that a change updates: the work tree, the index, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UpdateScope {
    /// Both the work tree and the index (`--index`).
    Both,
    /// Only the index (`--cached`).
    Cached,
    /// Only the work tree. The index records that new files will be added (`--intent-to-add`).
    Intent,
}

impl UpdateScope {
    /// Returns the name that reports use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "index",
            Self::Cached => "cached",
            Self::Intent => "intent_to_add",
        }
    }
}

impl IndexTarget {
    /// Updates the file times and sizes in the index, so that git does not report unchanged files
    /// as changed.
    pub(in crate::engine) fn refresh(&self) {
        if self.scope == UpdateScope::Both {
            self.index.refresh();
        }
    }

    /// Returns the location of the index file.
    pub(in crate::engine) fn location(&self) -> IndexLocation {
        IndexLocation {
            directory: self.index.directory().to_owned(),
            name: self.index.name(),
        }
    }

    /// Replaces the internal path of the index in `problem` with its path in the file system.
    pub(in crate::engine) fn with_file_path(&self, problem: Problem) -> Problem {
        let outside = [GIT_INDEX_DIRECTORY_NAME, "/"].concat();
        let directory = format!("{}/", self.index.directory().display());
        let is_outside = |path: &RelPath| path.as_bytes().starts_with(outside.as_bytes());
        let (path, others): (Option<RelPath>, _) = match problem.path {
            Some(path) if is_outside(&path) => (None, format!("{path}: {}", problem.message)),
            path => (path, problem.message),
        };
        Problem {
            path,
            message: others.replace(&outside, &directory),
            ..problem
        }
    }
}
