//! The summary of a check on a terminal.

use std::io::{self, IsTerminal as _, Write};

use anstream::adapter::strip_bytes;
use anstream::{AutoStream, ColorChoice};
use terminal_size::{Height, Width};
use unicode_width::UnicodeWidthStr as _;

use super::{Output, Verbosity, color};
use crate::cli::args::Global;
use crate::cli::files::STDIN;
use crate::cli::pager;
use crate::engine::{self, Outcome};
use crate::report::terminal;

/// The summary of a check.
#[derive(Clone, Debug)]
pub(super) struct CheckSummary {
    color: ColorChoice,
    global: Global,
}

impl Output {
    /// Adds the summary of a check, if standard output is a terminal and the verbosity is normal.
    pub(in crate::cli) fn with_summary(mut self, global: &Global) -> Self {
        let is_wanted = self.verbosity == Verbosity::Normal && io::stdout().is_terminal();
        self.summary = is_wanted.then(|| CheckSummary {
            global: global.clone(),
            color: color(global, &io::stdout()),
        });
        self
    }

    /// Returns whether the summary of a check is printed.
    pub(in crate::cli) fn has_summary(&self) -> bool {
        self.summary.is_some() && !self.has_report()
    }
}

impl CheckSummary {
    /// Prints the summary to standard output.
    pub(super) fn print(&self, outcome: &Outcome) -> io::Result<()> {
        let report = &outcome.report;
        let id = report.plan_id.as_ref().filter(|_| report.tree.is_none());
        let approve = id.and_then(|id| engine::local_approval(&self.global.arguments, id));
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
        let print = |out: &mut (dyn Write + 'static)| {
            let mut out = AutoStream::new(out, self.color);
            out.write_all(&text)?;
            out.flush()
        };
        if is_longer_than_screen(&text) {
            pager::print_paged(&self.global, print)
        } else {
            print(&mut io::stdout().lock())
        }
    }
}

/// Returns whether `text` and a prompt need more rows than the terminal has.
fn is_longer_than_screen(text: &[u8]) -> bool {
    let size = terminal_size::terminal_size_of(io::stdout());
    let Some((Width(columns), Height(height))) = size else {
        return false;
    };
    let text = strip_bytes(text).into_vec();
    let rows = |line: &str| line.width().div_ceil(usize::from(columns.max(1))).max(1);
    let rows: usize = String::from_utf8_lossy(&text).lines().map(rows).sum();
    height > 0 && rows >= usize::from(height)
}
