//! The order of the commit steps: journal, swap, sync, commit record.

use std::collections::BTreeSet;

use super::build_journal::BuiltJournal;
use super::change::{Change, FileIdentity, JournalFileKind};
use super::failure::check_interrupt;
use super::history::OldFileLookup;
use super::journal::{JOURNAL_DRAFT, Journal};
use super::moves::FileMover;
use super::rollback::Rollback;
use super::scratch::{Scratch, ScratchFile};
use super::state::StateDirectory;
use super::swap::{Swap, classify_error};
use super::sync_all::sync_all_or;
use super::undone::{FailedCommit, RollbackResult};
use super::verify::identify;
use super::{CommitHook, Durability, Failure, Interrupt};
use crate::digest::Digest;
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::progress::{Phase, Progress};
use crate::text::is_same_name;
use crate::workspace::{AttributeSource, ErrorKind, NewFile, RenameMode, Timestamp, Workspace};

/// A commit in progress.
pub(super) struct Commit<'a> {
    pub(super) workspace: &'a dyn Workspace,
    pub(super) state: &'a StateDirectory,
    pub(super) scratch: &'a Scratch,
    pub(super) durability: Durability,
    pub(super) since: Timestamp,
    pub(super) hooks: &'a [&'a dyn CommitHook],
    pub(super) interrupt: &'a Interrupt,
    pub(super) progress: &'a Progress,
}

/// The progress of the swap at the start of a rollback.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SwapProgress {
    /// It stopped at an error.
    Stopped,
    Complete,
}

impl Commit<'_> {
    /// Commits the changes of the journal, or rolls them back. Returns the locations of the old
    /// files, and the files that changed while the commit hooks ran.
    pub(super) fn run(
        &self,
        built: &BuiltJournal,
    ) -> Result<(OldFileLookup, Vec<RelPath>), FailedCommit> {
        self.write_intent(built)?;
        let moves = FileMover::new(self.workspace);
        let unremoved = self
            .swap(built, &moves)
            .map_err(|cause| self.abort(built, SwapProgress::Stopped, cause))?;
        let recorded = self.sync_and_record(built, &unremoved);
        let altered = recorded.map_err(|cause| self.abort(built, SwapProgress::Complete, cause))?;
        Ok((old_file_lookup(&moves), altered))
    }

    /// Puts the new files in place. Returns the directories that could not be removed.
    pub(super) fn swap(
        &self,
        built: &BuiltJournal,
        moves: &FileMover<'_>,
    ) -> Result<BTreeSet<RelPath>, Failure> {
        let swap = Swap {
            moves,
            scratch: self.scratch,
            journal: &built.journal,
            moved_out: &built.journal.outgoing_changes(),
            found: &built.found,
            since: self.since,
            interrupt: self.interrupt,
            progress: self.progress,
        };
        Ok(swap.run()?.into_iter().cloned().collect())
    }

    /// Makes the staged files and the journal durable.
    ///
    /// If it fails, the tree is unchanged.
    pub(super) fn write_intent(&self, built: &BuiltJournal) -> Result<(), Failure> {
        built
            .journal
            .changes
            .iter()
            .filter(|change| change.is_overwrite())
            .try_for_each(|it| self.copy_old_file(it))?;
        self.write_record(&built.journal, "journal", self.interrupt, |temporary| {
            self.sync_staged(&built.journal, temporary)
        })
    }

    /// Writes `journal` to its temporary path and renames it to `name`. `sync` makes durable the data
    /// that the journal describes, and the journal at its temporary path. A raised `interrupt` ends
    /// this with [`Failure::Interrupted`].
    pub(super) fn write_record(
        &self,
        journal: &Journal,
        name: &str,
        interrupt: &Interrupt,
        sync: impl FnOnce(&RelPath) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let temporary = self.scratch.file(JOURNAL_DRAFT)?;
        journal.write(self.workspace, self.scratch, interrupt)?;
        if self.durability == Durability::Full {
            self.progress.enter(Phase::Syncing, 0);
            sync(&temporary)?;
        }
        // The name must not appear before the data it describes is durable.
        self.workspace
            .rename(&temporary, &self.scratch.file(name)?, RenameMode::Replace)?;
        if self.durability == Durability::Full {
            for directory in BTreeSet::from([&self.scratch.directory, &self.state.directory]) {
                self.workspace.sync(Some(directory))?;
            }
            // The state directory can be new, so its own name must be durable too.
            self.workspace
                .sync(self.state.directory.parent().as_ref())?;
        }
        Ok(())
    }

    /// Copies a file before it is overwritten in place, because no other copy of its content
    /// remains.
    fn copy_old_file(&self, change: &Change) -> Result<(), Failure> {
        let signs = [ErrorKind::Missing, ErrorKind::NotRegular];
        let interrupt = self.interrupt;
        let read = self
            .workspace
            .read_in_parts(&change.path, u64::MAX, interrupt);
        let (bytes, stat) = read.map_err(|error| classify_error(error, &change.path, &signs))?;
        let Some(digest) = Digest::of_slices(&[&bytes], interrupt) else {
            return check_interrupt(interrupt);
        };
        // The copy must not differ from the preimage: a rollback restores the copy.
        if change.before.is_none_or(|before| before.digest != digest) {
            return Err(Failure::Stale(vec![change.path.clone()]));
        }
        let permissions = Permissions::Exact(stat.permissions);
        let slot = self.scratch.scratch_path(change, ScratchFile::Displaced)?;
        let slices = [&bytes[..]];
        let source = AttributeSource::File(&change.path);
        let copy = NewFile::new(&slices, permissions, Some(source)).with_interrupt(interrupt);
        let copied = self.workspace.create(&slot, copy);
        copied
            .map(drop)
            .map_err(|error| Failure::from(error).with_path(&change.path))
    }

    /// Syncs the names, runs the commit hooks and writes the commit record. Returns the files that
    /// changed while the hooks ran.
    fn sync_and_record(
        &self,
        built: &BuiltJournal,
        unremoved: &BTreeSet<RelPath>,
    ) -> Result<Vec<RelPath>, Failure> {
        self.make_names_durable(built, unremoved)?;
        let altered = if self.hooks.is_empty() {
            Vec::new()
        } else {
            self.run_hooks()?;
            self.find_altered(&built.journal)?
        };
        self.check_signal()?;
        self.write_commit_record()?;
        Ok(altered)
    }

    /// Makes the names in the tree durable, if the options require this.
    pub(super) fn make_names_durable(
        &self,
        built: &BuiltJournal,
        unremoved: &BTreeSet<RelPath>,
    ) -> Result<(), Failure> {
        if self.durability == Durability::Full {
            self.progress.enter(Phase::Syncing, 0);
            self.sync_changed(built, &unremoved.iter().collect())?;
        }
        Ok(())
    }

    /// Returns an error after a signal. This is the last check before the commit record. After it, a
    /// signal can only end the sweep.
    pub(super) fn check_signal(&self) -> Result<(), Failure> {
        check_interrupt(self.interrupt)
    }

    /// Runs the commit hooks.
    pub(super) fn run_hooks(&self) -> Result<(), Failure> {
        let judged = self
            .hooks
            .iter()
            .try_for_each(|trial| trial.check(self.interrupt));
        // A hook can move directories, so cached directory handles are no longer valid.
        self.workspace.close_cached_handles();
        judged
    }

    /// Returns the files that changed while the commit hooks ran, and makes them durable.
    pub(super) fn find_altered(&self, journal: &Journal) -> Result<Vec<RelPath>, Failure> {
        let is_altered = |change: &&Change| match identify(self.workspace, &change.path) {
            // The change itself can create a directory at a deleted path. On a case-folding file
            // system, the path can also be another spelling of a new file.
            Ok(Some(image)) if change.after.is_none() => {
                image.kind != JournalFileKind::Directory && !is_respelled(journal, change, &image)
            }
            Ok(image) => !change.is_after(image.as_ref()),
            // A file that cannot be read any more counts as altered.
            Err(_) => true,
        };
        let altered: Vec<_> = journal
            .changes
            .iter()
            .filter(is_altered)
            .map(|change| change.path.clone())
            .collect();
        if !altered.is_empty() && self.durability == Durability::Full {
            sync_all_or(self.workspace, || {
                altered.iter().try_for_each(|path| self.sync_altered(path))
            })?;
        }
        Ok(altered)
    }

    /// Writes the commit record. After it the transaction is committed.
    pub(super) fn write_commit_record(&self) -> Result<(), Failure> {
        self.workspace.rename(
            &self.scratch.file("journal")?,
            &self.scratch.file("done")?,
            RenameMode::Replace,
        )?;
        if self.durability == Durability::Full {
            self.workspace.sync(Some(&self.scratch.directory))?;
        }
        Ok(())
    }

    /// Returns the rollback of the journal.
    pub(super) fn rollback<'b>(&'b self, built: &'b BuiltJournal) -> Rollback<'b> {
        self.progress.enter(Phase::RollingBack, 0);
        Rollback::new(
            self.workspace,
            self.scratch,
            &built.journal,
            self.durability,
        )
    }

    fn abort(&self, built: &BuiltJournal, swap: SwapProgress, cause: Failure) -> FailedCommit {
        self.roll_back(built, swap).into_aborted(cause)
    }

    /// Rolls back. If the rename to the commit record failed, it may still have happened, so the
    /// rollback first looks for the record.
    pub(super) fn roll_back(&self, built: &BuiltJournal, swap: SwapProgress) -> RollbackResult {
        let rollback = self.rollback(built);
        match rollback.revert_commit_record() {
            // Another process removed the journal and the old files.
            Ok(false) => RollbackResult {
                left: built.journal.paths(),
                kept: Vec::new(),
                error: None,
            },
            Ok(true) => {
                if swap == SwapProgress::Complete {
                    // If this fails, the rollback restores the files.
                    let _ = rollback.keep_old_files_of_removed();
                }
                rollback.run()
            }
            Err(error) => RollbackResult::of_error(error),
        }
    }
}

/// Returns how the old files are found after a swap with `moves`.
pub(super) fn old_file_lookup(moves: &FileMover<'_>) -> OldFileLookup {
    // Without these rename flags, an old file can have another scratch name than usual.
    if moves.has_rename_flags() {
        OldFileLookup::Journaled
    } else {
        OldFileLookup::Unknown
    }
}

/// Returns whether `image` is the new file at another spelling of the path of `change`.
fn is_respelled(journal: &Journal, change: &Change, image: &FileIdentity) -> bool {
    let is_one = |other: &Change| is_same_name(other.path.as_bytes(), change.path.as_bytes());
    journal
        .changes
        .iter()
        .any(|other| other.after.is_some() && is_one(other) && other.is_after(Some(image)))
}
