//! Places hunks that end with blank lines which the file no longer contains, if white-space errors
//! are fixed.

use super::{HunkSearch, Placer, comparison};
use crate::lines::ladder::{FIXED, WHITESPACE};
use crate::lines::{LADDER, LineHashes, base_power};
use crate::matching::Placement;
use crate::matching::occupied::to_signed;
use crate::whitespace::{WhitespaceFlags, is_blank};

impl Placer<'_> {
    /// Finds the old lines at the end of a file that lacks some of their final blank lines.
    ///
    /// Applies only if `BLANK_AT_EOF` errors are fixed, because such blank lines are then omitted
    /// anyway. At least one non-blank line must match.
    pub(super) fn find_beyond(&mut self, hunk_search: &HunkSearch<'_>) -> Option<Placement> {
        let rules = self.patch.rules;
        rules
            .correction
            .filter(|correction| correction.rule.has(WhitespaceFlags::BLANK_AT_EOF))?;
        let rung = if rules.ignore_whitespace {
            WHITESPACE
        } else {
            FIXED
        };
        let (lines, comparison) = (hunk_search.lines(), comparison(rung, rules));
        let blank = lines.iter().rev().take_while(|line| is_blank(line)).count();
        // At least one line must be missing, and at least one non-blank line must match.
        let most = lines
            .len()
            .checked_sub(1)
            .filter(|_| blank > 0 && blank < lines.len())?
            .min(self.index.count());
        let first = self.index.count() - most;
        let found = LineHashes::new(comparison, comparison.lines_from(self.index, first));
        let wanted = LineHashes::new(comparison, lines.iter().copied());
        let fitting = (lines.len() - blank..=most).rev().find(|&count| {
            let line = self.index.count() - count;
            let is_free = self.occupied.find_overlap(&(line..line + count)).is_none();
            let is_right = !hunk_search.level.is_at_start
                || line == 0 && self.occupied.to_current_line(line) == 0;
            let power = base_power(count);
            is_free
                && is_right
                && wanted.run_hash(0, count, power) == found.run_hash(line - first, count, power)
        })?;
        let line = self.index.count() - fitting;
        // Hashes can collide, so the lines are compared.
        let start = (line, self.index.offset(line));
        if !comparison.is_at(self.index, start, lines[..fitting].iter().copied()) {
            return None;
        }
        let offset = self.occupied.to_current_line(line) - hunk_search.stated;
        let range = line..self.index.count();
        self.occupied.occupy(
            range.clone(),
            hunk_search.pattern.added_lines + to_signed(lines.len() - fitting),
        );
        Some(Placement {
            bytes: self.index.bytes(range.clone()),
            lines: range,
            offset,
            ignored_context: (
                hunk_search.level.lines.start,
                hunk_search.pattern.count() - hunk_search.level.lines.end,
            ),
            rung: LADDER[rung].name,
            candidates: Vec::new(),
            missing_blank_lines: lines.len() - fitting,
            already_at: None,
        })
    }
}
