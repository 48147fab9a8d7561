//! Prints one problem on a page.

use super::badge;
use super::markup::Markup;
use crate::preflight::Severity;
use crate::report::ProblemReport;

/// Adds a problem.
pub(super) fn add_problem(problem: &ProblemReport, out: &mut Markup) {
    open(problem, out);
    out.text(&problem.message);
    if let Some(span) = problem.span {
        out.raw(" <span class=\"where\">(line ")
            .number(span.line)
            .raw(" of the patch)</span>");
    }
    add_help(problem, out);
}

/// Adds the position and the help of a problem whose message is shown elsewhere.
pub(super) fn add_details(problem: &ProblemReport, out: &mut Markup) {
    if problem.span.is_none() && problem.help.is_none() {
        return;
    }
    open(problem, out);
    if let Some(span) = problem.span {
        out.raw("<span class=\"where\">Line ")
            .number(span.line)
            .raw(" of the patch</span>");
    }
    add_help(problem, out);
}

fn open(problem: &ProblemReport, out: &mut Markup) {
    out.raw("<p class=\"word ").raw(match problem.severity {
        Severity::Error | Severity::Reject => badge::tone::BAD,
        Severity::Warning => badge::tone::ASK,
    });
    out.raw("\">");
}

fn add_help(problem: &ProblemReport, out: &mut Markup) {
    if let Some(help) = &problem.help {
        out.raw("<br><span class=\"help\">")
            .text(help)
            .raw("</span>");
    }
    out.raw("</p>\n");
}
