//! The place of a file that is most like a hunk that does not fit, in as few bytes as help.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::words::{Counter, clipped};
use crate::matching::{Difference, DifferenceReason, Nearest};

/// The place of a file that is most like a hunk that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct NearestPlace {
    /// First line, counted from 1.
    pub line: usize,
    /// How many of the hunk's old lines are there.
    pub matched: usize,
    /// How many old lines the hunk has.
    pub of: usize,
    /// The first line that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_difference: Option<FirstDifference>,
    /// The lines of the file there, as many as there is room for.
    pub text: Vec<String>,
    /// The lines before them, at most two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines_before: Vec<String>,
    /// The lines behind them, at most two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines_after: Vec<String>,
}

/// The first line that keeps a hunk from fitting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct FirstDifference {
    /// Line of the patch, counted from 1.
    pub patch_line: usize,
    /// Line of the file, counted from 1.
    pub file_line: usize,
    /// What the patch has.
    pub expected: String,
    /// What the file has; null at its end.
    pub found: Option<String>,
    /// Why they differ, where that can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<&'static str>"))]
    pub reason: Option<DifferenceReason>,
}

impl Serialize for DifferenceReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl NearestPlace {
    /// Returns the first line of the file, counted from 1, that is another than it should be.
    pub(super) fn differs_at(&self) -> usize {
        self.first_difference
            .as_ref()
            .map_or(self.line, |difference| difference.file_line)
    }

    /// Reports `nearest` in what `budget` leaves: the lines that differ before the others.
    pub(super) fn of(nearest: &Nearest, counter: &mut Counter<'_>, budget: &mut Budget) -> Self {
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
            of: nearest.of,
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
    fn of(difference: &Difference, counter: &mut Counter<'_>, budget: &mut Budget) -> Self {
        Self {
            patch_line: counter.line(difference.patch_offset),
            file_line: difference.file_line + 1,
            expected: budget.line(&difference.expected),
            found: difference.found.as_deref().map(|found| budget.line(found)),
            reason: difference.reason,
        }
    }
}

/// What the lines of one hunk may still take in a report, as JSON. The reader is often a model: a
/// whole report of failure is not to be longer than a hunk.
pub(super) struct Budget {
    left: usize,
}

/// Most bytes of the lines that are shown of one hunk.
const MOST: usize = 600;
/// Most bytes of one of them.
const MOST_OF_LINE: usize = 160;
/// Most bytes of the heading behind a hunk header.
const MOST_OF_SECTION: usize = 80;
/// What a line takes besides its characters.
const QUOTES: usize = 3;

impl Default for Budget {
    fn default() -> Self {
        Self { left: MOST }
    }
}

impl Budget {
    /// Returns a heading, clipped.
    pub(super) fn section(line: &[u8]) -> String {
        fitted(clipped(line), MOST_OF_SECTION)
    }

    /// Returns one line, clipped.
    fn line(&mut self, line: &[u8]) -> String {
        let line = fitted(clipped(line), MOST_OF_LINE);
        self.left = self.left.saturating_sub(length(&line) + QUOTES);
        line
    }

    /// Returns the first of `lines`, each clipped, as many as there is room for.
    pub(super) fn lines<'l>(
        &mut self,
        lines: impl IntoIterator<Item = &'l Vec<u8>>,
    ) -> Vec<String> {
        let mut shown = Vec::new();
        for line in lines {
            let line = fitted(clipped(line), MOST_OF_LINE);
            let Some(left) = self.left.checked_sub(length(&line) + QUOTES) else {
                break;
            };
            self.left = left;
            shown.push(line);
        }
        shown
    }
}

/// Cuts `line` so that it takes at most `most` bytes in a JSON string.
fn fitted(line: String, most: usize) -> String {
    if length(&line) <= most {
        return line;
    }
    let mark = '\u{2026}';
    let mut left = most - mark.len_utf8();
    let is_in = |character: &char| {
        let next = left.checked_sub(bytes(*character));
        left = next.unwrap_or_default();
        next.is_some()
    };
    line.chars().take_while(is_in).chain([mark]).collect()
}

/// Returns how many bytes `line` takes in a JSON string.
fn length(line: &str) -> usize {
    line.chars().map(bytes).sum()
}

fn bytes(character: char) -> usize {
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
                Some(length(line) + 2),
                serde_json::to_string(line).ok().map(|text| text.len())
            );
        }
    }

    #[test]
    fn what_is_cut_is_marked_and_fits() {
        let line = fitted("\u{1}".repeat(100), 50);
        assert_eq!(
            (length(&line) <= 50, line.ends_with('\u{2026}')),
            (true, true)
        );
        let lines = Budget::default().lines(&vec![vec![b'x'; 500]; 9]);
        assert_eq!(
            (
                lines.len(),
                lines
                    .iter()
                    .map(|line| length(line) + QUOTES)
                    .sum::<usize>()
                    <= MOST
            ),
            (3, true)
        );
    }
}
