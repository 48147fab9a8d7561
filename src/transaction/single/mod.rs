//! A single change that leaves no history and need not survive a loss of power, which is what scripts ask for most.
//!
//! It needs no directory: one file has the place of the state directory, which is the lock, holds the journal and says
//! how far the change has come; the staged file stands beside its target. Whatever does not fit this is left to
//! [`Transaction`](super::Transaction); so is what a [`Trial`](super::Trial) is to look at.

pub(super) mod note;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use note::{Mark, Note};

use super::change::{Change, Image, Kind};
use super::journal::Journal;
use super::place::{Place, is_private, place_with_git};
use super::rollback::Rollback;
use super::scratch::{self, Scratch};
use super::slots::Slots;
use super::stage::likeness;

use super::swap::Swap;
use super::undone::Aborted;
use super::unkept::Unkept;
use super::{Durability, Failure, Interrupt, Links, Options, Receipt, history, stage, unswept};
use crate::change::{Content, FileChange, FileState, Postimage, Sink};
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::mutex::locked;
use crate::path::RelPath;
use crate::progress::Progress;
use crate::text::Contents;
use crate::workspace::{GitDirectory, Lock, Timestamp, Workspace, WorkspaceError};

/// One transaction of one change: begun under the lock, given the change as a [`Sink`], then committed.
///
/// Dropped without [`SingleChange::commit`] it leaves nothing behind.
pub struct SingleChange<'w> {
    workspace: &'w dyn Workspace,
    /// Why git's directory is not used, if there seems to be one.
    unusable: Option<Unkept>,
    /// The lock, and the journal.
    file: RelPath,
    scratch: Scratch,
    /// A moment before anything was read.
    since: Timestamp,
    taken: Mutex<Vec<FileChange>>,
    /// What the file says that is not settled yet.
    note: Option<Arc<Note>>,
    /// How far that has come.
    mark: Option<Mark>,
    /// Whether the file stays, because it says what is still to be put right.
    keeps_file: bool,
    /// Held, never looked at; the mutex lets threads share what holds it.
    _lock: Mutex<Lock>,
}

/// A change for which a staged file is all that is needed.
struct Draft {
    change: Change,
    /// What was read.
    found: Option<FileState>,
    bytes: Contents,
    permissions: Permissions,
    /// The file whose attributes the new one gets.
    like: Option<RelPath>,
}

impl<'w> SingleChange<'w> {
    /// Takes the lock; `None` where there is a state directory, or may be one, where something is to be durable or
    /// kept, and where somebody else is at work. Whoever gets `None` begins a [`Transaction`](super::Transaction),
    /// which says what is wrong if anything is.
    #[must_use]
    pub fn begin(workspace: &'w dyn Workspace, options: Options) -> Option<Self> {
        let is_plain = options.durability == Durability::None && options.links == Links::Parted;
        if !is_plain || workspace.attic().is_some() || !matches!(workspace.work_tree(), Ok(None)) {
            return None;
        }
        let git = workspace.git_directory().ok()?;
        if matches!(git, GitDirectory::At { .. }) {
            // It keeps the history.
            return None;
        }
        let Place { directory: file, unusable, others, .. } = place_with_git(workspace, git).ok()?;
        if !others.is_empty() || workspace.stat(&file).ok()?.is_some() {
            return None;
        }
        let lock = workspace.lock(&file, Duration::ZERO).ok()??;
        let since = workspace.now();
        let scratch = Scratch::lodged(&file, &scratch::id(since, None));
        let mut single = Self {
            workspace,
            unusable,
            file,
            scratch,
            since,
            taken: Mutex::default(),
            note: None,
            mark: None,
            keeps_file: false,
            _lock: Mutex::new(lock),
        };
        let stat = workspace.stat(&single.file).ok()??;
        // Another process may have made it and died; a file system without permission bits makes it look like
        // anybody's.
        single.keeps_file = stat.size > 0;
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
        let mut taken = std::mem::take(&mut *locked(&self.taken));
        match (taken.pop(), taken.is_empty()) {
            (None, _) => Ok(Some(self.receipt(None))),
            (Some(change), true) => {
                let Some(draft) = self.draft(change)? else { return Ok(None) };
                self.carry_out(&draft, interrupt).map(Some)
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
        let (number, beside) = (0, Some(0));
        let mut change =
            Change { number, path, before, after: None, leaves: false, arrives: None, beside, in_place: false };
        change.expect(kind, (Digest::of_all(&bytes.slices()), bytes.len()), permissions);
        Ok((has_place && is_file(kind)).then_some(Draft { change, found, bytes, permissions, like }))
    }

    fn carry_out(&mut self, draft: &Draft, interrupt: &Interrupt) -> Result<Receipt, Failure> {
        let changes = vec![draft.change.clone()];
        let journal = Journal { root: self.workspace.identity()?, changes, ..Journal::default() };
        let note = Arc::new(Note { id: self.scratch.id.clone(), journal });
        self.workspace.append(&self.file, &note.text()?)?;
        self.note = Some(Arc::clone(&note));
        stage(self.workspace, &self.scratch, draft)?;
        self.mark(Mark::Staged)?;
        let swapped = self.swap(&note.journal, draft, interrupt);
        if let Err(cause) = swapped.and_then(|()| self.mark(Mark::Done)) {
            return Err(self.roll_back(&note.journal, cause));
        }
        // What cannot be swept now is tried again when this is dropped, and then by the next command.
        let swept = note::sweep(self.workspace, &self.scratch, &draft.change);
        if swept.is_ok() {
            self.note = None;
        }
        Ok(self.receipt(swept.err().as_ref()))
    }

    /// Says in the file how far it has come.
    fn mark(&mut self, mark: Mark) -> Result<(), Failure> {
        self.mark = Some(mark);
        Ok(self.workspace.append(&self.file, mark.line())?)
    }

    fn roll_back(&mut self, journal: &Journal, cause: Failure) -> Failure {
        if self.mark == Some(Mark::Done) {
            // It may stand there although its writing failed.
            let _ = self.mark(Mark::Staged);
        }
        let undone = Rollback::new(self.workspace, &self.scratch, journal, Durability::None).run();
        let Aborted { failure, keeps_journal } = undone.aborted(cause);
        if keeps_journal {
            self.note = None;
            self.keeps_file = true;
        } else {
            let _ = self.mark(Mark::Undone);
        }
        failure
    }

    fn swap(&self, journal: &Journal, draft: &Draft, interrupt: &Interrupt) -> Result<(), Failure> {
        let found = draft.found.clone().map(|found| (draft.change.number, found));
        let swap = Swap {
            slots: &Slots::new(self.workspace),
            scratch: &self.scratch,
            journal,
            leaving: &journal.leaving(),
            found: &found.into_iter().collect(),
            since: self.since,
            interrupt,
            // One file is done before anybody could look.
            progress: &Progress::default(),
        };
        swap.run().map(drop)
    }

    fn receipt(&self, left: Option<&Failure>) -> Receipt {
        let warnings = left.map(unswept).into_iter().collect();
        Receipt {
            id: self.scratch.id.clone(),
            durability: Durability::None,
            warnings,
            unkept: Some(history::reason(self.workspace, self.unusable.as_ref())),
            altered: Vec::new(),
        }
    }
}

impl Drop for SingleChange<'_> {
    /// Settles what is not settled, also after a panic, and takes the file away.
    fn drop(&mut self) {
        if let Some(note) = self.note.take() {
            self.keeps_file = note.settle(self.workspace, &self.file, self.mark).is_err();
        }
        if !self.keeps_file {
            // If it stays, the next command finds that there is nothing more to do.
            let _ = self.workspace.remove(&self.file);
        }
    }
}

impl Sink for SingleChange<'_> {
    fn take(&self, change: FileChange) -> Result<(), WorkspaceError> {
        locked(&self.taken).push(change);
        Ok(())
    }
}

fn stage(workspace: &dyn Workspace, scratch: &Scratch, draft: &Draft) -> Result<(), Failure> {
    let Draft { change, found, bytes, permissions, like } = draft;
    let above = change.path.parent();
    let is_link = change.after.is_some_and(|after| after.kind == Kind::Link);
    let found = found.as_ref().filter(|_| !is_link);
    let like = likeness(like.as_ref(), above.as_ref(), (&change.path, found));
    let kind = if is_link { FileKind::Symlink } else { FileKind::Regular };
    stage::write(workspace, (scratch, change), (kind, bytes), *permissions, like)
}
