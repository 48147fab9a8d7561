//! What goes to which stream: data to standard output, words on problems to standard error.

mod problems;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};

use super::args::{Global, PatchOptions, When};
use super::git::Speech;
use crate::engine::Outcome;
use crate::engine::options::{Direction, Problem, Severity, code};
use crate::report;
use crate::text::printable;

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
