//! Finds the closest match of a text that does not occur in a file.

use crate::lines::LineOffsets;
use std::collections::HashSet;

use crate::interrupt::Interrupt;
use crate::matching::{ClosestMatch, Mismatch, MismatchKind, nearest};
use crate::plan::{Anchor, Direction, Hunk, LineRange, Replacement};
use crate::text::{Span, lines, without_ending};

/// Returns the mismatch for `old`, which does not occur in `text`. The closest match is the place
/// with most of its lines, or else the line with most of its words.
pub(super) fn closest_mismatch(
    text: &[u8],
    old: &[u8],
    edit: &Replacement,
    interrupt: &Interrupt,
) -> Box<Mismatch> {
    let index = LineOffsets::new(text);
    let (body, hunk) = deletion(old);
    let mut placements = vec![Err(Mismatch::of_kind(MismatchKind::NotFound))];
    nearest::explain_mismatches(
        (&index, &index),
        (&body, &[hunk]),
        Direction::Forward,
        (&mut placements, 1),
        interrupt,
    );
    let Some(Err(mut mismatch)) = placements.pop() else {
        return Mismatch::of_kind(MismatchKind::NotFound);
    };
    match &mut mismatch.nearest {
        Some(nearest) if nearest.matched > 0 => {
            if let Some(difference) = &mut nearest.difference {
                difference.patch_offset = edit.span.start;
            }
        }
        nearest => *nearest = find_similar_line(&index, old, interrupt),
    }
    mismatch
}

/// Returns the last line of `text` as the closest match of a line after the end.
pub(super) fn last_line(text: &[u8]) -> Option<ClosestMatch> {
    let index = LineOffsets::new(text);
    index
        .count()
        .checked_sub(1)
        .map(|last| ClosestMatch::at(&index, last, 1))
}

/// Returns a hunk that deletes the lines of `old`, and the patch text that contains it.
fn deletion(old: &[u8]) -> (Vec<u8>, Hunk) {
    let mut body = Vec::with_capacity(old.len() + 16);
    let mut count = 0;
    for (_, line) in lines(old) {
        body.push(b'-');
        body.extend_from_slice(without_ending(line));
        body.push(b'\n');
        count += 1;
    }
    let span = Span::new(0, body.len());
    let nothing = Span::new(0, 0);
    let anchor = Anchor::Headings {
        headings: Box::default(),
        at_end: false,
    };
    let (old, new) = (LineRange { start: 0, count }, LineRange::default());
    (
        body,
        Hunk {
            anchor,
            span,
            header: nothing,
            body: span,
            old,
            new,
            section: nothing,
            selection: None,
        },
    )
}

/// Returns the line of the file that shares most words with the first line of `old` that contains
/// words.
fn find_similar_line(
    index: &LineOffsets<'_>,
    old: &[u8],
    interrupt: &Interrupt,
) -> Option<ClosestMatch> {
    let wanted: HashSet<&[u8]> = lines(old)
        .map(|(_, line)| words(line).collect())
        .find(|words: &HashSet<_>| !words.is_empty())?;
    let shared = |line: &[u8]| {
        words(line)
            .collect::<HashSet<_>>()
            .intersection(&wanted)
            .count()
    };
    let scored = interrupt
        .take_until_raised(lines(index.text()))
        .enumerate()
        .map(|(number, (_, line))| (shared(line), number));
    let (count, line) = scored.max_by_key(|&(count, number)| (count, std::cmp::Reverse(number)))?;
    (count > 0).then(|| ClosestMatch {
        total: lines(old).count(),
        ..ClosestMatch::at(index, line, 1)
    })
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    line.split(move |byte| !is_inside(byte))
        .filter(|word| !word.is_empty())
}
