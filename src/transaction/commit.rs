//! The order of the commit steps: journal, swap, sync, commit record.

use std::collections::BTreeSet;

use super::build_journal::BuiltJournal;
use super::change::{Change, FileIdentity, JournalFileKind};
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
use crate::workspace::{AttributeSource, ErrorKind, RenameMode, Timestamp, Workspace};

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
enum SwapProgress {
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
        let swap = Swap {
            moves: &moves,
            scratch: self.scratch,
            journal: &built.journal,
            moved_out: &built.journal.outgoing_changes(),
            found: &built.found,
            since: self.since,
            interrupt: self.interrupt,
            progress: self.progress,
        };
        let unremoved = swap
            .run()
            .map_err(|cause| self.roll_back(built, SwapProgress::Stopped, cause))?;
        let recorded = self.sync_and_record(built, &unremoved);
        let altered =
            recorded.map_err(|cause| self.roll_back(built, SwapProgress::Complete, cause))?;
        // Without these rename flags, an old file can have another scratch name than usual.
        let lookup = if moves.has_rename_flags() {
            OldFileLookup::Journaled
        } else {
            OldFileLookup::Unknown
        };
        Ok((lookup, altered))
    }

    /// Makes the staged files and the journal durable.
    ///
    /// If it fails, the tree is unchanged.
    fn write_intent(&self, built: &BuiltJournal) -> Result<(), Failure> {
        let temporary = self.scratch.file(JOURNAL_DRAFT)?;
        built
            .journal
            .changes
            .iter()
            .filter(|change| change.is_overwrite())
            .try_for_each(|it| self.copy_old_file(it))?;
        built.journal.write(self.workspace, self.scratch)?;
        if self.durability == Durability::Full {
            self.progress.enter(Phase::Syncing, 0);
            self.sync_staged(&built.journal, &temporary)?;
        }
        // The name `journal` must not appear before the data it describes is durable.
        self.workspace.rename(
            &temporary,
            &self.scratch.file("journal")?,
            RenameMode::Replace,
        )?;
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
        let read = self.workspace.read(&change.path, u64::MAX);
        let (bytes, stat) = read.map_err(|error| classify_error(error, &change.path, &signs))?;
        // The copy must not differ from the preimage: a rollback restores the copy.
        if !change
            .before
            .is_some_and(|before| before.digest == Digest::of(&bytes))
        {
            return Err(Failure::Stale(vec![change.path.clone()]));
        }
        let permissions = Permissions::Exact(stat.permissions);
        let slot = self.scratch.scratch_path(change, ScratchFile::Displaced)?;
        let copied = self.workspace.create(
            &slot,
            &[&bytes],
            permissions,
            Some(AttributeSource::File(&change.path)),
        );
        copied
            .map(drop)
            .map_err(|error| Failure::from(error).with_path(&change.path))
    }

    /// Syncs the names, runs the commit hooks and writes the commit record. Returns the files that
    /// changed while the hooks ran.
    fn sync_and_record(
        &self,
        built: &BuiltJournal,
        unremoved: &BTreeSet<&RelPath>,
    ) -> Result<Vec<RelPath>, Failure> {
        if self.durability == Durability::Full {
            self.progress.enter(Phase::Syncing, 0);
            self.sync_changed(built, unremoved)?;
        }
        let altered = self.run_hooks(&built.journal)?;
        // After the commit record the command finishes, so this is the last check for a signal.
        if let Some(signal) = self.interrupt.signal() {
            return Err(Failure::Interrupted(signal));
        }
        self.write_commit_record()?;
        Ok(altered)
    }

    /// Runs the commit hooks and returns the files that changed while they ran.
    fn run_hooks(&self, journal: &Journal) -> Result<Vec<RelPath>, Failure> {
        if self.hooks.is_empty() {
            return Ok(Vec::new());
        }
        let judged = self
            .hooks
            .iter()
            .try_for_each(|trial| trial.check(self.interrupt));
        // A hook can move directories, so cached directory handles are no longer valid.
        self.workspace.close_cached_handles();
        judged?;
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
    fn write_commit_record(&self) -> Result<(), Failure> {
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

    /// Rolls back. If the rename to the commit record failed, it may still have happened, so the
    /// rollback first looks for the record.
    fn roll_back(&self, built: &BuiltJournal, swap: SwapProgress, cause: Failure) -> FailedCommit {
        self.progress.enter(Phase::RollingBack, 0);
        let rollback = Rollback::new(
            self.workspace,
            self.scratch,
            &built.journal,
            self.durability,
        );
        let undone = match rollback.revert_commit_record() {
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
            Err(error) => RollbackResult {
                left: Vec::new(),
                kept: Vec::new(),
                error: Some(error),
            },
        };
        undone.into_aborted(cause)
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
