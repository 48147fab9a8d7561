//! Divides two texts that are too large for one comparison into pieces, within the budget.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use imara_diff::Token;

use super::edits::{Budget, Edit};

/// The maximum number of lines that `imara-diff` compares at once.
const MAX_LINES: usize = i32::MAX as usize - 1;

/// The number of occurrences from which on `imara-diff` treats a line as frequent (its
/// `MAX_EQLIMIT`).
const MAX_FREQUENT: u64 = 1024;

/// The minimum number of changed lines after which `imara-diff` gives up (its `MAX_COST_MIN`).
const MIN_COST: u64 = 256;

/// The number of lines that a scan reads in about the time of one step.
const SCANNED: u64 = 4;

/// Corresponding ranges of lines in both texts.
pub(super) enum Piece {
    /// These lines must be compared.
    Compare(Edit),
    /// The budget does not suffice to compare these lines. All of them count as changed.
    Replace(Edit),
}

/// The pieces of two texts, in order.
pub(super) struct Pieces<'t> {
    before: &'t [Token],
    after: &'t [Token],
    /// The pieces that were not returned yet, in reverse order.
    waiting: Vec<Edit>,
    /// The number of lines in the waiting pieces.
    lines: usize,
    budget: u64,
}

/// The number of occurrences and the last occurrence of each line, for both texts.
type Occurrences = HashMap<Token, [(usize, usize); 2], BuildHasherDefault<TokenHasher>>;

/// A hasher for tokens. Tokens are consecutive numbers, so an input cannot cause collisions.
#[derive(Default)]
struct TokenHasher(u64);

impl Hasher for TokenHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(byte.into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(20)
    }
}

impl<'t> Pieces<'t> {
    /// Creates the pieces of `before` and `after`. There is only one piece if the budget suffices
    /// to compare everything at once.
    pub(super) fn new(before: &'t [Token], after: &'t [Token], Budget(budget): Budget) -> Self {
        let all = Edit {
            old: 0..before.len(),
            new: 0..after.len(),
        };
        Self {
            before,
            after,
            waiting: vec![all],
            lines: before.len() + after.len(),
            budget,
        }
    }

    /// Returns the next piece.
    pub(super) fn next(&mut self) -> Option<Piece> {
        while let Some(piece) = self.waiting.pop() {
            let lines = piece.old.len() + piece.new.len();
            let share = share(self.budget, lines, self.lines);
            self.lines -= lines;
            let core = self.core(&piece);
            let (old, new) = (core.old.len(), core.new.len());
            if old + new == 0 {
                continue;
            }
            if let Some(left) = share
                .checked_sub(most_steps(old, new))
                .filter(|_| lines <= MAX_LINES)
            {
                let scan = self.scan_steps(&core, left);
                if scan <= left {
                    self.budget -= scan;
                    return Some(Piece::Compare(piece));
                }
            }
            if share == 0 || old == 0 || new == 0 || old + new <= 2 {
                return Some(Piece::Replace(core));
            }
            self.budget = self.budget.saturating_sub(lines as u64);
            self.divide(&piece, &core);
        }
        None
    }

    /// Subtracts the steps of a comparison of `lines` lines that found `edits` from the budget.
    pub(super) fn spend_on(&mut self, lines: usize, edits: &[Edit]) {
        let changed = edits
            .iter()
            .map(|edit| edit.old.len() + edit.new.len())
            .sum::<usize>();
        let steps = lines as u64 * (1 + (changed as u64).min(2 * most_cost(lines)));
        self.budget = self.budget.saturating_sub(steps);
    }

    /// Returns a piece without the lines at its ends that both texts have in common.
    fn core(&self, piece: &Edit) -> Edit {
        let (before, after) = (
            &self.before[piece.old.clone()],
            &self.after[piece.new.clone()],
        );
        let same = |pairs: &mut dyn Iterator<Item = (&Token, &Token)>| {
            pairs.take_while(|(a, b)| a == b).count()
        };
        let start = same(&mut before.iter().zip(after));
        let end = same(
            &mut before[start..]
                .iter()
                .rev()
                .zip(after[start..].iter().rev()),
        );
        Edit {
            old: piece.old.start + start..piece.old.end - end,
            new: piece.new.start + start..piece.new.end - end,
        }
    }

    /// Divides `piece` at the lines that occur once on both sides, or else into halves.
    fn divide(&mut self, piece: &Edit, core: &Edit) {
        let anchors = self.anchors(piece);
        let (mut old, mut new) = (piece.old.start, piece.new.start);
        let mut parts = Vec::with_capacity(anchors.len() + 1);
        for &(line, other) in &anchors {
            parts.push(Edit {
                old: old..line,
                new: new..other,
            });
            (old, new) = (line + 1, other + 1);
        }
        if anchors.is_empty() {
            let middle = |range: &Range<usize>| range.start + range.len() / 2;
            parts.push(Edit {
                old: old..middle(&core.old),
                new: new..middle(&core.new),
            });
            (old, new) = (middle(&core.old), middle(&core.new));
        }
        parts.push(Edit {
            old: old..piece.old.end,
            new: new..piece.new.end,
        });
        parts.retain(|part| !part.old.is_empty() || !part.new.is_empty());
        self.lines += parts
            .iter()
            .map(|part| part.old.len() + part.new.len())
            .sum::<usize>();
        self.waiting.extend(parts.into_iter().rev());
    }

    /// Returns a longest list of line pairs that occur once on each side of `piece` and have the
    /// same order on both sides.
    ///
    /// No change can slide over such a line.
    fn anchors(&self, piece: &Edit) -> Vec<(usize, usize)> {
        let occurrences = self.occurrences(piece);
        let pairs = piece
            .old
            .clone()
            .filter_map(|line| match occurrences[&self.before[line]] {
                [(1, _), (1, other)] => Some((line, other)),
                _ => None,
            });
        longest_increasing(&pairs.collect::<Vec<_>>())
    }

    fn occurrences(&self, piece: &Edit) -> Occurrences {
        let mut occurrences =
            Occurrences::with_capacity_and_hasher(piece.old.len(), BuildHasherDefault::default());
        for (side, (tokens, range)) in [(self.before, &piece.old), (self.after, &piece.new)]
            .into_iter()
            .enumerate()
        {
            for line in range.clone() {
                let (count, place) = &mut occurrences.entry(tokens[line]).or_default()[side];
                (*count, *place) = (*count + 1, line);
            }
        }
        occurrences
    }

    /// Returns an upper bound of the steps that `imara-diff` 0.2 takes in
    /// `should_prune_common_line` (`myers/preprocess.rs`) before a comparison. The bound is tight
    /// only if a coarse bound exceeds `share`.
    ///
    /// For each frequent line, that function scans the lines above it. It stops at a line that is
    /// neither frequent nor missing from the other text. These scans take quadratic time in texts
    /// with few different lines.
    fn scan_steps(&self, core: &Edit, share: u64) -> u64 {
        let square = |range: &Range<usize>| (range.len() as u64).saturating_mul(range.len() as u64);
        let most = square(&core.old).saturating_add(square(&core.new)) / 2 / SCANNED;
        if core.old.is_empty() || core.new.is_empty() {
            return 0;
        }
        if most <= share {
            return most;
        }
        let occurrences = self.occurrences(core);
        let scanned = |tokens: &[Token], other: usize| {
            let limit =
                usize::try_from(square_root(tokens.len()).min(MAX_FREQUENT)).unwrap_or(usize::MAX);
            let (mut scanned, mut stop) = (0, 0);
            for (line, token) in tokens.iter().enumerate() {
                match occurrences[token][other].0 {
                    0 => {}
                    count if count < limit => stop = line,
                    _ => scanned += (line - stop) as u64,
                }
            }
            scanned
        };
        (scanned(&self.before[core.old.clone()], 1) + scanned(&self.after[core.new.clone()], 0))
            / SCANNED
    }
}

/// Returns the part of `budget` for `lines` of `all` lines.
fn share(budget: u64, lines: usize, all: usize) -> u64 {
    let share = u128::from(budget) * lines as u128 / all.max(1) as u128;
    u64::try_from(share).unwrap_or(budget)
}

/// Returns the longest subsequence of `pairs` whose second numbers increase.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends` has an entry for each length of a subsequence: the last pair with the smallest second
    // number. `previous` has the predecessor of each pair.
    let (mut ends, mut previous): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (index, &(_, other)) in pairs.iter().enumerate() {
        let is_next = ends.last().is_none_or(|&end| pairs[end].1 < other);
        let length = if is_next {
            ends.len()
        } else {
            ends.partition_point(|&end| pairs[end].1 < other)
        };
        previous.push(length.checked_sub(1).map(|length| ends[length]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut found: Vec<_> = std::iter::successors(ends.last().copied(), |&index| previous[index])
        .map(|index| pairs[index])
        .collect();
    found.reverse();
    found
}

/// Returns the maximum number of steps of a comparison. `imara-diff` gives up after [`most_cost`]
/// changes from each end, in both directions of a middle snake.
fn most_steps(old: usize, new: usize) -> u64 {
    let lines = (old + new) as u64;
    if old == 0 || new == 0 {
        lines
    } else {
        lines * lines.min(4 * most_cost(old + new))
    }
}

/// Returns the number of changed lines after which `imara-diff` stops the search for the shortest
/// edit script.
fn most_cost(lines: usize) -> u64 {
    square_root(lines).max(MIN_COST)
}

/// Returns an approximate square root like `util::sqrt` of `imara-diff`: a power of two.
fn square_root(number: usize) -> u64 {
    1 << ((usize::BITS - number.leading_zeros()) / 2)
}
