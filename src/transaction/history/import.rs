//! Moves the external history to a permanent state directory.

use super::keep::{copy, move_into, sync};
use super::{HistoryDirectory, external_history, list_entries, list_entries_and_plans};
use crate::path::RelPath;
use crate::transaction::audit::{AUDIT_FILE, HEAD_FILE};
use crate::transaction::failure::ignore_missing;
use crate::transaction::scratch;
use crate::transaction::sweep::sweep_completely;
use crate::transaction::{Durability, Failure};
use crate::workspace::{ErrorKind, RenameMode, Workspace};

/// Moves the audit file and its head from the external history `from` to `state`. If `state` has an
/// audit file with other records, both stay.
fn import_audit_file(
    workspace: &dyn Workspace,
    from: &RelPath,
    state: &RelPath,
    durability: Durability,
) -> Result<(), Failure> {
    let source = &scratch::join(from, AUDIT_FILE)?;
    let target = &scratch::join(state, AUDIT_FILE)?;
    let Some(stat) = workspace.stat(source)? else {
        return Ok(());
    };
    let head = (
        scratch::join(from, HEAD_FILE)?,
        scratch::join(state, HEAD_FILE)?,
    );
    match workspace.stat(target)? {
        None => {
            move_file(workspace, (&head.0, &head.1), durability)?;
            move_file(workspace, (source, target), durability)
        }
        // An earlier process may have died after it had copied the file and before it removed it.
        Some(moved) if moved.size >= stat.size => {
            let (copy, _) = workspace.read(target, u64::MAX)?;
            let (original, _) = workspace.read(source, u64::MAX)?;
            if copy.starts_with(&original) {
                ignore_missing(workspace.remove(&head.0))?;
                workspace.remove(source)?;
            }
            Ok(())
        }
        Some(_) => Ok(()),
    }
}

/// Moves the file at `source` to `target`, which must not exist. A missing file is ignored.
fn move_file(
    workspace: &dyn Workspace,
    (source, target): (&RelPath, &RelPath),
    durability: Durability,
) -> Result<(), Failure> {
    let Some(stat) = workspace.stat(source)? else {
        return Ok(());
    };
    match workspace.rename(source, target, RenameMode::Replace) {
        Err(error) if error.kind == ErrorKind::CrossDevice => {}
        renamed => return Ok(renamed?),
    }
    // Until the copy is complete, it has another name.
    let half = target.parent().map_or_else(
        || Err(scratch::path_too_long()),
        |home| scratch::join(&home, "audit.half"),
    )?;
    ignore_missing(workspace.remove(&half))?;
    copy(workspace, (source, &stat), &half, (stat.size, durability))?;
    workspace.rename(&half, target, RenameMode::Replace)?;
    if let Some(directory) = target.parent() {
        sync(workspace, &directory, durability)?;
    }
    ignore_missing(workspace.remove(source))?;
    Ok(())
}

/// Moves the entries and the saved plans from the external history to the permanent state directory
/// `state`.
pub(in crate::transaction) fn import_external_history(
    workspace: &dyn Workspace,
    state: &RelPath,
    durability: Durability,
) {
    let Some(home) = external_history::existing_external_directory(workspace) else {
        return;
    };
    // A directory that cannot be moved now stays in the external history, and the next command
    // moves it.
    let Ok(present) = list_entries(workspace, state) else {
        return;
    };
    let bring = |HistoryDirectory { scratch, .. }: &HistoryDirectory| {
        if present
            .iter()
            .any(|present| present.scratch.id == scratch.id)
        {
            // An earlier process died after it had copied the files and before it removed them.
            return sweep_completely(workspace, scratch);
        }
        let target = state
            .join(scratch.directory.name())
            .map_err(|_| scratch::path_too_long())?;
        move_into(workspace, state, (scratch, &target), durability)
    };
    let _ = import_audit_file(workspace, &home, state, durability);
    let (entries, plans) = list_entries_and_plans(workspace, &home).unwrap_or_default();
    entries
        .iter()
        .chain(&plans)
        .for_each(|place| drop(bring(place)));
}
