//! Converts context and normal diffs to unified hunks, so that one table of repairs serves all
//! three grammars.
//!
//! Each line keeps its span and number in the patch. Lines outside of such hunks stay unchanged.

mod context;
mod normal;

use super::line::{Line, plain_lines};
use crate::text::{LineEnding, Span};

/// A line of the patch, or the equivalent line of a unified diff.
pub(super) struct OwnedLine<'t> {
    text: Vec<u8>,
    /// The original line.
    whole: &'t [u8],
    ending: LineEnding,
    span: Span,
    number: usize,
    /// Whether the line is the header of a hunk of a normal diff.
    is_normal: bool,
    /// Whether the line belongs to a converted hunk.
    is_converted: bool,
}

impl OwnedLine<'_> {
    pub(super) fn as_line(&self) -> Line<'_> {
        let Self {
            text,
            whole,
            ending,
            span,
            number,
            is_normal,
            is_converted,
        } = self;
        Line {
            text,
            whole,
            ending: *ending,
            span: *span,
            number: *number,
            is_normal: *is_normal,
            is_converted: *is_converted,
        }
    }
}

/// Returns the lines of `text` with all hunks converted to unified hunks; `None` if no hunk needs a
/// conversion.
///
/// # Errors
///
/// Returns the span of a hunk whose halves do not agree, or of an incomplete hunk.
pub(super) fn convert_hunks(text: &[u8]) -> Option<Result<Vec<OwnedLine<'_>>, Span>> {
    let all = plain_lines(text);
    let has_context = (0..all.len()).any(|at| context::is_hunk_start(&all[at..]));
    let has_normal = (0..all.len()).any(|at| normal::is_hunk_start(&all[at..]));
    (has_context || has_normal)
        .then(|| convert(&all, (has_context, has_normal), text.ends_with(b"\n")))
}

fn convert<'t>(
    all: &[Line<'t>],
    (has_context, has_normal): (bool, bool),
    is_whole: bool,
) -> Result<Vec<OwnedLine<'t>>, Span> {
    let (mut out, mut at) = (Vec::with_capacity(all.len()), 0);
    while at < all.len() {
        let rest = &all[at..];
        let is_hunk = context::is_hunk_start(rest) || normal::is_hunk_start(rest);
        if context::is_hunk_start(rest) {
            // The two lines above name the file.
            convert_header(&mut out, b"*** ", b"--- ");
            at += context::convert_hunk(rest, &mut out)?;
        } else if normal::is_hunk_start(rest) {
            convert_index_line(&mut out);
            at += normal::convert_hunk(rest, &mut out)?;
        } else if has_context && context::is_border(rest[0])
            || has_normal && normal::is_part(rest[0])
        {
            // The line is a part of a hunk that lacks other lines. As prose, its change would be
            // lost.
            return Err(rest[0].span);
        } else {
            out.push(to_owned_line(all[at]));
            at += 1;
        }
        // As in strict mode, a last line without a newline can be truncated. A `\` note has only
        // one meaning, even if it is truncated.
        if is_hunk && at == all.len() && !is_whole && !all[at - 1].text.starts_with(b"\\") {
            return Err(all[at - 1].span);
        }
    }
    Ok(out)
}

fn to_owned_line(line: Line<'_>) -> OwnedLine<'_> {
    let Line {
        text,
        whole,
        ending,
        span,
        number,
        ..
    } = line;
    OwnedLine {
        text: text.to_vec(),
        whole,
        ending,
        span,
        number,
        is_normal: false,
        is_converted: false,
    }
}

/// Returns `line` with the converted text `text`.
fn with_text(line: Line<'_>, text: Vec<u8>) -> OwnedLine<'_> {
    OwnedLine {
        text,
        is_converted: true,
        ..to_owned_line(line)
    }
}

/// Converts the last two lines of `out` to the header of a unified diff, if they are the header of
/// a context diff. If one of the two lines is missing, converts the last line.
fn convert_header(out: &mut [OwnedLine<'_>], old: &[u8], new: &[u8]) {
    // A marker of an envelope contains a colon.
    let is_path = |name: &&[u8]| {
        !name
            .iter()
            .take_while(|byte| **byte != b'\t')
            .any(|byte| *byte == b':')
    };
    if let [.., last] = out
        && let Some(name) = last.text.strip_prefix(old).filter(is_path)
    {
        last.text = [new, name].concat();
        return;
    }
    let [.., first, second] = out else { return };
    let (Some(before), Some(after)) = (first.text.strip_prefix(old), second.text.strip_prefix(new))
    else {
        return;
    };
    let (before, after) = ([b"--- ", before].concat(), [b"+++ ", after].concat());
    (first.text, second.text) = (before, after);
}

/// Converts an `Index:` line above a hunk of a normal diff to the header of a unified diff.
fn convert_index_line(out: &mut Vec<OwnedLine<'_>>) {
    let is_hunk = |line: &OwnedLine<'_>| line.is_normal || line.text.starts_with(b"+++ ");
    let above = out
        .iter()
        .rposition(|line| is_hunk(line) || line.text.starts_with(b"Index:"));
    let Some(at) = above.filter(|&at| out[at].text.starts_with(b"Index:")) else {
        return;
    };
    // `swap_remove` moves the last line to `at`, and `truncate` then removes that line too.
    let above = out.swap_remove(at);
    let name = above.text[6..].trim_ascii();
    // The lines between `Index:` and the hunk name no other file.
    out.truncate(at);
    for sign in [&b"--- "[..], b"+++ "] {
        out.push(OwnedLine {
            text: [sign, name].concat(),
            ..above
        });
    }
}

/// Returns the header of a unified hunk: `@@ -1,2 +1,2 @@`.
fn build_hunk_header(
    line: Line<'_>,
    (old, new): ((usize, usize), (usize, usize)),
    is_normal: bool,
) -> OwnedLine<'_> {
    let text = format!("@@ -{},{} +{},{} @@", old.0, old.1, new.0, new.1).into_bytes();
    OwnedLine {
        is_normal,
        ..with_text(line, text)
    }
}

/// Parses `FIRST` or `FIRST,LAST`. Returns the first line, the number of lines, and the rest.
fn range(text: &[u8]) -> Option<((usize, usize), &[u8])> {
    let (first, rest) = number(text)?;
    match rest.strip_prefix(b",").and_then(number) {
        Some((last, rest)) => Some(((first, (last + 1).saturating_sub(first)), rest)),
        None => Some(((first, usize::from(first > 0)), rest)),
    }
}

fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number: u32 = std::str::from_utf8(&text[..length]).ok()?.parse().ok()?;
    Some((usize::try_from(number).ok()?, &text[length..]))
}
