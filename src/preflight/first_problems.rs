//! Limits the stored problems. For each code, wpatch stores as many problems as a report can list,
//! and counts the others. Memory use therefore does not grow with the number of failed files.

use std::collections::{BinaryHeap, HashMap};
use std::sync::Mutex;

use super::findings::Findings;
use super::{Options, Problem, Severity};
use crate::mutex::lock_unpoisoned;
use crate::plan::Operation;

/// The maximum number of stored problems of one code, severity and input. A report lists at most
/// this number in total.
pub(super) const MAX_KEPT: usize = 1000;

/// The indexes of the first operations with a problem, by code, severity and input. A problem of a
/// later operation is not in any report, regardless of the problems that other threads still find.
#[derive(Debug, Default)]
pub(crate) struct FirstProblems(Mutex<HashMap<ProblemKey, BinaryHeap<usize>>>);

/// The code, whether the problem is a warning, and the input.
type ProblemKey = (&'static str, bool, usize);

impl FirstProblems {
    /// Removes and counts the problems of the operation at `index` that no report can list. Also
    /// removes the data that only these problems need.
    pub(super) fn limit(
        &self,
        index: usize,
        operation: &Operation,
        options: &Options,
        findings: &mut Findings,
    ) {
        // GNU patch reports every hunk.
        if findings.problems.is_empty() || options.rules.is_gnu {
            return;
        }
        let count = findings.problems.len();
        findings
            .problems
            .retain(|problem| self.admit(problem, index, operation));
        let dropped = count - findings.problems.len();
        findings.outcome.omitted_problems += dropped;
        if dropped > 0 && findings.problems.is_empty() {
            findings.problems = Vec::new();
            let mismatches = findings
                .outcome
                .placements
                .iter_mut()
                .filter_map(|placed| placed.as_mut().err());
            mismatches
                .for_each(|mismatch| (mismatch.expected, mismatch.nearest) = (Vec::new(), None));
        }
    }
    /// Records `problem` of the operation at `index`, and returns whether a report can list it.
    pub(crate) fn admit(&self, problem: &Problem, index: usize, operation: &Operation) -> bool {
        // A report always lists every skipped part of a change.
        let is_warning = match problem.severity {
            Severity::Reject => return true,
            severity => severity == Severity::Warning,
        };
        let mut first = lock_unpoisoned(&self.0);
        let kept = first
            .entry((problem.code.name, is_warning, operation.input))
            .or_default();
        let has_room = kept.len() < MAX_KEPT || kept.peek().is_some_and(|&last| index < last);
        if has_room {
            kept.push(index);
        }
        // `BinaryHeap` is a max-heap, so `pop` drops the last operation.
        if kept.len() > MAX_KEPT {
            kept.pop();
        }
        has_room
    }
}
