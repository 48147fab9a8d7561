//! Replaces parts of a patch file, which can be a mail.

use crate::plan::Input;
use crate::text::{PartEncoding, Span, lines, without_ending};

/// The reason why a mail cannot be rewritten.
const ENCODED: &str =
    "the mail encodes the diff (Content-Transfer-Encoding); decode it with `git mailinfo`";

/// A part of a patch that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextEdit {
    pub(super) span: Span,
    pub(super) text: Vec<u8>,
}

/// Returns `text` with CR LF at the end of each line.
pub(super) fn with_crlf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for (_, line) in lines(text) {
        out.extend_from_slice(without_ending(line));
        if line.ends_with(b"\n") {
            out.extend_from_slice(b"\r\n");
        }
    }
    out
}

/// Returns the bytes of the patch file after `edits`, which must not overlap.
///
/// # Errors
///
/// Returns the reason if a part to replace is encoded in the patch file.
pub(super) fn apply_edits(
    patch: &Input,
    mut edits: Vec<TextEdit>,
) -> Result<Vec<u8>, &'static str> {
    edits.sort_by_key(|edit| edit.span.start);
    let original = patch.original();
    let mut out = Vec::with_capacity(original.len());
    let mut copied = 0;
    for edit in edits {
        let start = patch.original_offset(edit.span.start);
        let end = patch.original_offset(edit.span.end);
        let (encoded, decoded) = (original.get(start..end), edit.span.slice(&patch.bytes));
        out.extend_from_slice(original.get(copied..start).ok_or(ENCODED)?);
        // In quoted-printable, line numbers are readable. Other lines would have to be encoded.
        let is_readable = !is_quoted_printable(patch, edit.span) || !edit.text.contains(&b'\n');
        match encoded {
            Some(encoded) if encoded == decoded && is_readable => out.extend(edit.text),
            Some(encoded) if *encoded == with_crlf(decoded) => out.extend(with_crlf(&edit.text)),
            _ => return Err(ENCODED),
        }
        copied = end;
    }
    out.extend_from_slice(original.get(copied..).ok_or(ENCODED)?);
    Ok(out)
}

/// Returns whether the mail encodes the text at `span` in quoted-printable.
fn is_quoted_printable(patch: &Input, span: Span) -> bool {
    patch.origin.as_ref().is_some_and(|origin| {
        let (_, encoding) = origin.map.input_offset(&origin.bytes, span.start);
        encoding == PartEncoding::QuotedPrintable
    })
}
