//! Numbers for tests that try many things.

/// Numbers that are the same at each run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `most`.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most.max(1) as u64).unwrap_or_default()
    }

    /// Returns whether something happens that does so once in `most` times.
    pub(crate) fn once_in(&mut self, most: usize) -> bool {
        self.below(most) == 0
    }

    /// Returns one of `several`.
    pub(crate) fn one<T: Clone>(&mut self, several: &[T]) -> T {
        several[self.below(several.len())].clone()
    }
}
