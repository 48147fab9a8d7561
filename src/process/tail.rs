//! The last bytes of something that may be long.

use super::MOST_OUTPUT;

/// The last [`MOST_OUTPUT`] bytes of what was added.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Seldom enough for each byte to be moved once.
        if self.bytes.len() > 2 * MOST_OUTPUT {
            self.cut();
        }
    }

    /// Returns the last bytes, and whether there were others.
    pub(super) fn finish(mut self) -> (Vec<u8>, bool) {
        self.cut();
        (self.bytes, self.is_cut)
    }

    fn cut(&mut self) {
        let over = self.bytes.len().saturating_sub(MOST_OUTPUT);
        self.is_cut |= over > 0;
        self.bytes.drain(..over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bytes_are_kept() {
        let whole: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        for (size, length) in
            [(1, 10), (7, MOST_OUTPUT), (7, MOST_OUTPUT + 1), (4096, whole.len()), (65536, whole.len())]
        {
            let mut tail = Tail::default();
            whole[..length].chunks(size).for_each(|chunk| tail.add(chunk));
            let start = length.saturating_sub(MOST_OUTPUT);
            assert_eq!(tail.finish(), (whole[start..length].to_vec(), start > 0), "{size} {length}");
        }
    }
}
