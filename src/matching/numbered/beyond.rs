//! Places hunks that end with blank lines which the file no longer contains, if white-space errors
//! are fixed.

use super::{HunkSearch, Placer, comparison};
use crate::lines::ladder::{FIXED, WHITESPACE};
use crate::lines::{LADDER, LineHashes, power};
use crate::matching::Placement;
use crate::matching::occupied::to_signed;
use crate::whitespace::{WhitespaceFlags, is_blank};

impl Placer<'_> {
    /// Finds the old lines at the end of a file that lacks some of their final blank lines.
    ///
    /// Applies only if `BLANK_AT_EOF` errors are fixed, because such blank lines are then omitted
    /// anyway. At least one non-blank line must match.
    pub(super) fn find_beyond(&mut self, quest: &HunkSearch<'_>) -> Option<Placement> {
        let rules = self.patch.rules;
        rules
            .correction
            .filter(|correction| correction.rule.has(WhitespaceFlags::BLANK_AT_EOF))?;
        let rung = if rules.ignore_whitespace {
            WHITESPACE
        } else {
            FIXED
        };
        let (lines, comparison) = (quest.lines(), comparison(rung, rules));
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
            let is_free = self.covered.obstacle(&(line..line + count)).is_none();
            let is_right = !quest.level.is_at_start || line == 0 && self.covered.running(line) == 0;
            let power = power(count);
            is_free
                && is_right
                && wanted.run(0, count, power) == found.run(line - first, count, power)
        })?;
        let line = self.index.count() - fitting;
        // Hashes can collide, so the lines are compared.
        let start = (line, self.index.offset(line));
        if !comparison.is_at(self.index, start, lines[..fitting].iter().copied()) {
            return None;
        }
        let offset = self.covered.running(line) - quest.stated;
        let range = line..self.index.count();
        self.covered.take(
            range.clone(),
            quest.pattern.change + to_signed(lines.len() - fitting),
        );
        Some(Placement {
            bytes: self.index.bytes(range.clone()),
            lines: range,
            offset,
            left_out: (
                quest.level.lines.start,
                quest.pattern.count() - quest.level.lines.end,
            ),
            rung: LADDER[rung].name,
            candidates: Vec::new(),
            beyond: lines.len() - fitting,
            already_at: None,
        })
    }
}
