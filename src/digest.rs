//! Digests of file contents: a fast one for the state directory, and public ones for reports.

use std::convert::Infallible;
use std::fmt;

use serde::{Deserialize, Serialize};
use sha1::Digest as _;

use crate::interrupt::{Interrupt, MAX_UNINTERRUPTED_BYTES};

/// The lower-case hex digits.
const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The xxh3-128 digest of a content. It is fast, and used only in the files of wpatch itself.
///
/// The journal uses it to tell versions of a file apart. It is not collision-resistant against an
/// attacker who creates two files with the same digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(
    /// Big-endian. A `u128` would need an alignment of 16 bytes, and a transaction can hold many
    /// digests.
    [u8; 16],
);

impl Digest {
    /// Returns the digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::from(xxhash_rust::xxh3::xxh3_128(bytes))
    }

    /// Returns the digest of the concatenation of `slices`. Returns `None` soon after `interrupt` is
    /// raised.
    pub(crate) fn of_slices(slices: &[&[u8]], interrupt: &Interrupt) -> Option<Self> {
        if let [bytes] = slices
            && bytes.len() <= MAX_UNINTERRUPTED_BYTES
        {
            return Some(Self::of(bytes));
        }
        let mut hasher = Hasher::default();
        let mut unchecked = 0;
        for part in slices
            .iter()
            .flat_map(|bytes| bytes.chunks(MAX_UNINTERRUPTED_BYTES))
        {
            unchecked += part.len();
            if unchecked >= MAX_UNINTERRUPTED_BYTES {
                interrupt.check().ok()?;
                unchecked = 0;
            }
            hasher.update(part);
        }
        Some(hasher.digest())
    }
}

/// Computes a [`Digest`] from consecutive pieces.
#[derive(Default)]
pub(crate) struct Hasher(xxhash_rust::xxh3::Xxh3Default);

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of the concatenation of all pieces.
    pub(crate) fn digest(&self) -> Digest {
        Digest::from(self.0.digest128())
    }
}

impl From<u128> for Digest {
    fn from(number: u128) -> Self {
        Self(number.to_be_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The SHA-256 digest of a content, written as `sha256:HEX` in reports and guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// Returns the digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// Returns the digest of the concatenation of `pieces`.
    pub(crate) fn of_all(pieces: impl Iterator<Item = impl AsRef<[u8]>>) -> Self {
        Self(
            pieces
                .fold(sha2::Sha256::new(), sha2::Digest::chain_update)
                .finalize()
                .into(),
        )
    }

    /// Parses 64 hex digits, with or without the prefix `sha256:`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text).as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let value = |digit: u8| {
            char::from(digit)
                .to_digit(16)
                .and_then(|value| u8::try_from(value).ok())
        };
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = value(pair[0])? << 4 | value(pair[1])?;
        }
        Some(Self(bytes))
    }
}

impl TryFrom<String> for Sha256 {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("expected 64 hex digits of a SHA-256")
    }
}

impl From<Sha256> for String {
    fn from(digest: Sha256) -> Self {
        digest.to_string()
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 71];
        let (prefix, digits) = text.split_at_mut(7);
        prefix.copy_from_slice(b"sha256:");
        write_hex(&self.0, digits);
        f.write_str(std::str::from_utf8(&text).expect("BUG: digits are text"))
    }
}

/// The hash functions with which git names blobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ObjectFormat {
    /// SHA-1: 40 hex digits.
    #[default]
    Sha1,
    /// SHA-256: 64 hex digits.
    Sha256,
}

impl ObjectFormat {
    /// Returns the format whose full object names have `length` hex digits.
    #[must_use]
    pub fn from_hex_length(length: usize) -> Option<Self> {
        match length {
            40 => Some(Self::Sha1),
            64 => Some(Self::Sha256),
            _ => None,
        }
    }

    /// Returns the number of hex digits of a full object name.
    #[must_use]
    pub fn hex_length(self) -> usize {
        match self {
            Self::Sha1 => 40,
            Self::Sha256 => 64,
        }
    }
}

/// Returns the object name, in hex, that git gives to a blob with this content.
#[must_use]
pub fn blob_id(content: &[u8], format: ObjectFormat) -> String {
    let whole = |take: &mut dyn FnMut(&[u8])| -> Result<(), Infallible> {
        take(content);
        Ok(())
    };
    let Ok(id) = hash_blob_stream(content.len() as u64, format, whole);
    id
}

/// Returns whether `name` is git's object name of `content`, full or abbreviated.
#[must_use]
pub fn has_blob_id(content: &[u8], name: &[u8]) -> bool {
    has_object_name(&blob_id(content, object_format_of(name)), name)
}

/// Returns whether `name` is the object name `id`, full or abbreviated. Upper-case digits match
/// too.
pub(crate) fn has_object_name(id: &str, name: &[u8]) -> bool {
    !name.is_empty() && id.as_bytes().starts_with(&name.to_ascii_lowercase())
}

/// Returns the object format of `name`. An abbreviated name is assumed to be SHA-1.
pub(crate) fn object_format_of(name: &[u8]) -> ObjectFormat {
    ObjectFormat::from_hex_length(name.len()).unwrap_or(ObjectFormat::Sha1)
}

/// Returns the object name of a blob of `size` bytes. `feed` passes the content in pieces, so the
/// content need not fit into memory.
///
/// # Errors
///
/// Returns the error of `feed`.
pub fn hash_blob_stream<E>(
    size: u64,
    format: ObjectFormat,
    feed: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<String, E> {
    match format {
        ObjectFormat::Sha1 => hash_blob(sha1::Sha1::new(), size, feed),
        ObjectFormat::Sha256 => hash_blob(sha2::Sha256::new(), size, feed),
    }
}

fn hash_blob<D: sha1::Digest, E>(
    mut digest: D,
    size: u64,
    feed: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<String, E> {
    digest.update(format!("blob {size}\0"));
    feed(&mut |piece| digest.update(piece))?;
    Ok(hex(&digest.finalize()))
}

/// Returns `bytes` as lower-case hex digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = vec![0; 2 * bytes.len()];
    write_hex(bytes, &mut digits);
    // The bytes are ASCII digits, so the default value is never used.
    String::from_utf8(digits).unwrap_or_default()
}

fn write_hex(bytes: &[u8], digits: &mut [u8]) {
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair[0] = HEX_DIGITS[usize::from(byte >> 4)];
        pair[1] = HEX_DIGITS[usize::from(byte & 15)];
    }
}

/// Returns whether `digits` contains only lower-case hex digits, as [`hex`] writes them.
#[must_use]
pub fn is_hex(digits: &str) -> bool {
    digits
        .bytes()
        .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_is_written() {
        let digest = Sha256::of(b"x");
        let text = digest.to_string();
        assert_eq!(Sha256::parse(&text), Some(digest));
        assert_eq!(
            Sha256::parse(&text["sha256:".len()..].to_uppercase()),
            Some(digest)
        );
        assert_eq!(
            ["", "sha256:", &text[1..], &text[..70]].map(Sha256::parse),
            [None; 4]
        );
    }

    #[test]
    fn the_digest_of_slices_equals_the_digest_of_their_bytes() {
        let bytes = vec![7; MAX_UNINTERRUPTED_BYTES + 1];
        let (first, second) = bytes.split_at(9);
        let interrupt = Interrupt::new();
        let all: [&[&[u8]]; 3] = [&[&bytes], &[first, second], &[first, b"", second]];
        for slices in all {
            assert_eq!(
                Digest::of_slices(slices, &interrupt),
                Some(Digest::of(&bytes))
            );
        }
        interrupt.raise(15);
        assert_eq!(
            all.map(|slices| Digest::of_slices(slices, &interrupt)),
            [None; 3]
        );
    }

    #[test]
    fn a_blob_is_named_as_git_names_it() {
        assert_eq!(
            blob_id(b"", ObjectFormat::Sha1),
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        );
        assert_eq!(
            blob_id(b"hello\n", ObjectFormat::Sha1),
            "ce013625030ba8dba906f756967f9e9ca394464a"
        );
    }
}
