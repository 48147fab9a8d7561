//! Comparisons of two lines.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::ladder::{EXACT, FIXED, LADDER};
use super::offsets::LineOffsets;
use crate::text::{lines, without_bom, without_ending};
use crate::whitespace::{WhitespaceRule, fix};

/// A way to compare lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The row of [`LADDER`].
    pub(crate) rung: usize,
    /// Whether terminators and a byte order mark are part of the compared lines.
    pub(crate) is_strict: bool,
    /// The white-space errors that are fixed before the comparison, on the rung `FIXED`.
    pub(crate) whitespace: WhitespaceRule,
}

impl Comparison {
    /// Creates a comparison of lines with their terminators.
    pub(crate) fn strict(rung: usize) -> Self {
        Self {
            rung,
            is_strict: true,
            whitespace: WhitespaceRule::NONE,
        }
    }

    /// Creates a comparison of lines without terminators.
    pub(crate) const fn loose(rung: usize) -> Self {
        Self {
            rung,
            is_strict: false,
            whitespace: WhitespaceRule::NONE,
        }
    }

    /// Creates a comparison that first fixes the white-space errors of `rule`.
    pub(crate) fn with_fixes(rule: WhitespaceRule) -> Self {
        Self {
            whitespace: rule,
            ..Self::strict(FIXED)
        }
    }

    /// Returns the key of a line. Two lines are equal if their keys are.
    pub(crate) fn key(self, line: &[u8]) -> Cow<'_, [u8]> {
        if self.rung == FIXED {
            return fix(line, self.whitespace).line;
        }
        (LADDER[self.rung].key)(if self.is_strict {
            line
        } else {
            without_ending(line)
        })
    }

    /// Returns the line `number` of a file. Removes a byte order mark from the first line if the
    /// comparison ignores the mark.
    pub(crate) fn without_mark(self, number: usize, line: &[u8]) -> &[u8] {
        if self.is_strict || number > 0 {
            line
        } else {
            without_bom(line)
        }
    }

    /// Returns the lines of a file from `line` on, prepared for [`Comparison::key`].
    pub(crate) fn lines_from<'a>(
        self,
        index: &LineOffsets<'a>,
        line: usize,
    ) -> impl Iterator<Item = &'a [u8]> {
        self.lines_of(&index.text()[index.offset(line)..], line)
    }

    /// Returns the lines of a part of a file that starts at `line`, prepared for
    /// [`Comparison::key`].
    pub(crate) fn lines_of(self, text: &[u8], line: usize) -> impl Iterator<Item = &[u8]> {
        (line..)
            .zip(lines(text))
            .map(move |(number, (_, line))| self.without_mark(number, line))
    }

    /// Returns whether the run `wanted` is in a file at `line`, which starts at `offset`.
    ///
    /// A line without a terminator can only be the last line of the file.
    pub(crate) fn is_at<'w>(
        self,
        index: &LineOffsets<'_>,
        (line, offset): (usize, usize),
        wanted: impl IntoIterator<Item = &'w [u8]>,
    ) -> bool {
        let text = &index.text()[offset..];
        // `Self::key` of this comparison is the line itself, so the bytes can be compared at once.
        if self == Self::strict(EXACT) {
            return is_prefix(text, wanted);
        }
        let mut found = self.lines_of(text, line);
        wanted.into_iter().all(|wanted| {
            let line = found.next();
            line.is_some_and(|line| self.key(line) == self.key(wanted))
        })
    }

    /// Returns the hash of the key of a line.
    pub(crate) fn hash(self, line: &[u8]) -> u64 {
        xxh3_64(&self.key(line))
    }
}

/// Returns whether `text` begins with the run `wanted`, byte for byte. The function does not search
/// the text for line endings. A wanted line without a terminator must end the text.
fn is_prefix<'w>(mut text: &[u8], wanted: impl IntoIterator<Item = &'w [u8]>) -> bool {
    wanted.into_iter().all(|wanted| {
        let rest = text.strip_prefix(wanted);
        text = rest.unwrap_or_default();
        rest.is_some() && !wanted.is_empty() && (wanted.ends_with(b"\n") || text.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::RngSeed;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 5000,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(11),
            ..ProptestConfig::default()
        })]

        /// A run can be empty, and any of its lines can be empty or lack its terminator.
        #[test]
        fn an_exact_run_is_where_each_line_is_equal(
            file in vec(select(vec!["a\n", "b\n", "\n", "ab\n"]), 0..4),
            last in select(vec!["", "a", "b", "ab"]),
            run in vec(select(vec!["a\n", "b\n", "\n", "a", "b", ""]), 0..4),
        ) {
            let text = file.concat() + last;
            let index = LineOffsets::new(text.as_bytes());
            let run: Vec<_> = run.into_iter().map(str::as_bytes).collect();
            let found: Vec<_> = index.lines_from(0).collect();
            for line in 0..=index.count() {
                let is_there = Comparison::strict(EXACT).is_at(&index, (line, index.offset(line)), run.iter().copied());
                prop_assert_eq!(is_there, found[line..].starts_with(&run), "line {}", line);
            }
        }
    }
}
