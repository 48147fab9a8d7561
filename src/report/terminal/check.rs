//! Prints the summary of a check: the files, the hunks off their stated line, the policy, the
//! totals, and the command that approves the plan.

use std::io;

use anstyle::{AnsiColor, Style};

use super::{ADDED, NOTE, REFUSED, escape, hunk_notes, print_operation};
use crate::policy::Verdict;
use crate::report::stat::changes;
use crate::report::{FileReport, FileStatus, Outcome, Report, RuleHit};

/// The limit on the number of listed files.
const MAX_FILES: usize = 15;
/// The limits on the numbers of listed hunks and of listed rules of one file.
const MAX_HUNKS: usize = 5;
const MAX_RULES: usize = 3;
const APPROVAL: Style = AnsiColor::Yellow.on_default().bold();

/// Prints what a check found. `approve` is the command that approves and applies the plan. Prints
/// nothing if the patch has no file that the check compared, because the problems state the reason.
///
/// # Security
///
/// All bytes of patches, paths and files that can affect a terminal are escaped.
///
/// # Errors
///
/// Returns an error of `out`.
pub fn print_check(
    report: &Report,
    approve: Option<&str>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    if report.files.is_empty() {
        return Ok(());
    }
    let listed = select_files(&report.files);
    for &file in &listed {
        print_file(file, out)?;
    }
    print_more(
        report.files.len() + report.omitted.files - listed.len(),
        "file",
        "",
        out,
    )?;
    print_totals(report, out)?;
    print_approval(report, approve, out)
}

/// Returns the files to list, in order. Files that policy does not allow or that do not apply
/// displace others.
fn select_files(files: &[FileReport]) -> Vec<&FileReport> {
    let is_notable = |file: &FileReport| {
        file.verdict != Verdict::Allow || !matches!(file.status, FileStatus::Ok)
    };
    let notable = files.iter().filter(|file| is_notable(file)).count();
    // The remaining numbers of notable files and of other files.
    let mut room = [notable.min(MAX_FILES), MAX_FILES.saturating_sub(notable)];
    files
        .iter()
        .filter(|file| {
            let room = &mut room[usize::from(!is_notable(file))];
            let is_listed = *room > 0;
            *room = room.saturating_sub(1);
            is_listed
        })
        .collect()
}

fn print_file(file: &FileReport, out: &mut dyn io::Write) -> io::Result<()> {
    print_operation(file, out)?;
    let mut moved = file
        .hunks
        .iter()
        .map(|hunk| (hunk, hunk_notes(hunk)))
        .filter(|(_, notes)| !notes.is_empty());
    for (hunk, notes) in moved.by_ref().take(MAX_HUNKS) {
        writeln!(out, "  {NOTE}{}: {}{NOTE:#}", hunk.id, notes.join(", "))?;
    }
    // The counts can include the same hunk.
    let (with_offset, fuzzy) = file.omitted_moves;
    let more = moved.count() + with_offset.max(fuzzy);
    print_more(more, "hunk", "  ", out)?;
    for hit in file.policy.iter().take(MAX_RULES) {
        print_rule(hit, out)?;
    }
    let more = file.policy.len().saturating_sub(MAX_RULES);
    print_more(more, "rule", "  ", out)
}

fn print_rule(hit: &RuleHit, out: &mut dyn io::Write) -> io::Result<()> {
    let (style, verdict) = match hit.verdict {
        Verdict::Deny => (REFUSED, "denied"),
        Verdict::Ask | Verdict::Allow => (APPROVAL, "needs approval"),
    };
    writeln!(
        out,
        "  {style}{verdict}{style:#}: {} (rule `{}`)",
        escape(&hit.message),
        escape(&hit.rule)
    )
}

/// Prints the number of entries that are not listed, if there are any.
fn print_more(count: usize, noun: &str, indent: &str, out: &mut dyn io::Write) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    let more = format_count(count, &format!("more {noun}"));
    writeln!(out, "{indent}{NOTE}and {more}{NOTE:#}")
}

fn print_totals(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let outcome = report.outcome.name().replace('_', " ");
    if !report.ok && !matches!(report.outcome, Outcome::WouldBePartial) {
        let omitted = report.omitted.files;
        let failed = report
            .files
            .iter()
            .filter(|file| file.is_rejected())
            .count()
            + omitted;
        let all = report.files.len() + omitted;
        let all = format_count(all, "file");
        return writeln!(out, "{REFUSED}{outcome}{REFUSED:#}: {failed} of {all}");
    }
    let style = if report.ok { ADDED } else { REFUSED };
    write!(out, "{style}{outcome}{style:#}:{}", changes(report))?;
    let summary = &report.summary;
    if summary.hunks > 0 {
        write!(out, ", {}", format_count(summary.hunks, "hunk"))?;
    }
    writeln!(out)?;
    let moved = [
        (summary.hunks_offset, "with an offset"),
        (summary.hunks_fuzzy, "with fuzz"),
    ];
    let moved: Vec<_> = moved
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, how)| format!("{} {how}", format_count(*count, "hunk")))
        .collect();
    if moved.is_empty() {
        return Ok(());
    }
    writeln!(out, "{NOTE}{}{NOTE:#}", moved.join(", "))
}

fn format_count(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Prints the `plan_id`, and the command to approve the plan if it needs approval.
fn print_approval(
    report: &Report,
    approve: Option<&str>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let Some(id) = report.plan_id.as_ref().filter(|_| report.ok) else {
        return Ok(());
    };
    writeln!(out, "{NOTE}plan_id{NOTE:#} {id}")?;
    if report.policy.verdict != Verdict::Ask {
        return Ok(());
    }
    let asking = report
        .files
        .iter()
        .filter(|file| file.verdict == Verdict::Ask)
        .count();
    let files = if asking == 1 {
        "file needs"
    } else {
        "files need"
    };
    match approve {
        Some(command) => writeln!(
            out,
            "{asking} {files} approval. To approve this change and apply it:\n  {command}"
        ),
        None => writeln!(
            out,
            "{asking} {files} approval: give the plan_id to `wpatch apply --approve`"
        ),
    }
}
