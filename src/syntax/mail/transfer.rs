//! Decodes the transfer encoding and the soft line breaks of one part.

use super::header::{BodyEncoding, LineWrapping, MailHeader, mail_error};
use super::{DecodedMail, MailError};
use crate::syntax::SyntaxError;
use crate::text::{PartEncoding, SourceMap, Span, decode_quoted_byte, lines, sextet};

/// The distance in bytes between the position marks of a text whose lines are looked up one by one.
const FLOWED_STEP: usize = 64;

/// Appends the decoded text of the part at `span`.
///
/// # Errors
///
/// Returns an error for the first byte that cannot be decoded.
pub(super) fn decode_part(
    input: &[u8],
    span: Span,
    header: &MailHeader,
    out: &mut DecodedMail,
) -> Result<(), SyntaxError> {
    if header.wrapping == LineWrapping::Fixed {
        return decode_transfer_encoding(input, span, header, out);
    }
    let mut fixed = DecodedMail {
        text: Vec::new(),
        map: SourceMap::with_step(FLOWED_STEP),
    };
    decode_transfer_encoding(input, span, header, &mut fixed)?;
    unwrap_lines(input, &fixed, header.wrapping, out);
    Ok(())
}

fn decode_transfer_encoding(
    input: &[u8],
    span: Span,
    header: &MailHeader,
    out: &mut DecodedMail,
) -> Result<(), SyntaxError> {
    match header.transfer {
        BodyEncoding::Identity => out.copy(input, span, header.plain_encoding()),
        BodyEncoding::QuotedPrintable => decode_quoted_printable(input, span, out),
        BodyEncoding::Base64 => decode_base64(input, span, out)?,
    }
    Ok(())
}

fn decode_quoted_printable(input: &[u8], span: Span, out: &mut DecodedMail) {
    let mut at = span.start;
    out.map
        .mark(out.text.len(), at, PartEncoding::QuotedPrintable);
    while at < span.end {
        out.map
            .mark_if_far(out.text.len(), at, PartEncoding::QuotedPrintable);
        let rest = &input[at..span.end];
        let most = rest.len().min(out.map.step());
        let plain = rest[..most]
            .iter()
            .take_while(|byte| !matches!(byte, b'=' | b'\r'))
            .count();
        out.text.extend_from_slice(&rest[..plain]);
        at += plain;
        if plain < most {
            let (length, byte) = decode_quoted_byte(&rest[plain..]);
            out.text.extend(byte);
            at += length;
        }
    }
}

/// Appends the bytes of base64 data.
///
/// git skips bytes outside the alphabet, which damages the data after them. wpatch reports an
/// error, except in lines that a mailing list added after the end of the data.
fn decode_base64(input: &[u8], span: Span, out: &mut DecodedMail) -> Result<(), SyntaxError> {
    let (mut bits, mut count, mut group, mut is_padded) = (0_u32, 0_u8, span.start, false);
    out.map
        .mark(out.text.len(), span.start, PartEncoding::Base64);
    for at in span.start..span.end {
        let byte = input[at];
        if let Some(value) = sextet(byte) {
            if count == 0 {
                (group, is_padded) = (at, false);
                out.map
                    .mark_if_far(out.text.len(), at, PartEncoding::Base64);
            }
            (bits, count) = (bits << 6 | u32::from(value), count + 1);
            if count == 4 {
                out.text.extend_from_slice(&bits.to_be_bytes()[1..]);
                (bits, count) = (0, 0);
            }
        } else if byte == b'=' {
            if count == 1 {
                return Err(mail_error(MailError::Base64End, Span::new(group, at + 1)));
            }
            finish_group(bits, count, out);
            (bits, count, is_padded) = (0, 0, true);
            out.map.mark(out.text.len(), at + 1, PartEncoding::Base64);
        } else if !byte.is_ascii_whitespace() {
            let before = &input[span.start..at];
            let is_after_end =
                count == 0 && before.ends_with(b"\n") && (is_padded || is_blank_line(before));
            if is_after_end {
                out.copy(input, Span::new(at, span.end), PartEncoding::Plain);
                return Ok(());
            }
            return Err(mail_error(
                MailError::Base64Byte(byte),
                Span::new(at, at + 1),
            ));
        }
    }
    // Some programs omit the padding. An incomplete group of two characters has four spare bits, a
    // group of three has two. If a spare bit is set, the data is truncated.
    let spare = [0, 0x3f, 0x0f, 0x03][usize::from(count)];
    if count == 1 || bits & spare != 0 {
        return Err(mail_error(MailError::Base64End, Span::new(group, span.end)));
    }
    finish_group(bits, count, out);
    Ok(())
}

/// Returns whether `text` ends with a blank line.
fn is_blank_line(text: &[u8]) -> bool {
    text.ends_with(b"\n\n") || text.ends_with(b"\n\r\n")
}

/// Appends the bytes of an incomplete group of `count` characters.
fn finish_group(bits: u32, count: u8, out: &mut DecodedMail) {
    let bytes = (bits << (6 * u32::from(4 - count.min(4)))).to_be_bytes();
    let length = usize::from(count.saturating_sub(1));
    out.text.extend_from_slice(&bytes[1..=length]);
}

/// Appends the lines of `fixed` without soft line breaks and stuffed blanks (`handle_filter_flowed`
/// in git's `mailinfo.c`).
fn unwrap_lines(input: &[u8], fixed: &DecodedMail, wrapping: LineWrapping, out: &mut DecodedMail) {
    let mut is_joined = false;
    for (span, line) in lines(&fixed.text) {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let mut kept = span;
        if content == b"-- " {
            if is_joined {
                out.end_line(fixed.map.input_offset(input, span.start).0);
            }
            is_joined = false;
        } else {
            let stuffed = usize::from(content.starts_with(b" "));
            kept.start += stuffed;
            is_joined = content.len() > stuffed && content.ends_with(b" ");
            if is_joined {
                kept.end = span.start + content.len()
                    - usize::from(wrapping == LineWrapping::FlowedWithoutSpace);
            }
        }
        out.copy_decoded(input, fixed, kept);
    }
}
