//! Finds the transactions of dead processes in a state directory and determines their states.

use crate::mode::FileKind;
use crate::path::RelPath;
use crate::transaction::failure::is_unreachable;
use crate::transaction::journal::Journal;
use crate::transaction::scratch::Scratch;
use crate::transaction::state_location::find_lifetime_without_probe;
use crate::transaction::sweep::is_kept;
use crate::transaction::{Failure, JournalAdoption};
use crate::workspace::Workspace;

/// The state of a transaction, determined from the names of its scratch files.
pub(super) enum LeftoverState {
    /// Kept files, and at most the record that lists them.
    Kept,
    /// A commit record, and scratch files.
    Done,
    /// The record of a rollback, and scratch files.
    Undone,
    /// An open journal: the transaction is unfinished.
    Journal,
    /// Only scratch files: the tree was not changed.
    Scratch,
}

impl LeftoverState {
    /// Returns the state for these `names`.
    ///
    /// Kept files without a directory of their own stay in place together with their record. Such a
    /// transaction cannot become a history entry.
    pub(super) fn of(scratch: &Scratch, names: &[Vec<u8>]) -> Self {
        let has = |record: &[u8]| names.iter().any(|name| name == record);
        let is_record = |name: &[u8]| name == b"undone" && scratch.is_shared();
        let has_kept = names.iter().any(|name| is_kept(name));
        if has_kept && names.iter().all(|name| is_kept(name) || is_record(name)) {
            Self::Kept
        } else if has(b"done") {
            Self::Done
        } else if has(b"undone") {
            Self::Undone
        } else if has(b"journal") {
            Self::Journal
        } else {
            Self::Scratch
        }
    }
}

/// Returns the transactions among `names` of the state directory.
///
/// # Errors
///
/// Returns the error of `find_lifetime_without_probe` if one of them cannot be trusted.
pub(in crate::transaction) fn find_transactions(
    workspace: &dyn Workspace,
    directory: &RelPath,
    names: &[Vec<u8>],
) -> Result<Vec<Scratch>, Failure> {
    let mut found = Vec::new();
    for scratch in Scratch::find_in(directory, names)? {
        // wpatch creates only directories with this name.
        let is_directory = workspace
            .stat(&scratch.directory)?
            .is_some_and(|stat| stat.kind == FileKind::Directory);
        if is_directory && find_lifetime_without_probe(workspace, &scratch.directory)?.is_some() {
            found.push(scratch);
        }
    }
    Ok(found)
}

/// Returns whether one of the journals is open. Changes nothing.
///
/// # Errors
///
/// Returns [`Failure::State`] if a journal cannot be trusted, and [`Failure::OtherRoot`] if it names
/// another root and `adoption` does not permit this.
pub(super) fn has_open_journal(
    workspace: &dyn Workspace,
    left: &[Scratch],
    adoption: JournalAdoption,
) -> Result<bool, Failure> {
    let read = match adoption {
        JournalAdoption::Refuse => Journal::read,
        JournalAdoption::Adopt => Journal::read_of_any_root,
    };
    let mut is_unfinished = false;
    for scratch in left {
        match scratch
            .names(workspace)
            .map(|names| LeftoverState::of(scratch, &names))
        {
            Ok(LeftoverState::Journal) => {
                is_unfinished |= has_journal(read(workspace, scratch))?;
            }
            Err(error) if !is_unreachable(error.kind) => return Err(error.into()),
            // The transaction has no journal, or another process has finished it.
            _ => {}
        }
    }
    Ok(is_unfinished)
}

/// Returns `false` if the journal was removed before it was read.
fn has_journal(read: Result<Journal, Failure>) -> Result<bool, Failure> {
    match read {
        Err(Failure::Workspace(error)) if is_unreachable(error.kind) => Ok(false),
        read => read.map(|_| true),
    }
}
