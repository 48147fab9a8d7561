//! Which lines below a header are the body of the chunk, and which are text after it.

use super::Row;
use super::chunk::{Chunk, counts};
use super::read::{Line, is_signature};

/// Lines that may be the body of a chunk.
pub(super) struct Body<'c, 't> {
    pub(super) lines: &'c [Line<'t>],
    /// Whether the text shows that no line is missing at the end.
    pub(super) is_closed: bool,
    pub(super) row: Option<Row>,
}

/// Returns the possible bodies of `chunk`, the most likely first: all lines, the lines up to the counts of the header,
/// the lines without an unmarked tail, the lines without a mail signature.
pub(super) fn bodies<'c, 't>(chunk: &'c Chunk<'t>) -> Vec<Body<'c, 't>> {
    let all = &chunk.body[..];
    let body = |lines, is_closed, row| Body { lines, is_closed, row };
    let whole = body(all, chunk.is_closed, None);
    let mut bodies = Vec::new();
    match counted(chunk) {
        Some(end) => {
            let counted = body(&all[..end], true, Some(Row::Wrapping));
            // The last line of a patch that was cut off can be the start of a header.
            let is_start = |line: &Line<'_>| [&b"---"[..], b"+++"].iter().any(|sign| sign.starts_with(line.text));
            let is_header = chunk.is_torn && end + 1 == all.len() && is_start(&all[end]);
            match if is_header { Tail::Doubtful } else { tail(&all[..end], &all[end..]) } {
                Tail::Visible => bodies.extend([whole, counted]),
                Tail::Items => bodies.push(counted),
                Tail::Doubtful => {}
                Tail::Changes => bodies.push(whole),
            }
        }
        None => bodies.push(whole),
    }
    let is_marked = |line: &Line<'_>| matches!(line.text.first(), Some(b'+' | b'-' | b' ' | b'\\'));
    let marked = all.iter().rposition(is_marked).map_or(0, |last| last + 1);
    if (1..all.len()).contains(&marked) && !bodies.is_empty() {
        bodies.push(body(&all[..marked], chunk.is_closed, None));
        if is_signature(all[marked - 1].text) && all[marked].text.first().is_some_and(u8::is_ascii_digit) {
            bodies.push(body(&all[..marked - 1], true, None));
        }
    }
    bodies
}

/// Returns the number of lines after which the counts of the header are used up, if more lines follow.
fn counted(chunk: &Chunk<'_>) -> Option<usize> {
    let wanted = chunk.header.counts?;
    (1..chunk.body.len()).find(|&end| counts(&chunk.body[..end]) == wanted)
}

/// What the lines after the counted ones are.
enum Tail {
    /// Text, or lines that the file must have: the file shows which.
    Visible,
    /// A list in prose.
    Items,
    /// A list in prose, or insertions at a depth that the chunk has.
    Doubtful,
    /// Lines of the chunk.
    Changes,
}

fn tail(counted: &[Line<'_>], rest: &[Line<'_>]) -> Tail {
    let is_change = |line: &&Line<'_>| matches!(line.text.first(), Some(b'+' | b'-'));
    if !rest.iter().filter(is_change).all(|line| is_item(line.text)) {
        return Tail::Changes;
    }
    let must_match = |line: &Line<'_>| matches!(line.text, [b'-' | b' ', ..]) && line.text.len() > 1;
    let has_insertion = rest.iter().any(|line| line.text.starts_with(b"+"));
    if !has_insertion || rest.iter().any(must_match) {
        return Tail::Visible;
    }
    let is_one_deep = |line: &Line<'_>| matches!(line.text, [b'+' | b'-' | b' ', b' ', next, ..] if *next != b' ');
    if counted.iter().any(is_one_deep) { Tail::Doubtful } else { Tail::Items }
}

/// Returns whether a line can be an item of a list: a sign, one blank, and text.
pub(super) fn is_item(line: &[u8]) -> bool {
    matches!(line, [b'+' | b'-' | b'*', b' ', next, ..] if !next.is_ascii_whitespace())
}
