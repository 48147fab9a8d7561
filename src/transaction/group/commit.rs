//! Commits the members of a transaction: prepares the journals, commits one member or a group, and
//! ends with the history and the sweep.

use super::phases::{GroupCommit, GroupFailure, GroupOutcome, Participant};
use super::{GroupMember, GroupRecord, Transaction};
use crate::path::RelPath;
use crate::transaction::build_journal::BuiltJournal;
use crate::transaction::moves::FileMover;
use crate::transaction::undone::{FailedCommit, RollbackResult};
use crate::transaction::{
    CommittedTransaction, Failure, Interrupt, KeptFile, Member, Receipt, history,
};

/// The number of a member and its journal.
type Prepared = (usize, BuiltJournal);

impl Transaction<'_> {
    /// Commits the members, adds them to the history and sweeps.
    pub(super) fn commit_members(&mut self, interrupt: &Interrupt) -> Result<Receipt, Failure> {
        self.select_undone_entries()?;
        let mut prepared = self.prepare_members(interrupt)?;
        if prepared.len() > 1 {
            self.name_members(&mut prepared)?;
        }
        self.add_audit_records(&mut prepared)?;
        let committed = match prepared.len() {
            0 => Ok(Vec::new()),
            1 => self.commit_one(prepared, interrupt),
            _ => self.commit_group(prepared, interrupt),
        };
        Ok(self.finish(committed?, interrupt))
    }

    /// Leaves only the entries of its own history in the label of each member of several.
    fn select_undone_entries(&mut self) -> Result<(), Failure> {
        if self.members.len() == 1 {
            return Ok(());
        }
        for member in &mut self.members {
            if member.label.undoes.is_empty() {
                continue;
            }
            let entries = history::entries(member.workspace)
                .map_err(|failure| member.roots.failure_to_caller(failure))?;
            let is_own = |id: &String| entries.iter().any(|entry| entry.id == *id);
            member.label.undoes.retain(is_own);
        }
        Ok(())
    }

    /// Builds the journal of each member that has changes.
    fn prepare_members(&self, interrupt: &Interrupt) -> Result<Vec<Prepared>, Failure> {
        let mut prepared = Vec::with_capacity(self.members.len());
        for (number, member) in self.members.iter().enumerate() {
            let built = member.prepare(interrupt);
            let built = built.map_err(|failure| member.roots.failure_to_caller(failure))?;
            prepared.extend(built.map(|built| (number, built)));
        }
        Ok(prepared)
    }

    /// Commits the only member that has changes.
    fn commit_one(
        &mut self,
        prepared: Vec<Prepared>,
        interrupt: &Interrupt,
    ) -> Result<Vec<(usize, CommittedTransaction)>, Failure> {
        let mut committed = Vec::new();
        for (number, built) in prepared {
            let member = &mut self.members[number];
            member.is_committing = true;
            let attempted = member.commit(built, &self.hooks, interrupt);
            member.is_committing = false;
            match attempted {
                Ok(done) => committed.extend(done.map(|done| (number, done))),
                Err(FailedCommit {
                    failure,
                    keeps_journal,
                }) => {
                    member.keeps_journal = keeps_journal;
                    let failure = member.record_failure(failure);
                    return Err(member.roots.failure_to_caller(failure));
                }
            }
        }
        Ok(committed)
    }

    /// Commits several members together.
    fn commit_group(
        &mut self,
        prepared: Vec<Prepared>,
        interrupt: &Interrupt,
    ) -> Result<Vec<(usize, CommittedTransaction)>, Failure> {
        // After a panic, all members are recovered together.
        for (number, _) in &prepared {
            self.members[*number].keeps_journal = true;
        }
        let record = prepared
            .first()
            .and_then(|(_, it)| it.journal.group.clone());
        let numbers = prepared.iter().map(|(number, _)| *number).collect();
        self.committing = record.map(|record| (record, numbers));
        let result = self.run_group(&prepared, interrupt);
        self.committing = None;
        match result {
            Ok(outcome) => Ok(self.committed_group(prepared, outcome)),
            Err(GroupFailure { cause, rollbacks }) => {
                Err(self.end_rollback(&prepared, cause, rollbacks))
            }
        }
    }

    fn run_group(
        &self,
        prepared: &[Prepared],
        interrupt: &Interrupt,
    ) -> Result<GroupOutcome, GroupFailure> {
        let participant = |(number, built)| {
            let member: &Member<'_> = &self.members[number];
            Some(Participant {
                steps: member.steps(member.state.as_ref()?, &[], interrupt),
                moves: FileMover::new(member.workspace),
                member,
                built,
            })
        };
        let prepared = prepared.iter().map(|(number, built)| (*number, built));
        let participants: Vec<_> = prepared.filter_map(participant).collect();
        GroupCommit {
            participants: &participants,
            hooks: &self.hooks,
            interrupt,
        }
        .run()
    }

    /// Returns the committed members of a group.
    fn committed_group(
        &mut self,
        prepared: Vec<Prepared>,
        outcome: GroupOutcome,
    ) -> Vec<(usize, CommittedTransaction)> {
        let results = outcome.altered.into_iter().zip(outcome.lookups);
        let mut done = Vec::with_capacity(prepared.len());
        for ((number, built), (altered, old_file_lookup)) in prepared.into_iter().zip(results) {
            // The next command in any of the roots writes missing records.
            self.members[number].keeps_journal = !outcome.is_complete;
            let committed = CommittedTransaction {
                journal: built.journal,
                old_file_lookup,
                altered,
            };
            done.push((number, committed));
        }
        done
    }

    /// Adds the record of the group to each journal.
    fn name_members(&self, prepared: &mut [Prepared]) -> Result<(), Failure> {
        let members = prepared
            .iter()
            .filter_map(|(number, _)| {
                let member = &self.members[*number];
                Some(GroupMember::of(member.roots.name()?, member.workspace))
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        for (position, (_, built)) in prepared.iter_mut().enumerate() {
            let members = members.clone();
            built.journal.group = Some(GroupRecord { position, members });
        }
        Ok(())
    }

    /// Adds the audit record to each journal. Each member has an audit file of its own, with its own
    /// files only, so that the file can be verified without the other roots.
    fn add_audit_records(&self, prepared: &mut [Prepared]) -> Result<(), Failure> {
        for (number, built) in prepared {
            let member = &self.members[*number];
            let added = member.add_audit_record(built);
            added.map_err(|failure| member.roots.failure_to_caller(failure))?;
        }
        Ok(())
    }

    /// Returns the failure of a group whose members have the results `rollbacks`.
    fn end_rollback(
        &mut self,
        prepared: &[Prepared],
        cause: Failure,
        rollbacks: Vec<RollbackResult>,
    ) -> Failure {
        let has_error = rollbacks.iter().any(|rollback| rollback.error.is_some());
        let (mut left, mut kept, mut error) = (Vec::new(), Vec::new(), None);
        for ((number, _), rollback) in prepared.iter().zip(rollbacks) {
            let member = &mut self.members[*number];
            // If one member is not restored, a command in any of the roots must find this out.
            member.keeps_journal = has_error;
            let failure = Failure::Incomplete {
                left: rollback.left,
                kept: rollback.kept,
                rollback_error: rollback.error.map(Box::new),
                cause: None,
            };
            let is_recorded =
                matches!(&failure, Failure::Incomplete { left, .. } if !left.is_empty());
            let failure = if is_recorded && !has_error {
                member.record_failure(failure)
            } else {
                failure
            };
            if let Failure::Incomplete {
                left: more,
                kept: copies,
                rollback_error,
                ..
            } = member.roots.failure_to_caller(failure)
            {
                left.extend::<Vec<RelPath>>(more);
                kept.extend::<Vec<KeptFile>>(copies);
                error = error.or(rollback_error);
            }
        }
        if left.is_empty() && error.is_none() {
            return cause;
        }
        Failure::Incomplete {
            left,
            kept,
            rollback_error: error,
            cause: Some(Box::new(cause)),
        }
    }

    /// Adds the committed members to the history. Then sweeps all members and releases the locks.
    /// No member is swept before all of them have their history entry. The change is committed, so a
    /// signal only ends the sweep.
    fn finish(
        &mut self,
        committed: Vec<(usize, CommittedTransaction)>,
        interrupt: &Interrupt,
    ) -> Receipt {
        let mut receipts: Vec<(usize, Receipt)> = Vec::new();
        let is_empty = committed.is_empty();
        for (number, done) in committed {
            let member = &mut self.members[number];
            let receipt = if member.keeps_journal {
                member.incomplete_receipt(done)
            } else {
                member.finish_commit(Some(done))
            };
            receipts.push((number, receipt));
        }
        if is_empty {
            receipts.push((0, self.members[0].finish_commit(None)));
        }
        let mut all: Option<Receipt> = None;
        for (number, mut receipt) in receipts {
            let member = &mut self.members[number];
            member.end(&mut receipt, interrupt);
            receipt.altered = member.roots.paths_to_caller(receipt.altered);
            match &mut all {
                None => all = Some(receipt),
                Some(all) => all.add(receipt),
            }
        }
        for member in &mut self.members {
            let _ = member.sweep_and_unlock(interrupt);
        }
        all.expect("BUG: a transaction has a member")
    }
}
