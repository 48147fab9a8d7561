//! The IDs of objects.

use std::fmt;

/// The limit on the bytes of an ID: the size of a SHA-256 digest.
const MAX_BYTES: usize = 32;

/// The ID of an object. It has 20 bytes in a SHA-1 repository, and 32 bytes in a SHA-256
/// repository.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectId {
    bytes: [u8; MAX_BYTES],
    length: u8,
}

impl ObjectId {
    /// Returns the ID with these bytes, if their number is valid.
    pub(super) fn from_bytes(name: &[u8]) -> Option<Self> {
        let length = u8::try_from(name.len())
            .ok()
            .filter(|length| matches!(length, 20 | 32))?;
        let mut bytes = [0; MAX_BYTES];
        bytes[..name.len()].copy_from_slice(name);
        Some(Self { bytes, length })
    }

    /// Returns the ID with these hexadecimal digits, if their number is valid.
    pub(crate) fn from_hex(digits: &[u8]) -> Option<Self> {
        let digit = |byte: u8| {
            char::from(byte)
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        };
        let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
        let bytes = digits
            .chunks_exact(2)
            .map(byte)
            .collect::<Option<Vec<_>>>()?;
        digits
            .len()
            .is_multiple_of(2)
            .then_some(bytes)
            .and_then(|bytes| Self::from_bytes(&bytes))
    }

    /// Returns the bytes of the ID.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes()
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_digits_of_one_of_two_digests() {
        for length in [40, 64] {
            let digits = "0a".repeat(length / 2);
            assert_eq!(
                ObjectId::from_hex(digits.as_bytes()).unwrap().to_string(),
                digits
            );
        }
        for wrong in [
            "",
            "0a",
            "0",
            &"x".repeat(40),
            &"0".repeat(41),
            &"0".repeat(66),
        ] {
            assert_eq!(ObjectId::from_hex(wrong.as_bytes()), None);
        }
    }
}
