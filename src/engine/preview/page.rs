//! The preview of a plan as an HTML page.

use std::io;

use super::Preview;
use crate::engine::suggest::{PortableDecision, portable_approval, portable_decision};
use crate::engine::{Request, SuggestionMode};
use crate::plan::count_selectable_hunks;
use crate::preflight::ImagePreviews;
use crate::report::{
    DecisionCommands, FilePreview, Operands, Page, PageKind, PreviewSource, Report,
};
use crate::workspace::Workspace;

/// The limit on the size of the diff of one file on a page, in bytes.
const MAX_DIFF: usize = 1 << 20;

/// Checks a request as [`check`](crate::engine::check) does, and keeps the diff and the images of
/// each file for a page.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::report::print_html;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\n"))]);
/// let preview = engine::render_page(Request::of("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n"), &workspace);
/// let mut page = Vec::new();
/// print_html(&preview.page(), &mut page)?;
/// assert!(String::from_utf8(page)?.starts_with("<!DOCTYPE html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn render_page(mut request: Request, workspace: &dyn Workspace) -> Preview<'_> {
    request.look.describe = true;
    request.look.diff = false;
    let hints = request.look.hints.clone();
    let mut preview = Preview::of(
        request,
        workspace,
        Some(ImagePreviews::default()),
        |options| {
            options.diff = true;
            options.max_diff = options.max_diff.min(MAX_DIFF);
        },
    );
    preview.approval = approval_command(&preview.report, &hints);
    preview.decision_commands = decision_commands(&preview, &hints);
    preview
}

/// Returns the command line that approves the change of `report`, if the change can be made and the
/// request comes from a command line.
fn approval_command(report: &Report, hints: &SuggestionMode) -> Option<String> {
    let plan_id = report.plan_id.as_ref().filter(|_| report.ok)?;
    match hints {
        SuggestionMode::Command(arguments) => portable_approval(arguments, plan_id),
        SuggestionMode::None | SuggestionMode::Text => None,
    }
}

/// Returns the command lines for decisions about the change, if the change can be made. Without a
/// command line that can be repeated, the reader adds the patch.
fn decision_commands(preview: &Preview<'_>, hints: &SuggestionMode) -> Option<DecisionCommands> {
    let plan_id = preview
        .report
        .plan_id
        .as_ref()
        .filter(|_| preview.report.ok)?;
    let words = match hints {
        SuggestionMode::Command(arguments) => portable_decision(arguments, plan_id),
        SuggestionMode::None | SuggestionMode::Text => None,
    };
    let commands = preview.approval.clone().zip(words);
    Some(commands.map_or_else(
        || DecisionCommands {
            approve: format!("wpatch apply --approve {plan_id}"),
            part: [
                format!("wpatch apply --approve-part {plan_id} --only "),
                String::new(),
            ],
            reject: format!("wpatch reject {plan_id}"),
            operands: Operands::Missing,
        },
        |(approve, PortableDecision { part, reject })| DecisionCommands {
            approve,
            part,
            reject,
            operands: Operands::Present,
        },
    ))
}

impl Preview<'_> {
    /// Returns a page on which the reader accepts and rejects parts of the change, for
    /// [`print_html`](crate::report::print_html). It has a script.
    #[must_use]
    pub fn decision_page(&self) -> Page<'_> {
        Page {
            kind: PageKind::Deciding(self.decision_commands.as_ref()),
            ..self.page()
        }
    }

    /// Returns the page for [`print_html`](crate::report::print_html).
    #[must_use]
    pub fn page(&self) -> Page<'_> {
        Page {
            report: &self.report,
            inputs: &self.plan.inputs,
            previews: self,
            approval: self.approval.as_deref(),
            kind: PageKind::Reading,
        }
    }
}

impl PreviewSource for Preview<'_> {
    fn file_preview(&self, index: usize) -> io::Result<FilePreview> {
        let operation = self.plan.operations.get(index);
        Ok(FilePreview {
            diff: self.diff(index)?,
            images: self
                .image_previews
                .as_ref()
                .map(|gallery| gallery.images(index))
                .unwrap_or_default(),
            section: operation.map(|operation| (operation.input, operation.span)),
            selectable_hunks: operation.map_or(0, count_selectable_hunks),
        })
    }
}
