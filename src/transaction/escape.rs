//! Paths as text from which every byte can be restored. All bytes except letters, digits and `/._-`
//! are written as `%41`.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Deserializer, Serializer, de};

use crate::path::RelPath;

/// Returns `bytes` as escaped text.
pub(super) fn escape(bytes: &[u8]) -> Cow<'_, str> {
    let is_plain =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    if bytes.iter().all(is_plain) {
        return String::from_utf8_lossy(bytes);
    }
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        if is_plain(&byte) {
            text.push(byte.into());
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02x}");
        }
    }
    text.into()
}

/// Returns the path with the escaped text `text`. Returns `None` if it is not the text of a path
/// below the root.
pub(super) fn unescape(text: &str) -> Option<RelPath> {
    RelPath::new(&unescape_bytes(text)?)
        .ok()
        .filter(|path| escape(path.as_bytes()) == text)
}

/// Returns the bytes with the escaped text `text`. Returns `None` if it is not the text that
/// [`escape`] returns for them.
pub(super) fn unescape_bytes(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
    }
    // Each path has exactly one text, so other spellings are rejected.
    (escape(&bytes) == text).then_some(bytes)
}

pub(super) fn serialize<S: Serializer>(path: &RelPath, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&escape(path.as_bytes()))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RelPath, D::Error> {
    let text = String::deserialize(deserializer)?;
    unescape(&text).ok_or_else(|| de::Error::custom("not a path below the root"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_path_comes_back() {
        let bytes: Vec<u8> = (1..=255).filter(|&byte| byte != b'/').collect();
        let path = RelPath::new(&bytes).unwrap();
        assert_eq!(unescape(&escape(path.as_bytes())), Some(path));
    }

    #[test]
    fn no_text_leads_out_of_the_root() {
        for text in [
            "",
            "/etc",
            "../x",
            "a/%2e%2e/x",
            "a/../b",
            "a%0",
            "%2fetc",
            "a%00b",
            "a/./b",
        ] {
            assert_eq!(unescape(text), None, "{text}");
        }
    }
}
