//! Finds the first line that prevents a match, and the reason.

use super::pattern::Pattern;
use super::{DifferenceReason, LineDifference, MAX_SHOWN, clip};
use crate::lines::ladder::PUNCT;
use crate::lines::{Comparison, LADDER, LineOffsets};
use crate::text::without_ending;

/// Returns how many lines of `pattern` match the file from `line` on: under `comparison`, and under
/// `comparison` or the loosest rung.
pub(super) fn count_matching_lines(
    index: &LineOffsets<'_>,
    line: usize,
    pattern: &Pattern<'_>,
    comparison: Comparison,
) -> (usize, usize) {
    // Lines that differ only in white space or typography count as similar.
    let loose = |line| (LADDER[PUNCT].key)(without_ending(line));
    let pairs = pattern
        .lines()
        .iter()
        .copied()
        .zip(comparison.lines_from(index, line));
    pairs.fold((0, 0), |(exact, similar), (wanted, found)| {
        let is_exact = comparison.key(wanted) == comparison.key(found);
        (
            exact + usize::from(is_exact),
            similar + usize::from(is_exact || loose(wanted) == loose(found)),
        )
    })
}

/// Returns the first line of `pattern` that does not match the file from `line` on.
pub(super) fn first_difference(
    index: &LineOffsets<'_>,
    line: usize,
    pattern: &Pattern<'_>,
    comparison: Comparison,
) -> Option<LineDifference> {
    let mut found = comparison.lines_from(index, line);
    for (nth, wanted) in pattern.lines().iter().copied().enumerate() {
        let found = found.next();
        if found.is_some_and(|found| comparison.key(wanted) == comparison.key(found)) {
            continue;
        }
        let start = shown_start(wanted, found.unwrap_or_default());
        return Some(LineDifference {
            patch_offset: pattern.span(nth).start,
            // The pattern can extend past the end of the file.
            file_line: (line + nth).min(index.count()),
            expected: clip_from(wanted, start),
            found: found.map(|found| clip_from(found, start)),
            reason: found.and_then(|found| reason(wanted, found)),
        });
    }
    None
}

/// The number of bytes before the first difference that are shown of long lines.
const BEFORE_DIFFERENCE: usize = 20;

/// Returns the first byte of two lines that is shown. If the lines first differ after the bytes
/// that [`clip`] keeps, this is a byte shortly before the difference.
fn shown_start(wanted: &[u8], found: &[u8]) -> usize {
    let equal = wanted.iter().zip(found).take_while(|(a, b)| a == b).count();
    if equal < MAX_SHOWN {
        return 0;
    }
    // A UTF-8 character must not be split.
    let is_start = |&at: &usize| wanted[at] & 0xc0 != 0x80;
    let start = equal - BEFORE_DIFFERENCE;
    (start..equal).find(is_start).unwrap_or(start)
}

/// Clips the part of `line` from `start` on, and marks a missing start.
fn clip_from(line: &[u8], start: usize) -> Vec<u8> {
    match start {
        0 => clip(line),
        _ => ["\u{2026}".as_bytes(), &clip(&line[start..])].concat(),
    }
}

/// Returns the reason why two lines differ, if it is not their words.
fn reason(wanted: &[u8], found: &[u8]) -> Option<DifferenceReason> {
    let (wanted, found) = (without_ending(wanted), without_ending(found));
    let folded = |line| without_blanks(&(LADDER[PUNCT].key)(line));
    // The checks go from the smallest difference to the largest.
    if wanted == found {
        Some(DifferenceReason::LineEnd)
    } else if without_blanks(wanted) == without_blanks(found) {
        Some(DifferenceReason::Whitespace)
    } else if folded(wanted) == folded(found) {
        Some(DifferenceReason::Punctuation)
    } else if folded(wanted).eq_ignore_ascii_case(&folded(found)) {
        Some(DifferenceReason::Case)
    } else {
        None
    }
}

fn without_blanks(line: &[u8]) -> Vec<u8> {
    line.iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shown_part_of_long_lines_contains_the_difference() {
        let line = |end: &str| format!("{}{end}\n", "é".repeat(125));
        let (wanted, found) = (line("1"), line("2"));
        let start = shown_start(wanted.as_bytes(), found.as_bytes());
        let shown = [wanted, found]
            .map(|line| String::from_utf8(clip_from(line.as_bytes(), start)).unwrap());
        let expected = ["1", "2"].map(|end| format!("\u{2026}{}{end}", "é".repeat(10)));
        assert_eq!(shown, expected);
        assert_eq!(shown_start(b"one", b"two"), 0);
    }

    #[test]
    fn a_difference_has_a_reason_where_it_is_not_in_the_words() {
        let reasons = ["a b\r\n", "a  b\n", "A b\n", "a\u{2002}b\n", "a c\n"]
            .map(|line| reason(b"a b\n", line.as_bytes()).map(DifferenceReason::name));
        let expected = [
            Some("line end"),
            Some("whitespace"),
            Some("case"),
            Some("unicode punctuation"),
            None,
        ];
        assert_eq!(reasons, expected);
    }
}
