//! Booleans in git's configuration.

/// Returns a boolean value. See "Values", "boolean" and "integer" in git-config(1).
pub(super) fn parse_bool(value: &[u8]) -> Option<bool> {
    match value.to_ascii_lowercase().as_slice() {
        b"true" | b"yes" | b"on" => Some(true),
        b"false" | b"no" | b"off" | b"" => Some(false),
        number => Some(parse_integer(std::str::from_utf8(number).ok()?)? != 0),
    }
}

/// Returns an integer in lower case: decimal, hexadecimal or octal, with a unit of 1024, as
/// `git_parse_signed` in git's parse.c reads it.
fn parse_integer(text: &str) -> Option<i32> {
    let (text, unit) = match text.char_indices().next_back()? {
        (end, 'k') => (&text[..end], 1 << 10),
        (end, 'm') => (&text[..end], 1 << 20),
        (end, 'g') => (&text[..end], 1 << 30),
        _ => (text, 1),
    };
    let text = text.trim_ascii_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, base) = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (_, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (digits, 10),
    };
    if !digits.starts_with(|digit: char| digit.is_ascii_alphanumeric()) {
        return None;
    }
    let number = i64::from_str_radix(digits, base).ok()?;
    let size = i32::try_from(number.checked_mul(unit)?).ok()?;
    Some(sign * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_are_words_or_integers() {
        for (expected, values) in [
            (Some(true), "Yes|on|2|-1|+1|1k|0x1|0X1|010|1G| 1| 010k"),
            (Some(false), "off|No||0|0k|0x0|00"),
            (
                None,
                "input|junk|k|0x|08|1t|1 |--1|0x-1|2G|-2g|99999999999999999999",
            ),
        ] {
            for value in values.split('|') {
                assert_eq!(parse_bool(value.as_bytes()), expected, "{value:?}");
            }
        }
    }
}
