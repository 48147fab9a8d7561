//! Rolling back: puts the tree back from the journal and from what lies where. Recovery is the
//! same.
//!
//! It believes nothing but contents, so it can be stopped anywhere and run again. A path that holds
//! neither the preimage nor the postimage is somebody else's work: it stays, and the old file is
//! kept.

mod arrived;
mod directories;
mod exchanged;
mod overwritten;
mod twins;

use std::collections::BTreeSet;

use super::change::{Change, Numbered};
use super::failure::is_unreachable;
use super::journal::Journal;
use super::scratch::{Scratch, Slot};
use super::slots::Slots;
use super::undone::Undone;
use super::verify::identify;
use super::{Durability, Failure, kept};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::workspace::{Fault, Rename, Workspace};
use twins::Twins;

/// How often the whole is tried before the disk is said to refuse it.
const ATTEMPTS: usize = 3;

/// One rolling back.
pub(super) struct Rollback<'a> {
    slots: Slots<'a>,
    scratch: &'a Scratch,
    journal: &'a Journal,
    leaving: Numbered<'a>,
    twins: Twins<'a>,
    durability: Durability,
}

/// What became of one file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Restored {
    Back,
    /// Somebody else's work is there.
    Left,
}

/// One try: an error of one file does not keep the others from being put back.
struct Pass<'a> {
    left: &'a mut BTreeSet<RelPath>,
    trouble: Option<Failure>,
}

impl Pass<'_> {
    fn note(&mut self, path: &RelPath, restored: Result<Restored, Failure>) {
        match restored {
            Ok(Restored::Back) => {}
            Ok(Restored::Left) => drop(self.left.insert(path.clone())),
            Err(failure) => drop(self.trouble.get_or_insert(failure.about(path))),
        }
    }

    fn check(&mut self) -> Result<(), Failure> {
        self.trouble.take().map_or(Ok(()), Err)
    }
}

impl<'a> Rollback<'a> {
    pub(super) fn new(
        workspace: &'a dyn Workspace,
        scratch: &'a Scratch,
        journal: &'a Journal,
        durability: Durability,
    ) -> Self {
        let (slots, leaving, twins) = (
            Slots::new(workspace),
            journal.leaving(),
            Twins::new(journal),
        );
        Self {
            slots,
            scratch,
            journal,
            leaving,
            twins,
            durability,
        }
    }

    /// Takes a commit record back whose making was reported as failed. Returns whether there is a
    /// journal.
    pub(super) fn reopen(&self) -> Result<bool, Failure> {
        let (done, journal) = (self.scratch.file("done")?, self.scratch.file("journal")?);
        if self.slots.workspace.stat(&done)?.is_some() {
            self.slots
                .workspace
                .rename(&done, &journal, Rename::Replace)?;
            self.sync_scratch()?;
            return Ok(true);
        }
        Ok(self.slots.workspace.stat(&journal)?.is_some())
    }

    /// Puts everything back, makes that durable and closes the journal.
    pub(super) fn run(&self) -> Undone {
        let mut left = BTreeSet::new();
        let mut trouble = None;
        for _ in 0..ATTEMPTS {
            left.clear();
            match self.restore(&mut left).and_then(|()| self.close()) {
                Ok(()) => {
                    trouble = None;
                    break;
                }
                Err(failure) => trouble = Some(failure),
            }
        }
        // Also those of an earlier try, which a kill ended.
        let kept =
            kept::find(self.slots.workspace, self.scratch, Some(self.journal)).unwrap_or_default();
        left.extend(kept.iter().filter_map(|kept| kept.path.clone()));
        Undone {
            left: left.into_iter().collect(),
            kept,
            trouble,
        }
    }

    fn restore(&self, left: &mut BTreeSet<RelPath>) -> Result<(), Failure> {
        let mut pass = Pass {
            left,
            trouble: None,
        };
        for made in &self.journal.makes {
            self.open_dir(made)?;
        }
        let (lost, changes): (Vec<_>, Vec<_>) = self
            .journal
            .changes
            .iter()
            .partition(|change| self.is_out_of_reach(change));
        for change in lost {
            pass.note(&change.path, Ok(Restored::Left));
        }
        for change in changes.iter().filter(|change| change.is_mode()) {
            pass.note(&change.path, self.restore_mode(change));
        }
        let is_in_place = |change: &&&Change| change.is_overwrite();
        for change in changes.iter().filter(is_in_place) {
            pass.note(&change.path, self.write_back(change));
        }
        let comes = |change: &&&Change| {
            change.arrives.is_some() && !change.is_exchange() && !change.is_overwrite()
        };
        for change in changes.iter().filter(comes) {
            pass.note(&change.path, self.take_back(change));
        }
        for change in changes.iter().filter(|change| change.is_exchange()) {
            pass.note(&change.path, self.exchange_back(change));
        }
        let unmade = self.unmade()?;
        for made in self
            .journal
            .makes
            .iter()
            .rev()
            .filter(|made| !unmade.contains(&made.path))
        {
            pass.note(&made.path, self.remove_dir(&made.path));
        }
        for (index, removed) in self.journal.removes.iter().enumerate() {
            pass.note(&removed.path, self.bring_dir(index, removed));
        }
        // A directory that the disk did not give back must not look like one that somebody took
        // away.
        pass.check()?;
        for change in changes
            .iter()
            .filter(|change| change.leaves && change.before.is_some())
        {
            pass.note(&change.path, self.put_back(change));
        }
        pass.check()
    }

    /// Returns whether somebody moved the directory away that has the file as well as its scratch
    /// files.
    fn is_out_of_reach(&self, change: &Change) -> bool {
        let is_behind_link = |slot: RelPath| {
            let stat = self.slots.workspace.stat(&slot);
            stat.is_err_and(|error| error.fault == Fault::ThroughLink)
        };
        change.beside.is_some()
            && self
                .scratch
                .slot(change, Slot::Old)
                .is_ok_and(is_behind_link)
    }

    fn restore_mode(&self, change: &Change) -> Result<Restored, Failure> {
        let here = identify(self.slots.workspace, &change.path)?;
        if here.is_none() || change.is_before(here.as_ref()) {
            return Ok(Restored::Back);
        }
        let mode = change.before.as_ref().and_then(|before| before.mode);
        match mode.filter(|_| change.is_after(here.as_ref())) {
            Some(mode) => self
                .slots
                .workspace
                .set_permissions(&change.path, Permissions::Exact(mode))?,
            // Somebody else's work stays as it is, also its mode.
            None => return Ok(Restored::Left),
        }
        Ok(Restored::Back)
    }

    /// Puts an old file in its place, unless somebody else has taken the place or a directory above
    /// it.
    fn put_in_or_keep(&self, change: &Change, old: &RelPath) -> Result<Restored, Failure> {
        match self.slots.put_in(old, &change.path) {
            Ok(()) => Ok(Restored::Back),
            Err(error) if is_taken(error.fault) => self.keep(change, old),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts an old file back that was moved out.
    fn put_back(&self, change: &Change) -> Result<Restored, Failure> {
        let here = identify(self.slots.workspace, &change.path)?;
        if change.is_before(here.as_ref()) {
            return Ok(Restored::Back);
        }
        let old = self.scratch.slot(change, Slot::Old)?;
        let is_waiting = self.slots.workspace.stat(&old)?.is_some();
        match (here, is_waiting) {
            (None, true) => self.put_in_or_keep(change, &old),
            (None, false) => match self.twin(change)? {
                Some(twin) => self.put_in_or_keep(change, &twin),
                None => Ok(Restored::Back),
            },
            (Some(_), true) => self.keep(change, &old),
            (Some(_), false) => Ok(Restored::Back),
        }
    }

    /// Returns another scratch file with the contents of the old file.
    fn twin(&self, change: &Change) -> Result<Option<RelPath>, Failure> {
        let Some(before) = &change.before else {
            return Ok(None);
        };
        let workspace = self.slots.workspace;
        for other in self.twins.of(change) {
            for slot in [Slot::Returned, Slot::Old] {
                let path = self.scratch.slot(other, slot)?;
                // Where files are put back by a second name, the first one is still there.
                let inode =
                    |path: &RelPath| workspace.stat(path).map(|stat| stat.map(|stat| stat.inode));
                let is_equal =
                    identify(workspace, &path)?.is_some_and(|image| before.is_same_content(&image));
                if is_equal && inode(&path)? != inode(&other.path)? {
                    return Ok(Some(path));
                }
            }
        }
        Ok(None)
    }

    /// Keeps an old file whose place is taken by somebody else's work.
    fn keep(&self, change: &Change, old: &RelPath) -> Result<Restored, Failure> {
        let workspace = self.slots.workspace;
        let inode = |path: &RelPath| {
            workspace
                .stat(path)
                .map(|stat| stat.map(|stat| (stat.device, stat.inode)))
        };
        // Where files come in by a second name, an edit in place shows under both: then the path
        // itself keeps it.
        if inode(old)? == inode(&change.path).unwrap_or_default() {
            return Ok(Restored::Left);
        }
        let [first, second] = kept::places(self.scratch, change)?;
        // An earlier try, which a kill ended, may have kept another version.
        let copy = if workspace.stat(&first)?.is_none() {
            first
        } else {
            second
        };
        self.slots.take_out(old, &copy)?;
        Ok(Restored::Left)
    }

    /// Makes what was put back durable, then says so in the journal's name.
    fn close(&self) -> Result<(), Failure> {
        let workspace = self.slots.workspace;
        if self.durability == Durability::Full {
            workspace.sync_all()?;
            self.sync_beside()?;
        }
        let journal = self.scratch.file("journal")?;
        if workspace.stat(&journal)?.is_some() {
            workspace.rename(&journal, &self.scratch.file("undone")?, Rename::Replace)?;
        }
        self.sync_scratch()
    }

    /// Makes durable what was put back on other file systems, where no sync of the root's reaches.
    fn sync_beside(&self) -> Result<(), Failure> {
        let beside = || {
            self.journal
                .changes
                .iter()
                .filter(|change| change.beside.is_some())
        };
        // What was put back into the very file that was there is not durable with its name.
        let files = beside().filter(|change| change.is_overwrite() || change.is_mode());
        let files = files.map(|change| change.path.clone());
        let directories = beside()
            .flat_map(|change| change.path.ancestors())
            .collect::<BTreeSet<_>>();
        for path in files.chain(directories) {
            match self.slots.workspace.sync(Some(&path)) {
                Err(error) if is_unreachable(error.fault) => {}
                synced => synced?,
            }
        }
        Ok(())
    }

    fn sync_scratch(&self) -> Result<(), Failure> {
        if self.durability == Durability::Full {
            self.slots.workspace.sync(Some(&self.scratch.directory))?;
        }
        Ok(())
    }
}

/// Returns whether a place cannot be had because somebody else has it.
fn is_taken(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::Exists | Fault::Missing | Fault::NotDirectory | Fault::ThroughLink
    )
}
