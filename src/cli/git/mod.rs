//! Prints git's messages about a patch: why it does not apply, and the progress. Scripts parse
//! these messages.
//!
//! [`print`] takes the outcome and the options, and writes git's messages before wpatch's own
//! diagnosis. [`CoveredProblems`] states how the two relate, so that the diagnosis does not repeat
//! git's message.
//!
//! Invariant: a problem that git does not have, or a patch in a format that git does not know,
//! produces no message of git.
//!
//! To add a message for a problem, add a row to [`messages::MESSAGES`].

mod messages;
mod progress;
mod text;

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};

use super::diagnostic::TitleKind;
use crate::engine::Outcome;
use crate::engine::options::{
    Direction, Input, Problem, Severity, Syntax, SyntaxErrorKind, code, find_syntax,
};
use crate::report::{FileReport, FileStatus};
use messages::{failure_message, file_messages, is_created_beyond_link};

/// The options that select git's messages in addition to the reasons why a patch does not apply.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GitMessageOptions {
    /// Whether to print the actions for each file (`--verbose`, and `--reject` as in git).
    pub(super) is_verbose: bool,
    /// Whether to print the results of merges (`--3way`).
    pub(super) is_merge: bool,
    /// The direction in which the patch is applied.
    pub(super) direction: Direction,
}

/// The limit on the number of missing files with a line of their own.
const MAX_MISSING: usize = 20;
/// The limit on the number of other failed files with lines of their own.
const MAX_FAILED: usize = 100;

/// Prints git's messages about `outcome`. Prints nothing about problems that git does not have.
///
/// # Security
///
/// [`printable`](crate::text::printable) escapes names and lines of patches.
pub(super) fn print(
    outcome: &Outcome,
    speech: GitMessageOptions,
    err: &mut dyn Write,
) -> io::Result<()> {
    let is_foreign = outcome.inputs.iter().any(is_unknown_to_git);
    let speech = if is_foreign {
        GitMessageOptions::default()
    } else {
        speech
    };
    let mut lines = progress::skip_messages(outcome, speech);
    if let Some(broken) = outcome
        .problems
        .iter()
        .find(|problem| is_malformed(outcome, problem))
    {
        lines.extend(
            text::malformed_messages(outcome, broken)
                .into_iter()
                .map(|line| format!("error: {line}")),
        );
    } else {
        let files: Vec<_> = outcome.files().collect();
        lines.extend(check_messages(outcome, &files, speech));
        lines.extend(files.iter().flat_map(|(file, problems)| {
            progress::write_messages(outcome, file, problems, speech)
        }));
        lines.extend(progress::conflict_names(outcome));
    }
    lines.iter().try_for_each(|line| writeln!(err, "{line}"))
}

/// Returns the messages of the check of all files. Failed files have lines of their own up to a
/// limit, and are counted after it.
fn check_messages(
    outcome: &Outcome,
    files: &[(&FileReport, Vec<&Problem>)],
    speech: GitMessageOptions,
) -> Vec<String> {
    let mut lines = Vec::new();
    // `missing` counts the files that do not exist, `unfit` all other files that failed.
    let (mut missing, mut unfit) = (0, 0);
    for (file, problems) in files {
        // After many problems of one kind, the outcome counts further problems without storing
        // them. A failed file without a stored problem therefore has the kind of the files before
        // it.
        let is_missing = problems.iter().any(|problem| is_missing(outcome, problem))
            || missing > 0
                && problems.is_empty()
                && file.status == FileStatus::Failed(code::MISSING.kind);
        let is_unfit = !is_missing
            && (problems.iter().any(|problem| {
                problem.severity == Severity::Error && *problem.code != code::WHITESPACE
            }) || unfit > 0 && problems.is_empty() && file.is_rejected());
        missing += usize::from(is_missing);
        unfit += usize::from(is_unfit);
        if (!is_missing || missing <= MAX_MISSING) && (!is_unfit || unfit <= MAX_FAILED) {
            lines.extend(check_file_messages(outcome, file, problems, speech));
        }
    }
    let omitted = outcome.report.omitted.files;
    if missing > MAX_MISSING {
        let more = missing - MAX_MISSING + if unfit == 0 { omitted } else { 0 };
        lines.push(format!("error: and {more} more: No such file or directory"));
    }
    let more = unfit.saturating_sub(MAX_FAILED) + if unfit > 0 { omitted } else { 0 };
    if more > 0 {
        lines.push(format!(
            "error: and {more} more files: patch does not apply"
        ));
    }
    lines
}

/// Returns whether `problem` states only that a file does not exist, as git's line does.
pub(super) fn is_missing(outcome: &Outcome, problem: &Problem) -> bool {
    *problem.code == code::MISSING && problem.operation.is_some() && is_git_error(outcome, problem)
}

/// The problems that the lines of [`print`] cover. For each file this is the first problem that git
/// has.
pub(super) struct CoveredProblems {
    speech: GitMessageOptions,
    /// The index of the problem in the text of the patch.
    malformed: Option<usize>,
    /// The indices of the first problem of each file that has a message of git.
    first: HashSet<usize>,
}

impl CoveredProblems {
    /// Finds the problems of `outcome` that have a message of git.
    pub(super) fn of(outcome: &Outcome, speech: GitMessageOptions) -> Self {
        let problems = || outcome.problems.iter().enumerate();
        let broken = problems()
            .find(|(_, problem)| is_malformed(outcome, problem))
            .map(|(index, _)| index);
        let mut files = HashSet::new();
        let mut is_first = |problem: &Problem| {
            let file = problem
                .operation
                .and_then(|number| outcome.report.find_file(number));
            file.is_some_and(|file| is_printed(outcome, file, problem))
                && files.insert(problem.operation)
        };
        let first = problems()
            .filter(|(_, problem)| is_first(problem))
            .map(|(index, _)| index)
            .collect();
        Self {
            speech,
            malformed: broken,
            first,
        }
    }

    /// Returns how the title of the problem `index` relates to the printed lines.
    pub(super) fn title(&self, outcome: &Outcome, index: usize) -> TitleKind {
        let Some(problem) = outcome.problems.get(index) else {
            return TitleKind::Full;
        };
        match self.malformed {
            Some(broken) if broken != index => return TitleKind::Full,
            Some(_) if problem.facts.is_bare => return TitleKind::Omitted,
            Some(_) => return TitleKind::Details,
            None => {}
        }
        let file = problem
            .operation
            .and_then(|number| outcome.report.find_file(number));
        let is_stated = |file| !file_messages(outcome, file, problem, self.speech).is_empty();
        if !self.first.contains(&index) || !file.is_some_and(is_stated) {
            return TitleKind::Full;
        }
        if is_covered_by_git(problem) {
            TitleKind::Omitted
        } else {
            TitleKind::Details
        }
    }
}

/// Returns whether the message of `problem` contains no fact that git's message lacks.
fn is_covered_by_git(problem: &Problem) -> bool {
    match *problem.code {
        code::MISSING | code::NOT_AS_INDEXED | code::NO_BINARY_DATA | code::NO_BLOB => true,
        code::WRONG_BLOB => problem.facts.blob.is_some(),
        // The cause is printed on a line of its own.
        code::NOT_FOUND => problem.facts.is_bare || problem.facts.cause.is_some(),
        code::EXISTS => problem.facts.is_bare,
        _ => false,
    }
}

/// Returns the messages of the check of `file`, which has `problems`.
fn check_file_messages(
    outcome: &Outcome,
    file: &FileReport,
    problems: &[&Problem],
    speech: GitMessageOptions,
) -> Vec<String> {
    let problem = problems
        .iter()
        .copied()
        .find(|problem| is_printed(outcome, file, problem));
    // If a hunk is rejected, git continues with the next hunk. An error ends the file.
    let stops = problem.filter(|problem| problem.severity == Severity::Error);
    let fails = stops
        .and_then(|problem| problem.hunk)
        .filter(|&hunk| file.hunk(hunk).is_some());
    let mut lines = progress::start_messages(outcome, file, speech);
    if problem.is_none_or(|problem| problem.hunk.is_some()) {
        lines.extend(progress::merge_messages(file, speech));
    }
    let rejected: BTreeSet<_> = progress::rejected_hunks(problems).collect();
    for hunk in file
        .hunks
        .iter()
        .take_while(|hunk| fails.is_none_or(|last| hunk.index <= last))
    {
        let number = hunk.index;
        if fails == Some(number) || rejected.contains(&number) {
            lines.extend(progress::search_message(outcome, hunk, speech));
            lines.extend(failure_message(file, number));
        } else {
            lines.extend(
                progress::offset_message(hunk, speech)
                    .map(|place| format!("Hunk #{} {place}", number + 1)),
            );
        }
    }
    lines.extend(
        problem
            .into_iter()
            .flat_map(|problem| file_messages(outcome, file, problem, speech)),
    );
    lines
}

/// Returns whether git prints a message about `problem`, if it is the first problem of `file`.
fn is_printed(outcome: &Outcome, file: &FileReport, problem: &Problem) -> bool {
    is_git_error(outcome, problem) || (problem.severity == Severity::Reject && file.is_rejected())
}

/// Returns whether git's message and the quoted line state the place and reason of `problem`
/// completely. A diagnosis by wpatch would then add nothing.
pub(super) fn is_fully_stated(outcome: &Outcome, problem: &Problem) -> bool {
    let whole = [
        SyntaxErrorKind::LONE_HUNK,
        SyntaxErrorKind::NO_HUNK,
        SyntaxErrorKind::NO_METHOD,
        SyntaxErrorKind::ONE_NAME,
    ];
    let is_whole = |mistake: &SyntaxErrorKind| {
        let is_plain = matches!(
            mistake,
            &SyntaxErrorKind::Mode | &SyntaxErrorKind::NumberTooLarge
        );
        whole.contains(mistake) || is_plain
    };
    let file = problem
        .operation
        .and_then(|index| outcome.report.find_file(index));
    let is_whole = problem.facts.mistake.as_ref().is_some_and(is_whole)
        || file.is_some_and(|file| is_created_beyond_link(file, problem));
    is_git_error(outcome, problem) && is_whole && !problem.facts.is_cut_off
}

/// Returns whether `problem` is an error in a patch format that git knows.
fn is_git_error(outcome: &Outcome, problem: &Problem) -> bool {
    let input = problem
        .place
        .and_then(|(input, _)| outcome.inputs.get(input))
        .or(outcome.inputs.first());
    problem.severity == Severity::Error && !input.is_some_and(is_unknown_to_git)
}

/// Returns whether `input` is in a format that git does not know.
fn is_unknown_to_git(input: &Input) -> bool {
    !input.formats.is_empty()
        && !input
            .formats
            .iter()
            .any(|name| find_syntax(name).is_some_and(Syntax::is_read_by_git))
}

/// Returns whether `problem` is in the text of a patch. git stops reading there.
fn is_malformed(outcome: &Outcome, problem: &Problem) -> bool {
    problem.operation.is_none()
        && is_git_error(outcome, problem)
        && !text::malformed_messages(outcome, problem).is_empty()
}
