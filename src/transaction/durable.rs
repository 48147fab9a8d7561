//! Makes the files and names of a commit durable.

use std::collections::BTreeSet;

use super::build_journal::BuiltJournal;
use super::change::{Change, JournalFileKind, MoveInSource};
use super::commit::Commit;
use super::journal::Journal;
use super::scratch::{ScratchFile, directory_name};
use super::swap::classify_error;
use super::sync_all::sync_all_or;
use super::{Failure, failure};
use crate::path::RelPath;
use crate::threads;
use crate::workspace::{Directory, ErrorKind};

/// The maximum number of files or directories that are synced one by one. For more of them, one
/// sync of the file system is cheaper.
const MAX_SINGLE_SYNCS: usize = 4;
/// The number of files from which a second thread syncs some of them.
const MIN_PARALLEL_SYNCS: usize = 32;

impl Commit<'_> {
    /// Makes the staged files and the journal durable, which is still at `temporary`.
    pub(super) fn sync_staged(
        &self,
        journal: &Journal,
        temporary: &RelPath,
    ) -> Result<(), Failure> {
        let staged: Vec<_> = self
            .staged_files(&journal.changes)
            .take(MAX_SINGLE_SYNCS + 1)
            .collect::<Result<_, _>>()?;
        let sync_each = || {
            let staged: Result<Vec<_>, _> = self.staged_files(&journal.changes).collect();
            self.sync_files(&staged?)?;
            for directory in self.scratch_directories(journal)? {
                failure::ignore_missing(self.workspace.sync(Some(&directory)))?;
            }
            Ok(self.workspace.sync(Some(temporary))?)
        };
        if staged.len() > MAX_SINGLE_SYNCS || journal.has_buckets() {
            let is_covered = sync_all_or(self.workspace, sync_each)?;
            if is_covered && has_scratch_outside_state(journal) {
                // `sync_all` covers the file system of the root only. The state directory can be
                // on another one.
                self.workspace.sync(Some(temporary))?;
            }
        } else {
            // Start writing all files first. The first fsync then commits the file system's
            // journal for every file whose blocks are already allocated.
            staged
                .iter()
                .skip(1)
                .for_each(|(slot, _)| self.workspace.start_writeback(slot));
            self.workspace.start_writeback(temporary);
            self.sync_files(&staged)?;
            self.workspace.sync(Some(temporary))?;
        }
        self.sync_outside_state(&journal.changes)
    }

    /// Syncs a file that a commit hook changed, and its directory.
    pub(super) fn sync_altered(&self, path: &RelPath) -> Result<(), Failure> {
        match self.workspace.sync(Some(path)) {
            Err(error)
                if matches!(
                    error.kind,
                    ErrorKind::Missing | ErrorKind::NotRegular | ErrorKind::ThroughLink
                ) => {}
            synced => synced?,
        }
        let directory = self.workspace.sync(path.parent().as_ref());
        Ok(failure::ignore_missing(directory)?)
    }

    /// Returns the directories in the location of the transaction that contain scratch files.
    fn scratch_directories(&self, journal: &Journal) -> Result<BTreeSet<RelPath>, Failure> {
        let changes = journal.changes.iter();
        let own = changes.filter(|change| change.stage_depth.is_none());
        let slots = own.map(|change| {
            self.scratch
                .own_scratch_path(ScratchFile::Displaced, change.number)
        });
        let buckets = slots
            .map(|slot| Ok(slot?.parent()))
            .collect::<Result<BTreeSet<_>, Failure>>()?;
        Ok(buckets
            .into_iter()
            .flatten()
            .chain([self.scratch.directory.clone()])
            .collect())
    }

    /// Writes the staged files to the device. A later sync makes them durable.
    fn sync_files(&self, staged: &[(RelPath, &RelPath)]) -> Result<(), Failure> {
        let sync = |(slot, path): &(RelPath, &RelPath)| {
            self.workspace
                .write_to_device(slot)
                .map_err(|error| Failure::from(error).with_path(path))
        };
        threads::map_parallel(staged, MIN_PARALLEL_SYNCS, sync)
            .into_iter()
            .collect()
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

    /// Makes the names durable: first those of the old files in the state directory, then those in
    /// the tree. `unremoved` contains the directories that could not be removed.
    pub(super) fn sync_changed(
        &self,
        built: &BuiltJournal,
        unremoved: &BTreeSet<&RelPath>,
    ) -> Result<(), Failure> {
        let journal = &built.journal;
        let changed = changed_paths(journal, unremoved);
        let removes = journal.removes.iter().enumerate();
        let removed = removes.filter(|(_, removed)| !unremoved.contains(&removed.path));
        let removed: Vec<_> = removed
            .map(|(index, _)| self.scratch.file(directory_name(index)))
            .collect::<Result<_, _>>()?;
        let sync_each = || self.sync_names(journal, &changed, &removed);
        let is_few = changed.len() + removed.len() <= MAX_SINGLE_SYNCS
            && !has_cross_directory_moves(journal)
            && !journal.has_buckets();
        if is_few {
            return sync_each();
        }
        let is_covered = sync_all_or(self.workspace, sync_each)?;
        if is_covered && has_scratch_outside_state(journal) {
            sync_each()?;
        }
        Ok(())
    }

    /// Syncs the directories with scratch files, then the directories and files `changed`, then the
    /// scratch directories `removed`.
    fn sync_names(
        &self,
        journal: &Journal,
        changed: &BTreeSet<Option<RelPath>>,
        removed: &[RelPath],
    ) -> Result<(), Failure> {
        for directory in self.scratch_directories(journal)? {
            failure::ignore_missing(self.workspace.sync(Some(&directory)))?;
        }
        changed
            .iter()
            .try_for_each(|directory| self.sync_directory(directory.as_ref()))?;
        // The removed directories are scratch files now. They must be durably empty, or the sweep
        // could not remove them after a power loss.
        for directory in removed {
            failure::ignore_missing(self.workspace.sync(Some(directory)))?;
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
}

/// Returns the directories whose names changed, and the files that changed but kept their inode. A
/// sync of a directory does not cover the latter.
fn changed_paths(journal: &Journal, unremoved: &BTreeSet<&RelPath>) -> BTreeSet<Option<RelPath>> {
    let is_same_inode = |change: &&Change| change.is_mode_only() || change.is_overwrite();
    let changes = journal.changes.iter();
    let files = changes
        .clone()
        .filter(is_same_inode)
        .map(|change| &change.path);
    let made = journal.makes.iter().map(|made| &made.path);
    let gone: BTreeSet<_> = journal
        .removes
        .iter()
        .map(|removed| &removed.path)
        .collect();
    let all = changes
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
    changed
}

/// Returns whether a scratch file is outside the state directory.
fn has_scratch_outside_state(journal: &Journal) -> bool {
    let mut changes = journal.changes.iter();
    changes.any(|change| change.stage_depth.is_some())
}

/// Returns whether a file moves from one directory to another.
///
/// With one sync per directory, the old name could be lost before the new name is durable. wpatch
/// does not rely on file systems that write both directories in one sync, except on systems that
/// have no sync of all files. Their usual file systems (APFS, NTFS, UFS) never write the removal of
/// the old name before the new name.
fn has_cross_directory_moves(journal: &Journal) -> bool {
    let leaving = journal.outgoing_changes();
    let is_away = |change: &Change| {
        change
            .source_change(&leaving)
            .is_some_and(|it| it.path.parent_bytes() != change.path.parent_bytes())
    };
    journal.changes.iter().any(is_away)
}
