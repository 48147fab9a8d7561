//! The two phases of a commit with several members. Read [`GroupCommit::run`] first.

use std::collections::BTreeSet;

use crate::path::RelPath;
use crate::transaction::build_journal::BuiltJournal;
use crate::transaction::commit::{Commit, SwapProgress, old_file_lookup};
use crate::transaction::failure::check_interrupt;
use crate::transaction::history::OldFileLookup;
use crate::transaction::moves::FileMover;
use crate::transaction::undone::RollbackResult;
use crate::transaction::{CommitHook, Failure, Interrupt, Member};

/// One member of a group during the commit.
pub(super) struct Participant<'a> {
    pub(super) member: &'a Member<'a>,
    pub(super) steps: Commit<'a>,
    pub(super) moves: FileMover<'a>,
    pub(super) built: &'a BuiltJournal,
}

/// The progress of a member at the start of a rollback.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberProgress {
    /// Its journal may be missing.
    Staged,
    /// Its journal is durable, and its files may be swapped.
    Written,
    /// Its files are swapped.
    Complete,
}

/// The commit of a group. The first participant is the coordinator.
pub(super) struct GroupCommit<'a> {
    pub(super) participants: &'a [Participant<'a>],
    pub(super) hooks: &'a [&'a dyn CommitHook],
    pub(super) interrupt: &'a Interrupt,
}

/// A committed group.
pub(super) struct GroupOutcome {
    /// The files of each member that changed while the hooks ran.
    pub(super) altered: Vec<Vec<RelPath>>,
    pub(super) lookups: Vec<OldFileLookup>,
    /// Whether each member has its commit record.
    pub(super) is_complete: bool,
}

/// A group that was rolled back.
pub(super) struct GroupFailure {
    pub(super) cause: Failure,
    /// The result in each member.
    pub(super) rollbacks: Vec<RollbackResult>,
}

impl GroupCommit<'_> {
    /// Runs the two phases. An error in the first phase rolls all members back. The second phase
    /// begins with the decision, and no error changes its result.
    pub(super) fn run(&self) -> Result<GroupOutcome, GroupFailure> {
        let mut progress = vec![MemberProgress::Staged; self.participants.len()];
        let altered = self
            .prepare(&mut progress)
            .and_then(|altered| {
                let [coordinator, ..] = self.participants else {
                    return Ok(altered);
                };
                let decided = coordinator.steps.write_commit_record();
                decided.map_err(|failure| coordinator.failure(failure))?;
                Ok(altered)
            })
            .map_err(|cause| self.roll_back(&progress, cause))?;
        let mut is_complete = true;
        for participant in self.participants.iter().skip(1) {
            is_complete &= participant.steps.write_commit_record().is_ok();
        }
        let participants = self.participants.iter();
        Ok(GroupOutcome {
            altered,
            lookups: participants.map(|it| old_file_lookup(&it.moves)).collect(),
            is_complete,
        })
    }

    /// Prepares every member so that only its commit record is missing. Returns the files of each
    /// member that changed while the hooks ran.
    fn prepare(&self, progress: &mut [MemberProgress]) -> Result<Vec<Vec<RelPath>>, Failure> {
        for (it, progress) in self.participants.iter().zip(&mut *progress) {
            let written = it.steps.write_intent(it.built);
            written.map_err(|failure| it.failure(failure))?;
            *progress = MemberProgress::Written;
        }
        let mut unremoved: Vec<BTreeSet<RelPath>> = Vec::with_capacity(self.participants.len());
        for (it, progress) in self.participants.iter().zip(progress) {
            let swapped = it.steps.swap(it.built, &it.moves);
            unremoved.push(swapped.map_err(|failure| it.failure(failure))?);
            *progress = MemberProgress::Complete;
        }
        for (it, unremoved) in self.participants.iter().zip(&unremoved) {
            let synced = it.steps.make_names_durable(it.built, unremoved);
            synced.map_err(|failure| it.failure(failure))?;
        }
        let altered = self.run_hooks()?;
        check_interrupt(self.interrupt)?;
        Ok(altered)
    }

    /// Runs the commit hooks once for all members.
    fn run_hooks(&self) -> Result<Vec<Vec<RelPath>>, Failure> {
        if self.hooks.is_empty() {
            return Ok(vec![Vec::new(); self.participants.len()]);
        }
        let judged = self
            .hooks
            .iter()
            .try_for_each(|hook| hook.check(self.interrupt));
        // A hook can move directories, so cached directory handles are no longer valid.
        for it in self.participants {
            it.member.workspace.close_cached_handles();
        }
        judged?;
        let altered = self.participants.iter().map(|it| {
            let found = it.steps.find_altered(&it.built.journal);
            found.map_err(|failure| it.failure(failure))
        });
        altered.collect()
    }

    /// Rolls all members back, the coordinator first. If its commit record cannot be reverted
    /// durably, the decision may stand, so no member is changed.
    fn roll_back(&self, progress: &[MemberProgress], cause: Failure) -> GroupFailure {
        let mut rollbacks = Vec::with_capacity(self.participants.len());
        let reverted = self.participants.first().map_or(Ok(false), |it| {
            it.steps.rollback(it.built).revert_commit_record()
        });
        if let Err(error) = reverted {
            rollbacks.push(RollbackResult::of_error(error));
        } else {
            let participants = self.participants.iter().zip(progress);
            rollbacks.extend(participants.map(|(it, &progress)| it.roll_back(progress)));
        }
        rollbacks.resize_with(self.participants.len(), RollbackResult::of_unchanged);
        GroupFailure { cause, rollbacks }
    }
}

impl Participant<'_> {
    /// Returns `failure` with the paths of the caller.
    fn failure(&self, failure: Failure) -> Failure {
        self.member.roots.failure_to_caller(failure)
    }

    fn roll_back(&self, progress: MemberProgress) -> RollbackResult {
        let swap = match (progress, self.has_journal()) {
            (MemberProgress::Complete, _) => SwapProgress::Complete,
            (MemberProgress::Written, _) | (MemberProgress::Staged, Ok(true)) => {
                SwapProgress::Stopped
            }
            (MemberProgress::Staged, Ok(false)) => return RollbackResult::of_unchanged(),
            (MemberProgress::Staged, Err(error)) => return RollbackResult::of_error(error),
        };
        self.steps.roll_back(self.built, swap)
    }

    /// Returns whether the member has its journal. Before the journal is written, the tree is
    /// unchanged.
    fn has_journal(&self) -> Result<bool, Failure> {
        let journal = self.member.scratch.file("journal")?;
        Ok(self.member.workspace.stat(&journal)?.is_some())
    }
}
