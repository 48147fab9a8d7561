//! The badges of files and hunks: short notes for reviewers.

use super::markup::Markup;
use crate::policy::Verdict;
use crate::preflight::ProblemKind;
use crate::report::{FileReport, FileStatus, FileType, HunkReport, HunkStatus, Op};

/// The tones of badges, as CSS classes.
pub(super) mod tone {
    /// No objection.
    pub(in super::super) const GOOD: &str = "good";
    /// For information.
    pub(in super::super) const PLAIN: &str = "plain";
    /// Needs attention.
    pub(in super::super) const ASK: &str = "ask";
    /// An error or a refusal.
    pub(in super::super) const BAD: &str = "bad";
}

/// The words for a hunk whose preimage is not in the file.
const DOES_NOT_APPLY: &str = "hunk does not apply";

/// Opens a badge. The caller must close it with [`close`].
pub(super) fn open(tone: &'static str, out: &mut Markup) {
    out.raw("<span class=\"badge ").raw(tone).raw("\">");
}

/// Closes a badge.
pub(super) fn close(out: &mut Markup) {
    out.raw("</span>\n");
}

/// Adds a badge with the text `word`.
pub(super) fn add_badge(tone: &'static str, word: &'static str, out: &mut Markup) {
    open(tone, out);
    out.raw(word);
    close(out);
}

/// Returns the tone of a verdict.
pub(super) fn verdict_tone(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Deny => tone::BAD,
        Verdict::Ask => tone::ASK,
        Verdict::Allow => tone::GOOD,
    }
}

/// Returns the letter of an operation, as git prints it, and its CSS class.
pub(super) fn letter(op: Op) -> (&'static str, &'static str) {
    match op {
        Op::Create => ("A", "create"),
        Op::Modify => ("M", "modify"),
        Op::Delete => ("D", "delete"),
        Op::Rename => ("R", "rename"),
        Op::Copy => ("C", "copy-op"),
        Op::Mode => ("X", "mode"),
    }
}

/// Adds the badge of an operation.
pub(super) fn add_op(op: Op, out: &mut Markup) {
    out.raw("<span class=\"badge op ")
        .raw(letter(op).1)
        .raw("\">")
        .text(op.to_string())
        .raw("</span>\n");
}

/// Adds the badges of a file.
pub(super) fn add_file_badges(file: &FileReport, out: &mut Markup) {
    add_op(file.op, out);
    match file.file_type {
        FileType::Text => {}
        FileType::Binary => add_badge(tone::PLAIN, "binary", out),
        FileType::Symlink => add_badge(tone::ASK, "symbolic link", out),
        FileType::Submodule => add_badge(tone::ASK, "submodule", out),
    }
    add_mode(file, out);
    add_content_changes(file, out);
    if let Some(names) = file.hardlinks {
        open(tone::ASK, out);
        out.number(usize::try_from(names).unwrap_or(usize::MAX))
            .raw(" hard links, the others are unchanged");
        close(out);
    }
    if file.recovered {
        add_badge(tone::ASK, "line numbers of an earlier version", out);
    }
    if file.status != FileStatus::Ok && !is_denied(file) {
        let tone = if file.status == FileStatus::NoChange {
            tone::PLAIN
        } else {
            tone::BAD
        };
        open(tone, out);
        add_status(file, out);
        close(out);
    }
    match file.verdict {
        Verdict::Deny => add_badge(tone::BAD, "denied by policy", out),
        Verdict::Ask => add_badge(tone::ASK, "needs approval", out),
        Verdict::Allow => {}
    }
}

/// Adds the status of a file in words.
pub(super) fn add_status(file: &FileReport, out: &mut Markup) {
    let is_missing = |hunk: &HunkReport| hunk.status == HunkStatus::NotFound;
    if file.status == FileStatus::Failed(ProblemKind::NotFound) && file.hunks.iter().any(is_missing)
    {
        out.raw(DOES_NOT_APPLY);
    } else {
        out.text(file.status.to_string().replace('_', " "));
    }
}

/// Adds a badge for each repair of a file.
pub(super) fn add_repairs(codes: impl Iterator<Item = &'static str>, out: &mut Markup) {
    for code in codes {
        open(tone::ASK, out);
        out.raw("repaired: ").raw(code);
        close(out);
    }
}

/// Returns whether policy denies the change of the file.
pub(super) fn is_denied(file: &FileReport) -> bool {
    file.verdict == Verdict::Deny
}

fn add_mode(file: &FileReport, out: &mut Markup) {
    match (&file.mode.old, &file.mode.new) {
        (Some(old), Some(new)) if old != new => add_change("mode", [old, new], out),
        (None, Some(new)) if file.op == Op::Create && *new == "100755" => {
            add_badge(tone::ASK, "executable", out);
        }
        _ => {}
    }
}

/// Adds a badge with the old and the new value of a property.
pub(super) fn add_change(name: &'static str, [old, new]: [&str; 2], out: &mut Markup) {
    open(tone::ASK, out);
    out.raw(name).raw(" ").text(old).raw(" \u{2192} ").text(new);
    close(out);
}

fn add_content_changes(file: &FileReport, out: &mut Markup) {
    let (Some(before), Some(after)) = (&file.before, &file.after) else {
        return;
    };
    if before.eol != after.eol && before.eol != "none" && after.eol != "none" {
        add_change("line ends", [before.eol, after.eol], out);
    }
    if before.bom != after.bom {
        add_badge(
            tone::ASK,
            if after.bom.is_some() {
                "gets a byte order mark"
            } else {
                "loses its byte order mark"
            },
            out,
        );
    }
    if before.encoding != after.encoding {
        add_change("encoding", [before.encoding, after.encoding], out);
    }
}

/// Adds the badges of a hunk.
pub(super) fn add_hunk_badges(hunk: &HunkReport, out: &mut Markup) {
    let offset = hunk.offset.unwrap_or(0);
    if offset != 0 {
        open(tone::ASK, out);
        out.raw(if offset > 0 {
            "offset +"
        } else {
            "offset \u{2212}"
        });
        out.count(offset.unsigned_abs(), "line");
        close(out);
    }
    if let Some(fuzz) = hunk.fuzz.filter(|&fuzz| fuzz > 0) {
        open(tone::ASK, out);
        out.raw("fuzz ").number(fuzz);
        close(out);
    }
    if let Some(rung) = hunk.rung.filter(|rung| *rung != "exact") {
        open(tone::ASK, out);
        out.raw("matched by ").raw(rung);
        close(out);
    }
    match hunk.status {
        HunkStatus::Clean | HunkStatus::Offset | HunkStatus::Fuzzy => {}
        HunkStatus::Unplaced => add_badge(tone::PLAIN, "not searched", out),
        HunkStatus::NotFound => add_badge(tone::BAD, DOES_NOT_APPLY, out),
        HunkStatus::Ambiguous => add_badge(tone::BAD, "several matches", out),
        HunkStatus::Overlap => add_badge(tone::BAD, "overlaps another hunk", out),
        HunkStatus::AlreadyApplied => add_badge(tone::BAD, "already applied", out),
        HunkStatus::Merged => add_badge(tone::PLAIN, "merged", out),
        HunkStatus::Conflict => add_badge(tone::BAD, "conflict", out),
        HunkStatus::TooLarge => add_badge(tone::BAD, "too large", out),
        HunkStatus::Exists => add_badge(tone::BAD, "the file is not empty", out),
        HunkStatus::Unsupported => add_badge(tone::BAD, "the place is unknown", out),
    }
}
