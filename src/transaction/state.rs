//! The state directory: where it is, whether it can be trusted, and its lock.

use std::sync::Mutex;
use std::time::Duration;

use super::Failure;
use super::scratch::join;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::workspace::{Fault, Lock, Privacy, Stat, Workspace, WorkspaceError};

/// How often another process may take the directory away while it is being locked.
const ATTEMPTS: usize = 16;

/// The locked state directory.
#[derive(Debug)]
pub(super) struct State {
    /// `.git/wpatch`, or `.wpatch` where `.git` is no directory.
    pub(super) directory: RelPath,
    /// The directory of the transactions.
    pub(super) transactions: RelPath,
    is_in_git: bool,
    /// Held, never looked at; the mutex lets threads share what holds it.
    _lock: Mutex<Lock>,
}

/// Returns the names that state directories have below a root; no patch may touch them.
#[must_use]
pub fn state_directories() -> [&'static str; 2] {
    [".git/wpatch", ".wpatch"]
}

impl State {
    /// Makes the directory if it is not there, and locks it.
    ///
    /// # Errors
    ///
    /// [`Failure::Locked`] if somebody else holds it for longer than `patience`; [`Failure::State`] if it is
    /// not a directory that only the user can write to.
    pub(super) fn open(workspace: &dyn Workspace, patience: Duration) -> Result<Self, Failure> {
        for _ in 0..ATTEMPTS {
            let (directory, is_in_git) = place(workspace)?;
            if !is_there(workspace, &directory)? {
                make(workspace, &directory, is_in_git)?;
            }
            if let Some(state) = Self::lock(workspace, directory, is_in_git, patience)? {
                return Ok(state);
            }
        }
        Err(Failure::Locked)
    }

    /// Locks the directory if it is there.
    pub(super) fn open_existing(workspace: &dyn Workspace, patience: Duration) -> Result<Option<Self>, Failure> {
        let (directory, is_in_git) = place(workspace)?;
        if !is_there(workspace, &directory)? {
            return Ok(None);
        }
        Self::lock(workspace, directory, is_in_git, patience)
    }

    /// Locks; `None` if the lock file was taken away or replaced meanwhile, as [`State::close`] does.
    fn lock(
        workspace: &dyn Workspace,
        directory: RelPath,
        is_in_git: bool,
        patience: Duration,
    ) -> Result<Option<Self>, Failure> {
        let path = join(&directory, "lock")?;
        let Some(before) = made(workspace, &path)? else { return Ok(None) };
        let lock = match workspace.lock(&path, patience) {
            Ok(lock) => lock.ok_or(Failure::Locked)?,
            Err(error) if error.fault == Fault::Missing => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if workspace.stat(&path)?.map(|stat| stat.inode) != Some(before.inode) {
            return Ok(None);
        }
        let transactions = join(&directory, "txn")?;
        Ok(Some(Self { directory, transactions, is_in_git, _lock: Mutex::new(lock) }))
    }

    /// Makes the directory of the transactions if it is not there.
    pub(super) fn make_transactions(&self, workspace: &dyn Workspace) -> Result<(), Failure> {
        if !is_there(workspace, &self.transactions)? {
            workspace.make_dir(&self.transactions, Privacy::Private)?;
        }
        Ok(())
    }

    /// Gives the lock back and removes what keeps nothing: a `.wpatch` that this program made for one command.
    ///
    /// A `.wpatch` with another mode than ours, or with anything else in it, was made to stay. The lock file goes
    /// before its lock: who waits for it looks again, see [`State::lock`].
    pub(super) fn close(self, workspace: &dyn Workspace) -> Result<(), Failure> {
        if self.is_in_git {
            return Ok(());
        }
        let is_ours = |stat: Option<Stat>| stat.is_some_and(|stat| stat.permissions == 0o700);
        if !is_ours(workspace.stat(&self.directory)?) {
            return Ok(());
        }
        let names = workspace.list(Some(&self.directory))?;
        if !names.iter().all(|name| matches!(name.as_slice(), b".gitignore" | b"lock" | b"txn")) {
            return Ok(());
        }
        if names.iter().any(|name| name == b"txn") {
            workspace.remove_dir(&self.transactions)?;
        }
        for name in [".gitignore", "lock"] {
            if names.iter().any(|found| found == name.as_bytes()) {
                workspace.remove(&join(&self.directory, name)?)?;
            }
        }
        workspace.remove_dir(&self.directory)?;
        Ok(())
    }
}

/// Returns the path of the state directory, and whether it is git's.
fn place(workspace: &dyn Workspace) -> Result<(RelPath, bool), Failure> {
    let git = RelPath::new(b".git").expect("BUG: a plain name is no path");
    let is_in_git = workspace.stat(&git)?.is_some_and(|stat| stat.kind == FileKind::Directory);
    let [in_git, beside] = state_directories();
    let name = if is_in_git { in_git } else { beside };
    Ok((RelPath::new(name.as_bytes()).expect("BUG: a plain name is no path"), is_in_git))
}

/// Returns whether a directory is there.
///
/// # Security
///
/// What lies there is believed only if nobody but the user can have put it there: a journal is a list of
/// files to write.
pub(super) fn is_there(workspace: &dyn Workspace, directory: &RelPath) -> Result<bool, Failure> {
    let Some(stat) = workspace.stat(directory)? else { return Ok(false) };
    let reason = if stat.kind != FileKind::Directory {
        format!("{directory}: a {} where the state directory should be", stat.kind)
    } else if stat.uid != workspace.user() {
        format!("{directory}: belongs to another user")
    } else if stat.permissions & 0o022 != 0 {
        format!("{directory}: others can write to it")
    } else {
        return Ok(true);
    };
    Err(Failure::State { reason })
}

fn make(workspace: &dyn Workspace, directory: &RelPath, is_in_git: bool) -> Result<(), Failure> {
    existing(workspace.make_dir(directory, Privacy::Private))?;
    if !is_in_git {
        let ignore = join(directory, ".gitignore")?;
        let made = workspace.create(&ignore, b"*\n", Permissions::Exact(0o644), None);
        // Another process that is done may have taken the directory away again.
        match made {
            Err(error) if matches!(error.fault, Fault::Exists | Fault::Missing) => {}
            made => made?,
        }
    }
    Ok(())
}

/// Returns the lock file, made if it was not there; `None` if its directory went away.
fn made(workspace: &dyn Workspace, path: &RelPath) -> Result<Option<Stat>, Failure> {
    if let Some(stat) = workspace.stat(path)? {
        return Ok(Some(stat));
    }
    match workspace.create(path, b"", Permissions::Exact(0o600), None) {
        Err(error) if error.fault == Fault::Missing => Ok(None),
        made => {
            existing(made)?;
            Ok(workspace.stat(path)?)
        }
    }
}

/// Takes what is there already as made.
fn existing(made: Result<(), WorkspaceError>) -> Result<(), WorkspaceError> {
    match made {
        Err(error) if error.fault == Fault::Exists => Ok(()),
        made => made,
    }
}
