//! Selects the problems that a report lists, and the problem that determines the outcome.

use crate::preflight::{Problem, Severity, code};
use crate::report::Outcome;
use crate::report::file::FileReport;
use crate::report::finding::ProblemReport;
use crate::report::hunk::HunkReport;
use crate::report::listing::listed_problems;
use crate::report::stages::ReportInputs;
use crate::report::words::LineCounter;

/// Returns the entries for the listed problems, and the entry for the problem at `decisive`.
pub(super) fn reports(
    facts: ReportInputs<'_>,
    decisive: Option<usize>,
    files: &[FileReport],
) -> (Vec<ProblemReport>, Option<ProblemReport>) {
    let mut counters = LineCounter::of_all(&facts.selected.plan.inputs);
    let number = |problem: &Problem| {
        Some(
            facts
                .selected
                .plan
                .operations
                .get(problem.operation?)?
                .number,
        )
    };
    let mut report = |index: usize| {
        let problem = &facts.selected.problems[index];
        ProblemReport::of((index, problem), number(problem), &mut counters)
    };
    let problems = listed_problems(facts)
        .into_iter()
        .map(&mut report)
        .collect();
    let error = decisive.map(|index| {
        let problem = &facts.selected.problems[index];
        let listed = find_hunk(problem, files);
        let nearest = listed.and_then(|(_, hunk)| hunk.nearest.clone());
        let error = report(index).with_details(problem, listed);
        ProblemReport {
            nearest: nearest.or(error.nearest),
            ..error
        }
    });
    (problems, error)
}

/// Returns the index of the problem that determines the outcome.
pub(super) fn decisive_problem(facts: ReportInputs<'_>) -> Option<usize> {
    let gravity = |index: usize| {
        let problem = &facts.selected.problems[index];
        // A change that policy denies cannot be approved, so the denial has priority.
        (
            Outcome::of(problem.code).severity(),
            problem.code != &code::APPROVAL_REQUIRED,
        )
    };
    let problems = &facts.selected.problems;
    let all =
        |severity| (0..problems.len()).filter(move |&index| problems[index].severity == severity);
    // Rejected parts determine the outcome only if there is no error.
    let least = if all(Severity::Error).next().is_some() {
        Severity::Error
    } else {
        Severity::Reject
    };
    // `max_by_key` would return the last of several equal problems.
    all(least).reduce(|gravest, index| {
        if gravity(index) > gravity(gravest) {
            index
        } else {
            gravest
        }
    })
}

/// Returns the index of the first merge conflict.
pub(super) fn find_conflict(facts: ReportInputs<'_>) -> Option<usize> {
    facts
        .selected
        .problems
        .iter()
        .position(|problem| problem.code == &code::MERGE_CONFLICT)
}

/// Returns the hunk of `problem`, and its index in the file.
fn find_hunk<'a>(problem: &Problem, files: &'a [FileReport]) -> Option<(usize, &'a HunkReport)> {
    let index = problem.hunk?;
    let file = files
        .binary_search_by_key(&problem.operation?, |file| file.index)
        .ok()?;
    Some((index, files[file].hunk(index)?))
}
