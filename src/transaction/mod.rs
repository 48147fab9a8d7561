//! Commits a set of file changes as one transaction, or leaves the tree unchanged.
//!
//! The input is a stream of `FileChange` values, which [`Transaction`] receives as a
//! [`Sink`](crate::change::Sink). It does not know patches. The output is a [`Receipt`], or a
//! [`Failure`] after rollback. The next command recovers an interrupted transaction.
//!
//! The steps are: lock, stage, journal, swap with verification, sync, commit record, sweep.
//! Invariants:
//!
//! - Before the journal is durable, the tree contains no change except scratch files.
//! - A file that moves out is verified before it is discarded.
//! - After the commit record, no step returns an error. Later faults become warnings.
//!
//! A transaction has one member for each work tree that it changes. Most have one. `group/` commits
//! several members together.
//!
//! Read this file first, then `commit.rs` for the order of the steps, then `swap.rs`, `rollback/`,
//! `recover.rs` and `group/`.

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
mod group;
pub mod history;
mod ids;
mod journal;
mod kept;
mod maintenance;
mod moves;
mod numbers;
mod observed;
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

use crate::change::FileChange;
use crate::path::RelPath;
use crate::progress::{Phase, Progress};
use crate::workspace::{ErrorKind, Timestamp, Workspace, WorkspaceError};

pub use crate::interrupt::Interrupt;
pub use change::DirAttributes;
pub use commit_hook::CommitHook;
pub use failure::{Failure, KeptFile};
pub use finish::Receipt;
pub use git_index_file::IndexLocation;
pub use group::Transaction;
pub use maintenance::{CollectedGarbage, collect_garbage, init};
pub use observed::{ObservedChange, ObservedFile, ReadOldContent};
pub use options::{
    Durability, HardLinkMode, HistoryLimits, JournalAdoption, MissingRoots, Options,
};
pub use recover::{has_unfinished_changes, recover, recover_with_interrupt};
pub use recovered::{RecoveredTransaction, RecoveryOutcome};
pub use state_access::check_state_access;
pub use unkept::{NoHistoryReason, Remedy};

use audit::AuditSigner;
use build_journal::{BuiltJournal, build_journal};
use commit::Commit;
use failure::{check_interrupt, no_history};
use group::{GroupRecord, MemberRoots};
use history::{OldFileLookup, TransactionLabel};
use journal::Journal;
use observed::JournalParts;
use root_prefix::RootPrefix;
use scratch::Scratch;
use stage::{Arrival, ChangeStager};
use state::StateDirectory;
use sweep::sweep_until_raised;
use undone::FailedCommit;

/// The part of a transaction in one git work tree, or in the root if it is in no work tree.
///
/// [`Member::begin`] takes the lock. Dropping the member without a commit abandons it, also after a
/// panic.
struct Member<'w> {
    /// The workspace of the work tree's top directory, or of the root.
    workspace: &'w dyn Workspace,
    /// The roots of the command in this work tree.
    roots: MemberRoots,
    options: Options,
    label: TransactionLabel,
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
    /// The change that is already in the tree, if the transaction only records one.
    observed: Option<JournalParts>,
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

impl<'w> Member<'w> {
    /// Returns the member of the locked state directory `state`. Its transaction ID is `id`.
    fn begin(
        workspace: &'w dyn Workspace,
        roots: MemberRoots,
        (state, id): (StateDirectory, &str),
        (options, since): (Options, Timestamp),
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let created = state.scratch(id).and_then(|scratch| {
            scratch.make(workspace)?;
            Ok(scratch)
        });
        match created {
            Ok(scratch) => Ok(Self {
                workspace,
                roots,
                options,
                label: TransactionLabel::default(),
                directories: BTreeMap::new(),
                signer: None,
                progress: Progress::default(),
                state: Some(state),
                stage: ChangeStager::new(scratch.clone(), options, interrupt),
                observed: None,
                scratch,
                since,
                keeps_journal: false,
                is_committing: false,
            }),
            Err(failure) => {
                // The next command removes the rest.
                let _ = state.close(workspace);
                Err(failure)
            }
        }
    }

    /// Returns the newest ID of the history and of the audit file of `state`.
    fn newest_id(workspace: &dyn Workspace, state: &StateDirectory) -> Option<String> {
        let home = state.history()?;
        state.audit.newest_id(workspace, home)
    }

    /// Builds the journal of the staged changes. Returns `None` if there is nothing to do.
    fn prepare(&self, interrupt: &Interrupt) -> Result<Option<BuiltJournal>, Failure> {
        if let Some(observed) = self.observed_journal()? {
            return Ok(Some(observed));
        }
        check_interrupt(interrupt)?;
        let (mut staged, outdated) = self.stage.finish();
        if !outdated.is_empty() {
            return Err(Failure::Stale(outdated));
        }
        let Some(state) = &self.state else {
            return Ok(None);
        };
        // An undo is recorded even if the tree already has the old content.
        if staged.is_empty() && self.label.undoes.is_empty() {
            return Ok(None);
        }
        check_interrupt(interrupt)?;
        if state.history().is_none() && !self.label.undoes.is_empty() {
            // Without a history, the files that an undo displaces would be lost.
            return Err(no_history());
        }
        // The root itself is kept, even if it becomes empty.
        let roots = self.roots.prefixes();
        staged
            .kept_dirs
            .extend(roots.iter().map(|&root| root.clone()));
        let label = self.roots.label_to_top(self.label.clone())?;
        build_journal(
            self.workspace,
            &self.stage,
            staged,
            (&label, &roots),
            &self.directories,
        )
        .map(Some)
    }

    /// Adds the audit record to the journal `built`, which is complete except for it. A record that
    /// cannot be signed refuses the change before the journal exists.
    fn add_audit_record(&self, built: &mut BuiltJournal) -> Result<(), Failure> {
        let Some(state) = &self.state else {
            return Ok(());
        };
        let label = self.roots.label_to_top(self.label.clone())?;
        let facts = (&*self.scratch.id, &label.audit, self.signer);
        audit::add_record(&state.audit, &mut built.journal, facts)
    }

    /// Returns the steps of the commit in the state directory `state`.
    fn steps<'a>(
        &'a self,
        state: &'a StateDirectory,
        hooks: &'a [&'a dyn CommitHook],
        interrupt: &'a Interrupt,
    ) -> Commit<'a> {
        Commit {
            workspace: self.workspace,
            state,
            scratch: &self.scratch,
            durability: self.options.durability,
            since: self.since,
            hooks,
            interrupt,
            progress: &self.progress,
        }
    }

    /// Commits the journal `built` on its own.
    fn commit(
        &self,
        built: BuiltJournal,
        hooks: &[&dyn CommitHook],
        interrupt: &Interrupt,
    ) -> Result<Option<CommittedTransaction>, FailedCommit> {
        let Some(state) = &self.state else {
            return Ok(None);
        };
        let steps = self.steps(state, hooks, interrupt);
        let (old_file_lookup, altered) = if self.observed.is_some() {
            steps.record_observed(&built)?;
            (OldFileLookup::Unknown, Vec::new())
        } else {
            steps.run(&built)?
        };
        Ok(Some(CommittedTransaction {
            journal: built.journal,
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

    /// Removes the scratch files and releases the lock. After a signal, some files remain for the
    /// next command.
    fn sweep_and_unlock(&mut self, interrupt: &Interrupt) -> Result<(), Failure> {
        let Some(state) = self.state.take() else {
            return Ok(());
        };
        self.progress.enter(Phase::Sweeping, 0);
        if self.keeps_journal {
            // The directory stays until the next command, so git must ignore it.
            state.write_gitignore(self.workspace);
            return Ok(());
        }
        if let Err(failure) = sweep_until_raised(self.workspace, &self.scratch, interrupt) {
            state.write_gitignore(self.workspace);
            return Err(failure);
        }
        // A state directory that contains kept files is not empty and remains.
        let _ = state.close(self.workspace);
        Ok(())
    }
}

/// Returns the warning that the transaction is committed but scratch files remain.
fn sweep_warning(failure: &Failure) -> String {
    format!("some scratch files were not removed, the next command removes them: {failure}")
}

impl Drop for Member<'_> {
    /// Abandons the staged changes. Rolls back a commit that a panic interrupted.
    fn drop(&mut self) {
        if let (true, Some(state)) = (self.is_committing, &self.state) {
            self.keeps_journal =
                recover::recover_one(self.workspace, state, &self.scratch, self.options).is_err();
        }
        // The next command removes the rest.
        let _ = self.sweep_and_unlock(Interrupt::never());
    }
}

impl Member<'_> {
    /// Stages `change`, whose paths are below the root at `root_prefix`.
    /// `arrival` is the source of a file that moves from another root.
    fn receive(
        &self,
        (change, arrival): (FileChange, Option<Arrival>),
        root_prefix: &RootPrefix,
    ) -> Result<(), WorkspaceError> {
        let path = change.path.clone();
        let change = root_prefix.change_to_top(change)?;
        let staged = self.stage.take(self.workspace, (change, arrival.as_ref()));
        staged.map_err(|failure| match failure {
            Failure::Workspace(error) => root_prefix.error_to_root(error),
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
