//! The options for white space in patches, and git's messages about white-space errors.

use std::io::{self, Write};

use clap::Args;

use crate::engine::Outcome;
use crate::engine::excerpt::clip;
use crate::engine::options::{ACTIONS, Problem, Severity, WhitespaceAction, code};
use crate::report::{WhitespaceLine, WhitespaceReport};
use crate::text::printable;

/// The limit on the number of printed lines with errors, except for `error-all`.
const MAX_SHOWN: usize = 5;
/// The error of a blank line at the end of a file.
const BLANK_AT_EOF: &str = "new blank line at EOF";
/// The limit on the length of a printed line, in characters.
const WIDTH: usize = 2000;

/// The options for white space.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct WhitespaceOptions {
    /// Set the action for added lines with white-space errors [default: warn]
    ///
    /// git's apply.whitespace changes the default.
    #[arg(long, value_name = "ACTION", value_parser = ACTIONS.map(|(name, _)| name), help_heading = "Matching", hide_short_help = true)]
    whitespace: Option<String>,
    /// Treat all runs of blanks as equal
    #[arg(
        short = 'l',
        long,
        visible_alias = "ignore-space-change",
        overrides_with = "no_ignore_whitespace",
        help_heading = "Matching"
    )]
    ignore_whitespace: bool,
    /// Compare blanks exactly, even if git's apply.ignorewhitespace is set
    #[arg(
        long,
        alias = "no-ignore-space-change",
        overrides_with = "ignore_whitespace",
        help_heading = "Matching",
        hide_short_help = true
    )]
    no_ignore_whitespace: bool,
    /// Accept a last line without a newline even if the patch has one
    #[arg(long, help_heading = "Matching", hide_short_help = true)]
    pub(super) inaccurate_eof: bool,
}

impl WhitespaceOptions {
    /// Returns the action of `--whitespace`.
    pub(super) fn action(&self) -> Option<WhitespaceAction> {
        self.whitespace
            .as_deref()
            .and_then(|name| WhitespaceAction::from_name(name.as_bytes()))
    }

    /// Returns whether runs of blanks compare as equal; `None` if no option decides.
    pub(super) fn ignore_setting(&self) -> Option<bool> {
        (self.ignore_whitespace || self.no_ignore_whitespace).then_some(self.ignore_whitespace)
    }
}

/// Prints the lines with errors, each after its position and its error.
pub(super) fn print_lines(outcome: &Outcome, err: &mut dyn Write) -> io::Result<()> {
    // As in git, blank lines at the end of a file come last, because they are found only after the
    // hunks are placed.
    let lines = || whitespace_reports(outcome).flat_map(|whitespace| &whitespace.lines);
    let ends = lines().filter(|line| line.error == BLANK_AT_EOF);
    let most = if is_squelched(outcome) {
        MAX_SHOWN
    } else {
        usize::MAX
    };
    lines()
        .filter(|line| line.error != BLANK_AT_EOF)
        .chain(ends)
        .take(most)
        .try_for_each(|line| print_line(outcome, line, err))
}

fn print_line(outcome: &Outcome, line: &WhitespaceLine, err: &mut dyn Write) -> io::Result<()> {
    let Some(input) = outcome.inputs.get(line.source.input) else {
        return Ok(());
    };
    let name = if input.name == "-" {
        "<stdin>"
    } else {
        &input.name
    };
    writeln!(
        err,
        "{}:{}: {}.",
        printable(name.as_bytes()),
        line.source.line_start,
        line.error
    )?;
    if line.error == BLANK_AT_EOF {
        return writeln!(err, "+");
    }
    let text = without_ending_lf(line.source.text.slice(&input.bytes));
    let marker = usize::from(matches!(text, [b'+' | b'-' | b' ', ..]));
    writeln!(err, "{}", clip(&text[marker..], WIDTH))
}

/// Prints the number of lines with errors and the action. Prints nothing if the patch has another
/// error.
pub(super) fn print_totals(outcome: &Outcome, err: &mut dyn Write) -> io::Result<()> {
    let is_other = |problem: &Problem| {
        problem.severity == Severity::Error && *problem.code != code::WHITESPACE
    };
    let count = |counted: fn(&WhitespaceReport) -> usize| {
        whitespace_reports(outcome).map(counted).sum::<usize>()
    };
    let (errors, corrected) = (
        count(|whitespace| whitespace.errors),
        count(|whitespace| whitespace.corrected),
    );
    if outcome.problems.iter().any(is_other) || errors == 0 && corrected == 0 {
        return Ok(());
    }
    if is_squelched(outcome) && errors > MAX_SHOWN {
        let more = errors - MAX_SHOWN;
        writeln!(
            err,
            "warning: squelched {more} whitespace error{}",
            if more == 1 { "" } else { "s" }
        )?;
    }
    let add = |count| if count == 1 { "line adds" } else { "lines add" };
    if whitespace_reports(outcome).any(|whitespace| whitespace.action.starts_with("error")) {
        return writeln!(err, "error: {errors} {} whitespace errors.", add(errors));
    }
    if corrected > 0 && outcome.report.ok && outcome.report.command == "apply" {
        let lines = if corrected == 1 { "line" } else { "lines" };
        return writeln!(
            err,
            "warning: {corrected} {lines} applied after fixing whitespace errors."
        );
    }
    if errors > 0 {
        writeln!(err, "warning: {errors} {} whitespace errors.", add(errors))
    } else {
        Ok(())
    }
}

fn whitespace_reports(outcome: &Outcome) -> impl Iterator<Item = &WhitespaceReport> {
    outcome
        .report
        .files
        .iter()
        .filter_map(|file| file.whitespace.as_deref())
}

fn is_squelched(outcome: &Outcome) -> bool {
    whitespace_reports(outcome).all(|whitespace| whitespace.action != "error-all")
}

/// Removes the LF at the end of `line`. A CR stays, because it can be the error.
fn without_ending_lf(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}
