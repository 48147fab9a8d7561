//! Lines of a limited length.

use std::io::{self, BufRead};

/// What came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line, which is in the buffer without its terminator. The last one needs none.
    Whole,
    /// A line over the limit, which was passed over.
    TooLong,
    /// Nothing, from now on.
    End,
}

/// Reads one line into `buffer`, and of a longer one than `limit` no more than that.
///
/// # Errors
///
/// Returns the error of `input`.
pub(super) fn next_line(
    input: &mut impl BufRead,
    buffer: &mut Vec<u8>,
    limit: usize,
) -> io::Result<Line> {
    buffer.clear();
    // What one long line needed is not kept for the short ones behind it.
    buffer.shrink_to(limit.min(1 << 16));
    let (mut is_open, mut is_long) = (false, false);
    loop {
        let piece = match input.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if piece.is_empty() && !is_open {
            return Ok(Line::End);
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
            return Ok(if is_long { Line::TooLong } else { Line::Whole });
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
                next_line(&mut input, &mut buffer, 4).unwrap(),
                buffer.clone(),
            )
        };
        assert_eq!(read(), (Line::Whole, b"abc".to_vec()));
        assert_eq!(read(), (Line::Whole, b"abcd".to_vec()));
        assert_eq!(read(), (Line::TooLong, Vec::new()));
        assert_eq!(read(), (Line::Whole, Vec::new()));
        assert_eq!(read(), (Line::Whole, b"a".to_vec()));
        assert_eq!(read(), (Line::End, Vec::new()));
    }
}
