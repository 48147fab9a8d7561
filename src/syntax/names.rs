//! The names on the header lines of diffs.

use bstr::ByteSlice;

use super::{SyntaxError, SyntaxErrorKind, quoted, stamp};
use crate::plan::{NameCandidate, StripRule};
use crate::text::Span;

/// The name on a `---` or `+++` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HeaderName {
    /// `/dev/null`.
    Null,
    /// A file. The flag is set if its time stamp marks it as missing.
    File(NameCandidate, bool),
}

/// Reads the text after `--- ` or `+++ ` in a diff without git header. `is_nowhere` reads the text
/// after the name and returns whether the file is missing.
///
/// # Errors
///
/// Returns an error if the name is missing or its quoting is damaged.
pub(super) fn read_dated(
    text: &[u8],
    span: Span,
    is_missing: fn(&[u8]) -> bool,
) -> Result<HeaderName, SyntaxError> {
    let line = span.slice(text);
    if is_null(line) {
        return Ok(HeaderName::Null);
    }
    if line.starts_with(b"\"")
        && let (claim, rest @ ([] | [b' ' | b'\t', ..])) =
            read_quoted(text, span, StripRule::Prefixed)?
    {
        return Ok(HeaderName::File(claim, is_missing(rest)));
    }
    // If other text follows the closing quote, as in `"a/"sub`, the quotes are part of the name.
    let length = stamp::name_length(line);
    let claim = read_plain(
        text,
        Span::new(span.start, span.start + length),
        StripRule::Prefixed,
    )?;
    Ok(HeaderName::File(claim, is_missing(&line[length..])))
}

/// Reads the text after `--- ` or `+++ ` below a git header. Only a tab ends the name.
///
/// # Errors
///
/// Returns an error if the name is missing or its quoting is damaged.
pub(super) fn read_until_tab(text: &[u8], span: Span) -> Result<HeaderName, SyntaxError> {
    let line = span.slice(text);
    if is_null(line) {
        return Ok(HeaderName::Null);
    }
    let length = memchr::memchr(b'\t', line).unwrap_or(line.len());
    let is_nowhere = stamp::is_nonexistent(&line[length..]);
    read_name(
        text,
        Span::new(span.start, span.start + length),
        StripRule::Prefixed,
    )
    .map(|claim| HeaderName::File(claim, is_nowhere))
}

/// Reads a name that extends to the end of the line, for example after `rename from`.
///
/// # Errors
///
/// Returns an error if the name is missing or its quoting is damaged.
pub(super) fn read_name(
    text: &[u8],
    span: Span,
    strip: StripRule,
) -> Result<NameCandidate, SyntaxError> {
    if !span.slice(text).starts_with(b"\"") {
        return read_plain(text, span, strip);
    }
    match read_quoted(text, span, strip)? {
        (claim, []) => Ok(claim),
        _ => Err(SyntaxError::new(SyntaxErrorKind::QuotedName, span)),
    }
}

/// Reads the two names of a `diff --git` line if at least one of them is quoted, otherwise returns
/// `None`.
///
/// # Errors
///
/// Returns an error if a name is missing or its quoting is damaged.
pub(super) fn read_quoted_pair(
    text: &[u8],
    span: Span,
) -> Result<Option<[NameCandidate; 2]>, SyntaxError> {
    let line = span.slice(text);
    let damaged = || SyntaxError::new(SyntaxErrorKind::QuotedName, span);
    if line.starts_with(b"\"") {
        let (old, rest) = read_quoted(text, span, StripRule::Prefixed)?;
        let new = rest.strip_prefix(b" ").ok_or_else(damaged)?.len();
        return Ok(Some([
            old,
            read_name(
                text,
                Span::new(span.end - new, span.end),
                StripRule::Prefixed,
            )?,
        ]));
    }
    // The first name is plain, so a quote after a blank starts the second one.
    let Some(quote) = line.find(b" \"") else {
        return Ok(None);
    };
    let blank = span.start + quote;
    let new = read_name(text, Span::new(blank + 1, span.end), StripRule::Prefixed)?;
    Ok(Some([
        read_plain(text, Span::new(span.start, blank), StripRule::Prefixed)?,
        new,
    ]))
}

fn read_plain(text: &[u8], span: Span, strip: StripRule) -> Result<NameCandidate, SyntaxError> {
    if span.is_empty() {
        return Err(SyntaxError::new(
            SyntaxErrorKind::Expected("a file name"),
            span,
        ));
    }
    Ok(NameCandidate {
        bytes: span.slice(text).to_vec(),
        strip,
        span,
    })
}

fn read_quoted(
    text: &[u8],
    span: Span,
    strip: StripRule,
) -> Result<(NameCandidate, &[u8]), SyntaxError> {
    let (bytes, rest) = quoted::unquote(span.slice(text))
        .ok_or_else(|| SyntaxError::new(SyntaxErrorKind::QuotedName, span))?;
    let span = Span::new(span.start, span.end - rest.len());
    Ok((
        NameCandidate { bytes, strip, span },
        &text[span.end..span.end + rest.len()],
    ))
}

fn is_null(line: &[u8]) -> bool {
    line.strip_prefix(b"/dev/null")
        .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}
