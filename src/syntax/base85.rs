//! The base-85 encoding of git binary patches: five characters for four bytes, most significant
//! first.

/// The digits in the order of their values (RFC 1924).
const ALPHABET: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The value of each character; 85 marks a character that is not a digit.
const VALUES: [u8; 256] = values();

/// The maximum number of bytes in one line.
const LINE: usize = 52;

const fn values() -> [u8; 256] {
    let mut values = [85; 256];
    let mut value = 0;
    while value < 85 {
        #[allow(clippy::cast_possible_truncation, reason = "less than 85")]
        {
            values[ALPHABET[value] as usize] = value as u8;
        }
        value += 1;
    }
    values
}

/// Returns the number of bytes that `line` declares, or `None` if a character is invalid or the
/// number of characters is wrong. `line` has no terminator.
///
/// The first character encodes the number of bytes: `A` to `Z` for 1 to 26, `a` to `z` for 27 to
/// 52. The last group of characters is padded.
pub(super) fn declared_length(line: &[u8]) -> Option<usize> {
    let (&first, letters) = line.split_first()?;
    let length = match first {
        b'A'..=b'Z' => usize::from(first - b'A') + 1,
        b'a'..=b'z' => usize::from(first - b'a') + 27,
        _ => return None,
    };
    debug_assert!(length <= LINE);
    let is_whole =
        letters.len() == length.div_ceil(4) * 5 && letters.iter().all(|&letter| value(letter) < 85);
    is_whole.then_some(length)
}

/// Appends the bytes of `line`, which has no terminator, to `bytes`. Returns `None` if the line is
/// damaged or the value of a group exceeds four bytes.
pub(super) fn decode(line: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let length = declared_length(line)?;
    let end = bytes.len() + length;
    for group in line[1..].chunks_exact(5) {
        bytes.extend_from_slice(&decode_group(group)?.to_be_bytes());
    }
    bytes.truncate(end);
    Some(())
}

/// Appends the encoding of `bytes` to `out` as terminated lines.
pub(super) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    for line in bytes.chunks(LINE) {
        #[allow(clippy::cast_possible_truncation, reason = "at most 52")]
        let length = line.len() as u8;
        out.push(if length <= 26 {
            b'A' + length - 1
        } else {
            b'a' + length - 27
        });
        for group in line.chunks(4) {
            let mut quad = [0; 4];
            quad[..group.len()].copy_from_slice(group);
            let mut rest = u32::from_be_bytes(quad);
            let mut letters = [0; 5];
            for letter in letters.iter_mut().rev() {
                *letter = ALPHABET[(rest % 85) as usize];
                rest /= 85;
            }
            out.extend_from_slice(&letters);
        }
        out.push(b'\n');
    }
}

fn value(letter: u8) -> u8 {
    VALUES[usize::from(letter)]
}

fn decode_group(group: &[u8]) -> Option<u32> {
    group.iter().try_fold(0_u32, |sum, &letter| {
        sum.checked_mul(85)?.checked_add(value(letter).into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(line: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        decode(line, &mut bytes).map(|()| bytes)
    }

    #[test]
    fn a_line_has_as_many_bytes_as_it_declares() {
        assert_eq!(decoded(b"D00000"), Some(vec![0; 4]));
        assert_eq!(decoded(b"D|NsC0"), Some(vec![0xff; 4]));
        assert_eq!(decoded(b"B|NsC0"), Some(vec![0xff; 2]));
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        for length in [0, 1, 3, 4, 5, 26, 27, 51, 52, 53, 105] {
            let bytes: Vec<u8> = (0..length).map(|index| 255 - index).collect();
            let (mut text, mut back) = (Vec::new(), Vec::new());
            encode(&bytes, &mut text);
            for line in text
                .split(|&byte| byte == b'\n')
                .filter(|line| !line.is_empty())
            {
                decode(line, &mut back).unwrap();
            }
            assert_eq!(back, bytes, "{}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn a_damaged_line_is_none() {
        for line in [
            &b""[..],
            b"A",
            b"D|NsC1",
            b"D~~~~~",
            b"D0000",
            b"E00000",
            b"D0000\"",
            b"!00000",
        ] {
            assert_eq!(decoded(line), None);
        }
    }
}
