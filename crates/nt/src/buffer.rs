//! Buffers for structures with a variable length.

/// Bytes with the alignment of every structure of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Buffer(Vec<u64>);

impl Buffer {
    /// Returns a buffer of zeros with at least `length` bytes.
    pub(crate) fn with_length(length: usize) -> Self {
        Self(vec![0; length.div_ceil(8)])
    }

    /// Copies `bytes` and adds zeros up to a multiple of 8.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let word = |chunk: &[u8]| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        };
        Self(bytes.chunks(8).map(word).collect())
    }

    /// Returns the first `length` bytes.
    pub(crate) fn to_bytes(&self, length: usize) -> Vec<u8> {
        let bytes = self.0.iter().flat_map(|word| word.to_ne_bytes());
        bytes.take(length).collect()
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> u32 {
        size_in_u32(self.0.as_slice())
    }

    pub(crate) fn as_ptr(&self) -> *const std::ffi::c_void {
        self.0.as_ptr().cast()
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut std::ffi::c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// Returns the size of a structure or a buffer. None of this crate has 4 GiB.
pub(crate) fn size_in_u32<T: ?Sized>(value: &T) -> u32 {
    u32::try_from(size_of_val(value)).unwrap_or(u32::MAX)
}

/// Returns the `N` bytes at `offset`, or zeros if `bytes` is too short.
pub(crate) fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let field = bytes.get(offset..).and_then(|rest| rest.first_chunk());
    field.copied().unwrap_or([0; N])
}

/// Returns the integer at `offset`.
pub(crate) fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    u16::from_ne_bytes(array_at(bytes, offset))
}

/// Returns the integer at `offset`.
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_ne_bytes(array_at(bytes, offset))
}

/// Returns the integer at `offset`, as a length or an offset.
pub(crate) fn length_at(bytes: &[u8], offset: usize) -> usize {
    // Windows has no processors with 16-bit addresses.
    u32_at(bytes, offset) as usize
}

/// Returns the integer at `offset`.
pub(crate) fn i64_at(bytes: &[u8], offset: usize) -> i64 {
    i64::from_ne_bytes(array_at(bytes, offset))
}

/// Returns the UTF-16 text of `length` bytes at `offset`, as far as `bytes` contains it.
pub(crate) fn wide_at(bytes: &[u8], offset: usize, length: usize) -> Vec<u16> {
    let text = bytes.get(offset..).unwrap_or_default();
    let text = &text[..length.min(text.len())];
    text.chunks_exact(2).map(|unit| u16_at(unit, 0)).collect()
}

/// Iterates over entries that begin with the distance to the next one, or 0 in the last one.
pub(crate) fn entries(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let entry = Some(bytes).filter(|bytes| !bytes.is_empty())?;
        let next = length_at(bytes, 0);
        bytes = bytes.get(next..).filter(|_| next > 0).unwrap_or_default();
        Some(entry)
    })
}
