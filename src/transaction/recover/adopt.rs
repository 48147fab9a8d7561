//! Assigns interrupted transactions to this root.
//!
//! A journal names the root by its inode number and the machine. Both can change although the
//! directory is the same: some file systems, such as exFAT, number the inodes anew at each mount,
//! and a backup can be restored on another machine. The caller asserts that the journal describes
//! this directory.

use super::leftover_state::{LeftoverState, find_transactions, has_open_journal};
use crate::path::RelPath;
use crate::transaction::failure::ignore_missing;
use crate::transaction::journal::{JOURNAL_DRAFT, Journal};
use crate::transaction::scratch::Scratch;
use crate::transaction::{Durability, Failure, Interrupt, JournalAdoption, git_index_file};
use crate::workspace::{RenameMode, Workspace};

/// Assigns each interrupted transaction in the state directory `directory`, which is locked, to
/// this root.
///
/// # Errors
///
/// Returns [`Failure::State`] if a journal is damaged or contains paths that a journal must not
/// contain. Then nothing was changed.
pub(super) fn adopt_transactions(
    workspace: &dyn Workspace,
    directory: &RelPath,
    durability: Durability,
) -> Result<(), Failure> {
    let names = workspace.list(Some(directory))?;
    let left = find_transactions(workspace, directory, &names)?;
    has_open_journal(workspace, &left, JournalAdoption::Adopt)?;
    for scratch in left {
        let names = scratch.names(workspace)?;
        if matches!(LeftoverState::of(&scratch, &names), LeftoverState::Journal) {
            adopt(workspace, (&scratch, &names), durability)?;
        }
    }
    Ok(())
}

/// Replaces the root in the journal of `scratch`. `names` are the names of its files.
fn adopt(
    workspace: &dyn Workspace,
    (scratch, names): (&Scratch, &[Vec<u8>]),
    durability: Durability,
) -> Result<(), Failure> {
    let mut journal = Journal::read_of_any_root(workspace, scratch)?;
    let root = workspace.identity()?;
    if journal.root == root {
        return Ok(());
    }
    // A journal that the recovery would refuse must not become the journal of this root.
    git_index_file::open_changed_index(workspace, (scratch, names), &journal.changes)?;
    journal.root = root;
    let draft = scratch.file(JOURNAL_DRAFT)?;
    ignore_missing(workspace.remove(&draft))?;
    journal.write(workspace, scratch, Interrupt::never())?;
    if durability == Durability::Full {
        workspace.sync(Some(&draft))?;
    }
    workspace.rename(&draft, &scratch.file("journal")?, RenameMode::Replace)?;
    if durability == Durability::Full {
        workspace.sync(Some(&scratch.directory))?;
    }
    Ok(())
}
