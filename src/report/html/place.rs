//! The placements of hunks, and the reasons why hunks have none.

use super::index::ProblemIndex;
use super::lines::{self, FileContext, LineSigns};
use super::markup::Markup;
use super::page_budget::PageBudget;
use super::{FilePreview, badge, problem};
use crate::report::{AppliedLines, FirstDifference, HunkReport, NearestPlace};
use crate::syntax::write::DiffHunk;
use crate::syntax::{Syntax, find_syntax};
use crate::text::{Span, without_ending};

/// Adds the heading of a hunk of a diff. `reports` are the hunks of the patch that were applied
/// there.
pub(super) fn add_heading(hunk: &DiffHunk<'_>, reports: &[&HunkReport], out: &mut Markup) {
    out.raw("<h4 class=\"hunk\"");
    if let Some(first) = reports.first() {
        out.raw(" id=\"").value(&first.id).raw("\"");
    }
    out.raw("><code>@@ \u{2212}")
        .number(hunk.old.start)
        .raw(",")
        .number(hunk.old.count);
    out.raw(" +")
        .number(hunk.new.start)
        .raw(",")
        .number(hunk.new.count)
        .raw(" @@</code>\n");
    if let Some(section) = reports
        .iter()
        .map(|report| &report.patch.section)
        .find(|section| !section.is_empty())
    {
        add_section_heading(section, out);
    }
    for report in reports {
        out.raw("<span class=\"id\">")
            .text(&report.id)
            .raw("</span>\n");
        badge::add_hunk_badges(report, out);
    }
    out.raw("</h4>\n");
    for report in reports {
        add_candidates(report, out);
    }
}

fn add_section_heading(section: &str, out: &mut Markup) {
    out.raw("<span class=\"section\">")
        .code(section)
        .raw("</span>\n");
}

/// Adds a hunk of a file that cannot be changed, as the patch states it. Returns the number of
/// lines that are not shown.
pub(super) fn add_stated(
    told: &ProblemIndex<'_>,
    hunk: &HunkReport,
    subject: FileContext<'_>,
    room: &mut PageBudget,
    out: &mut Markup,
) -> usize {
    add_stated_heading(hunk, out);
    told.problems(&hunk.id)
        .iter()
        .for_each(|it| problem::add_problem(it, out));
    add_candidates(hunk, out);
    let nearest = hunk.nearest.as_deref();
    let nearest = nearest.filter(|_| !hunk.status.is_placed());
    let difference = nearest.and_then(|nearest| nearest.first_difference.as_ref());
    if let Some(nearest) = nearest {
        add_closest_match(nearest, room, out);
        out.raw("<div class=\"compared\">\n");
    }
    let text = (hunk.source.input, hunk.source.text);
    // A patch with several grammars can have hunks without signs.
    let is_marked = told.inputs.get(text.0).is_some_and(|input| {
        let is_marked = |format| find_syntax(format).is_some_and(Syntax::has_sign_column);
        input.formats.iter().all(|format| is_marked(format))
    });
    let signs = if is_marked {
        LineSigns::Present
    } else {
        LineSigns::None
    };
    let left = add_patch_lines(told, text, (signs, difference), subject, room, out);
    if let Some(nearest) = nearest {
        let lines = [&nearest.lines_before, &nearest.text, &nearest.lines_after];
        let first = nearest.line.saturating_sub(nearest.lines_before.len());
        let lines = lines.into_iter().flatten().map(String::as_str);
        let subject = FileContext {
            id: &hunk.id,
            ..subject
        };
        lines::add_found(subject, (first, lines), difference, room, out);
        out.raw("</div>\n");
    }
    left
}

fn add_stated_heading(hunk: &HunkReport, out: &mut Markup) {
    out.raw("<h4 class=\"hunk\" id=\"")
        .value(&hunk.id)
        .raw("\"><span class=\"id\">")
        .text(&hunk.id)
        .raw("</span>\n");
    match (&hunk.applied, hunk.patch.old_start) {
        (Some(AppliedLines { old_start, .. }), _) => {
            out.raw("<span>matches at line ")
                .number(*old_start)
                .raw("</span>\n");
        }
        (None, Some(start)) => {
            out.raw("<span>stated for line ")
                .number(start)
                .raw("</span>\n");
        }
        (None, None) => {}
    }
    if !hunk.patch.section.is_empty() {
        add_section_heading(&hunk.patch.section, out);
    }
    badge::add_hunk_badges(hunk, out);
    out.raw("</h4>\n");
}

/// Adds the section of the patch for a file that was not compared.
pub(super) fn add_section(
    told: &ProblemIndex<'_>,
    exhibit: &FilePreview,
    subject: FileContext<'_>,
    room: &mut PageBudget,
    out: &mut Markup,
) -> usize {
    let Some(text) = exhibit.section else {
        return 0;
    };
    out.raw("<h4 class=\"hunk\">Hunk of the patch</h4>\n");
    add_patch_lines(told, text, (LineSigns::None, None), subject, room, out)
}

/// Adds the lines of a part of a patch. A line has a number if it begins a line of the patch: the
/// texts of a JSON document have many lines in one.
fn add_patch_lines(
    told: &ProblemIndex<'_>,
    (input, span): (usize, Span),
    form: (LineSigns, Option<&FirstDifference>),
    subject: FileContext<'_>,
    room: &mut PageBudget,
    out: &mut Markup,
) -> usize {
    let patch = told.inputs.get(input);
    let Some(text) = patch.and_then(|patch| patch.bytes.get(span.start..span.end)) else {
        return 0;
    };
    let mut last = room.last_patch_line;
    let lines = crate::text::lines(text).map(|(line, bytes)| {
        let number = told.line(input, span.start + line.start);
        let number = number.filter(|&number| number > last);
        last = number.unwrap_or(last);
        (number, without_ending(bytes))
    });
    let lines: Vec<_> = lines.collect();
    room.last_patch_line = last;
    lines::add_stated(subject, lines.into_iter(), form, room, out)
}

/// Adds the other lines where a hunk matches.
fn add_candidates(hunk: &HunkReport, out: &mut Markup) {
    if hunk.candidates.len() < 2 {
        return;
    }
    out.raw("<p class=\"word ask\">It matches at lines ");
    for (index, candidate) in hunk.candidates.iter().take(20).enumerate() {
        out.raw(if index > 0 { ", " } else { "" })
            .number(candidate.line);
    }
    out.raw(if hunk.candidates.len() > 20 {
        " and others.</p>\n"
    } else {
        ".</p>\n"
    });
}

/// Adds the place of the closest match of a hunk, and the first line that differs.
fn add_closest_match(nearest: &NearestPlace, room: &mut PageBudget, out: &mut Markup) {
    out.raw("<p class=\"word\">The closest match is line ")
        .number(nearest.line)
        .raw(", where ");
    out.number(nearest.matched)
        .raw(" of ")
        .count(nearest.of, "line")
        .raw(" are the same.</p>\n");
    let Some(difference) = &nearest.first_difference else {
        return;
    };
    let expected = difference.expected.as_bytes();
    let found = difference.found.as_deref().map(str::as_bytes);
    let (mut old, mut new) = room
        .inline
        .mark_differences(&[expected], &[found.unwrap_or_default()]);
    out.raw("<dl class=\"difference\"><dt>The patch has, in its line ")
        .number(difference.patch_line)
        .raw("</dt><dd>");
    lines::add_differing_line(expected, old.swap_remove(0), out);
    out.raw("</dd>\n<dt>The file has, in line ")
        .number(difference.file_line);
    if let Some(reason) = difference.reason {
        out.raw(" (").raw(reason.name()).raw(")");
    }
    out.raw("</dt><dd>");
    match found {
        Some(found) => lines::add_differing_line(found, new.swap_remove(0), out),
        None => {
            out.raw("its end");
        }
    }
    out.raw("</dd></dl>\n");
}
