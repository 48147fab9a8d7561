//! Binary files: sizes and digests, and images side by side.

use imagesize::blob_size;

use super::FilePreview;
use super::markup::Markup;
use crate::preflight::media_type;
use crate::report::{Contents, FileReport};
use crate::text::Bytes;

/// The maximum number of pixels of an image that is shown. A few bytes can make a browser allocate
/// gigabytes.
const MAX_PIXELS: usize = 16 << 20;

/// Adds both versions of a file.
pub(super) fn add_sides(file: &FileReport, exhibit: &FilePreview, out: &mut Markup) {
    let is_same = file.sha256_before.is_some() && file.sha256_before == file.sha256_after;
    out.raw("<div class=\"sides\">\n");
    if is_same {
        add_side(
            "Before and after",
            (
                &file.after,
                &file.sha256_after,
                exhibit.images[1].as_deref(),
            ),
            out,
        );
    } else {
        add_side(
            "Before",
            (
                &file.before,
                &file.sha256_before,
                exhibit.images[0].as_deref(),
            ),
            out,
        );
        add_side(
            "After",
            (
                &file.after,
                &file.sha256_after,
                exhibit.images[1].as_deref(),
            ),
            out,
        );
    }
    out.raw("</div>\n");
}

/// The content, the digest and the image of one version.
type ImageVersion<'a> = (
    &'a Option<Box<Contents>>,
    &'a Option<String>,
    Option<&'a Bytes>,
);

fn add_side(title: &'static str, (contents, digest, image): ImageVersion<'_>, out: &mut Markup) {
    out.raw("<figure><figcaption><strong>")
        .raw(title)
        .raw("</strong> ");
    let Some(contents) = contents else {
        out.raw("no file, or not recorded</figcaption></figure>\n");
        return;
    };
    out.count(usize::try_from(contents.size).unwrap_or(usize::MAX), "byte");
    let shown = image.and_then(|bytes| Some((bytes, media_type(bytes)?, blob_size(bytes).ok()?)));
    if let Some((_, _, size)) = shown {
        out.raw(", ")
            .number(size.width)
            .raw(" \u{d7} ")
            .number(size.height)
            .raw(" pixels");
    }
    if let Some(digest) = digest {
        out.raw("<br><code class=\"digest\">")
            .text(digest)
            .raw("</code>");
    }
    out.raw("</figcaption>\n");
    match shown {
        Some((bytes, media_type, size)) if size.width.saturating_mul(size.height) <= MAX_PIXELS => {
            out.raw("<img alt=\"")
                .raw(title)
                .raw("\" src=\"data:")
                .raw(media_type)
                .raw(";base64,")
                .base64(bytes);
            out.raw("\">\n");
        }
        Some(_) => {
            out.raw("<p class=\"word\">Too many pixels to be shown.</p>\n");
        }
        None => {}
    }
    out.raw("</figure>\n");
}
