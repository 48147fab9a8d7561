//! Reverts files that were overwritten in place. Such a file can contain parts of both versions.

use super::{Change, Failure, RestoreOutcome, Rollback};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::text::Bytes;
use crate::transaction::change::FileIdentity;
use crate::transaction::scratch::ScratchFile;
use crate::transaction::verify::stat_in_tree;
use crate::workspace::{ErrorKind, Stat};

impl Rollback<'_> {
    /// Writes the copy of the old file back over the existing file, unless another process has
    /// changed it.
    pub(super) fn revert_overwrite(&self, change: &Change) -> Result<RestoreOutcome, Failure> {
        let old = self.scratch.scratch_path(change, ScratchFile::Displaced)?;
        let Some((here, stat)) = self.read_if_regular(&change.path)? else {
            return self.keep_copy(change, &old);
        };
        let (Some((before, _)), Some((after, _))) = (
            self.read_if_regular(&old)?,
            self.read_if_regular(&self.scratch.scratch_path(change, ScratchFile::Staged)?)?,
        ) else {
            return Ok(RestoreOutcome::Skipped);
        };
        // The file is neither version nor a mix of them, so another process wrote it.
        if !is_torn(&here, &before, &after) {
            return self.keep_copy(change, &old);
        }
        if here != before {
            match self.moves.workspace.overwrite(&change.path, &before, &stat) {
                // Another process has written to the file since it was read.
                Err(error) if error.kind == ErrorKind::Missing => {
                    return self.keep_copy(change, &old);
                }
                written => written?,
            }
        }
        let mode = |image: Option<FileIdentity>| image.and_then(|image| image.mode);
        // Another process can have changed the mode. Then the mode stays.
        let is_ours = here != before || Some(stat.permissions) == mode(change.after);
        if let Some(bits) = mode(change.before).filter(|_| is_ours) {
            self.moves
                .workspace
                .set_permissions(&change.path, Permissions::Exact(bits))?;
        }
        Ok(RestoreOutcome::Restored)
    }

    /// Returns the content of the regular file at `path`, or `None` if there is none.
    fn read_if_regular(&self, path: &RelPath) -> Result<Option<(Bytes, Stat)>, Failure> {
        if stat_in_tree(self.moves.workspace, path)?.is_none() {
            return Ok(None);
        }
        match self.moves.workspace.read(path, u64::MAX) {
            Err(error) if matches!(error.kind, ErrorKind::Missing | ErrorKind::NotRegular) => {
                Ok(None)
            }
            read => Ok(Some(read?)),
        }
    }

    /// Keeps the copy of the old file. An earlier attempt may already have moved it.
    fn keep_copy(&self, change: &Change, old: &RelPath) -> Result<RestoreOutcome, Failure> {
        if self.moves.workspace.stat(old)?.is_some() {
            self.keep_old_file(change, old)
        } else {
            Ok(RestoreOutcome::Skipped)
        }
    }
}

/// Returns whether `found` can result from an interrupted write of one version over the other.
///
/// Each byte must come from one of the versions at the same offset. Beyond the end of the shorter
/// one, a byte can also be zero, because a power loss can keep later bytes and lose earlier ones.
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
