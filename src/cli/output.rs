//! What goes to which stream: data to standard output, words on problems to standard error.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process::ExitCode;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};

use super::args::{Global, PatchOptions, When};
use super::diagnostic::{self, Title};
use super::git::{self, Speech, Titles};
use super::whitespace;
use crate::engine::Outcome;
use crate::engine::options::{Direction, Problem, Remedy, Severity, code};
use crate::report::{self, DiagnosticsReport};
use crate::text::printable;

/// Most problems that are shown with an excerpt; the others are counted.
const MOST_SHOWN: usize = 20;
/// Most different helps after a list of files.
const MOST_HELPS: usize = 3;

/// What is printed of an outcome.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// The formats that go to standard output, in order.
    formats: Vec<&'static str>,
    verbosity: Verbosity,
    color: ColorChoice,
    /// Said instead of diagnostics.
    usage: Option<String>,
    /// What is said in git's words, before our own.
    speech: Option<Speech>,
}

/// How much is said to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    /// Nothing.
    Quiet,
    /// Problems.
    Normal,
    /// What is done, too.
    Loud,
}

impl Output {
    /// Returns what the options of every command ask for; `usual` holds if they do not say how
    /// much.
    pub(super) fn of(global: &Global, usual: Verbosity) -> Self {
        let verbosity = match (global.quiet, global.verbose) {
            // Whoever reads commands out of one stream reads them out of the other as well.
            _ if global.output.as_deref() == Some("github") => Verbosity::Quiet,
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Loud,
            _ => usual,
        };
        let asked = if global.json {
            Some("json")
        } else {
            global.output.as_deref()
        };
        let formats = match (asked.and_then(report::format), verbosity) {
            (Some(format), _) => vec![format.name()],
            (None, Verbosity::Loud) => vec!["text"],
            (None, _) => Vec::new(),
        };
        let color = color(global, &io::stderr());
        Self {
            formats,
            verbosity,
            color,
            usage: None,
            speech: None,
        }
    }

    /// Leaves standard output to data: words for people do not go there.
    pub(super) fn without_words(mut self) -> Self {
        self.formats.retain(|format| *format != "text");
        self
    }

    /// Returns whether anything but words on problems is printed.
    pub(super) fn is_report(&self) -> bool {
        !self.formats.is_empty()
    }

    /// Returns what is printed about a wrong command line that asks for the format `name`.
    pub(super) fn in_format(name: String) -> Self {
        let output = (name != "json").then_some(name);
        Self::of(
            &Global {
                json: output.is_none(),
                output,
                ..Global::default()
            },
            Verbosity::Normal,
        )
    }

    /// Returns what is printed about another wrong command line: the words of its parser.
    pub(super) fn usage(text: String) -> Self {
        let usage = Some(text);
        Self {
            formats: Vec::new(),
            verbosity: Verbosity::Normal,
            color: ColorChoice::Never,
            usage,
            speech: None,
        }
    }

    /// Says what git would say of `patch`, too.
    pub(super) fn with_git(mut self, patch: &PatchOptions, global: &Global) -> Self {
        self.speech = Some(Speech {
            is_loud: global.verbose || patch.git.reject,
            is_merge: patch.merge.three_way,
            direction: if patch.usual.reverse {
                Direction::Reverse
            } else {
                Direction::Forward
            },
        });
        self
    }

    /// Adds the statistics that `patch` asks for, unless what is printed is a document, or nothing
    /// is to be printed.
    pub(super) fn with_statistics(mut self, patch: &PatchOptions, global: &Global) -> Self {
        if !patch.look.is_statistics()
            || self.verbosity == Verbosity::Quiet
            || self.formats.iter().any(|name| *name != "text")
        {
            return self;
        }
        let numstat = if patch.look.nul {
            "numstat-z"
        } else {
            "numstat"
        };
        let stat = match color(global, &io::stdout()) {
            ColorChoice::Never => "stat",
            _ => "stat-coloured",
        };
        let asked = [
            (patch.look.stat, stat),
            (patch.look.numstat, numstat),
            (patch.look.summary, "summary"),
        ];
        self.formats.extend(
            asked
                .iter()
                .filter(|(is_asked, _)| *is_asked)
                .map(|(_, name)| name),
        );
        self
    }

    /// Prints `outcome`.
    ///
    /// # Errors
    ///
    /// Returns the error of standard output; standard error may be closed.
    pub(super) fn print(&self, outcome: &Outcome) -> io::Result<()> {
        if self.verbosity > Verbosity::Quiet {
            let _ = self.print_problems(outcome);
        }
        let mut out = BufWriter::new(io::stdout().lock());
        for name in &self.formats {
            if let Some(format) = report::format(name).filter(|_| is_printed(name, outcome)) {
                format.print(&outcome.report, &mut out)?;
            }
        }
        out.flush()
    }

    fn print_problems(&self, outcome: &Outcome) -> io::Result<()> {
        let mut err = AutoStream::new(io::stderr().lock(), self.color);
        if let Some(usage) = &self.usage {
            return usage
                .lines()
                .try_for_each(|line| writeln!(err, "{}", printable(line.as_bytes())));
        }
        whitespace::print_lines(outcome, &mut err)?;
        if let Some(speech) = self.speech {
            git::print(outcome, speech, &mut err)?;
        }
        let is_told = |problem| {
            self.verbosity < Verbosity::Loud
                && self.speech.is_some()
                && git::says_all(outcome, problem)
        };
        let titles = self
            .speech
            .filter(|_| self.verbosity < Verbosity::Loud)
            .map(|speech| Titles::of(outcome, speech));
        let title = |index| {
            titles
                .as_ref()
                .map_or(Title::Own, |titles| titles.title(outcome, index))
        };
        let is_listed = |index: usize| {
            let problem = &outcome.problems[index];
            let is_plain = git::is_missing(outcome, problem) && problem.facts.cause.is_none();
            is_plain
                && (title(index) == Title::Stated
                    || titles.is_some() && is_omitted(outcome, problem))
        };
        let missing: BTreeSet<_> = (0..outcome.problems.len())
            .filter(|&index| is_listed(index))
            .collect();
        let others = |index: &usize| {
            let problem = &outcome.problems[*index];
            *problem.code != code::WHITESPACE
                && !is_told(problem)
                && (missing.len() < 2 || !missing.contains(index))
        };
        let problems: Vec<_> = (0..outcome.problems.len()).filter(others).collect();
        for (nth, &index) in problems.iter().take(MOST_SHOWN).enumerate() {
            let gap = if nth == 0 { "" } else { "\n" };
            writeln!(
                err,
                "{gap}{}",
                diagnostic::render(outcome, index, title(index))
            )?;
        }
        if missing.len() > 1 {
            let helps: BTreeSet<_> = missing
                .iter()
                .filter_map(|&index| outcome.problems[index].help.as_deref())
                .collect();
            for help in helps.into_iter().take(MOST_HELPS) {
                writeln!(err, "help: {}", printable(help.as_bytes()))?;
            }
        }
        let rest = problems.iter().skip(MOST_SHOWN);
        let is_of_hunks = rest
            .clone()
            .all(|&index| outcome.problems[index].hunk.is_some());
        // Where files are missing and nothing else, git's lines have counted all of them.
        let uncollected = if problems.is_empty() {
            0
        } else {
            outcome.uncollected()
        };
        match (rest.count() + uncollected, is_of_hunks) {
            (0, _) => {}
            (1, true) => writeln!(err, "1 more failing hunk is not listed")?,
            (more, true) => writeln!(err, "{more} more failing hunks are not listed")?,
            (1, false) => writeln!(err, "1 more problem is not listed")?,
            (more, false) => writeln!(err, "{more} more problems are not listed")?,
        }
        whitespace::print_sum(outcome, &mut err)?;
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

/// Returns whether the report omits the file of `problem`, which it counts.
fn is_omitted(outcome: &Outcome, problem: &Problem) -> bool {
    problem
        .operation
        .is_some_and(|number| outcome.report.file_of(number).is_none())
}

/// Tells a person that the change cannot be undone, unless a warning states it.
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
        Remedy::Init => writeln!(err, "help: `wpatch init` lets later changes be undone"),
        Remedy::Named => Ok(()),
    }
}

/// Prints what language servers said, a line for each.
fn print_diagnostics(diagnostics: &DiagnosticsReport, err: &mut dyn Write) -> io::Result<()> {
    for diagnostic in diagnostics.new.iter().take(MOST_SHOWN) {
        writeln!(err, "{}", diagnostic.line())?;
    }
    match (diagnostics.new.len() + diagnostics.more).saturating_sub(MOST_SHOWN) {
        0 => {}
        more => writeln!(err, "and {more} more diagnostics; --json has them")?,
    }
    match diagnostics.withheld {
        0 => Ok(()),
        count => writeln!(
            err,
            "{count} more are about files that policy protects from reading"
        ),
    }
}

/// Statistics speak of a change that can be made, or that only errors in white space keep from
/// being made; everything else speaks always.
fn is_printed(format: &str, outcome: &Outcome) -> bool {
    let stops = |problem: &Problem| {
        problem.severity == Severity::Error && *problem.code != code::WHITESPACE
    };
    outcome.report.ok || !is_statistic(format) || !outcome.problems.iter().any(stops)
}

fn is_statistic(format: &str) -> bool {
    matches!(
        format,
        "stat" | "stat-coloured" | "numstat" | "numstat-z" | "summary"
    )
}

/// Returns whether `stream` gets colours.
pub(super) fn color(global: &Global, stream: &impl RawStream) -> ColorChoice {
    match global.color.unwrap_or_default() {
        When::Auto => AutoStream::choice(stream),
        When::Always => ColorChoice::Always,
        When::Never => ColorChoice::Never,
    }
}

/// Returns the exit code of who printed data; a reader who has gone away is no failure.
pub(super) fn printed(result: io::Result<()>) -> ExitCode {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("cannot write: {error}"));
            ExitCode::from(4)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Says `message` to standard error, which may be closed.
pub(super) fn complain(message: &str) {
    complain_as("wpatch", message);
}

/// Says `message` in the name of `program`.
pub(super) fn complain_as(program: &str, message: &str) {
    let _ = writeln!(
        io::stderr().lock(),
        "{program}: {}",
        printable(message.as_bytes())
    );
}

/// Prints `text`. A reader that has closed the pipe is no failure.
pub(super) fn print(text: &[u8]) -> ExitCode {
    let mut out = io::stdout().lock();
    printed(out.write_all(text).and_then(|()| out.flush()))
}
