//! The contents of git's binary patches: deflated, as a whole or as a delta.
//!
//! "gitformat-pack" in git's documentation describes deltas; sizes are bounded by what is declared and by a limit,
//! so that a small patch cannot ask for more memory than that.

use flate2::{Decompress, FlushDecompress, Status};

use super::base85;
use crate::plan::{BinaryData, BinaryMethod};
use crate::text::{Lines, without_ending};

/// Bytes that are inflated at once.
const PIECE: usize = 64 * 1024;

/// Why binary data give no contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BinaryError {
    /// A line is no base-85 as git writes it.
    #[error("a line of the binary data is damaged")]
    Line,
    /// The data are not deflated, or break off.
    #[error("the binary data cannot be inflated")]
    Deflate,
    /// The data have another size than they declare, in bytes.
    #[error("the binary data declare {0} bytes and have another number")]
    Size(u64),
    /// The contents would be larger than this limit, in bytes.
    #[error("the binary data are larger than {0} bytes")]
    TooLarge(u64),
    /// A delta is made for contents of another size, in bytes.
    #[error("the binary delta is for a file of {expected} bytes, the file has {found}")]
    Base {
        /// What the delta says.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// A delta is damaged.
    #[error("the binary delta is damaged: {0}")]
    Delta(&'static str),
}

/// Returns the contents that `data` makes of `preimage`, at most `limit` bytes; `text` is the patch that the data
/// stand in.
///
/// # Errors
///
/// Returns why the data make no contents of this preimage.
pub fn binary_postimage(data: BinaryData, text: &[u8], preimage: &[u8], limit: u64) -> Result<Vec<u8>, BinaryError> {
    let inflated = inflate(data, text, limit)?;
    match data.method {
        BinaryMethod::Literal => Ok(inflated),
        BinaryMethod::Delta => apply_delta(preimage, &inflated, limit),
    }
}

/// Returns the inflated bytes of `data`: the contents, or a delta.
///
/// Memory grows with what comes out and stops at the declared size.
///
/// # Errors
///
/// Returns [`BinaryError::TooLarge`] for more than `limit` declared bytes, or what is damaged.
pub fn inflate(data: BinaryData, text: &[u8], limit: u64) -> Result<Vec<u8>, BinaryError> {
    if data.size > limit {
        return Err(BinaryError::TooLarge(limit));
    }
    let mut deflated = Vec::with_capacity(data.body.len());
    for (_, line) in Lines::within(text, data.body) {
        base85::decode(without_ending(line), &mut deflated).ok_or(BinaryError::Line)?;
    }
    let size = usize::try_from(data.size).map_err(|_| BinaryError::TooLarge(limit))?;
    inflated(&deflated, size).ok_or(BinaryError::Deflate)?.ok_or(BinaryError::Size(data.size))
}

/// `None` for damaged data, `Some(None)` for another size.
#[allow(clippy::option_option, reason = "two different failures, told apart by the only caller")]
fn inflated(deflated: &[u8], size: usize) -> Option<Option<Vec<u8>>> {
    let (mut stream, mut inflated, mut rest) = (Decompress::new(true), Vec::new(), deflated);
    let mut piece = vec![0; PIECE.min(size + 1)];
    loop {
        let (taken, made) = (stream.total_in(), stream.total_out());
        let status = stream.decompress(rest, &mut piece, FlushDecompress::None).ok()?;
        let (taken, made) = (stream.total_in() - taken, stream.total_out() - made);
        rest = &rest[usize::try_from(taken).ok()?..];
        inflated.extend_from_slice(&piece[..usize::try_from(made).ok()?]);
        if inflated.len() > size {
            return Some(None);
        }
        match status {
            Status::StreamEnd => return Some((inflated.len() == size).then_some(inflated)),
            _ if taken == 0 && made == 0 => return None,
            _ => {}
        }
    }
}

/// Returns what `delta` makes of `base`, at most `limit` bytes.
///
/// # Errors
///
/// Returns [`BinaryError::Base`] when the delta is for contents of another size, [`BinaryError::TooLarge`], or what
/// is damaged.
pub fn apply_delta(base: &[u8], delta: &[u8], limit: u64) -> Result<Vec<u8>, BinaryError> {
    let mut delta = Delta(delta);
    let (expected, found) = (delta.size()?, base.len() as u64);
    if expected != found {
        return Err(BinaryError::Base { expected, found });
    }
    let size = delta.size()?;
    if size > limit {
        return Err(BinaryError::TooLarge(limit));
    }
    let mut result = Vec::new();
    while let Some(piece) = delta.piece(base)? {
        if (result.len() + piece.len()) as u64 > size {
            return Err(BinaryError::Delta("it makes more than it declares"));
        }
        result.extend_from_slice(piece);
    }
    if (result.len() as u64) < size {
        return Err(BinaryError::Delta("it makes less than it declares"));
    }
    Ok(result)
}

/// What is left of a delta.
struct Delta<'a>(&'a [u8]);

impl<'a> Delta<'a> {
    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    fn size(&mut self) -> Result<u64, BinaryError> {
        let mut size = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            size |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(size);
            }
        }
        Err(BinaryError::Delta("a size does not end"))
    }

    /// The next copy or insertion; `None` at the end.
    fn piece(&mut self, base: &'a [u8]) -> Result<Option<&'a [u8]>, BinaryError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        match self.byte()? {
            0 => Err(BinaryError::Delta("an unknown instruction")),
            command if command & 0x80 != 0 => {
                let offset = self.number(command, 4)?;
                let size = self.number(command >> 4, 3)?;
                let size = if size == 0 { 0x1_0000 } else { size };
                let piece = offset.checked_add(size).and_then(|end| base.get(offset..end));
                piece.map(Some).ok_or(BinaryError::Delta("it copies from behind the end of the file"))
            }
            length => {
                let broken = BinaryError::Delta("it breaks off");
                let (piece, rest) = self.0.split_at_checked(length.into()).ok_or(broken)?;
                self.0 = rest;
                Ok(Some(piece))
            }
        }
    }

    /// A number of up to `most` bytes, the lowest first; the bits of `present` say which are written.
    fn number(&mut self, present: u8, most: u8) -> Result<usize, BinaryError> {
        let mut number = 0;
        for place in (0..most).filter(|place| present & (1 << place) != 0) {
            number |= usize::from(self.byte()?) << (8 * place);
        }
        Ok(number)
    }

    fn byte(&mut self) -> Result<u8, BinaryError> {
        let (&byte, rest) = self.0.split_first().ok_or(BinaryError::Delta("it breaks off"))?;
        self.0 = rest;
        Ok(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Span;

    const LIMIT: u64 = 1000;

    fn data(text: &[u8], size: u64) -> BinaryData {
        BinaryData { method: BinaryMethod::Literal, size, body: Span::new(0, text.len()) }
    }

    #[test]
    fn data_have_exactly_the_declared_size() {
        let made = encoded(&deflated(b"hello\n"));
        assert_eq!(inflate(data(&made, 6), &made, LIMIT), Ok(b"hello\n".to_vec()));
        for size in [0, 5, 7] {
            assert_eq!(inflate(data(&made, size), &made, LIMIT), Err(BinaryError::Size(size)));
        }
        assert_eq!(inflate(data(&made, 6), &made, 5), Err(BinaryError::TooLarge(5)));
    }

    #[test]
    fn data_that_break_off_are_refused() {
        let made = encoded(&deflated(b"hello\n")[..9]);
        assert_eq!(inflate(data(&made, 6), &made, LIMIT), Err(BinaryError::Deflate));
        let made = encoded(b"garbage");
        assert_eq!(inflate(data(&made, 6), &made, LIMIT), Err(BinaryError::Deflate));
    }

    #[test]
    fn inflating_stops_at_the_declared_size() {
        let made = encoded(&deflated(&vec![0; 100_000])[..26]);
        assert_eq!(inflate(data(&made, 10), &made, LIMIT), Err(BinaryError::Size(10)));
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        use std::io::Write;
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// One line of base 85, for at most 26 bytes.
    fn encoded(bytes: &[u8]) -> Vec<u8> {
        let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
        let mut line = vec![b'A' + u8::try_from(bytes.len()).unwrap() - 1];
        for group in bytes.chunks(4) {
            let mut quad = [0; 4];
            quad[..group.len()].copy_from_slice(group);
            let value = u32::from_be_bytes(quad) as usize;
            line.extend((0..5).rev().map(|place| digits[value / 85_usize.pow(place) % 85]));
        }
        line.push(b'\n');
        line
    }

    #[test]
    fn a_delta_copies_and_inserts() {
        let delta = [&[6, 9, 0x90, 5, 4], &b"\tall"[..]].concat();
        assert_eq!(apply_delta(b"hello\n", &delta, LIMIT), Ok(b"hello\tall".to_vec()));
        assert_eq!(apply_delta(b"hell\n", &delta, LIMIT), Err(BinaryError::Base { expected: 6, found: 5 }));
        assert_eq!(apply_delta(b"hello\n", &delta, 8), Err(BinaryError::TooLarge(8)));
    }

    #[test]
    fn a_damaged_delta_is_refused() {
        let damaged: [(&[u8], &str); 7] = [
            (&[6, 0x80], "it breaks off"),
            (&[0xff; 12], "a size does not end"),
            (&[6, 1, 0], "an unknown instruction"),
            (&[6, 3, 0x91, 4, 3], "it copies from behind the end of the file"),
            (&[6, 3, 3, b'a'], "it breaks off"),
            (&[6, 1, 2, b'a', b'b'], "it makes more than it declares"),
            (&[6, 3, 2, b'a', b'b'], "it makes less than it declares"),
        ];
        for (delta, error) in damaged {
            assert_eq!(apply_delta(b"hello\n", delta, LIMIT), Err(BinaryError::Delta(error)), "{delta:?}");
        }
    }
}
