//! The parts of a file that hunks have taken, and where its other lines are in the file as they
//! left it.

use std::ops::Range;

/// So many of the last parts are looked through before all others.
const NEAR: usize = 8;

/// The lines that placed hunks cover, in the order of the file.
#[derive(Default)]
pub(super) struct Covered {
    taken: Vec<Taken>,
    /// The first line of the file where a hunk may go.
    pub(super) floor: usize,
}

struct Taken {
    lines: Range<usize>,
    /// Lines gained by this hunk and all before it in the file.
    change: isize,
}

impl Covered {
    /// Returns that of a file of which only the first `floor` lines are done.
    pub(super) fn below(floor: usize) -> Self {
        Self {
            floor,
            taken: Vec::new(),
        }
    }

    /// Takes `lines` of the file for a hunk that makes `change` lines more of them.
    pub(super) fn take(&mut self, lines: Range<usize>, change: isize) {
        let at = self
            .first_not(|taken| (taken.lines.start, taken.lines.end) <= (lines.start, lines.end));
        let before = at.checked_sub(1).map_or(0, |last| self.taken[last].change);
        self.taken.insert(
            at,
            Taken {
                lines,
                change: before + change,
            },
        );
        if change != 0 {
            for taken in &mut self.taken[at + 1..] {
                taken.change += change;
            }
        }
    }

    /// Returns a run of taken lines that `lines` would overlap. An empty run overlaps only what it
    /// is inside of.
    pub(super) fn obstacle(&self, lines: &Range<usize>) -> Option<Range<usize>> {
        let at = self.first_not(|taken| taken.lines.end <= lines.start);
        let taken = &self.taken.get(at)?.lines;
        (taken.start < lines.end)
            .then(|| taken.clone())
            .filter(|taken| taken.end > lines.start)
    }

    /// Returns how many lines more the hunks made.
    pub(super) fn change(&self) -> isize {
        self.taken.last().map_or(0, |taken| taken.change)
    }

    /// Returns the number that `line` of the file has in the file as the hunks left it.
    pub(super) fn running(&self, line: usize) -> isize {
        signed(line) + self.change_before(line)
    }

    /// Returns the first line of the file, untaken or behind what is taken, that has at least the
    /// number `running` in the file as the hunks left it.
    pub(super) fn original(&self, running: isize) -> usize {
        let at = self.first_not(|taken| signed(taken.lines.end) + taken.change <= running);
        let change = at.checked_sub(1).map_or(0, |last| self.taken[last].change);
        let line = usize::try_from(running - change).unwrap_or(0);
        match self.taken.get(at) {
            Some(taken) if taken.lines.start < line => taken.lines.end,
            _ => line,
        }
    }

    /// Returns the first place of which `is_before` does not hold. Hunks mostly come in the order
    /// of the file, so that it is near the end.
    fn first_not(&self, is_before: impl Fn(&Taken) -> bool) -> usize {
        let (all, near) = self.taken.split_at(self.taken.len().saturating_sub(NEAR));
        match near.first() {
            Some(first) if is_before(first) => all.len() + near.partition_point(is_before),
            _ => all.partition_point(is_before),
        }
    }

    fn change_before(&self, line: usize) -> isize {
        let at = self.first_not(|taken| taken.lines.end <= line);
        at.checked_sub(1).map_or(0, |last| self.taken[last].change)
    }
}

/// Returns a line number as one that can be added to and subtracted from; no file has lines beyond
/// it.
pub(super) fn signed(line: usize) -> isize {
    const MOST: isize = isize::MAX / 4;
    isize::try_from(line).map_or(MOST, |line| line.min(MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_in_the_file_as_the_hunks_left_it() {
        let mut covered = Covered::default();
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
        let mut covered = Covered::default();
        (0..3 * NEAR).for_each(|nth| covered.take(10 * nth..10 * nth + 5, 0));
        for line in 0..30 * NEAR {
            let part = line / 10 * 10;
            let taken = (line < part + 5).then_some(part..part + 5);
            assert_eq!(covered.obstacle(&(line..line + 1)), taken);
            assert_eq!(
                covered.original(signed(line)),
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
        let mut covered = Covered::default();
        covered.take(5..5, 1);
        assert_eq!(
            [4..6, 5..6, 4..5, 5..5].map(|lines| covered.obstacle(&lines)),
            [Some(5..5), None, None, None]
        );
    }
}
