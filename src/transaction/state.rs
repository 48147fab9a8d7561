//! The state directory: where it is, whether it can be trusted, and its lock.

use std::sync::Mutex;
use std::time::Duration;

use super::failure::gone;
use super::place::{IGNORE, LOCK, Lifetime, Place, find, no_file};
use super::scratch::{Scratch, join};
use super::unkept::Unkept;
use super::wait::{Waited, wait};
use super::{Durability, Failure, Interrupt, Options, history};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::workspace::{Fault, Lock, PROBE, Privacy, TOP, Workspace};

/// How often at least another process may take the directory away while it is being locked.
const ATTEMPTS: usize = 16;

/// The locked state directory.
#[derive(Debug)]
pub(super) struct State {
    /// `wpatch` in git's directory of the work tree, or else `.wpatch`.
    pub(super) directory: RelPath,
    /// Whether it was made for one command, and goes with it.
    lifetime: Lifetime,
    /// Where the history is kept, if it is.
    history: Option<RelPath>,
    /// Why git's directory is not used, if there seems to be one.
    pub(super) unusable: Option<Unkept>,
    /// The locks of other users on the same work tree.
    pub(super) others: Vec<Mutex<Lock>>,
    /// What is locked.
    locks: Locks,
    /// Held, never looked at; the mutex lets threads share what holds it.
    lock: Mutex<Lock>,
}

/// What a lock is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Locks {
    Directory,
    File,
}

impl State {
    /// Makes the directory if it is not there, and locks it.
    ///
    /// # Errors
    ///
    /// [`Failure::Locked`] if somebody else holds it for longer than `patience`; [`Failure::State`]
    /// if it is not a directory that only the user can write to; [`Failure::Interrupted`] while it
    /// waits.
    pub(super) fn open(
        workspace: &dyn Workspace,
        place: &Place,
        options: Options,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let mut attempts = 0;
        let state = wait(interrupt, options.patience, |patience| {
            attempts += 1;
            match Self::attempt(
                workspace,
                place,
                Options {
                    patience,
                    ..options
                },
            ) {
                Ok(None) if attempts < ATTEMPTS => Ok(Waited::Again),
                Ok(None) | Err(Failure::Locked) => Ok(Waited::Held),
                Ok(Some(state)) => Ok(Waited::Done(state)),
                Err(failure) => Err(failure),
            }
        })?;
        state.bind(workspace, place);
        Ok(state)
    }

    /// Records the top whose history it has, if it has to. Without the record it is bound by the
    /// next command.
    fn bind(&self, workspace: &dyn Workspace, place: &Place) {
        let (Some(binding), Ok(path)) = (&place.binding, join(&self.directory, TOP)) else {
            return;
        };
        let Ok(Some(itself)) = workspace.stat(&self.directory) else {
            return;
        };
        let _ = workspace.remove(&path);
        let inode = format!("{} ", itself.inode);
        let _ = workspace.create(
            &path,
            &[inode.as_bytes(), binding, b"\n"],
            Permissions::Exact(0o600),
            None,
        );
    }

    /// Makes the directory or finds it, and locks it; `None` if another process took it away or
    /// made it first.
    fn attempt(
        workspace: &dyn Workspace,
        Place { directory, .. }: &Place,
        options: Options,
    ) -> Result<Option<Self>, Failure> {
        match find(workspace, directory)? {
            None => {
                let is_in_git = directory.parent().is_some();
                let privacy = if is_in_git {
                    Privacy::Private
                } else {
                    Privacy::Passing
                };
                Self::make(workspace, directory, privacy, options)
            }
            Some(lifetime) => Self::lock(workspace, directory, lifetime, options.patience),
        }
    }

    /// Makes the directory and locks it; `None` if another process made it first.
    fn make(
        workspace: &dyn Workspace,
        directory: &RelPath,
        privacy: Privacy,
        options: Options,
    ) -> Result<Option<Self>, Failure> {
        match workspace.make_dir(directory, privacy) {
            Err(error) if error.fault == Fault::Exists => return Ok(None),
            made => made?,
        }
        // A file system without permission bits forgets that it passes, and all have to lock the
        // same.
        let Some(lifetime) = find(workspace, directory)? else {
            return Ok(None);
        };
        let locked = Self::lock(workspace, directory, lifetime, options.patience);
        match &locked {
            Ok(Some(state)) if options.durability == Durability::Full => state.ignore(workspace),
            // Whoever has it is going to use it.
            Ok(_) | Err(Failure::Locked) => {}
            Err(_) => drop(workspace.remove_dir(directory)),
        }
        locked
    }

    /// Lets the directory stay, whoever made it.
    pub(super) fn stay(
        &mut self,
        workspace: &dyn Workspace,
        options: Options,
    ) -> Result<(), Failure> {
        if self.passes() {
            let next = match self.locks {
                Locks::File => None,
                Locks::Directory => {
                    let lock = workspace.lock(&join(&self.directory, LOCK)?, options.patience)?;
                    Some(lock.ok_or(Failure::Locked)?)
                }
            };
            if self.lifetime == Lifetime::Passes {
                workspace.set_permissions(&self.directory, Permissions::Exact(0o700))?;
            }
            if let Some(next) = next {
                // Only now it is the one that counts: who waits for the other looks again.
                (self.lock, self.locks) = (Mutex::new(next), Locks::File);
            }
            self.lifetime = Lifetime::Stays;
            self.history = Some(self.directory.clone());
        }
        self.ignore(workspace);
        Ok(())
    }

    /// Returns whether it goes with the command.
    pub(super) fn passes(&self) -> bool {
        self.lifetime.passes()
    }

    /// Returns where the history is kept, if it is: here, if the directory stays, or else in the
    /// attic.
    pub(super) fn history(&self) -> Option<&RelPath> {
        self.history.as_ref()
    }

    /// Returns where the scratch files of the transaction `id` are going to be.
    pub(super) fn scratch(&self, id: &str) -> Result<Scratch, Failure> {
        match self.history {
            Some(_) => Scratch::housed(&self.directory, id),
            None => Ok(Scratch::lodged(&self.directory, id)),
        }
    }

    /// Locks the directory at `directory` if it is there.
    pub(super) fn open_existing(
        workspace: &dyn Workspace,
        directory: &RelPath,
        patience: Duration,
    ) -> Result<Option<Self>, Failure> {
        let Some(lifetime) = find(workspace, directory)? else {
            return Ok(None);
        };
        Self::lock(workspace, directory, lifetime, patience)
    }

    /// Locks; `None` if the directory was taken away meanwhile, as [`State::close`] does.
    ///
    /// One that passes is locked itself, which saves making a file and removing it again.
    fn lock(
        workspace: &dyn Workspace,
        directory: &RelPath,
        lifetime: Lifetime,
        patience: Duration,
    ) -> Result<Option<Self>, Failure> {
        let passes = lifetime.passes();
        let file = join(directory, LOCK)?;
        let (locks, locked) = match passes.then(|| workspace.lock_dir(directory, patience)) {
            Some(locked)
                if !locked
                    .as_ref()
                    .is_err_and(|error| error.fault == Fault::Unsupported) =>
            {
                (Locks::Directory, locked)
            }
            _ => (Locks::File, workspace.lock(&file, patience)),
        };
        match locked {
            Ok(lock) => {
                let lock = Mutex::new(lock.ok_or(Failure::Locked)?);
                if passes && !find(workspace, directory)?.is_some_and(Lifetime::passes) {
                    // Somebody decided that it is to stay, while we waited: then another lock
                    // counts.
                    return Ok(None);
                }
                let history = if passes {
                    history::attic_place(workspace)
                } else {
                    Some(directory.clone())
                };
                Ok(Some(Self {
                    directory: directory.clone(),
                    lifetime,
                    history,
                    unusable: None,
                    others: Vec::new(),
                    locks,
                    lock,
                }))
            }
            // Gone.
            Err(error) if matches!(error.fault, Fault::Missing | Fault::NotDirectory) => Ok(None),
            Err(error) if error.fault == Fault::NotRegular => Err(no_file(&file)),
            Err(error) => Err(error.into()),
        }
    }

    /// Hides a `.wpatch` from git. It matters only if the process is killed, since the directory
    /// goes with the command: so it is no failure if it cannot be done, and without durability,
    /// where each file counts, it is done only for what stays.
    pub(super) fn ignore(&self, workspace: &dyn Workspace) {
        // Elsewhere it would say that the directory is to stay.
        let is_hidden =
            self.directory.parent().is_some() || self.lifetime == Lifetime::PassesUnmarked;
        if let (false, Ok(path)) = (is_hidden, join(&self.directory, IGNORE)) {
            let _ = workspace.create(&path, &[b"*\n"], Permissions::Exact(0o644), None);
        }
    }

    /// Removes the probes among `names` that a kill has left.
    pub(super) fn sweep_probes(
        &self,
        workspace: &dyn Workspace,
        names: &[Vec<u8>],
    ) -> Result<(), Failure> {
        for name in names
            .iter()
            .filter(|name| name.starts_with(PROBE.as_bytes()))
        {
            gone(
                workspace.remove(
                    &self
                        .directory
                        .join(name)
                        .map_err(|_| no_file(&self.directory))?,
                ),
            )?;
        }
        Ok(())
    }

    /// Gives the lock back and removes what was made for one command, unless old files are kept in
    /// it. The lock file goes before its lock: who waits for it looks again, see
    /// [`Workspace::lock`].
    pub(super) fn close(self, workspace: &dyn Workspace) -> Result<(), Failure> {
        if !self.passes() {
            return Ok(());
        }
        // Mostly it is empty, and an empty one goes also where no more files can be opened.
        match workspace.remove_dir(&self.directory) {
            Err(error) if error.fault == Fault::NotEmpty => {}
            removed => return Ok(removed?),
        }
        let mut names = workspace.list(Some(&self.directory))?;
        self.sweep_probes(workspace, &names)?;
        names.retain(|name| !name.starts_with(PROBE.as_bytes()));
        let known = [IGNORE, LOCK];
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
        workspace.remove_dir(&self.directory)?;
        Ok(())
    }
}
