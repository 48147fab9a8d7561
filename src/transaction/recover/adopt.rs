//! Assigns interrupted transactions to this root.
//!
//! A journal names the root by its inode number and the machine. Both can change although the
//! directory is the same: some file systems, such as exFAT, number the inodes anew at each mount,
//! and a backup can be restored on another machine. The caller asserts that the journal describes
//! this directory.

use super::leftover_state::{LeftoverState, find_transactions};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::transaction::failure::ignore_missing;
use crate::transaction::journal::{JOURNAL_DRAFT, Journal};
use crate::transaction::scratch::Scratch;
use crate::transaction::{Durability, Failure, git_index_file};
use crate::workspace::{RenameMode, Workspace};

/// Assigns each interrupted transaction in the state directory `directory`, which is locked, to
/// this root.
///
/// # Errors
///
/// Returns [`Failure::State`] if a journal is damaged, contains paths that a journal must not
/// contain, or changes the index of another repository.
pub(super) fn adopt_transactions(
    workspace: &dyn Workspace,
    directory: &RelPath,
    durability: Durability,
) -> Result<(), Failure> {
    let names = workspace.list(Some(directory))?;
    for scratch in find_transactions(workspace, directory, &names)? {
        let state = LeftoverState::of(&scratch, &scratch.names(workspace)?);
        if matches!(state, LeftoverState::Journal) {
            adopt(workspace, &scratch, durability)?;
        }
    }
    Ok(())
}

fn adopt(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    durability: Durability,
) -> Result<(), Failure> {
    let mut journal = Journal::read_of_any_root(workspace, scratch)?;
    let root = workspace.identity()?;
    if journal.root == root {
        return Ok(());
    }
    let temporary = scratch.file(JOURNAL_DRAFT)?;
    let publish = |name: &str| -> Result<(), Failure> {
        if durability == Durability::Full {
            workspace.sync(Some(&temporary))?;
        }
        workspace.rename(&temporary, &scratch.file(name)?, RenameMode::Replace)?;
        if durability == Durability::Full {
            workspace.sync(Some(&scratch.directory))?;
        }
        Ok(())
    };
    ignore_missing(workspace.remove(&temporary))?;
    // The journal is last: until then, the next call repeats this.
    if let Some(note) = git_index_file::note_for_root(workspace, scratch, &root)? {
        workspace.create(&temporary, &[&note], Permissions::Exact(0o600), None)?;
        publish(git_index_file::NOTE_FILE)?;
    }
    journal.root = root;
    journal.write(workspace, scratch)?;
    publish("journal")
}
