//! Derives the operations that reverse an entry of the history.

use std::collections::BTreeSet;

use super::PredictedTree;
use crate::engine::index::back::index_record;
use crate::engine::stages::Resolved;
use crate::engine::task::CommandRun;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, Edit, ExpectedFile, Operation, Precondition, Restore, put_file};
use crate::preflight::{Problem, code};
use crate::transaction::history::{
    EntryFile, HistoryEntry, OldContentLocation, TransactionLabel, UndoChain, Version,
};
use crate::transaction::{Failure, Transaction};

/// Returns the label of the transaction that undoes `chosen`.
pub(super) fn undo_label(
    task: &CommandRun<'_>,
    chosen: Vec<HistoryEntry>,
    (transaction, resolved): (&Transaction<'_>, &Resolved),
) -> TransactionLabel {
    TransactionLabel {
        command: task.command.name.to_owned(),
        is_redo: chosen.iter().any(|entry| !UndoChain::is_change(entry)),
        undoes: chosen.into_iter().map(|entry| entry.id).collect(),
        index: index_record(resolved),
        session: None,
        audit: task.audit_context(transaction, resolved),
    }
}

/// The reversal of one entry.
pub(super) struct EntryReversal<'a> {
    pub(super) entry: &'a HistoryEntry,
    pub(super) step: usize,
    pub(super) is_forced: bool,
    /// The predicted tree after the reversals before this one.
    pub(super) predicted: &'a PredictedTree<'a>,
}

impl EntryReversal<'_> {
    /// Returns the operations of the reversal.
    pub(super) fn operations(&self) -> Result<Vec<Operation>, Failure> {
        let mut operations = Vec::new();
        for file in &self.entry.files {
            self.add_file_operations(file, &mut operations)?;
        }
        self.add_directory_operations(&mut operations)?;
        Ok(operations)
    }

    /// Adds the operations that restore one file.
    fn add_file_operations(
        &self,
        file: &EntryFile,
        operations: &mut Vec<Operation>,
    ) -> Result<(), Failure> {
        let here = self.current_kind(file)?;
        let plain = Operation {
            guard: Some(Box::new(self.guard(file.after))),
            ..self.operation(Action::Modify, &file.path)
        };
        match (&file.old_content, file.before) {
            (OldContentLocation::MovedTo(to), Some(before)) => {
                // In the same change, a new file took the old path. It is deleted first.
                if let Some(kind) = here.filter(|_| file.from.is_none()) {
                    operations.push(Operation {
                        action: Action::Delete,
                        old_mode: Some(mode_of_kind(kind)),
                        ..plain.clone()
                    });
                }
                let there = self.entry.file(to).and_then(|other| other.after);
                operations.push(Operation {
                    from: Some(to.clone()),
                    guard: Some(Box::new(self.guard(there))),
                    old_mode: there.map(mode_of_version),
                    permissions: before
                        .permissions
                        .filter(|_| before.kind == FileKind::Regular),
                    ..self.operation(Action::Rename, &file.path)
                });
            }
            (OldContentLocation::Kept(from), Some(before)) => {
                operations.extend(restore_operations(from, before, here, plain));
            }
            // The content did not change, so only the permissions are restored.
            (OldContentLocation::None, Some(before)) => {
                operations.push(Operation {
                    permissions: before.permissions,
                    ..plain
                });
            }
            (OldContentLocation::None, None)
                if file.from.is_none() && (here.is_some() || !self.is_forced) =>
            {
                operations.push(Operation {
                    action: Action::Delete,
                    old_mode: here.map(mode_of_kind),
                    ..plain
                });
            }
            // The target of a rename has no operation of its own, because the source moves it back.
            // `lost_problems` reports a lost content.
            _ => {}
        }
        Ok(())
    }

    /// Returns the guard of a path that must have `version`, or must not exist if `version` is
    /// `None`.
    fn guard(&self, version: Option<Version>) -> Precondition {
        match version {
            _ if self.is_forced => Precondition::Any,
            Some(version) => {
                let bits = version
                    .permissions
                    .filter(|_| version.kind == FileKind::Regular);
                Precondition::Contents(ExpectedFile {
                    kind: version.kind,
                    digest: version.digest,
                    permissions: bits,
                })
            }
            None => Precondition::Absent,
        }
    }

    /// Returns the problems that `force` cannot overcome: a directory that is not empty at the path
    /// of a file.
    pub(super) fn find_obstacles(&self) -> Result<Vec<Problem>, Failure> {
        let mut problems = Vec::new();
        for file in self.entry.files.iter().filter(|_| self.is_forced) {
            let is_directory = self.current_kind(file)? == Some(FileKind::Directory);
            if is_directory && !self.predicted.names(&file.path)?.is_empty() {
                let problem = Problem::new(
                    &code::CONFLICT,
                    "a directory that is not empty exists at this path",
                );
                problems.push(Problem {
                    path: Some(file.path.clone()),
                    ..problem
                });
            }
        }
        Ok(problems)
    }

    /// Returns the type of the file to replace. With `force` this is the type of the existing file,
    /// otherwise the type that the entry left.
    fn current_kind(&self, file: &EntryFile) -> Result<Option<FileKind>, Failure> {
        if !self.is_forced {
            return Ok(file.after.map(|after| after.kind));
        }
        self.predicted.kind(&file.path)
    }

    /// Adds the operations for directories without files. A directory that the entry created empty
    /// is removed. An empty directory that the entry removed is created. A directory into which
    /// only the entry put files is kept. A path that is not a file of the entry is a submodule.
    fn add_directory_operations(&self, operations: &mut Vec<Operation>) -> Result<(), Failure> {
        let is_above = |directory: &&RelPath, file: &EntryFile| file.path.is_below(directory);
        let is_empty = |directory: &&RelPath, side: fn(&EntryFile) -> bool| {
            !self
                .entry
                .files
                .iter()
                .any(|file| side(file) && is_above(directory, file))
        };
        let submodule = Some(FileMode::Submodule);
        let edit = |path| {
            if self.entry.file(path).is_some() {
                Edit::Directory
            } else {
                Edit::Keep
            }
        };
        // Parents come first in `made`, so the reverse order removes inner directories first.
        for path in self
            .entry
            .created_dirs
            .iter()
            .rev()
            .filter(|path| is_empty(path, |file| file.after.is_some()))
        {
            operations.push(Operation {
                edit: edit(path),
                old_mode: submodule,
                ..self.operation(Action::Delete, path)
            });
        }
        for path in self
            .entry
            .removed_dirs
            .keys()
            .filter(|path| is_empty(path, |file| file.before.is_some()))
        {
            operations.push(Operation {
                edit: edit(path),
                new_mode: submodule,
                ..self.operation(Action::Create, path)
            });
        }
        for path in self.empty_directories()? {
            operations.push(Operation {
                edit: Edit::Directory,
                new_mode: submodule,
                ..self.operation(Action::Create, &path)
            });
        }
        Ok(())
    }

    /// Returns the directories that were empty before the entry added files to them.
    fn empty_directories(&self) -> Result<BTreeSet<RelPath>, Failure> {
        let HistoryEntry {
            files,
            created_dirs: made,
            removed_dirs: removed,
            ..
        } = self.entry;
        let came = files
            .iter()
            .filter(|file| file.before.is_none() && file.after.is_some())
            .map(|file| &file.path);
        let came: BTreeSet<_> = came.chain(made).collect();
        let went = files
            .iter()
            .filter(|file| file.before.is_some())
            .map(|file| &file.path);
        let went: Vec<_> = went.chain(removed.keys()).collect();
        let mut found = BTreeSet::new();
        for parent in came
            .iter()
            .filter_map(|path| path.parent())
            .collect::<BTreeSet<_>>()
        {
            if came.contains(&parent) || went.iter().any(|path| path.is_below(&parent)) {
                continue;
            }
            let is_ours = |name: &Vec<u8>| parent.join(name).is_ok_and(|path| came.contains(&path));
            let is_directory = self.predicted.kind(&parent)? == Some(FileKind::Directory);
            if is_directory && self.predicted.names(&parent)?.iter().all(is_ours) {
                found.insert(parent);
            }
        }
        Ok(found)
    }

    fn operation(&self, action: Action, path: &RelPath) -> Operation {
        Operation {
            input: self.step,
            step: self.step,
            part: self.step,
            ..Operation::new(action, path.clone())
        }
    }
}

/// Returns the operations that restore the version `before`, which is kept at `from`. `here` is the
/// type of the existing file. `plain` supplies the path and the guard.
fn restore_operations(
    from: &RelPath,
    before: Version,
    here: Option<FileKind>,
    plain: Operation,
) -> Vec<Operation> {
    let edit = Edit::Restore(Box::new(Restore {
        from: from.clone(),
        kind: before.kind,
        digest: before.digest,
    }));
    let permissions = before
        .permissions
        .filter(|_| before.kind == FileKind::Regular);
    let restored = Operation {
        edit,
        permissions,
        new_mode: Some(mode_of_version(before)),
        ..plain
    };
    put_file(restored, here)
}

fn mode_of_version(version: Version) -> FileMode {
    FileMode::of(version.kind, version.permissions)
}

/// Returns the mode of a file of this kind that is not executable. A directory in a plan is a
/// submodule.
fn mode_of_kind(kind: FileKind) -> FileMode {
    FileMode::of(kind, None)
}
