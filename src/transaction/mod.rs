//! Makes a set of file changes true as a whole, or leaves the tree alone. It has never heard of
//! patches.
//!
//! The commit protocol: lock, stage, journal, swap with verification behind the swap, sync, commit
//! record, sweep. See [`Transaction`].

mod annex;
mod arrange;
mod below;
mod change;
mod commit;
mod escape;
mod failure;
mod finish;
pub mod history;
mod journal;
mod kept;
mod maintenance;
mod numbers;
mod options;
mod others;
mod pipeline;
mod place;
mod recover;
mod recovered;
pub mod rejections;
mod rollback;
pub mod saved_plans;
mod scratch;
mod sealed;
mod setup;
mod slots;
mod stage;
mod staged;
mod state;
mod swap;
mod sweep;
mod trial;
mod undone;
mod unkept;
mod verify;
mod wait;

use std::collections::BTreeMap;
use std::io;

use crate::change::{FileChange, Sink};
use crate::path::RelPath;
use crate::progress::{Phase, Progress};
use crate::workspace::{Fault, Timestamp, Workspace, WorkspaceError, top};

pub use crate::interrupt::Interrupt;
pub use annex::IndexPlace;
pub use change::Standing;
pub use failure::{Failure, KeptFile};
pub use finish::Receipt;
pub use maintenance::{collect, init};
pub use options::{Durability, Limits, Links, Options};
pub use recover::{examine, recover};
pub use recovered::{Ending, Recovered};
pub use trial::Trial;
pub use unkept::{Remedy, Unkept};

use arrange::arrange;
use below::RootPrefix;
use commit::Commit;
use failure::no_history;
use history::{Label, OldPlaces};
use journal::Journal;
use scratch::Scratch;
use stage::Stage;
use state::State;
use sweep::sweep;
use undone::Aborted;

/// One transaction, of the work tree of git that the root is in, or else of the root: begun under
/// the lock, staged into as a [`Sink`], then committed or given up.
///
/// Dropped without [`Transaction::commit`], also by a panic, it is given up.
pub struct Transaction<'w> {
    /// The top of the work tree, or the root.
    workspace: &'w dyn Workspace,
    /// Where the root is below that.
    below: RootPrefix,
    options: Options,
    label: Label,
    /// Who is asked before it counts, in order.
    trials: Vec<&'w dyn Trial>,
    /// What some directories get.
    directories: BTreeMap<RelPath, Standing>,
    /// Whom it tells how far it is.
    progress: Progress,
    /// The lock; `None` once it was given back.
    state: Option<State>,
    scratch: Scratch,
    stage: Stage,
    /// A moment before anything was read.
    since: Timestamp,
    /// Whether the journal, or the record, stays for `recover`.
    keeps_journal: bool,
    /// Whether it is being committed, which only a panic leaves open.
    is_committing: bool,
}

/// What was done.
struct Done {
    journal: Journal,
    old_places: OldPlaces,
    /// The files that are not as the journal says.
    altered: Vec<RelPath>,
}

impl<'w> Transaction<'w> {
    /// Takes the lock and recovers what a dead process left. A signal ends the waiting for the
    /// lock.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`]; nothing has been touched then, other than by recovery.
    pub fn begin(
        workspace: &'w dyn Workspace,
        options: Options,
        interrupt: &Interrupt,
    ) -> Result<(Self, Vec<Recovered>), Failure> {
        let below = RootPrefix::of(workspace.work_tree()?.as_ref());
        let (state, mut recovered) = recover::open(workspace, options, interrupt)?;
        for recovered in &mut recovered {
            recovered.kept = below.absolute_copies(std::mem::take(&mut recovered.kept));
        }
        let workspace = top(workspace)?;
        match Self::scratch(workspace, &state) {
            Ok((scratch, since)) => {
                let transaction = Self {
                    workspace,
                    below,
                    options,
                    label: Label::default(),
                    trials: Vec::new(),
                    directories: BTreeMap::new(),
                    progress: Progress::default(),
                    state: Some(state),
                    stage: Stage::new(scratch.clone(), options),
                    scratch,
                    since,
                    keeps_journal: false,
                    is_committing: false,
                };
                Ok((transaction, recovered))
            }
            Err(failure) => {
                // What cannot be removed now goes with the next command.
                let _ = state.close(workspace);
                Err(failure)
            }
        }
    }

    /// Makes the place of its scratch files.
    fn scratch(workspace: &dyn Workspace, state: &State) -> Result<(Scratch, Timestamp), Failure> {
        let since = workspace.now();
        let last = state
            .history()
            .and_then(|home| history::newest(workspace, home));
        let scratch = state.scratch(&scratch::id(since, last.as_deref()))?;
        scratch.make(workspace)?;
        Ok((scratch, since))
    }

    /// Takes git's lock of the index, and lets that be staged at [`IndexPlace::path`] like any
    /// other file. The lock is held until the transaction is over; what the index is should be read
    /// only now.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::IndexLocked`] if somebody else has the lock: nobody waits for it, as git
    /// does not.
    pub fn claim(&self, place: &IndexPlace) -> Result<(), Failure> {
        annex::claim(
            self.workspace,
            &self.scratch,
            self.options.durability,
            place,
        )
    }

    /// Returns the path of a scratch file for what belongs to the transaction besides its files; it
    /// goes with that. It is a path of [`Transaction::workspace`].
    ///
    /// # Errors
    ///
    /// Returns [`Failure::State`] if the path is too long.
    pub fn aside(&self) -> Result<RelPath, Failure> {
        self.scratch.file("aside")
    }

    /// Returns the workspace that the transaction changes: that of the top of the work tree.
    #[must_use]
    pub fn workspace(&self) -> &'w dyn Workspace {
        self.workspace
    }

    /// Makes all that was staged true.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`] after rolling back. A change that could not even be staged is an error
    /// of [`Sink::take`], and such a transaction must not be committed.
    pub fn commit(mut self, interrupt: &Interrupt) -> Result<Receipt, Failure> {
        self.is_committing = true;
        let attempted = self.attempt(interrupt);
        self.is_committing = false;
        match attempted {
            Ok(done) => Ok(self.receipt(done)),
            Err(Aborted {
                failure,
                keeps_journal,
            }) => {
                self.keeps_journal = keeps_journal;
                let failure = self.noted(failure);
                Err(self.below.failure_to_root(failure))
            }
        }
    }

    /// Returns the journal of what was done, and which files are not as it says; `None` if there
    /// was nothing to do.
    fn attempt(&self, interrupt: &Interrupt) -> Result<Option<Done>, Aborted> {
        let (mut staged, outdated) = self.stage.finish();
        if !outdated.is_empty() {
            return Err(Failure::Stale(outdated).into());
        }
        let Some(state) = &self.state else {
            return Ok(None);
        };
        // That something was taken back is to be known, also if the tree was as before already.
        if staged.is_empty() && self.label.undoes.is_empty() {
            return Ok(None);
        }
        if let Some(signal) = interrupt.signal() {
            return Err(Failure::Interrupted(signal).into());
        }
        if state.history().is_none() && !self.label.undoes.is_empty() {
            // What it displaces would be nowhere.
            return Err(no_history().into());
        }
        // The root itself stays, also if nothing is left in it.
        staged.keeps.extend(self.below.root().cloned());
        let label = self
            .below
            .label_to_top(self.label.clone())
            .map_err(Failure::Workspace)?;
        let arranged = arrange(
            self.workspace,
            &self.stage,
            staged,
            (&label, &self.below),
            &self.directories,
        )?;
        let Self {
            workspace,
            scratch,
            since,
            options,
            trials,
            progress,
            ..
        } = self;
        let (durability, since) = (options.durability, *since);
        let (old_places, altered) = Commit {
            workspace: *workspace,
            state,
            scratch,
            durability,
            since,
            trials,
            interrupt,
            progress,
        }
        .run(&arranged)?;
        Ok(Some(Done {
            journal: arranged.journal,
            old_places,
            altered,
        }))
    }

    /// Lets the history tell of a rollback that could not put everything back, and returns
    /// `failure` with the places where the kept files are then.
    fn noted(&self, failure: Failure) -> Failure {
        match (failure, &self.state) {
            (
                Failure::Incomplete {
                    left,
                    kept,
                    refused: None,
                    cause,
                },
                Some(state),
            ) => {
                // What cannot be noted now is noted by the next command.
                let _ = recover::clear(
                    self.workspace,
                    state,
                    &self.scratch,
                    self.options.durability,
                );
                let kept = recover::relocated(self.workspace, state, &self.scratch, kept);
                Failure::Incomplete {
                    left,
                    kept,
                    refused: None,
                    cause,
                }
            }
            (failure, _) => failure,
        }
    }

    /// Sweeps and gives the lock back.
    fn clear(&mut self) -> Result<(), Failure> {
        let Some(state) = self.state.take() else {
            return Ok(());
        };
        self.progress.enter(Phase::Sweeping, 0);
        if self.keeps_journal {
            state.ignore(self.workspace);
            return Ok(());
        }
        sweep(self.workspace, &self.scratch)?;
        // A directory that is not empty keeps old files of somebody who did not get them back.
        let _ = state.close(self.workspace);
        Ok(())
    }

    /// Gives up what was staged; also done when it is dropped.
    pub fn abandon(self) {}
}

/// Says that the transaction happened, but left something behind.
fn unswept(failure: &Failure) -> String {
    format!("scratch files are left for the next command: {failure}")
}

impl Drop for Transaction<'_> {
    /// Gives up what was staged, and rolls back what a panic left half done.
    fn drop(&mut self) {
        if let (true, Some(state)) = (self.is_committing, &self.state) {
            self.keeps_journal =
                recover::one(self.workspace, state, &self.scratch, self.options).is_err();
        }
        // What cannot be swept now goes with the next command.
        let _ = self.clear();
    }
}

impl Sink for Transaction<'_> {
    fn take(&self, change: FileChange) -> Result<(), WorkspaceError> {
        let path = change.path.clone();
        let change = self.below.change_to_top(change)?;
        self.stage
            .take(self.workspace, change)
            .map_err(|failure| match failure {
                Failure::Workspace(error) => self.below.error_to_root(error),
                failure => {
                    let (path, source) = (path.to_string(), io::Error::other(failure));
                    WorkspaceError {
                        verb: "stage",
                        path,
                        fault: Fault::Other,
                        source,
                    }
                }
            })
    }
}
