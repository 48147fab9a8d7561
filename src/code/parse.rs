//! Parses a text with one grammar and a limited number of steps.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};
use tree_sitter_language::LanguageFn;

use super::Unparsed;

/// The maximum size of a text that is parsed, in bytes.
pub const MAX_SIZE: usize = 1 << 20;
/// The parser reads the text in pieces of this size, in bytes. Within a piece, it reads uncounted.
const PIECE: usize = 256;
/// The number of pieces that the parser can read for each piece of the text. Some scanners read to
/// the end of the text at each token.
const READS: usize = 40;
/// The parser reports progress after 100 operations. Between two reports it usually reads 200 to
/// 500 bytes of real code, and can read this number of bytes on average.
const BYTES_PER_REPORT: usize = 40;
/// The number of reports without progress. An operation in a tree with many open constructs can take
/// 100 kilobytes of memory, so that a limit for the whole text is not enough.
const RESERVE: usize = 200;
/// The number of reports while the parser skips text. Each skipped token takes longer than the one
/// before it.
const SKIPPING: usize = 500;

/// Parses `text` with `grammar`.
pub(super) fn parse(grammar: LanguageFn, text: &str) -> Result<Tree, Unparsed> {
    if text.len() > MAX_SIZE {
        return Err(Unparsed::TooLarge);
    }
    if memchr::memchr(0, text.as_bytes()).is_some() {
        return Err(Unparsed::NotText);
    }
    let mut parser = Parser::new();
    parser
        .set_language(&grammar.into())
        .map_err(|_| Unparsed::NoGrammar)?;
    let steps = Steps::new(text);
    let mut read = |offset: usize, _| {
        steps.count_read();
        let start = if steps.is_within_limits() {
            offset.min(text.len())
        } else {
            // The text ends for the parser, so that a scanner within a long token returns.
            text.len()
        };
        &text.as_bytes()[start..text.len().min(start + PIECE)]
    };
    let mut progress = |state: &ParseState| {
        steps.count_report(state.current_byte_offset(), state.has_error());
        if steps.is_within_limits() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| steps.is_within_limits())
        .ok_or(Unparsed::TooComplex)
}

/// Counts the work of a parser.
struct Steps {
    /// The number of pieces that can still be read.
    reads: Cell<Option<usize>>,
    /// The number of bytes that can still count for reports.
    reserve: Cell<Option<usize>>,
    /// The number of reports that can still occur while text is skipped.
    skipping: Cell<Option<usize>>,
    /// The largest offset that the parser has reached.
    reached: Cell<usize>,
    /// The offset at which the parser starts to balance the tree, which takes many operations. Then
    /// it is the end of the address space.
    end: Cell<usize>,
}

impl Steps {
    fn new(text: &str) -> Self {
        Self {
            reads: Cell::new(Some(1000 + READS * (text.len() / PIECE + 1))),
            reserve: Cell::new(Some(RESERVE * BYTES_PER_REPORT)),
            skipping: Cell::new(Some(SKIPPING)),
            reached: Cell::new(0),
            end: Cell::new(text.trim_end().len().saturating_sub(8)),
        }
    }

    fn count_read(&self) {
        let left = self.reads.get().and_then(|left| left.checked_sub(1));
        self.reads.set(left);
    }

    /// Counts a report of the parser at `offset`. Progress restores the reserve.
    fn count_report(&self, offset: usize, is_skipping: bool) {
        if is_skipping {
            let left = self.skipping.get().and_then(|left| left.checked_sub(1));
            self.skipping.set(left);
        }
        let progress = offset.saturating_sub(self.reached.get());
        self.reached.set(offset.max(self.reached.get()));
        let left = self.reserve.get().and_then(|left| {
            // The reserve is larger while the tree is balanced.
            let restored = (left + progress).min(left.max(RESERVE * BYTES_PER_REPORT));
            restored.checked_sub(BYTES_PER_REPORT)
        });
        let is_at_end = offset >= self.end.get();
        self.reserve
            .set(left.map(|left| if is_at_end { left + offset } else { left }));
        if is_at_end {
            self.end.set(usize::MAX);
        }
    }

    fn is_within_limits(&self) -> bool {
        self.reads.get().is_some() && self.reserve.get().is_some() && self.skipping.get().is_some()
    }
}
