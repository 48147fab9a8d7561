//! The attribute `working-tree-encoding`: converts between the encoding of a work tree and UTF-8.
//!
//! git uses the iconv of the C library. UTF-16, UTF-32, ISO-8859-1 and ASCII give the same results
//! here. The other encodings follow the WHATWG Encoding Standard. Its tables differ from the C
//! library in single characters.

use thiserror::Error;

use super::table::EncodingTable;

/// The encoding of a file in the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkTreeEncoding {
    name: String,
    kind: EncodingKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EncodingKind {
    Utf {
        width: usize,
        order: ByteOrder,
        mark: ByteOrderMark,
    },
    Latin1,
    Ascii,
    Listed(EncodingTable),
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

/// Whether a file begins with a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrderMark {
    /// The mark is required and determines the byte order.
    Required,
    /// A mark is an error.
    Prohibited,
    /// A mark is optional, and one is written.
    Written,
    /// A mark is written, but git cannot read the encoding.
    WriteOnly,
}

/// The reasons why content cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodingError {
    /// The encoding is unknown.
    #[error("the attribute working-tree-encoding `{0}` is not supported")]
    Unknown(String),
    /// The file contains invalid bytes, lacks its byte order mark, or has a prohibited one.
    #[error("the file is not valid in its working-tree-encoding `{0}`")]
    Undecodable(String),
    /// The encoding cannot represent a character.
    #[error("the working-tree-encoding `{0}` cannot represent the new content")]
    Unencodable(String),
}

const BYTE_ORDER_MARK: char = '\u{feff}';

impl WorkTreeEncoding {
    /// Parses the value of the attribute. Returns `None` for UTF-8, which needs no conversion.
    #[must_use]
    pub fn parse(name: &[u8]) -> Option<Self> {
        let name = String::from_utf8_lossy(name).into_owned();
        let folded = name.to_ascii_uppercase();
        if folded.is_empty() || folded == "UTF-8" || folded == "UTF8" {
            return None;
        }
        let kind = parse_utf(&folded).unwrap_or_else(|| match folded.as_str() {
            "ISO-8859-1" | "ISO8859-1" | "ISO88591" | "ISO_8859-1" | "LATIN1" | "LATIN-1"
            | "L1" => EncodingKind::Latin1,
            "ASCII" | "US-ASCII" => EncodingKind::Ascii,
            name => EncodingTable::of(name).map_or(EncodingKind::Unknown, EncodingKind::Listed),
        });
        Some(Self { name, kind })
    }

    /// Converts `bytes` to UTF-8.
    pub(super) fn decode(&self, bytes: &[u8]) -> Result<Vec<u8>, EncodingError> {
        let text = match self.kind {
            EncodingKind::Unknown => return Err(EncodingError::Unknown(self.name.clone())),
            EncodingKind::Utf { width, order, mark } => decode_utf(bytes, width, order, mark),
            EncodingKind::Latin1 => Some(bytes.iter().copied().map(char::from).collect()),
            EncodingKind::Ascii => bytes
                .is_ascii()
                .then(|| bytes.iter().copied().map(char::from).collect()),
            EncodingKind::Listed(table) => table.decode(bytes),
        };
        text.map(String::into_bytes)
            .ok_or_else(|| EncodingError::Undecodable(self.name.clone()))
    }

    /// Converts `text` from UTF-8.
    pub(super) fn encode(&self, text: &[u8]) -> Result<Vec<u8>, EncodingError> {
        let unencodable = || EncodingError::Unencodable(self.name.clone());
        let text = std::str::from_utf8(text).map_err(|_| unencodable())?;
        match self.kind {
            EncodingKind::Unknown => Err(EncodingError::Unknown(self.name.clone())),
            EncodingKind::Utf { width, order, mark } => Ok(encode_utf(text, width, order, mark)),
            EncodingKind::Latin1 => text
                .chars()
                .map(|char| u8::try_from(char).ok())
                .collect::<Option<_>>()
                .ok_or_else(unencodable),
            EncodingKind::Ascii => text
                .is_ascii()
                .then(|| text.as_bytes().to_vec())
                .ok_or_else(unencodable),
            EncodingKind::Listed(table) => table.encode(text).ok_or_else(unencodable),
        }
    }
}

/// Parses the name of a form of UTF-16 or UTF-32. Like git, accepts names without the first hyphen.
fn parse_utf(name: &str) -> Option<EncodingKind> {
    let rest = name.strip_prefix("UTF")?;
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    let (width, form) = match (rest.strip_prefix("16"), rest.strip_prefix("32")) {
        (Some(form), _) => (2, form),
        (_, Some(form)) => (4, form),
        _ => return None,
    };
    let (order, mark) = match (width, form) {
        // The C library writes the native byte order after a mark.
        (_, "") => (
            if cfg!(target_endian = "big") {
                ByteOrder::Big
            } else {
                ByteOrder::Little
            },
            ByteOrderMark::Required,
        ),
        (_, "LE") => (ByteOrder::Little, ByteOrderMark::Prohibited),
        (_, "BE") => (ByteOrder::Big, ByteOrderMark::Prohibited),
        (2, "LE-BOM") => (ByteOrder::Little, ByteOrderMark::Written),
        (2, "BE-BOM") => (ByteOrder::Big, ByteOrderMark::WriteOnly),
        _ => return None,
    };
    Some(EncodingKind::Utf { width, order, mark })
}

fn decode_utf(bytes: &[u8], width: usize, order: ByteOrder, mark: ByteOrderMark) -> Option<String> {
    // A mark is U+FEFF in the byte order of the file, so its bytes state the order.
    let marks = [ByteOrder::Little, ByteOrder::Big]
        .map(|order| (order, units(&[u32::from(BYTE_ORDER_MARK)], width, order)));
    let marked = marks
        .iter()
        .find(|(_, mark)| bytes.starts_with(mark))
        .map(|(order, _)| *order);
    let (bytes, order) = match (marked, mark) {
        (_, ByteOrderMark::WriteOnly)
        | (None, ByteOrderMark::Required)
        | (Some(_), ByteOrderMark::Prohibited) => return None,
        (Some(order), _) => (&bytes[width..], order),
        (None, _) => (bytes, order),
    };
    if !bytes.len().is_multiple_of(width) {
        return None;
    }
    let numbers = bytes.chunks_exact(width).map(|unit| {
        let add = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
        match order {
            ByteOrder::Little => unit.iter().rev().fold(0, add),
            ByteOrder::Big => unit.iter().fold(0, add),
        }
    });
    if width == 4 {
        return numbers.map(char::from_u32).collect();
    }
    let halves = numbers.map(|number| u16::try_from(number).unwrap_or_default());
    char::decode_utf16(halves).collect::<Result<_, _>>().ok()
}

fn encode_utf(text: &str, width: usize, order: ByteOrder, mark: ByteOrderMark) -> Vec<u8> {
    let first = (mark != ByteOrderMark::Prohibited).then_some(u32::from(BYTE_ORDER_MARK));
    let numbers: Vec<u32> = match width {
        4 => first
            .into_iter()
            .chain(text.chars().map(u32::from))
            .collect(),
        _ => first
            .into_iter()
            .chain(text.encode_utf16().map(u32::from))
            .collect(),
    };
    units(&numbers, width, order)
}

/// Returns the code units `numbers` as bytes: `width` bytes per unit, in the byte order `order`.
fn units(numbers: &[u32], width: usize, order: ByteOrder) -> Vec<u8> {
    let unit = |number: &u32| match order {
        ByteOrder::Little => number.to_le_bytes()[..width].to_vec(),
        ByteOrder::Big => number.to_be_bytes()[4 - width..].to_vec(),
    };
    numbers.iter().flat_map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding(name: &str) -> WorkTreeEncoding {
        WorkTreeEncoding::parse(name.as_bytes()).unwrap()
    }

    #[test]
    #[cfg(feature = "encodings")]
    fn each_encoding_gives_back_what_it_encoded() {
        for name in [
            "UTF-16",
            "utf16le",
            "UTF-16BE",
            "UTF-16LE-BOM",
            "UTF-32",
            "UTF-32LE",
            "utf-32be",
            "GB18030",
        ] {
            let bytes = encoding(name).encode("é名😀\n".as_bytes()).unwrap();
            assert_eq!(
                encoding(name).decode(&bytes),
                Ok("é名😀\n".as_bytes().to_vec()),
                "{name}"
            );
        }
        assert_eq!(
            encoding("latin1").decode(b"\xe9\x80"),
            Ok("é\u{80}".as_bytes().to_vec())
        );
        assert_eq!(
            encoding("SHIFT-JIS").encode("名\n".as_bytes()),
            Ok(b"\x96\xbc\n".to_vec())
        );
    }

    #[test]
    fn marks_are_as_git_wants_them() {
        assert_eq!(
            encoding("UTF-16LE-BOM").encode(b"a"),
            Ok(b"\xff\xfea\0".to_vec())
        );
        assert_eq!(
            encoding("UTF-16BE-BOM").encode(b"a"),
            Ok(b"\xfe\xff\0a".to_vec())
        );
        assert_eq!(encoding("UTF-16LE-BOM").decode(b"a\0"), Ok(b"a".to_vec()));
        assert_eq!(encoding("UTF-16").decode(b"\xfe\xff\0a"), Ok(b"a".to_vec()));
        for (name, bytes) in [
            ("UTF-16", &b"a\0"[..]),
            ("UTF-16LE", b"\xff\xfea\0"),
            ("UTF-16BE", b"\xff\xfea\0"),
            ("UTF-16BE-BOM", b"\xfe\xff\0a"),
            ("UTF-16LE-BOM", b"\xff\xfea"),
            ("UTF-16LE", b"\x00\xd8"),
            ("UTF-32", b"a\0\0\0"),
        ] {
            assert_eq!(
                encoding(name).decode(bytes),
                Err(EncodingError::Undecodable(name.to_owned())),
                "{name}"
            );
        }
    }

    #[test]
    fn what_cannot_be_represented_is_an_error() {
        assert_eq!(
            encoding("ISO-8859-1").encode("名".as_bytes()),
            Err(EncodingError::Unencodable("ISO-8859-1".into()))
        );
        assert_eq!(
            encoding("ascii").decode(b"\xe9"),
            Err(EncodingError::Undecodable("ascii".into()))
        );
        assert_eq!(
            encoding("klingon").decode(b"a"),
            Err(EncodingError::Unknown("klingon".into()))
        );
        assert_eq!(
            encoding("UTF-16").encode(b"\xff"),
            Err(EncodingError::Unencodable("UTF-16".into()))
        );
        assert!(
            WorkTreeEncoding::parse(b"utf8").is_none()
                && WorkTreeEncoding::parse(b"UTF-8").is_none()
        );
    }
}
