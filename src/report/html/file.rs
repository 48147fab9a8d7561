//! The section of one file: the operation, the policy's verdict, the problems and the hunks.

use super::decide::{DecisionIds, FileChoices};
use super::index::ProblemIndex;
use super::lines::{self, CarriageReturns, FileContext};
use super::markup::Markup;
use super::page_budget::PageBudget;
use super::tree::{Badge, Leaf};
use super::{FilePreview, badge, image, place, problem};
use crate::path::RelPath;
use crate::policy::Verdict;
use crate::preflight::{Severity, code};
use crate::report::shown::hunks_of_patch;
use crate::report::{FileReport, FileStatus, FileType, Op, ProblemReport, syntax_colors};
use crate::syntax::write::{DiffHunk, hunks};
use crate::text::has_hidden_characters;

/// Returns the tree entry of a file.
pub(super) fn leaf(file: &FileReport) -> Leaf<'_> {
    let FileReport {
        op, added, removed, ..
    } = *file;
    Leaf {
        id: &file.id,
        path: file.path.as_bytes(),
        op,
        added,
        removed,
        tone: tone(file),
    }
}

fn tone(file: &FileReport) -> Option<Badge> {
    match file.status {
        _ if badge::is_denied(file) => Some(Badge {
            class: badge::tone::BAD,
            word: "denied",
        }),
        FileStatus::Ok if file.verdict == Verdict::Ask => Some(Badge {
            class: badge::tone::ASK,
            word: "ask",
        }),
        FileStatus::Ok | FileStatus::NoChange => None,
        FileStatus::Partial => Some(Badge {
            class: badge::tone::ASK,
            word: "in part",
        }),
        _ => Some(Badge {
            class: badge::tone::BAD,
            word: "fails",
        }),
    }
}

/// Adds the section of a file.
pub(super) fn add_file(
    told: &ProblemIndex<'_>,
    (file, exhibit): (&FileReport, &FilePreview),
    ids: Option<&mut DecisionIds>,
    room: &mut PageBudget,
    out: &mut Markup,
) {
    let diff = exhibit.diff.as_deref().map(hunks).unwrap_or_default();
    let from = file
        .from
        .as_ref()
        .filter(|_| matches!(file.op, Op::Rename | Op::Copy));
    open(
        &file.id,
        (from.map(RelPath::as_bytes), file.path.as_bytes()),
        out,
    );
    badge::add_file_badges(file, out);
    badge::add_repairs(told.repairs(&file.id), out);
    close_summary(
        &diff,
        (file.added, file.removed),
        find_reason(told, file),
        out,
    );
    add_notes(told, file, out);
    room.last_patch_line = 0;
    let mut choices = ids.map_or_else(FileChoices::default, |ids| {
        FileChoices::open(file, exhibit.selectable_hunks, ids, out)
    });
    add_body(told, file, (exhibit, &diff), (room, &mut choices), out);
    choices.add_others(file, out);
    out.raw("</details>\n");
}

/// Opens the section of a file, up to its badges.
pub(super) fn open(id: &str, (from, path): (Option<&[u8]>, &[u8]), out: &mut Markup) {
    out.raw("<details class=\"file\" id=\"")
        .value(id)
        .raw("\" open>\n<summary><h3>");
    if let Some(from) = from {
        out.raw("<span class=\"from\">");
        out.path(from);
        out.raw("</span> <span class=\"arrow\" role=\"img\" aria-label=\"to\">\u{2192}</span> ");
    }
    out.path(path);
    out.raw("</h3>\n<span class=\"badges\">");
}

/// The reason why a file does not apply or needs approval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reason<'a> {
    tone: &'static str,
    message: &'a str,
    /// The number of further problems.
    more: usize,
}

/// Returns the first reason why a file does not apply, or else the reason of the policy's verdict.
/// The problems of the file precede those of its hunks.
fn find_reason<'r>(told: &'r ProblemIndex<'_>, file: &'r FileReport) -> Option<Reason<'r>> {
    let hunks = file.hunks.iter().flat_map(|hunk| told.problems(&hunk.id));
    let problems = told.problems(&file.id).iter().chain(hunks);
    let mut errors = problems.filter(|problem| problem.severity != Severity::Warning);
    let error = errors.next().map(|first| Reason {
        tone: "reason bad",
        message: &first.message,
        more: errors.count(),
    });
    let verdict = || {
        let message = file.reason.as_deref()?;
        Some(Reason {
            tone: if badge::is_denied(file) {
                "reason bad"
            } else {
                "reason ask"
            },
            message,
            more: 0,
        })
    };
    error.or_else(verdict)
}

/// Adds the line counts after the badges, and the reason, and closes the summary line.
pub(super) fn close_summary(
    diff: &[DiffHunk<'_>],
    (added, removed): (usize, usize),
    reason: Option<Reason<'_>>,
    out: &mut Markup,
) {
    if adds_hidden_characters(diff) {
        badge::add_badge(badge::tone::ASK, "invisible characters", out);
    }
    out.counts(added, removed);
    out.raw("</span>");
    if let Some(reason) = reason {
        out.raw("\n<span class=\"")
            .raw(reason.tone)
            .raw("\">")
            .text(reason.message);
        if reason.more > 0 {
            out.raw(", and ").count(reason.more, "more problem");
        }
        out.raw("</span>");
    }
    out.raw("</summary>\n");
}

/// Returns whether an inserted line contains invisible characters or characters that reorder
/// others.
fn adds_hidden_characters(diff: &[DiffHunk<'_>]) -> bool {
    let mut lines = diff.iter().flat_map(|hunk| &hunk.lines);
    lines.any(|line| line.strip_prefix(b"+").is_some_and(has_hidden_characters))
}

/// Adds the policy rules that match the file, and its problems.
fn add_notes(told: &ProblemIndex<'_>, file: &FileReport, out: &mut Markup) {
    if let Some(named) = &file.header_path {
        out.raw("<p class=\"word\">Name in the patch: ")
            .code(named)
            .raw(".</p>\n");
    }
    for hit in &file.policy {
        out.raw("<p class=\"word ")
            .raw(badge::verdict_tone(hit.verdict))
            .raw("\"><strong>")
            .raw(match hit.verdict {
                Verdict::Deny => "Denied",
                Verdict::Ask => "Needs approval",
                Verdict::Allow => "Allowed",
            });
        out.raw("</strong> by the rule ").code(&hit.rule);
        if let Some(pattern) = &hit.pattern {
            out.raw(" for ").code(pattern);
        }
        if let Some(source) = &hit.source {
            out.raw(" in ").code(source);
        }
        out.raw(": ").text(&hit.message).raw("</p>\n");
    }
    // The policy rules above already state the same reason.
    let is_new =
        |problem: &ProblemReport| file.policy.is_empty() || problem.code != code::CLOSED.name;
    let problems = told.problems(&file.id).iter();
    // The summary line has the message of the first error.
    let mut is_stated = false;
    for problem in problems.filter(|problem| is_new(problem)) {
        if problem.severity == Severity::Warning || is_stated {
            problem::add_problem(problem, out);
        } else {
            is_stated = true;
            problem::add_details(problem, out);
        }
    }
}

fn add_body(
    told: &ProblemIndex<'_>,
    file: &FileReport,
    (exhibit, diff): (&FilePreview, &[DiffHunk<'_>]),
    (room, choices): (&mut PageBudget, &mut FileChoices),
    out: &mut Markup,
) {
    let is_binary = [&file.before, &file.after]
        .into_iter()
        .flatten()
        .any(|side| side.encoding == "binary");
    if is_binary || file.file_type == FileType::Binary {
        image::add_sides(file, exhibit, out);
    }
    let mut left = 0;
    let subject = file_context(file);
    if !diff.is_empty() {
        left += add_hunks(file, diff, subject, (room, choices), out);
    } else if !file.hunks.is_empty() {
        for hunk in &file.hunks {
            left += place::add_stated(told, hunk, subject, room, out);
        }
    } else if exhibit.diff.is_none() && file.status != FileStatus::Ok {
        left += place::add_section(told, exhibit, subject, room, out);
    } else if file.file_type == FileType::Text && !is_binary {
        out.raw("<p class=\"word\">No line changes.</p>\n");
    }
    if file.diff_truncated {
        out.raw(
            "<p class=\"word ask\">The change exceeds the limit of one file on a page; its end is not shown.</p>\n",
        );
    }
    add_full_note(left, out);
}

/// Adds a note that `left` lines of a file are not shown.
pub(super) fn add_full_note(left: usize, out: &mut Markup) {
    if left > 0 {
        out.raw("<p class=\"word ask\">The page has reached its size limit: ")
            .count(left, "more line")
            .raw(" of this file not shown.</p>\n");
    }
}

fn file_context(file: &FileReport) -> FileContext<'_> {
    let is_dropped = [&file.before, &file.after]
        .into_iter()
        .flatten()
        .all(|side| side.eol == "crlf");
    FileContext {
        id: &file.id,
        language: syntax_colors::language(file.path.as_bytes()),
        returns: if is_dropped {
            CarriageReturns::Dropped
        } else {
            CarriageReturns::Shown
        },
    }
}

/// Adds the hunks of a diff. Each has the notes of the hunks of the patch that were applied there.
fn add_hunks(
    file: &FileReport,
    diff: &[DiffHunk<'_>],
    subject: FileContext<'_>,
    (room, choices): (&mut PageBudget, &mut FileChoices),
    out: &mut Markup,
) -> usize {
    let mut left = 0;
    for (hunk, here) in diff.iter().zip(hunks_of_patch(file, diff)) {
        place::add_heading(hunk, &here, out);
        for report in here {
            choices.add_hunk(&file.id, report.index, out);
        }
        left += lines::add_hunk(subject, hunk, room, out);
    }
    left
}
