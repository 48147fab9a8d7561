//! Tells what is asked for from most of what is not, in less time than a hash takes.

/// Lets the hashes through that it was made of, and few others.
pub(super) struct Sieve {
    /// Its bits, 16 and more for each hash, of which each sets two in one word; the number of words
    /// is a power of two.
    words: Vec<u64>,
}

impl Sieve {
    pub(super) fn new(hashes: &[u64]) -> Self {
        let mut sieve = Self {
            words: vec![0; (hashes.len() / 4 + 1).next_power_of_two()],
        };
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

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    #[test]
    fn what_it_was_made_of_passes_and_little_else() {
        let hash =
            |number: usize| xxh3_64(format!("{number} is the number of this line").as_bytes());
        let sieve = Sieve::new(&(0..1000).map(hash).collect::<Vec<_>>());
        assert!((0..1000).all(|number| sieve.passes(hash(number))));
        assert!(
            (1000..10_000)
                .filter(|&number| sieve.passes(hash(number)))
                .count()
                < 200
        );
    }
}
