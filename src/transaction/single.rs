//! A single change that leaves no history and need not survive a loss of power, which is what scripts ask for most.
//!
//! Its swap is its commit, so it needs no directory and no record: the place of the state directory is taken by one
//! file, which is the lock and holds the journal, and the staged file stands beside it. Whatever does not fit this is
//! left to [`Transaction`](super::Transaction).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::change::{Change, Image};
use super::commit::Aborted;
use super::journal::{Journal, MAGIC, seal, unseal};
use super::rollback::Rollback;
use super::scratch::{self, Scratch, Slot};
use super::slots::Slots;
use super::state::{is_private, place};
use super::swap::Swap;
use super::sweep::sweep_slots;
use super::verify::identify;
use super::{Durability, Ending, Failure, Interrupt, Options, Receipt, Recovered, stage, unswept};
use crate::change::{Content, FileChange, FileState, Postimage, Sink};
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::workspace::{Fault, Like, Lock, Timestamp, Workspace, WorkspaceError};

/// Largest text that is read of the file in the place of the state directory.
const MAX_TEXT: u64 = 1 << 16;

/// One transaction of one change: begun under the lock, given the change as a [`Sink`], then committed.
///
/// Dropped without [`Single::commit`] it leaves nothing behind.
pub struct Single<'w> {
    workspace: &'w dyn Workspace,
    /// The lock, and the journal.
    file: RelPath,
    scratch: Scratch,
    /// A moment before anything was read.
    since: Timestamp,
    taken: Mutex<Vec<FileChange>>,
    /// Whether the file stays, because it says how to put right what is not.
    keeps_journal: bool,
    /// Held, never looked at; the mutex lets threads share what holds it.
    _lock: Mutex<Lock>,
}

/// A change for which a staged file is all that is needed.
struct Draft {
    change: Change,
    /// What was read.
    found: Option<FileState>,
    bytes: Arc<Vec<u8>>,
    permissions: Permissions,
    /// The file whose attributes the new one gets.
    like: Option<RelPath>,
}

/// What the file says.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    /// The name of the transaction, which those of the scratch files have in them.
    id: String,
    journal: Journal,
}

impl<'w> Single<'w> {
    /// Takes the lock; `None` where there is a state directory, or may be one, where something is to be durable, and
    /// where somebody else is at work. Whoever gets `None` begins a [`Transaction`](super::Transaction), which says
    /// what is wrong if anything is.
    #[must_use]
    pub fn begin(workspace: &'w dyn Workspace, options: Options) -> Option<Self> {
        if options.durability == Durability::Full {
            return None;
        }
        let (file, is_in_git) = place(workspace).ok()?;
        if is_in_git || workspace.stat(&file).ok()?.is_some() {
            return None;
        }
        let lock = workspace.lock(&file, Duration::ZERO).ok()??;
        let since = workspace.now();
        let scratch = Scratch::lodged(&file, &scratch::id(since, None));
        let (taken, keeps_journal) = (Mutex::default(), false);
        let mut single = Self { workspace, file, scratch, since, taken, keeps_journal, _lock: Mutex::new(lock) };
        let stat = workspace.stat(&single.file).ok()??;
        // Another process may have made it and died; a file system without permission bits makes it look like anybody's.
        single.keeps_journal = stat.size > 0;
        (stat.size == 0 && is_private(workspace, &stat)).then_some(single)
    }

    /// Makes the change that was taken true; `None` if it is not one that can be made like this, and then nothing has
    /// been touched.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`] after rolling back.
    pub fn commit(mut self, interrupt: &Interrupt) -> Result<Option<Receipt>, Failure> {
        if let Some(signal) = interrupt.signal() {
            return Err(Failure::Interrupted(signal));
        }
        let mut taken = std::mem::take(&mut *self.taken.lock().unwrap_or_else(PoisonError::into_inner));
        match (taken.pop(), taken.is_empty()) {
            (None, _) => Ok(Some(self.receipt(None))),
            (Some(change), true) => {
                let Some(draft) = self.draft(change)? else { return Ok(None) };
                self.carry_out(&draft, interrupt)
            }
            (Some(_), false) => Ok(None),
        }
    }

    /// Returns `change` as one that a staged file is all that is needed for: no directory, no mode alone, no file that
    /// comes from elsewhere.
    fn draft(&self, change: FileChange) -> Result<Option<Draft>, Failure> {
        let is_file = |kind| matches!(kind, FileKind::Regular | FileKind::Symlink);
        let FileChange { path, before: found, after } = change;
        let Some(Postimage { kind, permissions, content: Content::Bytes(bytes), like }) = after else {
            return Ok(None);
        };
        let has_place = match (&found, path.parent()) {
            (Some(found), _) => is_file(found.stat.kind),
            (None, None) => true,
            (None, Some(above)) => self.workspace.stat(&above)?.is_some_and(|stat| stat.kind == FileKind::Directory),
        };
        let before = found.as_ref().map(Image::from);
        let (number, beside) = (0, Some(path.ancestors().count()));
        let mut change = Change { number, path, before, after: None, leaves: false, arrives: None, beside };
        change.expect(kind, &bytes, permissions);
        Ok((has_place && is_file(kind)).then_some(Draft { change, found, bytes, permissions, like }))
    }

    /// Makes the change; `None` if no file can be renamed to its target from here.
    fn carry_out(&mut self, draft: &Draft, interrupt: &Interrupt) -> Result<Option<Receipt>, Failure> {
        let changes = vec![draft.change.clone()];
        let journal = Journal { root: self.workspace.identity()?, changes, ..Journal::default() };
        let note = Note { id: self.scratch.id.clone(), journal };
        self.workspace.write(&self.file, &seal(&note)?)?;
        self.keeps_journal = true;
        let made = self.stage(draft).and_then(|()| self.swap(&note.journal, draft, interrupt));
        if let Err(cause) = made {
            let undone = Rollback::new(self.workspace, &self.scratch, &note.journal, Durability::None).run();
            let Aborted { failure, keeps_journal } = undone.aborted(cause);
            // What cannot be swept now goes with the next command.
            self.keeps_journal = keeps_journal || self.sweep(draft).is_err();
            return match failure {
                Failure::Workspace(error) if error.fault == Fault::CrossDevice && !self.keeps_journal => Ok(None),
                failure => Err(failure),
            };
        }
        let left = self.sweep(draft).err();
        self.keeps_journal = left.is_some();
        Ok(Some(self.receipt(left.as_ref())))
    }

    fn stage(&self, draft: &Draft) -> Result<(), Failure> {
        let Draft { change, bytes, permissions, like, .. } = draft;
        let above = change.path.parent();
        let like = like.as_ref().map_or(Like::NewIn(above.as_ref()), Like::File);
        stage::write(self.workspace, (&self.scratch, change), bytes, *permissions, like)
    }

    fn swap(&self, journal: &Journal, draft: &Draft, interrupt: &Interrupt) -> Result<(), Failure> {
        let found = draft.found.clone().map(|found| (draft.change.number, found));
        let swap = Swap {
            slots: &Slots::new(self.workspace),
            scratch: &self.scratch,
            journal,
            numbered: &journal.numbered(),
            found: &found.into_iter().collect(),
            since: self.since,
            interrupt,
        };
        swap.run().map(drop)
    }

    fn sweep(&self, draft: &Draft) -> Result<(), Failure> {
        sweep_slots(self.workspace, &self.scratch, None, draft.change.number)
    }

    fn receipt(&self, left: Option<&Failure>) -> Receipt {
        let warnings = left.map(unswept).into_iter().collect();
        Receipt { id: self.scratch.id.clone(), durability: Durability::None, warnings }
    }
}

impl Drop for Single<'_> {
    fn drop(&mut self) {
        if !self.keeps_journal {
            // If it stays, the next command finds that it says nothing, or nothing that is still to be done.
            let _ = self.workspace.remove(&self.file);
        }
    }
}

impl Sink for Single<'_> {
    fn take(&self, change: FileChange) -> Result<(), WorkspaceError> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(change);
        Ok(())
    }
}

/// Refuses what [`settle`] would, touching nothing.
pub(super) fn trust(workspace: &dyn Workspace, file: &RelPath) -> Result<(), Failure> {
    match read(workspace, file) {
        // Another process is done with it meanwhile, or has put a directory in its place.
        Err(Failure::Workspace(error)) if matches!(error.fault, Fault::Missing | Fault::NotRegular) => Ok(()),
        read => read.map(drop),
    }
}

/// Waits for the process that has the place of the state directory, and puts right what it left if it died.
///
/// # Errors
///
/// [`Failure::Locked`] if it is at work for longer than `patience`; else as [`recover`](super::recover()).
pub(super) fn settle(
    workspace: &dyn Workspace,
    file: &RelPath,
    patience: Duration,
) -> Result<Option<Recovered>, Failure> {
    let lock = match workspace.lock(file, patience) {
        // Another process has put a directory in its place.
        Err(error) if error.fault == Fault::NotRegular => return Ok(None),
        lock => lock?.ok_or(Failure::Locked)?,
    };
    let recovered = read(workspace, file)?.map(|note| note.settle(workspace, file)).transpose()?;
    workspace.remove(file)?;
    drop(lock);
    Ok(recovered)
}

/// Returns what the file says; `None` if its process died before it had said all, and so before it did anything.
fn read(workspace: &dyn Workspace, file: &RelPath) -> Result<Option<Note>, Failure> {
    let (text, _) = workspace.read(file, MAX_TEXT)?;
    if is_torn(&text) {
        return Ok(None);
    }
    let Note { id, journal } = unseal(&text, file)?;
    Ok(Some(Note { id, journal: journal.believed(workspace, file)? }))
}

impl Note {
    /// Puts the tree back, unless the change was made or was never begun; then sweeps.
    fn settle(&self, workspace: &dyn Workspace, file: &RelPath) -> Result<Recovered, Failure> {
        let scratch = Scratch::lodged(file, &self.id);
        let mut left = Vec::new();
        let mut ending = Ending::Abandoned;
        for change in &self.journal.changes {
            let here = identify(workspace, &change.path)?;
            if change.is_after(here.as_ref()) && !Self::holds_others_work(workspace, &scratch, change)? {
                ending = Ending::Committed;
            } else if !change.is_before(here.as_ref()) {
                ending = Ending::RolledBack;
                let undone = Rollback::new(workspace, &scratch, &self.journal, Durability::None).run();
                if let Some(cause) = undone.trouble {
                    let (left, kept) = (undone.left, undone.kept);
                    return Err(Failure::Incomplete { left, kept, cause: Box::new(cause) });
                }
                left = undone.left;
            }
            sweep_slots(workspace, &scratch, None, change.number)?;
        }
        Ok(Recovered { id: self.id.clone(), ending, left })
    }

    /// Returns whether a file came out of the tree that is not the one that was read.
    fn holds_others_work(workspace: &dyn Workspace, scratch: &Scratch, change: &Change) -> Result<bool, Failure> {
        for slot in [Slot::New, Slot::Old] {
            let image = identify(workspace, &scratch.slot(change, slot)?)?;
            if image.is_some() && !change.is_before(image.as_ref()) && !change.is_after(image.as_ref()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns whether `text` is the beginning of what [`seal`] writes, and not all of it.
fn is_torn(text: &[u8]) -> bool {
    let begin = text.len().min(MAGIC.len());
    text[..begin] == MAGIC.as_bytes()[..begin]
        && (text.last() != Some(&b'\n') || memchr::memchr_iter(b'\n', text).count() < 2)
}
