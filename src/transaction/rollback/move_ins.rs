//! Reverts files that were moved in at a free path.

use super::{Change, Failure, RestoreOutcome, Rollback};
use crate::transaction::scratch::ScratchFile;
use crate::transaction::verify::identify;

impl Rollback<'_> {
    /// Moves out a file that was moved in at a free path, or at a path whose old file was moved
    /// out.
    pub(super) fn revert_move_in(&self, change: &Change) -> Result<RestoreOutcome, Failure> {
        let here = identify(self.moves.workspace, &change.path)?;
        if here.is_none() {
            return self.restore_reverted_file(change);
        }
        if change.is_before(here.as_ref()) {
            return Ok(RestoreOutcome::Restored);
        }
        if change.is_after(here.as_ref()) {
            return if self.is_not_moved_in(change)? {
                Ok(RestoreOutcome::Restored)
            } else {
                self.move_new_file_out(change)
            };
        }
        Ok(if self.is_not_moved_in(change)? {
            RestoreOutcome::Restored
        } else {
            RestoreOutcome::Skipped
        })
    }

    /// Returns whether the new file was never moved in. Then the existing file belongs to another
    /// process, even if it made the same change.
    ///
    /// If files are moved in by a hard link, the scratch file still exists but is the same file.
    fn is_not_moved_in(&self, change: &Change) -> Result<bool, Failure> {
        let Some(slot) = self.scratch.source_path(change, &self.moved_out)? else {
            return Ok(true);
        };
        let is_waiting = self.moves.workspace.stat(&slot)?.is_some();
        Ok(is_waiting && !self.is_hard_link(change, &slot)?)
    }

    /// Restores the file of another process that an earlier, killed rollback moved out.
    pub(super) fn restore_reverted_file(&self, change: &Change) -> Result<RestoreOutcome, Failure> {
        let returned = self.scratch.scratch_path(change, ScratchFile::Reverted)?;
        let image = identify(self.moves.workspace, &returned)?;
        if image.is_none() || change.is_after(image.as_ref()) {
            return Ok(RestoreOutcome::Restored);
        }
        self.moves.move_in(&returned, &change.path)?;
        Ok(RestoreOutcome::Skipped)
    }

    /// Moves the new file out. If another process has changed it, moves it back.
    pub(super) fn move_new_file_out(&self, change: &Change) -> Result<RestoreOutcome, Failure> {
        let workspace = self.moves.workspace;
        let returned = self.scratch.scratch_path(change, ScratchFile::Reverted)?;
        if identify(workspace, &returned)?.is_some_and(|image| change.is_after(Some(&image))) {
            // After a power loss a renamed file can have both names.
            workspace.remove(&returned)?;
        }
        self.moves.move_out(&change.path, &returned)?;
        // Verify after the move: another process could change the file until then.
        if change.is_after(identify(workspace, &returned)?.as_ref()) {
            return Ok(RestoreOutcome::Restored);
        }
        self.moves.move_in(&returned, &change.path)?;
        Ok(RestoreOutcome::Skipped)
    }
}
