//! What is looked for in a file.

use crate::matching::level::Level;
use crate::matching::pattern::Pattern;

/// Lines of a hunk that are looked for.
pub(super) struct Quest<'p> {
    pub(super) pattern: &'p Pattern,
    pub(super) level: &'p Level,
    /// Where they are said to be, in the file as the hunks so far left it.
    pub(super) stated: isize,
}

impl Quest<'_> {
    pub(super) fn count(&self) -> usize {
        self.level.lines.len()
    }

    pub(super) fn wanted(&self) -> &[u8] {
        self.pattern.bytes(self.level.lines.clone())
    }

    pub(super) fn lines(&self) -> Vec<&[u8]> {
        self.level.lines.clone().map(|line| self.pattern.line(line)).collect()
    }
}
