//! Which problems are kept while files are looked at: of each code, as many as a report can list.
//! The others are counted, so that the memory does not grow with the number of files that fail.

use std::collections::{BinaryHeap, HashMap};
use std::sync::Mutex;

use super::findings::Findings;
use super::{Options, Problem, Severity};
use crate::mutex::locked;
use crate::plan::Operation;

/// Most problems of one code and severity, of one input, that are kept: as many as a report lists
/// of all.
pub(super) const MOST_KEPT: usize = 1000;

/// The operations with the first problems so far, by code, severity and input. A problem behind so
/// many others of its kind is in no report, whatever the threads still find.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<HashMap<ProblemKind, BinaryHeap<usize>>>);

/// The code, whether it is a warning, and the input.
type ProblemKind = (&'static str, bool, usize);

impl Kept {
    /// Drops and counts the problems of the operation at `index` that no report can list, and what
    /// is only known for them.
    pub(super) fn limit(
        &self,
        index: usize,
        operation: &Operation,
        options: &Options,
        findings: &mut Findings,
    ) {
        // GNU patch reports every hunk.
        if findings.problems.is_empty() || options.rules.as_gnu {
            return;
        }
        let count = findings.problems.len();
        findings
            .problems
            .retain(|problem| self.admits(problem, index, operation));
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
    /// Returns whether a report can list `problem` of the operation at `index`.
    pub(crate) fn admits(&self, problem: &Problem, index: usize, operation: &Operation) -> bool {
        // What is left out of the change is always told.
        let is_warning = match problem.severity {
            Severity::Reject => return true,
            severity => severity == Severity::Warning,
        };
        let mut first = locked(&self.0);
        let kept = first
            .entry((problem.code.name, is_warning, operation.input))
            .or_default();
        let has_room = kept.len() < MOST_KEPT || kept.peek().is_some_and(|&last| index < last);
        if has_room {
            kept.push(index);
        }
        if kept.len() > MOST_KEPT {
            kept.pop();
        }
        has_room
    }
}
