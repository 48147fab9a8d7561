//! From a committed transaction to an entry.

use super::{Failure, OldFile, Place, name, old_file, places};
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::transaction::change::Change;
use crate::transaction::journal::Journal;
use crate::transaction::scratch::{self, Scratch, Slot};
use crate::transaction::state::State;
use crate::transaction::sweep::trim;
use crate::workspace::{Like, Rename, Workspace};

/// Makes the transaction of `scratch`, which is committed, an entry, and takes the old files out of those that it undid:
/// they are in the tree again.
pub(in crate::transaction) fn keep(
    workspace: &dyn Workspace,
    state: &State,
    scratch: &Scratch,
    journal: &Journal,
) -> Result<(), Failure> {
    for change in journal.changes.iter().filter(|change| change.beside.is_some()) {
        // An old file on another file system that cannot be brought over is told as lost.
        let _ = fetch(workspace, scratch, change);
    }
    let names = scratch.names(workspace)?;
    let mut kept = Vec::new();
    let mut bytes = 0;
    for change in &journal.changes {
        if let OldFile::Slot(slot) = old_file(change, journal, &names) {
            bytes += change.before.map_or(0, |before| before.size);
            kept.push(slot);
        }
    }
    trim(workspace, scratch, |name| name == b"done" || kept.iter().any(|kept| name == kept.as_bytes()))?;
    rename(workspace, &state.directory, scratch, bytes)?;
    if journal.undoes.is_empty() {
        return Ok(());
    }
    let all = places(workspace, &state.directory)?;
    let mut undone = all.iter().filter(|place| journal.undoes.contains(&place.scratch.id));
    undone.try_for_each(|place| place.drain(workspace, &state.directory))
}

/// Copies an old file that stands beside its target, on another file system.
fn fetch(workspace: &dyn Workspace, scratch: &Scratch, change: &Change) -> Result<(), Failure> {
    let Some(before) = change.before else { return Ok(()) };
    let slots = if change.is_exchange() { [Slot::Old, Slot::New].as_slice() } else { &[Slot::Old] };
    let home = scratch.file(scratch::name(Slot::Old, change.number))?;
    for &slot in slots {
        let away = scratch.slot(change, slot)?;
        let Some(stat) = workspace.stat(&away)? else { continue };
        if stat.kind == FileKind::Symlink {
            workspace.symlink(&workspace.read_link(&away)?, &home)?;
        } else {
            let (contents, _) = workspace.read(&away, before.size)?;
            workspace.create(&home, &contents, Permissions::Exact(stat.permissions), Some(Like::File(&away)))?;
        }
        return Ok(());
    }
    Ok(())
}

fn rename(workspace: &dyn Workspace, state: &RelPath, scratch: &Scratch, bytes: u64) -> Result<(), Failure> {
    let entry = scratch::join(state, &name(&scratch.id, bytes))?;
    if entry != scratch.directory {
        workspace.rename(&scratch.directory, &entry, Rename::Replace)?;
    }
    Ok(())
}

impl Place {
    /// Removes the old files and leaves the record.
    fn drain(&self, workspace: &dyn Workspace, state: &RelPath) -> Result<(), Failure> {
        trim(workspace, &self.scratch, |name| name == b"done")?;
        rename(workspace, state, &self.scratch, 0)
    }
}
