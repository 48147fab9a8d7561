//! What an operation does to the names in a tree.

use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, Edit, Hunk, LineRange, Operation};

impl Operation {
    /// Returns whether a file comes to a path where none was.
    pub(crate) fn arrives(&self) -> bool {
        matches!(self.action, Action::Create | Action::Rename | Action::Copy)
    }

    /// Returns the path that nothing is at afterwards.
    pub(crate) fn leaves(&self) -> Option<&RelPath> {
        match self.action {
            Action::Delete | Action::Uncopy => Some(&self.path),
            Action::Rename => self.from.as_ref(),
            Action::Create | Action::Modify | Action::Copy => None,
        }
    }

    /// Returns whether the operation makes the file if there is none: one that gives the whole
    /// contents, or that gives an empty file its lines (`check_preimage` in git's apply.c).
    pub(crate) fn may_fill(&self) -> bool {
        let hunks = match &self.edit {
            Edit::Hunks(hunks) => hunks,
            Edit::Whole(_) | Edit::Replacements(_) => return !self.tells_missing,
            _ => return false,
        };
        let is_empty =
            |hunk: &Hunk| hunk.preimage_range(self.direction) == LineRange { start: 0, count: 0 };
        !self.tells_missing && matches!(hunks.as_slice(), [only] if is_empty(only))
    }

    pub(super) fn is_submodule(&self) -> bool {
        self.old_mode.or(self.new_mode) == Some(FileMode::Submodule)
    }
}
