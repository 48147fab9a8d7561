//! The content of git binary patches: deflated, as a whole or as a delta.
//!
//! `gitformat-pack(5)` describes deltas. The declared sizes and the limits bound all sizes, so a
//! small patch cannot request more memory than the limits allow.

use std::io::{BufRead, BufReader, Read};

use flate2::bufread::ZlibDecoder;

use super::base85;
use crate::plan::{BinaryData, BinaryMethod};
use crate::text::{Lines, without_ending};

/// The number of bytes that are inflated at once.
const PIECE: usize = 64 * 1024;
/// The number of bytes of content that any data may produce, independent of its size.
const ALWAYS_ALLOWED_SIZE: u64 = 16 << 20;

/// The limits on the size of the content.
#[derive(Clone, Copy, Debug)]
pub struct BinaryLimits {
    /// The maximum size in bytes.
    pub size: u64,
    /// The maximum number of bytes of content for each byte of deflated data. The limit does not
    /// apply to content of at most 16 MiB. A delta may additionally produce as many bytes as the
    /// preimage has.
    pub ratio: u64,
}

/// The reasons why binary data produces no content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BinaryError {
    /// A line is not base 85 as git writes it.
    #[error("a line of the binary data is invalid")]
    Line,
    /// The data is not deflated, or it is truncated.
    #[error("the binary data cannot be decompressed")]
    Deflate,
    /// The data does not have the declared size, in bytes.
    #[error("the size of the binary data is not {0} bytes, as declared")]
    Size(u64),
    /// The content exceeds this limit, in bytes.
    #[error("the binary data exceed {0} bytes")]
    TooLarge(u64),
    /// The content exceeds the size of the data by more than this factor.
    #[error("the binary data would expand to more than {0} times their size")]
    RatioExceeded(u64),
    /// The delta applies to content of another size, in bytes.
    #[error("the binary delta is for a file of {expected} bytes, but the file has {found}")]
    Base {
        /// The size that the delta states.
        expected: u64,
        /// The size of the file.
        found: u64,
    },
    /// A delta is damaged.
    #[error("the binary delta is invalid: {0}")]
    Delta(&'static str),
}

/// The postimage of a binary patch, not yet computed.
#[derive(Debug)]
pub struct BinaryPostimage<'p> {
    deflated: Vec<u8>,
    inflated_size: u64,
    /// The preimage that a delta applies to.
    base: Option<&'p [u8]>,
    size: u64,
}

impl<'p> BinaryPostimage<'p> {
    /// Decodes `data`, whose spans refer to `text`. `preimage` is the content of the file.
    ///
    /// # Errors
    ///
    /// Returns [`BinaryError::TooLarge`] or [`BinaryError::Inflated`] if the declared size exceeds
    /// `limits`. Returns [`BinaryError::Base`] if a delta applies to content of another size. Other
    /// errors state the damage.
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
        for (_, line) in Lines::of_span(text, data.body) {
            base85::decode(without_ending(line), &mut deflated).ok_or(BinaryError::Line)?;
        }
        let grown = limits.ratio.saturating_mul(deflated.len() as u64);
        if data.size > grown.max(ALWAYS_ALLOWED_SIZE) {
            return Err(BinaryError::RatioExceeded(limits.ratio));
        }
        let mut postimage = Self {
            deflated,
            inflated_size: data.size,
            base: None,
            size: data.size,
        };
        if data.method == BinaryMethod::Delta {
            postimage.base = Some(preimage);
            postimage.size = postimage.delta().read_sizes(preimage)?;
        }
        if postimage.size > limits.size {
            return Err(BinaryError::TooLarge(limits.size));
        }
        if postimage.size
            > grown
                .saturating_add(postimage.base.map_or(0, |base| base.len() as u64))
                .max(ALWAYS_ALLOWED_SIZE)
        {
            return Err(BinaryError::RatioExceeded(limits.ratio));
        }
        Ok(postimage)
    }

    /// Returns the declared size of the content in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Computes the content and passes it to `take` piece by piece, with bounded memory.
    ///
    /// # Errors
    ///
    /// Returns an error if the data is damaged or does not have the declared size. Some pieces may
    /// already have been passed to `take`.
    pub fn for_each_piece(&self, mut take: impl FnMut(&[u8])) -> Result<(), BinaryError> {
        match self.base {
            None => self.write_literal(&mut take),
            Some(base) => self.delta().apply(base, &mut take),
        }
    }

    /// Computes the content. The memory grows with the output, up to the declared size.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`BinaryPostimage::pieces`].
    pub fn contents(&self) -> Result<Vec<u8>, BinaryError> {
        let mut contents = Vec::new();
        self.for_each_piece(|piece| contents.extend_from_slice(piece))?;
        Ok(contents)
    }

    fn write_literal(&self, take: &mut dyn FnMut(&[u8])) -> Result<(), BinaryError> {
        let mut source = self.inflate();
        loop {
            let piece = source.more()?;
            if piece.is_empty() {
                return source.check_end();
            }
            take(piece);
            let length = piece.len();
            source.consume(length);
        }
    }

    fn delta(&self) -> Delta<'_> {
        Delta(self.inflate())
    }

    fn inflate(&self) -> InflateReader<'_> {
        let decoder = ZlibDecoder::new(self.deflated.as_slice());
        // The limit is one byte more than the declared size. The extra byte reveals surplus data,
        // and reading up to it also checks the end of the stream.
        let bounded = decoder.take(self.inflated_size.saturating_add(1));
        InflateReader {
            source: BufReader::with_capacity(PIECE, bounded),
            size: self.inflated_size,
            left: self.inflated_size,
        }
    }
}

/// The remaining inflated data.
#[derive(Debug)]
struct InflateReader<'d> {
    source: BufReader<std::io::Take<ZlibDecoder<&'d [u8]>>>,
    size: u64,
    left: u64,
}

impl InflateReader<'_> {
    /// Returns some of the next bytes, or an empty slice at the end.
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

    /// Checks at the end of the stream that no data is missing.
    fn check_end(&self) -> Result<(), BinaryError> {
        if self.left == 0 {
            Ok(())
        } else {
            Err(BinaryError::Size(self.size))
        }
    }
}

/// The remaining part of a delta.
struct Delta<'d>(InflateReader<'d>);

impl Delta<'_> {
    /// Reads the head of the delta, checks the size of `base`, and returns the size of the content.
    fn read_sizes(&mut self, base: &[u8]) -> Result<u64, BinaryError> {
        let (expected, found) = (self.read_size()?, base.len() as u64);
        if expected != found {
            return Err(BinaryError::Base { expected, found });
        }
        self.read_size()
    }

    /// Applies the whole delta to `base`.
    fn apply(mut self, base: &[u8], take: &mut dyn FnMut(&[u8])) -> Result<(), BinaryError> {
        let mut left = self.read_sizes(base)?;
        let mut take = |piece: &[u8]| {
            left = left
                .checked_sub(piece.len() as u64)
                .ok_or(BinaryError::Delta("the result is longer than declared"))?;
            take(piece);
            Ok(())
        };
        while !self.0.more()?.is_empty() {
            self.execute_instruction(base, &mut take)?;
        }
        self.0.check_end()?;
        if left > 0 {
            return Err(BinaryError::Delta("the result is shorter than declared"));
        }
        Ok(())
    }

    /// Reads a number of seven bits per byte, least significant first. The highest bit marks that
    /// another byte follows.
    fn read_size(&mut self) -> Result<u64, BinaryError> {
        let mut size = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            size |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(size);
            }
        }
        Err(BinaryError::Delta("a size is incomplete"))
    }

    /// Executes the next copy or insertion.
    fn execute_instruction(
        &mut self,
        base: &[u8],
        take: &mut dyn FnMut(&[u8]) -> Result<(), BinaryError>,
    ) -> Result<(), BinaryError> {
        match self.byte()? {
            // `gitformat-pack(5)` reserves instruction 0.
            0 => Err(BinaryError::Delta("unknown instruction")),
            command if command & 0x80 != 0 => {
                let offset = self.number(command, 4)?;
                let size = self.number(command >> 4, 3)?;
                // A stored size of 0 means 0x10000 bytes (`gitformat-pack(5)`).
                let size = if size == 0 { 0x1_0000 } else { size };
                let piece = offset
                    .checked_add(size)
                    .and_then(|end| base.get(offset..end));
                take(piece.ok_or(BinaryError::Delta(
                    "an instruction copies from beyond the end of the file",
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
                return Err(BinaryError::Delta("the last instruction is incomplete"));
            }
            let piece = &piece[..length.min(piece.len())];
            take(piece)?;
            length -= piece.len();
            let taken = piece.len();
            self.0.consume(taken);
        }
        Ok(())
    }

    /// Reads a number of up to `most` bytes, least significant first. The bits of `present` mark
    /// the bytes that are stored.
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
            .ok_or(BinaryError::Delta("the last instruction is incomplete"))?;
        self.0.consume(1);
        Ok(byte)
    }
}

#[cfg(test)]
mod tests;
