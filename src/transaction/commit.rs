//! The order of a commit: intent, swap, sync, commit record.

use std::collections::BTreeSet;

use super::arrange::Arranged;
use super::change::{Arrival, Change, Image, Kind};
use super::failure;
use super::history::OldPlaces;
use super::journal::Journal;
use super::rollback::Rollback;
use super::scratch::{Scratch, Slot, directory_name};
use super::slots::Slots;
use super::state::State;
use super::swap::{Swap, stale};
use super::undone::{Aborted, Undone};
use super::verify::identify;
use super::{Durability, Failure, Interrupt, Trial};
use crate::digest::Digest;
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::progress::{Phase, Progress};
use crate::text::is_one_name;
use crate::workspace::{Directory, Fault, Like, Rename, Timestamp, Workspace};

/// Up to so many files or directories are synced one by one; more of them by one sync of the file
/// system.
const FEW: usize = 4;

/// One commit under way.
pub(super) struct Commit<'a> {
    pub(super) workspace: &'a dyn Workspace,
    pub(super) state: &'a State,
    pub(super) scratch: &'a Scratch,
    pub(super) durability: Durability,
    pub(super) since: Timestamp,
    pub(super) trials: &'a [&'a dyn Trial],
    pub(super) interrupt: &'a Interrupt,
    pub(super) progress: &'a Progress,
}

impl Commit<'_> {
    /// Carries it out, or rolls it back. Returns where the old files are, and the files that are
    /// not as it made them.
    pub(super) fn run(&self, arranged: &Arranged) -> Result<(OldPlaces, Vec<RelPath>), Aborted> {
        self.announce(arranged)?;
        self.publish(arranged)
            .map_err(|cause| self.roll_back(arranged, cause))
    }

    /// Makes the staged files and the journal durable. Nothing in the tree has changed when it
    /// fails.
    fn announce(&self, arranged: &Arranged) -> Result<(), Failure> {
        let temporary = self.scratch.file("journal.tmp")?;
        arranged
            .journal
            .changes
            .iter()
            .filter(|change| change.is_overwrite())
            .try_for_each(|it| self.copy_old(it))?;
        arranged.journal.write(self.workspace, self.scratch)?;
        if self.durability == Durability::Full {
            self.progress.enter(Phase::Syncing, 0);
            let staged: Vec<_> = self
                .staged_files(&arranged.journal.changes)
                .take(FEW + 1)
                .collect::<Result<_, _>>()?;
            if staged.len() > FEW || arranged.journal.has_buckets() {
                self.workspace.sync_all()?;
                if arranged
                    .journal
                    .changes
                    .iter()
                    .any(|change| change.beside.is_some())
                {
                    // The state directory may be on another file system than the root.
                    self.workspace.sync(Some(&temporary))?;
                }
            } else {
                // One sync writes the journal of the file system for all that have their blocks by
                // then.
                staged
                    .iter()
                    .skip(1)
                    .for_each(|(slot, _)| self.workspace.write_out(slot));
                self.workspace.write_out(&temporary);
                self.sync_files(&staged)?;
                self.workspace.sync(Some(&temporary))?;
            }
            self.sync_beside(&arranged.journal.changes)?;
        }
        self.workspace
            .rename(&temporary, &self.scratch.file("journal")?, Rename::Replace)?;
        if self.durability == Durability::Full {
            for directory in BTreeSet::from([&self.scratch.directory, &self.state.directory]) {
                self.workspace.sync(Some(directory))?;
            }
            self.workspace
                .sync(self.state.directory.parent().as_ref())?;
        }
        Ok(())
    }

    /// Copies the file that is going to be written over: what is in it would be nowhere then.
    fn copy_old(&self, change: &Change) -> Result<(), Failure> {
        let signs = [Fault::Missing, Fault::NotRegular];
        let read = self.workspace.read(&change.path, u64::MAX);
        let (bytes, stat) = read.map_err(|error| stale(error, &change.path, &signs))?;
        if !change
            .before
            .is_some_and(|before| before.digest == Digest::of(&bytes))
        {
            return Err(Failure::Stale(vec![change.path.clone()]));
        }
        let permissions = Permissions::Exact(stat.permissions);
        let slot = self.scratch.slot(change, Slot::Old)?;
        let copied = self.workspace.create(
            &slot,
            &[&bytes],
            permissions,
            Some(Like::File(&change.path)),
        );
        copied.map_err(|error| Failure::from(error).about(&change.path))
    }

    fn sync_files(&self, staged: &[(RelPath, &RelPath)]) -> Result<(), Failure> {
        let sync = |(slot, path): &(RelPath, &RelPath)| {
            self.workspace
                .sync(Some(slot))
                .map_err(|error| Failure::from(error).about(path))
        };
        staged.iter().try_for_each(sync)
    }

    /// Returns the staged files with the paths that they are for, and the copies of old files; the
    /// target of a link is durable with its name.
    fn staged_files<'c>(
        &self,
        changes: impl IntoIterator<Item = &'c Change>,
    ) -> impl Iterator<Item = Result<(RelPath, &'c RelPath), Failure>> {
        let is_file = |change: &&'c Change| {
            change.arrives == Some(Arrival::Staged)
                && change.after.is_some_and(|after| after.kind == Kind::File)
        };
        let slots = |change: &'c Change| {
            let slots = if change.is_overwrite() {
                [Slot::New, Slot::Old].as_slice()
            } else {
                &[Slot::New]
            };
            slots
                .iter()
                .map(|&slot| Ok((self.scratch.slot(change, slot)?, &change.path)))
        };
        changes.into_iter().filter(is_file).flat_map(slots)
    }

    /// Makes durable what stands on another file system, where no sync of the root's reaches.
    fn sync_beside(&self, changes: &[Change]) -> Result<(), Failure> {
        let beside = || changes.iter().filter(|change| change.beside.is_some());
        self.sync_files(&self.staged_files(beside()).collect::<Result<Vec<_>, _>>()?)?;
        let slots = beside().map(|change| self.scratch.slot(change, Slot::New));
        let directories = slots
            .map(|slot| Ok(slot?.parent()))
            .collect::<Result<BTreeSet<_>, Failure>>()?;
        directories
            .iter()
            .try_for_each(|directory| self.sync_directory(directory.as_ref()))
    }

    fn publish(&self, arranged: &Arranged) -> Result<(OldPlaces, Vec<RelPath>), Failure> {
        let slots = Slots::new(self.workspace);
        let swap = Swap {
            slots: &slots,
            scratch: self.scratch,
            journal: &arranged.journal,
            leaving: &arranged.journal.leaving(),
            found: &arranged.found,
            since: self.since,
            interrupt: self.interrupt,
            progress: self.progress,
        };
        let stay = swap.run()?;
        if self.durability == Durability::Full {
            self.progress.enter(Phase::Syncing, 0);
            self.sync_changed(arranged, &stay)?;
        }
        let altered = self.put_on_trial(&arranged.journal)?;
        if let Some(signal) = self.interrupt.signal() {
            return Err(Failure::Interrupted(signal));
        }
        self.record()?;
        Ok((
            if slots.has_flags() {
                OldPlaces::Journaled
            } else {
                OldPlaces::Unknown
            },
            altered,
        ))
    }

    /// Asks those who have a say, and returns the files that changed while they looked.
    fn put_on_trial(&self, journal: &Journal) -> Result<Vec<RelPath>, Failure> {
        if self.trials.is_empty() {
            return Ok(Vec::new());
        }
        let judged = self
            .trials
            .iter()
            .try_for_each(|trial| trial.judge(self.interrupt));
        self.workspace.forget();
        judged?;
        let is_altered = |change: &&Change| match identify(self.workspace, &change.path) {
            // A directory may be made where a file goes, and so may another spelling of its name.
            Ok(Some(image)) if change.after.is_none() => {
                image.kind != Kind::Directory && !is_respelled(journal, change, &image)
            }
            Ok(image) => !change.is_after(image.as_ref()),
            // One that cannot be looked at any more is not as it was either.
            Err(_) => true,
        };
        let altered: Vec<_> = journal
            .changes
            .iter()
            .filter(is_altered)
            .map(|change| change.path.clone())
            .collect();
        if !altered.is_empty() && self.durability == Durability::Full {
            self.workspace.sync_all()?;
        }
        Ok(altered)
    }

    /// Makes the names durable: first those of the old files in scratch, then those in the tree.
    /// Of the directories that were to go, `stay` are still there.
    fn sync_changed(&self, arranged: &Arranged, stay: &BTreeSet<&RelPath>) -> Result<(), Failure> {
        let journal = &arranged.journal;
        let is_same_inode = |change: &&Change| change.is_mode() || change.is_overwrite();
        let files = journal
            .changes
            .iter()
            .filter(is_same_inode)
            .map(|change| &change.path);
        let made = journal.makes.iter().map(|made| &made.path);
        let gone: BTreeSet<_> = journal
            .removes
            .iter()
            .map(|removed| &removed.path)
            .collect();
        let all = journal
            .changes
            .iter()
            .map(|change| &change.path)
            .chain(made.clone())
            .chain(gone.iter().copied());
        let is_there = |directory: &Option<RelPath>| {
            directory
                .as_ref()
                .is_none_or(|path| stay.contains(path) || !gone.contains(path))
        };
        let mut changed: BTreeSet<_> = all.map(RelPath::parent).filter(is_there).collect();
        changed.extend(files.chain(made).cloned().map(Some));
        let out = journal
            .removes
            .iter()
            .enumerate()
            .filter(|(_, removed)| !stay.contains(&removed.path));
        let out: Vec<_> = out
            .map(|(index, _)| self.scratch.file(directory_name(index)))
            .collect::<Result<_, _>>()?;
        let is_few =
            changed.len() + out.len() <= FEW && !has_moves(journal) && !journal.has_buckets();
        if !is_few {
            self.workspace.sync_all()?;
        }
        if is_few || journal.changes.iter().any(|change| change.beside.is_some()) {
            self.workspace.sync(Some(&self.scratch.directory))?;
            changed
                .iter()
                .try_for_each(|directory| self.sync_directory(directory.as_ref()))?;
            // That they are empty has to be known, or they could not be swept.
            out.iter()
                .try_for_each(|directory| failure::gone(self.workspace.sync(Some(directory))))?;
        }
        Ok(())
    }

    /// Makes the names in a directory of the tree durable.
    fn sync_directory(&self, directory: Directory<'_>) -> Result<(), Failure> {
        let signs = [Fault::Missing, Fault::NotRegular];
        self.workspace
            .sync(directory)
            .map_err(|error| match directory {
                Some(path) => stale(error, path, &signs),
                None => error.into(),
            })
    }

    /// Writes the commit record: from here the transaction has happened.
    fn record(&self) -> Result<(), Failure> {
        self.workspace.rename(
            &self.scratch.file("journal")?,
            &self.scratch.file("done")?,
            Rename::Replace,
        )?;
        if self.durability == Durability::Full {
            self.workspace.sync(Some(&self.scratch.directory))?;
        }
        Ok(())
    }

    /// Puts everything back. An error of the commit record proves nothing, so its name is looked
    /// for first.
    fn roll_back(&self, arranged: &Arranged, cause: Failure) -> Aborted {
        self.progress.enter(Phase::RollingBack, 0);
        let rollback = Rollback::new(
            self.workspace,
            self.scratch,
            &arranged.journal,
            self.durability,
        );
        let undone = match rollback.reopen() {
            // Somebody took the journal away, and the old files with it.
            Ok(false) => Undone {
                left: arranged.journal.paths(),
                kept: Vec::new(),
                trouble: None,
            },
            Ok(true) => rollback.run(),
            Err(trouble) => Undone {
                left: Vec::new(),
                kept: Vec::new(),
                trouble: Some(trouble),
            },
        };
        undone.aborted(cause)
    }
}

/// Returns whether `image` is what the journal puts at another spelling of the path of `change`.
fn is_respelled(journal: &Journal, change: &Change, image: &Image) -> bool {
    let is_one = |other: &Change| is_one_name(other.path.as_bytes(), change.path.as_bytes());
    journal
        .changes
        .iter()
        .any(|other| other.after.is_some() && is_one(other) && other.is_after(Some(image)))
}

/// Returns whether a file itself goes from one directory to another, and not only its contents.
///
/// Synced one after the other, the first may have lost the file for good before the second has it:
/// no file system is relied upon to let a sync of one carry the other.
fn has_moves(journal: &Journal) -> bool {
    let leaving = journal.leaving();
    let is_away = |change: &Change| {
        change
            .source(&leaving)
            .is_some_and(|it| it.path.directory() != change.path.directory())
    };
    journal.changes.iter().any(is_away)
}
