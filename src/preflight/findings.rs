//! What one operation comes to while it is looked at: its outcome and its problems.

use super::FileOutcome;
use super::codes::Code;
use super::gallery::Images;
use super::problem::{Problem, Severity};
use crate::matching::MOST_EXPLAINED;
use crate::plan::Plan;

/// The outcome of one operation and the problems met on the way.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) outcome: FileOutcome,
    pub(super) problems: Vec<Problem>,
    pub(super) images: Images,
    /// The reported errors and warnings of hunks.
    hunk_problems: [usize; 2],
}

impl Findings {
    pub(super) fn is_failed(&self) -> bool {
        self.outcome.failed.is_some()
    }

    /// Returns whether nothing at all may be applied.
    pub(super) fn refuses(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }

    /// Notes a reason not to apply, and returns it to be told more of.
    pub(super) fn error(
        &mut self,
        code: &'static Code,
        message: impl Into<String>,
    ) -> &mut Problem {
        self.outcome.failed.get_or_insert(code);
        self.note(code, Severity::Error, message.into())
    }

    /// Adds an error.
    pub(super) fn refuse(&mut self, problem: Problem) {
        self.outcome.failed.get_or_insert(problem.code);
        self.problems.push(problem);
    }

    /// Notes what should be known.
    pub(super) fn warning(
        &mut self,
        code: &'static Code,
        message: impl Into<String>,
    ) -> &mut Problem {
        self.note(code, Severity::Warning, message.into())
    }

    /// Returns whether another error or warning of a hunk is reported; otherwise counts it as
    /// omitted. A complete report has room for all.
    pub(super) fn has_room(&mut self, severity: Severity, is_complete: bool) -> bool {
        let reported = &mut self.hunk_problems[usize::from(severity == Severity::Warning)];
        let has_room = *reported < MOST_EXPLAINED || is_complete;
        *reported += usize::from(has_room);
        self.outcome.omitted_problems += usize::from(!has_room);
        has_room
    }

    fn note(&mut self, code: &'static Code, severity: Severity, message: String) -> &mut Problem {
        if self.problems.is_empty() {
            // Most files that fail have one problem, and a vector would begin with room for four.
            self.problems.reserve_exact(1);
        }
        self.problems.push(Problem {
            severity,
            ..Problem::new(code, message)
        });
        self.problems
            .last_mut()
            .expect("BUG: a problem was just put there")
    }

    /// Says of every problem which operation it belongs to, where nothing nearer is known.
    pub(super) fn attribute(&mut self, plan: &Plan, index: usize) {
        for problem in &mut self.problems {
            problem.of(plan, index);
        }
    }
}

impl Problem {
    /// Says which operation it belongs to: its path and the place of its section, where nothing
    /// nearer is known.
    pub(super) fn of(&mut self, plan: &Plan, index: usize) -> &mut Self {
        let operation = &plan.operations[index];
        self.operation = Some(index);
        self.path.get_or_insert_with(|| operation.path.clone());
        // A plan that does not come from a patch has no place in one.
        if !plan.text(operation).is_empty() && !plan.inputs[operation.input].formats.is_empty() {
            self.place.get_or_insert((operation.input, operation.span));
        }
        self
    }
}
