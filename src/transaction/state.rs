//! The state directory and its lock.

use std::sync::Mutex;
use std::time::Duration;

use super::audit::AuditState;
use super::failure::ignore_missing;
use super::scratch::{Scratch, join};
use super::state_location::{
    GITIGNORE, LOCK, Lifetime, StateLocation, find_lifetime, not_regular_failure,
};
use super::unkept::NoHistoryReason;
use super::wait::{LockWaitResult, wait_for_lock};
use super::{Durability, Failure, Interrupt, Options, history};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::workspace::{
    DirectoryPermissions, ErrorKind, Lock, NewFile, PROBE_PREFIX, TOP_RECORD, Workspace,
};

/// The minimum number of attempts to lock a directory that other processes keep removing.
const MIN_ATTEMPTS: usize = 16;

/// The locked state directory.
#[derive(Debug)]
pub(super) struct StateDirectory {
    /// `wpatch` in the git directory of the work tree, or else `.wpatch`.
    pub(super) directory: RelPath,
    /// Whether the directory is temporary.
    lifetime: Lifetime,
    /// The directory of the history, if one is kept.
    history: Option<RelPath>,
    /// The reason why the git directory cannot be used, if it seems to exist.
    pub(super) unusable: Option<NoHistoryReason>,
    /// The audit file, which is opened after the recovery.
    pub(super) audit: AuditState,
    /// The locks of other users on the same work tree.
    pub(super) other_user_locks: Vec<Mutex<Lock>>,
    /// The object on which `lock` was taken.
    lock_object: LockObject,
    /// The lock, which is held and never read. The mutex makes the struct `Sync`.
    lock: Mutex<Lock>,
}

/// The object on which the lock is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LockObject {
    /// The state directory itself. Only a temporary directory is locked in this way.
    Directory,
    /// The file [`LOCK`] in the state directory.
    File,
}

impl StateDirectory {
    /// Creates the directory if it does not exist, and locks it.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::Locked`] if another process holds the lock for longer than `patience`.
    /// Returns [`Failure::State`] if another user can write to the directory, and
    /// [`Failure::Interrupted`] if a signal ends the wait.
    pub(super) fn open(
        workspace: &dyn Workspace,
        location: &StateLocation,
        options: Options,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let mut attempts = 0;
        let state = wait_for_lock(interrupt, options.lock_timeout, |patience| {
            attempts += 1;
            match Self::try_open(
                workspace,
                location,
                Options {
                    lock_timeout: patience,
                    ..options
                },
            ) {
                Ok(None) if attempts < MIN_ATTEMPTS => Ok(LockWaitResult::Retry),
                Ok(None) | Err(Failure::Locked) => Ok(LockWaitResult::Held),
                Ok(Some(state)) => Ok(LockWaitResult::Done(state)),
                Err(failure) => Err(failure),
            }
        })?;
        state.record_top(workspace, location);
        Ok(state)
    }

    /// Records the top of the work tree to which the history belongs, if the git directory does not
    /// record its work tree. If this fails, the next command records it.
    ///
    /// The inode number of the state directory distinguishes the record from one in a copy.
    fn record_top(&self, workspace: &dyn Workspace, location: &StateLocation) {
        let (Some(binding), Ok(path)) = (&location.binding, join(&self.directory, TOP_RECORD))
        else {
            return;
        };
        let Ok(Some(itself)) = workspace.stat(&self.directory) else {
            return;
        };
        let _ = workspace.remove(&path);
        let inode = format!("{} ", itself.inode);
        let _ = workspace.create(
            &path,
            NewFile::new(
                &[inode.as_bytes(), binding, b"\n"],
                Permissions::Exact(0o600),
                None,
            ),
        );
    }

    /// Finds or creates the directory and locks it. Returns `None` if another process removed it or
    /// created it first.
    fn try_open(
        workspace: &dyn Workspace,
        StateLocation { directory, .. }: &StateLocation,
        options: Options,
    ) -> Result<Option<Self>, Failure> {
        match find_lifetime(workspace, directory)? {
            None => {
                // Only a state directory in a git directory has a parent directory below the root.
                let is_in_git = directory.parent().is_some();
                let privacy = if is_in_git {
                    DirectoryPermissions::Private
                } else {
                    DirectoryPermissions::Temporary
                };
                Self::create_and_lock(workspace, directory, privacy, options)
            }
            Some(lifetime) => Self::lock(workspace, directory, lifetime, options.lock_timeout),
        }
    }

    /// Creates the directory and locks it. Returns `None` if another process created it first.
    fn create_and_lock(
        workspace: &dyn Workspace,
        directory: &RelPath,
        permissions: DirectoryPermissions,
        options: Options,
    ) -> Result<Option<Self>, Failure> {
        match workspace.make_dir(directory, permissions) {
            Err(error) if error.kind == ErrorKind::Exists => return Ok(None),
            made => made?,
        }
        // A file system without permission bits loses the mark of a temporary directory. All
        // processes must read the lifetime back, so that they lock the same object.
        let Some(lifetime) = find_lifetime(workspace, directory)? else {
            return Ok(None);
        };
        let locked = Self::lock(workspace, directory, lifetime, options.lock_timeout);
        match &locked {
            Ok(Some(state)) if options.durability == Durability::Full => {
                state.write_gitignore(workspace);
            }
            // The process that holds the lock will use the directory.
            Ok(_) | Err(Failure::Locked) => {}
            Err(_) => drop(workspace.remove_dir(directory)),
        }
        locked
    }

    /// Makes the directory permanent.
    pub(super) fn make_permanent(
        &mut self,
        workspace: &dyn Workspace,
        options: Options,
    ) -> Result<(), Failure> {
        if self.is_temporary() {
            let next = match self.lock_object {
                LockObject::File => None,
                LockObject::Directory => {
                    let lock =
                        workspace.lock(&join(&self.directory, LOCK)?, options.lock_timeout)?;
                    Some(lock.ok_or(Failure::Locked)?)
                }
            };
            if self.lifetime == Lifetime::Temporary {
                workspace.set_permissions(&self.directory, Permissions::Exact(0o700))?;
            }
            if let Some(next) = next {
                // From here on the lock file is the lock. A process that waits for the lock of the
                // directory checks the lifetime again.
                (self.lock, self.lock_object) = (Mutex::new(next), LockObject::File);
            }
            self.lifetime = Lifetime::Permanent;
            self.history = Some(self.directory.clone());
        }
        self.write_gitignore(workspace);
        Ok(())
    }

    /// Returns whether the directory is temporary.
    pub(super) fn is_temporary(&self) -> bool {
        self.lifetime.is_temporary()
    }

    /// Returns the directory of the history: this one if it is permanent, else the external
    /// history, if one is kept.
    pub(super) fn history(&self) -> Option<&RelPath> {
        self.history.as_ref()
    }

    /// Returns the location of the scratch files of the transaction `id`.
    pub(super) fn scratch(&self, id: &str) -> Result<Scratch, Failure> {
        match self.history {
            Some(_) => Scratch::private(&self.directory, id),
            None => Ok(Scratch::shared(&self.directory, id)),
        }
    }

    /// Locks the directory at `directory` if it exists.
    pub(super) fn open_existing(
        workspace: &dyn Workspace,
        directory: &RelPath,
        patience: Duration,
    ) -> Result<Option<Self>, Failure> {
        let Some(lifetime) = find_lifetime(workspace, directory)? else {
            return Ok(None);
        };
        Self::lock(workspace, directory, lifetime, patience)
    }

    /// Locks the directory. Returns `None` if another process removed it, or made it permanent
    /// while this process waited.
    ///
    /// A temporary directory is locked itself, which saves the creation and removal of a lock file.
    fn lock(
        workspace: &dyn Workspace,
        directory: &RelPath,
        lifetime: Lifetime,
        patience: Duration,
    ) -> Result<Option<Self>, Failure> {
        let is_temporary = lifetime.is_temporary();
        let file = join(directory, LOCK)?;
        let (locks, locked) = match is_temporary.then(|| workspace.lock_dir(directory, patience)) {
            Some(locked)
                if !locked
                    .as_ref()
                    .is_err_and(|error| error.kind == ErrorKind::Unsupported) =>
            {
                (LockObject::Directory, locked)
            }
            _ => (LockObject::File, workspace.lock(&file, patience)),
        };
        match locked {
            Ok(lock) => {
                let lock = Mutex::new(lock.ok_or(Failure::Locked)?);
                if is_temporary
                    && !find_lifetime(workspace, directory)?.is_some_and(Lifetime::is_temporary)
                {
                    // Another process made the directory permanent while this one waited, so the
                    // lock file is the lock now.
                    return Ok(None);
                }
                let history = if is_temporary {
                    history::attic_place(workspace)
                } else {
                    Some(directory.clone())
                };
                Ok(Some(Self {
                    directory: directory.clone(),
                    lifetime,
                    history,
                    unusable: None,
                    audit: AuditState::None,
                    other_user_locks: Vec::new(),
                    lock_object: locks,
                    lock,
                }))
            }
            // The directory was removed.
            Err(error) if matches!(error.kind, ErrorKind::Missing | ErrorKind::NotDirectory) => {
                Ok(None)
            }
            Err(error) if error.kind == ErrorKind::NotRegular => Err(not_regular_failure(&file)),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes git ignore a `.wpatch` directory.
    ///
    /// This matters only for a directory that outlives the command, so a temporary one that is removed
    /// with the command does not need it. An error is ignored. Without durability, each created file
    /// is a noticeable cost.
    pub(super) fn write_gitignore(&self, workspace: &dyn Workspace) {
        // On a file system without permission bits, this file marks a permanent directory.
        let is_hidden =
            self.directory.parent().is_some() || self.lifetime == Lifetime::TemporaryUnmarked;
        if let (false, Ok(path)) = (is_hidden, join(&self.directory, GITIGNORE)) {
            let _ = workspace.create(
                &path,
                NewFile::new(&[b"*\n"], Permissions::Exact(0o644), None),
            );
        }
    }

    /// Removes the probe files among `names` that a killed process left.
    pub(super) fn sweep_probes(
        &self,
        workspace: &dyn Workspace,
        names: &[Vec<u8>],
    ) -> Result<(), Failure> {
        for name in names
            .iter()
            .filter(|name| name.starts_with(PROBE_PREFIX.as_bytes()))
        {
            ignore_missing(
                workspace.remove(
                    &self
                        .directory
                        .join(name)
                        .map_err(|_| not_regular_failure(&self.directory))?,
                ),
            )?;
        }
        Ok(())
    }

    /// Releases the lock and removes a temporary directory, unless it contains kept files.
    ///
    /// The lock file is removed before its lock is released. A process that waits for it checks
    /// again, see [`Workspace::lock`].
    pub(super) fn close(self, workspace: &dyn Workspace) -> Result<(), Failure> {
        if !self.is_temporary() {
            return Ok(());
        }
        // The directory is usually empty. rmdir(2) also works if no file descriptor is available.
        match workspace.remove_dir(&self.directory) {
            Err(error) if error.kind == ErrorKind::NotEmpty => {}
            removed => return Ok(removed?),
        }
        let mut names = workspace.list(Some(&self.directory))?;
        self.sweep_probes(workspace, &names)?;
        names.retain(|name| !name.starts_with(PROBE_PREFIX.as_bytes()));
        let known = [GITIGNORE, LOCK];
        if !names
            .iter()
            .all(|name| known.iter().any(|known| name == known.as_bytes()))
        {
            return Ok(());
        }
        for name in known
            .iter()
            .filter(|known| names.iter().any(|name| name == known.as_bytes()))
        {
            workspace.remove(&join(&self.directory, name)?)?;
        }
        let directory = self.directory.clone();
        match workspace.remove_dir(&directory) {
            // FAT on Windows keeps the name of the lock file until the last handle is closed.
            Err(error) if error.kind == ErrorKind::NotEmpty => {
                drop(self);
                Ok(workspace.remove_dir(&directory)?)
            }
            removed => Ok(removed?),
        }
    }
}
