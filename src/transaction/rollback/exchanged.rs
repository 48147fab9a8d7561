//! Reverts files that were exchanged for new ones.

use super::{Change, Failure, RestoreOutcome, Rollback};
use crate::path::RelPath;
use crate::transaction::scratch::ScratchFile;
use crate::transaction::verify::{identify, stat_in_tree};

impl Rollback<'_> {
    /// Keeps the old file of each update whose new file another process has removed. Call it only
    /// after a complete swap, because the new file is also missing if the swap stopped between its
    /// two moves.
    pub(in crate::transaction) fn keep_old_files_of_removed(&self) -> Result<(), Failure> {
        for change in self.journal.changes.iter().filter(|it| it.is_exchange()) {
            let old = self.scratch.scratch_path(change, ScratchFile::Displaced)?;
            let workspace = self.moves.workspace;
            if workspace.stat(&old)?.is_some() && stat_in_tree(workspace, &change.path)?.is_none() {
                self.keep_old_file(change, &old)?;
            }
        }
        Ok(())
    }

    /// Restores the old file of an update.
    pub(super) fn revert_exchange(&self, change: &Change) -> Result<RestoreOutcome, Failure> {
        let here = identify(self.moves.workspace, &change.path)?;
        if change.is_before(here.as_ref()) {
            return self.restore_exchanged_file(change);
        }
        let Some((old, is_aside)) = self.old_file(change)? else {
            return Ok(RestoreOutcome::Restored);
        };
        // The old file was moved out without an exchange, and no file is at the path.
        if here.is_none() && is_aside {
            return match self.restore_reverted_file(change)? {
                RestoreOutcome::Restored => self.move_in_or_keep(change, &old),
                RestoreOutcome::Skipped => self.keep_old_file(change, &old),
            };
        }
        if !change.is_after(here.as_ref()) {
            return self.keep_old_file(change, &old);
        }
        let Some(exchanged) = self.moves.exchange(&old, &change.path) else {
            return match self.move_new_file_out(change)? {
                RestoreOutcome::Restored => self.move_in_or_keep(change, &old),
                RestoreOutcome::Skipped => self.keep_old_file(change, &old),
            };
        };
        exchanged?;
        // Verify after the exchange: another process could change the file until then.
        if change.is_after(identify(self.moves.workspace, &old)?.as_ref()) {
            return Ok(RestoreOutcome::Restored);
        }
        if let Some(exchanged) = self.moves.exchange(&old, &change.path) {
            exchanged?;
        }
        self.keep_old_file(change, &old)
    }

    /// Restores the file of another process for which an earlier, killed rollback moved the old
    /// file in.
    fn restore_exchanged_file(&self, change: &Change) -> Result<RestoreOutcome, Failure> {
        let new = self.scratch.scratch_path(change, ScratchFile::Staged)?;
        let waiting = identify(self.moves.workspace, &new)?;
        if waiting.is_none()
            || change.is_before(waiting.as_ref())
            || change.is_after(waiting.as_ref())
        {
            return Ok(RestoreOutcome::Restored);
        }
        if let Some(exchanged) = self.moves.exchange(&new, &change.path) {
            exchanged?;
        }
        self.keep_old_file(change, &new)
    }

    /// Returns the path of the old file of an update, and whether it was moved aside. Returns
    /// `None` if it was never moved out.
    fn old_file(&self, change: &Change) -> Result<Option<(RelPath, bool)>, Failure> {
        let aside = self.scratch.scratch_path(change, ScratchFile::Displaced)?;
        if self.moves.workspace.stat(&aside)?.is_some() {
            return Ok(Some((aside, true)));
        }
        let new = self.scratch.scratch_path(change, ScratchFile::Staged)?;
        let waiting = identify(self.moves.workspace, &new)?;
        let is_old = waiting.is_some() && !change.is_after(waiting.as_ref());
        Ok(is_old.then_some((new, false)))
    }
}
