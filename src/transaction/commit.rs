//! The order of the commit steps: journal, swap, sync, commit record.

use std::collections::BTreeSet;

use super::build_journal::BuiltJournal;
use super::change::{Change, FileIdentity, JournalFileKind, MoveInSource};
use super::failure;
use super::history::OldFileLookup;
use super::journal::Journal;
use super::moves::FileMover;
use super::rollback::Rollback;
use super::scratch::{Scratch, ScratchFile, directory_name};
use super::state::StateDirectory;
use super::swap::{Swap, classify_error};
use super::undone::{FailedCommit, RollbackResult};
use super::verify::identify;
use super::{CommitHook, Durability, Failure, Interrupt};
use crate::digest::Digest;
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::progress::{Phase, Progress};
use crate::text::is_same_name;
use crate::workspace::{AttributeSource, Directory, ErrorKind, RenameMode, Timestamp, Workspace};

/// The maximum number of files or directories that are synced one by one. For more of them, one
/// sync of the file system is cheaper.
const MAX_SINGLE_SYNCS: usize = 4;

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

impl Commit<'_> {
    /// Commits the changes of the journal, or rolls them back. Returns the locations of the old
    /// files, and the files that changed while the commit hooks ran.
    pub(super) fn run(
        &self,
        built: &BuiltJournal,
    ) -> Result<(OldFileLookup, Vec<RelPath>), FailedCommit> {
        self.write_intent(built)?;
        self.swap_and_record(built)
            .map_err(|cause| self.roll_back(built, cause))
    }

    /// Makes the staged files and the journal durable.
    ///
    /// If it fails, the tree is unchanged.
    fn write_intent(&self, built: &BuiltJournal) -> Result<(), Failure> {
        let temporary = self.scratch.file("journal.tmp")?;
        built
            .journal
            .changes
            .iter()
            .filter(|change| change.is_overwrite())
            .try_for_each(|it| self.copy_old_file(it))?;
        built.journal.write(self.workspace, self.scratch)?;
        if self.durability == Durability::Full {
            self.progress.enter(Phase::Syncing, 0);
            let staged: Vec<_> = self
                .staged_files(&built.journal.changes)
                .take(MAX_SINGLE_SYNCS + 1)
                .collect::<Result<_, _>>()?;
            if staged.len() > MAX_SINGLE_SYNCS || built.journal.has_buckets() {
                self.workspace.sync_all()?;
                if has_scratch_outside_state(&built.journal) {
                    // `sync_all` covers the file system of the root only. The state directory can
                    // be on another one.
                    self.workspace.sync(Some(&temporary))?;
                }
            } else {
                // Start writing all files first. The first fsync then commits the file system's
                // journal for every file whose blocks are already allocated.
                staged
                    .iter()
                    .skip(1)
                    .for_each(|(slot, _)| self.workspace.start_writeback(slot));
                self.workspace.start_writeback(&temporary);
                self.sync_files(&staged)?;
                self.workspace.sync(Some(&temporary))?;
            }
            self.sync_outside_state(&built.journal.changes)?;
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
        copied.map_err(|error| Failure::from(error).with_path(&change.path))
    }

    fn sync_files(&self, staged: &[(RelPath, &RelPath)]) -> Result<(), Failure> {
        let sync = |(slot, path): &(RelPath, &RelPath)| {
            self.workspace
                .sync(Some(slot))
                .map_err(|error| Failure::from(error).with_path(path))
        };
        staged.iter().try_for_each(sync)
    }

    /// Returns the staged regular files with their target paths. For an overwrite in place, also
    /// returns the copy of the old file. Symbolic links are not included, because a link's target
    /// is durable with its name.
    fn staged_files<'c>(
        &self,
        changes: impl IntoIterator<Item = &'c Change>,
    ) -> impl Iterator<Item = Result<(RelPath, &'c RelPath), Failure>> {
        let is_file = |change: &&'c Change| {
            change.source == Some(MoveInSource::Staged)
                && change
                    .after
                    .is_some_and(|after| after.kind == JournalFileKind::File)
        };
        let slots = |change: &'c Change| {
            let slots = if change.is_overwrite() {
                [ScratchFile::Staged, ScratchFile::Displaced].as_slice()
            } else {
                &[ScratchFile::Staged]
            };
            slots
                .iter()
                .map(|&slot| Ok((self.scratch.scratch_path(change, slot)?, &change.path)))
        };
        changes.into_iter().filter(is_file).flat_map(slots)
    }

    /// Syncs the scratch files outside the state directory. They can be on other file systems,
    /// which a sync of the root does not reach.
    fn sync_outside_state(&self, changes: &[Change]) -> Result<(), Failure> {
        let beside = || changes.iter().filter(|change| change.stage_depth.is_some());
        self.sync_files(&self.staged_files(beside()).collect::<Result<Vec<_>, _>>()?)?;
        let slots = beside().map(|change| self.scratch.scratch_path(change, ScratchFile::Staged));
        let directories = slots
            .map(|slot| Ok(slot?.parent()))
            .collect::<Result<BTreeSet<_>, Failure>>()?;
        directories
            .iter()
            .try_for_each(|directory| self.sync_directory(directory.as_ref()))
    }

    /// Swaps the files, syncs the names, runs the commit hooks and writes the commit record.
    fn swap_and_record(
        &self,
        built: &BuiltJournal,
    ) -> Result<(OldFileLookup, Vec<RelPath>), Failure> {
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
        let unremoved = swap.run()?;
        if self.durability == Durability::Full {
            self.progress.enter(Phase::Syncing, 0);
            self.sync_changed(built, &unremoved)?;
        }
        let altered = self.run_hooks(&built.journal)?;
        // After the commit record the command finishes, so this is the last check for a signal.
        if let Some(signal) = self.interrupt.signal() {
            return Err(Failure::Interrupted(signal));
        }
        self.write_commit_record()?;
        Ok((
            // Without these rename flags, an old file can have another scratch name than usual.
            if moves.has_rename_flags() {
                OldFileLookup::Journaled
            } else {
                OldFileLookup::Unknown
            },
            altered,
        ))
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
            self.workspace.sync_all()?;
        }
        Ok(altered)
    }

    /// Makes the names durable: first those of the old files in the state directory, then those in
    /// the tree. `unremoved` contains the directories that could not be removed.
    fn sync_changed(
        &self,
        arranged: &BuiltJournal,
        unremoved: &BTreeSet<&RelPath>,
    ) -> Result<(), Failure> {
        let journal = &arranged.journal;
        // These files keep their inode, so a sync of their directory does not cover them.
        let is_same_inode = |change: &&Change| change.is_mode_only() || change.is_overwrite();
        let files = journal
            .changes
            .iter()
            .filter(is_same_inode)
            .map(|change| &change.path);
        let made = journal.makes.iter().map(|made| &made.path);
        let removed = journal.removes.iter().map(|removed| &removed.path);
        let gone: BTreeSet<_> = removed.collect();
        let all = journal
            .changes
            .iter()
            .map(|change| &change.path)
            .chain(made.clone())
            .chain(gone.iter().copied());
        let is_there = |directory: &Option<RelPath>| {
            directory
                .as_ref()
                .is_none_or(|path| unremoved.contains(path) || !gone.contains(path))
        };
        let mut changed: BTreeSet<_> = all.map(RelPath::parent).filter(is_there).collect();
        changed.extend(files.chain(made).cloned().map(Some));
        let out = journal
            .removes
            .iter()
            .enumerate()
            .filter(|(_, removed)| !unremoved.contains(&removed.path));
        let out: Vec<_> = out
            .map(|(index, _)| self.scratch.file(directory_name(index)))
            .collect::<Result<_, _>>()?;
        let is_few = changed.len() + out.len() <= MAX_SINGLE_SYNCS
            && !has_cross_directory_moves(journal)
            && !journal.has_buckets();
        if !is_few {
            self.workspace.sync_all()?;
        }
        if is_few || has_scratch_outside_state(journal) {
            self.workspace.sync(Some(&self.scratch.directory))?;
            changed
                .iter()
                .try_for_each(|directory| self.sync_directory(directory.as_ref()))?;
            // The removed directories are scratch files now. They must be durably empty, or the
            // sweep could not remove them after a power loss.
            out.iter().try_for_each(|directory| {
                failure::ignore_missing(self.workspace.sync(Some(directory)))
            })?;
        }
        Ok(())
    }

    /// Makes the names in a directory of the tree durable.
    fn sync_directory(&self, directory: Directory<'_>) -> Result<(), Failure> {
        let signs = [ErrorKind::Missing, ErrorKind::NotRegular];
        self.workspace
            .sync(directory)
            .map_err(|error| match directory {
                Some(path) => classify_error(error, path, &signs),
                None => error.into(),
            })
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
    fn roll_back(&self, built: &BuiltJournal, cause: Failure) -> FailedCommit {
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
            Ok(true) => rollback.run(),
            Err(trouble) => RollbackResult {
                left: Vec::new(),
                kept: Vec::new(),
                error: Some(trouble),
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

/// Returns whether a scratch file is outside the state directory.
fn has_scratch_outside_state(journal: &Journal) -> bool {
    let mut changes = journal.changes.iter();
    changes.any(|change| change.stage_depth.is_some())
}

/// Returns whether a file moves from one directory to another.
///
/// With one sync per directory, the old name could be lost before the new name is durable. wpatch
/// does not rely on file systems that write both directories in one sync.
fn has_cross_directory_moves(journal: &Journal) -> bool {
    let leaving = journal.outgoing_changes();
    let is_away = |change: &Change| {
        change
            .source_change(&leaving)
            .is_some_and(|it| it.path.parent_bytes() != change.path.parent_bytes())
    };
    journal.changes.iter().any(is_away)
}
