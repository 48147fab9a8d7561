//! The names on the header lines of diffs.

use bstr::ByteSlice;

use super::{SyntaxError, SyntaxErrorKind, quoted, stamp};
use crate::plan::{Claim, Strip};
use crate::text::Span;

/// What a `---` or `+++` line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// `/dev/null`.
    Null,
    /// A file; with whether its time stamp says that it does not exist.
    File(Claim, bool),
}

/// Reads what stands behind `--- ` or `+++ ` in a diff without git header; `is_nowhere` reads what
/// follows the name.
///
/// # Errors
///
/// Returns an error for a damaged quoted name or none at all.
pub(super) fn dated(
    text: &[u8],
    span: Span,
    is_nowhere: fn(&[u8]) -> bool,
) -> Result<Side, SyntaxError> {
    let line = span.of(text);
    if is_null(line) {
        return Ok(Side::Null);
    }
    if line.starts_with(b"\"")
        && let (claim, rest @ ([] | [b' ' | b'\t', ..])) = unquoted(text, span, Strip::Prefixed)?
    {
        return Ok(Side::File(claim, is_nowhere(rest)));
    }
    // Where more follows the second quote, as in `"a/"sub`, the quotes belong to the name.
    let length = stamp::name_length(line);
    let claim = plain(
        text,
        Span::new(span.start, span.start + length),
        Strip::Prefixed,
    )?;
    Ok(Side::File(claim, is_nowhere(&line[length..])))
}

/// Reads what stands behind `--- ` or `+++ ` below a git header: a tab ends the name, nothing else
/// does.
///
/// # Errors
///
/// Returns an error for a damaged quoted name or none at all.
pub(super) fn until_tab(text: &[u8], span: Span) -> Result<Side, SyntaxError> {
    let line = span.of(text);
    if is_null(line) {
        return Ok(Side::Null);
    }
    let length = memchr::memchr(b'\t', line).unwrap_or(line.len());
    let is_nowhere = stamp::is_nonexistent(&line[length..]);
    whole(
        text,
        Span::new(span.start, span.start + length),
        Strip::Prefixed,
    )
    .map(|claim| Side::File(claim, is_nowhere))
}

/// Reads a name that takes the rest of a line, as that of `rename from`.
///
/// # Errors
///
/// Returns an error for a damaged quoted name or none at all.
pub(super) fn whole(text: &[u8], span: Span, strip: Strip) -> Result<Claim, SyntaxError> {
    if !span.of(text).starts_with(b"\"") {
        return plain(text, span, strip);
    }
    match unquoted(text, span, strip)? {
        (claim, []) => Ok(claim),
        _ => Err(SyntaxError::new(SyntaxErrorKind::QuotedName, span)),
    }
}

/// Reads the two names of a `diff --git` line, at least one of them quoted; `None` if neither is.
///
/// # Errors
///
/// Returns an error for a damaged quoted name or none at all.
pub(super) fn quoted_pair(text: &[u8], span: Span) -> Result<Option<[Claim; 2]>, SyntaxError> {
    let line = span.of(text);
    let damaged = || SyntaxError::new(SyntaxErrorKind::QuotedName, span);
    if line.starts_with(b"\"") {
        let (old, rest) = unquoted(text, span, Strip::Prefixed)?;
        let new = rest.strip_prefix(b" ").ok_or_else(damaged)?.len();
        return Ok(Some([
            old,
            whole(text, Span::new(span.end - new, span.end), Strip::Prefixed)?,
        ]));
    }
    let Some(quote) = line.find(b" \"") else {
        return Ok(None);
    };
    let blank = span.start + quote;
    let new = whole(text, Span::new(blank + 1, span.end), Strip::Prefixed)?;
    Ok(Some([
        plain(text, Span::new(span.start, blank), Strip::Prefixed)?,
        new,
    ]))
}

fn plain(text: &[u8], span: Span, strip: Strip) -> Result<Claim, SyntaxError> {
    if span.is_empty() {
        return Err(SyntaxError::new(
            SyntaxErrorKind::Expected("the name of a file"),
            span,
        ));
    }
    Ok(Claim {
        bytes: span.of(text).to_vec(),
        strip,
        span,
    })
}

fn unquoted(text: &[u8], span: Span, strip: Strip) -> Result<(Claim, &[u8]), SyntaxError> {
    let (bytes, rest) = quoted::unquote(span.of(text))
        .ok_or_else(|| SyntaxError::new(SyntaxErrorKind::QuotedName, span))?;
    let span = Span::new(span.start, span.end - rest.len());
    Ok((
        Claim { bytes, strip, span },
        &text[span.end..span.end + rest.len()],
    ))
}

fn is_null(line: &[u8]) -> bool {
    line.strip_prefix(b"/dev/null")
        .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}
