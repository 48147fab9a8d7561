//! The head of a page: the outcome for the whole change.

use super::markup::Markup;
use super::{Page, badge, decide, problem};
use crate::path::absolute_file_name;
use crate::policy::Verdict;
use crate::preflight::code;
use crate::report::{FileReport, FileStatus, Omitted, Outcome, ProblemReport, Report, Summary};

/// The maximum number of failed files that the head names.
const MAX_NAMED_FILES: usize = 20;

/// Adds the head of the page.
pub(super) fn add_summary(page: &Page<'_>, out: &mut Markup) {
    let report = page.report;
    let Summary {
        files,
        added,
        removed,
        ..
    } = report.summary;
    open_header(
        (tone(report), outcome_title(report)),
        files,
        (added, removed),
        out,
    );
    add_facts(report, page.approval, out);
    add_repairs(report, out);
    let others =
        |problem: &&ProblemReport| problem.file.is_none() && problem.code != code::REPAIRED.name;
    for problem in report.problems.iter().filter(others) {
        problem::add_problem(problem, out);
    }
    let is_failed = |file: &FileReport| {
        !matches!(
            file.status,
            FileStatus::Ok | FileStatus::NoChange | FileStatus::Partial
        )
    };
    add_named(
        report,
        (badge::tone::BAD, "Does not apply:"),
        &is_failed,
        out,
    );
    let is_partial = |file: &FileReport| file.status == FileStatus::Partial;
    add_named(
        report,
        (badge::tone::ASK, in_part(report)),
        &is_partial,
        out,
    );
    // The list of failed files already counts the omitted files.
    for line in (Omitted {
        files: 0,
        ..report.omitted
    })
    .lines()
    {
        out.raw("<p class=\"word ")
            .raw(badge::tone::ASK)
            .raw("\">")
            .text(&line)
            .raw("</p>\n");
    }
    decide::add_head(page, out);
    out.raw("</header>\n");
}

/// Opens the head: the outcome, the number of files, and the line counts.
pub(super) fn open_header(
    (tone, ending): (&'static str, &'static str),
    files: usize,
    (added, removed): (usize, usize),
    out: &mut Markup,
) {
    out.raw("<header>\n<h1><span class=\"badge outcome ")
        .raw(tone)
        .raw("\">")
        .raw(ending)
        .raw("</span> ");
    out.count(files, "file").raw(" ");
    out.counts(added, removed);
    out.raw("</h1>\n");
}

/// Returns the title of the list of files of which some hunks were rejected.
fn in_part(report: &Report) -> &'static str {
    if report.outcome == Outcome::Partial {
        "Applied in part:"
    } else {
        "Applies in part:"
    }
}

/// Adds a list of the files that `is_named` selects, with their status. Omitted files do not apply.
fn add_named(
    report: &Report,
    (tone, title): (&'static str, &'static str),
    is_named: &dyn Fn(&FileReport) -> bool,
    out: &mut Markup,
) {
    let named = || report.files.iter().filter(|file| is_named(file));
    let count = named().count();
    if count == 0 {
        return;
    }
    out.raw("<p class=\"word ")
        .raw(tone)
        .raw("\"><strong>")
        .raw(title)
        .raw("</strong>");
    for (index, file) in named().take(MAX_NAMED_FILES).enumerate() {
        out.raw(if index > 0 { ", " } else { " " })
            .raw("<a href=\"#")
            .value(&file.id)
            .raw("\">");
        out.path(file.path.as_bytes());
        out.raw("</a> (");
        badge::add_status(file, out);
        out.raw(")");
    }
    let omitted = if tone == badge::tone::BAD {
        report.omitted.files
    } else {
        0
    };
    let more = count.saturating_sub(MAX_NAMED_FILES) + omitted;
    if more > 0 {
        out.raw(", and ").count(more, "more file");
    }
    out.raw("</p>\n");
}

fn tone(report: &Report) -> &'static str {
    match (report.ok, report.policy.verdict) {
        (true, Verdict::Ask) => badge::tone::ASK,
        (true, _) => badge::tone::GOOD,
        (false, _) => badge::tone::BAD,
    }
}

/// Returns the heading of the page.
pub(super) fn outcome_title(report: &Report) -> &'static str {
    match report.outcome {
        Outcome::WouldApply if report.policy.verdict == Verdict::Ask => "Applies if approved",
        Outcome::WouldApply => "Applies",
        Outcome::Applied => "Applied",
        Outcome::WouldBePartial => "Applies in part",
        Outcome::Partial => "Applied in part",
        Outcome::DoesNotApply => "Does not apply",
        Outcome::Malformed => "Malformed patch",
        Outcome::Refused => "Refused",
        Outcome::Usage => "Invalid command line",
        Outcome::Failed => "Failed",
        Outcome::Incomplete => "Partly rolled back",
        Outcome::Locked => "Locked by another process",
        Outcome::Interrupted => "Interrupted",
        Outcome::Recovered => "Recovered",
        Outcome::Initialized => "Initialized",
        Outcome::Cleaned => "Cleaned up",
        Outcome::Rejected => "Rejected",
        Outcome::Withdrawn => "Rejection withdrawn",
        Outcome::Begun => "Edit session begun",
        Outcome::Aborted => "Edit session aborted",
        Outcome::Described => "Described",
    }
}

fn add_facts(report: &Report, approval: Option<&str>, out: &mut Markup) {
    out.raw("<dl class=\"facts\">\n");
    if let Some(plan_id) = &report.plan_id {
        out.raw("<dt>Plan</dt><dd><code class=\"copy\">")
            .text(plan_id)
            .raw("</code></dd>\n");
    }
    if let Some(approval) = approval {
        out.raw("<dt>To approve</dt><dd><code class=\"copy command\" dir=\"ltr\">")
            .text(approval)
            .raw("</code>");
        if report.inputs.iter().any(|input| input.name == "-") {
            out.raw(" with the same input");
        }
        out.raw("</dd>\n");
    }
    for input in &report.inputs {
        out.raw("<dt>Patch</dt><dd>")
            .code(without_directories(&input.name))
            .raw(" ");
        if let Some(format) = &input.format {
            out.text(format).raw(", ");
        }
        out.count(input.bytes, "byte");
        if let Some(digest) = &input.sha256 {
            out.raw("<br><code class=\"digest\">")
                .text(digest)
                .raw("</code>");
        }
        out.raw("</dd>\n");
    }
    out.raw("<dt>Policy</dt><dd><span class=\"badge ")
        .raw(badge::verdict_tone(report.policy.verdict))
        .raw("\">");
    out.text(report.policy.verdict.to_string()).raw("</span>");
    for rule in &report.policy.rules_hit {
        out.raw(" ").code(rule);
    }
    if let Some(source) = &report.policy.source {
        out.raw(" in ").code(source);
    }
    out.raw("</dd>\n<dt>Changes</dt><dd>");
    add_counts(&report.summary, out);
    out.raw("</dd>\n</dl>\n");
}

/// Returns the name of a patch, without the directories of an absolute path: the reader can be on
/// another machine.
fn without_directories(name: &str) -> &str {
    absolute_file_name(name)
}

fn add_counts(summary: &Summary, out: &mut Markup) {
    let counted = [
        (summary.creates, "created"),
        (summary.modifies, "modified"),
        (summary.deletes, "deleted"),
        (summary.renames, "renamed"),
        (summary.copies, "copied"),
        (summary.mode_changes, "with a mode change"),
        (summary.binary, "binary"),
    ];
    out.count(summary.hunks, "hunk");
    for (count, word) in counted.into_iter().filter(|(count, _)| *count > 0) {
        out.raw(", ").number(count).raw(" ").raw(word);
    }
    if summary.hunks_offset > 0 {
        out.raw("; ")
            .count(summary.hunks_offset, "hunk")
            .raw(" with an offset");
    }
    if summary.hunks_fuzzy > 0 {
        out.raw("; ")
            .count(summary.hunks_fuzzy, "hunk")
            .raw(" with fuzz");
    }
}

fn add_repairs(report: &Report, out: &mut Markup) {
    if report.inputs.iter().all(|input| input.repairs.is_empty()) {
        return;
    }
    out.raw("<section class=\"word ask\"><h2>Repairs of the patch</h2>\n<ul>\n");
    for repair in report.inputs.iter().flat_map(|input| &input.repairs) {
        out.raw("<li><code>")
            .raw(repair.code)
            .raw("</code> in line ")
            .number(repair.line)
            .raw(": ")
            .text(&repair.message);
        out.raw("</li>\n");
    }
    out.raw("</ul></section>\n");
}
