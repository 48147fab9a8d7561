//! Prints the outcome on standard error: git's messages, the problems with excerpts, the
//! diagnostics of language servers, and a note if the change cannot be undone.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Write};

use anstream::AutoStream;

use super::{Output, Verbosity, is_statistic};
use crate::cli::diagnostic::{self, TitleKind};
use crate::cli::git::{self, CoveredProblems};
use crate::cli::whitespace;
use crate::engine::Outcome;
use crate::engine::options::{Problem, Remedy, code};
use crate::report::DiagnosticsReport;
use crate::text::printable;

/// The limit on the number of problems with an excerpt. The other problems are counted.
const MAX_SHOWN: usize = 20;
/// The limit on the number of different help lines for missing files.
const MAX_HELPS: usize = 3;

impl Output {
    /// Prints the message of the argument parser, or everything about `outcome` that belongs on
    /// standard error.
    pub(in crate::cli) fn print_problems(&self, outcome: &Outcome) -> io::Result<()> {
        let mut err = AutoStream::new(io::stderr().lock(), self.color);
        if let Some(usage) = &self.usage {
            return usage
                .lines()
                .try_for_each(|line| writeln!(err, "{}", printable(line.as_bytes())));
        }
        whitespace::print_lines(outcome, &mut err)?;
        if let Some(speech) = self.git_messages {
            git::print(outcome, speech, &mut err)?;
        }
        let problems = Problems::of(outcome, self);
        problems.print_excerpts(&mut err)?;
        problems.print_missing_files(&mut err)?;
        problems.print_rest(&mut err)?;
        whitespace::print_totals(outcome, &mut err)?;
        outcome
            .report
            .diagnostics
            .iter()
            .try_for_each(|diagnostics| print_diagnostics(diagnostics, &mut err))?;
        let is_document = self
            .formats
            .iter()
            .any(|name| *name != "text" && !is_statistic(name));
        if !is_document && io::stderr().is_terminal() {
            print_history(outcome, &mut err)
        } else {
            Ok(())
        }
    }
}

/// The problems that git's messages do not cover completely.
struct Problems<'o> {
    outcome: &'o Outcome,
    /// How each title relates to git's messages; `None` if these are not printed.
    titles: Option<CoveredProblems>,
    /// The indices of the printed problems.
    shown: Vec<usize>,
    /// The indices of problems about missing files. Git's lines cover these except for the help.
    missing: BTreeSet<usize>,
}

impl<'o> Problems<'o> {
    fn of(outcome: &'o Outcome, output: &Output) -> Self {
        let speech = output
            .git_messages
            .filter(|_| output.verbosity < Verbosity::Verbose);
        let mut problems = Self {
            outcome,
            titles: speech.map(|speech| CoveredProblems::of(outcome, speech)),
            shown: Vec::new(),
            missing: BTreeSet::new(),
        };
        let all = 0..outcome.problems.len();
        problems.missing = all
            .clone()
            .filter(|&index| problems.is_missing_file(index))
            .collect();
        let is_shown = |index: &usize| {
            let problem = &outcome.problems[*index];
            *problem.code != code::WHITESPACE
                && (*problem.code != code::HISTORY_PRUNED || output.verbosity >= Verbosity::Verbose)
                && !(speech.is_some() && git::is_fully_stated(outcome, problem))
                && (problems.missing.len() < 2 || !problems.missing.contains(index))
        };
        problems.shown = all.filter(is_shown).collect();
        problems
    }

    fn title(&self, index: usize) -> TitleKind {
        self.titles
            .as_ref()
            .map_or(TitleKind::Full, |titles| titles.title(self.outcome, index))
    }

    /// Returns whether the problem at `index` states only that a file is missing. Git's lines must
    /// state or count it.
    fn is_missing_file(&self, index: usize) -> bool {
        let problem = &self.outcome.problems[index];
        let is_plain = git::is_missing(self.outcome, problem) && problem.facts.cause.is_none();
        is_plain
            && (self.title(index) == TitleKind::Omitted
                || self.titles.is_some() && is_omitted(self.outcome, problem))
    }

    /// Prints the problems with excerpts, up to the limit.
    fn print_excerpts(&self, err: &mut dyn Write) -> io::Result<()> {
        for (nth, &index) in self.shown.iter().take(MAX_SHOWN).enumerate() {
            let gap = if nth == 0 { "" } else { "\n" };
            let text = diagnostic::render(self.outcome, index, self.title(index));
            writeln!(err, "{gap}{text}")?;
        }
        Ok(())
    }

    /// Prints the help for missing files if there are at least two.
    fn print_missing_files(&self, err: &mut dyn Write) -> io::Result<()> {
        if self.missing.len() < 2 {
            return Ok(());
        }
        let helps: BTreeSet<_> = self
            .missing
            .iter()
            .filter_map(|&index| self.outcome.problems[index].next_step())
            .collect();
        helps
            .into_iter()
            .take(MAX_HELPS)
            .try_for_each(|help| writeln!(err, "help: {}", printable(help.as_bytes())))
    }

    /// Prints the number of unprinted problems.
    fn print_rest(&self, err: &mut dyn Write) -> io::Result<()> {
        let problems = &self.outcome.problems;
        let rest = self.shown.get(MAX_SHOWN..).unwrap_or_default();
        let is_of_hunks = rest.iter().all(|&index| problems[index].hunk.is_some());
        // If only files are missing, git's lines have counted all of them.
        let uncollected = if self.shown.is_empty() {
            0
        } else {
            self.outcome.omitted_problems()
        };
        match (rest.len() + uncollected, is_of_hunks) {
            (0, _) => Ok(()),
            (1, true) => writeln!(err, "1 more failing hunk is not listed"),
            (more, true) => writeln!(err, "{more} more failing hunks are not listed"),
            (1, false) => writeln!(err, "1 more problem is not listed"),
            (more, false) => writeln!(err, "{more} more problems are not listed"),
        }
    }
}

/// Returns whether the report omits and only counts the file of `problem`.
fn is_omitted(outcome: &Outcome, problem: &Problem) -> bool {
    problem
        .operation
        .is_some_and(|number| outcome.report.find_file(number).is_none())
}

/// Prints a note that the change cannot be undone, unless a warning states it.
fn print_history(outcome: &Outcome, err: &mut dyn Write) -> io::Result<()> {
    let unkept = outcome
        .report
        .history
        .as_ref()
        .and_then(|history| history.unkept.as_ref());
    let Some(unkept) = unkept.filter(|unkept| outcome.report.changed && !unkept.is_warned) else {
        return Ok(());
    };
    writeln!(
        err,
        "note: this change cannot be undone: {}",
        printable(unkept.reason.as_bytes())
    )?;
    match unkept.remedy {
        Remedy::Init => writeln!(
            err,
            "help: run `wpatch init` so that later changes can be undone"
        ),
        Remedy::Named => Ok(()),
    }
}

/// Prints the diagnostics of language servers, one per line.
fn print_diagnostics(diagnostics: &DiagnosticsReport, err: &mut dyn Write) -> io::Result<()> {
    for diagnostic in diagnostics.new.iter().take(MAX_SHOWN) {
        writeln!(err, "{}", diagnostic.to_text())?;
    }
    match (diagnostics.new.len() + diagnostics.more).saturating_sub(MAX_SHOWN) {
        0 => {}
        more => writeln!(err, "and {more} more diagnostics; use --json to print all")?,
    }
    match diagnostics.withheld {
        0 => Ok(()),
        count => writeln!(
            err,
            "{count} more are in files that policy does not allow to read"
        ),
    }
}
