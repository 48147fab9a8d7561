//! The contents of git's binary patches: deflated, as a whole or as a delta.
//!
//! "gitformat-pack" in git's documentation describes deltas; sizes are bounded by what is declared
//! and by limits, so that a small patch cannot ask for more memory than those allow.

use std::io::{BufRead, BufReader, Read};

use flate2::bufread::ZlibDecoder;

use super::base85;
use crate::plan::{BinaryData, BinaryMethod};
use crate::text::{Lines, without_ending};

/// Bytes that are inflated at once.
const PIECE: usize = 64 * 1024;
/// Bytes of contents that any data may make, however few they are.
const FREE: u64 = 16 << 20;

/// How large contents may become.
#[derive(Clone, Copy, Debug)]
pub struct BinaryLimits {
    /// Most bytes.
    pub size: u64,
    /// Most bytes that a byte of deflated data makes beyond 16 MiB; a delta may also make as many
    /// as it is made for.
    pub ratio: u64,
}

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
    /// The contents would be more than this many times as large as the data, in bytes.
    #[error("the binary data would expand to more than {0} times their size")]
    Inflated(u64),
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

/// The contents that binary data make of a file, not made yet.
#[derive(Debug)]
pub struct BinaryPostimage<'p> {
    deflated: Vec<u8>,
    inflated_size: u64,
    /// The file that a delta is for.
    base: Option<&'p [u8]>,
    size: u64,
}

impl<'p> BinaryPostimage<'p> {
    /// Decodes `data`, which stand in `text`, for a file that holds `preimage`.
    ///
    /// # Errors
    ///
    /// Returns [`BinaryError::TooLarge`] or [`BinaryError::Inflated`] for more declared bytes than
    /// `limits` allow, [`BinaryError::Base`] when a delta is for contents of another size, or what
    /// is damaged.
    pub fn new(
        data: BinaryData,
        text: &[u8],
        preimage: &'p [u8],
        limits: BinaryLimits,
    ) -> Result<Self, BinaryError> {
        if data.size > limits.size {
            return Err(BinaryError::TooLarge(limits.size));
        }
        let mut deflated = Vec::with_capacity(data.body.len());
        for (_, line) in Lines::within(text, data.body) {
            base85::decode(without_ending(line), &mut deflated).ok_or(BinaryError::Line)?;
        }
        let grown = limits.ratio.saturating_mul(deflated.len() as u64);
        if data.size > grown.max(FREE) {
            return Err(BinaryError::Inflated(limits.ratio));
        }
        let mut postimage = Self {
            deflated,
            inflated_size: data.size,
            base: None,
            size: data.size,
        };
        if data.method == BinaryMethod::Delta {
            postimage.base = Some(preimage);
            postimage.size = postimage.delta().sizes(preimage)?;
        }
        if postimage.size > limits.size {
            return Err(BinaryError::TooLarge(limits.size));
        }
        if postimage.size
            > grown
                .saturating_add(postimage.base.map_or(0, |base| base.len() as u64))
                .max(FREE)
        {
            return Err(BinaryError::Inflated(limits.ratio));
        }
        Ok(postimage)
    }

    /// Returns the number of bytes that the contents are declared to have.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Makes the contents, and hands them to `take` piece by piece, in little memory.
    ///
    /// # Errors
    ///
    /// Returns what is damaged, or that there are more or fewer bytes than declared; some pieces
    /// may have been handed over then.
    pub fn pieces(&self, mut take: impl FnMut(&[u8])) -> Result<(), BinaryError> {
        match self.base {
            None => self.literal(&mut take),
            Some(base) => self.delta().apply(base, &mut take),
        }
    }

    /// Makes the contents. Memory grows with what comes out and stops at the declared size.
    ///
    /// # Errors
    ///
    /// As [`BinaryPostimage::pieces`].
    pub fn contents(&self) -> Result<Vec<u8>, BinaryError> {
        let mut contents = Vec::new();
        self.pieces(|piece| contents.extend_from_slice(piece))?;
        Ok(contents)
    }

    fn literal(&self, take: &mut dyn FnMut(&[u8])) -> Result<(), BinaryError> {
        let mut source = self.inflated();
        loop {
            let piece = source.more()?;
            if piece.is_empty() {
                return source.end();
            }
            take(piece);
            let length = piece.len();
            source.consume(length);
        }
    }

    fn delta(&self) -> Delta<'_> {
        Delta(self.inflated())
    }

    fn inflated(&self) -> Inflated<'_> {
        let decoder = ZlibDecoder::new(self.deflated.as_slice());
        // One byte more than declared shows that there are too many, and that the stream ends well
        // if there are not.
        let bounded = decoder.take(self.inflated_size.saturating_add(1));
        Inflated {
            source: BufReader::with_capacity(PIECE, bounded),
            size: self.inflated_size,
            left: self.inflated_size,
        }
    }
}

/// What is left of inflated data.
#[derive(Debug)]
struct Inflated<'d> {
    source: BufReader<std::io::Take<ZlibDecoder<&'d [u8]>>>,
    size: u64,
    left: u64,
}

impl Inflated<'_> {
    /// Returns some of the bytes that come next, none at the end.
    fn more(&mut self) -> Result<&[u8], BinaryError> {
        let piece = self.source.fill_buf().map_err(|_| BinaryError::Deflate)?;
        if piece.len() as u64 > self.left {
            Err(BinaryError::Size(self.size))
        } else {
            Ok(piece)
        }
    }

    fn consume(&mut self, length: usize) {
        self.source.consume(length);
        self.left -= length as u64;
    }

    /// Checks at the end that nothing is missing.
    fn end(&self) -> Result<(), BinaryError> {
        if self.left == 0 {
            Ok(())
        } else {
            Err(BinaryError::Size(self.size))
        }
    }
}

/// What is left of a delta.
struct Delta<'d>(Inflated<'d>);

impl Delta<'_> {
    /// Reads the head: checks the size of `base`, and returns that of the contents.
    fn sizes(&mut self, base: &[u8]) -> Result<u64, BinaryError> {
        let (expected, found) = (self.number_of_bytes()?, base.len() as u64);
        if expected != found {
            return Err(BinaryError::Base { expected, found });
        }
        self.number_of_bytes()
    }

    /// Carries the whole delta out on `base`.
    fn apply(mut self, base: &[u8], take: &mut dyn FnMut(&[u8])) -> Result<(), BinaryError> {
        let mut left = self.sizes(base)?;
        let mut take = |piece: &[u8]| {
            left = left
                .checked_sub(piece.len() as u64)
                .ok_or(BinaryError::Delta("it makes more than it declares"))?;
            take(piece);
            Ok(())
        };
        while !self.0.more()?.is_empty() {
            self.instruction(base, &mut take)?;
        }
        self.0.end()?;
        if left > 0 {
            return Err(BinaryError::Delta("it makes less than it declares"));
        }
        Ok(())
    }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    fn number_of_bytes(&mut self) -> Result<u64, BinaryError> {
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

    /// Carries out the next copy or insertion.
    fn instruction(
        &mut self,
        base: &[u8],
        take: &mut dyn FnMut(&[u8]) -> Result<(), BinaryError>,
    ) -> Result<(), BinaryError> {
        match self.byte()? {
            0 => Err(BinaryError::Delta("an unknown instruction")),
            command if command & 0x80 != 0 => {
                let offset = self.number(command, 4)?;
                let size = self.number(command >> 4, 3)?;
                let size = if size == 0 { 0x1_0000 } else { size };
                let piece = offset
                    .checked_add(size)
                    .and_then(|end| base.get(offset..end));
                take(piece.ok_or(BinaryError::Delta(
                    "it copies from behind the end of the file",
                ))?)
            }
            length => self.insert(length.into(), take),
        }
    }

    fn insert(
        &mut self,
        mut length: usize,
        take: &mut dyn FnMut(&[u8]) -> Result<(), BinaryError>,
    ) -> Result<(), BinaryError> {
        while length > 0 {
            let piece = self.0.more()?;
            if piece.is_empty() {
                return Err(BinaryError::Delta("it breaks off"));
            }
            let piece = &piece[..length.min(piece.len())];
            take(piece)?;
            length -= piece.len();
            let taken = piece.len();
            self.0.consume(taken);
        }
        Ok(())
    }

    /// A number of up to `most` bytes, the lowest first; the bits of `present` say which are
    /// written.
    fn number(&mut self, present: u8, most: u8) -> Result<usize, BinaryError> {
        let mut number = 0;
        for place in (0..most).filter(|place| present & (1 << place) != 0) {
            number |= usize::from(self.byte()?) << (8 * place);
        }
        Ok(number)
    }

    fn byte(&mut self) -> Result<u8, BinaryError> {
        let &byte = self
            .0
            .more()?
            .first()
            .ok_or(BinaryError::Delta("it breaks off"))?;
        self.0.consume(1);
        Ok(byte)
    }
}

#[cfg(test)]
mod tests;
