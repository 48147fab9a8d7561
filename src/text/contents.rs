//! The content of a file: bytes, or pieces of an earlier version and of new bytes.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use super::bytes::Bytes;

/// The size in bytes below which pieces are joined at once.
const MIN_PIECE_TABLE_SIZE: usize = 1 << 20;

/// The content of a file. It is cheap to clone.
///
/// Large content that was built from other content stays in pieces. Pieces can be written and
/// hashed without a copy of the whole content. The first access as one slice creates that copy.
#[derive(Clone)]
pub struct Contents(Representation);

#[derive(Clone)]
enum Representation {
    Whole(Arc<Bytes>),
    PieceTable(Arc<PieceTable>),
}

struct PieceTable {
    base: Arc<Bytes>,
    pieces: Pieces,
    /// All bytes as one slice. The first access that needs them creates them.
    whole: OnceLock<Arc<Bytes>>,
}

impl Contents {
    /// Creates the content that `pieces` describe. They must have been built for `base`.
    ///
    /// # Panics
    ///
    /// Panics if `base` is shorter than the pieces require.
    #[must_use]
    pub fn from_pieces(base: &Self, pieces: Pieces) -> Self {
        if pieces.len() < MIN_PIECE_TABLE_SIZE {
            return pieces.join(base).into();
        }
        // The base is stored as one slice. A chain of pieces would keep all earlier versions in
        // memory.
        let base = Arc::clone(base.whole());
        Self(Representation::PieceTable(Arc::new(PieceTable {
            base,
            pieces,
            whole: OnceLock::new(),
        })))
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Representation::Whole(bytes) => bytes.len(),
            Representation::PieceTable(made) => made.pieces.len(),
        }
    }

    /// Returns whether the content is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all bytes as one shared slice.
    #[must_use]
    pub fn whole(&self) -> &Arc<Bytes> {
        match &self.0 {
            Representation::Whole(bytes) => bytes,
            Representation::PieceTable(made) => made
                .whole
                .get_or_init(|| Arc::new(made.pieces.join(&made.base).into())),
        }
    }

    /// Returns all bytes in order, one slice for each piece.
    #[must_use]
    pub fn slices(&self) -> Vec<&[u8]> {
        match &self.0 {
            Representation::Whole(bytes) => vec![bytes],
            Representation::PieceTable(made) => made.pieces.slices(&made.base).collect(),
        }
    }

    /// Returns the first `count` bytes, or all bytes if there are fewer.
    #[must_use]
    pub fn prefix(&self, count: usize) -> Cow<'_, [u8]> {
        let Representation::PieceTable(made) = &self.0 else {
            return Cow::Borrowed(&self[..count.min(self.len())]);
        };
        let mut found = Vec::with_capacity(count);
        for slice in made.pieces.slices(&made.base) {
            let room = count - found.len();
            found.extend_from_slice(&slice[..room.min(slice.len())]);
            if room <= slice.len() {
                break;
            }
        }
        Cow::Owned(found)
    }

    /// Returns whether both share the same memory. Then a comparison of the bytes is not necessary.
    #[must_use]
    pub fn has_same_memory(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Representation::Whole(a), Representation::Whole(b)) => Arc::ptr_eq(a, b),
            (Representation::PieceTable(a), Representation::PieceTable(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Default for Contents {
    fn default() -> Self {
        Self(Representation::Whole(Arc::default()))
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl From<Bytes> for Contents {
    fn from(bytes: Bytes) -> Self {
        Arc::new(bytes).into()
    }
}

impl From<Arc<Bytes>> for Contents {
    fn from(bytes: Arc<Bytes>) -> Self {
        Self(Representation::Whole(bytes))
    }
}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.whole()
    }
}

impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        let (made, whole) = if matches!(self.0, Representation::PieceTable(_)) {
            (self, other)
        } else {
            (other, self)
        };
        // The pieces of one side are compared without joining them.
        let is_equal = || {
            let mut rest = &whole[..];
            made.slices().into_iter().all(|slice| {
                let behind = rest.strip_prefix(slice);
                rest = behind.unwrap_or_default();
                behind.is_some()
            })
        };
        self.has_same_memory(other) || (self.len() == other.len() && is_equal())
    }
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole().fmt(f)
    }
}

/// New content as pieces of a base and of new bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    list: Vec<Piece>,
    /// The new bytes of all pieces, concatenated.
    new_bytes: Vec<u8>,
    len: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// A range of the base.
    Kept(Range<usize>),
    /// A range of the new bytes.
    New(Range<usize>),
}

impl Pieces {
    /// Returns the number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the content is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a range of the base.
    ///
    /// # Panics
    ///
    /// Panics if the start of `range` is after its end.
    pub fn keep(&mut self, range: Range<usize>) {
        assert!(
            range.start <= range.end,
            "BUG: bytes are kept that run backwards"
        );
        self.len += range.len();
        match self.list.last_mut() {
            Some(Piece::Kept(last)) if last.end == range.start => last.end = range.end,
            _ if range.is_empty() => {}
            _ => self.list.push(Piece::Kept(range)),
        }
    }

    /// Appends new bytes.
    pub fn insert(&mut self, bytes: &[u8]) {
        let start = self.new_bytes.len();
        self.new_bytes.extend_from_slice(bytes);
        self.push_new(start..self.new_bytes.len());
    }

    fn push_new(&mut self, range: Range<usize>) {
        self.len += range.len();
        match self.list.last_mut() {
            Some(Piece::New(last)) if last.end == range.start => last.end = range.end,
            _ if range.is_empty() => {}
            _ => self.list.push(Piece::New(range)),
        }
    }

    /// Appends other pieces. They must have the same base.
    pub fn append(&mut self, other: Self) {
        let start = self.new_bytes.len();
        self.new_bytes.extend(other.new_bytes);
        for piece in other.list {
            match piece {
                Piece::Kept(range) => self.keep(range),
                Piece::New(range) => self.push_new(start + range.start..start + range.end),
            }
        }
    }

    /// Removes the last `count` bytes.
    ///
    /// # Panics
    ///
    /// Panics if the last piece has fewer bytes.
    pub fn remove_last(&mut self, count: usize) {
        let Some(Piece::Kept(last) | Piece::New(last)) = self.list.last_mut() else {
            return;
        };
        assert!(
            count <= last.end - last.start,
            "BUG: more is taken away than the last piece has"
        );
        last.end -= count;
        self.len -= count;
        if last.start == last.end {
            self.list.pop();
        }
    }

    /// Returns the pieces in order, with the ranges of `base`.
    ///
    /// # Panics
    ///
    /// The iterator panics if `base` is shorter than the pieces require.
    #[must_use]
    pub fn slices<'p>(&'p self, base: &'p [u8]) -> impl DoubleEndedIterator<Item = &'p [u8]> {
        self.list.iter().map(|piece| match piece {
            Piece::Kept(range) => &base[range.clone()],
            Piece::New(range) => &self.new_bytes[range.clone()],
        })
    }

    /// Returns all bytes in order, with the ranges of `base`.
    ///
    /// # Panics
    ///
    /// Panics if `base` is shorter than the pieces require.
    #[must_use]
    pub fn join(&self, base: &[u8]) -> Vec<u8> {
        let mut joined = Vec::with_capacity(self.len);
        self.slices(base)
            .for_each(|slice| joined.extend_from_slice(slice));
        joined
    }
}

#[cfg(test)]
mod tests;
