//! The line-numbered edits of hashline 18: sections, each with a file, the tag of the version that
//! the numbers are of, and what becomes of its lines.
//!
//! ```text
//! [src/lib.rs#2914]
//! PUT 2.=3:
//! +the new text
//! CUT 7.=9 @x
//! PUT >12 @x
//! ```
//!
//! The marker lines of an envelope may stand around it. Numbers mean the file as it was, whatever
//! stands above them.

mod body;
mod document;
mod line;

use super::{Options, Sections, Syntax, SyntaxError};
use crate::text::{Lines, Span};
use bstr::ByteSlice;
use document::Document;

const BEGIN: &[u8] = b"*** Begin Patch";
const END: &[u8] = b"*** End Patch";
const ABORT: &[u8] = b"*** Abort";

/// Returns whether `line`, without blanks at its end, is the header of a section: the path and the
/// tag.
pub(crate) fn is_header(line: &[u8]) -> bool {
    line::header(line).is_ok()
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

    /// A header counts only with what belongs below it: in mail a line in brackets is nothing
    /// special. Lines of the older generations count at the start of the text, so that they can be
    /// refused by their name.
    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut header: Option<usize> = None;
        let mut begin: Option<usize> = None;
        let mut is_first = from == 0;
        let rest = &text[from..];
        let has_header = rest.starts_with(b"[") || rest.contains_str(b"\n[");
        for (span, line) in Lines::within(text, Span::new(from, text.len())) {
            if !(is_first || has_header) {
                return None;
            }
            let line = line::trimmed(line);
            if line.is_empty() {
                continue;
            }
            let is_old = line::older_form(line).is_some();
            match header {
                Some(start) if is_old || line::begins_operation(line) => return Some(start),
                None if is_first && is_old => return Some(begin.unwrap_or(span.start)),
                _ => {}
            }
            header = line::is_header(line).then(|| begin.unwrap_or(span.start));
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
}
