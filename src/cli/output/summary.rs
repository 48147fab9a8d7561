//! The summary of a check on a terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write};

use anstream::{AutoStream, ColorChoice};

use super::{Output, Verbosity, color};
use crate::cli::args::Global;
use crate::cli::files::STDIN;
use crate::engine::{self, Outcome};
use crate::report::terminal;

/// The summary of a check.
#[derive(Clone, Debug)]
pub(super) struct CheckSummary {
    /// All words of the command line.
    arguments: Vec<OsString>,
    color: ColorChoice,
}

impl Output {
    /// Adds the summary of a check, if standard output is a terminal and the verbosity is normal.
    pub(in crate::cli) fn with_summary(mut self, global: &Global) -> Self {
        let is_wanted = self.verbosity == Verbosity::Normal && io::stdout().is_terminal();
        self.summary = is_wanted.then(|| CheckSummary {
            arguments: global.arguments.clone(),
            color: color(global, &io::stdout()),
        });
        self
    }

    /// Returns whether the summary of a check is printed.
    pub(in crate::cli) fn has_summary(&self) -> bool {
        self.summary.is_some() && !self.is_report()
    }
}

impl CheckSummary {
    /// Prints the summary to standard output.
    pub(super) fn print(&self, outcome: &Outcome) -> io::Result<()> {
        let report = &outcome.report;
        let id = report.plan_id.as_ref().filter(|_| report.tree.is_none());
        let approve = id.and_then(|id| engine::approval(&self.arguments, id));
        let has_stdin = outcome.inputs.iter().any(|input| input.name == STDIN);
        let approve = approve.map(|command| {
            let suffix = if has_stdin {
                " # with the same input"
            } else {
                ""
            };
            command + suffix
        });
        let mut text = Vec::new();
        terminal::print_check(report, approve.as_deref(), &mut text)?;
        let mut out = AutoStream::new(io::stdout().lock(), self.color);
        out.write_all(&text)?;
        out.flush()
    }
}
