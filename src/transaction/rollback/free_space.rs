//! Frees space for a rollback on a full file system.
//!
//! An exchange of two files needs no space. Without it, a rollback creates names: hard links, and
//! scratch names for new files. The staged files have the space for them.

use super::{Change, Failure, Rollback};
use crate::transaction::change::MoveInSource;
use crate::transaction::scratch::ScratchFile;
use crate::transaction::verify::identify;

impl Rollback<'_> {
    /// Removes the staged files that the rollback does not need any more. Errors are ignored: the next
    /// attempt of the rollback reports that the disk is full.
    pub(super) fn free_space(&self) {
        // To revert an overwrite, the rollback compares the file with both versions.
        let has_removable_file = |change: &&Change| {
            change.source == Some(MoveInSource::Staged) && !change.is_overwrite()
        };
        for change in self.journal.changes.iter().filter(has_removable_file) {
            let _ = self.remove_new_file(change);
        }
    }

    /// Removes the scratch names of the new file of a change, which was moved out again or never
    /// moved in. Does nothing if any file except the old one is at the path: it is the new file, or
    /// a file of another process, and the scratch names then show whether the new file was moved in.
    fn remove_new_file(&self, change: &Change) -> Result<(), Failure> {
        let workspace = self.moves.workspace;
        let here = identify(workspace, &change.path)?;
        if here.is_some() && !change.is_before(here.as_ref()) {
            return Ok(());
        }
        for file in [ScratchFile::Staged, ScratchFile::Reverted] {
            let path = self.scratch.scratch_path(change, file)?;
            let found = identify(workspace, &path)?;
            if found.is_some() && change.is_after(found.as_ref()) {
                workspace.remove(&path)?;
            }
        }
        Ok(())
    }
}
