//! Decides whether a scratch file and the file at a path are hard links of one file.
//!
//! Equal device and inode numbers prove that they are. Different numbers prove that they are not
//! only if the file system gives one number to all names of a file. With sshfs, mergerfs and
//! unionfs-fuse, each name has its own.

use super::{Change, Failure, Rollback};
use crate::path::RelPath;
use crate::transaction::change::FileIdentity;
use crate::transaction::scratch::ScratchFile;
use crate::transaction::verify::{identify, stat_in_tree};
use crate::workspace::Stat;

impl Rollback<'_> {
    /// Returns whether the file at the path of `change` is a hard link of the scratch file `slot`,
    /// so that the rollback may remove it.
    ///
    /// If the inode numbers differ, this needs two facts: nothing distinguishes the files (see
    /// [`Rollback::is_equal_file`]), and a new hard link of the scratch file has another number
    /// too. Where all names share a number, a file of another process therefore always stays.
    /// Elsewhere it stays if its type, content, mode, owner, group or modification time differs.
    pub(super) fn is_hard_link(&self, change: &Change, slot: &RelPath) -> Result<bool, Failure> {
        let stats = (
            stat_in_tree(self.moves.workspace, slot)?,
            stat_in_tree(self.moves.workspace, &change.path)?,
        );
        let (Some(waiting), Some(here)) = stats else {
            return Ok(false);
        };
        Ok(has_equal_numbers(&waiting, &here)
            || self.is_equal_file((slot, &waiting), (&change.path, &here))?
                && self.has_inode_per_name(change, slot)?)
    }

    /// Returns whether the file at `path` has the data of the scratch file `old`: both are one file,
    /// nothing distinguishes them, or neither exists.
    pub(super) fn has_same_file(&self, old: &RelPath, path: &RelPath) -> Result<bool, Failure> {
        let workspace = self.moves.workspace;
        match (
            workspace.stat(old)?,
            workspace.stat(path).unwrap_or_default(),
        ) {
            (None, None) => Ok(true),
            (Some(waiting), Some(here)) => Ok(has_equal_numbers(&waiting, &here)
                || self.is_equal_file((old, &waiting), (path, &here))?),
            _ => Ok(false),
        }
    }

    /// Returns whether two files have equal type, content, size, mode, owner, group, modification
    /// time and device. link(2) keeps all of them.
    fn is_equal_file(
        &self,
        one: (&RelPath, &Stat),
        other: (&RelPath, &Stat),
    ) -> Result<bool, Failure> {
        let facts = |stat: &Stat| {
            let owner = (stat.uid, stat.gid);
            (
                stat.kind,
                stat.size,
                stat.permissions,
                owner,
                stat.modified,
                stat.device,
            )
        };
        if facts(one.1) != facts(other.1) {
            return Ok(false);
        }
        let content = |path| identify(self.moves.workspace, path);
        let is_equal = |(one, other): (FileIdentity, FileIdentity)| one.is_same_content(&other);
        Ok(content(one.0)?.zip(content(other.0)?).is_some_and(is_equal))
    }

    /// Returns whether a second name of `slot` has its own inode number, or cannot be created.
    ///
    /// The second name is the scratch name to which the new file would be moved out. If the process
    /// is killed before it removes the name, the next rollback takes it for that file, which it is.
    fn has_inode_per_name(&self, change: &Change, slot: &RelPath) -> Result<bool, Failure> {
        let workspace = self.moves.workspace;
        let second = self.scratch.scratch_path(change, ScratchFile::Reverted)?;
        if workspace.link(slot, &second).is_err() {
            return Ok(true);
        }
        let stats = (workspace.stat(slot)?, workspace.stat(&second)?);
        workspace.remove(&second)?;
        Ok(!matches!(stats, (Some(one), Some(other)) if has_equal_numbers(&one, &other)))
    }
}

fn has_equal_numbers(one: &Stat, other: &Stat) -> bool {
    (one.device, one.inode) == (other.device, other.inode)
}
