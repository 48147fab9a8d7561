//! Rolling hashes of lines: any run of lines can be hashed in constant time.
//!
//! The hash of a run is a polynomial in [`BASE`] whose coefficients are the hashes of its lines.
//! The hashes of all prefixes of the text are stored, so the hash of a run takes one
//! multiplication.

use std::ops::Range;

use crate::lines::comparison::Comparison;

/// The base of the polynomial. It is odd, so multiplication by it loses no bits.
pub(super) const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hashes of the lines of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LineHashes {
    /// The hash of all lines before each line, and at the end the hash of all lines. This list has
    /// one more element than the text has lines.
    sums: Vec<u64>,
}

impl LineHashes {
    /// Hashes `lines`.
    pub(crate) fn new<'l>(comparison: Comparison, lines: impl Iterator<Item = &'l [u8]>) -> Self {
        Self::with_capacity(lines.size_hint().0, comparison, lines)
    }

    /// Hashes `lines`, with space reserved for `count` lines.
    pub(super) fn with_capacity<'l>(
        count: usize,
        comparison: Comparison,
        lines: impl Iterator<Item = &'l [u8]>,
    ) -> Self {
        let mut sums = Vec::with_capacity(count + 1);
        sums.push(0);
        let mut sum = 0_u64;
        for line in lines {
            sum = add(comparison, sum, line);
            sums.push(sum);
        }
        Self { sums }
    }

    /// Adds the lines of `other` after the last line.
    pub(super) fn append(&mut self, other: &Self) {
        let mut before = self.sums.last().copied().unwrap_or_default();
        for sum in &other.sums[1..] {
            before = before.wrapping_mul(BASE);
            self.sums.push(before.wrapping_add(*sum));
        }
    }

    /// Returns the hash of the run that consists of `lines`.
    pub(super) fn hash_run(comparison: Comparison, lines: &[&[u8]]) -> u64 {
        lines.iter().fold(0, |sum, line| add(comparison, sum, line))
    }

    /// Returns the hash of the run of `count` lines that starts at `line`. `power` must be
    /// the base of the polynomial to the power of `count`.
    pub(crate) fn run_hash(&self, line: usize, count: usize, power: u64) -> u64 {
        self.sums[line + count].wrapping_sub(self.sums[line].wrapping_mul(power))
    }

    /// Returns the lines at which a run of `count` lines can start.
    pub(super) fn starts(&self, count: usize) -> Range<usize> {
        0..self.sums.len().saturating_sub(count)
    }
}

/// Returns the hash of a run with `line` appended. `sum` is the hash of the run.
fn add(comparison: Comparison, sum: u64, line: &[u8]) -> u64 {
    sum.wrapping_mul(BASE).wrapping_add(comparison.hash(line))
}

/// Returns the factor of the hash of a line before `count` other lines: a power of [`BASE`].
pub(crate) fn base_power(count: usize) -> u64 {
    BASE.wrapping_pow(u32::try_from(count).unwrap_or(u32::MAX))
}
