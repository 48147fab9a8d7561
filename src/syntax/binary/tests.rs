//! Tests of literals, deltas and the limits of their sizes.

use super::*;
use crate::syntax::testing::{deflate, encode_base85};
use crate::text::Span;

const LIMIT: u64 = 1000;

fn limits(size: u64) -> BinaryLimits {
    BinaryLimits { size, ratio: 10 }
}

fn literal(text: &[u8], size: u64, limit: u64) -> Result<Vec<u8>, BinaryError> {
    let data = BinaryData {
        method: BinaryMethod::Literal,
        size,
        body: Span::new(0, text.len()),
    };
    BinaryPostimage::new(data, text, b"", limits(limit))?.contents()
}

fn delta(base: &[u8], delta: &[u8], limit: u64) -> Result<Vec<u8>, BinaryError> {
    let text = encode_base85(&deflate(delta));
    let size = delta.len() as u64;
    let data = BinaryData {
        method: BinaryMethod::Delta,
        size,
        body: Span::new(0, text.len()),
    };
    BinaryPostimage::new(data, &text, base, limits(limit))?.contents()
}

#[test]
fn data_have_exactly_the_declared_size() {
    let made = encode_base85(&deflate(b"hello\n"));
    assert_eq!(literal(&made, 6, LIMIT), Ok(b"hello\n".to_vec()));
    for size in [0, 5, 7] {
        assert_eq!(literal(&made, size, LIMIT), Err(BinaryError::Size(size)));
    }
    assert_eq!(literal(&made, 6, 5), Err(BinaryError::TooLarge(5)));
}

#[test]
fn data_that_break_off_are_refused() {
    let made = encode_base85(&deflate(b"hello\n")[..9]);
    assert_eq!(literal(&made, 6, LIMIT), Err(BinaryError::Deflate));
    let made = encode_base85(b"garbage");
    assert_eq!(literal(&made, 6, LIMIT), Err(BinaryError::Deflate));
}

#[test]
fn a_wrong_checksum_is_refused() {
    let mut stream = deflate(b"hello\n");
    *stream.last_mut().unwrap() ^= 1;
    assert_eq!(
        literal(&encode_base85(&stream), 6, LIMIT),
        Err(BinaryError::Deflate)
    );
}

#[test]
fn inflating_stops_at_the_declared_size() {
    let made = encode_base85(&deflate(&vec![0; 100_000])[..26]);
    assert_eq!(literal(&made, 10, LIMIT), Err(BinaryError::Size(10)));
}

#[test]
fn a_delta_copies_and_inserts() {
    let bytes = [&[6, 9, 0x90, 5, 4], &b"\tall"[..]].concat();
    assert_eq!(delta(b"hello\n", &bytes, LIMIT), Ok(b"hello\tall".to_vec()));
    assert_eq!(
        delta(b"hell\n", &bytes, LIMIT),
        Err(BinaryError::Base {
            expected: 6,
            found: 5
        })
    );
    assert_eq!(delta(b"hello\n", &bytes, 8), Err(BinaryError::TooLarge(8)));
}

#[test]
fn contents_grow_only_so_many_times() {
    let size = ALWAYS_ALLOWED_SIZE + 1;
    let (data, text) = crate::syntax::testing::literal(&vec![0; usize::try_from(size).unwrap()]);
    let made = |ratio| BinaryPostimage::new(data, &text, b"", BinaryLimits { size, ratio });
    assert_eq!(made(10).unwrap_err(), BinaryError::RatioExceeded(10));
    assert_eq!(made(2000).unwrap().size(), size);
}

#[test]
fn a_delta_may_keep_what_was_there_and_not_double_it() {
    let base = vec![0; usize::try_from(ALWAYS_ALLOWED_SIZE).unwrap()];
    let head = |size: u64| -> Vec<u8> {
        let digit = |size: u64, place: u32| u8::try_from(size >> (7 * place) & 0x7f).unwrap();
        let number = |size| (0..4).map(move |place| digit(size, place) | u8::from(place < 3) << 7);
        number(ALWAYS_ALLOWED_SIZE).chain(number(size)).collect()
    };
    assert_eq!(
        delta(&base, &head(ALWAYS_ALLOWED_SIZE), u64::MAX),
        Err(BinaryError::Delta("the result is shorter than declared"))
    );
    assert_eq!(
        delta(&base, &head(2 * ALWAYS_ALLOWED_SIZE), u64::MAX),
        Err(BinaryError::RatioExceeded(10))
    );
}

#[test]
fn a_damaged_delta_is_refused() {
    let damaged: [(&[u8], &str); 7] = [
        (&[6, 0x80], "the last instruction is incomplete"),
        (&[0xff; 12], "a size is incomplete"),
        (&[6, 1, 0], "unknown instruction"),
        (
            &[6, 3, 0x91, 4, 3],
            "an instruction copies from beyond the end of the file",
        ),
        (&[6, 3, 3, b'a'], "the last instruction is incomplete"),
        (&[6, 1, 2, b'a', b'b'], "the result is longer than declared"),
        (
            &[6, 3, 2, b'a', b'b'],
            "the result is shorter than declared",
        ),
    ];
    for (bytes, error) in damaged {
        assert_eq!(
            delta(b"hello\n", bytes, LIMIT),
            Err(BinaryError::Delta(error)),
            "{bytes:?}"
        );
    }
}
