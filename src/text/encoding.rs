//! Decodes whole texts in the encodings of the Encoding Standard, and detects their encoding.

use std::borrow::Cow;

#[cfg(feature = "encodings")]
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
#[cfg(feature = "encodings")]
use encoding_rs::{Encoding, UTF_8};

/// A decoded text and its original encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedBytes<'a> {
    /// The text in UTF-8. It keeps a byte order mark of UTF-8, but not one of UTF-16.
    pub text: Cow<'a, str>,
    /// The name of the encoding in the Encoding Standard, in lower case.
    pub encoding: String,
}

/// The reasons why bytes cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// No encoding has this name.
    #[error("unknown encoding {0}")]
    Unknown(String),
    /// Some bytes are invalid in this encoding.
    #[error("the bytes are not valid {0}")]
    Undecodable(String),
    /// This build does not contain the encodings.
    #[cfg(not(feature = "encodings"))]
    #[error("unsupported: wpatch was built without the feature `encodings`")]
    Unsupported,
}

/// Returns the name of the UTF-16 variant of `bytes`, or `None` if the bytes do not look like
/// UTF-16. A byte order mark decides. Otherwise the first 256 bytes decide: more than half of the
/// even offsets, or more than half of the odd offsets, must contain a zero, and the others none.
#[must_use]
pub fn detect_utf16(bytes: &[u8]) -> Option<&'static str> {
    let start = &bytes[..bytes.len().min(256)];
    match start {
        [0xff, 0xfe, ..] => return Some("utf-16le"),
        [0xfe, 0xff, ..] => return Some("utf-16be"),
        _ if start.len() < 4 || bytes.len() % 2 == 1 => return None,
        _ => {}
    }
    let zeros = |place: usize| {
        start
            .iter()
            .skip(place)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    match (zeros(0), zeros(1)) {
        (0, odd) if odd * 4 > start.len() => Some("utf-16le"),
        (even, 0) if even * 4 > start.len() => Some("utf-16be"),
        _ => None,
    }
}

/// Decodes `bytes` from the encoding `label`, or from the detected encoding if `label` is `auto`.
///
/// Detection is certain for UTF-8 and for a byte order mark. Any other result is a guess. Bytes
/// that contain a NUL are not detected as text.
///
/// # Errors
///
/// Returns an error for an unknown label, and for bytes that are invalid in the encoding. Invalid
/// bytes are never replaced.
#[cfg(feature = "encodings")]
pub fn decode<'a>(bytes: &'a [u8], label: &str) -> Result<DecodedBytes<'a>, DecodeError> {
    let encoding = match label {
        "auto" => detect_encoding(bytes)
            .ok_or_else(|| DecodeError::Undecodable("any encoding".to_owned()))?,
        label => Encoding::for_label_no_replacement(label.as_bytes())
            .ok_or_else(|| DecodeError::Unknown(label.to_owned()))?,
    };
    let mark = match Encoding::for_bom(bytes) {
        Some((marked, length)) if marked == encoding && marked != UTF_8 => length,
        _ => 0,
    };
    let name = encoding.name().to_ascii_lowercase();
    match encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..]) {
        Some(text) => Ok(DecodedBytes {
            text,
            encoding: name,
        }),
        None => Err(DecodeError::Undecodable(name)),
    }
}

/// Returns the detected encoding of `bytes`, or `None` if they are not text.
#[cfg(feature = "encodings")]
fn detect_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let is_text = || memchr::memchr(0, bytes).is_none();
    detect_certain(bytes)
        .or_else(|| is_text().then(|| guess_encoding(bytes, Iso2022JpDetection::Allow)))
}

/// Returns the encoding of the byte order mark, or UTF-8 if `bytes` are valid UTF-8.
#[cfg(feature = "encodings")]
pub(super) fn detect_certain(bytes: &[u8]) -> Option<&'static Encoding> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    marked.or_else(|| std::str::from_utf8(bytes).is_ok().then_some(UTF_8))
}

/// Returns the likeliest encoding of a text that is not UTF-8.
#[cfg(feature = "encodings")]
pub(super) fn guess_encoding(bytes: &[u8], states: Iso2022JpDetection) -> &'static Encoding {
    let mut detector = EncodingDetector::new(states);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns an error, because this build does not contain the encodings.
///
/// # Errors
///
/// Returns [`DecodeError::Unsupported`].
#[cfg(not(feature = "encodings"))]
pub fn decode<'a>(_: &'a [u8], _: &str) -> Result<DecodedBytes<'a>, DecodeError> {
    Err(DecodeError::Unsupported)
}

#[cfg(test)]
#[cfg(feature = "encodings")]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_from_its_encoding() {
        let read = |bytes: &'static [u8], label| {
            decode(bytes, label).map(|found| (found.text, found.encoding))
        };
        let named =
            |text: &'static str, encoding: &str| Ok((Cow::Borrowed(text), encoding.to_owned()));
        assert_eq!(
            read(b"\xc3\xfb\xb3\xc6", "GB18030"),
            named("名称", "gb18030")
        );
        assert_eq!(read(b"caf\xe9", "latin1"), named("café", "windows-1252"));
        assert_eq!(read(b"\xff\xfea\0\n\0", "auto"), named("a\n", "utf-16le"));
        assert_eq!(read(b"\xef\xbb\xbfa", "auto"), named("\u{feff}a", "utf-8"));
        assert_eq!(read("é".as_bytes(), "auto"), named("é", "utf-8"));
    }

    #[test]
    fn bytes_that_mean_nothing_are_not_replaced() {
        assert_eq!(
            decode(b"\xff", "utf-8"),
            Err(DecodeError::Undecodable("utf-8".to_owned()))
        );
        assert_eq!(
            decode(b"\0\xff", "auto"),
            Err(DecodeError::Undecodable("any encoding".to_owned()))
        );
        for label in ["", "klingon", "hz-gb-2312", "replacement"] {
            assert_eq!(
                decode(b"a", label),
                Err(DecodeError::Unknown(label.to_owned()))
            );
        }
    }
}
