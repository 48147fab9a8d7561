//! What git says where it does not apply a patch, and how far it is: scripts look for these words.
//!
//! To add words for a problem, write a row of [`words::WORDS`].

mod progress;
mod text;
mod words;

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};

use super::diagnostic::Title;
use crate::engine::Outcome;
use crate::engine::options::{
    Direction, Input, Problem, Severity, Syntax, SyntaxErrorKind, code, find_syntax,
};
use crate::report::{FileReport, FileStatus};
use words::{failed, is_made_beyond, of_file_lines};

/// What is said in git's words besides why a patch does not apply.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Speech {
    /// Whether what is done with each file is said, too (`--verbose`, and `--reject` as in git).
    pub(super) is_loud: bool,
    /// Whether what is merged is said (`--3way`).
    pub(super) is_merge: bool,
    /// How the patch is read.
    pub(super) direction: Direction,
}

/// Most missing files that have a line each.
const MOST_MISSING: usize = 20;
/// Most other files that do not apply and have lines of their own.
const MOST_UNFIT: usize = 100;

/// Prints what git would say of `outcome`, and nothing of what git does not know.
///
/// # Security
///
/// Names and lines of patches go through [`printable`](crate::text::printable).
pub(super) fn print(outcome: &Outcome, speech: Speech, err: &mut dyn Write) -> io::Result<()> {
    let is_foreign = outcome.inputs.iter().any(is_foreign);
    let speech = if is_foreign {
        Speech::default()
    } else {
        speech
    };
    let mut lines = progress::skipped(outcome, speech);
    if let Some(broken) = outcome
        .problems
        .iter()
        .find(|problem| is_broken(outcome, problem))
    {
        lines.extend(
            text::of_text(outcome, broken)
                .into_iter()
                .map(|line| format!("error: {line}")),
        );
    } else {
        let files: Vec<_> = outcome.files().collect();
        lines.extend(all_checked(outcome, &files, speech));
        lines.extend(
            files
                .iter()
                .flat_map(|(file, problems)| progress::written(outcome, file, problems, speech)),
        );
        lines.extend(progress::in_conflict(outcome));
    }
    lines.iter().try_for_each(|line| writeln!(err, "{line}"))
}

/// Returns what is said of all files when they are looked at; the files that cannot be changed have
/// lines of their own up to a limit.
fn all_checked(
    outcome: &Outcome,
    files: &[(&FileReport, Vec<&Problem>)],
    speech: Speech,
) -> Vec<String> {
    let mut lines = Vec::new();
    // Files that are not listed have the same problems as those before them.
    let (mut missing, mut unfit) = (0, 0);
    for (file, problems) in files {
        // After many problems of a kind, the problems of a file are counted and not kept.
        let is_missing = problems.iter().any(|problem| is_missing(outcome, problem))
            || missing > 0
                && problems.is_empty()
                && file.status == FileStatus::Failed(code::MISSING.kind);
        let is_unfit = !is_missing
            && (problems
                .iter()
                .any(|problem| problem.severity == Severity::Error)
                || unfit > 0 && problems.is_empty() && file.is_rejected());
        missing += usize::from(is_missing);
        unfit += usize::from(is_unfit);
        if (!is_missing || missing <= MOST_MISSING) && (!is_unfit || unfit <= MOST_UNFIT) {
            lines.extend(checked(outcome, file, problems, speech));
        }
    }
    let omitted = outcome.report.omitted.files;
    if missing > MOST_MISSING {
        let more = missing - MOST_MISSING + if unfit == 0 { omitted } else { 0 };
        lines.push(format!("error: and {more} more: No such file or directory"));
    }
    let more = unfit.saturating_sub(MOST_UNFIT) + if unfit > 0 { omitted } else { 0 };
    if more > 0 {
        lines.push(format!(
            "error: and {more} more files: patch does not apply"
        ));
    }
    lines
}

/// Returns whether all that `problem` states is that a file does not exist, which git's line states
/// as well.
pub(super) fn is_missing(outcome: &Outcome, problem: &Problem) -> bool {
    *problem.code == code::MISSING && problem.operation.is_some() && is_told(outcome, problem)
}

/// Which problems the lines that [`print`] prints are about.
pub(super) struct Titles {
    speech: Speech,
    /// The problem with the text of the patch.
    broken: Option<usize>,
    /// The first problem of each file that git has a sentence for.
    first: HashSet<usize>,
}

impl Titles {
    /// Finds the problems of `outcome` that git has sentences for.
    pub(super) fn of(outcome: &Outcome, speech: Speech) -> Self {
        let problems = || outcome.problems.iter().enumerate();
        let broken = problems()
            .find(|(_, problem)| is_broken(outcome, problem))
            .map(|(index, _)| index);
        let mut files = HashSet::new();
        let mut is_first = |problem: &Problem| {
            let file = problem
                .operation
                .and_then(|number| outcome.report.file_of(number));
            file.is_some_and(|file| is_printed(outcome, file, problem))
                && files.insert(problem.operation)
        };
        let first = problems()
            .filter(|(_, problem)| is_first(problem))
            .map(|(index, _)| index)
            .collect();
        Self {
            speech,
            broken,
            first,
        }
    }

    /// Returns how the title of the problem `index` relates to the lines that are printed of it.
    pub(super) fn title(&self, outcome: &Outcome, index: usize) -> Title {
        let Some(problem) = outcome.problems.get(index) else {
            return Title::Own;
        };
        match self.broken {
            Some(broken) if broken != index => return Title::Own,
            Some(_) if problem.facts.is_bare => return Title::Stated,
            Some(_) => return Title::Details,
            None => {}
        }
        let file = problem
            .operation
            .and_then(|number| outcome.report.file_of(number));
        let is_stated = |file| !of_file_lines(outcome, file, problem, self.speech).is_empty();
        if !self.first.contains(&index) || !file.is_some_and(is_stated) {
            return Title::Own;
        }
        if states_the_same(problem) {
            Title::Stated
        } else {
            Title::Details
        }
    }
}

/// Returns whether the message of `problem` has no fact that git's sentence lacks.
fn states_the_same(problem: &Problem) -> bool {
    match *problem.code {
        code::MISSING
        | code::NOT_AS_INDEXED
        | code::NO_BINARY_DATA
        | code::NO_BLOB
        | code::WRONG_BLOB => true,
        // The cause has a line of its own.
        code::NOT_FOUND => problem.facts.is_bare || problem.facts.cause.is_some(),
        code::EXISTS => problem.facts.is_bare,
        _ => false,
    }
}

/// Says what is found when a file is looked at, which has `problems`.
fn checked(
    outcome: &Outcome,
    file: &FileReport,
    problems: &[&Problem],
    speech: Speech,
) -> Vec<String> {
    let problem = problems
        .iter()
        .copied()
        .find(|problem| is_printed(outcome, file, problem));
    // Where hunks are rejected, git goes on behind them.
    let stops = problem.filter(|problem| problem.severity == Severity::Error);
    let fails = stops
        .and_then(|problem| problem.hunk)
        .filter(|&hunk| file.hunk(hunk).is_some());
    let mut lines = progress::begun(outcome, file, speech);
    if problem.is_none_or(|problem| problem.hunk.is_some()) {
        lines.extend(progress::merged(file, speech));
    }
    let rejected: BTreeSet<_> = progress::rejected(problems).collect();
    for hunk in file
        .hunks
        .iter()
        .take_while(|hunk| fails.is_none_or(|last| hunk.index <= last))
    {
        let number = hunk.index;
        if fails == Some(number) || rejected.contains(&number) {
            lines.extend(progress::searched(outcome, hunk, speech));
            lines.extend(failed(file, number));
        } else {
            lines.extend(
                progress::moved(hunk, speech).map(|place| format!("Hunk #{} {place}", number + 1)),
            );
        }
    }
    lines.extend(
        problem
            .into_iter()
            .flat_map(|problem| of_file_lines(outcome, file, problem, speech)),
    );
    lines
}

/// Returns whether git prints a sentence of its own on `problem` of `file`, if it is the first of
/// the file.
fn is_printed(outcome: &Outcome, file: &FileReport, problem: &Problem) -> bool {
    is_told(outcome, problem) || (problem.severity == Severity::Reject && file.is_rejected())
}

/// Returns whether git's words have the place and the reason of `problem`, or the line there shows
/// it by itself, so that ours would say no more.
pub(super) fn says_all(outcome: &Outcome, problem: &Problem) -> bool {
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
        .and_then(|index| outcome.report.file_of(index));
    let is_whole = problem.facts.mistake.as_ref().is_some_and(is_whole)
        || file.is_some_and(|file| is_made_beyond(file, problem));
    is_told(outcome, problem) && is_whole && !problem.facts.is_cut_off
}

/// Returns whether `problem` keeps a patch of lines from applying.
fn is_told(outcome: &Outcome, problem: &Problem) -> bool {
    let input = problem
        .place
        .and_then(|(input, _)| outcome.inputs.get(input))
        .or(outcome.inputs.first());
    problem.severity == Severity::Error && !input.is_some_and(is_foreign)
}

/// Returns whether a patch is in a grammar that git does not know.
fn is_foreign(input: &Input) -> bool {
    !input.formats.is_empty()
        && !input
            .formats
            .iter()
            .any(|name| find_syntax(name).is_some_and(Syntax::is_read_by_git))
}

/// Returns whether `problem` is about the text of a patch, behind which git does not read on.
fn is_broken(outcome: &Outcome, problem: &Problem) -> bool {
    problem.operation.is_none()
        && is_told(outcome, problem)
        && !text::of_text(outcome, problem).is_empty()
}
