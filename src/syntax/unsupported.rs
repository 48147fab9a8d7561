//! Inputs that are recognised and not applied: coloured diffs, combined diffs, word diffs, other
//! encodings, HTML pages, archives.
//!
//! To add a kind, add a variant of [`UnsupportedFormat`] with its name and its help, and a function
//! that recognises it.

use bstr::ByteSlice;

use super::{Compression, SyntaxError, UnicodeEncoding, UnsupportedFormat};
use crate::text::{Lines, Span, decode_entities, without_bom, without_ending};

/// Rejects an input by its first bytes.
///
/// # Errors
///
/// Returns an error for an input that no grammar can read.
pub(super) fn refuse_start(text: &[u8]) -> Result<(), SyntaxError> {
    let found = detect_encoding(text).map(UnsupportedFormat::Encoded);
    let found = found.or_else(|| detect_compression(text).map(UnsupportedFormat::Compressed));
    let found = found.or_else(|| is_page(text).then_some(UnsupportedFormat::Html));
    found.map_or(Ok(()), |found| Err(found.error(Span::new(0, 0))))
}

/// The number of bytes at the start of a text that decide whether it is UTF-16 without byte order
/// mark.
const PROBED_BYTES: usize = 64;

/// Returns the encoding of `text` if it is UTF-16 or UTF-32, with or without byte order mark.
#[must_use]
pub(crate) fn detect_encoding(text: &[u8]) -> Option<UnicodeEncoding> {
    // The mark of UTF-32 starts with the mark of UTF-16, so it is tested first.
    match text {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Some(UnicodeEncoding::Utf32),
        [0xff, 0xfe, ..] => return Some(UnicodeEncoding::Utf16Le),
        [0xfe, 0xff, ..] => return Some(UnicodeEncoding::Utf16Be),
        _ => {}
    }
    // Without the mark, the text is UTF-16 if it starts with ASCII characters in this encoding.
    let start = &text[..text.len().min(PROBED_BYTES) & !1];
    let is_ascii = |byte: u8| byte != 0 && byte.is_ascii();
    let all = |zero: usize| {
        start
            .chunks_exact(2)
            .all(|pair| pair[zero] == 0 && is_ascii(pair[1 - zero]))
    };
    match start.len() >= 8 {
        true if all(1) => Some(UnicodeEncoding::Utf16Le),
        true if all(0) => Some(UnicodeEncoding::Utf16Be),
        _ => None,
    }
}

/// Returns the format of compressed data that starts like `text`.
#[must_use]
pub fn detect_compression(text: &[u8]) -> Option<Compression> {
    const SIGNATURES: [(&[u8], Compression); 6] = [
        (b"\x1f\x8b", Compression::Gzip),
        (b"\xfd7zXZ\0", Compression::Xz),
        (b"BZh", Compression::Bzip2),
        (b"\x28\xb5\x2f\xfd", Compression::Zstd),
        (b"\x5d\0\0\x80\0", Compression::Lzma),
        (b"PK\x03\x04", Compression::Zip),
    ];
    SIGNATURES
        .iter()
        .find(|(signature, _)| text.starts_with(signature))
        .map(|(_, format)| *format)
}

fn is_page(text: &[u8]) -> bool {
    const STARTS: [&[u8]; 6] = [
        b"<!doctype html",
        b"<html",
        b"<head",
        b"<body",
        b"<pre",
        b"<div",
    ];
    let start = without_bom(text).trim_ascii_start();
    // XHTML starts with an XML declaration.
    let start = match start
        .strip_prefix(b"<?xml")
        .and_then(|rest| Some((rest.find(b"?>")?, rest)))
    {
        Some((end, rest)) => rest[end + 2..].trim_ascii_start(),
        None => start,
    };
    // The name of the tag must end here: `<divide by zero>` is not a tag.
    let ends = |rest: &[u8]| {
        rest.first()
            .is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
    };
    STARTS.iter().any(|with| {
        start
            .split_at_checked(with.len())
            .is_some_and(|(found, rest)| found.eq_ignore_ascii_case(with) && ends(rest))
    })
}

/// Recognises an input that contains no section.
pub(super) fn explain_missing_section(text: &[u8]) -> Option<SyntaxError> {
    let mut lines = Lines::of_span(text, Span::new(0, text.len()));
    lines.find_map(|(span, line)| {
        let line = without_ending(line);
        let kind = if is_coloured(line) {
            UnsupportedFormat::Coloured
        } else if is_markup(line) || is_escaped_header(line) {
            UnsupportedFormat::Html
        } else if is_statistics(line) {
            UnsupportedFormat::Statistics
        } else if is_side_by_side(line) {
            UnsupportedFormat::SideBySide
        } else {
            return None;
        };
        Some(kind.error(Span::new(span.start, span.start + line.len())))
    })
}

/// Returns whether a line contains colour escape sequences.
fn is_coloured(line: &[u8]) -> bool {
    memchr::memchr_iter(b'\x1b', line).any(|at| escape_len(&line[at..]).is_some())
}

/// Returns whether a line is a header whose signs are HTML entities.
fn is_escaped_header(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 7] = [
        b"diff --git ",
        b"--- ",
        b"+++ ",
        b"@@ -",
        b"<<<<<<< SEARCH",
        b">>>>>>> REPLACE",
        b"*** Begin Patch",
    ];
    let plain = decode_entities(line);
    plain != line && STARTS.iter().any(|start| plain.starts_with(start))
}

/// Returns whether a line contains the tags of an HTML page that shows a diff.
fn is_markup(line: &[u8]) -> bool {
    let has = |words: &[u8]| line.contains_str(words);
    let is_diff = [&b"diff --git "[..], b"--- ", b"+++ ", b"@@ -"]
        .iter()
        .any(|words| has(words));
    let has_tag = [&b"<pre"[..], b"<code", b"<span", b"<div", b"<td", b"<br"]
        .iter()
        .any(|words| has(words));
    line.starts_with(b"<pre") || is_diff && has_tag
}

/// Returns whether a line has the form ` NAME | 3 +-` or ` 2 files changed, 3 insertions(+)`.
fn is_statistics(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b" ") else {
        return false;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_sum = digits > 0
        && [&b" file changed"[..], b" files changed"]
            .iter()
            .any(|words| rest[digits..].starts_with(words));
    let is_graph = rest.rfind(b" | ").is_some_and(|at| {
        let counts = rest[at + 3..].trim_ascii();
        let number = counts
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        number > 0 && counts[number..].iter().all(|byte| b" +-".contains(byte))
    });
    is_sum || is_graph
}

/// Returns whether a line is output of `diff -y`: blanks up to the middle, then a sign.
fn is_side_by_side(line: &[u8]) -> bool {
    let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
    memchr::memchr3_iter(b'|', b'<', b'>', line).any(|at| {
        let before = line[..at]
            .iter()
            .rev()
            .take_while(|byte| is_blank(**byte))
            .count();
        let has_tab = line[at - before..at].contains(&b'\t');
        let ends = if line[at] == b'<' {
            at + 1 == line.len()
        } else {
            line.get(at + 1) == Some(&b'\t')
        };
        before >= 2 && has_tab && ends
    })
}

/// Returns whether the hunk whose header starts at `from` marks words.
pub(super) fn is_word_diff(text: &[u8], from: usize) -> bool {
    let pair = |line: &[u8], open: &[u8], close: &[u8]| {
        line.find(open)
            .is_some_and(|at| line[at + open.len()..].contains_str(close))
    };
    let mut lines = Lines::of_span(text, Span::new(from, text.len()));
    lines.next();
    let is_body = |line: &[u8]| !line.starts_with(b"@@ -") && !line.starts_with(b"diff --git ");
    lines
        .map(|(_, line)| without_ending(line))
        .take_while(|line| is_body(line))
        .any(|line| line == b"~" || pair(line, b"[-", b"-]") || pair(line, b"{+", b"+}"))
}

/// Returns the length of the escape sequences at the start of `text` that set colours or clear the
/// line.
#[must_use]
pub(crate) fn leading_escapes_len(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(next) = escape_len(&text[length..]) {
        length += next;
    }
    length
}

/// Returns the length of the escape sequence at the start of `text`, of the form `ESC [ NUMBERS m`
/// or `ESC [ K`.
#[must_use]
pub(crate) fn escape_len(text: &[u8]) -> Option<usize> {
    /// The maximum length of a colour sequence, as in
    /// `ESC [ 1;38;2;255;255;255;48;2;255;255;255 m`.
    const LONGEST: usize = 48;
    let rest = text.strip_prefix(b"\x1b[")?;
    let numbers = rest
        .iter()
        .take(LONGEST)
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    matches!(rest.get(numbers), Some(b'm' | b'K')).then_some(2 + numbers + 1)
}

/// Returns `line` without the escape sequences that set colours or clear the line.
#[must_use]
pub(crate) fn without_escapes(line: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(line.len()), line);
    while let Some(&byte) = rest.first() {
        if let Some(length) = escape_len(rest) {
            rest = &rest[length..];
        } else {
            plain.push(byte);
            rest = &rest[1..];
        }
    }
    plain
}

/// Returns whether `line` is a header of a coloured diff.
pub(crate) fn is_coloured_header(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 5] = [b"diff --git ", b"diff -", b"@@ -", b"--- ", b"+++ "];
    let length = leading_escapes_len(line);
    let rest = &line[length..];
    length > 0 && (STARTS.iter().any(|start| rest.starts_with(start)) || is_coloured_command(rest))
}

/// Returns whether `rest`, the line after its colour, is the command of a normal diff, such as
/// `6c6`, followed by an escape sequence.
fn is_coloured_command(rest: &[u8]) -> bool {
    let end = memchr::memchr(b'\x1b', rest).unwrap_or(0);
    let command = &rest[..end];
    let is_part = |part: &[u8]| {
        !part.is_empty()
            && part
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b',')
    };
    let mut parts = command.split(|byte| matches!(byte, b'a' | b'c' | b'd'));
    matches!((parts.next(), parts.next(), parts.next()), (Some(old), Some(new), None) if is_part(old) && is_part(new))
}

#[cfg(test)]
mod tests;
