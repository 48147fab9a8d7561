//! The lines of a file that placed hunks occupy. Maps line numbers between the original file and
//! the file after these hunks.

use std::ops::Range;

/// The number of ranges at the end of the list that are searched before all others.
const NEAR: usize = 8;

/// The lines that placed hunks occupy, in file order.
#[derive(Default)]
pub(super) struct OccupiedLines {
    ranges: Vec<OccupiedRange>,
    /// The first line of the file where a hunk can be placed.
    pub(super) floor: usize,
}

struct OccupiedRange {
    lines: Range<usize>,
    /// The number of lines that this hunk and all earlier ones in the file add. Negative if they
    /// remove lines.
    added: isize,
}

impl OccupiedLines {
    /// Returns an empty list for a file whose first `floor` lines are already processed.
    pub(super) fn with_floor(floor: usize) -> Self {
        Self {
            floor,
            ranges: Vec::new(),
        }
    }

    /// Marks `lines` of the file as occupied by a hunk that adds `change` lines.
    pub(super) fn occupy(&mut self, lines: Range<usize>, change: isize) {
        let at = self.partition_point(|taken| {
            (taken.lines.start, taken.lines.end) <= (lines.start, lines.end)
        });
        // Counts of the earlier ranges are cumulative, so the last one covers them all.
        let before = at.checked_sub(1).map_or(0, |last| self.ranges[last].added);
        self.ranges.insert(
            at,
            OccupiedRange {
                lines,
                added: before + change,
            },
        );
        if change != 0 {
            // The stored counts are cumulative, so the later ones grow too.
            for taken in &mut self.ranges[at + 1..] {
                taken.added += change;
            }
        }
    }

    /// Returns an occupied range that overlaps `lines`. An empty range overlaps only a range that
    /// contains it in its interior.
    pub(super) fn find_overlap(&self, lines: &Range<usize>) -> Option<Range<usize>> {
        let at = self.partition_point(|taken| taken.lines.end <= lines.start);
        // Ranges do not overlap, so no later range can overlap if this one does not.
        let taken = &self.ranges.get(at)?.lines;
        (taken.start < lines.end)
            .then(|| taken.clone())
            .filter(|taken| taken.end > lines.start)
    }

    /// Returns the number of lines that all placed hunks add.
    pub(super) fn added_lines(&self) -> isize {
        self.ranges.last().map_or(0, |taken| taken.added)
    }

    /// Converts `line` of the original file to its number in the file after the placed hunks.
    pub(super) fn to_current_line(&self, line: usize) -> isize {
        to_signed(line) + self.added_before(line)
    }

    /// Returns the first line of the original file whose number after the placed hunks is at least
    /// `running`.
    ///
    /// If this line is inside an occupied range, the function returns the end of the range.
    pub(super) fn to_original_line(&self, running: isize) -> usize {
        let at = self.partition_point(|taken| to_signed(taken.lines.end) + taken.added <= running);
        let change = at.checked_sub(1).map_or(0, |last| self.ranges[last].added);
        // A stated line before the start of the file becomes line 0.
        let line = usize::try_from(running - change).unwrap_or(0);
        // A line inside an occupied range has no number of its own after the hunks.
        match self.ranges.get(at) {
            Some(taken) if taken.lines.start < line => taken.lines.end,
            _ => line,
        }
    }

    /// Returns the index of the first range for which `is_before` is false.
    ///
    /// Hunks usually arrive in file order, so the result is usually near the end.
    fn partition_point(&self, is_before: impl Fn(&OccupiedRange) -> bool) -> usize {
        let (all, near) = self.ranges.split_at(self.ranges.len().saturating_sub(NEAR));
        match near.first() {
            Some(first) if is_before(first) => all.len() + near.partition_point(is_before),
            _ => all.partition_point(is_before),
        }
    }

    fn added_before(&self, line: usize) -> isize {
        let at = self.partition_point(|taken| taken.lines.end <= line);
        at.checked_sub(1).map_or(0, |last| self.ranges[last].added)
    }
}

/// Converts a line number to a signed number on which additions cannot overflow. No file has more
/// lines than `MAX_LINE`.
pub(super) fn to_signed(line: usize) -> isize {
    const MAX_LINE: isize = isize::MAX / 4;
    isize::try_from(line).map_or(MAX_LINE, |line| line.min(MAX_LINE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_in_the_file_as_the_hunks_left_it() {
        let mut covered = OccupiedLines::default();
        covered.occupy(10..13, 2);
        covered.occupy(2..4, -1);
        assert_eq!(
            [0, 4, 13, 20].map(|line| covered.to_current_line(line)),
            [0, 3, 14, 21]
        );
        assert_eq!(
            [0, 1, 3, 9, 14, 21].map(|line| covered.to_original_line(line)),
            [0, 1, 4, 10, 13, 20]
        );
    }

    #[test]
    fn of_many_parts_those_near_the_end_and_those_before_are_found() {
        let mut covered = OccupiedLines::default();
        (0..3 * NEAR).for_each(|nth| covered.occupy(10 * nth..10 * nth + 5, 0));
        for line in 0..30 * NEAR {
            let part = line / 10 * 10;
            let taken = (line < part + 5).then_some(part..part + 5);
            assert_eq!(covered.find_overlap(&(line..line + 1)), taken);
            assert_eq!(
                covered.to_original_line(to_signed(line)),
                if line % 10 == 0 {
                    line
                } else {
                    line.max(part + 5)
                }
            );
        }
    }

    #[test]
    fn an_insertion_keeps_a_hunk_from_reaching_over_it() {
        let mut covered = OccupiedLines::default();
        covered.occupy(5..5, 1);
        assert_eq!(
            [4..6, 5..6, 4..5, 5..5].map(|lines| covered.find_overlap(&lines)),
            [Some(5..5), None, None, None]
        );
    }
}
