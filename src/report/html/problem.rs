//! Prints one problem on a page.

use super::badge;
use super::markup::Markup;
use crate::preflight::Severity;
use crate::report::ProblemReport;

/// Adds a problem.
pub(super) fn problem(problem: &ProblemReport, out: &mut Markup) {
    out.raw("<p class=\"word ").raw(match problem.severity {
        Severity::Error | Severity::Reject => badge::tone::BAD,
        Severity::Warning => badge::tone::ASK,
    });
    out.raw("\">").text(&problem.message);
    if let Some(span) = problem.span {
        out.raw(" <span class=\"where\">(line ")
            .number(span.line)
            .raw(" of the patch)</span>");
    }
    if let Some(help) = &problem.help {
        out.raw("<br><span class=\"help\">")
            .text(help)
            .raw("</span>");
    }
    out.raw("</p>\n");
}
