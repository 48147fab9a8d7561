//! The outcome and the problems of one operation while it is resolved.

use super::FileOutcome;
use super::codes::ProblemCode;
use super::image_previews::ImagePair;
use super::kept_contents::ContentPair;
use super::problem::{Problem, Severity};
use crate::matching::MAX_EXPLAINED;
use crate::plan::Plan;

/// The outcome and the problems of one operation.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) outcome: FileOutcome,
    pub(super) problems: Vec<Problem>,
    pub(super) images: ImagePair,
    /// The contents before and after the operation, if the caller keeps them.
    pub(super) contents: Option<ContentPair>,
    /// The numbers of reported hunk errors and hunk warnings.
    hunk_problems: [usize; 2],
}

impl Findings {
    pub(super) fn is_failed(&self) -> bool {
        self.outcome.failed.is_some()
    }

    /// Returns whether a problem prevents the whole plan from being applied.
    pub(super) fn has_error(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }

    /// Adds an error and returns it so that the caller can fill in details.
    pub(super) fn error(
        &mut self,
        code: &'static ProblemCode,
        message: impl Into<String>,
    ) -> &mut Problem {
        self.outcome.failed.get_or_insert(code);
        self.note(code, Severity::Error, message.into())
    }

    /// Adds an error and returns it.
    pub(super) fn refuse(&mut self, problem: Problem) -> &mut Problem {
        self.outcome.failed.get_or_insert(problem.code);
        self.put(problem)
    }

    /// Adds a warning and returns it so that the caller can fill in details.
    pub(super) fn warning(
        &mut self,
        code: &'static ProblemCode,
        message: impl Into<String>,
    ) -> &mut Problem {
        self.note(code, Severity::Warning, message.into())
    }

    /// Counts one more hunk problem of this severity, and returns whether the report has room for
    /// it. A complete report always has room. The caller must then report the problem.
    pub(super) fn admit_hunk_problem(&mut self, severity: Severity, is_complete: bool) -> bool {
        let reported = &mut self.hunk_problems[usize::from(severity == Severity::Warning)];
        let has_room = *reported < MAX_EXPLAINED || is_complete;
        *reported += usize::from(has_room);
        self.outcome.omitted_problems += usize::from(!has_room);
        has_room
    }

    fn note(
        &mut self,
        code: &'static ProblemCode,
        severity: Severity,
        message: String,
    ) -> &mut Problem {
        self.put(Problem {
            severity,
            ..Problem::new(code, message)
        })
    }

    fn put(&mut self, problem: Problem) -> &mut Problem {
        if self.problems.is_empty() {
            // Most failed files have one problem. `push` alone would allocate space for four.
            self.problems.reserve_exact(1);
        }
        self.problems.push(problem);
        self.problems
            .last_mut()
            .expect("BUG: a problem was just put there")
    }

    /// Sets the operation of all problems, and their path and place if no more precise ones are
    /// known.
    pub(super) fn set_operations(&mut self, plan: &Plan, index: usize) {
        for problem in &mut self.problems {
            problem.set_operation(plan, index);
        }
    }
}

impl Problem {
    /// Sets the operation. Sets its path and the place of its section if no more precise ones are
    /// known.
    pub(super) fn set_operation(&mut self, plan: &Plan, index: usize) -> &mut Self {
        let operation = &plan.operations[index];
        self.operation = Some(index);
        self.path.get_or_insert_with(|| operation.path.clone());
        // A plan that was not parsed from a patch has no place in the input.
        if !plan.text(operation).is_empty() && !plan.inputs[operation.input].formats.is_empty() {
            self.place.get_or_insert((operation.input, operation.span));
        }
        self
    }
}
