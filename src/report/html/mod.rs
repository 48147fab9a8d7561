//! Prints a report or a history entry as one self-contained HTML page.
//!
//! Input: a [`Report`] with the diffs and images of its files, or a [`LogEntry`]. Output: a page
//! without external requests. Only a page for decisions has a script. No text of a patch becomes
//! markup, because all variable text is written by [`markup`]. The size of a page is bounded.
//!
//! Read this file first. `summary` writes the head, `tree` the list of files, `file` one section
//! for each file, `table` its lines, `decide` the choices of a reviewer. Colors and layout are in
//! `style.css`.

mod badge;
mod change;
mod decide;
mod file;
mod image;
mod index;
mod lines;
mod markup;
mod page_budget;
mod place;
mod problem;
mod rows;
mod summary;
mod table;
mod tree;

use std::io;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{LogEntry, Report, TOOL};
use crate::plan::Input;
use crate::text::{Bytes, Span, encode_base64};
pub use decide::{DecisionCommands, Operands, PageKind};

use decide::DecisionIds;
use index::ProblemIndex;
use markup::Markup;
use page_budget::PageBudget;
use tree::{FileTree, Leaf};

/// The style sheet.
const STYLE: &str = include_str!("style.css");
/// The maximum number of files on a page.
const MAX_FILES: usize = 2000;

/// The content of a page.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// The report.
    pub report: &'a Report,
    /// The patches, for hunks without a placement.
    pub inputs: &'a [Input],
    /// The diffs and images of the files.
    pub previews: &'a dyn PreviewSource,
    /// The command line that applies exactly this change, for the reviewer; `None` if the change
    /// cannot be approved.
    pub approval: Option<&'a str>,
    /// Whether the reader can decide about the parts of the change.
    pub kind: PageKind<'a>,
}

/// The source of the diffs and images on a page.
pub trait PreviewSource {
    /// Returns the diff and images of the file with this index in the report. It is called once for
    /// each file, in the order of the tree of files.
    ///
    /// # Errors
    ///
    /// Returns an error if they are no longer available.
    fn file_preview(&self, index: usize) -> io::Result<FilePreview>;
}

/// The parts of a file on a page that its entry in the report does not contain.
#[derive(Clone, Debug, Default)]
pub struct FilePreview {
    /// A clean diff, as bytes; `None` if there is none.
    pub diff: Option<Vec<u8>>,
    /// The contents before and after, if they are small images.
    pub images: [Option<Arc<Bytes>>; 2],
    /// The section of the patch: the index of the input, and the span in it.
    pub section: Option<(usize, Span)>,
    /// The number of hunks that can be selected separately.
    pub selectable_hunks: usize,
}

/// Prints a report as an HTML page.
///
/// Equal reports result in equal pages. The size is bounded: at most 2000 files, 20,000 lines with
/// a total of 4 MiB, and 8 MiB of images. The page states how much it omits.
///
/// # Security
///
/// A page for reading contains no script, and its Content Security Policy allows none. The policy
/// allows only the page's own style sheet and embedded images, and on a page for decisions the own
/// script, by their digests. The script reads the choices and writes text. All data of a patch is text. Control,
/// bidirectional and invisible characters appear as escapes in their own style. SVG is shown as
/// text.
///
/// # Errors
///
/// Returns an error of `out` or of [`PreviewSource::file_preview`].
pub fn print_html(page: &Page<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let (report, told, markup) = (page.report, ProblemIndex::of(page), &mut Markup::default());
    let commands = decide::available(page);
    let active = match commands {
        Some(_) => ActiveContent::DecisionScript,
        None => ActiveContent::None,
    };
    let title = summary::outcome_title(report);
    open_page((title, report.summary.files), active, markup);
    summary::add_summary(page, markup);
    let mut ids = commands.map(|_| DecisionIds::default());
    let leaves: Vec<_> = report.files.iter().map(file::leaf).collect();
    let mut room = PageBudget::default();
    for index in open_columns(&leaves, markup) {
        let exhibit = page.previews.file_preview(index)?;
        let choices = ids.as_mut();
        let file = &report.files[index];
        file::add_file(&told, (file, &exhibit), choices, &mut room, markup);
        out.write_all(markup.take().as_bytes())?;
    }
    close_columns(markup);
    if let (Some(commands), Some(ids)) = (commands, &ids) {
        decide::add_result(page, commands, ids, markup);
    }
    close_page(active, markup);
    out.write_all(markup.take().as_bytes())
}

/// Prints a history entry as an HTML page, with the limits of [`print_html`].
///
/// # Security
///
/// The guarantees of [`print_html`] apply.
///
/// # Errors
///
/// Returns the error of `out`.
pub fn print_change_html(entry: &LogEntry, out: &mut dyn io::Write) -> io::Result<()> {
    let (change, markup) = (change::EntryCard::of(entry), &mut Markup::default());
    let title = (change::state_title(entry), entry.files.len());
    open_page(title, ActiveContent::None, markup);
    change.add_summary(markup);
    let mut room = PageBudget::default();
    for index in open_columns(&change.leaves(), markup) {
        change.files[index].add_section(&mut room, markup);
        out.write_all(markup.take().as_bytes())?;
    }
    close_columns(markup);
    close_page(ActiveContent::None, markup);
    out.write_all(markup.take().as_bytes())
}

/// The script of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActiveContent {
    None,
    /// The script that writes the commands for the decisions.
    DecisionScript,
}

/// Adds the tree of files up to the limit, and opens the element for the changes next to it.
/// Returns the indexes of the shown files, in the order of the tree.
fn open_columns(leaves: &[Leaf<'_>], out: &mut Markup) -> Vec<usize> {
    let shown = leaves.len().min(MAX_FILES);
    if shown < leaves.len() {
        out.raw("<p class=\"word bad\">The page has reached its size limit: ")
            .count(leaves.len() - shown, "more file");
        out.raw(" not shown.</p>\n");
    }
    let tree = FileTree::of(&leaves[..shown]);
    out.raw("<div class=\"columns\">\n<nav id=\"files\" tabindex=\"0\" aria-labelledby=\"files-title\"><h2 id=\"files-title\">Files</h2>\n");
    if shown > 0 {
        out.raw("<details class=\"tree\"><summary>")
            .count(shown, "file")
            .raw("</summary>\n");
        tree.print(out);
        out.raw("</details>\n");
    } else {
        out.raw("<p>No files.</p>\n");
    }
    out.raw("</nav>\n<main id=\"changes\"><h2>Changes</h2>\n");
    out.raw("<label class=\"layout\"><input type=\"checkbox\" id=\"split\" checked>Side by side</label>\n");
    tree.order()
}

fn close_columns(out: &mut Markup) {
    out.raw("</main>\n</div>\n");
}

fn close_page(active: ActiveContent, out: &mut Markup) {
    out.raw("<footer>")
        .text(TOOL.name)
        .raw(" ")
        .text(TOOL.version);
    out.raw("</footer>\n");
    if active == ActiveContent::DecisionScript {
        out.raw("<script>").raw(decide::SCRIPT).raw("</script>\n");
    }
    out.raw("</body>\n</html>\n");
}

fn open_page((ending, files): (&'static str, usize), active: ActiveContent, out: &mut Markup) {
    let (style, script) = match active {
        ActiveContent::None => ("", None),
        ActiveContent::DecisionScript => (decide::STYLE, Some(decide::SCRIPT)),
    };
    let hash = encode_base64(
        &Sha256::new()
            .chain_update(STYLE)
            .chain_update(style)
            .finalize(),
    );
    out.raw("<!DOCTYPE html>\n<html lang=\"en\" dir=\"ltr\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-")
        .value(hash)
        .raw("'; ");
    if let Some(script) = script {
        out.raw("script-src 'sha256-")
            .value(encode_base64(&Sha256::digest(script)))
            .raw("'; ");
    }
    out.raw("img-src data:; base-uri 'none'; form-action 'none'\">\n");
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    out.raw("<title>")
        .raw(ending)
        .raw(": ")
        .count(files, "file");
    out.raw("</title>\n<style>")
        .raw(STYLE)
        .raw(style)
        .raw("</style>\n</head>\n<body>\n");
    out.raw("<a class=\"skip\" href=\"#changes\">To the changes</a>\n");
}
