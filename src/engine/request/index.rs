//! What of git's index a change is made in.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::preflight::Problem;
use crate::transaction::IndexPlace;
use crate::workspace::ANNEX;
use crate::workspace::index::GitIndex;

/// What of git's index a change is made in.
#[derive(Clone, Debug)]
pub struct Indexed {
    /// The index.
    pub index: Arc<GitIndex>,
    /// What is changed.
    pub reach: Reach,
}

/// What is changed of an index and its work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reach {
    /// Both (`--index`).
    Both,
    /// The index alone (`--cached`).
    Cached,
    /// The work tree; the index only says that new files are going to be added (`--intent-to-add`).
    Intent,
}

impl Reach {
    /// Returns its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "index",
            Self::Cached => "cached",
            Self::Intent => "intent_to_add",
        }
    }
}

impl Indexed {
    /// Lets git see that the files of the work tree are those of the index, now that they are.
    pub(in crate::engine) fn refresh(&self) {
        if self.reach == Reach::Both {
            self.index.refresh();
        }
    }

    /// Returns where the index is.
    pub(in crate::engine) fn place(&self) -> IndexPlace {
        IndexPlace {
            directory: self.index.directory().to_owned(),
            name: self.index.name(),
        }
    }

    /// Returns `problem` with the name that the index has for people.
    pub(in crate::engine) fn named(&self, problem: Problem) -> Problem {
        let outside = [ANNEX, "/"].concat();
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
