//! Finds the transactions of dead processes in a state directory, and what is left of each.

use crate::mode::FileKind;
use crate::path::RelPath;
use crate::transaction::Failure;
use crate::transaction::failure::is_unreachable;
use crate::transaction::journal::Journal;
use crate::transaction::place::find_to_read;
use crate::transaction::scratch::Scratch;
use crate::transaction::sweep::is_kept;
use crate::workspace::Workspace;

/// What a transaction has left, by the names of its scratch files.
pub(super) enum Left {
    /// Old files that could not be put back, and at most the record that names them.
    Kept,
    /// Its commit record, and scratch.
    Done,
    /// The record that it was rolled back, and scratch.
    Undone,
    /// A journal that is open.
    Journal,
    /// Scratch alone.
    Scratch,
}

impl Left {
    /// A transaction without a directory of its own cannot become an entry of the history: its kept
    /// files stay where they are, with their record.
    pub(super) fn of(scratch: &Scratch, names: &[Vec<u8>]) -> Self {
        let has = |record: &[u8]| names.iter().any(|name| name == record);
        let is_record = |name: &[u8]| name == b"undone" && scratch.is_lodged();
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

/// Returns the transactions among `names` of the state directory, of which each can be trusted or
/// is refused.
pub(super) fn transactions(
    workspace: &dyn Workspace,
    directory: &RelPath,
    names: &[Vec<u8>],
) -> Result<Vec<Scratch>, Failure> {
    let mut found = Vec::new();
    for scratch in Scratch::among(directory, names)? {
        // wpatch makes no other file of this name.
        let is_directory = workspace
            .stat(&scratch.directory)?
            .is_some_and(|stat| stat.kind == FileKind::Directory);
        if is_directory && find_to_read(workspace, &scratch.directory)?.is_some() {
            found.push(scratch);
        }
    }
    Ok(found)
}

/// Refuses a journal that cannot be trusted, touching nothing; returns whether there is one that is
/// open.
pub(super) fn trust(workspace: &dyn Workspace, left: &[Scratch]) -> Result<bool, Failure> {
    let mut is_open = false;
    for scratch in left {
        match scratch
            .names(workspace)
            .map(|names| Left::of(scratch, &names))
        {
            Ok(Left::Journal) => is_open |= is_there(Journal::read(workspace, scratch))?,
            // Another process is done with it meanwhile.
            Err(error) if !is_unreachable(error.fault) => return Err(error.into()),
            _ => {}
        }
    }
    Ok(is_open)
}

/// Returns whether a journal was read; `false` if it went away.
fn is_there(read: Result<Journal, Failure>) -> Result<bool, Failure> {
    match read {
        Err(Failure::Workspace(error)) if is_unreachable(error.fault) => Ok(false),
        read => read.map(|_| true),
    }
}
