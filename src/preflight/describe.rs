//! Describes file contents for reports.

use std::convert::Infallible;

use super::{ContentDetails, ContentProperties};
use crate::digest::{ObjectFormat, Sha256, hash_blob_stream};
use crate::interrupt::Interrupt;
use crate::text::{BYTE_ORDER_MARK, Contents, is_binary, line_ending_kind};

/// Returns the size and the digest of `content`. If `interrupt` is raised, the digest is wrong and
/// must not be used.
pub(super) fn digest(content: &Contents, interrupt: &Interrupt) -> ContentProperties {
    let slices = content.slices();
    let parts = slices.iter().flat_map(|slice| interrupt.parts(slice));
    ContentProperties {
        size: content.len() as u64,
        sha256: Sha256::of_all(parts.map_while(Result::ok)),
        details: None,
    }
}

/// Returns the name of the blob, the line endings and the encoding of `content`. If `interrupt` is
/// raised, the name is wrong and must not be used.
pub(super) fn details(content: &[u8], interrupt: &Interrupt) -> ContentDetails {
    let parts = |take: &mut dyn FnMut(&[u8])| -> Result<(), Infallible> {
        interrupt
            .parts(content)
            .map_while(Result::ok)
            .for_each(take);
        Ok(())
    };
    let Ok(blob) = hash_blob_stream(content.len() as u64, ObjectFormat::Sha1, parts);
    ContentDetails {
        blob,
        line_end: line_ending_kind(content),
        has_bom: content.starts_with(BYTE_ORDER_MARK),
        has_final_newline: content.ends_with(b"\n"),
        encoding: encoding(content),
    }
}

fn encoding(content: &[u8]) -> &'static str {
    if is_binary(content) {
        "binary"
    } else if std::str::from_utf8(content).is_ok() {
        "utf-8"
    } else {
        "unknown"
    }
}

/// Returns whether `content` has more than 64 KiB or 2000 lines.
pub(super) fn is_large(content: &[u8]) -> bool {
    content.len() > 64 << 10 || memchr::memchr_iter(b'\n', content).count() > 2000
}

/// Truncates a diff after the last line that ends within the first `most` bytes. Returns whether
/// anything was cut.
pub(super) fn clip_diff(mut diff: Vec<u8>, most: usize) -> (Option<Vec<u8>>, bool) {
    let is_cut = diff.len() > most;
    if is_cut {
        diff.truncate(memchr::memrchr(b'\n', &diff[..most]).map_or(0, |end| end + 1));
        // The diff cache counts lengths, not capacities, so unused capacity must be freed.
        diff.shrink_to_fit();
    }
    (Some(diff), is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_described() {
        let side = details(b"\xef\xbb\xbfa\r\nb\n", Interrupt::never());
        assert_eq!(
            (
                side.line_end,
                side.has_bom,
                side.has_final_newline,
                side.encoding
            ),
            ("mixed", true, true, "utf-8")
        );
        let side = details(b"caf\xe9", Interrupt::never());
        assert_eq!(
            (side.line_end, side.has_final_newline, side.encoding),
            ("none", false, "unknown")
        );
        assert_eq!(details(b"\0", Interrupt::never()).encoding, "binary");
    }
}
