//! The swap: puts what was staged in place, each old file staying within reach. What leaves is one
//! thread's, in the journal's order; where there are many, another one looks behind it at what came
//! out, and two put in what comes.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::change::{Arrival, Change, Numbered, Standing};
use super::journal::{Journal, Made};
use super::pipeline::in_turn;
use super::scratch::{self, Scratch, Slot};
use super::slots::Slots;
use super::staged::Found;
use super::verify::is_unchanged;
use super::{Failure, Interrupt};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::progress::{Phase, Progress};
use crate::threads;
use crate::workspace::{Fault, Privacy, Probe, Rename, Timestamp, WorkspaceError};

/// So many files are worth a second thread.
const SHARED: usize = 256;

/// One swap.
pub(super) struct Swap<'a> {
    pub(super) slots: &'a Slots<'a>,
    pub(super) scratch: &'a Scratch,
    pub(super) journal: &'a Journal,
    /// The changes whose old files leave.
    pub(super) leaving: &'a Numbered<'a>,
    /// What was read.
    pub(super) found: &'a Found,
    /// A moment before anything was read.
    pub(super) since: Timestamp,
    pub(super) interrupt: &'a Interrupt,
    pub(super) progress: &'a Progress,
}

impl Swap<'_> {
    /// Carries everything out: what leaves makes room for what comes. Returns the directories that
    /// could not go.
    ///
    /// # Errors
    ///
    /// Stops at the first error, or at a file that is not what was read; then it has to be rolled
    /// back.
    pub(super) fn run(&self) -> Result<BTreeSet<&RelPath>, Failure> {
        let changes = &self.journal.changes;
        self.progress.enter(Phase::Swapping, changes.len());
        self.take_all_out()?;
        let mut stay = BTreeSet::new();
        for (index, removed) in self.journal.removes.iter().enumerate().rev() {
            self.poll()?;
            if !self.take_out_dir(
                &removed.path,
                &self.scratch.file(scratch::directory_name(index))?,
            )? {
                stay.insert(&removed.path);
            }
        }
        for made in &self.journal.makes {
            self.poll()?;
            let made_dir = self.slots.workspace.make_dir(&made.path, Privacy::Shared);
            made_dir.map_err(|error| stale(error, &made.path, &[Fault::Exists]))?;
        }
        self.exchange_all()?;
        self.put_all_in()?;
        for change in changes.iter().filter(|change| change.is_overwrite()) {
            self.poll()?;
            self.overwrite(change)?;
            self.progress.step(1);
        }
        for change in changes.iter().filter(|change| change.is_mode()) {
            self.poll()?;
            self.set_mode(change)?;
        }
        // Only now, and the inner ones first: some bits let nobody put anything in.
        for made in self.journal.makes.iter().rev() {
            self.poll()?;
            self.set_standing(made)?;
        }
        self.poll()?;
        Ok(stay)
    }

    fn poll(&self) -> Result<(), Failure> {
        self.interrupt
            .signal()
            .map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
    }

    fn take_all_out(&self) -> Result<(), Failure> {
        let changes = self.journal.changes.iter();
        let leaving: Vec<_> = changes
            .filter(|change| change.leaves && change.before.is_some())
            .collect();
        in_turn(
            &leaving,
            SHARED,
            |&change| {
                self.poll()?;
                Ok((change, self.take_out(change)?))
            },
            |(change, slot)| {
                self.poll()?;
                self.verify(change, &slot)
            },
        )
    }

    fn exchange_all(&self) -> Result<(), Failure> {
        let exchanged: Vec<_> = self
            .journal
            .changes
            .iter()
            .filter(|change| change.is_exchange())
            .collect();
        in_turn(
            &exchanged,
            SHARED,
            |&change| {
                self.poll()?;
                let slot = self.exchange(change)?;
                self.progress.step(1);
                Ok((change, slot))
            },
            |(change, slot)| {
                self.poll()?;
                slot.map_or(Ok(()), |slot| self.verify(change, &slot))
            },
        )
    }

    /// Puts in what has its old file elsewhere or none. Where there is much, two threads do it,
    /// each directory one of them; an error of one ends both.
    fn put_all_in(&self) -> Result<(), Failure> {
        let changes = self.journal.changes.iter();
        let coming: Vec<_> = changes
            .filter(|change| !change.is_exchange() && !change.is_overwrite())
            .collect();
        // What only leaves is done with.
        let are_many = coming
            .iter()
            .filter(|change| change.arrives.is_some())
            .count()
            >= SHARED;
        let is_stopped = AtomicBool::new(false);
        let put_in = |some: &[&Change]| {
            let mut some = some
                .iter()
                .take_while(|_| !is_stopped.load(Ordering::Relaxed));
            let put = some.try_for_each(|change| {
                self.poll()?;
                self.put_in(change, are_many)?;
                self.progress.step(1);
                Ok(())
            });
            put.inspect_err(|_| is_stopped.store(true, Ordering::Relaxed))
        };
        if are_many {
            let directories: Vec<_> = coming
                .chunk_by(|a, b| a.path.directory() == b.path.directory())
                .collect();
            threads::map(&directories, 1, |&changes| put_in(changes))
                .into_iter()
                .collect()
        } else {
            put_in(&coming)
        }
    }

    /// Takes a file out, and returns where it is now: that has to be verified.
    fn take_out(&self, change: &Change) -> Result<RelPath, Failure> {
        let slot = self.scratch.slot(change, Slot::Old)?;
        let taken = self.slots.take_out(&change.path, &slot);
        taken.map_err(|error| stale(error, &change.path, &[Fault::Missing]))?;
        Ok(slot)
    }

    /// Takes an emptied directory out, and returns whether it is gone. One that somebody put
    /// something into stays, and so does one that may not be removed, as git leaves them; where a
    /// file is to be, it is in the way then.
    ///
    /// It is moved, for its owner and attributes to come back with it; removed where it cannot be
    /// moved.
    fn take_out_dir(&self, path: &RelPath, slot: &RelPath) -> Result<bool, Failure> {
        let workspace = self.slots.workspace;
        let is_empty = |path: &RelPath| match workspace.list(Some(path)) {
            Ok(names) => Ok(names.is_empty()),
            // Who may not look into it may still remove it.
            Err(error) if matches!(error.fault, Fault::Missing | Fault::Denied) => Ok(true),
            Err(error) => Err(error),
        };
        if !is_empty(path)? {
            return Ok(false);
        }
        if workspace.rename(path, slot, Rename::Exclusive).is_err()
            && workspace.stat(slot)?.is_none()
        {
            return self.remove_dir(path);
        }
        if is_empty(slot)? {
            return Ok(true);
        }
        self.slots
            .put_in(slot, path)
            .map_err(|error| stale(error, path, &[Fault::Exists]))?;
        Ok(false)
    }

    fn set_standing(&self, Made { path, standing }: &Made) -> Result<(), Failure> {
        let Some(Standing { mode, uid, gid }) = *standing else {
            return Ok(());
        };
        let restored = self.slots.workspace.restore_dir(path, mode, (uid, gid));
        restored.map_err(|error| stale(error, path, &[Fault::Missing]))
    }

    fn remove_dir(&self, path: &RelPath) -> Result<bool, Failure> {
        match self.slots.workspace.remove_dir(path) {
            Err(error) if error.fault == Fault::Missing => Ok(true),
            Err(error) if matches!(error.fault, Fault::NotEmpty | Fault::Denied) => Ok(false),
            removed => Ok(removed.map(|()| true)?),
        }
    }

    /// Lets the new file and the old one trade places, and returns where the old one is, if it has
    /// to be verified still.
    fn exchange(&self, change: &Change) -> Result<Option<RelPath>, Failure> {
        let new = self.scratch.slot(change, Slot::New)?;
        if let Some(exchanged) = self.slots.exchange(&new, &change.path) {
            exchanged.map_err(|error| stale(error, &change.path, &[Fault::Missing]))?;
            return Ok(Some(new));
        }
        self.verify(change, &self.take_out(change)?)?;
        let put = self.slots.put_in(&new, &change.path);
        put.map_err(|error| stale(error, &change.path, &[Fault::Exists]))?;
        Ok(None)
    }

    /// Puts in what comes; a new file that is one of `many` by a second name.
    fn put_in(&self, change: &Change, many: bool) -> Result<(), Failure> {
        let Some(slot) = self.scratch.arrival(change, self.leaving)? else {
            return Ok(());
        };
        let put = match change.arrives {
            Some(Arrival::Staged) if many => self.slots.link_in(&slot, &change.path),
            _ => self.slots.put_in(&slot, &change.path),
        };
        put.map_err(|error| stale(error, &change.path, &[Fault::Exists]))
    }

    /// Writes the new file over the old one, of which there is a copy.
    fn overwrite(&self, change: &Change) -> Result<(), Failure> {
        self.verify(change, &change.path)?;
        let Some(found) = self.found.get(change.number) else {
            return Ok(());
        };
        let new = self
            .slots
            .workspace
            .read(&self.scratch.slot(change, Slot::New)?, u64::MAX);
        let (bytes, _) = new.map_err(|error| Failure::from(error).about(&change.path))?;
        let written = self
            .slots
            .workspace
            .overwrite(&change.path, &bytes, &found.stat);
        written
            .map_err(|error| stale(error, &change.path, &[Fault::Missing, Fault::NotRegular]))?;
        self.set_permissions(change)
    }

    /// Sets a mode where the file is; one with other names was staged as an update, unless they are
    /// to keep it.
    fn set_mode(&self, change: &Change) -> Result<(), Failure> {
        self.verify(change, &change.path)?;
        self.set_permissions(change)
    }

    fn set_permissions(&self, change: &Change) -> Result<(), Failure> {
        let Some(mode) = change.after.as_ref().and_then(|after| after.mode) else {
            return Ok(());
        };
        let workspace = self.slots.workspace;
        let set = workspace.set_permissions(&change.path, Permissions::Exact(mode));
        let found = self.found.get(change.number).map(|found| found.stat);
        let stat = workspace.stat(&change.path)?;
        let is_same = stat.is_some_and(|stat| Some(stat.inode) == found.map(|found| found.inode));
        let has = |mode| stat.is_some_and(|stat| is_same && Some(stat.permissions) == mode);
        if set.is_ok() && has(Some(mode)) {
            return Ok(());
        }
        // A file system without permission bits ignores them, as git does there.
        let above = change.path.parent();
        if has(found.map(|found| found.permissions))
            && !workspace.keeps_modes(above.as_ref(), Probe::Named)
        {
            return Ok(());
        }
        set?;
        Err(Failure::Stale(vec![change.path.clone()]))
    }

    /// Looks at what came out: only then nobody can change it any more without our seeing it.
    fn verify(&self, change: &Change, slot: &RelPath) -> Result<(), Failure> {
        let is_same = match self.found.get(change.number) {
            Some(found) => is_unchanged(self.slots.workspace, slot, found, self.since)
                .map_err(|failure| failure.about(&change.path))?,
            None => false,
        };
        if is_same {
            Ok(())
        } else {
            Err(Failure::Stale(vec![change.path.clone()]))
        }
    }
}

/// Tells what somebody else did from what the disk did.
pub(super) fn stale(error: WorkspaceError, path: &RelPath, signs: &[Fault]) -> Failure {
    let is_foreign = matches!(error.fault, Fault::ThroughLink | Fault::NotDirectory)
        || signs.contains(&error.fault);
    if is_foreign {
        Failure::Stale(vec![path.clone()])
    } else {
        Failure::from(error).about(path)
    }
}
