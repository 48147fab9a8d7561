//! Takes files out of the tree that a transaction moved in where no file was.

use super::{Change, Failure, Restored, Rollback};
use crate::path::RelPath;
use crate::transaction::scratch::Slot;
use crate::transaction::verify::identify;

impl Rollback<'_> {
    /// Takes out a file that had come in where none was, or where the old one had left.
    pub(super) fn take_back(&self, change: &Change) -> Result<Restored, Failure> {
        let here = identify(self.slots.workspace, &change.path)?;
        if here.is_none() {
            return self.give_back(change);
        }
        if change.is_before(here.as_ref()) {
            return Ok(Restored::Back);
        }
        if change.is_after(here.as_ref()) {
            return if self.waits(change)? {
                Ok(Restored::Back)
            } else {
                self.take_out(change)
            };
        }
        Ok(if self.waits(change)? {
            Restored::Back
        } else {
            Restored::Left
        })
    }

    /// Returns whether what was to come in never did: then what is there was there before, and is
    /// somebody else's, also if they made the very same change. Where files come in by a second
    /// name, the scratch file is still there as well.
    fn waits(&self, change: &Change) -> Result<bool, Failure> {
        let Some(slot) = self.scratch.arrival(change, &self.leaving)? else {
            return Ok(true);
        };
        let inode = |path: &RelPath| {
            Ok::<_, Failure>(self.slots.workspace.stat(path)?.map(|stat| stat.inode))
        };
        let waiting = inode(&slot)?;
        Ok(waiting.is_some() && waiting != inode(&change.path)?)
    }

    /// Gives back what somebody had changed when a killed rolling back took it out.
    pub(super) fn give_back(&self, change: &Change) -> Result<Restored, Failure> {
        let returned = self.scratch.slot(change, Slot::Returned)?;
        let image = identify(self.slots.workspace, &returned)?;
        if image.is_none() || change.is_after(image.as_ref()) {
            return Ok(Restored::Back);
        }
        self.slots.put_in(&returned, &change.path)?;
        Ok(Restored::Left)
    }

    /// Takes the postimage out of the tree; what somebody changed meanwhile goes back.
    pub(super) fn take_out(&self, change: &Change) -> Result<Restored, Failure> {
        let workspace = self.slots.workspace;
        let returned = self.scratch.slot(change, Slot::Returned)?;
        if identify(workspace, &returned)?.is_some_and(|image| change.is_after(Some(&image))) {
            // A loss of power may leave a file that was renamed with both names.
            workspace.remove(&returned)?;
        }
        self.slots.take_out(&change.path, &returned)?;
        if change.is_after(identify(workspace, &returned)?.as_ref()) {
            return Ok(Restored::Back);
        }
        self.slots.put_in(&returned, &change.path)?;
        Ok(Restored::Left)
    }
}
