//! Percent-encoding of the paths in URIs (RFC 3986, section 2.1).

use std::fmt::Write;

/// Escapes every byte of `path` that is neither unreserved nor a slash.
#[must_use]
pub fn percent_encode(path: &[u8]) -> String {
    let mut text = String::with_capacity(path.len());
    for &byte in path {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Decodes `text`. A percent sign without two hex digits is kept.
#[must_use]
pub fn percent_decode(text: &str) -> Vec<u8> {
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&first, others)) = rest.split_first() {
        let digits = if first == b'%' {
            others.first_chunk()
        } else {
            None
        };
        let escaped = digits.and_then(|[high, low]| Some(digit(high)? << 4 | digit(low)?));
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() {
            &others[2..]
        } else {
            others
        };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_escaped_and_restored() {
        let path = "a:b/c d%é\n~".as_bytes();
        assert_eq!(percent_encode(path), "a%3Ab/c%20d%25%C3%A9%0A~");
        assert_eq!(percent_decode(&percent_encode(path)), path);
        assert_eq!(percent_decode("%e9%+1%4%zz%"), b"\xe9%+1%4%zz%");
    }
}
