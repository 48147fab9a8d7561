//! The steps after the commit record: the history entry, the sweep and the receipt.

use super::history;
use super::unkept::NoHistoryReason;
use super::{
    CommittedTransaction, Durability, Failure, Interrupt, Member, audit, sessions, sweep_warning,
};
use crate::path::RelPath;
use crate::progress::Phase;

/// The proof of a commit.
#[derive(Clone, Debug)]
#[must_use]
pub struct Receipt {
    /// The ID of the transaction.
    pub id: String,
    /// The level of durability that was reached.
    pub durability: Durability,
    /// Warnings, for example about scratch files that could not be removed.
    pub warnings: Vec<String>,
    /// The number of entries that were removed from the history, because it exceeded its limits.
    pub pruned: usize,
    /// The reason why the change is not in the history, or `None` if it is.
    pub no_history: Option<NoHistoryReason>,
    /// The files that changed while a [`CommitHook`](super::CommitHook) ran. Their content differs
    /// from the change.
    pub altered: Vec<RelPath>,
}

impl Receipt {
    /// Adds the receipt of another member of the same transaction.
    pub(super) fn add(&mut self, other: Self) {
        let is_new = |warning: &String| !self.warnings.contains(warning);
        let new: Vec<_> = other.warnings.into_iter().filter(is_new).collect();
        self.warnings.extend(new);
        self.pruned += other.pruned;
        self.altered.extend(other.altered);
        self.no_history = self.no_history.take().or(other.no_history);
    }
}

impl Member<'_> {
    /// Adds the commit, if there was one, to the history. Returns the receipt.
    pub(super) fn finish_commit(&mut self, done: Option<CommittedTransaction>) -> Receipt {
        let mut receipt = Receipt {
            id: self.scratch.id.clone(),
            durability: self.options.durability,
            warnings: Vec::new(),
            pruned: 0,
            no_history: None,
            altered: Vec::new(),
        };
        // The record comes first: an entry without a record would seem to be the work of an
        // attacker who removed the record.
        if let (Some(done), Some(state)) = (&done, &mut self.state) {
            let record = state.audit.append(self.workspace, &done.journal.audit);
            receipt.warnings.extend(record);
        }
        let kept = match &done {
            Some(done) => self.add_to_history(done, &mut receipt),
            None => Ok(self.no_history_reason()),
        };
        receipt.no_history = kept.unwrap_or_else(|failure| {
            // The next command removes the rest. It needs the record for that.
            self.keeps_journal = true;
            receipt.warnings.push(sweep_warning(&failure));
            None
        });
        receipt.altered = done.map(|done| done.altered).unwrap_or_default();
        receipt
    }

    /// Returns the receipt of a commit whose records are not complete in all roots.
    pub(super) fn incomplete_receipt(&self, done: CommittedTransaction) -> Receipt {
        Receipt {
            id: self.scratch.id.clone(),
            durability: self.options.durability,
            warnings: vec![
                "the change is committed, and the next command in one of the roots completes its \
                 records"
                    .to_owned(),
            ],
            pruned: 0,
            no_history: None,
            altered: done.altered,
        }
    }

    /// Sweeps and releases the lock. Adds a warning to `receipt` if this fails or a signal ends it.
    pub(super) fn end(&mut self, receipt: &mut Receipt, interrupt: &Interrupt) {
        if let Err(failure) = self.sweep_and_unlock(interrupt) {
            receipt.warnings.push(sweep_warning(&failure));
        }
    }

    /// Returns the reason why no history is kept, or `None` if one is kept.
    fn no_history_reason(&self) -> Option<NoHistoryReason> {
        let state = self
            .state
            .as_ref()
            .filter(|state| state.history().is_none())?;
        Some(history::explain_no_history(
            self.workspace,
            state.unusable.as_ref(),
        ))
    }

    /// Adds the commit to the history, if one is kept, and removes the entries above the limits.
    /// Returns the reason why no history is kept.
    fn add_to_history(
        &self,
        CommittedTransaction {
            journal,
            old_file_lookup: old_places,
            ..
        }: &CommittedTransaction,
        receipt: &mut Receipt,
    ) -> Result<Option<NoHistoryReason>, Failure> {
        let Some(state) = &self.state else {
            return Ok(None);
        };
        self.progress.enter(Phase::Sweeping, 0);
        let Some(home) = state.history() else {
            let unkept = self.no_history_reason();
            if self.workspace.external_history().is_none() {
                return Ok(unkept);
            }
            return Ok(unkept.map(|unkept| add_no_undo_warning(unkept, &mut receipt.warnings)));
        };
        let Self {
            workspace,
            scratch,
            options,
            ..
        } = self;
        sessions::remove_committed(*workspace, journal, options.durability);
        match history::add_committed(
            *workspace,
            home,
            (scratch, journal),
            *old_places,
            options.durability,
        ) {
            // A temporary state directory must not remain in the user's tree, except with files
            // that an undo displaced.
            Err(failure) if state.is_temporary() && journal.undoes.is_empty() => {
                // No entry contains the record, so the head does.
                let _ = audit::save_head(*workspace, home);
                return Ok(Some(add_no_undo_warning(
                    NoHistoryReason::new(failure.to_string()),
                    &mut receipt.warnings,
                )));
            }
            kept => kept?,
        }
        let drained = history::remove_undone_files(*workspace, home, &journal.undoes);
        if state.audit.obstacle().is_none() {
            let pruned = drained.and_then(|()| {
                history::prune(*workspace, home, (options.history, options.durability))
            });
            match pruned {
                Ok(pruned) => receipt.pruned = pruned,
                Err(failure) => receipt.warnings.push(sweep_warning(&failure)),
            }
        }
        Ok(None)
    }
}

/// Adds the warning that the committed change is not in the history.
fn add_no_undo_warning(unkept: NoHistoryReason, warnings: &mut Vec<String>) -> NoHistoryReason {
    warnings.push(format!("this change cannot be undone: {}", unkept.reason));
    NoHistoryReason {
        is_warned: true,
        ..unkept
    }
}
