//! Files that were written over in place: what is in them may be a part of each side.

use super::{Change, Failure, Restored, Rollback};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::text::Bytes;
use crate::transaction::change::Image;
use crate::transaction::scratch::Slot;
use crate::transaction::verify::look;
use crate::workspace::{Fault, Stat};

impl Rollback<'_> {
    /// Writes the copy of the old file back over what is there, if that is ours.
    pub(super) fn write_back(&self, change: &Change) -> Result<Restored, Failure> {
        let old = self.scratch.slot(change, Slot::Old)?;
        let Some((here, stat)) = self.contents(&change.path)? else {
            return self.keep_copy(change, &old);
        };
        let (Some((before, _)), Some((after, _))) = (
            self.contents(&old)?,
            self.contents(&self.scratch.slot(change, Slot::New)?)?,
        ) else {
            return Ok(Restored::Left);
        };
        if !is_torn(&here, &before, &after) {
            return self.keep_copy(change, &old);
        }
        if here != before {
            match self.slots.workspace.overwrite(&change.path, &before, &stat) {
                // Somebody else wrote to it in between.
                Err(error) if error.fault == Fault::Missing => return self.keep_copy(change, &old),
                written => written?,
            }
        }
        let mode = |image: Option<Image>| image.and_then(|image| image.mode);
        let is_ours = here != before || Some(stat.permissions) == mode(change.after);
        if let Some(bits) = mode(change.before).filter(|_| is_ours) {
            self.slots
                .workspace
                .set_permissions(&change.path, Permissions::Exact(bits))?;
        }
        Ok(Restored::Back)
    }

    /// Returns what is in the regular file at `path`; `None` if none is there.
    fn contents(&self, path: &RelPath) -> Result<Option<(Bytes, Stat)>, Failure> {
        if look(self.slots.workspace, path)?.is_none() {
            return Ok(None);
        }
        match self.slots.workspace.read(path, u64::MAX) {
            Err(error) if matches!(error.fault, Fault::Missing | Fault::NotRegular) => Ok(None),
            read => Ok(Some(read?)),
        }
    }

    /// Keeps the copy of the old file, which an earlier try may have done.
    fn keep_copy(&self, change: &Change, old: &RelPath) -> Result<Restored, Failure> {
        if self.slots.workspace.stat(old)?.is_some() {
            self.keep(change, old)
        } else {
            Ok(Restored::Left)
        }
    }
}

/// Returns whether writing one of the two over the other left `found` where it was stopped: at each
/// place it has the byte of one of them, or zero where only the longer one has any and none had
/// been written. A loss of power may keep later bytes and lose earlier ones.
fn is_torn(found: &[u8], before: &[u8], after: &[u8]) -> bool {
    let short = before.len().min(after.len());
    let is_ours = |(at, byte): (usize, &u8)| {
        [before, after]
            .iter()
            .any(|side| side.get(at) == Some(byte))
            || at >= short && *byte == 0
    };
    (short..=before.len().max(after.len())).contains(&found.len())
        && found.iter().enumerate().all(is_ours)
}

#[cfg(test)]
mod tests {
    use super::is_torn;

    #[test]
    fn what_a_write_left_is_told_from_what_somebody_wrote() {
        for ours in [
            "one two",
            "two",
            "two two",
            "tne two",
            "one",
            "one t",
            "one\0\0wo",
        ] {
            assert!(is_torn(ours.as_bytes(), b"one two", b"two"), "{ours:?}");
            assert!(is_torn(ours.as_bytes(), b"two", b"one two"), "{ours:?}");
        }
        for foreign in ["one two!", "onx two", "one\ntwo", "tw", "\0ne two"] {
            assert!(
                !is_torn(foreign.as_bytes(), b"one two", b"two"),
                "{foreign:?}"
            );
        }
    }
}
