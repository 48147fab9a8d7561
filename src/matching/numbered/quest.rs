//! What is looked for in a file.

use crate::matching::level::Level;
use crate::matching::pattern::Pattern;

/// Lines of a hunk that are looked for.
pub(super) struct Quest<'p> {
    pub(super) pattern: &'p Pattern<'p>,
    pub(super) level: &'p Level,
    /// Where they are said to be, in the file as the hunks so far left it.
    pub(super) stated: isize,
}

impl Quest<'_> {
    pub(super) fn count(&self) -> usize {
        self.level.lines.len()
    }

    /// Returns the lines with their terminators.
    pub(super) fn lines(&self) -> &[&[u8]] {
        &self.pattern.lines()[self.level.lines.clone()]
    }

    /// Returns whether each line ends where the next one starts; only the last may lack its
    /// terminator.
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
