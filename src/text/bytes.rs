//! Bytes of a file or a patch, stored in a vector or in memory pages.

use std::fmt;
use std::ops::Deref;

use memmap2::MmapMut;

/// The bytes of a file or of a patch.
#[derive(Default)]
pub struct Bytes(Storage);

enum Storage {
    Vector(Vec<u8>),
    /// Anonymous memory, never a mapped file. Another process could truncate a mapped file.
    Pages(MmapMut),
}

impl Bytes {
    /// Returns the bytes as a vector. Bytes in pages are copied.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Storage::Vector(bytes) => bytes,
            Storage::Pages(pages) => pages.to_vec(),
        }
    }

    /// Wraps anonymous memory, which must not be a mapped file.
    pub(crate) fn from_pages(pages: MmapMut) -> Self {
        Self(Storage::Pages(pages))
    }
}

impl Default for Storage {
    fn default() -> Self {
        Self::Vector(Vec::new())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::Vector(bytes) => bytes,
            Storage::Pages(pages) => pages,
        }
    }
}

impl<T: Into<Vec<u8>>> From<T> for Bytes {
    fn from(bytes: T) -> Self {
        Self(Storage::Vector(bytes.into()))
    }
}

impl Clone for Bytes {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<T: AsRef<[u8]> + ?Sized> PartialEq<T> for Bytes {
    fn eq(&self, other: &T) -> bool {
        self[..] == *other.as_ref()
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}
