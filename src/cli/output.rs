//! Printing: data to standard output, messages to standard error.

mod problems;
mod summary;

use std::io::{self, Write};
use std::process::ExitCode;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};

use super::args::{ColorMode, Global, PatchOptions};
use super::caller::Caller;
use super::early_exit::system_message;
use super::git::GitMessageOptions;
use super::library_call::Document;
use super::signals;
use crate::engine::Outcome;
use crate::engine::options::{Direction, Problem, Severity, code};
use crate::report;
use crate::text::printable;
use summary::CheckSummary;

/// The formats, the verbosity and the colors of the printed outcome.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// The formats on standard output, in order.
    formats: Vec<&'static str>,
    verbosity: Verbosity,
    color: ColorChoice,
    caller: Caller,
    /// The message of the argument parser, printed instead of problems.
    usage: Option<String>,
    /// The options of git's messages, which come before the diagnosis of wpatch.
    git_messages: Option<GitMessageOptions>,
    /// The summary of a check, printed if nothing else is printed to standard output.
    summary: Option<CheckSummary>,
}

/// The amount of output for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    /// No messages.
    Quiet,
    /// Problems.
    Normal,
    /// Problems and each action.
    Verbose,
}

impl Output {
    /// Returns the output that the global options select. `usual` is the verbosity without
    /// `--quiet` and `--verbose`.
    pub(super) fn of(global: &Global, usual: Verbosity) -> Self {
        let verbosity = match (global.quiet, global.verbose) {
            // A runner that reads workflow commands from standard output also reads standard error,
            // where a message could contain one.
            _ if global.output.as_deref() == Some("github") => Verbosity::Quiet,
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => usual,
        };
        let asked = if global.json {
            Some("json")
        } else {
            global.output.as_deref()
        };
        let formats = match (asked.and_then(report::find_format), verbosity) {
            (Some(format), _) => vec![format.name()],
            (None, Verbosity::Verbose) => vec!["text"],
            (None, _) => Vec::new(),
        };
        let color = color(global, &io::stderr());
        Self {
            formats,
            verbosity,
            color,
            caller: global.caller.clone(),
            usage: None,
            git_messages: None,
            summary: None,
        }
    }

    /// Removes the text format, so that standard output contains only data.
    pub(super) fn without_text(mut self) -> Self {
        self.formats.retain(|format| *format != "text");
        self
    }

    /// Returns whether a report is printed to standard output. A summary is not a report.
    pub(super) fn has_report(&self) -> bool {
        !self.formats.is_empty()
    }

    /// Returns the output for a malformed command line that asks for the format `name`, if it asks
    /// for one.
    pub(super) fn for_format(name: Option<String>, caller: Caller) -> Self {
        let json = name.as_deref() == Some("json");
        Self::of(
            &Global {
                json,
                output: name.filter(|_| !json),
                quiet: caller.is_library(),
                color: caller.is_library().then_some(ColorMode::Never),
                caller,
                ..Global::default()
            },
            Verbosity::Normal,
        )
    }

    /// Returns the output for a malformed command line without a format: the message of the
    /// argument parser.
    pub(super) fn usage(text: String) -> Self {
        let usage = Some(text);
        Self {
            formats: Vec::new(),
            verbosity: Verbosity::Normal,
            color: ColorChoice::Never,
            caller: Caller::Process,
            usage,
            git_messages: None,
            summary: None,
        }
    }

    /// Adds git's messages about `patch`.
    pub(super) fn with_git(mut self, patch: &PatchOptions, global: &Global) -> Self {
        self.git_messages = Some(GitMessageOptions {
            is_verbose: global.verbose || patch.git.reject,
            is_merge: patch.merge.three_way,
            direction: if patch.basic.reverse {
                Direction::Reverse
            } else {
                Direction::Forward
            },
        });
        self
    }

    /// Adds the statistics that `patch` asks for. Does nothing if the output is a document or if
    /// the verbosity is quiet.
    pub(super) fn with_statistics(mut self, patch: &PatchOptions, global: &Global) -> Self {
        if !patch.look.has_statistics()
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
    /// Returns the I/O error of standard output. Errors of standard error are ignored.
    pub(super) fn print(&self, outcome: &Outcome) -> io::Result<()> {
        if !self.caller.is_library() {
            signals::end_at_second_signal();
        }
        if self.verbosity > Verbosity::Quiet {
            let _ = self.print_problems(outcome);
        }
        if let Some(summary) = self.summary.as_ref().filter(|_| self.has_summary()) {
            return summary.print(outcome);
        }
        if self.caller.is_library() {
            return self
                .caller
                .print_document(&outcome.report, |report| Document::Report(Box::new(report)));
        }
        self.caller.print(|mut out| {
            for name in &self.formats {
                if let Some(format) =
                    report::find_format(name).filter(|_| is_printed(name, outcome))
                {
                    format.print(&outcome.report, &mut out)?;
                }
            }
            Ok(())
        })
    }
}

/// Returns whether `format` is printed for `outcome`. Statistics are printed only if the patch
/// applies or if its only errors are white-space errors. All other formats are always printed.
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

/// Returns the color choice for `stream`.
pub(super) fn color(global: &Global, stream: &impl RawStream) -> ColorChoice {
    match global.color.unwrap_or_default() {
        ColorMode::Auto => AutoStream::choice(stream),
        ColorMode::Always => ColorChoice::Always,
        ColorMode::Never => ColorChoice::Never,
    }
}

/// Returns the exit code of a command that printed data. A closed pipe is not a failure.
pub(super) fn exit_code(result: io::Result<()>) -> ExitCode {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            print_to_stderr(&format!(
                "standard output: cannot write: {}",
                system_message(&error)
            ));
            ExitCode::from(4)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Prints `message` to standard error and ignores I/O errors.
pub(super) fn print_to_stderr(message: &str) {
    print_to_stderr_as("wpatch", message);
}

/// Prints `message` to standard error with `program` as its prefix.
pub(super) fn print_to_stderr_as(program: &str, message: &str) {
    let _ = writeln!(
        io::stderr().lock(),
        "{program}: {}",
        printable(message.as_bytes())
    );
}

/// Prints `text` to standard output. A closed pipe is not a failure.
pub(super) fn print(text: &[u8]) -> ExitCode {
    signals::end_at_second_signal();
    let mut out = io::stdout().lock();
    exit_code(out.write_all(text).and_then(|()| out.flush()))
}
