//! What GNU patch says: scripts look for these words.

use std::io::{self, Write};

use super::args::Options;
use crate::cli::output::complain_as;
use crate::engine::Outcome;
use crate::engine::options::{Problem, Severity, code, quote};
use crate::path::RelPath;
use crate::report::{FileReport, HunkReport, HunkStatus, Op};
use crate::text::{Position, printable};

/// What is said of one outcome.
pub(super) struct Telling<'o> {
    outcome: &'o Outcome,
    options: &'o Options,
}

impl<'o> Telling<'o> {
    pub(super) fn new(outcome: &'o Outcome, options: &'o Options) -> Self {
        Self { outcome, options }
    }

    /// Returns whether something was passed over because it has been applied already.
    pub(super) fn passes_over(&self) -> bool {
        self.outcome.problems.iter().any(|problem| *problem.code == code::ALREADY_APPLIED)
    }

    /// Prints it: what is done to standard output, what is wrong to standard error.
    ///
    /// # Errors
    ///
    /// Returns the error of standard output.
    pub(super) fn print(&self) -> io::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        for (index, file) in self.outcome.report.files.iter().enumerate() {
            self.file(index, file, &mut out)?;
        }
        out.flush()?;
        for problem in self.errors() {
            let name = problem.path.as_ref().map_or_else(String::new, |path| format!("{}: ", name(path)));
            complain_as("patch", &format!("{}{name}{}", self.stars(problem), problem.message));
        }
        if !self.outcome.report.ok && !self.outcome.report.files.is_empty() && self.outcome.report.exit_code != 5 {
            complain_as("patch", "no file was changed");
        }
        Ok(())
    }

    fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.outcome.problems.iter().filter(|problem| problem.severity == Severity::Error)
    }

    /// Says of a problem with the text of the patch where it is.
    fn stars(&self, problem: &Problem) -> String {
        let place = problem.place.filter(|_| problem.operation.is_none());
        let Some((input, span)) = place.and_then(|(input, span)| Some((self.outcome.inputs.get(input)?, span))) else {
            return String::new();
        };
        if *problem.code == code::NO_PATCH {
            return "**** Only garbage was found in the patch input: ".to_owned();
        }
        format!("**** malformed patch at line {}: ", Position::of(&input.bytes, span.start).line)
    }

    fn file(&self, index: usize, file: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        let problems = || self.outcome.problems.iter().filter(move |problem| problem.operation == Some(index));
        let has = |code: &crate::engine::options::Code| problems().any(|problem| problem.code == code);
        if has(&code::MISSING) {
            writeln!(out, "can't find file to patch: {}", name(&file.path))?;
            return writeln!(out, "No file to patch.  Skipping patch.");
        }
        if !self.options.quiet && !self.is_backup(file) {
            let verb = if self.options.dry_run { "checking" } else { "patching" };
            writeln!(out, "{verb} file {}", both_names(file))?;
        }
        if has(&code::EXISTS) {
            writeln!(out, "The next patch would create the file {},\nwhich already exists!", name(&file.path))?;
        }
        if has(&code::ALREADY_APPLIED) {
            let what = if self.options.reverse { "Unreversed" } else { "Reversed" };
            let then = if self.options.forward { "  Skipping patch." } else { "" };
            writeln!(out, "{what} (or previously applied) patch detected!{then}")?;
        }
        if has(&code::NOT_EMPTIED) {
            writeln!(out, "Not deleting file {} as content differs from patch", name(&file.path))?;
        }
        self.hunks(file, out)
    }

    fn hunks(&self, file: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        let (mut failed, mut passed, mut shift) = (0, 0, 0);
        for (index, hunk) in file.hunks.iter().enumerate() {
            match (&hunk.applied, hunk.status) {
                (Some(applied), _) => {
                    if let Some(line) = self.succeeded(index, hunk, stated(hunk) + shift) {
                        writeln!(out, "{line}")?;
                    }
                    shift += signed(applied.new_lines) - signed(applied.old_lines);
                }
                (None, HunkStatus::AlreadyApplied) if self.options.forward => passed += 1,
                (None, HunkStatus::Unplaced) => {}
                (None, _) => {
                    failed += 1;
                    writeln!(out, "Hunk #{} FAILED at {}.", index + 1, stated(hunk) + shift)?;
                }
            }
        }
        let many = if file.hunks.len() == 1 { "hunk" } else { "hunks" };
        if passed > 0 {
            writeln!(out, "{passed} out of {} {many} ignored", file.hunks.len())?;
        }
        if failed > 0 {
            writeln!(out, "{failed} out of {} {many} FAILED", file.hunks.len())?;
        }
        Ok(())
    }

    /// Says that a hunk which belongs at `line` fits.
    fn succeeded(&self, index: usize, hunk: &HunkReport, line: isize) -> Option<String> {
        let (offset, fuzz) = (hunk.offset.unwrap_or(0), hunk.fuzz.unwrap_or(0));
        let line = line + offset;
        let is_told = self.options.verbose || (!self.options.quiet && (offset != 0 || fuzz != 0));
        let fuzz = if fuzz == 0 { String::new() } else { format!(" with fuzz {fuzz}") };
        let lines = if offset.abs() == 1 { "line" } else { "lines" };
        let offset = if offset == 0 { String::new() } else { format!(" (offset {offset} {lines})") };
        is_told.then(|| format!("Hunk #{} succeeded at {line}{fuzz}{offset}.", index + 1))
    }

    /// Returns whether the file is the old one under another name.
    fn is_backup(&self, file: &FileReport) -> bool {
        let is_asked = self.options.backup || self.options.prefix.is_some() || self.options.basename_prefix.is_some();
        file.op == Op::Copy && file.hunks.is_empty() && is_asked
    }
}

/// Returns the first line that the hunk says is its own in the old file; where it has none there, the line behind.
fn stated(hunk: &HunkReport) -> isize {
    signed(hunk.patch.old_start.unwrap_or_default() + usize::from(hunk.patch.old_lines == 0))
}

fn signed(number: usize) -> isize {
    isize::try_from(number).unwrap_or(isize::MAX)
}

fn name(path: &RelPath) -> String {
    printable(&quote(path.as_bytes())).to_string()
}

fn both_names(file: &FileReport) -> String {
    let from = file.from.as_ref().map(name).unwrap_or_default();
    match file.op {
        Op::Rename => format!("{} (renamed from {from})", name(&file.path)),
        Op::Copy if file.hunks.is_empty() => format!("{} (copied from {from})", name(&file.path)),
        Op::Copy => format!("{} (read from {from})", name(&file.path)),
        _ => name(&file.path),
    }
}
