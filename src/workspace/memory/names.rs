//! Checks and changes of names, following link(2) and rename(2).

use xxhash_rust::xxh3::xxh3_64;

use super::tree::{Inode, NodeContent};
use super::{Feature, MemoryState, VerbResult};
use crate::path::RelPath;
use crate::workspace::{ErrorKind, Stat};

impl MemoryState {
    /// Returns the attributes of `path`. Without [`Feature::SharedInodes`], the inode number of a
    /// file belongs to its name.
    pub(super) fn stat(&self, path: &RelPath) -> VerbResult<Stat> {
        let inode = self.live.find(path)?;
        let node = &self.live.nodes[&inode];
        let is_shared = !self.missing_features.contains(&Feature::SharedInodes);
        Ok(if is_shared || node.names().is_some() {
            node.stat(inode)
        } else {
            node.stat(xxh3_64(path.as_bytes()))
        })
    }

    /// Returns the directory of `path`. Fails if `path` exists.
    pub(super) fn vacant_parent(&self, path: &RelPath) -> VerbResult<Inode> {
        let directory = self.live.directory(path.parent().as_ref())?;
        if self.live.names(directory)?.contains_key(path.name()) {
            return Err(ErrorKind::Exists);
        }
        if self.live.nodes[&directory].permissions & 0o200 == 0 {
            return Err(ErrorKind::Denied);
        }
        Ok(directory)
    }

    /// Checks that both names are on the same file system.
    pub(super) fn check_same_device(&self, from: &RelPath, to: &RelPath) -> VerbResult<()> {
        if self.mount_above(from) == self.mount_above(to) {
            Ok(())
        } else {
            Err(ErrorKind::CrossDevice)
        }
    }

    /// Returns the innermost mount above `path`, or `None` for the file system of the root.
    fn mount_above(&self, path: &RelPath) -> Option<Inode> {
        let above = path
            .ancestors()
            .filter_map(|directory| self.live.directory(Some(&directory)).ok());
        above.into_iter().find(|inode| self.mounts.contains(inode))
    }

    /// Checks whether rename(2) may replace `other` with `inode`. Both must be directories, and
    /// `other` empty, or neither is a directory.
    pub(super) fn check_replacement(&self, inode: Inode, other: Inode) -> VerbResult<()> {
        match (
            self.live.nodes[&inode].names(),
            self.live.nodes[&other].names(),
        ) {
            (None, None) => Ok(()),
            (Some(_), Some(names)) if names.is_empty() => Ok(()),
            (Some(_), Some(_)) => Err(ErrorKind::NotEmpty),
            (Some(_), None) => Err(ErrorKind::NotDirectory),
            (None, Some(_)) => Err(ErrorKind::NotRegular),
        }
    }

    pub(super) fn move_name(
        &mut self,
        (from, inode): (&RelPath, Inode),
        (directory, to): (Inode, &RelPath),
    ) -> VerbResult<()> {
        let old = self.live.directory(from.parent().as_ref())?;
        let won = self.set_name(directory, to.name(), Some(inode));
        let lost = self.set_name(old, from.name(), None);
        // A renamed file may have both names after a power loss, but a directory never may.
        self.durable.order(lost, won);
        if matches!(self.live.nodes[&inode].content, NodeContent::Directory(_)) {
            self.durable.order(won, lost);
        }
        Ok(())
    }

    pub(super) fn exchange(
        &mut self,
        one: (&RelPath, Inode),
        other: (&RelPath, Inode),
    ) -> VerbResult<()> {
        let first = self.live.directory(one.0.parent().as_ref())?;
        let second = self.live.directory(other.0.parent().as_ref())?;
        // During the exchange, one of the nodes has no name. An additional link keeps both nodes.
        self.live.add_links(one.1, other.1, 1);
        let won = self.set_name(first, one.0.name(), Some(other.1));
        let lost = self.set_name(second, other.0.name(), Some(one.1));
        self.live.add_links(one.1, other.1, -1);
        self.durable.order(lost, won);
        self.durable.order(won, lost);
        Ok(())
    }
}
