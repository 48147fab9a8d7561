//! Tells what is asked for from most of what is not, in less time than a hash takes.

use xxhash_rust::xxh3::xxh3_64;

use super::hashes::BASE;

/// Lets the hashes through that it was made of, and few others.
pub(super) struct Sieve {
    /// Its bits, 16 and more for each hash, of which each sets two in one word; the number of words is a power of two.
    words: Vec<u64>,
}

impl Sieve {
    pub(super) fn new(hashes: &[u64]) -> Self {
        let mut sieve = Self { words: vec![0; (hashes.len() / 4 + 1).next_power_of_two()] };
        for &hash in hashes {
            let word = sieve.word(hash);
            sieve.words[word] |= bits(hash);
        }
        sieve
    }

    fn word(&self, hash: u64) -> usize {
        usize::try_from(hash >> 33).unwrap_or_default() & (self.words.len() - 1)
    }

    pub(super) fn passes(&self, hash: u64) -> bool {
        self.words[self.word(hash)] & bits(hash) == bits(hash)
    }
}

/// Returns the bits of a hash in its word.
fn bits(hash: u64) -> u64 {
    1 << (hash % 64) | 1 << (hash / 64 % 64)
}

/// Returns what equal lines have in common, and different ones seldom: of a long line it looks at both ends and the middle.
pub(super) fn fingerprint(line: &[u8]) -> u64 {
    let (Some(start), Some(end)) = (line.first_chunk(), line.last_chunk()) else { return xxh3_64(line) };
    let at = |offset: usize| line.get(offset..).and_then(|rest| rest.first_chunk()).unwrap_or(end);
    let parts = [start, at(8), at(line.len() / 2), end].map(|part| u64::from_le_bytes(*part));
    let mixed = |sum: u64, part: u64| (sum ^ part).wrapping_mul(BASE).rotate_left(32);
    parts.into_iter().fold(line.len() as u64, mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_was_made_of_passes_and_little_else() {
        let hash = |number: usize| fingerprint(format!("{number} is the number of this line").as_bytes());
        let sieve = Sieve::new(&(0..1000).map(hash).collect::<Vec<_>>());
        assert!((0..1000).all(|number| sieve.passes(hash(number))));
        assert!((1000..10_000).filter(|&number| sieve.passes(hash(number))).count() < 200);
    }

    #[test]
    fn lines_of_all_lengths_have_fingerprints_of_their_own() {
        let text: Vec<u8> = (0..=255).collect();
        let found: std::collections::BTreeSet<_> = (0..=255).map(|end| fingerprint(&text[..end])).collect();
        assert_eq!(found.len(), 256);
        for changed in [0, 7, 8, 15, 20, 27, 32, 39] {
            let mut line = text[..40].to_vec();
            line[changed] ^= 1;
            assert_ne!(fingerprint(&line), fingerprint(&text[..40]), "{changed}");
        }
    }
}
