//! The result of an edit, and functions that describe it.

use super::FileOutcome;
use super::codes::code;
use super::findings::Findings;
use super::problem::{Problem, Severity};
use crate::interrupt::Interrupt;
use crate::matching::{self, Placement};
use crate::plan::{Hunk, Operation, Replacement};
use crate::syntax::write::changed_lines_until_raised;
use crate::text::{Contents, Span, is_binary};

/// The result of an edit.
pub(super) enum EditResult {
    Same,
    Changed(Contents),
}

/// Counts the changed lines by comparing both contents. If `interrupt` is raised, the numbers are
/// wrong and must not be used.
pub(super) fn count_changed_lines(
    before: &[u8],
    after: &[u8],
    interrupt: &Interrupt,
    outcome: &mut FileOutcome,
) {
    outcome.is_binary = is_binary(before) || is_binary(after);
    if !outcome.is_binary {
        (outcome.added, outcome.removed) = changed_lines_until_raised(before, after, interrupt);
    }
}

/// Reports the other places that match a placed hunk, if there are any.
pub(super) fn report_candidates(
    operation: &Operation,
    (index, hunk): (usize, &Hunk),
    placement: &Placement,
    is_complete: bool,
    findings: &mut Findings,
) {
    if placement.candidates.len() < 2
        || !findings.admit_hunk_problem(Severity::Warning, is_complete)
    {
        return;
    }
    let line = placement.lines.start + 1;
    let without = describe_ignored_context(placement.ignored_context)
        .map(|without| format!(" {without}"))
        .unwrap_or_default();
    let message = format!(
        "the hunk was placed at line {line}{without}, but it matches {}",
        format_lines(&placement.candidates)
    );
    let problem = findings.warning(&code::SEVERAL_PLACES, message);
    problem.lines.clone_from(&placement.candidates);
    problem.help =
        Some("add context lines to select one place, or use --unique to refuse such hunks".into());
    problem.hunk = Some(index);
    problem.place = Some((operation.input, header_span(hunk)));
}

/// Returns the header of a hunk in the patch, or the whole hunk if it has no header.
pub(super) fn header_span(hunk: &Hunk) -> Span {
    if hunk.header.is_empty() {
        hunk.span
    } else {
        hunk.header
    }
}

/// Returns the context lines that a match ignores at the start and at the end of a hunk as text.
pub(super) fn describe_ignored_context(left_out: (usize, usize)) -> Option<String> {
    let lines = |count| match count {
        1 => "1 context line".to_owned(),
        count => format!("{count} context lines"),
    };
    Some(match left_out {
        (0, 0) => return None,
        (start, 0) => format!("without {} at the start", lines(start)),
        (0, end) => format!("without {} at the end", lines(end)),
        (start, end) => format!("without {} at the start and {end} at the end", lines(start)),
    })
}

/// Returns the lines where a hunk matches as text. The text counts lines from 1.
pub(super) fn format_lines(lines: &[usize]) -> String {
    let numbers: Vec<_> = lines.iter().map(|line| (line + 1).to_string()).collect();
    let more = if lines.len() < matching::MAX_CANDIDATES {
        ""
    } else {
        " and possibly others"
    };
    match numbers.split_last() {
        Some((last, [])) => format!("at line {last}"),
        Some((last, others)) => format!("at lines {} and {last}{more}", others.join(", ")),
        None => "nowhere".to_owned(),
    }
}

pub(super) fn set_edit_place<'p>(
    problem: &'p mut Problem,
    operation: &Operation,
    edit: &Replacement,
) -> &'p mut Problem {
    problem.place = Some((operation.input, edit.span));
    problem.facts.edit = edit.index;
    problem
}
