//! The effect of an operation on the names in a tree.

use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, Edit, Hunk, LineRange, Operation};

impl Operation {
    /// Returns whether the operation adds a file at its path.
    pub(crate) fn has_new_path(&self) -> bool {
        matches!(self.action, Action::Create | Action::Rename | Action::Copy)
    }

    /// Returns the path at which the operation removes a file, if it removes one.
    pub(crate) fn removed_path(&self) -> Option<&RelPath> {
        match self.action {
            Action::Delete | Action::RemoveCopy => Some(&self.path),
            Action::Rename => self.from.as_ref(),
            Action::Create | Action::Modify | Action::Copy => None,
        }
    }

    /// Returns whether an operation that changes a file also creates the file if it is missing. The
    /// operation must state the whole content, or its only hunk must fill an empty file
    /// (`check_preimage` in git's apply.c).
    pub(crate) fn can_create_missing(&self) -> bool {
        let hunks = match &self.edit {
            Edit::Hunks(hunks) => hunks,
            Edit::Whole(_) | Edit::Replacements(_) => return !self.distinguishes_missing,
            _ => return false,
        };
        let is_empty =
            |hunk: &Hunk| hunk.preimage_range(self.direction) == LineRange { start: 0, count: 0 };
        !self.distinguishes_missing && matches!(hunks.as_slice(), [only] if is_empty(only))
    }

    pub(super) fn is_submodule(&self) -> bool {
        self.old_mode.or(self.new_mode) == Some(FileMode::Submodule)
    }
}
