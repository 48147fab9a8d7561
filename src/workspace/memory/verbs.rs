//! The verbs of the memory backend. They return the errors that Linux returns.

mod lock;

use std::sync::Arc;
use std::time::Duration;

use super::faults::{Feature, VerbOutcome, io_error};
use super::tree::{DirectoryEntries, NodeContent, ROOT};
use super::{Memory, MemoryState, UMASK, USER, VerbResult};
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::text::Bytes;
use crate::workspace::{
    AttributeSource, Directory, DirectoryPermissions, EXTERNAL_HISTORY_NAME, ErrorKind, Lock,
    NewFile, RenameMode, Result, Stat, TEMPORARY, Timestamp, Workspace, WorkspaceError,
};

impl Memory {
    /// Runs one verb. Hooks of other processes run first. Then the verb works, fails, or does both.
    pub(super) fn run<T>(
        &self,
        verb: &'static str,
        path: Directory<'_>,
        work: impl FnOnce(&mut MemoryState) -> VerbResult<T>,
    ) -> Result<T> {
        let error = |kind: ErrorKind| {
            let path = path.map_or_else(|| ".".to_owned(), ToString::to_string);
            let source = io_error(kind);
            WorkspaceError {
                verb,
                path,
                kind,
                source,
            }
        };
        if !self.is_counted {
            return work(&mut self.state()).map_err(error);
        }
        let due = self.counter().lock().take_due_hooks();
        for act in due {
            act(&self.second_handle());
        }
        let course = self.counter().lock().count_verb();
        let mut state = self.state();
        let outcome = if course == VerbOutcome::Fail {
            Err(ErrorKind::Other)
        } else {
            work(&mut state)
        };
        // Release the state first: `outcome` can contain a lock, whose drop locks the state.
        drop(state);
        if course == VerbOutcome::ErrorAfterSuccess {
            outcome.and(Err(ErrorKind::Other))
        } else {
            outcome
        }
        .map_err(error)
    }
}

impl Workspace for Memory {
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>> {
        self.run("stat", Some(path), |state| match state.stat(path) {
            Ok(stat) => Ok(Some(stat)),
            Err(ErrorKind::Missing | ErrorKind::NotDirectory) => Ok(None),
            Err(fault) => Err(fault),
        })
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<(Bytes, Stat)> {
        self.run("read", Some(path), |state| {
            let inode = state.live.find(path)?;
            match &state.live.nodes[&inode].content {
                NodeContent::File(bytes) if bytes.len() as u64 <= limit => {
                    Ok((bytes.to_vec().into(), state.stat(path)?))
                }
                NodeContent::File(_) => Err(ErrorKind::TooLarge),
                _ => Err(ErrorKind::NotRegular),
            }
        })
    }

    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>> {
        self.run("read", Some(path), |state| {
            match &state.live.nodes[&state.live.find(path)?].content {
                NodeContent::Link(target) => Ok(target.to_vec()),
                _ => Err(ErrorKind::Other),
            }
        })
    }

    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        self.run("list", directory, |state| {
            let inode = state.live.directory(directory)?;
            Ok(state.live.names(inode)?.keys().cloned().collect())
        })
    }

    fn create(&self, path: &RelPath, file: NewFile<'_>) -> Result<Permissions> {
        let NewFile {
            slices,
            permissions,
            source: like,
            ..
        } = file;
        let other = self.other_owner(like);
        self.run("create", Some(path), |state| {
            let directory = state.vacant_parent(path)?;
            let owner = match like {
                Some(AttributeSource::OtherRoot { .. }) => other?,
                Some(AttributeSource::File(like)) => Some(state.live.owner(like)?),
                Some(AttributeSource::OwnerOnly { uid, gid, .. }) => Some((uid, gid)),
                Some(AttributeSource::NewIn(above)) => state.live.directory(above).map(|_| None)?,
                None => None,
            };
            let bits = match permissions {
                Permissions::New { executable: true } => 0o777 & !UMASK,
                Permissions::New { executable: false } => 0o666 & !UMASK,
                Permissions::Exact(bits) => bits,
            };
            let inode = state.add(
                directory,
                path.name(),
                NodeContent::File(Arc::new(slices.concat())),
                bits,
            );
            if let (Some((uid, gid)), Some(node)) = (owner, state.live.nodes.get_mut(&inode)) {
                (node.uid, node.gid) = (uid, gid);
            }
            Ok(permissions)
        })
    }

    fn append(&self, path: &RelPath, bytes: &[u8]) -> Result<()> {
        self.run("write", Some(path), |state| {
            let inode = state.live.find(path)?;
            state.live.contents(inode)?.extend_from_slice(bytes);
            Ok(())
        })
    }

    fn overwrite(&self, path: &RelPath, bytes: &[u8], was: &Stat) -> Result<()> {
        let identity = |stat: &Stat| (stat.kind, stat.inode, stat.size, stat.modified);
        // Two steps, so that a test can stop the process between them.
        self.run("overwrite", Some(path), |state| {
            let inode = state.live.find(path)?;
            state.live.contents(inode)?;
            let is_same = identity(&state.stat(path)?) == identity(was);
            is_same.then_some(()).ok_or(ErrorKind::Missing)?;
            state.live.overwrite(inode, &bytes[..bytes.len() / 2])
        })?;
        self.run("overwrite", Some(path), |state| {
            let inode = state.live.find(path)?;
            state.live.overwrite(inode, bytes)?;
            state.live.truncate(inode, bytes.len())
        })
    }

    fn symlink(
        &self,
        target: &[u8],
        path: &RelPath,
        _: &RelPath,
        _: Option<&RelPath>,
    ) -> Result<()> {
        self.run("create link", Some(path), |state| {
            let directory = state.vacant_parent(path)?;
            if target.is_empty() {
                return Err(ErrorKind::Missing);
            }
            if state.missing_features.contains(&Feature::SymbolicLinks) {
                return Err(ErrorKind::Unsupported);
            }
            let link = NodeContent::Link(Arc::new(target.to_vec()));
            state.add(directory, path.name(), link, 0o777);
            Ok(())
        })
    }

    fn symlink_refusal(&self) -> Option<&'static str> {
        let missing = &self.state().missing_features;
        let is_missing = missing.contains(&Feature::SymbolicLinks);
        is_missing.then_some("this file system does not support symbolic links")
    }

    fn link(&self, from: &RelPath, to: &RelPath) -> Result<()> {
        self.run("link", Some(to), |state| {
            let inode = state.live.find(from)?;
            let directory = state.vacant_parent(to)?;
            state.check_same_device(from, to)?;
            if state.missing_features.contains(&Feature::HardLinks)
                || state.live.nodes[&inode].names().is_some()
            {
                return Err(ErrorKind::Unsupported);
            }
            state.set_name(directory, to.name(), Some(inode));
            Ok(())
        })
    }

    fn rename(&self, from: &RelPath, to: &RelPath, how: RenameMode) -> Result<()> {
        self.run("rename", Some(from), |state| {
            let needed = match how {
                RenameMode::Replace => None,
                RenameMode::Exclusive => Some(Feature::ExclusiveRename),
                RenameMode::Exchange => Some(Feature::Exchange),
            };
            if needed.is_some_and(|feature| state.missing_features.contains(&feature)) {
                return Err(ErrorKind::Unsupported);
            }
            // Linux compares the mounts before it looks up the names.
            let directory = state.live.directory(to.parent().as_ref())?;
            state.check_same_device(from, to)?;
            let inode = state.live.find(from)?;
            if to.is_below(from) || from.is_below(to) && how == RenameMode::Exchange {
                return Err(ErrorKind::Other);
            }
            let there = state.live.names(directory)?.get(to.name()).copied();
            match (how, there) {
                (RenameMode::Exclusive, Some(_)) => Err(ErrorKind::Exists),
                (RenameMode::Exchange, None) => Err(ErrorKind::Missing),
                (RenameMode::Exchange, Some(other)) => state.exchange((from, inode), (to, other)),
                (RenameMode::Replace, Some(other)) if other == inode => Ok(()),
                (RenameMode::Replace, Some(other)) => {
                    state.check_replacement(inode, other)?;
                    state.move_name((from, inode), (directory, to))
                }
                (RenameMode::Exclusive | RenameMode::Replace, None) => {
                    state.move_name((from, inode), (directory, to))
                }
            }
        })
    }

    fn remove(&self, path: &RelPath) -> Result<()> {
        self.run("remove", Some(path), |state| {
            let inode = state.live.find(path)?;
            if state.live.nodes[&inode].names().is_some() {
                return Err(ErrorKind::NotRegular);
            }
            let directory = state.live.directory(path.parent().as_ref())?;
            state.set_name(directory, path.name(), None);
            Ok(())
        })
    }

    fn make_dir(&self, path: &RelPath, privacy: DirectoryPermissions) -> Result<()> {
        self.run("create directory", Some(path), |state| {
            let directory = state.vacant_parent(path)?;
            let bits = match privacy {
                DirectoryPermissions::Private => 0o700,
                DirectoryPermissions::Temporary => 0o700 | TEMPORARY,
                DirectoryPermissions::Shared => 0o777 & !UMASK,
            };
            let empty = NodeContent::Directory(DirectoryEntries::new());
            state.add(directory, path.name(), empty, bits);
            Ok(())
        })
    }

    fn remove_dir(&self, path: &RelPath) -> Result<()> {
        self.run("remove directory", Some(path), |state| {
            let inode = state.live.find(path)?;
            // Linux checks for a mount point before it checks whether the directory is empty.
            if state.mounts.contains(&inode) {
                return Err(ErrorKind::Denied);
            }
            if !state.live.names(inode)?.is_empty() {
                return Err(ErrorKind::NotEmpty);
            }
            let directory = state.live.directory(path.parent().as_ref())?;
            let change = state.set_name(directory, path.name(), None);
            state.durable.order_removal(change, inode);
            Ok(())
        })
    }

    fn restore_dir(&self, path: &RelPath, bits: u32, owner: (u32, u32)) -> Result<()> {
        self.run("restore", Some(path), |state| {
            let inode = state.live.directory(Some(path))?;
            let node = state.live.nodes.get_mut(&inode).ok_or(ErrorKind::Missing)?;
            (node.permissions, (node.uid, node.gid)) = (bits, owner);
            Ok(())
        })
    }

    fn set_permissions(&self, path: &RelPath, permissions: Permissions) -> Result<()> {
        self.run("change mode", Some(path), |state| {
            let inode = state.live.find(path)?;
            let node = state.live.nodes.get_mut(&inode).ok_or(ErrorKind::Missing)?;
            node.permissions = match (node.content.kind(), permissions) {
                (FileKind::Symlink | FileKind::Special, _) => return Err(ErrorKind::NotRegular),
                (_, Permissions::Exact(bits)) => bits & 0o7777,
                (_, Permissions::New { executable: true }) => 0o777 & !UMASK,
                (_, Permissions::New { executable: false }) => 0o666 & !UMASK,
            };
            Ok(())
        })
    }

    fn sync(&self, path: Directory<'_>) -> Result<()> {
        self.run("sync", path, |state| {
            state.count_sync();
            let inode = path.map_or(Ok(ROOT), |path| state.live.find(path))?;
            if matches!(
                state.live.nodes[&inode].content,
                NodeContent::Link(_) | NodeContent::Special
            ) {
                return Err(ErrorKind::NotRegular);
            }
            state.durable.sync(inode, &state.live);
            Ok(())
        })
    }

    fn sync_all(&self) -> Result<()> {
        self.run("sync", None, |state| {
            if state.missing_features.contains(&Feature::SyncAll) {
                return Err(ErrorKind::Unsupported);
            }
            state.count_sync();
            let apart = state.live.collect_below(&state.mounts);
            state.durable.sync_except(&apart, &state.live);
            Ok(())
        })
    }

    fn lock(&self, path: &RelPath, _: Duration) -> Result<Option<Lock>> {
        self.run("lock", Some(path), |state| {
            let inode = match state.live.find(path) {
                Ok(inode) if matches!(state.live.nodes[&inode].content, NodeContent::File(_)) => {
                    inode
                }
                Ok(_) => return Err(ErrorKind::NotRegular),
                Err(ErrorKind::Missing) => {
                    let directory = state.vacant_parent(path)?;
                    state.add(
                        directory,
                        path.name(),
                        NodeContent::File(Arc::default()),
                        0o600,
                    )
                }
                Err(fault) => return Err(fault),
            };
            Ok(self.lock_inode(state, inode))
        })
    }

    fn lock_dir(&self, path: &RelPath, _: Duration) -> Result<Option<Lock>> {
        self.run("lock", Some(path), |state| {
            let inode = state.live.find(path)?;
            let is_directory =
                matches!(state.live.nodes[&inode].content, NodeContent::Directory(_));
            if is_directory {
                Ok(self.lock_inode(state, inode))
            } else {
                Err(ErrorKind::NotDirectory)
            }
        })
    }

    fn now(&self) -> Timestamp {
        self.state().now
    }

    fn user(&self) -> u32 {
        USER
    }

    fn identity(&self) -> Result<String> {
        self.run("identify", None, |state| {
            Ok(format!("memory:{}", 1 + state.mounted_again))
        })
    }

    fn location(&self) -> Option<Vec<u8>> {
        self.find_location()
    }

    fn open_root(&self, location: &[u8]) -> Result<Box<dyn Workspace + Send>> {
        self.open_sibling(location)
    }

    fn external_history(&self) -> Option<RelPath> {
        let own = || RelPath::new(format!("{EXTERNAL_HISTORY_NAME}/1").as_bytes()).ok();
        self.state().has_external_history.then(own)?
    }
}
