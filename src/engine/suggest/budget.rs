//! A limit on the work of all trials, counted in bytes of the files that they read. The same
//! request gives the same suggestions on every machine.

use std::cell::Cell;
use std::collections::HashSet;

use crate::path::RelPath;
use crate::plan::Operation;
use crate::workspace::Workspace;

/// The work of opening one file, in bytes.
const OPEN_COST: u64 = 16 << 10;
/// The lower limit of the budget of a request, in bytes.
const MIN_BUDGET: u64 = 16 << 20;
/// The cost of a check that searches for closest matches, in trials.
const TRIALS_PER_CHECK: u64 = 4;

/// The work that trials may still do, in bytes.
pub(super) struct Budget {
    left: Cell<u64>,
    is_exhausted: Cell<bool>,
}

impl Budget {
    /// Returns the budget for trials of a plan with `operations`: about the work of its check, and
    /// at least [`MIN_BUDGET`]. A check stops in each file at the first operation that fails, so each
    /// file counts once.
    pub(super) fn of(operations: &[Operation], workspace: &dyn Workspace) -> Self {
        let files: HashSet<_> = operations.iter().map(source).collect();
        let check = files
            .into_iter()
            .map(|path| work_of(path, workspace))
            .fold(0, u64::saturating_add);
        let left = check.saturating_mul(TRIALS_PER_CHECK).max(MIN_BUDGET);
        Self {
            left: Cell::new(left),
            is_exhausted: Cell::new(false),
        }
    }

    /// Returns whether a trial with this `work` may start, and subtracts the work. The last trial
    /// may exceed the budget, so that large files get one trial.
    pub(super) fn spend(&self, work: u64) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(work));
        self.is_exhausted.set(left == 0);
        left > 0
    }

    /// Returns whether a trial was skipped. A skipped trial proves nothing.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted.get()
    }
}

/// Returns the work of resolving `operations`. Each operation searches its source file.
pub(super) fn work(operations: &[Operation], workspace: &dyn Workspace) -> u64 {
    operations
        .iter()
        .map(|operation| work_of(source(operation), workspace))
        .fold(0, u64::saturating_add)
}

fn work_of(path: &RelPath, workspace: &dyn Workspace) -> u64 {
    let size = workspace
        .stat(path)
        .ok()
        .flatten()
        .map_or(0, |stat| stat.size);
    OPEN_COST.saturating_add(size)
}

fn source(operation: &Operation) -> &RelPath {
    operation.from.as_ref().unwrap_or(&operation.path)
}
