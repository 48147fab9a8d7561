//! From a plan to a changed tree, in one transaction.

use super::diagnose::Waiting;
use super::problems::{altered, unswept};
use super::{Commands, Reach, Run};
use crate::change::Dropped;
use crate::preflight;
use crate::progress::Phase;
use crate::report::HistoryReport;
use crate::transaction::history::{self, Label};
use crate::transaction::{self, Failure, Interrupt, Receipt, Transaction};
use crate::workspace::Workspace;

/// On which terms a change is made.
pub(super) struct Terms<'a> {
    /// How the tree is looked at.
    pub(super) options: &'a preflight::Options,
    /// How the change is committed.
    pub(super) transaction: transaction::Options,
    /// The `plan_id` that was approved.
    pub(super) approve: Option<&'a str>,
    /// The commands of the user around it.
    pub(super) commands: &'a Commands,
}

impl Run {
    /// Makes the change, unless something speaks against it.
    pub(super) fn make(&mut self, terms: &Terms<'_>, workspace: &dyn Workspace, interrupt: &Interrupt) {
        let &Terms { options, approve, commands, .. } = terms;
        // Not even a lock is made for what policy refuses. What the work tree has is nothing to the index alone.
        let is_cached = self.indexed.as_ref().is_some_and(|indexed| indexed.reach == Reach::Cached);
        let is_held = !is_cached && preflight::is_held(&self.plan, workspace, options);
        let result = match (self.is_refused() || is_held, self.indexed.is_some()) {
            (false, _) => self.commit(terms, workspace, interrupt),
            (true, true) => self.resolve(workspace, options, &Dropped, approve, interrupt).map(drop),
            (true, false) => preflight::resolve(&self.plan, workspace, options, &Dropped)
                .map(|resolution| self.resolved(resolution, approve))
                .map_err(Failure::Workspace),
        };
        if let Err(failure) = result {
            self.end(failure, interrupt);
        }
        self.note_history(workspace);
        self.tell_after(commands, interrupt);
    }

    /// Notes whether the change can be undone later, or could have been if it had been made.
    pub(super) fn note_history(&mut self, workspace: &dyn Workspace) {
        let unkept = match &self.receipt {
            Some(receipt) => Ok(receipt.unkept.clone()),
            None => history::unkept(workspace),
        };
        self.history = unkept.ok().map(HistoryReport::of);
    }

    fn commit(&mut self, terms: &Terms<'_>, workspace: &dyn Workspace, interrupt: &Interrupt) -> Result<(), Failure> {
        let &Terms { options, transaction, approve, commands } = terms;
        self.progress.enter(Phase::Waiting, 0);
        let (transaction, recovered) = Transaction::begin(workspace, transaction, interrupt)?;
        self.note_recovered(recovered);
        let transaction = transaction.expecting(self.plan.operations.len());
        let waiting = match self.indexed.clone() {
            Some(indexed) => {
                self.stage_index(&indexed, workspace, options, &transaction, approve)?;
                None
            }
            None => self.resolve(workspace, options, &transaction, approve, interrupt)?,
        };
        if self.is_refused() {
            transaction.abandon();
            return Ok(());
        }
        let label = Label { command: self.command.to_owned(), index: self.index_record(), ..Label::default() };
        self.conclude(transaction.labelled(label), waiting, workspace, commands, interrupt)?;
        if let Some(indexed) = self.indexed.as_ref().filter(|_| self.receipt.is_some()) {
            indexed.refresh();
        }
        Ok(())
    }

    /// Commits, unless a language server that is waiting, or a command of the user, says no.
    pub(super) fn conclude<'w>(
        &mut self,
        transaction: Transaction<'w>,
        waiting: Option<Waiting<'w>>,
        workspace: &'w dyn Workspace,
        commands: &Commands,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        if !self.ask_before(commands, workspace, interrupt)? {
            transaction.abandon();
            return Ok(());
        }
        let verification = self.verification(commands, workspace)?;
        let mut transaction: Transaction<'_> = transaction.followed_by(self.progress.clone());
        if let Some(waiting) = &waiting {
            transaction = transaction.tried_by(waiting);
        }
        if let Some(verification) = &verification {
            transaction = transaction.tried_by(verification);
        }
        let committed = transaction.commit(interrupt);
        self.diagnosed(waiting);
        if let Some(verification) = verification {
            self.verified(verification);
        }
        self.committed(committed?);
        Ok(())
    }

    fn committed(&mut self, receipt: Receipt) {
        self.problems.extend(receipt.altered.iter().map(altered));
        self.problems.extend(receipt.warnings.iter().map(|warning| unswept(warning)));
        self.receipt = Some(receipt);
    }
}
