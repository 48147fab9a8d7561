//! The rows below a `PUT`.

use super::{ABORT, BEGIN, END, line};
use crate::plan::NewLines;
use crate::syntax::{SyntaxError, SyntaxErrorKind, content_span};
use crate::text::{Lines, Span, without_ending};

/// What stands below a `PUT`.
pub(super) struct Body {
    pub(super) new: NewLines,
    pub(super) repairs: Vec<(&'static str, Span)>,
}

/// Takes the rows; each begins with `+`, which is not part of it. An empty body is taken only by a forgiving reader,
/// and `takes_nothing` says whether it would mean something.
pub(super) fn read(
    text: &[u8],
    lines: &mut Lines<'_>,
    is_lenient: bool,
    takes_nothing: bool,
) -> Result<Body, SyntaxError> {
    let at = content_span(text, lines.offset());
    let mut repairs = Vec::new();
    let rows = if is_lenient { forgiven(lines, &mut repairs) } else { strict(lines) };
    if !rows.is_empty() {
        return Ok(Body { new: NewLines::Given(rows), repairs });
    }
    if is_lenient && takes_nothing {
        repairs.push(("a `PUT` without rows deletes", at));
        return Ok(Body { new: NewLines::Nothing, repairs });
    }
    Err(SyntaxError::new(SyntaxErrorKind::Expected("a row of text that begins with `+`"), at))
}

fn strict(lines: &mut Lines<'_>) -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    while let Some(row) = lines.peek().and_then(|line| line.strip_prefix(b"+")) {
        rows.push(without_ending(row).to_vec());
        lines.next();
    }
    rows
}

/// Takes rows without `+` as they are and leaves out those with `-`, up to the next line that means something else.
fn forgiven(lines: &mut Lines<'_>, repairs: &mut Vec<(&'static str, Span)>) -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    // Blank lines count only between rows.
    let (mut ahead, mut blank) = (lines.clone(), Vec::new());
    while let Some((span, whole)) = ahead.next() {
        let row = without_ending(whole);
        let at = Span::new(span.start, span.start + row.len());
        match row {
            _ if ends_body(line::trimmed(row)) => break,
            [] => {
                blank.push(at);
                continue;
            }
            _ => {}
        }
        for at in blank.drain(..) {
            rows.push(Vec::new());
            repairs.push(("a row without `+` is text", at));
        }
        match row {
            [b'+', row @ ..] => rows.push(row.to_vec()),
            [b'-', ..] => repairs.push(("a row with `-` says only what goes", at)),
            row => {
                rows.push(row.to_vec());
                repairs.push(("a row without `+` is text", at));
            }
        }
        *lines = ahead.clone();
    }
    rows
}

fn ends_body(line: &[u8]) -> bool {
    [BEGIN, END, ABORT].contains(&line) || line::begins_operation(line) || line::header(line).is_ok()
}
