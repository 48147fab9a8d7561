//! Converts text in other encodings than UTF-8 character by character.
//!
//! Labels and mappings follow the WHATWG Encoding Standard. In it, `latin1` is a label of
//! windows-1252.

use std::fmt;

use chardetng::Iso2022JpDetection;
use encoding_rs::{DecoderResult, EncoderResult, Encoding, UTF_16BE, UTF_16LE};
use serde::{Deserialize, Serialize};

use super::encoding::{detect_certain, guess_encoding};

/// The maximum number of bytes of one character in any encoding.
const MAX_CHAR_BYTES: usize = 4;
/// The replacement for a byte that cannot be decoded. This byte never occurs in UTF-8, so no search
/// text matches it.
const UNDECODABLE: u8 = 0xff;

/// A stateless encoding. In such an encoding each character can be replaced on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

/// The encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum EncodingChoice {
    /// The encoding is detected from the bytes.
    Detected,
    /// The encoding is given.
    Named(TextEncoding),
}

/// The reasons why a name does not denote a [`TextEncoding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodingNameError {
    /// No encoding has this name.
    #[error("unknown encoding")]
    Unknown,
    /// The encoding is stateful: the meaning of a byte depends on the bytes before it.
    #[error("the encoding is stateful, so text in it cannot be replaced")]
    Stateful,
}

impl TryFrom<String> for EncodingChoice {
    type Error = EncodingNameError;

    fn try_from(name: String) -> Result<Self, EncodingNameError> {
        Self::parse(&name)
    }
}

impl From<EncodingChoice> for String {
    fn from(choice: EncodingChoice) -> Self {
        match choice {
            EncodingChoice::Detected => "auto".to_owned(),
            EncodingChoice::Named(encoding) => encoding.name(),
        }
    }
}

impl EncodingChoice {
    /// Parses `auto` or a label of the Encoding Standard. Labels are not case-sensitive.
    ///
    /// # Errors
    ///
    /// Returns an error for any other name, and for a stateful encoding.
    pub fn parse(name: &str) -> Result<Self, EncodingNameError> {
        if name == "auto" {
            return Ok(Self::Detected);
        }
        let encoding = Encoding::for_label(name.as_bytes()).ok_or(EncodingNameError::Unknown)?;
        if encoding == encoding_rs::REPLACEMENT || encoding == encoding_rs::ISO_2022_JP {
            return Err(EncodingNameError::Stateful);
        }
        Ok(Self::Named(TextEncoding(encoding)))
    }

    /// Returns the encoding of `bytes`.
    ///
    /// If it is detected, the byte order mark decides. Without a mark it is UTF-8 if the bytes are
    /// valid UTF-8, else the likeliest encoding.
    #[must_use]
    pub fn encoding_of(self, bytes: &[u8]) -> TextEncoding {
        match self {
            Self::Named(encoding) => encoding,
            // A stateful encoding cannot be changed in place, so it is never guessed.
            Self::Detected => TextEncoding(
                detect_certain(bytes)
                    .unwrap_or_else(|| guess_encoding(bytes, Iso2022JpDetection::Deny)),
            ),
        }
    }

    /// Returns whether the encoding is detected.
    pub(crate) fn is_detected(self) -> bool {
        self == Self::Detected
    }
}

impl TextEncoding {
    /// Returns the name of the encoding in the Encoding Standard, in lower case.
    #[must_use]
    pub fn name(self) -> String {
        self.0.name().to_ascii_lowercase()
    }

    /// Converts `bytes` to UTF-8, and returns whether a byte cannot be decoded. Each such byte, or
    /// UTF-16 code unit, becomes 0xff, which never occurs in UTF-8.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> (Vec<u8>, bool) {
        let (mut text, mut has_undecodable) = (Vec::with_capacity(bytes.len()), false);
        for unit in self.units(bytes) {
            has_undecodable |= unit.text() == [UNDECODABLE];
            text.extend_from_slice(unit.text());
        }
        (text, has_undecodable)
    }

    /// Converts `text` to this encoding. Returns `None` if a character cannot be encoded.
    #[must_use]
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        if self.0 == UTF_16LE {
            return Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        }
        if self.0 == UTF_16BE {
            return Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        }
        let mut encoder = self.0.new_encoder();
        let size = encoder.max_buffer_length_from_utf8_without_replacement(text.len())?;
        let mut bytes = vec![0; size];
        let (result, _, written) =
            encoder.encode_from_utf8_without_replacement(text, &mut bytes, true);
        bytes.truncate(written);
        (result == EncoderResult::InputEmpty).then_some(bytes)
    }

    /// Converts ascending `offsets` in the [`decode`](Self::decode)d text to offsets in `bytes`.
    ///
    /// Returns `None` if an offset is inside the text of bytes that can only be decoded together.
    #[must_use]
    pub fn encoded_offsets(self, bytes: &[u8], offsets: &[usize]) -> Option<Vec<usize>> {
        let mut places = Vec::with_capacity(offsets.len());
        let (mut place, mut decoded) = (0, 0);
        let mut units = self.units(bytes);
        for &offset in offsets {
            while decoded < offset {
                let unit = units.next()?;
                place += unit.length;
                decoded += unit.text().len();
            }
            if decoded != offset {
                return None;
            }
            places.push(place);
        }
        Some(places)
    }

    fn units(self, bytes: &[u8]) -> DecodeUnits<'_> {
        DecodeUnits {
            encoding: self.0,
            rest: bytes,
        }
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// The smallest byte sequences that can be decoded on their own.
struct DecodeUnits<'a> {
    encoding: &'static Encoding,
    rest: &'a [u8],
}

/// One byte sequence and its text.
struct DecodeUnit {
    /// The number of bytes.
    length: usize,
    text: [u8; 16],
    text_length: usize,
}

impl DecodeUnit {
    fn text(&self) -> &[u8] {
        &self.text[..self.text_length]
    }
}

impl DecodeUnits<'_> {
    /// Returns the number of bytes to skip if nothing can be decoded. The following text must stay
    /// aligned.
    fn unit_size(&self) -> usize {
        if [UTF_16LE, UTF_16BE].contains(&self.encoding) {
            2
        } else {
            1
        }
    }
}

impl Iterator for DecodeUnits<'_> {
    type Item = DecodeUnit;

    fn next(&mut self) -> Option<DecodeUnit> {
        let &first = self.rest.first()?;
        let unit = if first.is_ascii() && self.encoding.is_ascii_compatible() {
            single_byte(first)
        } else {
            // No valid sequence is a prefix of another one, so the shortest one is the right one.
            (1..=MAX_CHAR_BYTES.min(self.rest.len()))
                .find_map(|length| decode_unit(self.encoding, &self.rest[..length]))
                .unwrap_or_else(|| DecodeUnit {
                    length: self.unit_size().min(self.rest.len()),
                    ..single_byte(UNDECODABLE)
                })
        };
        self.rest = &self.rest[unit.length..];
        Some(unit)
    }
}

fn single_byte(byte: u8) -> DecodeUnit {
    let mut text = [0; 16];
    text[0] = byte;
    DecodeUnit {
        length: 1,
        text,
        text_length: 1,
    }
}

fn decode_unit(encoding: &'static Encoding, bytes: &[u8]) -> Option<DecodeUnit> {
    let mut text = [0; 16];
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (result, read, written) =
        decoder.decode_to_utf8_without_replacement(bytes, &mut text, true);
    let is_whole = result == DecoderResult::InputEmpty && read == bytes.len() && written > 0;
    is_whole.then_some(DecodeUnit {
        length: read,
        text,
        text_length: written,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> TextEncoding {
        EncodingChoice::parse(name).unwrap().encoding_of(b"")
    }

    #[test]
    fn every_character_keeps_its_place() {
        for name in [
            "gb18030",
            "gbk",
            "big5",
            "shift_jis",
            "euc-jp",
            "euc-kr",
            "utf-16le",
            "utf-16be",
            "utf-8",
        ] {
            let encoding = named(name);
            let parts = ["a\r\n", "名", "字", " b"];
            let pieces = parts.map(|part| encoding.encode(part).unwrap());
            let bytes = pieces.concat();
            assert_eq!(
                encoding.decode(&bytes),
                (parts.concat().into_bytes(), false),
                "{name}"
            );
            let offsets = [0, 3, 6, 9, 11];
            let ends = [0, 1, 2, 3, 4].map(|count| pieces[..count].concat().len());
            assert_eq!(
                encoding.encoded_offsets(&bytes, &offsets),
                Some(ends.to_vec()),
                "{name}"
            );
            assert_eq!(encoding.encoded_offsets(&bytes, &[4]), None, "{name}");
        }
    }

    #[test]
    fn a_byte_without_a_meaning_is_no_character() {
        let gb = named("gb18030");
        assert_eq!(
            gb.decode(b"a\xff\xc3\xfb\x81"),
            (
                "a".bytes()
                    .chain([0xff])
                    .chain("名".bytes())
                    .chain([0xff])
                    .collect(),
                true
            )
        );
        assert_eq!(
            gb.encoded_offsets(b"\xff\xc3\xfb", &[1, 4]),
            Some(vec![1, 3])
        );
    }

    #[test]
    fn text_after_an_invalid_utf_16_unit_stays_aligned() {
        let utf16 = named("utf-16le");
        let bytes = b"a\0\x00\xd8x\0\x3d\xd8\x00\xdeb\0c";
        let text = ["a".as_bytes(), b"\xff", "x\u{1f600}b".as_bytes(), b"\xff"].concat();
        assert_eq!(utf16.decode(bytes), (text, true));
        assert_eq!(
            utf16.encoded_offsets(bytes, &[1, 2, 3, 7, 8, 9]),
            Some(vec![2, 4, 6, 10, 12, 13])
        );
        let reversed: Vec<u8> = bytes[..4]
            .chunks(2)
            .flat_map(|unit| [unit[1], unit[0]])
            .collect();
        assert_eq!(
            named("utf-16be").decode(&reversed),
            (b"a\xff".to_vec(), true)
        );
    }

    #[test]
    fn what_an_encoding_cannot_hold_is_not_written() {
        assert_eq!(
            (named("latin1").encode("é"), named("latin1").encode("名")),
            (Some(b"\xe9".to_vec()), None)
        );
        assert_eq!(
            EncodingChoice::parse("klingon"),
            Err(EncodingNameError::Unknown)
        );
        assert_eq!(
            EncodingChoice::parse("ISO-2022-JP"),
            Err(EncodingNameError::Stateful)
        );
        assert_eq!(
            EncodingChoice::parse("hz-gb-2312"),
            Err(EncodingNameError::Stateful)
        );
    }

    #[test]
    fn an_encoding_is_told_from_the_bytes() {
        let told = |bytes: &[u8]| EncodingChoice::Detected.encoding_of(bytes).name();
        assert_eq!(
            (told(b"\xff\xfea\0"), told("é".as_bytes()), told(b"a")),
            ("utf-16le".into(), "utf-8".into(), "utf-8".into())
        );
        assert_eq!(
            told(
                &named("shift_jis")
                    .encode("これは日本語の文章です。")
                    .unwrap()
            ),
            "shift_jis"
        );
    }
}
