//! Commits a set of file changes as one transaction, or leaves the tree unchanged.
//!
//! The input is a stream of `FileChange` values, which [`Transaction`] receives as a [`Sink`]. It
//! does not know patches. The output is a [`Receipt`], or a [`Failure`] after rollback. The next
//! command recovers an interrupted transaction.
//!
//! The steps are: lock, stage, journal, swap with verification, sync, commit record, sweep.
//! Invariants:
//!
//! - Before the journal is durable, the tree contains no change except scratch files.
//! - A file that moves out is verified before it is discarded.
//! - After the commit record, no step returns an error. Later faults become warnings.
//!
//! Read this file first, then `commit.rs` for the order of the steps, then `swap.rs`, `rollback/`
//! and `recover.rs`.

pub mod audit;
mod build_journal;
mod change;
mod checksummed;
mod commit;
mod commit_hook;
mod durable;
mod escape;
mod failure;
mod finish;
mod git_index_file;
pub mod history;
mod ids;
mod journal;
mod kept;
mod maintenance;
mod moves;
mod numbers;
mod options;
mod other_users;
mod pipeline;
mod recover;
mod recovered;
pub mod rejections;
mod rollback;
mod root_prefix;
pub mod saved_plans;
mod scratch;
pub mod sessions;
mod setup;
mod stage;
mod staged;
mod state;
mod state_access;
mod state_location;
mod swap;
mod sweep;
mod sync_all;
mod undone;
mod unkept;
mod verify;
mod wait;

use std::collections::BTreeMap;
use std::io;

use crate::change::{FileChange, Sink};
use crate::path::RelPath;
use crate::progress::{Phase, Progress};
use crate::workspace::{ErrorKind, Timestamp, Workspace, WorkspaceError, top};

pub use crate::interrupt::Interrupt;
pub use change::DirAttributes;
pub use commit_hook::CommitHook;
pub use failure::{Failure, KeptFile};
pub use finish::Receipt;
pub use git_index_file::IndexLocation;
pub use maintenance::{CollectedGarbage, collect_garbage, init};
pub use options::{Durability, HardLinkMode, HistoryLimits, JournalAdoption, Options};
pub use recover::{has_unfinished_changes, recover, recover_with_interrupt};
pub use recovered::{RecoveredTransaction, RecoveryOutcome};
pub use state_access::check_state_access;
pub use unkept::{NoHistoryReason, Remedy};

use audit::AuditSigner;
use build_journal::build_journal;
use commit::Commit;
use failure::no_history;
use history::{OldFileLookup, TransactionLabel};
use journal::Journal;
use root_prefix::RootPrefix;
use scratch::Scratch;
use stage::ChangeStager;
use state::StateDirectory;
use sweep::sweep;
use undone::FailedCommit;

/// One transaction for a git work tree, or for the root if it is in no work tree.
///
/// [`Transaction::begin`] takes the lock. The [`Sink`] methods stage changes, and
/// [`Transaction::commit`] commits them. Dropping the transaction without a commit abandons it,
/// also after a panic.
pub struct Transaction<'w> {
    /// The workspace of the work tree's top directory, or of the root.
    workspace: &'w dyn Workspace,
    /// The path of the root below that directory.
    root_prefix: RootPrefix,
    options: Options,
    label: TransactionLabel,
    /// The commit hooks, in the order of their execution.
    hooks: Vec<&'w dyn CommitHook>,
    /// The attributes for new directories.
    directories: BTreeMap<RelPath, DirAttributes>,
    /// Signs the audit record.
    signer: Option<&'w dyn AuditSigner>,
    /// The receiver of progress.
    progress: Progress,
    /// The locked state directory, or `None` after the lock was released.
    state: Option<StateDirectory>,
    scratch: Scratch,
    stage: ChangeStager,
    /// A time before any file was read. A file with an older modification time cannot have changed
    /// unnoticed.
    since: Timestamp,
    /// Whether the sweep must leave the journal or the record for `recover`.
    keeps_journal: bool,
    /// Whether a commit is in progress. [`Drop`] sees `true` only after a panic.
    is_committing: bool,
}

/// A committed transaction.
struct CommittedTransaction {
    journal: Journal,
    old_file_lookup: OldFileLookup,
    /// The files that changed while the commit hooks ran, and therefore differ from the journal.
    altered: Vec<RelPath>,
}

impl<'w> Transaction<'w> {
    /// Takes the lock and recovers interrupted transactions. A signal ends the wait for the lock.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`]. In that case the tree has no change except those of the recovery.
    pub fn begin(
        workspace: &'w dyn Workspace,
        options: Options,
        interrupt: &Interrupt,
    ) -> Result<(Self, Vec<RecoveredTransaction>), Failure> {
        let below = RootPrefix::of(workspace.work_tree()?.as_ref());
        let (state, mut recovered) = recover::open(workspace, options, interrupt)?;
        for recovered in &mut recovered {
            recovered.kept = below.absolute_copies(std::mem::take(&mut recovered.kept));
        }
        let workspace = top(workspace)?;
        match Self::create_scratch(workspace, &state) {
            Ok((scratch, since)) => {
                let transaction = Self {
                    workspace,
                    root_prefix: below,
                    options,
                    label: TransactionLabel::default(),
                    hooks: Vec::new(),
                    directories: BTreeMap::new(),
                    signer: None,
                    progress: Progress::default(),
                    state: Some(state),
                    stage: ChangeStager::new(scratch.clone(), options),
                    scratch,
                    since,
                    keeps_journal: false,
                    is_committing: false,
                };
                Ok((transaction, recovered))
            }
            Err(failure) => {
                // The next command removes the rest.
                let _ = state.close(workspace);
                Err(failure)
            }
        }
    }

    /// Creates the directory for the scratch files.
    fn create_scratch(
        workspace: &dyn Workspace,
        state: &StateDirectory,
    ) -> Result<(Scratch, Timestamp), Failure> {
        let since = workspace.now();
        // The new ID must sort after the newest entry, even if the clock went back.
        let last = state
            .history()
            .and_then(|home| history::newest_id(workspace, home))
            .max(state.audit.last_id());
        let scratch = state.scratch(&ids::new_id(since, last.as_deref()))?;
        scratch.make(workspace)?;
        Ok((scratch, since))
    }

    /// Takes git's lock of the index. A change of [`IndexLocation::path`] can then be staged like
    /// the change of any other file.
    ///
    /// The lock is held until the transaction ends. Read the index only after this call.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::IndexLocked`] if another process holds the lock. Like git, it does not
    /// wait.
    pub fn lock_index(&self, location: &IndexLocation) -> Result<(), Failure> {
        git_index_file::lock_index(
            self.workspace,
            &self.scratch,
            self.options.durability,
            location,
        )
    }

    /// Returns the path of a scratch file for additional data of the transaction, below
    /// [`Transaction::workspace`]. The file is removed together with the transaction.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::State`] if the path is too long.
    pub fn extra_file(&self) -> Result<RelPath, Failure> {
        self.scratch.file("aside")
    }

    /// Returns the workspace that the transaction changes: the work tree's top directory, or the
    /// root.
    #[must_use]
    pub fn workspace(&self) -> &'w dyn Workspace {
        self.workspace
    }

    /// Commits all staged changes.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`] after the rollback. If [`Sink::take`] returned an error, the transaction
    /// must not be committed.
    pub fn commit(mut self, interrupt: &Interrupt) -> Result<Receipt, Failure> {
        self.is_committing = true;
        let attempted = self.try_commit(interrupt);
        self.is_committing = false;
        match attempted {
            Ok(done) => Ok(self.finish_commit(done)),
            Err(FailedCommit {
                failure,
                keeps_journal,
            }) => {
                self.keeps_journal = keeps_journal;
                let failure = self.record_failure(failure);
                Err(self.root_prefix.failure_to_root(failure))
            }
        }
    }

    /// Commits and returns the journal and the altered files, or `None` if there is nothing to do.
    fn try_commit(
        &self,
        interrupt: &Interrupt,
    ) -> Result<Option<CommittedTransaction>, FailedCommit> {
        let (mut staged, outdated) = self.stage.finish();
        if !outdated.is_empty() {
            return Err(Failure::Stale(outdated).into());
        }
        let Some(state) = &self.state else {
            return Ok(None);
        };
        // An undo is recorded even if the tree already has the old content.
        if staged.is_empty() && self.label.undoes.is_empty() {
            return Ok(None);
        }
        if let Some(signal) = interrupt.signal() {
            return Err(Failure::Interrupted(signal).into());
        }
        if state.history().is_none() && !self.label.undoes.is_empty() {
            // Without a history, the files that an undo displaces would be lost.
            return Err(no_history().into());
        }
        // The root itself is kept, even if it becomes empty.
        staged.kept_dirs.extend(self.root_prefix.root().cloned());
        let label = self
            .root_prefix
            .label_to_top(self.label.clone())
            .map_err(Failure::Workspace)?;
        let mut arranged = build_journal(
            self.workspace,
            &self.stage,
            staged,
            (&label, &self.root_prefix),
            &self.directories,
        )?;
        // A record that cannot be signed refuses the change before the journal exists.
        let facts = (&*self.scratch.id, &label.audit, self.signer);
        audit::add_record(&state.audit, &mut arranged.journal, facts)?;
        let (old_file_lookup, altered) = Commit {
            workspace: self.workspace,
            state,
            scratch: &self.scratch,
            durability: self.options.durability,
            since: self.since,
            hooks: &self.hooks,
            interrupt,
            progress: &self.progress,
        }
        .run(&arranged)?;
        Ok(Some(CommittedTransaction {
            journal: arranged.journal,
            old_file_lookup,
            altered,
        }))
    }

    /// Adds an incomplete rollback to the history. Returns `failure` with the new locations of the
    /// kept files.
    fn record_failure(&self, failure: Failure) -> Failure {
        match (failure, &self.state) {
            (
                Failure::Incomplete {
                    left,
                    kept,
                    rollback_error: None,
                    cause,
                },
                Some(state),
            ) => {
                // If this fails, the next command adds the entry.
                let _ = recover::finish_recovered(
                    self.workspace,
                    state,
                    &self.scratch,
                    self.options.durability,
                );
                let kept = recover::locate_kept_files(self.workspace, state, &self.scratch, kept);
                Failure::Incomplete {
                    left,
                    kept,
                    rollback_error: None,
                    cause,
                }
            }
            (failure, _) => failure,
        }
    }

    /// Removes the scratch files and releases the lock.
    fn sweep_and_unlock(&mut self) -> Result<(), Failure> {
        let Some(state) = self.state.take() else {
            return Ok(());
        };
        self.progress.enter(Phase::Sweeping, 0);
        if self.keeps_journal {
            // The directory stays until the next command, so git must ignore it.
            state.write_gitignore(self.workspace);
            return Ok(());
        }
        sweep(self.workspace, &self.scratch)?;
        // A state directory that contains kept files is not empty and remains.
        let _ = state.close(self.workspace);
        Ok(())
    }

    /// Abandons the staged changes, like dropping the transaction.
    pub fn abandon(self) {}
}

/// Returns the warning that the transaction is committed but scratch files remain.
fn sweep_warning(failure: &Failure) -> String {
    format!("some scratch files were not removed, the next command removes them: {failure}")
}

impl Drop for Transaction<'_> {
    /// Abandons the staged changes. Rolls back a commit that a panic interrupted.
    fn drop(&mut self) {
        if let (true, Some(state)) = (self.is_committing, &self.state) {
            self.keeps_journal =
                recover::recover_one(self.workspace, state, &self.scratch, self.options).is_err();
        }
        // The next command removes the rest.
        let _ = self.sweep_and_unlock();
    }
}

impl Sink for Transaction<'_> {
    fn receive(&self, change: FileChange) -> Result<(), WorkspaceError> {
        let path = change.path.clone();
        let change = self.root_prefix.change_to_top(change)?;
        self.stage
            .take(self.workspace, change)
            .map_err(|failure| match failure {
                Failure::Workspace(error) => self.root_prefix.error_to_root(error),
                failure => {
                    let (path, source) = (path.to_string(), io::Error::other(failure));
                    WorkspaceError {
                        verb: "stage",
                        path,
                        kind: ErrorKind::Other,
                        source,
                    }
                }
            })
    }
}
