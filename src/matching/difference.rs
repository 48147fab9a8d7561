//! Finds the first line that prevents a match, and the reason.

use super::pattern::Pattern;
use super::{DifferenceReason, LineDifference, clip};
use crate::lines::ladder::PUNCT;
use crate::lines::{Comparison, LADDER, LineOffsets};
use crate::text::without_ending;

/// Returns how many lines of `pattern` match the file from `line` on: under `comparison`, and under
/// `comparison` or the loosest rung.
pub(super) fn score(
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
pub(super) fn first(
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
        return Some(LineDifference {
            patch_offset: pattern.span(nth).start,
            // The pattern can extend past the end of the file.
            file_line: (line + nth).min(index.count()),
            expected: clip(wanted),
            found: found.map(clip),
            reason: found.and_then(|found| reason(wanted, found)),
        });
    }
    None
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
