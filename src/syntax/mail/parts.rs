//! Decodes the parts of a body in order.

use super::header::{ContentType, MailHeader, mail_error};
use super::transfer::decode_part;
use super::{DecodedMail, MailError};
use crate::syntax::SyntaxError;
use crate::text::{Lines, Span};

/// The maximum number of nested multipart bodies. git allows four (`MAX_BOUNDARIES` in
/// `mailinfo.h`).
const MAX_NESTED: usize = 16;

/// Appends the decoded text of the body at `span`.
///
/// # Errors
///
/// Returns an error for the first part that cannot be decoded.
pub(super) fn decode(
    input: &[u8],
    span: Span,
    header: &MailHeader,
    out: &mut DecodedMail,
) -> Result<(), SyntaxError> {
    let input = &input[..span.end];
    let mut walk = BodyReader {
        input,
        out,
        open: Vec::new(),
        part: None,
    };
    let mut lines = Lines::of_span(input, span);
    walk.begin(header.clone(), &mut lines)?;
    loop {
        let at = lines.offset();
        let Some((_, line)) = lines.next() else { break };
        let Some((depth, is_last)) = walk.find_delimiter(line) else {
            continue;
        };
        walk.flush(at)?;
        // A delimiter ends all inner bodies. The last delimiter also ends its own body.
        walk.open.truncate(depth + usize::from(!is_last));
        if !is_last {
            let (header, body) = MailHeader::read(input, lines.offset())?;
            lines = Lines::of_span(input, Span::new(body, input.len()));
            walk.begin(
                MailHeader {
                    is_crlf: walk.is_crlf(header.is_crlf),
                    ..header
                },
                &mut lines,
            )?;
        }
    }
    walk.flush(span.end)
}

/// The state of one pass through a body.
struct BodyReader<'i, 'o> {
    input: &'i [u8],
    out: &'o mut DecodedMail,
    /// The multipart bodies around the current line, outermost first.
    open: Vec<Multipart>,
    /// The part that contains the current line, and the start of its body. Lines outside all parts
    /// are ignored.
    part: Option<(MailHeader, usize)>,
}

struct Multipart {
    /// `--` and the boundary.
    delimiter: Vec<u8>,
    is_alternative: bool,
    is_crlf: bool,
}

impl<'i> BodyReader<'i, '_> {
    /// Starts a part whose body is next in `lines`.
    fn begin(&mut self, mut header: MailHeader, lines: &mut Lines<'i>) -> Result<(), SyntaxError> {
        // A forwarded message has its own header below the header of its part.
        while header.content == ContentType::Message && header.boundary.is_none() {
            let (inner, body) = MailHeader::read(self.input, lines.offset())?;
            if body == lines.offset() || !inner.is_mail {
                break;
            }
            *lines = Lines::of_span(self.input, Span::new(body, self.input.len()));
            header = MailHeader {
                is_crlf: header.is_crlf,
                ..inner
            };
        }
        let Some(boundary) = header.boundary.take() else {
            self.part = Some((header, lines.offset()));
            return Ok(());
        };
        if self.open.len() == MAX_NESTED {
            let line = Span::new(lines.offset(), lines.offset());
            return Err(mail_error(MailError::Nesting(MAX_NESTED), line));
        }
        let delimiter = [b"--", &boundary[..]].concat();
        let MailHeader {
            is_alternative,
            is_crlf,
            ..
        } = header;
        self.open.push(Multipart {
            delimiter,
            is_alternative,
            is_crlf,
        });
        self.part = None;
        Ok(())
    }

    /// Returns the nesting depth of the multipart body that `line` delimits, and whether `line` is
    /// its last delimiter. A delimiter of an outer body also ends all inner bodies.
    fn find_delimiter(&self, line: &[u8]) -> Option<(usize, bool)> {
        if !line.starts_with(b"--") {
            return None;
        }
        let line = line.trim_ascii_end();
        let found = self
            .open
            .iter()
            .enumerate()
            .rev()
            .filter_map(
                |(depth, multipart)| match line.strip_prefix(&multipart.delimiter[..]) {
                    Some([]) => Some((depth, false)),
                    Some(b"--") => Some((depth, true)),
                    _ => None,
                },
            );
        found.into_iter().next()
    }

    /// Returns whether the lines of a part end in CR LF. The surrounding body decides.
    fn is_crlf(&self, of_part: bool) -> bool {
        self.open
            .last()
            .map_or(of_part, |multipart| multipart.is_crlf)
    }

    /// Appends the text of the current part, which ends at `end`.
    fn flush(&mut self, end: usize) -> Result<(), SyntaxError> {
        let Some((mut header, start)) = self.part.take() else {
            return Ok(());
        };
        let is_alternative = self
            .open
            .last()
            .is_some_and(|multipart| multipart.is_alternative);
        if header.content == ContentType::Other
            || (header.content == ContentType::Html && is_alternative)
        {
            return Ok(());
        }
        header.error.take().map_or(Ok(()), Err)?;
        decode_part(
            self.input,
            Span::new(start.min(end), end),
            &header,
            self.out,
        )?;
        if !self.open.is_empty() {
            self.out.end_line(end);
        }
        Ok(())
    }
}
