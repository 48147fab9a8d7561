//! Estimates which share of two contents is the same, without a diff.
//!
//! Each content is divided into lines, and long lines and binary data into chunks of 64 bytes, as
//! in `diffcore_count_changes` of git. The order of the chunks does not matter.

use xxhash_rust::xxh3::xxh3_64;

/// The maximum size of a chunk in bytes.
const MAX_CHUNK: usize = 64;

/// The chunks of a content: for each distinct chunk, the number of its bytes in all places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChunkCounts {
    /// The hash and the number of bytes of each distinct chunk, sorted by hash.
    counts: Vec<(u64, u64)>,
    /// The size of the content in bytes.
    size: u64,
}

impl ChunkCounts {
    /// Counts the chunks of `content`. A CR before LF does not count in text.
    pub(crate) fn of(content: &[u8]) -> Self {
        let mut chunks = Vec::new();
        for line in content.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\r\n") {
                Some(text) if line.len() <= MAX_CHUNK => {
                    chunks.push((xxh3_64(&[text, b"\n"].concat()), line.len() as u64));
                }
                _ => {
                    let parts = line.chunks(MAX_CHUNK);
                    chunks.extend(parts.map(|part| (xxh3_64(part), part.len() as u64)));
                }
            }
        }
        chunks.sort_unstable();
        chunks.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        Self {
            counts: chunks,
            size: content.len() as u64,
        }
    }

    /// Returns the share of the larger content that also occurs in the other content, in units of
    /// 1/10000.
    pub(crate) fn similarity(&self, other: &Self) -> u64 {
        let larger = self.size.max(other.size);
        let (mut common, mut rest) = (0, &other.counts[..]);
        for &(hash, count) in &self.counts {
            let skipped = rest.iter().take_while(|(found, _)| *found < hash).count();
            rest = &rest[skipped..];
            if let Some(&(_, found)) = rest.first().filter(|(found, _)| *found == hash) {
                common += count.min(found);
            }
        }
        (common * 10_000).checked_div(larger).unwrap_or(10_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(one: &str, other: &str) -> u64 {
        let [one, other] = [one, other].map(|text| ChunkCounts::of(text.as_bytes()));
        assert_eq!(one.similarity(&other), other.similarity(&one));
        one.similarity(&other)
    }

    #[test]
    fn the_share_of_common_lines_is_the_similarity() {
        assert_eq!(similarity("", ""), 10_000);
        assert_eq!(similarity("a\n", ""), 0);
        assert_eq!(similarity("a\nb\n", "b\na\n"), 10_000);
        assert_eq!(similarity("a\nb\n", "a\nc\n"), 5_000);
        assert_eq!(similarity("a\na\na\na\n", "a\nb\nc\nd\n"), 2_500);
        assert_eq!(similarity("a\r\nb\r\n", "a\r\nb\r\n"), 10_000);
    }

    #[test]
    fn long_lines_are_compared_in_parts() {
        let long = "0123456789abcdef".repeat(20);
        let changed = format!("{long}end");
        assert!(similarity(&long, &changed) > 9_000);
        assert_eq!(similarity(&long, &"z".repeat(320)), 0);
    }
}
