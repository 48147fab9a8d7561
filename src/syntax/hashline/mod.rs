//! The line-numbered edits of hashline 18. A section names a file and the tag of its version, and
//! contains edits of numbered lines.
//!
//! ```text
//! [src/lib.rs#2914]
//! PUT 2.=3:
//! +the new text
//! CUT 7.=9 @x
//! PUT >12 @x
//! ```
//!
//! The marker lines of an envelope can surround the sections. All line numbers refer to the file
//! before the change, independent of earlier edits. Read `document.rs` first: it turns sections
//! into operations. `line.rs` parses single lines and `body.rs` the rows below a `PUT`.

mod body;
mod document;
mod line;

use super::{Options, Sections, Syntax, SyntaxError};
use crate::syntax::writers::{self, PatchChange, WriteError};
use crate::text::{Lines, Span};
use bstr::ByteSlice;
use document::Document;

const BEGIN: &[u8] = b"*** Begin Patch";
const END: &[u8] = b"*** End Patch";
const ABORT: &[u8] = b"*** Abort";

/// Returns whether `line` is the header of a section with path and tag. `line` must have no blanks
/// at its end.
pub(crate) fn is_header(line: &[u8]) -> bool {
    line::parse_header(line).is_ok()
}

/// The grammar of hashline.
pub(super) struct Hashline;

impl Syntax for Hashline {
    fn name(&self) -> &'static str {
        "hashline"
    }

    fn formats(&self) -> &'static [&'static str] {
        &["hashline"]
    }

    fn grammar(&self) -> &'static str {
        include_str!("../../../grammar/hashline.lark")
    }

    /// A header counts only with an operation below it, because mail can contain lines in brackets.
    /// Lines of older versions of the format count only at the start of the text, so that the error
    /// can name them.
    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut header: Option<usize> = None;
        let mut begin: Option<usize> = None;
        let mut is_first = from == 0;
        let rest = &text[from..];
        let has_header = rest.starts_with(b"[") || rest.contains_str(b"\n[");
        for (span, line) in Lines::of_span(text, Span::new(from, text.len())) {
            if !(is_first || has_header) {
                return None;
            }
            let line = line::trim_end(line);
            if line.is_empty() {
                continue;
            }
            let is_old = line::detect_older_form(line).is_some();
            match header {
                Some(start) if is_old || line::begins_operation(line) => return Some(start),
                None if is_first && is_old => return Some(begin.unwrap_or(span.start)),
                _ => {}
            }
            header = line::is_header_like(line).then(|| begin.unwrap_or(span.start));
            begin = (line == BEGIN).then_some(span.start);
            is_first = is_first && line == BEGIN;
        }
        None
    }

    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError> {
        let end = Document::new(text, from, options, sections).read()?;
        sections.step += 1;
        Ok(end)
    }

    fn write(&self, changes: &[PatchChange<'_>], _: usize) -> Result<Vec<u8>, WriteError> {
        writers::write_hashline(changes)
    }
}
