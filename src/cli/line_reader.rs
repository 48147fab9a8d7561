//! Reads lines of a limited length.

use std::io::{self, BufRead};

/// The result of reading one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineRead {
    /// A complete line. The buffer contains it without its terminator; the last line needs none.
    Whole,
    /// A line over the limit, which was skipped.
    TooLong,
    /// The end of the input.
    End,
}

/// Reads one line into `buffer`. Skips a line with more than `limit` bytes, and never stores more
/// than `limit` bytes of it.
///
/// # Errors
///
/// Returns the I/O error of `input`.
pub(super) fn read_line(
    input: &mut impl BufRead,
    buffer: &mut Vec<u8>,
    limit: usize,
) -> io::Result<LineRead> {
    buffer.clear();
    // Free the memory of a previous long line.
    buffer.shrink_to(limit.min(1 << 16));
    let (mut is_open, mut is_long) = (false, false);
    loop {
        let piece = match input.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if piece.is_empty() && !is_open {
            return Ok(LineRead::End);
        }
        let newline = memchr::memchr(b'\n', piece);
        let end = newline.unwrap_or(piece.len());
        is_long |= buffer.len() + end > limit;
        if is_long {
            buffer.clear();
        } else {
            buffer.extend_from_slice(&piece[..end]);
        }
        let is_done = newline.is_some() || piece.is_empty();
        let taken = end + usize::from(newline.is_some());
        input.consume(taken);
        if is_done {
            return Ok(if is_long {
                LineRead::TooLong
            } else {
                LineRead::Whole
            });
        }
        is_open = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_up_to_the_limit() {
        let mut input = io::BufReader::with_capacity(2, &b"abc\nabcd\nabcde\n\na"[..]);
        let mut buffer = Vec::new();
        let mut read = || {
            (
                read_line(&mut input, &mut buffer, 4).unwrap(),
                buffer.clone(),
            )
        };
        assert_eq!(read(), (LineRead::Whole, b"abc".to_vec()));
        assert_eq!(read(), (LineRead::Whole, b"abcd".to_vec()));
        assert_eq!(read(), (LineRead::TooLong, Vec::new()));
        assert_eq!(read(), (LineRead::Whole, Vec::new()));
        assert_eq!(read(), (LineRead::Whole, b"a".to_vec()));
        assert_eq!(read(), (LineRead::End, Vec::new()));
    }
}
