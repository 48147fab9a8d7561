//! The text format: one line for each file, and one for the whole change.

use std::fmt::Write as _;
use std::io;

use super::stat::{changes, result};
use super::{
    FileReport, FileStatus, Format, HunkReport, KeptFileReport, LeftOutReport, Op, Outcome,
    RecoveredReport, Report,
};
use crate::text::printable;

/// Lines for people. They do not include problems: these are printed with an excerpt of the patch,
/// which a report does not contain.
pub(super) struct Text;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        for recovered in report
            .transaction
            .iter()
            .flat_map(|transaction| &transaction.recovered)
        {
            print_recovered(recovered, out)?;
        }
        report
            .transaction
            .iter()
            .flat_map(|own| &own.kept)
            .try_for_each(|kept| print_kept(kept, out))?;
        for file in &report.files {
            print_file(file, out)?;
        }
        for line in report.omitted.lines() {
            writeln!(out, "{line}")?;
        }
        print_left_out(report, out)?;
        if let Some(result) = result(report) {
            writeln!(out, "{result}")?;
            if let Some(session) = report
                .session
                .as_ref()
                .filter(|_| report.command != "commit")
            {
                writeln!(
                    out,
                    "in the edit session {}; not in the tree yet",
                    session.id
                )?;
            }
            // A plan that applies in part is also saved.
            return report.saved.iter().try_for_each(|saved| {
                writeln!(out, "saved until {}: {}", saved.expires, saved.id)
            });
        }
        match report.outcome {
            Outcome::Described => writeln!(out, "{}", changes(report).trim_start()),
            Outcome::Recovered if report.transaction.is_none() => {
                writeln!(out, "nothing to recover")
            }
            Outcome::Recovered => Ok(()),
            Outcome::Initialized => {
                writeln!(out, "changes are now recorded here and can be undone")
            }
            Outcome::Cleaned => writeln!(out, "the history is within its limits"),
            Outcome::Rejected => writeln!(out, "the plan is rejected"),
            Outcome::Withdrawn => writeln!(out, "the plan can be approved again"),
            Outcome::Begun | Outcome::Aborted => print_session(report, out),
            Outcome::Incomplete => writeln!(out, "partly rolled back"),
            _ => writeln!(out, "nothing applied"),
        }
    }
}

/// Prints the edit session that was begun or aborted.
fn print_session(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let action = if report.outcome == Outcome::Begun {
        "began"
    } else {
        "aborted"
    };
    report
        .session
        .iter()
        .try_for_each(|session| writeln!(out, "{action} the edit session {}", session.id))
}

fn print_recovered(recovered: &RecoveredReport, out: &mut dyn io::Write) -> io::Result<()> {
    let what = match recovered.ending {
        "committed" => "was committed; its scratch files were removed",
        "waiting" => {
            "was committed; its previous files will be recorded when the history is accessible"
        }
        "rolled_back" if !recovered.left.is_empty() => "was interrupted; partly rolled back",
        "rolled_back" => "was interrupted; rolled back",
        "kept" => "was partly rolled back",
        _ => "had not started; its scratch files were removed",
    };
    writeln!(
        out,
        "transaction {} {what}",
        printable(recovered.id.as_bytes())
    )?;
    for path in &recovered.left {
        writeln!(
            out,
            "  not restored, because another process changed it: {}",
            printable(path.as_bytes())
        )?;
    }
    recovered
        .kept
        .iter()
        .try_for_each(|kept| print_kept(kept, out))
}

/// Prints the location of the previous version of a file.
pub(super) fn print_kept(
    KeptFileReport { path, copy }: &KeptFileReport,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let of = path.as_ref().map_or_else(String::new, |path| {
        format!(" of {}", printable(path.as_bytes()))
    });
    writeln!(
        out,
        "  previous version{of} saved as {}",
        printable(copy.as_bytes())
    )
}

/// Returns the operation on a file in one line.
pub(super) fn line(file: &FileReport) -> String {
    let mut line = format!("{:<6} ", file.op);
    if let (Some(from), Op::Rename | Op::Copy) = (&file.from, file.op) {
        let _ = write!(line, "{from} => ");
    }
    let _ = write!(line, "{}", file.path);
    if file.added + file.removed > 0 {
        let _ = write!(line, " +{} -{}", file.added, file.removed);
    }
    if let (true, Some(old), Some(new)) = (file.is_mode_change(), &file.mode.old, &file.mode.new) {
        let _ = write!(line, " mode {old} => {new}");
    }
    line
}

/// Prints what was not selected, and the reasons of a reviewer.
fn print_left_out(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for LeftOutReport { id, path } in &report.left_out {
        writeln!(out, "skipped {id} {}", printable(path.as_bytes()))?;
    }
    let decisions = report.decisions.iter();
    for (id, reason) in decisions.flat_map(|decisions| decisions.reasons()) {
        writeln!(out, "reason for {id}: {}", printable(reason.as_bytes()))?;
    }
    Ok(())
}

fn print_file(file: &FileReport, out: &mut dyn io::Write) -> io::Result<()> {
    write!(out, "{}", line(file))?;
    match file.status {
        FileStatus::Ok => writeln!(out)?,
        FileStatus::Partial => print_rejects(file, out)?,
        status => writeln!(out, ": {status}")?,
    }
    file.hunks
        .iter()
        .enumerate()
        .try_for_each(|(index, hunk)| print_moved_hunk(index, hunk, out))
}

/// Prints the number of rejected hunks of a file, and their location.
fn print_rejects(file: &FileReport, out: &mut dyn io::Write) -> io::Result<()> {
    let Some(rejects) = &file.rejects else {
        return writeln!(out);
    };
    let count = rejects.count;
    let hunks = if count == 1 { "hunk" } else { "hunks" };
    write!(out, ", {count} {hunks} rejected")?;
    match &rejects.path {
        Some(path) => writeln!(out, " to {}", printable(path.as_bytes())),
        None => writeln!(out),
    }
}

/// Prints the position of a hunk with an offset or fuzz.
fn print_moved_hunk(index: usize, hunk: &HunkReport, out: &mut dyn io::Write) -> io::Result<()> {
    let (offset, fuzz) = (hunk.offset.unwrap_or(0), hunk.fuzz.unwrap_or(0));
    let Some(applied) = hunk.applied.as_ref().filter(|_| offset != 0 || fuzz != 0) else {
        return Ok(());
    };
    write!(out, "  hunk {} at line {}", index + 1, applied.old_start)?;
    if offset != 0 {
        write!(out, ", offset {offset:+}")?;
    }
    if fuzz != 0 {
        write!(out, ", fuzz {fuzz}")?;
    }
    if hunk.candidates.len() > 1 {
        let lines: Vec<_> = hunk
            .candidates
            .iter()
            .map(|candidate| candidate.line.to_string())
            .collect();
        write!(out, ", matches at lines {}", lines.join(", "))?;
    }
    writeln!(out)
}
