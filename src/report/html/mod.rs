//! What a patch would do, or a change did, as one page that needs nothing but itself: no script, no
//! request, nothing of the patch as markup.
//!
//! Everything dynamic goes through [`markup`]; colours and layout are in `style.css`.

mod badge;
mod change;
mod file;
mod image;
mod lines;
mod markup;
mod place;
mod problem;
mod summary;
mod told;
mod tree;

use std::io;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{LogEntry, Report, TOOL};
use crate::plan::Input;
use crate::text::{Bytes, Span, base64};
use lines::Room;
use markup::Markup;
use told::Told;
use tree::Leaf;

/// The colours and the layout.
const STYLE: &str = include_str!("style.css");
/// Most files of a page.
const MOST_FILES: usize = 2000;

/// What is shown.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// What would happen, or why not.
    pub report: &'a Report,
    /// The patches, for what is put nowhere.
    pub inputs: &'a [Input],
    /// What is shown of each file besides its entry in the report.
    pub exhibits: &'a dyn Exhibits,
}

/// Has what is shown of the files of a page, one after the other.
pub trait Exhibits {
    /// Returns what is shown of the file with this index in the report. It is asked once for each,
    /// in their order.
    ///
    /// # Errors
    ///
    /// Returns an error if that cannot be found any more.
    fn exhibit(&self, index: usize) -> io::Result<Exhibit>;
}

/// What a page shows of a file besides its entry in the report.
#[derive(Clone, Debug, Default)]
pub struct Exhibit {
    /// A clean diff, as bytes; `None` if there is none.
    pub diff: Option<Vec<u8>>,
    /// The contents before and after, where they are small images.
    pub images: [Option<Arc<Bytes>>; 2],
    /// The section of the patch: the index of the input, and where it stands there.
    pub section: Option<(usize, Span)>,
}

/// Prints a page in HTML.
///
/// It is the same for the same report, and of bounded size: at most 2000 files, 20,000 lines and 4
/// MiB of them, and 8 MiB of images. What is left out is said.
///
/// # Security
///
/// There is no script in it, and its Content Security Policy allows none: nothing but its own
/// style, and images that stand in it. Whatever comes from a patch is text, in which control, bidi
/// and invisible characters show as escapes of their own look. SVG is shown as the text that it is.
///
/// # Errors
///
/// Returns the error of `out`, and that of an exhibit.
pub fn print_html(page: &Page<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let (report, told, markup) = (page.report, Told::of(page), &mut Markup::default());
    head(summary::ending(report), report.summary.files, markup);
    summary::summary(report, markup);
    let leaves: Vec<_> = report.files.iter().map(file::leaf).collect();
    columns(&leaves, markup);
    let mut room = Room::default();
    for (index, file) in report.files.iter().take(MOST_FILES).enumerate() {
        file::file(
            &told,
            file,
            &page.exhibits.exhibit(index)?,
            &mut room,
            markup,
        );
        out.write_all(markup.take().as_bytes())?;
    }
    foot(markup);
    out.write_all(markup.take().as_bytes())
}

/// Prints a page of a change of the history, with the same bounds as [`print_html`].
///
/// # Security
///
/// What holds of [`print_html`] holds of it.
///
/// # Errors
///
/// Returns the error of `out`.
pub fn print_change_html(entry: &LogEntry, out: &mut dyn io::Write) -> io::Result<()> {
    let (change, markup) = (change::Change::of(entry), &mut Markup::default());
    head(change::ending(entry), entry.files.len(), markup);
    change.summary(markup);
    columns(&change.leaves(), markup);
    let mut room = Room::default();
    for file in change.files.iter().take(MOST_FILES) {
        file.section(&mut room, markup);
        out.write_all(markup.take().as_bytes())?;
    }
    foot(markup);
    out.write_all(markup.take().as_bytes())
}

/// Adds the tree of all files, as far as there is room, and opens what stands beside it.
fn columns(leaves: &[Leaf<'_>], out: &mut Markup) {
    let shown = leaves.len().min(MOST_FILES);
    if shown < leaves.len() {
        out.raw("<p class=\"word bad\">The page is full: ")
            .count(leaves.len() - shown, "more file");
        out.raw(" not shown.</p>\n");
    }
    out.raw("<div class=\"columns\">\n<nav id=\"files\" aria-labelledby=\"files-title\"><h2 id=\"files-title\">Files</h2>\n");
    tree::tree(&leaves[..shown], out);
    out.raw("</nav>\n<main id=\"changes\"><h2>Changes</h2>\n");
}

fn foot(out: &mut Markup) {
    out.raw("</main>\n</div>\n<footer>")
        .text(TOOL.name)
        .raw(" ")
        .text(TOOL.version);
    out.raw("</footer>\n</body>\n</html>\n");
}

fn head(ending: &'static str, files: usize, out: &mut Markup) {
    let hash = base64(&Sha256::digest(STYLE));
    out.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-")
        .value(hash);
    out.raw("'; img-src data:; base-uri 'none'; form-action 'none'\">\n");
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    out.raw("<title>")
        .raw(ending)
        .raw(": ")
        .count(files, "file");
    out.raw("</title>\n<style>")
        .raw(STYLE)
        .raw("</style>\n</head>\n<body>\n");
    out.raw("<a class=\"skip\" href=\"#changes\">To the changes</a>\n");
}
