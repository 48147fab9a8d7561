//! base64 with padding (RFC 4648, section 4).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns `bytes` in base64.
#[must_use]
pub fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let [first, second, third] = [0, 1, 2].map(|place| group.get(place).copied().unwrap_or(0));
        let sextets = [
            first >> 2,
            first << 4 | second >> 4,
            second << 2 | third >> 6,
            third,
        ];
        for (place, sextet) in sextets.into_iter().enumerate() {
            let is_padding = place > group.len();
            text.push(if is_padding {
                '='
            } else {
                char::from(ALPHABET[usize::from(sextet & 0x3f)])
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_group_is_padded() {
        let texts = [&b""[..], b"f", b"fo", b"foo", b"foob", b"\xfb\xff\xbe"].map(encode_base64);
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "+/++"]);
    }
}
