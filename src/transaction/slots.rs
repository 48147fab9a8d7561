//! Moves between the tree and scratch files. None of them ever replaces a file that nobody has
//! seen.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::path::RelPath;
use crate::workspace::{Fault, Rename, Result, Workspace, WorkspaceError, lists};

/// The moves, as far as the file system has them.
pub(super) struct Slots<'w> {
    pub(super) workspace: &'w dyn Workspace,
    /// Whether renaming without replacing, and exchanging, were refused once.
    lacks_flags: AtomicBool,
}

impl<'w> Slots<'w> {
    pub(super) fn new(workspace: &'w dyn Workspace) -> Self {
        Self {
            workspace,
            lacks_flags: AtomicBool::new(false),
        }
    }

    /// Moves the file at `path` to the scratch file `slot`, which is not there.
    ///
    /// Scratch names are ours alone, so where the file system cannot refuse to replace, looking is
    /// enough.
    pub(super) fn take_out(&self, path: &RelPath, slot: &RelPath) -> Result<()> {
        if let Some(done) = self.flagged(path, slot, Rename::Exclusive) {
            return done;
        }
        self.vacant(slot)?;
        self.workspace.rename(path, slot, Rename::Replace)
    }

    /// Moves the scratch file `slot` to `path`, where nothing is; [`Fault::Exists`] if something
    /// is.
    ///
    /// Where the file system cannot refuse to replace, the file gets a second name, and the scratch
    /// name is left to be swept: link(2) never replaces. Where it has no links either (FAT), what
    /// somebody puts there between the look and the rename is lost.
    pub(super) fn put_in(&self, slot: &RelPath, path: &RelPath) -> Result<()> {
        if let Some(done) = self.flagged(slot, path, Rename::Exclusive) {
            return done;
        }
        match self.workspace.link(slot, path) {
            Err(error) if error.fault == Fault::Unsupported => {}
            done => return done,
        }
        self.vacant(path)?;
        self.workspace.rename(slot, path, Rename::Replace)
    }

    /// Does the same by giving the file a second name and taking the first one away.
    ///
    /// Linux lets one thread at a time rename from one directory to another (`s_vfs_rename_mutex`
    /// in directory locking of its documentation), but lets each directory have a thread that makes
    /// names in it: two threads that link and unlink 20,000 files took 0.15 s where they, or one,
    /// took 0.25 to rename them.
    pub(super) fn link_in(&self, slot: &RelPath, path: &RelPath) -> Result<()> {
        match self.workspace.link(slot, path) {
            Ok(()) => self.workspace.remove(slot),
            Err(error) if error.fault == Fault::Exists => Err(error),
            // Whatever a second name was refused for.
            Err(_) => self.put_in(slot, path),
        }
    }

    /// Lets two files trade places; `None` if the file system cannot.
    pub(super) fn exchange(&self, slot: &RelPath, path: &RelPath) -> Option<Result<()>> {
        self.flagged(slot, path, Rename::Exchange)
    }

    /// Returns whether every move was one by a single rename, so that each file is where that put
    /// it and nowhere else.
    pub(super) fn has_flags(&self) -> bool {
        !self.lacks_flags.load(Ordering::Relaxed)
    }

    /// Checks that nothing is at `path`.
    ///
    /// Where names are folded, the kernel may remember for a moment that a file was found under
    /// another spelling (dentries of FUSE); the listing of the directory does not.
    fn vacant(&self, path: &RelPath) -> Result<()> {
        let is_vacant = self.workspace.stat(path)?.is_none()
            || self.workspace.spellings().is_some()
                && !lists(self.workspace, path.parent().as_ref(), path.name())?;
        let source = io::ErrorKind::AlreadyExists.into();
        let error = || WorkspaceError {
            verb: "rename to",
            path: path.to_string(),
            fault: Fault::Exists,
            source,
        };
        if is_vacant { Ok(()) } else { Err(error()) }
    }

    fn flagged(&self, from: &RelPath, to: &RelPath, how: Rename) -> Option<Result<()>> {
        if self.lacks_flags.load(Ordering::Relaxed) {
            return None;
        }
        match self.workspace.rename(from, to, how) {
            Err(error) if error.fault == Fault::Unsupported => {
                self.lacks_flags.store(true, Ordering::Relaxed);
                None
            }
            done => Some(done),
        }
    }
}
