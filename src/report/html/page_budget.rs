//! The remaining limits for all files of a page.

use crate::report::inline::InlineDiff;

/// The maximum number of bytes of a line that are shown.
pub(super) const MAX_LINE_BYTES: usize = 2000;

/// The remaining limits for all files of a page.
#[derive(Debug)]
pub(super) struct PageBudget {
    /// The number of lines.
    lines: usize,
    /// The number of bytes.
    bytes: usize,
    /// The budget for word comparisons.
    pub(super) inline: InlineDiff,
    /// The last line of the patch that has a number in the section of the current file.
    pub(super) last_patch_line: usize,
    /// The number of bytes that can still have syntax colors.
    pub(super) colored_bytes: usize,
}

impl Default for PageBudget {
    fn default() -> Self {
        Self {
            lines: 20_000,
            bytes: 4 << 20,
            inline: InlineDiff::default(),
            last_patch_line: 0,
            colored_bytes: 512 << 10,
        }
    }
}

impl PageBudget {
    /// Deducts one line and `copies` copies of the bytes of `line`. Returns `false` and deducts
    /// nothing if they do not fit.
    pub(super) fn try_take(&mut self, line: &[u8], copies: usize) -> bool {
        let size = line.len().min(MAX_LINE_BYTES) * copies;
        let (bytes, lines) = (self.bytes.checked_sub(size), self.lines.checked_sub(1));
        if let (Some(bytes), Some(lines)) = (bytes, lines) {
            (self.bytes, self.lines) = (bytes, lines);
        }
        bytes.is_some() && lines.is_some()
    }
}
