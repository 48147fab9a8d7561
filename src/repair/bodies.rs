//! Decides which lines below a header are the body of a hunk, and which are text after it.

use super::RepairKind;
use super::chunk::{RawHunk, count_lines};
use super::line::Line;
use super::read::is_signature;

/// Lines that can be the body of a hunk.
pub(super) struct BodyCandidate<'c, 't> {
    pub(super) lines: &'c [Line<'t>],
    /// Whether the text shows that no line is missing at the end.
    pub(super) is_closed: bool,
    pub(super) row: Option<RepairKind>,
}

/// Returns the possible bodies of `chunk`, the most likely first: all lines, the lines up to the
/// counts of the header, the lines without trailing lines that have no sign, and the lines without
/// a mail signature.
///
/// In ` a`, `-b`, `+c`, `+ Renamed it.` the last line can be a list item of the answer around the
/// patch. Writing the item to the file would be as wrong as losing an insertion. Returns no body if
/// the header and the other lines do not show which it is.
pub(super) fn find_bodies<'c, 't>(chunk: &'c RawHunk<'t>) -> Vec<BodyCandidate<'c, 't>> {
    let all = &chunk.body[..];
    let body = |lines, is_closed, row| BodyCandidate {
        lines,
        is_closed,
        row,
    };
    let whole = body(all, chunk.is_closed, None);
    let mut bodies = Vec::new();
    match counted_length(chunk) {
        Some(end) => {
            let counted = body(&all[..end], true, Some(RepairKind::Wrapping));
            // The last line of a truncated patch can be the start of a header.
            let is_start = |line: &Line<'_>| {
                [&b"---"[..], b"+++"]
                    .iter()
                    .any(|sign| sign.starts_with(line.text))
            };
            let is_header = chunk.is_unterminated && end + 1 == all.len() && is_start(&all[end]);
            match if is_header {
                TailKind::Doubtful
            } else {
                classify_tail(&all[..end], &all[end..], is_new(chunk))
            } {
                // Context after the counted lines shows that the header is wrong.
                TailKind::Undecided if has_list(chunk) && all[end..].iter().any(is_context) => {}
                TailKind::Undecided => bodies.extend([whole, counted]),
                TailKind::Items => bodies.push(counted),
                TailKind::Doubtful => {}
                TailKind::Changes if has_list(chunk) => {}
                TailKind::Changes => bodies.push(whole),
            }
        }
        None if has_list(chunk) => {}
        None => bodies.push(whole),
    }
    let is_marked = |line: &Line<'_>| matches!(line.text.first(), Some(b'+' | b'-' | b' ' | b'\\'));
    let marked = all.iter().rposition(is_marked).map_or(0, |last| last + 1);
    if (1..all.len()).contains(&marked) && !bodies.is_empty() {
        bodies.push(body(&all[..marked], chunk.is_closed, None));
        // git ends a mail with `-- ` and its version. Without counts, `-- ` can also delete the
        // line `- `, so the body without it is the last one.
        if is_signature(all[marked - 1].text)
            && all[marked].text.first().is_some_and(u8::is_ascii_digit)
        {
            bodies.push(body(&all[..marked - 1], true, None));
        }
    }
    bodies
}

/// Returns whether the last changes of `chunk` can be a list in the text after the patch. The items
/// of such a list follow an empty line, or have an indentation that no other line of the hunk has.
/// If the counts of the header are right, the lines belong to the hunk.
fn has_list(chunk: &RawHunk<'_>) -> bool {
    if chunk.is_text || chunk.is_bounded || chunk.header.counts == Some(count_lines(&chunk.body)) {
        return false;
    }
    let is_text = |line: &&Line<'_>| !matches!(line.text.first(), Some(b'+' | b'-' | b' ' | b'\\'));
    let end = chunk.body.len() - chunk.body.iter().rev().take_while(is_text).count();
    let items = chunk.body[..end]
        .iter()
        .rev()
        .take_while(|line| is_change(line) && is_item(line.whole))
        .count();
    let (before, items) = chunk.body[..end].split_at(end - items);
    // The items can also be context that lost its leading space. Then the counts of the header are
    // right with that context, or the content of another line starts with `+` too.
    let (old, new) = count_lines(&chunk.body[..end]);
    let is_explained = |lost| chunk.header.counts == Some((old + lost, new));
    let has_plus = |line: &Line<'_>| matches!(line.text, [b'+' | b'-' | b' ', b'+', ..]);
    if (1..=items.len()).any(is_explained) || before.iter().any(has_plus) {
        return false;
    }
    // Every line of a context diff has a space after the sign, so the indentation proves nothing.
    let is_unclear = before
        .last()
        .is_some_and(|line| line.text.is_empty() || line.is_converted);
    before.iter().any(is_change)
        && items.iter().any(|line| line.text.starts_with(b"+"))
        && (is_unclear || !before.iter().any(is_indented_by_one))
}

fn is_change(line: &Line<'_>) -> bool {
    matches!(line.text.first(), Some(b'+' | b'-'))
}

fn is_context(line: &Line<'_>) -> bool {
    line.text.len() > 1 && line.text.starts_with(b" ")
}

/// Returns whether the content of `line` is indented by one space.
fn is_indented_by_one(line: &Line<'_>) -> bool {
    matches!(line.text, [b'+' | b'-' | b' ', b' ', next, ..] if *next != b' ')
}

/// Returns the number of lines after which the counts of the header are used up. At least one of
/// these lines must be a change, and further lines must follow.
fn counted_length(chunk: &RawHunk<'_>) -> Option<usize> {
    let wanted = chunk.header.counts?;
    let mut found = (0, 0);
    let end = (1..chunk.body.len()).find(|&end| {
        let (old, new) = count_lines(&chunk.body[end - 1..end]);
        found = (found.0 + old, found.1 + new);
        found == wanted
    });
    end.filter(|&end| chunk.body[..end].iter().any(is_change))
}

/// The kind of the lines after the counted lines.
enum TailKind {
    /// Text, or lines that the file must contain. A comparison with the file decides.
    Undecided,
    /// A list in the surrounding text.
    Items,
    /// A list in the surrounding text, or changes. Neither the header nor context decides.
    Doubtful,
    /// Lines of the hunk. The header counts too few lines.
    Changes,
}

fn classify_tail(counted: &[Line<'_>], rest: &[Line<'_>], is_new: bool) -> TailKind {
    if !rest
        .iter()
        .filter(|line| is_change(line))
        .all(|line| is_item(line.text))
    {
        let is_header = |line: &Line<'_>| {
            [&b"--- "[..], b"+++ "]
                .iter()
                .any(|sign| line.text.starts_with(sign))
        };
        let is_bare = |line: &Line<'_>| {
            line.text
                .iter()
                .all(|byte| matches!(byte, b'+' | b'-') || byte.is_ascii_whitespace())
        };
        // Without preimage lines, only the line number places the hunk. It can be wrong if the
        // counts are wrong.
        let has_place = is_new || counted.iter().any(|line| !line.text.starts_with(b"+"));
        // Text after a patch rarely ends in a line that starts with a space. A last line of signs
        // only can be a rule or the start of a header.
        let is_inside = |last: &Line<'_>| is_context(last) || has_place && !is_bare(last);
        let is_counted_wrong = rest.last().is_some_and(is_inside) && !rest.iter().any(is_header);
        return if is_counted_wrong {
            TailKind::Changes
        } else {
            TailKind::Doubtful
        };
    }
    if !rest.iter().any(is_change) || rest.iter().any(is_context) {
        return TailKind::Undecided;
    }
    // If content of the hunk is indented by one space too, `+ x` can be an insertion as well.
    if counted.iter().any(is_indented_by_one) {
        TailKind::Doubtful
    } else {
        TailKind::Items
    }
}

/// Returns whether `chunk` can contain the lines of a new file: its header counts no preimage line
/// and states no line number.
fn is_new(chunk: &RawHunk<'_>) -> bool {
    let header = &chunk.header;
    !chunk.is_normal && header.stated.is_none() && header.counts.is_some_and(|(old, _)| old == 0)
}

/// Returns whether a line can be a list item: a sign, one space, and text. Few files indent lines
/// by one space, so an insertion rarely has this form.
pub(super) fn is_item(line: &[u8]) -> bool {
    matches!(line, [b'+' | b'-' | b'*', b' ', next, ..] if !next.is_ascii_whitespace())
}
