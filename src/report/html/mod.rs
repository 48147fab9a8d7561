//! What a patch would do as one page that needs nothing but itself: no script, no request, nothing of the patch as markup.
//!
//! Everything dynamic goes through [`markup`]; colours and layout are in `style.css`.

mod badge;
mod file;
mod image;
mod lines;
mod markup;
mod place;
mod summary;
mod tree;

use std::io;
use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest as _, Sha256};

use super::Report;
use crate::plan::Input;
use crate::text::Span;
use lines::Room;
use markup::Markup;

/// The colours and the layout.
const STYLE: &str = include_str!("style.css");
/// Most files of a page.
const MOST_FILES: usize = 2000;

/// What is shown.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// What would happen, or why not.
    pub report: &'a Report,
    /// The patches, for what is put nowhere.
    pub inputs: &'a [Input],
    /// What is shown of each file besides its entry in the report, in the same order.
    pub exhibits: &'a [Exhibit],
}

/// What a page shows of a file besides its entry in the report.
#[derive(Clone, Debug, Default)]
pub struct Exhibit {
    /// A clean diff, as bytes; `None` if there is none.
    pub diff: Option<Vec<u8>>,
    /// The contents before and after, where they are small images.
    pub images: [Option<Arc<Vec<u8>>>; 2],
    /// The section of the patch: the index of the input, and where it stands there.
    pub section: Option<(usize, Span)>,
}

/// Prints a page in HTML.
///
/// It is the same for the same report, and of bounded size: at most 2000 files, 20,000 lines and 4 MiB of them, and 8 MiB
/// of images. What is left out is said.
///
/// # Security
///
/// There is no script in it, and its Content Security Policy allows none: nothing but its own style, and images that stand
/// in it. Whatever comes from a patch is text, in which control, bidi and invisible characters show as escapes of their own
/// look. SVG is shown as the text that it is.
///
/// # Errors
///
/// Returns the error of `out`.
pub fn print_html(page: &Page<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let files = page.report.files.len().min(MOST_FILES);
    let markup = &mut Markup::default();
    head(page, markup);
    summary::summary(page, markup);
    if files < page.report.files.len() {
        markup.raw("<p class=\"word bad\">The page is full: ").count(page.report.files.len() - files, "more file");
        markup.raw(" not shown.</p>\n");
    }
    markup.raw("<div class=\"columns\">\n<nav id=\"files\" aria-labelledby=\"files-title\"><h2 id=\"files-title\">Files</h2>\n");
    tree::tree(&page.report.files[..files], markup);
    markup.raw("</nav>\n<main id=\"changes\"><h2>Changes</h2>\n");
    let mut room = Room::default();
    for index in 0..files {
        file::file(page, index, &mut room, markup);
        out.write_all(markup.take().as_bytes())?;
    }
    markup.raw("</main>\n</div>\n<footer>").text(page.report.tool.name).raw(" ").text(page.report.tool.version);
    markup.raw("</footer>\n</body>\n</html>\n");
    out.write_all(markup.take().as_bytes())
}

fn head(page: &Page<'_>, out: &mut Markup) {
    let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
    out.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-")
        .value(hash);
    out.raw("'; img-src data:; base-uri 'none'; form-action 'none'\">\n");
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    out.raw("<title>").raw(summary::ending(page.report)).raw(": ").count(page.report.summary.files, "file");
    out.raw("</title>\n<style>").raw(STYLE).raw("</style>\n</head>\n<body>\n");
    out.raw("<a class=\"skip\" href=\"#changes\">To the changes</a>\n");
}
