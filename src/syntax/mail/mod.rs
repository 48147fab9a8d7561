//! Decodes a message or a mailbox before a grammar reads it.
//!
//! The result is the text that `git am` passes to `git apply`. Transfer encodings, soft line breaks
//! of `format=flowed` and the delimiter lines of multipart messages are removed (git's `mailinfo.c`
//! and `builtin/mailsplit.c`). The charset does not change the text of a patch. Read [`decode`]
//! first.
//!
//! Only a text that starts with a `From ` line or with header fields is mail. A text without an
//! encoded message is not copied.

mod error;
#[cfg_attr(
    not(feature = "encodings"),
    allow(dead_code, reason = "without it no field names these forms")
)]
mod header;
mod parts;
mod transfer;

use bstr::ByteSlice;
pub use error::MailError;
use header::MailHeader;

use super::{SyntaxError, series};
use crate::text::{Bytes, EncodedSource, PartEncoding, SourceMap, Span, without_ending};

/// The text of decoded mail.
#[derive(Debug, Default)]
pub struct DecodedMail {
    /// The decoded text.
    pub text: Vec<u8>,
    /// The position in the input of each part of `text`.
    pub map: SourceMap,
}

/// Decodes `input` if it is mail with an encoded message. Returns `None` if a grammar can read the
/// input without decoding.
///
/// A mail with CR LF line endings gets LF, as `git am` does without `--keep-cr`. Message headers
/// remain in the text. The headers of the parts of a multipart message do not.
///
/// # Errors
///
/// Returns an error for the first part that cannot be decoded.
pub fn decode(input: &[u8]) -> Result<Option<DecodedMail>, SyntaxError> {
    let Some(start) = find_start(input) else {
        return Ok(None);
    };
    let mut reader = MailboxReader {
        input,
        copied: 0,
        decoded: None,
    };
    let mut at = start;
    while at < input.len() {
        at = reader.read_message(at)?;
    }
    reader.finish(input.len());
    Ok(reader.decoded)
}

/// Returns the start of the first message if `input` is mail.
pub(crate) fn find_start(input: &[u8]) -> Option<usize> {
    let start = input
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .unwrap_or(input.len());
    let start = memchr::memrchr(b'\n', &input[..start]).map_or(0, |newline| newline + 1);
    let first = line_at(input, start);
    let has_fields = || {
        header::field_name(first).is_some()
            && MailHeader::read(input, start).is_ok_and(|(header, _)| header.is_mail)
    };
    (series::is_from_line(first) || has_fields()).then_some(start)
}

/// Returns the start of the body of the message at `start`, or `None` if no message starts there.
pub(super) fn find_body(text: &[u8], start: usize) -> Option<usize> {
    let (header, body) = MailHeader::read(text, start).ok()?;
    header.is_mail.then_some(body)
}

/// Reads the messages of a mailbox one by one.
struct MailboxReader<'i> {
    input: &'i [u8],
    /// The end of the part of the input that is already in the text.
    copied: usize,
    decoded: Option<DecodedMail>,
}

impl MailboxReader<'_> {
    /// Reads the message at `start` and returns the start of the next one.
    fn read_message(&mut self, start: usize) -> Result<usize, SyntaxError> {
        let (header, body) = MailHeader::read(self.input, start)?;
        let end = self.find_message_end(start, body, &header);
        // A message that is not encoded is copied later, with the text around it.
        if header.is_mail && header.is_encoded() {
            let copied = self.copied;
            let opened = self.decoded.get_or_insert_default();
            opened.copy(self.input, Span::new(copied, start), PartEncoding::Plain);
            opened.copy(self.input, Span::new(start, body), header.plain_encoding());
            let text = opened.text.len();
            parts::decode(self.input, Span::new(body, end), &header, opened)?;
            // At the end of the input, the grammar reports a truncated line.
            if end < self.input.len() {
                refuse_truncated_line(&opened.text[text..], end)?;
                opened.end_line(end);
            }
            self.copied = end;
        }
        Ok(end)
    }

    /// Returns the end of the message whose body starts at `body`: the next `From ` line.
    ///
    /// If the message itself does not start with a `From ` line, its parts can contain such lines,
    /// as in git. Attachments often start with one. Every search starts one byte earlier, at the
    /// line feed before the line.
    fn find_message_end(&self, start: usize, body: usize, header: &MailHeader) -> usize {
        let is_single = !series::is_from_line(line_at(self.input, start));
        let closing = header.boundary.as_ref().filter(|_| is_single);
        let closing = closing.map(|boundary| [b"\n--", &boundary[..], b"--"].concat());
        let after_parts = closing.map_or(body, |closing| {
            let at = self.input[body.saturating_sub(1)..].find(&closing);
            at.map_or(self.input.len(), |at| body.saturating_sub(1) + at + 1)
        });
        let from = after_parts.saturating_sub(1);
        let borders = self.input[from..]
            .find_iter(b"\nFrom ")
            .map(|at| from + at + 1);
        let mut ends =
            borders.filter(|&at| at > start && series::is_from_line(line_at(self.input, at)));
        ends.next().unwrap_or(self.input.len())
    }

    /// Copies the rest of the input if a message was decoded.
    fn finish(&mut self, end: usize) {
        if let Some(opened) = &mut self.decoded {
            opened.copy(self.input, Span::new(self.copied, end), PartEncoding::Plain);
        }
    }
}

impl DecodedMail {
    /// Returns the text, and `input` as its origin.
    #[must_use]
    pub fn into_parts(self, input: Bytes) -> (Vec<u8>, EncodedSource) {
        (
            self.text,
            EncodedSource {
                bytes: input,
                map: self.map,
            },
        )
    }

    /// Appends the bytes of `span` with their positions.
    fn copy(&mut self, input: &[u8], span: Span, coding: PartEncoding) {
        let mut at = span.start;
        self.map.mark(self.text.len(), at, coding);
        if coding == PartEncoding::CrLf {
            while let Some(cr) = input[at..span.end].find(b"\r\n") {
                self.text.extend_from_slice(&input[at..at + cr]);
                at += cr + 1;
                self.map.mark_if_far(self.text.len(), at, coding);
            }
        }
        self.text.extend_from_slice(&input[at..span.end]);
    }

    /// Appends the bytes of `decoded` at `span` with their positions in `input`.
    fn copy_decoded(&mut self, input: &[u8], decoded: &Self, span: Span) {
        let mut at = span.start;
        while at < span.end {
            let (source, coding) = decoded.map.input_offset(input, at);
            self.map.mark(self.text.len(), source, coding);
            let end = span.end.min(at + decoded.map.step());
            self.text.extend_from_slice(&decoded.text[at..end]);
            at = end;
        }
    }

    /// Ends a line that lacks its line feed. `at` is the position of the next byte of the input.
    fn end_line(&mut self, at: usize) {
        if self.text.last().is_some_and(|&byte| byte != b'\n') {
            self.map.mark(self.text.len(), at, PartEncoding::Plain);
            self.text.push(b'\n');
        }
    }
}

/// Rejects the text of a message if its last line is a hunk line without a line feed, because the
/// message is then truncated.
///
/// git rejects such a line too. Signatures often lack the line feed.
fn refuse_truncated_line(text: &[u8], at: usize) -> Result<(), SyntaxError> {
    let line = &text[memchr::memrchr(b'\n', text).map_or(0, |newline| newline + 1)..];
    let is_of_hunk =
        matches!(line.first(), Some(b' ' | b'+' | b'-')) && line.trim_ascii_end() != b"--";
    if is_of_hunk && text.contains_str(b"\n@@ -") {
        return Err(header::mail_error(MailError::Truncated, Span::new(at, at)));
    }
    Ok(())
}

/// Returns the line at `start` without its terminator.
fn line_at(input: &[u8], start: usize) -> &[u8] {
    let rest = &input[start.min(input.len())..];
    without_ending(&rest[..memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1)])
}
