//! The placements of hunks, and the reasons why hunks have none.

use super::index::Told;
use super::lines::{self, Room, Signs};
use super::markup::Markup;
use super::{Exhibit, badge, problem};
use crate::plan::Input;
use crate::report::{AppliedLines, HunkReport, NearestPlace};
use crate::syntax::write::DiffHunk;
use crate::syntax::{Syntax, find_syntax};

/// Adds the heading of a hunk of a diff. `reports` are the hunks of the patch that were applied
/// there.
pub(super) fn heading(hunk: &DiffHunk<'_>, reports: &[&HunkReport], out: &mut Markup) {
    out.raw("<h4 class=\"hunk\">");
    out.raw("<code>@@ \u{2212}")
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
        out.raw("<code class=\"section\"><bdi>")
            .text(section)
            .raw("</bdi></code>\n");
    }
    for report in reports {
        out.raw("<span class=\"id\">")
            .text(&report.id)
            .raw("</span>\n");
        badge::of_hunk(report, out);
    }
    out.raw("</h4>\n");
    for report in reports {
        also(report, out);
    }
}

/// Adds a hunk of a file that cannot be changed, as the patch states it. Returns the number of
/// lines that are not shown.
pub(super) fn stated(
    told: &Told<'_>,
    hunk: &HunkReport,
    room: &mut Room,
    out: &mut Markup,
) -> usize {
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
        out.raw("<code class=\"section\"><bdi>")
            .text(&hunk.patch.section)
            .raw("</bdi></code>\n");
    }
    badge::of_hunk(hunk, out);
    out.raw("</h4>\n");
    told.problems(&hunk.id)
        .iter()
        .for_each(|it| problem::problem(it, out));
    also(hunk, out);
    let source = &hunk.source;
    let left = text(told, (source.input, source.text.start, source.text.end)).map_or(
        0,
        |(input, text)| {
            let is_marked = input
                .formats
                .iter()
                .all(|format| find_syntax(format).is_some_and(Syntax::has_sign_column));
            lines::stated(
                text,
                if is_marked {
                    Signs::Marked
                } else {
                    Signs::None
                },
                room,
                out,
            )
        },
    );
    if let Some(nearest) = hunk.nearest.as_deref().filter(|_| !hunk.status.is_placed()) {
        self::nearest(nearest, out);
    }
    left
}

/// Adds the section of the patch for a file that was not compared.
pub(super) fn section(
    told: &Told<'_>,
    exhibit: &Exhibit,
    room: &mut Room,
    out: &mut Markup,
) -> usize {
    let Some((input, span)) = exhibit.section else {
        return 0;
    };
    out.raw("<h4 class=\"hunk\">Hunk of the patch</h4>\n");
    let text = text(told, (input, span.start, span.end));
    text.map_or(0, |(_, text)| lines::stated(text, Signs::None, room, out))
}

/// Returns the input and its bytes from `start` to `end`.
fn text<'a>(
    told: &Told<'a>,
    (input, start, end): (usize, usize, usize),
) -> Option<(&'a Input, &'a [u8])> {
    let input = told.inputs.get(input)?;
    Some((input, input.bytes.get(start..end)?))
}

/// Adds the other lines where a hunk matches.
fn also(hunk: &HunkReport, out: &mut Markup) {
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

/// Adds the closest match of a hunk, and the first line that differs.
fn nearest(nearest: &NearestPlace, out: &mut Markup) {
    out.raw("<div class=\"nearest\">\n<p class=\"word\">The closest match is line ")
        .number(nearest.line)
        .raw(", where ");
    out.number(nearest.matched)
        .raw(" of ")
        .count(nearest.of, "line")
        .raw(" are the same.</p>\n");
    if let Some(difference) = &nearest.first_difference {
        out.raw("<dl class=\"difference\"><dt>The patch has, in its line ")
            .number(difference.patch_line);
        out.raw("</dt><dd class=\"expected\"><code>")
            .line(difference.expected.as_bytes())
            .raw("</code></dd>\n");
        out.raw("<dt>The file has, in line ")
            .number(difference.file_line);
        if let Some(reason) = difference.reason {
            out.raw(" (").raw(reason.name()).raw(")");
        }
        out.raw("</dt><dd class=\"found\"><code>");
        match &difference.found {
            Some(found) => out.line(found.as_bytes()),
            None => out.raw("its end"),
        };
        out.raw("</code></dd></dl>\n");
    }
    if !nearest.text.is_empty() {
        out.raw("<p class=\"word\">Lines of the file:</p>\n");
        let all = [&nearest.lines_before, &nearest.text, &nearest.lines_after]
            .into_iter()
            .flatten();
        let first = nearest.line.saturating_sub(nearest.lines_before.len());
        lines::found(first, all.map(String::as_str), out);
    }
    out.raw("</div>\n");
}
