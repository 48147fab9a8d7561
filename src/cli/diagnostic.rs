//! Renders one problem for people: the place in the patch, the closest match, and the help.

use std::slice;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::engine::Outcome;
use crate::engine::excerpt::{Excerpt, clip};
use crate::engine::options::{Input, MismatchCause, Problem, Severity, code};
use crate::report::NearestPlace;
use crate::text::Span;

/// The width of the rendered text, in columns.
const WIDTH: usize = 160;
/// Limits of an excerpt: the characters of a line of the file, the number of lines, and the
/// characters of the patch line in a label.
const MAX_EXCERPT_WIDTH: usize = 64;
const MAX_EXCERPT_LINES: usize = 3;
const MAX_LABEL: usize = 40;
/// The limit on the number of output lines of a command.
const MAX_OUTPUT: usize = 20;
/// The limit on the length of a message or a help text, in characters.
const MAX_MESSAGE: usize = 600;

/// How the first line of a diagnosis relates to the lines printed before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TitleKind {
    /// No other line states the problem.
    Full,
    /// A sentence of git states less than the problem.
    Details,
    /// A sentence of git states the same as the problem.
    Omitted,
}

/// Returns problem `index` of `outcome` as lines for a terminal, with colors.
///
/// # Security
///
/// Bytes of patches, paths and files are escaped as by [`printable`](crate::text::printable).
pub(super) fn render(outcome: &Outcome, index: usize, title: TitleKind) -> String {
    let Some(problem) = outcome.problems.get(index) else {
        return String::new();
    };
    let mut groups: Vec<_> = main_group(outcome, problem, title).into_iter().collect();
    if let Some((path, nearest)) =
        find_closest_match(outcome, problem, index).filter(|_| has_useful_closest_match(problem))
    {
        groups.push(nearest_group(&path, nearest));
    }
    if let Some(help) = problem.next_step() {
        groups.push(Group::with_title(
            Level::HELP.secondary_title(clip(help.as_bytes(), MAX_MESSAGE)),
        ));
    }
    let renderer = Renderer::styled().term_width(WIDTH);
    if visible_place(outcome, problem).is_some() {
        return renderer.render(&groups);
    }
    // The renderer draws connectors between groups, which make sense only for groups with places.
    let group_texts = groups
        .iter()
        .map(|group| renderer.render(slice::from_ref(group)));
    group_texts
        .chain(output_lines(outcome, problem))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the last output lines of the command that `problem` is about.
fn output_lines<'a>(
    outcome: &'a Outcome,
    problem: &Problem,
) -> impl Iterator<Item = String> + use<'a> {
    let report = &outcome.report;
    let answer = match *problem.code {
        code::BEFORE => report.before.as_ref(),
        code::VERIFY => report.verify.as_ref(),
        code::AFTER => report.after.as_ref(),
        _ => None,
    };
    let lines: Vec<_> = answer
        .map(|answer| answer.output.lines().rev().take(MAX_OUTPUT).collect())
        .unwrap_or_default();
    lines
        .into_iter()
        .rev()
        .map(|line| format!("  | {}", clip(line.as_bytes(), WIDTH)))
}

/// Returns the input and the span that the excerpt shows. The input of an edit without a text, such
/// as an insertion at a line, is empty.
fn visible_place<'a>(outcome: &'a Outcome, problem: &Problem) -> Option<(&'a Input, Span)> {
    let (input, span) = problem.place?;
    let input = outcome.inputs.get(input)?;
    (!input.bytes.is_empty() || problem.path.is_none()).then_some((input, span))
}

fn main_group<'a>(outcome: &'a Outcome, problem: &Problem, title: TitleKind) -> Option<Group<'a>> {
    let level = match problem.severity {
        Severity::Error | Severity::Reject => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let named = |message: String| match (&problem.path, &problem.name) {
        (Some(path), _) => format!("{path}: {message}"),
        (None, Some(name)) => format!("{}: {message}", clip(name, MAX_MESSAGE)),
        (None, None) => message,
    };
    let message = || named(clip(problem.message.as_bytes(), MAX_MESSAGE));
    let cause = || {
        problem
            .facts
            .cause
            .as_ref()
            .map(|cause| clip(cause.to_string().as_bytes(), MAX_MESSAGE))
    };
    let note = |words: String| Group::with_title(Level::NOTE.primary_title(words));
    let group = match title {
        TitleKind::Full => {
            // In all other cases the message contains the cause.
            let is_cause_missing = matches!(problem.facts.cause, Some(MismatchCause::Name { .. }));
            let cause = cause().filter(|_| is_cause_missing);
            let words = cause.map_or_else(message, |cause| format!("{}: {cause}", message()));
            Some(Group::with_title(
                level.clone().primary_title(words).id(problem.code.name),
            ))
        }
        TitleKind::Details => Some(note(cause().map_or_else(message, named))),
        TitleKind::Omitted => cause().map(|cause| note(named(cause))),
    };
    let Some((input, span)) = visible_place(outcome, problem) else {
        return group;
    };
    let Excerpt {
        name,
        text,
        first_line,
        mark,
    } = Excerpt::of(input, span);
    let snippet = Snippet::source(text).line_start(first_line).path(name);
    let group = group.unwrap_or_else(|| Group::with_level(level));
    Some(
        group.element(
            snippet
                .fold(false)
                .annotation(AnnotationKind::Primary.span(mark)),
        ),
    )
}

/// Returns whether the closest match adds information to the cause. Lines that differ only in line
/// endings or encoding look the same.
fn has_useful_closest_match(problem: &Problem) -> bool {
    !matches!(
        problem.facts.cause,
        Some(
            MismatchCause::LineEnding { .. }
                | MismatchCause::Encoding(_)
                | MismatchCause::Lookalike(_)
        )
    )
}

/// Returns the path and the closest match of the hunk that `problem` is about.
fn find_closest_match<'a>(
    outcome: &'a Outcome,
    problem: &Problem,
    index: usize,
) -> Option<(String, &'a NearestPlace)> {
    if let (Some(path), Some(nearest)) =
        (&problem.path, &outcome.report.find_problem(index)?.nearest)
    {
        return Some((path.to_string(), nearest));
    }
    let file = outcome.report.find_file(problem.operation?)?;
    let hunk = file.hunk(problem.hunk?)?;
    let nearest = hunk.nearest.as_ref()?;
    // An edit of a line number has no text that could match.
    let has_text = nearest.matched > 0 || !hunk.expected.is_empty();
    let path = file.from.as_ref().unwrap_or(&file.path).to_string();
    has_text.then_some((path, &**nearest))
}

/// Returns the number of the first line to show and the lines of the closest match. If the first
/// difference is after these lines, only the differing line is returned.
fn visible_lines(nearest: &NearestPlace) -> (usize, &[String]) {
    let text = &nearest.text[..nearest.text.len().min(MAX_EXCERPT_LINES)];
    let end = nearest.line + text.len();
    let difference = nearest
        .first_difference
        .as_ref()
        .filter(|difference| difference.file_line >= end);
    let found =
        difference.and_then(|difference| Some((difference.file_line, difference.found.as_ref()?)));
    found.map_or((nearest.line, text), |(line, found)| {
        (line, slice::from_ref(found))
    })
}

fn nearest_group<'a>(path: &str, nearest: &NearestPlace) -> Group<'a> {
    let title = format!(
        "closest match: {path}:{} ({} of {} lines match)",
        nearest.line, nearest.matched, nearest.of
    );
    let group = Group::with_title(Level::NOTE.secondary_title(title));
    let difference = nearest.first_difference.as_ref();
    let (first, lines) = visible_lines(nearest);
    let (mut text, mut mark) = (String::new(), None);
    for (line, content) in (first..).zip(lines) {
        let start = text.len();
        text += &clip(content.as_bytes(), MAX_EXCERPT_WIDTH);
        if difference.is_some_and(|difference| difference.file_line == line) {
            mark = Some(start..text.len());
        }
        text.push('\n');
    }
    let snippet = Snippet::source(text)
        .line_start(first)
        .path(path.to_owned())
        .fold(false);
    let Some((mark, difference)) = mark.zip(difference) else {
        return group.element(snippet);
    };
    let expected = format!(
        "the patch has {}",
        clip(difference.expected.as_bytes(), MAX_LABEL)
    );
    let label = difference.reason.map_or(expected.clone(), |reason| {
        format!("{}: {expected}", reason.name())
    });
    group.element(snippet.annotation(AnnotationKind::Primary.span(mark).label(label)))
}
