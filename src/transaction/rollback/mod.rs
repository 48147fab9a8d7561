//! Rollback and recovery: restores the old state of the tree from the journal and the existing
//! files.
//!
//! The inputs are a [`Journal`] and the scratch files. The output is a [`RollbackResult`] with the
//! paths that could not be restored. Invariants:
//!
//! - Files are identified by content, because names and inodes are not reliable after a power loss.
//!   The rollback is idempotent and can be killed and repeated.
//! - If a path contains neither the preimage nor the postimage, another process has changed it.
//!   That file stays, and the old file is kept.
//!
//! Read `Rollback::restore` first. The other files each restore one kind of change.

mod directories;
mod exchanged;
mod free_space;
mod hard_links;
mod move_ins;
mod old_file_candidates;
mod overwritten;

use std::collections::BTreeSet;

use super::change::{Change, ChangesByNumber};
use super::failure::is_unreachable;
use super::journal::Journal;
use super::moves::FileMover;
use super::scratch::{Scratch, ScratchFile};
use super::sync_all::sync_all_or;
use super::undone::RollbackResult;
use super::verify::identify;
use super::{Durability, Failure, kept};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::workspace::{ErrorKind, RenameMode, Workspace};
use old_file_candidates::OldFileCandidates;

/// The number of attempts before an error is returned.
const ATTEMPTS: usize = 3;
/// The number of attempts while another program has a file open. In each attempt, the verb waits
/// for one second.
const BUSY_ATTEMPTS: usize = 5;

/// A rollback in progress.
pub(super) struct Rollback<'a> {
    moves: FileMover<'a>,
    scratch: &'a Scratch,
    journal: &'a Journal,
    moved_out: ChangesByNumber<'a>,
    candidates: OldFileCandidates<'a>,
    durability: Durability,
}

/// The result for one file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RestoreOutcome {
    Restored,
    /// A file of another process is at the path.
    Skipped,
}

/// One attempt to restore all files. After an error, the attempt continues with the other files.
struct RollbackPass<'a> {
    /// The paths that another process has changed and that stay unchanged.
    left: &'a mut BTreeSet<RelPath>,
    /// The first error of the attempt.
    error: Option<Failure>,
}

impl RollbackPass<'_> {
    fn record(&mut self, path: &RelPath, restored: Result<RestoreOutcome, Failure>) {
        match restored {
            Ok(RestoreOutcome::Skipped) => drop(self.left.insert(path.clone())),
            // Only the error of a full disk lets the rollback free space, so it has precedence.
            Err(failure) if self.error.is_none() || failure.is_out_of_space() => {
                self.error = Some(failure.with_path(path));
            }
            Ok(RestoreOutcome::Restored) | Err(_) => {}
        }
    }

    fn take_error(&mut self) -> Result<(), Failure> {
        self.error.take().map_or(Ok(()), Err)
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
            FileMover::new(workspace),
            journal.outgoing_changes(),
            OldFileCandidates::new(journal),
        );
        Self {
            moves: slots,
            scratch,
            journal,
            moved_out: leaving,
            candidates: twins,
            durability,
        }
    }

    /// Reverts a commit record whose creation reported an error. Returns whether a journal exists.
    pub(super) fn revert_commit_record(&self) -> Result<bool, Failure> {
        let (done, journal) = (self.scratch.file("done")?, self.scratch.file("journal")?);
        if self.moves.workspace.stat(&done)?.is_some() {
            self.moves
                .workspace
                .rename(&done, &journal, RenameMode::Replace)?;
            self.sync_scratch()?;
            return Ok(true);
        }
        Ok(self.moves.workspace.stat(&journal)?.is_some())
    }

    /// Restores all files, makes them durable and closes the journal.
    pub(super) fn run(&self) -> RollbackResult {
        let mut left = BTreeSet::new();
        let mut error = None;
        for attempt in 1..=BUSY_ATTEMPTS {
            left.clear();
            error = self
                .restore(&mut left)
                .and_then(|()| self.mark_undone())
                .err();
            if error
                .as_ref()
                .is_none_or(|failure| attempt >= ATTEMPTS && !failure.is_busy())
            {
                break;
            }
            if error.as_ref().is_some_and(Failure::is_out_of_space) {
                self.free_space();
            }
        }
        // This includes the files kept by an earlier attempt that was killed.
        let kept =
            kept::find(self.moves.workspace, self.scratch, Some(self.journal)).unwrap_or_default();
        left.extend(kept.iter().filter_map(|kept| kept.path.clone()));
        RollbackResult {
            left: left.into_iter().collect(),
            kept,
            error,
        }
    }

    fn restore(&self, left: &mut BTreeSet<RelPath>) -> Result<(), Failure> {
        let mut pass = RollbackPass { left, error: None };
        for made in &self.journal.makes {
            // Without access to the directory, its files could not be moved out.
            self.grant_owner_access(made)?;
        }
        let (lost, changes): (Vec<_>, Vec<_>) = self
            .journal
            .changes
            .iter()
            .partition(|change| self.is_out_of_reach(change));
        for change in lost {
            pass.record(&change.path, Ok(RestoreOutcome::Skipped));
        }
        for change in changes.iter().filter(|change| change.is_mode_only()) {
            pass.record(&change.path, self.restore_mode(change));
        }
        let is_in_place = |change: &&&Change| change.is_overwrite();
        for change in changes.iter().filter(is_in_place) {
            pass.record(&change.path, self.revert_overwrite(change));
        }
        // New files are moved out before old files return, because both can have the same path.
        let is_move_in = |change: &&&Change| {
            change.source.is_some() && !change.is_exchange() && !change.is_overwrite()
        };
        for change in changes.iter().filter(is_move_in) {
            pass.record(&change.path, self.revert_move_in(change));
        }
        for change in changes.iter().filter(|change| change.is_exchange()) {
            pass.record(&change.path, self.revert_exchange(change));
        }
        let existing = self.find_existing_directories()?;
        for made in self
            .journal
            .makes
            .iter()
            .rev()
            .filter(|made| !existing.contains(&made.path))
        {
            pass.record(&made.path, self.remove_dir(&made.path));
        }
        for (index, removed) in self.journal.removes.iter().enumerate() {
            pass.record(&removed.path, self.restore_dir(index, removed));
        }
        // A directory that is missing because of an error must not look like one that another
        // process removed.
        pass.take_error()?;
        for change in changes
            .iter()
            .filter(|change| change.moves_out && change.before.is_some())
        {
            pass.record(&change.path, self.restore_moved_out(change));
        }
        pass.take_error()
    }

    /// Returns whether another process moved away the directory that contains the file and its
    /// scratch files.
    fn is_out_of_reach(&self, change: &Change) -> bool {
        let is_behind_link = |slot: RelPath| {
            let stat = self.moves.workspace.stat(&slot);
            stat.is_err_and(|error| error.kind == ErrorKind::ThroughLink)
        };
        change.stage_depth.is_some()
            && self
                .scratch
                .scratch_path(change, ScratchFile::Displaced)
                .is_ok_and(is_behind_link)
    }

    fn restore_mode(&self, change: &Change) -> Result<RestoreOutcome, Failure> {
        let here = identify(self.moves.workspace, &change.path)?;
        if here.is_none() || change.is_before(here.as_ref()) {
            return Ok(RestoreOutcome::Restored);
        }
        let mode = change.before.as_ref().and_then(|before| before.mode);
        match mode.filter(|_| change.is_after(here.as_ref())) {
            Some(mode) => self
                .moves
                .workspace
                .set_permissions(&change.path, Permissions::Exact(mode))?,
            // Another process has changed the file, so its mode stays too.
            None => return Ok(RestoreOutcome::Skipped),
        }
        Ok(RestoreOutcome::Restored)
    }

    /// Moves an old file back, or keeps it if another process occupies its path or a directory
    /// above it.
    fn move_in_or_keep(&self, change: &Change, old: &RelPath) -> Result<RestoreOutcome, Failure> {
        match self.moves.move_in(old, &change.path) {
            Ok(()) => Ok(RestoreOutcome::Restored),
            Err(error) if is_path_occupied(error.kind) => self.keep_old_file(change, old),
            Err(error) => Err(error.into()),
        }
    }

    /// Restores an old file that was moved out.
    fn restore_moved_out(&self, change: &Change) -> Result<RestoreOutcome, Failure> {
        let here = identify(self.moves.workspace, &change.path)?;
        if change.is_before(here.as_ref()) {
            return Ok(RestoreOutcome::Restored);
        }
        let old = self.scratch.scratch_path(change, ScratchFile::Displaced)?;
        let is_waiting = self.moves.workspace.stat(&old)?.is_some();
        match (here, is_waiting) {
            (None, true) => self.move_in_or_keep(change, &old),
            // Files with equal content can take each other's place, so look for the old file
            // elsewhere.
            (None, false) => match self.find_equal_copy(change)? {
                Some(twin) => self.move_in_or_keep(change, &twin),
                None => Ok(RestoreOutcome::Restored),
            },
            (Some(_), true) => self.keep_old_file(change, &old),
            // The old file was never moved out, or it was already restored and then changed.
            (Some(_), false) => Ok(RestoreOutcome::Restored),
        }
    }

    /// Returns another scratch file with the content of the old file.
    fn find_equal_copy(&self, change: &Change) -> Result<Option<RelPath>, Failure> {
        let Some(before) = &change.before else {
            return Ok(None);
        };
        let workspace = self.moves.workspace;
        for other in self.candidates.of(change) {
            for slot in [ScratchFile::Reverted, ScratchFile::Displaced] {
                let path = self.scratch.scratch_path(other, slot)?;
                // If files are restored by a hard link, the scratch name still exists and is not a
                // second file. Only the inode decides: files with equal content and times are common,
                // and each must be restored. If each name has its own inode, the file returns as a
                // hard link.
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

    /// Keeps an old file whose path is occupied by a file of another process.
    fn keep_old_file(&self, change: &Change, old: &RelPath) -> Result<RestoreOutcome, Failure> {
        let workspace = self.moves.workspace;
        // If files are moved in by a hard link, an edit in place changes both names. Then the file
        // at the path already has the data.
        if self.has_same_file(old, &change.path)? {
            return Ok(RestoreOutcome::Skipped);
        }
        let [first, second] = kept::kept_paths(self.scratch, change)?;
        // An earlier attempt that was killed may have kept another version.
        let copy = if workspace.stat(&first)?.is_none() {
            first
        } else {
            second
        };
        self.moves.move_out(old, &copy)?;
        Ok(RestoreOutcome::Skipped)
    }

    /// Makes the restored files durable, then renames the journal to `undone`.
    fn mark_undone(&self) -> Result<(), Failure> {
        let workspace = self.moves.workspace;
        if self.durability == Durability::Full {
            let is_covered = sync_all_or(workspace, || {
                self.sync_restored(|_| true)?;
                Ok(workspace.sync(None)?)
            })?;
            if is_covered {
                // A sync of the root does not reach other file systems.
                self.sync_restored(|change| change.stage_depth.is_some())?;
            }
        }
        let journal = self.scratch.file("journal")?;
        if workspace.stat(&journal)?.is_some() {
            workspace.rename(&journal, &self.scratch.file("undone")?, RenameMode::Replace)?;
        }
        self.sync_scratch()
    }

    /// Syncs the restored files of the changes that `is_included` selects, and their directories.
    fn sync_restored(&self, is_included: impl Fn(&&Change) -> bool) -> Result<(), Failure> {
        let beside = || self.journal.changes.iter().filter(&is_included);
        // Files restored in place need a sync of their own, because syncing a directory only covers
        // names.
        let files = beside().filter(|change| change.is_overwrite() || change.is_mode_only());
        let files = files.map(|change| change.path.clone());
        let directories = beside()
            .flat_map(|change| change.path.ancestors())
            .collect::<BTreeSet<_>>();
        for path in files.chain(directories) {
            match self.moves.workspace.sync(Some(&path)) {
                Err(error) if is_unreachable(error.kind) => {}
                synced => synced?,
            }
        }
        Ok(())
    }

    fn sync_scratch(&self) -> Result<(), Failure> {
        if self.durability == Durability::Full {
            self.moves.workspace.sync(Some(&self.scratch.directory))?;
        }
        Ok(())
    }
}

/// Returns whether `fault` means that another process occupies the path.
fn is_path_occupied(fault: ErrorKind) -> bool {
    matches!(
        fault,
        ErrorKind::Exists | ErrorKind::Missing | ErrorKind::NotDirectory | ErrorKind::ThroughLink
    )
}
