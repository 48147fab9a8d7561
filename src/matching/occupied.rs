//! The lines of a file that placed hunks occupy. Maps line numbers between the original file and
//! the file after these hunks.

use std::ops::Range;

/// The number of ranges at the end of the list that are searched before all others.
const NEAR: usize = 8;

/// The lines that placed hunks occupy, in file order.
#[derive(Default)]
pub(super) struct OccupiedLines {
    taken: Vec<OccupiedRange>,
    /// The first line of the file where a hunk can be placed.
    pub(super) floor: usize,
}

struct OccupiedRange {
    lines: Range<usize>,
    /// The number of lines that this hunk and all earlier ones in the file add. Negative if they
    /// remove lines.
    change: isize,
}

impl OccupiedLines {
    /// Returns an empty list for a file whose first `floor` lines are already processed.
    pub(super) fn with_floor(floor: usize) -> Self {
        Self {
            floor,
            taken: Vec::new(),
        }
    }

    /// Marks `lines` of the file as occupied by a hunk that adds `change` lines.
    pub(super) fn take(&mut self, lines: Range<usize>, change: isize) {
        let at = self.partition_point(|taken| {
            (taken.lines.start, taken.lines.end) <= (lines.start, lines.end)
        });
        // Counts of the earlier ranges are cumulative, so the last one covers them all.
        let before = at.checked_sub(1).map_or(0, |last| self.taken[last].change);
        self.taken.insert(
            at,
            OccupiedRange {
                lines,
                change: before + change,
            },
        );
        if change != 0 {
            // The stored counts are cumulative, so the later ones grow too.
            for taken in &mut self.taken[at + 1..] {
                taken.change += change;
            }
        }
    }

    /// Returns an occupied range that overlaps `lines`. An empty range overlaps only a range that
    /// contains it in its interior.
    pub(super) fn obstacle(&self, lines: &Range<usize>) -> Option<Range<usize>> {
        let at = self.partition_point(|taken| taken.lines.end <= lines.start);
        // Ranges do not overlap, so no later range can overlap if this one does not.
        let taken = &self.taken.get(at)?.lines;
        (taken.start < lines.end)
            .then(|| taken.clone())
            .filter(|taken| taken.end > lines.start)
    }

    /// Returns the number of lines that all placed hunks add.
    pub(super) fn change(&self) -> isize {
        self.taken.last().map_or(0, |taken| taken.change)
    }

    /// Converts `line` of the original file to its number in the file after the placed hunks.
    pub(super) fn running(&self, line: usize) -> isize {
        to_signed(line) + self.change_before(line)
    }

    /// Returns the first line of the original file whose number after the placed hunks is at least
    /// `running`.
    ///
    /// If this line is inside an occupied range, the function returns the end of the range.
    pub(super) fn original(&self, running: isize) -> usize {
        let at = self.partition_point(|taken| to_signed(taken.lines.end) + taken.change <= running);
        let change = at.checked_sub(1).map_or(0, |last| self.taken[last].change);
        // A stated line before the start of the file becomes line 0.
        let line = usize::try_from(running - change).unwrap_or(0);
        // A line inside an occupied range has no number of its own after the hunks.
        match self.taken.get(at) {
            Some(taken) if taken.lines.start < line => taken.lines.end,
            _ => line,
        }
    }

    /// Returns the index of the first range for which `is_before` is false.
    ///
    /// Hunks usually arrive in file order, so the result is usually near the end.
    fn partition_point(&self, is_before: impl Fn(&OccupiedRange) -> bool) -> usize {
        let (all, near) = self.taken.split_at(self.taken.len().saturating_sub(NEAR));
        match near.first() {
            Some(first) if is_before(first) => all.len() + near.partition_point(is_before),
            _ => all.partition_point(is_before),
        }
    }

    fn change_before(&self, line: usize) -> isize {
        let at = self.partition_point(|taken| taken.lines.end <= line);
        at.checked_sub(1).map_or(0, |last| self.taken[last].change)
    }
}

/// Converts a line number to a signed number on which additions cannot overflow. No file has more
/// lines than `MOST`.
pub(super) fn to_signed(line: usize) -> isize {
    const MOST: isize = isize::MAX / 4;
    isize::try_from(line).map_or(MOST, |line| line.min(MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_in_the_file_as_the_hunks_left_it() {
        let mut covered = OccupiedLines::default();
        covered.take(10..13, 2);
        covered.take(2..4, -1);
        assert_eq!(
            [0, 4, 13, 20].map(|line| covered.running(line)),
            [0, 3, 14, 21]
        );
        assert_eq!(
            [0, 1, 3, 9, 14, 21].map(|line| covered.original(line)),
            [0, 1, 4, 10, 13, 20]
        );
    }

    #[test]
    fn of_many_parts_those_near_the_end_and_those_before_are_found() {
        let mut covered = OccupiedLines::default();
        (0..3 * NEAR).for_each(|nth| covered.take(10 * nth..10 * nth + 5, 0));
        for line in 0..30 * NEAR {
            let part = line / 10 * 10;
            let taken = (line < part + 5).then_some(part..part + 5);
            assert_eq!(covered.obstacle(&(line..line + 1)), taken);
            assert_eq!(
                covered.original(to_signed(line)),
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
        covered.take(5..5, 1);
        assert_eq!(
            [4..6, 5..6, 4..5, 5..5].map(|lines| covered.obstacle(&lines)),
            [Some(5..5), None, None, None]
        );
    }
}
