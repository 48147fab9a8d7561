//! The swap: puts the staged files in place. Each old file remains as a scratch file.
//!
//! One thread moves the old files out, in the order of the journal. If there are many, a second
//! thread verifies them, and several threads move the new files in.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::change::{Change, ChangesByNumber, DirAttributes, MoveInSource};
use super::failure::check_interrupt;
use super::journal::{CreatedDirectory, Journal};
use super::moves::FileMover;
use super::pipeline::run_pipeline;
use super::scratch::{self, Scratch, ScratchFile};
use super::staged::FoundFiles;
use super::verify::is_unchanged;
use super::{Failure, Interrupt};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::progress::{Phase, Progress};
use crate::threads;
use crate::workspace::{DirectoryPermissions, ErrorKind, ModeProbe, Timestamp, WorkspaceError};

/// The number of files from which a second thread is used.
const PARALLEL_MIN: usize = 256;

/// A swap in progress.
pub(super) struct Swap<'a> {
    pub(super) moves: &'a FileMover<'a>,
    pub(super) scratch: &'a Scratch,
    pub(super) journal: &'a Journal,
    /// The changes whose old files are moved out.
    pub(super) moved_out: &'a ChangesByNumber<'a>,
    /// The files found at the paths.
    pub(super) found: &'a FoundFiles,
    /// A time before any file was read.
    pub(super) since: Timestamp,
    pub(super) interrupt: &'a Interrupt,
    pub(super) progress: &'a Progress,
}

impl Swap<'_> {
    /// Carries out all changes. Returns the directories that could not be removed.
    ///
    /// # Errors
    ///
    /// Stops at the first error, or at a file that has changed since it was read. The caller must
    /// then roll back.
    pub(super) fn run(&self) -> Result<BTreeSet<&RelPath>, Failure> {
        let changes = &self.journal.changes;
        self.progress.enter(Phase::Swapping, changes.len());
        self.check_interrupt()?;
        // Deletions and moves out come first, because they free names and space.
        self.move_all_out()?;
        let mut unremoved = BTreeSet::new();
        // The list has parents first, so the reverse order empties inner directories first.
        for (index, removed) in self.journal.removes.iter().enumerate().rev() {
            self.check_interrupt()?;
            if !self.move_dir_out(
                &removed.path,
                &self.scratch.file(scratch::directory_name(index))?,
            )? {
                unremoved.insert(&removed.path);
            }
        }
        for made in &self.journal.makes {
            self.check_interrupt()?;
            let made_dir = self
                .moves
                .workspace
                .make_dir(&made.path, DirectoryPermissions::Shared);
            made_dir.map_err(|error| classify_error(error, &made.path, &[ErrorKind::Exists]))?;
        }
        self.exchange_all()?;
        self.move_all_in()?;
        for change in changes.iter().filter(|change| change.is_overwrite()) {
            self.check_interrupt()?;
            self.overwrite(change)?;
            self.progress.step(1);
        }
        for change in changes.iter().filter(|change| change.is_mode_only()) {
            self.check_interrupt()?;
            self.set_mode(change)?;
        }
        // The permission bits of new directories come last and inner directories first, because
        // some bits prevent the creation of files.
        for made in self.journal.makes.iter().rev() {
            self.check_interrupt()?;
            self.set_dir_attributes(made)?;
        }
        self.check_interrupt()?;
        Ok(unremoved)
    }

    fn check_interrupt(&self) -> Result<(), Failure> {
        check_interrupt(self.interrupt)
    }

    fn move_all_out(&self) -> Result<(), Failure> {
        let changes = self.journal.changes.iter();
        let leaving: Vec<_> = changes
            .filter(|change| change.moves_out && change.before.is_some())
            .collect();
        run_pipeline(
            &leaving,
            PARALLEL_MIN,
            |&change| {
                self.check_interrupt()?;
                Ok((change, self.move_out(change)?))
            },
            |(change, slot)| {
                self.check_interrupt()?;
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
        run_pipeline(
            &exchanged,
            PARALLEL_MIN,
            |&change| {
                self.check_interrupt()?;
                let slot = self.exchange(change)?;
                self.progress.step(1);
                Ok((change, slot))
            },
            |(change, slot)| {
                self.check_interrupt()?;
                slot.map_or(Ok(()), |slot| self.verify(change, &slot))
            },
        )
    }

    /// Moves in all files whose old file was moved out or never existed. With many files, several
    /// threads each process whole directories. An error in one thread stops all of them.
    fn move_all_in(&self) -> Result<(), Failure> {
        let changes = self.journal.changes.iter();
        let coming: Vec<_> = changes
            .filter(|change| !change.is_exchange() && !change.is_overwrite())
            .collect();
        // A change that only moves a file out has nothing left to do here.
        let are_many = coming
            .iter()
            .filter(|change| change.source.is_some())
            .count()
            >= PARALLEL_MIN;
        let is_stopped = AtomicBool::new(false);
        let put_in = |some: &[&Change]| {
            let mut some = some
                .iter()
                .take_while(|_| !is_stopped.load(Ordering::Relaxed));
            let put = some.try_for_each(|change| {
                self.check_interrupt()?;
                self.move_in(change, are_many)?;
                self.progress.step(1);
                Ok(())
            });
            put.inspect_err(|_| is_stopped.store(true, Ordering::Relaxed))
        };
        if are_many {
            let directories: Vec<_> = coming
                .chunk_by(|a, b| a.path.parent_bytes() == b.path.parent_bytes())
                .collect();
            threads::map_parallel(&directories, 1, |&changes| put_in(changes))
                .into_iter()
                .collect()
        } else {
            put_in(&coming)
        }
    }

    /// Moves a file out and returns its new path. The caller must verify it.
    fn move_out(&self, change: &Change) -> Result<RelPath, Failure> {
        let slot = self.scratch.scratch_path(change, ScratchFile::Displaced)?;
        let taken = self.moves.move_out(&change.path, &slot);
        taken.map_err(|error| classify_error(error, &change.path, &[ErrorKind::Missing]))?;
        Ok(slot)
    }

    /// Moves an empty directory out and returns whether it is gone.
    ///
    /// Like git, it leaves a directory that is not empty or that this user may not remove. A later
    /// create of a file at this path then fails.
    ///
    /// The directory is renamed, so that a rollback restores its owner and attributes. If the
    /// rename fails, it is removed.
    fn move_dir_out(&self, path: &RelPath, slot: &RelPath) -> Result<bool, Failure> {
        let workspace = self.moves.workspace;
        let is_empty = |path: &RelPath| match workspace.list(Some(path)) {
            Ok(names) => Ok(names.is_empty()),
            // rmdir(2) needs no read permission on the directory, so removing it can still succeed.
            Err(error) if matches!(error.kind, ErrorKind::Missing | ErrorKind::Denied) => Ok(true),
            Err(error) => Err(error),
        };
        if !is_empty(path)? {
            return Ok(false);
        }
        if self.moves.move_out(path, slot).is_err() && workspace.stat(slot)?.is_none() {
            return self.remove_dir(path);
        }
        // Another process can have created a file between the listing and the rename.
        if is_empty(slot)? {
            return Ok(true);
        }
        self.moves
            .move_in(slot, path)
            .map_err(|error| classify_error(error, path, &[ErrorKind::Exists]))?;
        Ok(false)
    }

    fn set_dir_attributes(
        &self,
        CreatedDirectory { path, standing }: &CreatedDirectory,
    ) -> Result<(), Failure> {
        let Some(DirAttributes { mode, uid, gid }) = *standing else {
            return Ok(());
        };
        let restored = self.moves.workspace.restore_dir(path, mode, (uid, gid));
        restored.map_err(|error| classify_error(error, path, &[ErrorKind::Missing]))
    }

    fn remove_dir(&self, path: &RelPath) -> Result<bool, Failure> {
        match self.moves.workspace.remove_dir(path) {
            Err(error) if error.kind == ErrorKind::Missing => Ok(true),
            Err(error) if matches!(error.kind, ErrorKind::NotEmpty | ErrorKind::Denied) => {
                Ok(false)
            }
            removed => Ok(removed.map(|()| true)?),
        }
    }

    /// Exchanges the new and the old file. Returns the path of the old file, or `None` if it was
    /// already verified.
    fn exchange(&self, change: &Change) -> Result<Option<RelPath>, Failure> {
        let new = self.scratch.scratch_path(change, ScratchFile::Staged)?;
        if let Some(exchanged) = self.moves.exchange(&new, &change.path) {
            exchanged
                .map_err(|error| classify_error(error, &change.path, &[ErrorKind::Missing]))?;
            return Ok(Some(new));
        }
        // This file system cannot exchange files: move out, verify, then move in.
        self.verify(change, &self.move_out(change)?)?;
        let put = self.moves.move_in(&new, &change.path);
        put.map_err(|error| classify_error(error, &change.path, &[ErrorKind::Exists]))?;
        Ok(None)
    }

    /// Moves the new file in. If it is one of `many`, a staged file is moved by link(2) and
    /// unlink(2).
    fn move_in(&self, change: &Change, many: bool) -> Result<(), Failure> {
        let Some(slot) = self.scratch.source_path(change, self.moved_out)? else {
            return Ok(());
        };
        let put = match change.source {
            Some(MoveInSource::Staged) if many => self.moves.link_in(&slot, &change.path),
            _ => self.moves.move_in(&slot, &change.path),
        };
        put.map_err(|error| classify_error(error, &change.path, &[ErrorKind::Exists]))
    }

    /// Overwrites the old file in place with the new content. A copy of the old file exists.
    fn overwrite(&self, change: &Change) -> Result<(), Failure> {
        self.verify(change, &change.path)?;
        let Some(found) = self.found.get(change.number) else {
            return Ok(());
        };
        let new = self.moves.workspace.read_in_parts(
            &self.scratch.scratch_path(change, ScratchFile::Staged)?,
            u64::MAX,
            self.interrupt,
        );
        let (bytes, _) = new.map_err(|error| Failure::from(error).with_path(&change.path))?;
        let written = self
            .moves
            .workspace
            .overwrite(&change.path, &bytes, &found.stat);
        written.map_err(|error| {
            classify_error(
                error,
                &change.path,
                &[ErrorKind::Missing, ErrorKind::NotRegular],
            )
        })?;
        self.set_permissions(change)
    }

    /// Changes the mode of the file in place. A file with other hard links was staged as an update
    /// instead, unless its links must stay.
    fn set_mode(&self, change: &Change) -> Result<(), Failure> {
        self.verify(change, &change.path)?;
        self.set_permissions(change)
    }

    fn set_permissions(&self, change: &Change) -> Result<(), Failure> {
        let Some(mode) = change.after.as_ref().and_then(|after| after.mode) else {
            return Ok(());
        };
        let workspace = self.moves.workspace;
        let set = workspace.set_permissions(&change.path, Permissions::Exact(mode));
        let found = self.found.get(change.number).map(|found| found.stat);
        let stat = workspace.stat(&change.path)?;
        // Another process can replace the file after `verify`, so compare the inode too.
        let is_same = stat.is_some_and(|stat| Some(stat.inode) == found.map(|found| found.inode));
        let has = |mode| stat.is_some_and(|stat| is_same && Some(stat.permissions) == mode);
        if set.is_ok() && has(Some(mode)) {
            return Ok(());
        }
        // A file system without permission bits ignores the change. git ignores it there too.
        let above = change.path.parent();
        if has(found.map(|found| found.permissions))
            && workspace.stored_bits(above.as_ref(), mode, ModeProbe::Named) != Some(mode)
        {
            return Ok(());
        }
        set?;
        Err(Failure::Stale(vec![change.path.clone()]))
    }

    /// Verifies an old file after it was moved out. Before that, another process could still change
    /// it unnoticed.
    fn verify(&self, change: &Change, slot: &RelPath) -> Result<(), Failure> {
        let is_same = match self.found.get(change.number) {
            Some(found) => {
                let (workspace, interrupt) = (self.moves.workspace, self.interrupt);
                is_unchanged(workspace, slot, (found, self.since), interrupt)
                    .map_err(|failure| failure.with_path(&change.path))?
            }
            None => false,
        };
        if is_same {
            Ok(())
        } else {
            Err(Failure::Stale(vec![change.path.clone()]))
        }
    }
}

/// Returns [`Failure::Stale`] for an error that another process caused, and otherwise `error` about
/// `path`. `signs` lists the faults that show such a cause.
pub(super) fn classify_error(
    error: WorkspaceError,
    path: &RelPath,
    stale_kinds: &[ErrorKind],
) -> Failure {
    let is_foreign = matches!(error.kind, ErrorKind::ThroughLink | ErrorKind::NotDirectory)
        || stale_kinds.contains(&error.kind);
    if is_foreign {
        Failure::Stale(vec![path.clone()])
    } else {
        Failure::from(error).with_path(path)
    }
}
