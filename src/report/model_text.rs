//! A short text version of a report, for models.

use std::fmt::Write;

use super::{CauseKind, ProblemReport, Report, find_format};
use crate::text::{printable, printable_line, without_ending};

/// The maximum number of problems.
const MAX_PROBLEMS: usize = 5;
/// The maximum length of a message, in characters.
const MAX_MESSAGE: usize = 600;
/// The maximum size of the lines of the file, in bytes.
const MAX_EXCERPT: usize = 1200;

/// Returns the text of a report on success: the changes that were or would be made.
#[must_use]
pub fn success(report: &Report) -> String {
    let mut text = Vec::new();
    if let Some(format) = find_format("text") {
        // Writing to a vector never fails.
        let _ = format.print(report, &mut text);
    }
    let mut text = String::from_utf8_lossy(&text).into_owned();
    put_problems(report, &mut text);
    text
}

/// Returns the text of a report on failure: the problems and the next steps.
#[must_use]
pub fn refusal(report: &Report) -> String {
    let mut text = String::new();
    put_problems(report, &mut text);
    // Lines that differ only in line endings or encoding look equal, so the lines would not help.
    let is_seen = |error: &&ProblemReport| {
        !error
            .cause
            .as_ref()
            .is_some_and(|cause| matches!(cause.kind, CauseKind::LineEnding | CauseKind::Encoding))
    };
    if let Some(error) = report.error.as_ref().filter(is_seen) {
        put_nearest(error, &mut text);
    }
    text
}

fn put_problems(report: &Report, text: &mut String) {
    for problem in report.problems.iter().take(MAX_PROBLEMS) {
        put(problem, text);
    }
    let more = report.problems.len().saturating_sub(MAX_PROBLEMS) + report.omitted.problems;
    if more > 0 {
        let noun = if more == 1 { "problem" } else { "problems" };
        let _ = writeln!(text, "and {more} more {noun}");
    }
}

fn put(problem: &ProblemReport, text: &mut String) {
    let _ = write!(text, "{} ({}): ", problem.severity, problem.kind);
    if let Some(path) = &problem.path {
        let _ = write!(text, "{}: ", printable(path.as_bytes()));
    }
    let _ = writeln!(text, "{}", clip(&problem.message));
    if let Some(span) = problem.span.filter(|span| span.line > 1) {
        let _ = writeln!(text, "at line {} of the patch", span.line);
    }
    if let Some(help) = &problem.help {
        let _ = writeln!(text, "help: {}", clip(help));
    }
}

/// Adds the lines of the closest match, with their numbers and surrounding lines.
fn put_nearest(error: &ProblemReport, text: &mut String) {
    let around = error
        .details
        .around
        .iter()
        .map(|line| (line.line, line.text.as_str()));
    let nearest = error.nearest.iter().flat_map(|nearest| {
        let lines = nearest
            .lines_before
            .iter()
            .chain(&nearest.text)
            .chain(&nearest.lines_after);
        (nearest.line.saturating_sub(nearest.lines_before.len())..).zip(lines.map(String::as_str))
    });
    let mut room = MAX_EXCERPT;
    let mut is_first = true;
    for (number, line) in nearest.chain(around) {
        let line = format!(
            "{number:6}\t{}\n",
            printable_line(without_ending(line.as_bytes()))
        );
        if line.len() > room {
            break;
        }
        if is_first {
            text.push_str("current lines of the file:\n");
        }
        is_first = false;
        room -= line.len();
        text.push_str(&line);
    }
}

fn clip(message: &str) -> String {
    let shown = printable(message.as_bytes()).to_string();
    match shown.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}
