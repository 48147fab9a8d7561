//! Searches the shortest edit script between two sequences as GNU diff and git select it, and
//! aligns a sequence with a prefix of another one.
//!
//! The algorithm is E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1
//! (1986).

use std::ops::RangeInclusive;

use super::edits::Edit;
use super::ends::common_ends;

/// Two sequences of numbers.
pub(crate) struct SequencePair<'p> {
    /// The first sequence.
    pub(crate) old: &'p [u32],
    /// The second sequence.
    pub(crate) new: &'p [u32],
}

impl SequencePair<'_> {
    /// Returns a part of both sequences.
    pub(super) fn part(&self, part: &Edit) -> SequencePair<'_> {
        SequencePair {
            old: &self.old[part.old.clone()],
            new: &self.new[part.new.clone()],
        }
    }

    /// Returns `part` without the elements at its ends that both sequences have in common.
    pub(super) fn without_common_ends(&self, part: &Edit) -> Edit {
        let SequencePair { old, new } = self.part(part);
        let (start, end) = common_ends(old, new, |a, b| a == b);
        Edit {
            old: part.old.start + start..part.old.end - end,
            new: part.new.start + start..part.new.end - end,
        }
    }

    fn is_same(&self, x: isize, y: isize) -> bool {
        self.old[x.cast_unsigned()] == self.new[y.cast_unsigned()]
    }

    /// Returns the end of the equal run that starts at `from` on `diagonal`, as an index of the
    /// first sequence.
    fn equal_run_end(&self, from: isize, diagonal: isize) -> isize {
        let (width, height) = (self.old.len().cast_signed(), self.new.len().cast_signed());
        let mut x = from;
        while x < width && x - diagonal < height && self.is_same(x, x - diagonal) {
            x += 1;
        }
        x
    }

    /// Returns the start of the equal run that ends at `from` on `diagonal`, as an index of the
    /// first sequence.
    fn equal_run_start(&self, from: isize, diagonal: isize) -> isize {
        let mut x = from;
        while x > 0 && x - diagonal > 0 && self.is_same(x - 1, x - diagonal - 1) {
            x -= 1;
        }
        x
    }
}

/// The furthest point that a search has reached on each diagonal, as an index of the first
/// sequence.
///
/// A diagonal is a number: the index of the first sequence minus the index of the second sequence.
/// A round of the search visits every second diagonal between `first` and `last`.
struct Frontier<'f> {
    reached: &'f mut [isize],
    base: isize,
    first: isize,
    last: isize,
}

impl<'f> Frontier<'f> {
    fn new(reached: &'f mut [isize], base: isize, (diagonal, at): (isize, isize)) -> Self {
        let mut front = Self {
            reached,
            base,
            first: diagonal,
            last: diagonal,
        };
        *front.at(diagonal) = at;
        front
    }

    fn at(&mut self, diagonal: isize) -> &mut isize {
        &mut self.reached[(diagonal + self.base).cast_unsigned()]
    }

    /// Adds a diagonal on each side, within the bounds. The last argument is the value of a
    /// diagonal that the search has not reached yet.
    ///
    /// A side that has reached its bound loses a diagonal instead. The next round visits the
    /// diagonals of the other parity, and the bound itself is not one of them.
    fn widen(&mut self, (lowest, highest): (isize, isize), unreached: isize) {
        if self.first > lowest {
            self.first -= 1;
            *self.at(self.first - 1) = unreached;
        } else {
            self.first += 1;
        }
        if self.last < highest {
            self.last += 1;
            *self.at(self.last + 1) = unreached;
        } else {
            self.last -= 1;
        }
    }

    fn has(&self, diagonal: isize) -> bool {
        self.first <= diagonal && diagonal <= self.last
    }
}

/// A search for points on the shortest paths through parts of two sequences, with its memory.
pub(super) struct MiddleSearch {
    forward: Vec<isize>,
    backward: Vec<isize>,
}

impl MiddleSearch {
    /// Creates a search for `pair` and its parts.
    pub(super) fn new(pair: &SequencePair<'_>) -> Self {
        let count = pair.old.len() + pair.new.len() + 3;
        Self {
            forward: vec![0; count],
            backward: vec![0; count],
        }
    }

    /// Returns a point on a shortest path through `pair`: a search from the start and a search from
    /// the end meet there (`xdl_split` in git). The sequences must begin and end with different
    /// elements.
    ///
    /// Each comparison takes one of `steps`. The function returns `None` if they are used up, or if
    /// the path has more than about twice `most` changes.
    pub(super) fn find_middle(
        &mut self,
        pair: &SequencePair<'_>,
        most: usize,
        steps: &mut u64,
    ) -> Option<(usize, usize)> {
        let (width, height) = (pair.old.len().cast_signed(), pair.new.len().cast_signed());
        let bounds = (-height, width);
        // The lowest diagonal is `-height`, and each search also reads its neighbour.
        let base = height + 1;
        let mut forward = Frontier::new(&mut self.forward, base, (0, 0));
        let mut backward = Frontier::new(&mut self.backward, base, (width - height, width));
        // The number of changes on a path has the parity of this difference. After a whole round,
        // both searches have made the same number of changes. They then meet only if it is even.
        let is_odd = (width - height) % 2 != 0;
        let (mut taken, mut changes) = (0, 0);
        while taken < *steps && changes < most {
            changes += 1;
            forward.widen(bounds, -1);
            let mut diagonal = forward.last;
            while diagonal >= forward.first {
                // A step from the lower diagonal is a deletion, a step from the higher one an
                // insertion. git prefers the deletion if both reach equally far.
                let (low, high) = (*forward.at(diagonal - 1), *forward.at(diagonal + 1));
                let from = if low < high { high } else { low + 1 };
                let x = pair.equal_run_end(from, diagonal);
                taken += (x - from).cast_unsigned() as u64 + 1;
                *forward.at(diagonal) = x;
                if is_odd && backward.has(diagonal) && *backward.at(diagonal) <= x {
                    *steps = steps.saturating_sub(taken);
                    return Some((x.cast_unsigned(), (x - diagonal).cast_unsigned()));
                }
                diagonal -= 2;
            }
            backward.widen(bounds, isize::MAX);
            let mut diagonal = backward.last;
            while diagonal >= backward.first {
                let (low, high) = (*backward.at(diagonal - 1), *backward.at(diagonal + 1));
                let from = if low < high { low } else { high - 1 };
                let x = pair.equal_run_start(from, diagonal);
                taken += (from - x).cast_unsigned() as u64 + 1;
                *backward.at(diagonal) = x;
                if !is_odd && forward.has(diagonal) && x <= *forward.at(diagonal) {
                    *steps = steps.saturating_sub(taken);
                    return Some((x.cast_unsigned(), (x - diagonal).cast_unsigned()));
                }
                diagonal -= 2;
            }
        }
        *steps = steps.saturating_sub(taken);
        None
    }
}

/// Aligns `old` with a prefix of `new` with the fewest changes. Returns the length of the prefix
/// and the number of changes.
///
/// `bounds` contains two unrelated limits. Its start is the minimum length of the prefix. Its end
/// is the maximum number of changes. Each comparison takes one of `steps`; if they are used up, the
/// function returns `None`.
///
/// The last condition in `fits` is a rule of GNU patch: the number of common elements plus `line`
/// must be at least the minimum length. `line` is the position of `new` in the file, counted from
/// 1.
pub(crate) fn align_prefix(
    pair: &SequencePair<'_>,
    line: usize,
    bounds: RangeInclusive<usize>,
    steps: &mut usize,
) -> Option<(usize, usize)> {
    let (width, height) = (pair.old.len().cast_signed(), pair.new.len().cast_signed());
    let (least, most, line) = (
        bounds.start().cast_signed(),
        *bounds.end(),
        line.cast_signed(),
    );
    if least > height || *steps == 0 {
        *steps = steps.saturating_sub(1);
        return None;
    }
    let fits = |x: isize, y: isize, changes: isize| {
        x == width
            && (least..=height).contains(&y)
            && (least == 0 || x + y - changes + 2 * line >= 2 * least)
    };
    let run = |from: isize, diagonal: isize, steps: &mut usize| {
        let x = pair.equal_run_end(from, diagonal);
        *steps = steps.saturating_sub((x - from).cast_unsigned() + 1);
        x
    };
    let x = run(0, 0, steps);
    if fits(x, x, 0) {
        return Some((x.cast_unsigned(), 0));
    }
    let mut reached = vec![0; 2 * most + 3];
    let mut front = Frontier::new(&mut reached, most.cast_signed() + 1, (0, x));
    *steps = steps.saturating_sub(most);
    for changes in 1..=most {
        front.widen((-height, width), -1);
        // Several prefixes can have the same number of changes. The longest one is used.
        let mut longest = None;
        for diagonal in (front.first..=front.last).rev().step_by(2) {
            let (low, high) = (*front.at(diagonal - 1), *front.at(diagonal + 1));
            let x = run(if low < high { high } else { low + 1 }, diagonal, steps);
            *front.at(diagonal) = x;
            if fits(x, x - diagonal, changes.cast_signed()) {
                longest = longest.max(Some(x - diagonal));
            }
        }
        if let Some(y) = longest {
            return Some((y.cast_unsigned(), changes));
        }
        if *steps == 0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<u32> {
        text.bytes().map(u32::from).collect()
    }

    #[test]
    fn a_beginning_may_have_some_changes() {
        let found = |old: &str, new: &str, least, most| {
            align_prefix(
                &SequencePair {
                    old: &numbers(old),
                    new: &numbers(new),
                },
                100,
                least..=most,
                &mut 1000,
            )
        };
        assert_eq!(found("abc", "abcdef", 3, 0), Some((3, 0)));
        assert_eq!(found("abc", "axcdef", 0, 2), Some((3, 2)));
        assert_eq!(found("abc", "axcdef", 0, 1), None);
        assert_eq!(found("abc", "ab", 0, 1), Some((2, 1)));
        assert_eq!(found("abc", "ab", 3, 9), None);
        assert_eq!(found("abc", "xyzabc", 6, 6), Some((6, 3)));
    }
}
