//! What the file in the place of the state directory says: the journal of one change, and how far it has come.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::transaction::change::Change;
use crate::transaction::journal::Journal;
use crate::transaction::place::is_private;
use crate::transaction::rollback::Rollback;
use crate::transaction::scratch::Scratch;
use crate::transaction::sealed::{MAGIC, damaged, seal, unseal};
use crate::transaction::sweep::{is_unreachable, sweep_slots};
use crate::transaction::{Durability, Ending, Failure, Recovered};
use crate::workspace::{Fault, Workspace};

/// Largest text that is read, in bytes.
const MAX_TEXT: u64 = 1 << 16;

/// The change that is at work.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    /// The name of the transaction, which those of the scratch files have in them.
    pub(super) id: String,
    pub(super) journal: Journal,
}

/// A line behind the note. The last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The new file is whole: from here the tree may be other than before.
    Staged,
    /// The commit record.
    Done,
    /// The tree is as it was.
    Undone,
}

impl Mark {
    const ALL: [Self; 3] = [Self::Staged, Self::Done, Self::Undone];

    pub(super) fn line(self) -> &'static [u8] {
        match self {
            Self::Staged => b"staged\n",
            Self::Done => b"done\n",
            Self::Undone => b"undone\n",
        }
    }
}

/// Returns whether a change is half made, by a process that is at work or died; refuses what [`settle`] would, touching
/// nothing.
pub(in crate::transaction) fn is_open(workspace: &dyn Workspace, file: &RelPath) -> Result<bool, Failure> {
    Ok(read(workspace, file)?.is_some_and(|(_, mark)| mark == Some(Mark::Staged)))
}

/// Waits for the process that has the place of the state directory, and puts right what it left if it died.
///
/// # Errors
///
/// [`Failure::Locked`] if it is at work for longer than `patience`; else as [`recover`](crate::transaction::recover()).
pub(in crate::transaction) fn settle(
    workspace: &dyn Workspace,
    file: &RelPath,
    patience: Duration,
) -> Result<Option<Recovered>, Failure> {
    let lock = match workspace.lock(file, patience) {
        // Another process has put a directory in its place.
        Err(error) if error.fault == Fault::NotRegular => return Ok(None),
        lock => lock?.ok_or(Failure::Locked)?,
    };
    let recovered = read(workspace, file)?.map(|(note, mark)| note.settle(workspace, file, mark)).transpose()?;
    workspace.remove(file)?;
    drop(lock);
    Ok(recovered)
}

/// Returns what the file says; `None` if there is none any more, or if its process died before it had said all, and so
/// before it did anything.
///
/// # Security
///
/// It makes whoever believes it write to files, so the very bytes that are read have to be the user's own.
fn read(workspace: &dyn Workspace, file: &RelPath) -> Result<Option<(Note, Option<Mark>)>, Failure> {
    let (text, stat) = match workspace.read(file, MAX_TEXT) {
        // Another process is done with it meanwhile, or has put a directory in its place.
        Err(error) if is_unreachable(error.fault) => return Ok(None),
        Err(error) if error.fault == Fault::TooLarge => return Err(damaged(file)),
        read => read?,
    };
    if text.is_empty() {
        return Ok(None);
    }
    if !is_private(workspace, &stat) {
        return Err(Failure::State { reason: format!("{file}: others can write to it, or have it") });
    }
    let Some(end) = memchr::memchr_iter(b'\n', &text).nth(1) else {
        let is_torn = MAGIC.as_bytes().iter().zip(&text[..]).all(|(expected, found)| expected == found);
        return if is_torn { Ok(None) } else { Err(damaged(file)) };
    };
    let (sealed, marks) = text.split_at(end + 1);
    let Note { id, journal } = unseal(sealed, file)?;
    let known = |line: &[u8]| Mark::ALL.into_iter().find(|mark| mark.line() == line);
    let mark = marks.split_inclusive(|&byte| byte == b'\n').rev().find_map(known);
    Ok(Some((Note { id, journal: journal.believed(workspace, file)? }, mark)))
}

impl Note {
    /// Returns the text that the file begins with.
    pub(super) fn text(&self) -> Result<Vec<u8>, Failure> {
        seal(self)
    }

    /// Puts the tree back, unless it is as it was or the change was made; then sweeps.
    pub(super) fn settle(
        &self,
        workspace: &dyn Workspace,
        file: &RelPath,
        mark: Option<Mark>,
    ) -> Result<Recovered, Failure> {
        let scratch = Scratch::lodged(file, &self.id);
        let (mut left, mut kept) = (Vec::new(), Vec::new());
        let ending = match mark {
            None => Ending::Abandoned,
            Some(Mark::Done) => Ending::Committed,
            Some(Mark::Undone) => Ending::RolledBack,
            Some(Mark::Staged) => {
                let rollback = Rollback::new(workspace, &scratch, &self.journal, Durability::None);
                (left, kept) = rollback.run().finished()?;
                // Without it the next command does this again, and finds nothing to do.
                let _ = workspace.append(file, Mark::Undone.line());
                Ending::RolledBack
            }
        };
        for change in &self.journal.changes {
            sweep(workspace, &scratch, change)?;
        }
        Ok(Recovered { id: self.id.clone(), ending, left, kept })
    }
}

/// Removes the scratch files of `change`, which stand beside its file.
pub(super) fn sweep(workspace: &dyn Workspace, scratch: &Scratch, change: &Change) -> Result<(), Failure> {
    sweep_slots(workspace, scratch, change.path.parent().as_ref(), change.number)
}
