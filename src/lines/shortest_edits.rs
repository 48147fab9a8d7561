//! Computes the shortest edit script between two sequences as GNU diff selects it, and aligns a
//! sequence with a prefix of another one.

use std::ops::RangeInclusive;

use super::edits::{Edit, Edits, push};

/// Two sequences of numbers.
pub(crate) struct Pair<'p> {
    /// The first sequence.
    pub(crate) old: &'p [u32],
    /// The second sequence.
    pub(crate) new: &'p [u32],
}

impl Pair<'_> {
    fn same(&self, x: isize, y: isize) -> bool {
        self.old[x.cast_unsigned()] == self.new[y.cast_unsigned()]
    }

    /// Returns the end of the equal run that starts at `from` on `diagonal`, as an index of the
    /// first sequence.
    fn run(&self, from: isize, diagonal: isize, steps: &mut usize) -> isize {
        let (width, height) = (self.old.len().cast_signed(), self.new.len().cast_signed());
        let mut x = from;
        while x < width && x - diagonal < height && self.same(x, x - diagonal) {
            x += 1;
        }
        *steps = steps.saturating_sub((x - from).cast_unsigned() + 1);
        x
    }
}

/// Returns the edits from the first sequence to the second. The algorithm is E. Myers, "An O(ND)
/// Difference Algorithm and Its Variations", Algorithmica 1 (1986).
pub(crate) fn shortest_edits(pair: &Pair<'_>) -> Edits {
    let mut edits = Edits::new();
    let mut open = vec![(0, pair.old.len(), 0, pair.new.len())];
    while let Some((mut left, mut right, mut top, mut bottom)) = open.pop() {
        while left < right && top < bottom && pair.old[left] == pair.new[top] {
            (left, top) = (left + 1, top + 1);
        }
        while left < right && top < bottom && pair.old[right - 1] == pair.new[bottom - 1] {
            (right, bottom) = (right - 1, bottom - 1);
        }
        if left == right && top == bottom {
            continue;
        }
        if left == right || top == bottom {
            push(
                &mut edits,
                Edit {
                    old: left..right,
                    new: top..bottom,
                },
            );
        } else {
            let (x, y) = middle(&Pair {
                old: &pair.old[left..right],
                new: &pair.new[top..bottom],
            });
            open.push((left + x, right, top + y, bottom));
            open.push((left, left + x, top, top + y));
        }
    }
    edits
}

/// The furthest points that a search has reached, as indexes of the first sequence, one for each
/// diagonal.
///
/// A diagonal is the difference between the indexes of the first and the second sequence.
struct Front {
    reached: Vec<isize>,
    base: isize,
    first: isize,
    last: isize,
}

impl Front {
    fn new(count: usize, base: isize, (diagonal, at): (isize, isize)) -> Self {
        let mut front = Self {
            reached: vec![0; count],
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

    /// Adds a diagonal on each side, within the bounds. New diagonals start at `nowhere`.
    fn widen(&mut self, (lowest, highest): (isize, isize), nowhere: isize) {
        if self.first > lowest {
            self.first -= 1;
            *self.at(self.first - 1) = nowhere;
        } else {
            self.first += 1;
        }
        if self.last < highest {
            self.last += 1;
            *self.at(self.last + 1) = nowhere;
        } else {
            self.last -= 1;
        }
    }

    fn has(&self, diagonal: isize) -> bool {
        self.first <= diagonal && diagonal <= self.last
    }
}

/// Returns a point on a shortest path through two sequences. The sequences must begin and end with
/// different elements.
fn middle(pair: &Pair<'_>) -> (usize, usize) {
    let (width, height) = (pair.old.len().cast_signed(), pair.new.len().cast_signed());
    let bounds = (-height, width);
    let (count, base) = (pair.old.len() + pair.new.len() + 3, height + 1);
    let mut forward = Front::new(count, base, (0, 0));
    let mut backward = Front::new(count, base, (width - height, width));
    let is_odd = (width - height) % 2 != 0;
    loop {
        forward.widen(bounds, -1);
        for diagonal in (forward.first..=forward.last).rev().step_by(2) {
            let (low, high) = (*forward.at(diagonal - 1), *forward.at(diagonal + 1));
            let x = pair.run(if low < high { high } else { low + 1 }, diagonal, &mut 0);
            *forward.at(diagonal) = x;
            if is_odd && backward.has(diagonal) && *backward.at(diagonal) <= x {
                return (x.cast_unsigned(), (x - diagonal).cast_unsigned());
            }
        }
        backward.widen(bounds, isize::MAX);
        for diagonal in (backward.first..=backward.last).rev().step_by(2) {
            let (low, high) = (*backward.at(diagonal - 1), *backward.at(diagonal + 1));
            let mut x = if low < high { low } else { high - 1 };
            while x > 0 && x - diagonal > 0 && pair.same(x - 1, x - diagonal - 1) {
                x -= 1;
            }
            *backward.at(diagonal) = x;
            if !is_odd && forward.has(diagonal) && x <= *forward.at(diagonal) {
                return (x.cast_unsigned(), (x - diagonal).cast_unsigned());
            }
        }
    }
}

/// Aligns `old` with a prefix of `new` with the fewest changes. Returns the length of the prefix
/// and the number of changes.
///
/// The number of changes is at most the end of `bounds`. The prefix and the number of common
/// elements depend on its start. Each comparison takes one of `steps`; if they are used up, the
/// function returns `None`.
///
/// The last condition in `fits` is a rule of GNU patch. It allows more changes the further down
/// `line` is. `line` is the position of `new`, counted from 1.
pub(crate) fn beginning(
    pair: &Pair<'_>,
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
    let x = pair.run(0, 0, steps);
    if fits(x, x, 0) {
        return Some((x.cast_unsigned(), 0));
    }
    let mut front = Front::new(2 * most + 3, most.cast_signed() + 1, (0, x));
    *steps = steps.saturating_sub(most);
    for changes in 1..=most {
        front.widen((-height, width), -1);
        let mut longest = None;
        for diagonal in (front.first..=front.last).rev().step_by(2) {
            let (low, high) = (*front.at(diagonal - 1), *front.at(diagonal + 1));
            let x = pair.run(if low < high { high } else { low + 1 }, diagonal, steps);
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

    /// Returns both sequences as one text, with `-` before deleted elements and `+` before inserted
    /// elements.
    fn parted(old: &str, new: &str) -> String {
        let (mut text, mut at) = (String::new(), (0, 0));
        let end = Edit {
            old: old.len()..old.len(),
            new: new.len()..new.len(),
        };
        for edit in shortest_edits(&Pair {
            old: &numbers(old),
            new: &numbers(new),
        })
        .into_iter()
        .chain([end])
        {
            let (same, other) = (&old[at.0..edit.old.start], &new[at.1..edit.new.start]);
            assert_eq!(same, other);
            text += same;
            old[edit.old.clone()]
                .chars()
                .for_each(|element| text.extend(['-', element]));
            new[edit.new.clone()]
                .chars()
                .for_each(|element| text.extend(['+', element]));
            at = (edit.old.end, edit.new.end);
        }
        text
    }

    #[test]
    fn the_shortest_way_is_found() {
        assert_eq!(parted("abc", "abc"), "abc");
        assert_eq!(parted("abcd", "axcd"), "a-b+xcd");
        assert_eq!(parted("", "ab"), "+a+b");
        assert_eq!(parted("ab", ""), "-a-b");
        assert_eq!(parted("abcabba", "cbabac").matches(['+', '-']).count(), 5);
    }

    #[test]
    fn a_beginning_may_have_some_changes() {
        let found = |old: &str, new: &str, least, most| {
            beginning(
                &Pair {
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
