//! The decisions of a reviewer: the choices for the change, its files and hunks, and the commands for
//! them.
//!
//! The choices are radio buttons, so a page also records them without its script. The script in
//! `decide.js` only writes the commands and the document. Without it, the page has a template of the
//! commands with the ids of all parts.

use std::collections::BTreeSet;

use super::markup::Markup;
use super::{MAX_FILES, Page};
use crate::report::FileReport;
use crate::report::hunk::hunk_id;

/// The script.
pub(super) const SCRIPT: &str = include_str!("decide.js");
/// The style sheet of the choices, after the one of every page.
pub(super) const STYLE: &str = include_str!("decide.css");

/// The kind of a page.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum PageKind<'a> {
    /// A page without a script.
    Reading,
    /// A page on which the reader accepts and rejects the parts of the change. `None` if the change
    /// cannot be made.
    Deciding(Option<&'a DecisionCommands>),
}

/// The command lines for the decisions about a plan, quoted for a POSIX shell.
#[derive(Clone, Debug)]
pub struct DecisionCommands {
    /// Approves and applies the whole plan.
    pub approve: String,
    /// Approves and applies a part of the plan: the texts before and after the list of its ids.
    pub part: [String; 2],
    /// Rejects the plan. Reasons are appended.
    pub reject: String,
    /// Whether the reader must add the patch.
    pub operands: Operands,
}

/// Whether commands name their patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operands {
    /// The commands name the patch, or read standard input.
    Present,
    /// The caller has no command line, or it cannot be written.
    Missing,
}

/// The parts of a change that can be decided: the ids of files, and of hunks of files with several.
#[derive(Debug, Default)]
pub(super) struct DecisionIds(Vec<String>);

/// Returns the commands if the change can be decided on this page: it can be made, and all of its
/// files are shown.
pub(super) fn available<'a>(page: &Page<'a>) -> Option<&'a DecisionCommands> {
    match page.kind {
        PageKind::Deciding(commands) if page.report.files.len() <= MAX_FILES => commands,
        PageKind::Deciding(_) | PageKind::Reading => None,
    }
}

/// Adds the choice for the whole change to the head of the page, or the reason why there is none.
pub(super) fn add_head(page: &Page<'_>, out: &mut Markup) {
    match (page.kind, available(page)) {
        (PageKind::Reading, _) => {}
        (PageKind::Deciding(_), Some(_)) => {
            out.raw("<fieldset class=\"decide\" id=\"d-all\"><legend class=\"hidden\">Decision about the whole change</legend>\n");
            out.raw("<span>Whole change:</span>");
            add_choices("all", "Undecided", out);
            out.raw("</fieldset>\n");
        }
        (PageKind::Deciding(commands), None) => {
            out.raw("<p class=\"word ask\">")
                .raw(if commands.is_some() {
                    "The page does not show all files, so the change cannot be decided here."
                } else {
                    "The change cannot be made, so there is nothing to decide."
                })
                .raw("</p>\n");
        }
    }
}

/// Adds the radio buttons for the part `id`, and the text of the reason. `inherit` is the label of the
/// choice that leaves the decision to the next larger part.
fn add_choices(id: &str, inherit: &'static str, out: &mut Markup) {
    let choices = [("accept", "Accept"), ("reject", "Reject"), ("", inherit)];
    for (value, label) in choices {
        out.raw("<label><input type=\"radio\" name=\"d-")
            .value(id)
            .raw("\" value=\"")
            .raw(value)
            .raw("\"")
            .raw(if value.is_empty() { " checked>" } else { ">" })
            .raw(label)
            .raw("</label>\n");
    }
    out.raw("<label class=\"reason-text\">Reason<textarea rows=\"2\" maxlength=\"1300\"></textarea></label>\n");
}

/// The choices in the section of one file.
#[derive(Debug, Default)]
pub(super) struct FileChoices {
    /// The indexes of the hunks without a choice so far.
    open: BTreeSet<usize>,
}

impl FileChoices {
    /// Adds the choice for a file with `hunks` selectable hunks.
    pub(super) fn open(
        file: &FileReport,
        hunks: usize,
        ids: &mut DecisionIds,
        out: &mut Markup,
    ) -> Self {
        out.raw("<fieldset class=\"decide\" data-id=\"")
            .value(&file.id)
            .raw("\" data-path=\"")
            .value(file.path.as_bytes())
            .raw("\"><legend class=\"hidden\">Decision about the file ")
            .text(&file.id)
            .raw("</legend><span class=\"id\">")
            .text(&file.id)
            .raw("</span>\n");
        add_choices(&file.id, "As the whole change", out);
        out.raw("</fieldset>\n");
        // The only hunk of a file is the file.
        let open: BTreeSet<_> = (0..hunks).filter(|_| hunks > 1).collect();
        if open.is_empty() {
            ids.0.push(file.id.clone());
        }
        ids.0
            .extend(open.iter().map(|&index| hunk_id(&file.id, index)));
        Self { open }
    }

    /// Adds the choice for the hunk with this index, unless it has one or cannot be selected.
    pub(super) fn add_hunk(&mut self, file: &str, index: usize, out: &mut Markup) {
        if !self.open.remove(&index) {
            return;
        }
        let id = hunk_id(file, index);
        out.raw("<fieldset class=\"decide\" data-id=\"")
            .value(&id)
            .raw("\"><legend class=\"hidden\">Decision about the hunk ")
            .text(&id)
            .raw("</legend><span class=\"id\">")
            .text(&id)
            .raw("</span>\n");
        add_choices(&id, "As the file", out);
        out.raw("</fieldset>\n");
    }

    /// Adds the choices for the hunks that the section does not show separately.
    pub(super) fn add_others(mut self, file: &FileReport, out: &mut Markup) {
        for index in self.open.clone() {
            self.add_hunk(&file.id, index, out);
        }
    }
}

/// Adds the commands and the document for the decisions, and the line with their numbers.
pub(super) fn add_result(
    page: &Page<'_>,
    commands: &DecisionCommands,
    ids: &DecisionIds,
    out: &mut Markup,
) {
    let plan_id = page.report.plan_id.as_deref().unwrap_or_default();
    out.raw("<section id=\"decision\" aria-labelledby=\"decision-title\"");
    let data = [
        (" data-plan=\"", plan_id),
        (" data-approve=\"", &commands.approve),
        (" data-before=\"", &commands.part[0]),
        (" data-after=\"", &commands.part[1]),
        (" data-reject=\"", &commands.reject),
    ];
    for (name, value) in data {
        out.raw(name).value(value).raw("\"");
    }
    out.raw("><h2 id=\"decision-title\">Decision</h2>\n");
    out.raw("<p>Parts without a decision are skipped. A decision about a hunk overrides the decision about its file, and a decision about a file the one about the whole change.</p>\n");
    out.raw("<h3>Commands for a POSIX shell</h3>\n");
    if commands.operands == Operands::Missing {
        out.raw("<p>Add the patch and the options with which this page was made.</p>\n");
    } else if page.report.inputs.iter().any(|input| input.name == "-") {
        out.raw("<p>`wpatch apply` needs the same input.</p>\n");
    }
    out.raw("<pre id=\"commands\" class=\"copy\" dir=\"ltr\" tabindex=\"0\"># Keep only the ids that you accept:\n")
        .text(&commands.part[0])
        .text(ids.0.join(","))
        .text(&commands.part[1]);
    out.raw("\n# Reject the others, with reasons:\n")
        .text(&commands.reject)
        .raw(" --hunk ID=REASON</pre>\n")
        .raw("<button type=\"button\" data-copy=\"commands\" hidden>Copy the commands</button>\n");
    out.raw("<h3>Decisions as JSON</h3>\n")
        .raw("<pre id=\"document\" class=\"copy\" dir=\"ltr\" tabindex=\"0\">The script of this page writes this document.</pre>\n")
        .raw("<button type=\"button\" data-copy=\"document\" hidden>Copy the document</button>\n")
        .raw("<p id=\"copied\" role=\"status\"></p>\n</section>\n");
    out.raw("<div class=\"bar-decision\"><p id=\"status\" role=\"status\">Accept or reject each file and hunk.</p>\n")
        .raw("<a href=\"#decision\">To the commands</a></div>\n");
}
