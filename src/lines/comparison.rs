//! Comparisons of two lines.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::ladder::{FIXED, LADDER};
use super::offsets::LineOffsets;
use crate::text::{BYTE_ORDER_MARK, lines, without_ending};
use crate::whitespace::{WhitespaceRule, fix};

/// A way to compare lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The row of [`LADDER`].
    pub(crate) rung: usize,
    /// Whether terminators and a byte order mark are significant.
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
    pub(crate) fn fixed(rule: WhitespaceRule) -> Self {
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

    /// Returns the line `number` of a file without a byte order mark, if the comparison ignores it.
    pub(crate) fn bare(self, number: usize, line: &[u8]) -> &[u8] {
        if self.is_strict || number > 0 {
            line
        } else {
            line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
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
            .map(move |(number, (_, line))| self.bare(number, line))
    }

    pub(crate) fn hash(self, line: &[u8]) -> u64 {
        xxh3_64(&self.key(line))
    }
}
