//! The closest match of a hunk that does not apply, limited in size.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::words::{LineCounter, clip};
use crate::matching::{ClosestMatch, DifferenceReason, LineDifference};

/// The closest match of a hunk that does not apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct NearestPlace {
    /// The first line, counted from 1.
    pub line: usize,
    /// The number of preimage lines of the hunk that match.
    pub matched: usize,
    /// The number of preimage lines of the hunk.
    pub of: usize,
    /// The first line that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_difference: Option<FirstDifference>,
    /// The lines of the file at the closest match, up to a size limit.
    pub text: Vec<String>,
    /// The preceding lines, at most two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines_before: Vec<String>,
    /// The following lines, at most two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines_after: Vec<String>,
}

/// The first line that prevents the match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct FirstDifference {
    /// The line of the patch, counted from 1.
    pub patch_line: usize,
    /// The line of the file, counted from 1.
    pub file_line: usize,
    /// The text in the patch.
    pub expected: String,
    /// The text in the file; null at the end of the file.
    pub found: Option<String>,
    /// The reason for the difference, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<&'static str>"))]
    pub reason: Option<DifferenceReason>,
    /// Whether `expected` is the beginning of the text after the sign column of the patch line, and
    /// neither text contains escaped bytes.
    #[serde(skip)]
    pub(super) is_verbatim: bool,
}

impl Serialize for DifferenceReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl NearestPlace {
    /// Returns the first line of the file that differs, counted from 1.
    pub(super) fn first_differing_line(&self) -> usize {
        self.first_difference
            .as_ref()
            .map_or(self.line, |difference| difference.file_line)
    }

    /// Returns the entry for `nearest` within `budget`. The differing lines have priority over the
    /// surrounding lines.
    pub(super) fn of(
        nearest: &ClosestMatch,
        counter: &mut LineCounter<'_>,
        budget: &mut Budget,
    ) -> Self {
        let first_difference = nearest
            .difference
            .as_ref()
            .map(|it| FirstDifference::of(it, counter, budget));
        let text = budget.lines(&nearest.text);
        let is_whole = text.len() == nearest.text.len();
        let lines_before = budget.lines(nearest.lines_before.iter().rev());
        Self {
            line: nearest.line + 1,
            matched: nearest.matched,
            of: nearest.total,
            first_difference,
            text,
            lines_before: lines_before.into_iter().rev().collect(),
            lines_after: if is_whole {
                budget.lines(&nearest.lines_after)
            } else {
                Vec::new()
            },
        }
    }
}

impl FirstDifference {
    fn of(difference: &LineDifference, counter: &mut LineCounter<'_>, budget: &mut Budget) -> Self {
        Self {
            patch_line: counter.line(difference.patch_offset),
            file_line: difference.file_line + 1,
            expected: budget.line(&difference.expected),
            found: difference.found.as_deref().map(|found| budget.line(found)),
            reason: difference.reason,
            is_verbatim: is_verbatim(difference, counter),
        }
    }
}

/// Returns whether the patch contains the expected line after one sign, without an encoding, and
/// both lines are UTF-8.
fn is_verbatim(difference: &LineDifference, counter: &LineCounter<'_>) -> bool {
    let expected = &difference.expected;
    let is_text = |line: &[u8]| std::str::from_utf8(line).is_ok();
    let line = counter.source_from(difference.patch_offset);
    line.get(1..).is_some_and(|line| line.starts_with(expected))
        && is_text(expected)
        && difference.found.as_deref().is_none_or(is_text)
}

/// The remaining size of the lines of one hunk in a report, in bytes of JSON.
///
/// The reader is often a model, so a report of a failure should not be longer than a hunk.
pub(super) struct Budget {
    left: usize,
}

/// The maximum size of the lines shown of one hunk, in bytes.
const MAX_BYTES: usize = 600;
/// The maximum size of one such line, in bytes.
const MAX_LINE_BYTES: usize = 160;
/// The maximum size of the heading in a hunk header, in bytes.
const MAX_SECTION_BYTES: usize = 80;
/// The size of the quotes and the comma around a line.
const LINE_OVERHEAD: usize = 3;

impl Default for Budget {
    fn default() -> Self {
        Self { left: MAX_BYTES }
    }
}

impl Budget {
    /// Returns a heading, shortened if necessary.
    pub(super) fn section(line: &[u8]) -> String {
        shorten(clip(line), MAX_SECTION_BYTES)
    }

    /// Returns one line, shortened if necessary.
    fn line(&mut self, line: &[u8]) -> String {
        let line = shorten(clip(line), MAX_LINE_BYTES);
        self.left = self.left.saturating_sub(json_length(&line) + LINE_OVERHEAD);
        line
    }

    /// Returns as many of `lines` as fit into the budget, each shortened if necessary.
    pub(super) fn lines<'l>(
        &mut self,
        lines: impl IntoIterator<Item = &'l Vec<u8>>,
    ) -> Vec<String> {
        let mut shown = Vec::new();
        for line in lines {
            let line = shorten(clip(line), MAX_LINE_BYTES);
            let Some(left) = self.left.checked_sub(json_length(&line) + LINE_OVERHEAD) else {
                break;
            };
            self.left = left;
            shown.push(line);
        }
        shown
    }
}

/// Shortens `line` to at most `most` bytes in a JSON string.
fn shorten(line: String, most: usize) -> String {
    if json_length(&line) <= most {
        return line;
    }
    let mark = '\u{2026}';
    let mut left = most - mark.len_utf8();
    let is_in = |character: &char| {
        let next = left.checked_sub(json_char_length(*character));
        left = next.unwrap_or_default();
        next.is_some()
    };
    line.chars().take_while(is_in).chain([mark]).collect()
}

/// Returns the size of `line` in a JSON string, in bytes.
fn json_length(line: &str) -> usize {
    line.chars().map(json_char_length).sum()
}

fn json_char_length(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        character => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_as_long_as_json_writes_it() {
        for line in [
            "",
            "a\"b\\c",
            "\t\n\r\u{8}\u{c}\u{1}\u{1f}\u{7f}",
            "\u{e9}\u{2026}\u{1f600}",
        ] {
            assert_eq!(
                Some(json_length(line) + 2),
                serde_json::to_string(line).ok().map(|text| text.len())
            );
        }
    }

    #[test]
    fn what_is_cut_is_marked_and_fits() {
        let line = shorten("\u{1}".repeat(100), 50);
        assert_eq!(
            (json_length(&line) <= 50, line.ends_with('\u{2026}')),
            (true, true)
        );
        let lines = Budget::default().lines(&vec![vec![b'x'; 500]; 9]);
        assert_eq!(
            (
                lines.len(),
                lines
                    .iter()
                    .map(|line| json_length(line) + LINE_OVERHEAD)
                    .sum::<usize>()
                    <= MAX_BYTES
            ),
            (3, true)
        );
    }
}
