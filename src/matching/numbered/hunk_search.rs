//! The lines that one search looks for.

use crate::matching::context_level::ContextLevel;
use crate::matching::pattern::Pattern;
use crate::plan::Hunk;

/// The old lines of a hunk that one level requires.
pub(super) struct HunkSearch<'p> {
    pub(super) hunk: &'p Hunk,
    pub(super) pattern: &'p Pattern<'p>,
    pub(super) level: &'p ContextLevel,
    /// The stated line in the file after the placed hunks.
    pub(super) stated: isize,
}

impl HunkSearch<'_> {
    pub(super) fn count(&self) -> usize {
        self.level.lines.len()
    }

    /// Returns the lines with their terminators.
    pub(super) fn lines(&self) -> &[&[u8]] {
        &self.pattern.lines()[self.level.lines.clone()]
    }

    /// Returns whether all lines have terminators, except possibly the last one.
    pub(super) fn is_whole(&self) -> bool {
        self.lines()
            .split_last()
            .is_none_or(|(_, lines)| lines.iter().all(|line| line.ends_with(b"\n")))
    }

    /// Returns the last line, if there is one.
    pub(super) fn last(&self) -> Option<&[u8]> {
        self.lines().last().copied()
    }
}
