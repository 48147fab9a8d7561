//! Resolves the groups of a plan in one pass. Each group hands its finished changes to the sink at
//! once.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::directories::DirectoryCache;
use super::findings::Findings;
use super::first_problems::FirstProblems;
use super::{Options, PreviewSinks, Resolution, group};
use crate::change::Sink;
use crate::mutex::lock_unpoisoned;
use crate::plan::Plan;
use crate::progress::Phase;
use crate::threads;
use crate::workspace::{Workspace, WorkspaceError};

/// The state that the threads of a pass share.
pub(super) struct PassState<'a> {
    pub(super) plan: &'a Plan,
    pub(super) workspace: &'a dyn Workspace,
    pub(super) options: &'a Options,
    pub(super) sink: &'a dyn Sink,
    pub(super) previews: PreviewSinks<'a>,
    /// The findings of each operation.
    pub(super) findings: &'a [Mutex<Findings>],
    /// Whether a problem refuses the plan. The sink then receives nothing more.
    pub(super) is_refused: AtomicBool,
    /// The number of changes.
    pub(super) changes: AtomicUsize,
    pub(super) directories: DirectoryCache,
    pub(super) first_problems: FirstProblems,
}

impl PassState<'_> {
    /// Resolves `groups` in parallel.
    pub(super) fn resolve(&self, groups: &group::Groups) -> Result<(), WorkspaceError> {
        let progress = &self.options.progress;
        progress.enter(Phase::Resolving, self.plan.operations.len());
        let numbers: Vec<_> = (0..groups.len()).collect();
        // After a system error, the remaining groups are skipped.
        let is_stopped = AtomicBool::new(false);
        let results = threads::map_parallel(&numbers, 1, |&number| {
            if is_stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.resolve_group(groups.get(number))
                .inspect_err(|_| is_stopped.store(true, Ordering::Relaxed))
        });
        results.into_iter().collect()
    }

    /// Resolves the operations `members` of one group.
    fn resolve_group(&self, members: &[usize]) -> Result<(), WorkspaceError> {
        let options = self.options;
        options.progress.step(members.len());
        check_interrupt(options)?;
        // The policy has already refused a failed operation. Its group is not resolved, because no
        // content of its files may be read.
        let has_ended = options.can_stop_early() && self.is_refused.load(Ordering::Relaxed);
        let is_failed = |&index: &usize| lock_unpoisoned(&self.findings[index]).is_failed();
        if has_ended || members.iter().any(is_failed) {
            return Ok(());
        }
        let tree = (self.workspace, &self.directories);
        let (found, changes) = group::resolve(self.plan, members, tree, options)?;
        check_interrupt(options)?;
        for (index, findings) in found {
            self.record(index, findings);
        }
        self.changes.fetch_add(changes.len(), Ordering::Relaxed);
        for change in changes {
            if !self.is_refused.load(Ordering::Relaxed) {
                self.sink.receive(change)?;
            }
        }
        Ok(())
    }

    /// Records the findings of the operation at `index`.
    fn record(&self, index: usize, mut findings: Findings) {
        if let Some(gallery) = self.previews.image_previews {
            gallery.take(index, mem::take(&mut findings.images));
        }
        if let (Some(kept), Some(contents)) = (self.previews.contents, findings.contents.take()) {
            kept.put(index, contents);
        }
        if let Some(shelf) = self.previews.diff_cache
            && let Some(diff) = findings.outcome.diff.take()
        {
            shelf.put(index, diff);
        }
        self.is_refused
            .fetch_or(findings.has_error(), Ordering::Relaxed);
        let operation = &self.plan.operations[index];
        self.first_problems
            .limit(index, operation, self.options, &mut findings);
        // The policy decision is known since before the pass.
        let mut known = lock_unpoisoned(&self.findings[index]);
        findings.outcome.decision = mem::take(&mut known.outcome.decision);
        *known = findings;
    }
}

/// Returns the outcomes and the problems in plan order, without the number of changes.
///
/// # Errors
///
/// Returns an error if the request is cancelled.
pub(super) fn collect_findings(
    mut all: Vec<Mutex<Findings>>,
    plan: &Plan,
    options: &Options,
) -> Result<Resolution, WorkspaceError> {
    // The threads may have kept more problems, depending on their order. This second pass is in
    // plan order, so the result is deterministic.
    let kept = FirstProblems::default();
    let operations = all.iter_mut().zip(&plan.operations).enumerate();
    for (index, (findings, operation)) in options.rules.interrupt.take_until_raised(operations) {
        kept.limit(
            index,
            operation,
            options,
            findings.get_mut().unwrap_or_else(PoisonError::into_inner),
        );
    }
    check_interrupt(options)?;
    let count = all
        .iter()
        .map(|findings| lock_unpoisoned(findings).problems.len())
        .sum();
    let mut problems = Vec::with_capacity(count);
    // `collect` can reuse the memory of `all` in place, which matters for many operations.
    let outcome = |findings: Mutex<Findings>| {
        let findings = findings
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        problems.extend(findings.problems);
        findings.outcome
    };
    let files = all.into_iter().map(outcome).collect();
    Ok(Resolution {
        files,
        problems,
        ..Resolution::default()
    })
}

/// Returns an error if the request was cancelled.
pub(super) fn check_interrupt(options: &Options) -> Result<(), WorkspaceError> {
    if options.rules.interrupt.is_raised() {
        return Err(WorkspaceError::interrupted("resolve", "."));
    }
    Ok(())
}
