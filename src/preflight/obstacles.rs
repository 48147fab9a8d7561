//! Finds the changes that the file system would refuse, without a write: protected files, directories
//! that this user cannot write to, read-only file systems.
//!
//! Each check has the same result as the later system call, unless another process changes the tree
//! in between. A change that the system would permit is never refused. If an answer is unknown, the
//! commit decides.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use super::codes::code;
use super::denied::refusal;
use super::findings::Findings;
use super::problem::Problem;
use crate::change::{Content, FileChange, Postimage};
use crate::mode::{FileKind, Permissions, with_execution};
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::workspace::disk::advice;
use crate::workspace::{
    Directory, EntryRights, ErrorKind, InPlaceChange, ModeProbe, ProtectedError, Protection, Stat,
    StickyBitError, Workspace, WorkspaceError,
};

/// The rights on the entries of each directory, by its path. The empty path is the root.
///
/// For a missing directory, these are the rights on the entries of the nearest existing directory
/// above it, which the error names.
#[derive(Debug, Default)]
pub(crate) struct RightsCache(Mutex<HashMap<Box<[u8]>, KnownRights>>);

/// The rights, or the error with which the system refuses every change of entries.
type KnownRights = Result<EntryRights, Arc<WorkspaceError>>;

/// Checks changes.
pub(crate) struct Obstacles<'a> {
    pub(crate) workspace: &'a dyn Workspace,
    pub(crate) rights: &'a RightsCache,
    /// Whether a file with several hard links is overwritten in place.
    pub(crate) keeps_hard_links: bool,
}

impl Obstacles<'_> {
    /// Adds a problem to the last operation on the path of each change that would be refused.
    /// Returns whether there is none.
    pub(super) fn report(
        &self,
        plan: &Plan,
        changes: &[FileChange],
        all: &mut [(usize, Findings)],
    ) -> bool {
        let mut is_free = true;
        for change in changes {
            let Some(problem) = self.find(change) else {
                continue;
            };
            is_free = false;
            let place = all
                .iter()
                .rposition(|(index, _)| is_about(&plan.operations[*index], change));
            let place = place.or_else(|| all.len().checked_sub(1));
            if let Some((index, findings)) = place.map(|place| &mut all[place]) {
                findings.refuse(problem);
                findings.set_operations(plan, *index);
            }
        }
        is_free
    }

    /// Returns the problem of `change`, if the system would refuse it, and the index of the last
    /// operation of `plan` on its path.
    pub(crate) fn find_in_plan(
        &self,
        plan: &Plan,
        change: &FileChange,
    ) -> Option<(usize, Problem)> {
        let mut problem = self.find(change)?;
        let place = plan
            .operations
            .iter()
            .rposition(|operation| is_about(operation, change))?;
        problem.set_operation(plan, place);
        Some((place, problem))
    }

    /// Returns the problem of `change`, if the system would refuse it.
    fn find(&self, change: &FileChange) -> Option<Problem> {
        let FileChange {
            path,
            before,
            after,
        } = change;
        let found = before.as_ref().map(|state| &state.stat);
        let is_directory = |kind| kind == FileKind::Directory;
        // The directory of a submodule stays.
        if found.is_some_and(|stat| is_directory(stat.kind))
            && after.as_ref().is_some_and(|after| is_directory(after.kind))
        {
            return None;
        }
        if let Some(protection) = found.and_then(|stat| stat.protection) {
            return Some(protected_problem(path, protection));
        }
        let Some(after) = after else {
            return self.check_entry(path, found);
        };
        match (&after.content, found) {
            (Content::Unchanged, Some(stat)) if !self.is_replaced(stat) => {
                self.check_in_place(path, InPlaceChange::Mode, stat)
            }
            (Content::Bytes(_), Some(stat)) if self.is_overwritten(stat, after) => {
                let content = self.check_in_place(path, InPlaceChange::Content, stat);
                content.or_else(|| {
                    let changes_mode = new_bits(stat, after) != stat.permissions;
                    changes_mode
                        .then(|| self.check_in_place(path, InPlaceChange::Mode, stat))
                        .flatten()
                })
            }
            (Content::MovedFrom(from, state), _) => match state.stat.protection {
                Some(protection) => Some(protected_problem(from, protection)),
                None => self
                    .check_entry(from, Some(&state.stat))
                    .or_else(|| self.check_entry(path, found)),
            },
            _ => self.check_entry(path, found),
        }
    }

    /// Returns whether a change of the mode replaces the file: its other hard links keep their mode.
    fn is_replaced(&self, stat: &Stat) -> bool {
        stat.kind == FileKind::Regular && stat.links > 1 && !self.keeps_hard_links
    }

    /// Returns whether the content of the file is overwritten in place.
    fn is_overwritten(&self, stat: &Stat, after: &Postimage) -> bool {
        let are_files = stat.kind == FileKind::Regular && after.kind == FileKind::Regular;
        are_files && stat.links > 1 && self.keeps_hard_links
    }

    /// Checks that the entry at `path` can be created, or replaced or removed if it is the file
    /// `stat`.
    fn check_entry(&self, path: &RelPath, stat: Option<&Stat>) -> Option<Problem> {
        let rights = match self.rights_at(path) {
            Ok(rights) => rights,
            Err(error) => return refusal_problem(path, &error),
        };
        let stat = stat?;
        let cause: Box<dyn std::error::Error + Send + Sync> = if rights.is_append_only {
            Box::new(ProtectedError(Protection::AppendOnly))
        } else if rights.is_sticky && stat.uid != self.workspace.user() {
            Box::new(StickyBitError { owner: stat.uid })
        } else {
            return None;
        };
        let directory = path.parent();
        let error = WorkspaceError {
            verb: "rename",
            path: directory.map_or_else(|| ".".to_owned(), |directory| directory.to_string()),
            kind: ErrorKind::Denied,
            source: io::Error::new(io::ErrorKind::PermissionDenied, cause),
        };
        refusal_problem(path, &error)
    }

    /// Checks that the file `stat` at `path` can be changed without a new inode.
    fn check_in_place(
        &self,
        path: &RelPath,
        change: InPlaceChange,
        stat: &Stat,
    ) -> Option<Problem> {
        let error = self.workspace.check_in_place(path, change).err()?;
        if error.kind != ErrorKind::Denied {
            return None;
        }
        if change == InPlaceChange::Mode {
            // A file system without permission bits ignores the change.
            let (directory, bits) = (path.parent(), stat.permissions);
            self.workspace
                .stored_bits(directory.as_ref(), bits, ModeProbe::Unnamed)?;
        }
        let is_of_directory = error.source.kind() == io::ErrorKind::ReadOnlyFilesystem;
        if is_of_directory || change == InPlaceChange::Mode {
            let directory = directory_text(path.parent().as_ref());
            let (reason, help) = refusal(&error, &directory)?;
            return Some(io_problem(
                path,
                format!("cannot change the file: {reason}"),
                help,
            ));
        }
        Some(io_problem(
            path,
            "cannot overwrite the file: the file is not writable".to_owned(),
            "make the file writable for the current user".to_owned(),
        ))
    }

    /// Returns the rights on the entry at `path`.
    fn rights_at(&self, path: &RelPath) -> KnownRights {
        let name = path.parent_bytes().unwrap_or_default();
        if let Some(known) = lock_unpoisoned(&self.rights.0).get(name) {
            return known.clone();
        }
        let found = self.find_rights(path);
        lock_unpoisoned(&self.rights.0).insert(name.into(), found.clone());
        found
    }

    /// Returns the rights on the entries of the nearest existing directory above `path`.
    fn find_rights(&self, path: &RelPath) -> KnownRights {
        for directory in path.ancestors() {
            match self.workspace.entry_rights(Some(&directory)) {
                Err(error) if error.kind == ErrorKind::Denied => {
                    return Err(Arc::new(error));
                }
                // The plan creates this directory, or replaces another file by it.
                Err(_) => {}
                Ok(rights) => return Ok(rights),
            }
        }
        match self.workspace.entry_rights(None) {
            Err(error) if error.kind == ErrorKind::Denied => Err(Arc::new(error)),
            rights => Ok(rights.unwrap_or_default()),
        }
    }
}

/// Returns the permission bits that the existing file `stat` gets.
fn new_bits(stat: &Stat, after: &Postimage) -> u32 {
    match after.permissions {
        Permissions::Exact(bits) => bits,
        Permissions::New { executable } => with_execution(stat.permissions, executable),
    }
}

/// Returns whether `operation` results in `change`.
fn is_about(operation: &Operation, change: &FileChange) -> bool {
    operation.path == change.path || operation.from.as_ref() == Some(&change.path)
}

/// Returns the problem of the change of `path` that `error` describes. The path of the error is the
/// directory that refuses the change.
fn refusal_problem(path: &RelPath, error: &WorkspaceError) -> Option<Problem> {
    let directory = match error.path.as_str() {
        "." => directory_text(None),
        directory => format!("the directory {directory}"),
    };
    let (reason, help) = refusal(error, &directory)?;
    Some(io_problem(
        path,
        format!("cannot change the file: {reason}"),
        help,
    ))
}

fn protected_problem(path: &RelPath, protection: Protection) -> Problem {
    io_problem(
        path,
        format!("cannot change the file: the file is {protection}"),
        format!("{} on the file", advice::remove_protection(protection)),
    )
}

fn directory_text(directory: Directory<'_>) -> String {
    directory.map_or_else(
        || "the root directory".to_owned(),
        |directory| format!("the directory {directory}"),
    )
}

fn io_problem(path: &RelPath, message: String, help: String) -> Problem {
    Problem {
        path: Some(path.clone()),
        help: Some(help),
        ..Problem::new(&code::IO, message)
    }
}
