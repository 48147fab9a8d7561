//! The problems of hunks that do not apply.

use crate::matching::{Mismatch, MismatchKind};
use crate::plan::Operation;
use crate::preflight::checks::participle;
use crate::preflight::codes::code;
use crate::preflight::edit_result::{describe_ignored_context, format_lines};
use crate::preflight::findings::Findings;
use crate::preflight::problem::{Problem, Severity};
use crate::text::printable;

/// Adds the problem of a hunk without a placement. `hunk` is its name in messages.
pub(super) fn refuse<'f>(
    operation: &Operation,
    hunk: &str,
    mismatch: &Mismatch,
    findings: &'f mut Findings,
) -> &'f mut Problem {
    match &mismatch.kind {
        // A hunk names no symbol.
        MismatchKind::NotFound | MismatchKind::Symbol { .. } => {
            refuse_missing(operation, hunk, mismatch, findings)
        }
        MismatchKind::HeadingNotFound { heading, above } => {
            refuse_heading(heading, *above, findings)
        }
        MismatchKind::Ambiguous {
            lines,
            rung,
            ignored_context: left_out,
        } => {
            let how = match describe_ignored_context(*left_out) {
                Some(without) => format!("{rung}, {without}"),
                None => (*rung).to_owned(),
            };
            let problem = findings.error(
                &code::AMBIGUOUS,
                format!("{hunk} matches {} ({how})", format_lines(lines)),
            );
            problem.lines.clone_from(lines);
            problem.help = Some("add context lines until the place is unique".into());
            problem
        }
        MismatchKind::TooLarge { .. } => findings.error(
            &code::TOO_LARGE,
            format!("{hunk} would make the file too large"),
        ),
        MismatchKind::NotEmpty => findings.error(
            &code::EXISTS,
            format!("{hunk} expects an empty file, but the file has content"),
        ),
        MismatchKind::Overlap => {
            let problem = findings.error(
                &code::OVERLAP,
                format!("{hunk} matches only where another hunk is placed"),
            );
            problem.help =
                Some("combine the hunks, or use --allow-overlap to allow hunks to overlap".into());
            problem
        }
        MismatchKind::AlreadyApplied { line } => {
            report_applied(operation, (hunk, *line), Severity::Error, findings)
        }
    }
}

/// Adds the problem of a hunk whose preimage is not in the file.
fn refuse_missing<'f>(
    operation: &Operation,
    hunk: &str,
    mismatch: &Mismatch,
    findings: &'f mut Findings,
) -> &'f mut Problem {
    let problem = findings.error(&code::NOT_FOUND, format!("{hunk} does not match"));
    problem.facts.is_bare = true;
    problem.help = mismatch.nearest.as_ref().map(|nearest| {
        let path = operation.from.as_ref().unwrap_or(&operation.path);
        let line = nearest.line + 1;
        if nearest.matched == nearest.total {
            return format!(
                "use --unidiff-zero: {path} has these lines at line {line}, but a hunk that starts at line 1, or \
                 without context at one end, must match at that end of the file"
            );
        }
        let found = match nearest.matched {
            0 => "these lines are the most similar ones".to_owned(),
            matched => format!("{matched} of {} lines match there", nearest.total),
        };
        format!("read {path} again from line {line}: {found}")
    });
    problem
}

/// Adds the problem of a heading that the file does not contain, or contains only at the line
/// `above`, before the previous hunk.
fn refuse_heading<'f>(
    heading: &[u8],
    above: Option<usize>,
    findings: &'f mut Findings,
) -> &'f mut Problem {
    let heading = printable(heading);
    let Some(line) = above else {
        return findings.error(
            &code::NOT_FOUND,
            format!("the heading {heading} is not in the file"),
        );
    };
    let line = line + 1;
    let message = format!("the heading {heading} is only at line {line}, before the previous hunk");
    let problem = findings.error(&code::NOT_FOUND, message);
    problem.help = Some("write the hunks in the order of the file".into());
    problem
}

/// Reports that the result of a hunk is already in the file, at a line counted from 0.
pub(super) fn report_applied<'f>(
    operation: &Operation,
    (hunk, line): (&str, usize),
    severity: Severity,
    findings: &'f mut Findings,
) -> &'f mut Problem {
    let message = format!(
        "{hunk} is already {} at line {}",
        participle(operation.direction),
        line + 1
    );
    let problem = match severity {
        Severity::Warning => findings.warning(&code::ALREADY_APPLIED, message),
        Severity::Error | Severity::Reject => findings.error(&code::ALREADY_APPLIED, message),
    };
    problem.lines = vec![line];
    problem
}
