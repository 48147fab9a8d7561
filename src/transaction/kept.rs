//! Kept files: displaced files that a rollback could not restore, because another process had
//! changed their paths.
//!
//! A kept file exists until the user moves or deletes it, or until the history removes its entry.

use super::change::Change;
use super::failure::is_unreachable;
use super::journal::Journal;
use super::scratch::{self, Scratch, ScratchFile};
use super::sweep::{KEPT_PREFIX, is_kept};
use super::{Failure, KeptFile};
use crate::path::RelPath;
use crate::workspace::Workspace;

/// Returns the paths of kept files for `change`, in the order of use. The second path is needed
/// only if a process edited the file both before and during the rollback.
pub(super) fn kept_paths(scratch: &Scratch, change: &Change) -> Result<[RelPath; 2], Failure> {
    let place = |slot| {
        let name = format!("{KEPT_PREFIX}{}", scratch::file_name(slot, change.number));
        match change.stage_depth {
            None => scratch.file(&name),
            Some(above) => scratch.path_in(change.path.ancestors().nth(above).as_ref(), &name),
        }
    };
    Ok([place(ScratchFile::Displaced)?, place(ScratchFile::Staged)?])
}

/// Returns the kept files of a rolled-back transaction. Its record contains their paths. Without a
/// readable record the paths are unknown.
pub(super) fn find_by_record(
    workspace: &dyn Workspace,
    scratch: &Scratch,
) -> Result<Vec<KeptFile>, Failure> {
    find(
        workspace,
        scratch,
        Journal::read_rolled_back(workspace, scratch).ok().as_ref(),
    )
}

/// Returns the kept files of the transaction of `scratch`.
///
/// Without its journal, only those in the state directory are found.
pub(super) fn find(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    journal: Option<&Journal>,
) -> Result<Vec<KeptFile>, Failure> {
    let names = match scratch.names_outside_buckets(workspace) {
        // The command that created the directory has removed it.
        Err(error) if is_unreachable(error.kind) => Vec::new(),
        names => names?,
    };
    let copies = names
        .iter()
        .filter(|name| is_kept(name))
        .map(|name| scratch.file(name));
    let mut copies = copies.collect::<Result<Vec<_>, _>>()?;
    let known = journal.map_or(Ok(Vec::new()), |journal| {
        find_by_journal(workspace, scratch, journal, &copies)
    })?;
    copies.retain(|copy| !known.iter().any(|(_, other)| other == copy));
    let known = known.into_iter().map(|(path, copy)| (Some(path), copy));
    let all = known.chain(copies.into_iter().map(|copy| (None, copy)));
    Ok(all
        .map(|(path, copy)| KeptFile {
            path,
            copy: workspace.real_path(&copy),
        })
        .collect())
}

/// Returns the path and the kept file of each change of `journal` that has one. Kept files are in
/// `own` or next to their paths.
fn find_by_journal(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    journal: &Journal,
    own: &[RelPath],
) -> Result<Vec<(RelPath, RelPath)>, Failure> {
    let mut found = Vec::new();
    for change in journal
        .changes
        .iter()
        .filter(|change| !own.is_empty() || change.stage_depth.is_some())
    {
        for copy in kept_paths(scratch, change)? {
            let is_there = match change.stage_depth {
                None => own.contains(&copy),
                // Another process may have replaced a directory above it.
                Some(_) => workspace.stat(&copy).is_ok_and(|stat| stat.is_some()),
            };
            found.extend(is_there.then(|| (change.path.clone(), copy)));
        }
    }
    Ok(found)
}
