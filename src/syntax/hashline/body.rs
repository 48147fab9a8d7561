//! The rows below a `PUT`.

use super::{ABORT, BEGIN, END, line};
use crate::plan::{LineTarget, NewLines};
use crate::syntax::{SyntaxError, SyntaxErrorKind, content_span};
use crate::text::{Lines, Span, without_ending};

const NO_ROW: SyntaxErrorKind = SyntaxErrorKind::Expected("a row of text that begins with `+`");
const CUT_OFF: SyntaxErrorKind = SyntaxErrorKind::Expected(
    "a row of text that begins with `+`, or `*** End Patch` after the last `PUT`, which is truncated or deletes lines",
);
/// The repair of a `PUT` without rows.
pub(super) const EMPTY_PUT: &str = "a `PUT` without rows deletes the lines";

/// The body of a `PUT`.
pub(super) struct PutBody {
    pub(super) new: NewLines,
    /// The rows that show deleted lines, without their `-`.
    pub(super) deleted: Vec<Vec<u8>>,
    pub(super) repairs: Vec<(&'static str, Span)>,
}

impl PutBody {
    /// Returns a body with `new` and without other rows.
    pub(super) fn of(new: NewLines) -> Self {
        Self {
            new,
            deleted: Vec::new(),
            repairs: Vec::new(),
        }
    }
}

/// Reads the rows. Each row starts with `+`, which is not part of the text.
pub(super) fn read(text: &[u8], lines: &mut Lines<'_>) -> Result<PutBody, SyntaxError> {
    let at = content_span(text, lines.offset());
    let rows = read_signed(lines);
    if rows.is_empty() {
        Err(SyntaxError::new(NO_ROW, at))
    } else {
        Ok(PutBody::of(NewLines::Given(rows)))
    }
}

/// Reads the rows in lenient mode. An empty body and rows with `-` are accepted only for a range of
/// lines, because the body then replaces lines. `has_empty` states whether an earlier `PUT` has no
/// rows.
pub(super) fn read_lenient(
    text: &[u8],
    lines: &mut Lines<'_>,
    target: LineTarget,
    has_empty: bool,
) -> Result<PutBody, SyntaxError> {
    let at = content_span(text, lines.offset());
    let LenientRows {
        mut body,
        first_trailing_unsigned: doubt,
        first_blank: gap,
        last_blank: last_gap,
    } = read_lenient_rows(lines);
    let is_end = lines.clone().all(|(_, line)| line.trim_ascii().is_empty());
    // Text after the last row with a sign can be prose. Text below an empty line at the end of the
    // input can be prose too.
    let items = last_gap
        .filter(|(_, rows)| is_end && are_items(&body.new, *rows))
        .map(|(at, _)| at);
    if let Some(at) = doubt.or(gap.filter(|_| is_end)).or(items) {
        return Err(SyntaxError::new(NO_ROW, at));
    }
    // A last line without `+` and newline can be the start of a truncated operation.
    if let Some(&(_, at)) = body.repairs.last().filter(|(_, at)| at.end == text.len()) {
        return Err(SyntaxError::new(NO_ROW, at));
    }
    let is_empty = matches!(&body.new, NewLines::Given(rows) if rows.is_empty());
    let replaces_lines = matches!(target, LineTarget::Lines(_) | LineTarget::Construct(_));
    // An empty body at the end of the text can mean that the text is truncated. An empty line, an
    // earlier `PUT` without rows, or the end of an envelope show that it is complete.
    let is_cut = is_empty && is_end && !has_empty && lines.peek().is_none();
    if is_cut || (is_empty || !body.deleted.is_empty()) && !replaces_lines {
        return Err(SyntaxError::new(if is_cut { CUT_OFF } else { NO_ROW }, at));
    }
    if is_empty {
        body.repairs.push((EMPTY_PUT, at));
        body.new = NewLines::Nothing;
    }
    Ok(body)
}

/// Returns a row without its terminator. In a text with CR LF, the last row can lack only its
/// newline.
fn row_content(row: &[u8]) -> &[u8] {
    let text = without_ending(row);
    if text.len() == row.len() {
        text.strip_suffix(b"\r").unwrap_or(text)
    } else {
        text
    }
}

fn read_signed(lines: &mut Lines<'_>) -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    while let Some(row) = lines.peek().and_then(|line| line.strip_prefix(b"+")) {
        rows.push(row_content(row).to_vec());
        lines.next();
    }
    rows
}

/// The rows read in lenient mode.
struct LenientRows {
    body: PutBody,
    /// The first row without sign after the last row with a sign.
    first_trailing_unsigned: Option<Span>,
    /// The first empty line, if no row has a sign.
    first_blank: Option<Span>,
    /// The last empty line, and the number of rows up to and including it.
    last_blank: Option<(Span, usize)>,
}

/// Returns whether all rows from `start` on look like list items with plus signs, and no row above
/// them does.
fn are_items(rows: &NewLines, start: usize) -> bool {
    let NewLines::Given(rows) = rows else {
        return false;
    };
    let is_item = |row: &Vec<u8>| matches!(row[..], [b' ', next, ..] if next != b' ');
    rows[start..].iter().all(is_item) && !rows[..start].iter().any(is_item)
}

/// Reads rows without `+` as text and collects rows with `-` separately, up to the next line with
/// another meaning.
fn read_lenient_rows(lines: &mut Lines<'_>) -> LenientRows {
    let (mut rows, mut gone, mut repairs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut has_sign, mut doubt, mut gap, mut last_gap) = (false, None, None, None);
    // Blank lines count only between rows.
    let (mut ahead, mut blank) = (lines.clone(), Vec::new());
    while let Some((span, whole)) = ahead.next() {
        let row = row_content(whole);
        let at = Span::new(span.start, span.start + row.len());
        match row {
            _ if ends_body(line::trim_end(row)) => break,
            blanks if blanks.trim_ascii().is_empty() => {
                blank.push((at, blanks.to_vec()));
                continue;
            }
            _ => {}
        }
        for (at, blanks) in blank.drain(..) {
            rows.push(blanks);
            repairs.push(("a row without `+` is treated as text", at));
            gap.get_or_insert(at);
            last_gap = Some((at, rows.len()));
        }
        match row {
            [b'+', row @ ..] => {
                rows.push(row.to_vec());
                (has_sign, doubt) = (true, None);
            }
            [b'-', row @ ..] => {
                gone.push(row.to_vec());
                repairs.push(("a row with `-` only shows a deleted line", at));
            }
            row => {
                rows.push(row.to_vec());
                repairs.push(("a row without `+` is treated as text", at));
                if has_sign {
                    doubt.get_or_insert(at);
                }
            }
        }
        *lines = ahead.clone();
    }
    let body = PutBody {
        new: NewLines::Given(rows),
        deleted: gone,
        repairs,
    };
    LenientRows {
        body,
        first_trailing_unsigned: doubt,
        first_blank: gap.filter(|_| !has_sign),
        last_blank: last_gap,
    }
}

/// Returns whether a line is not a row. It is unclear whether a numbered line or a line of an older
/// form is a row. Such a line ends the body, and the caller then reports an error.
fn ends_body(line: &[u8]) -> bool {
    [BEGIN, END, ABORT].contains(&line)
        || line.starts_with(b"```")
        || line.starts_with(b"~~~")
        || line.starts_with(b"*** ")
        || line::begins_operation(line)
        || line::parse_header(line).is_ok()
        || line::detect_older_form(line).is_some()
        || line::is_numbered(line)
}
