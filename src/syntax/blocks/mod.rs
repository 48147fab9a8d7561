//! SEARCH/REPLACE blocks, as models write them: a path line, then the old lines and the new lines.
//!
//! ```text
//! src/a.txt
//! <<<<<<< SEARCH
//! old
//! =======
//! new
//! >>>>>>> REPLACE
//! ```
//!
//! Prose can surround the blocks, and Markdown fences can surround each block. Text that almost has
//! the form of a block is an error, because ignoring it as prose would silently drop a change. Read
//! this file first; `reader.rs` recognises the markers and `path.rs` the path line.

mod path;
mod reader;
#[cfg(test)]
mod tests;

use reader::{BlockHalf, LineCursor, Marker, parse_marker};

use super::{
    Options, Sections, Syntax, SyntaxError, SyntaxErrorKind, UnnamedHandling, content_span,
};
use crate::plan::{
    Action, Edit, EditOrder, EditTarget, MatchMode, Name, Replacement, Replacements,
};
use crate::syntax::writers::{self, PatchChange, WriteError};
use crate::text::Span;

const PATH: SyntaxErrorKind =
    SyntaxErrorKind::Expected("a file path on its own line before the block");
const SEARCH: SyntaxErrorKind = SyntaxErrorKind::Expected("`<<<<<<< SEARCH` with seven `<`");
const DIVIDER: SyntaxErrorKind =
    SyntaxErrorKind::Expected("exactly one `=======` between the old and the new lines");
const REPLACE: SyntaxErrorKind = SyntaxErrorKind::Expected("`>>>>>>> REPLACE`");

/// The grammar of SEARCH/REPLACE blocks.
pub(super) struct Blocks;

impl Syntax for Blocks {
    fn name(&self) -> &'static str {
        "blocks"
    }

    fn formats(&self) -> &'static [&'static str] {
        &["blocks"]
    }

    fn grammar(&self) -> &'static str {
        include_str!("../../../grammar/blocks.lark")
    }

    fn can_contain_prose(&self) -> bool {
        true
    }

    /// Also finds lines that only resemble a marker, so that [`Blocks::parse`] can reject them.
    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let opening = reader::find_marker(text, from, text.len(), b'<', Marker::is_opening);
        let closing = reader::find_marker(
            text,
            from,
            opening.unwrap_or(text.len()),
            b'>',
            Marker::is_closing,
        );
        // A closing marker above the first opening marker ends a block whose start was not
        // recognised.
        closing.or_else(|| {
            opening.map(|at| path::find_path_line(text, from, at).map_or(at, |line| line.start))
        })
    }

    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError> {
        let first = content_span(text, from);
        match parse_marker(first.slice(text)) {
            None => {}
            Some(Marker::Search) if options.unnamed == UnnamedHandling::Blocks => {}
            Some(Marker::Search) => return Err(SyntaxError::new(PATH, first)),
            Some(_) => return Err(SyntaxError::new(SEARCH, first)),
        }
        let mut reader = LineCursor::new(text, from);
        let is_nameless = reader.is_before(Marker::Search);
        if !is_nameless {
            reader.next();
            reader.skip_blanks_and_fences();
        }
        let start = reader.offset();
        let name = if is_nameless {
            Some(Name::Unnamed(first))
        } else {
            path::parse_name(text, first, start)
        };
        let name = name.ok_or_else(|| SyntaxError::new(PATH, first))?;
        let mut edits = Vec::new();
        let mut end = start;
        while edits.is_empty() || reader.is_before(Marker::Search) {
            options.allow_hunks(sections.hunks + 1, reader.place())?;
            edits.push(read_block(&mut reader, sections.hunks, options)?);
            sections.hunks += 1;
            end = reader.offset();
            reader.skip_blanks_and_fences();
        }
        // For a block without old lines, an empty file is like a missing one.
        let is_creation = matches!(
            edits.first(),
            Some(Replacement {
                target: EditTarget::EmptyFile,
                ..
            })
        );
        let changes = Replacements {
            edits,
            order: EditOrder::Sequential,
            match_mode: MatchMode::Exact,
        };
        let operation = sections.push(
            Action::Modify,
            name,
            Edit::Replacements(Box::new(changes)),
            Span::new(start, end),
        );
        operation.distinguishes_missing = !is_creation;
        sections.step += 1;
        Ok(end)
    }

    fn write(&self, changes: &[PatchChange<'_>], _: usize) -> Result<Vec<u8>, WriteError> {
        writers::write_blocks(changes)
    }
}

/// Reads the next block. `index` is the number of blocks before it.
fn read_block(
    reader: &mut LineCursor<'_>,
    index: usize,
    options: Options,
) -> Result<Replacement, SyntaxError> {
    let start = reader.offset();
    let is_crlf = match reader.peek() {
        Some(line) if parse_marker(line.content) == Some(Marker::Search) => line.is_crlf,
        _ => return Err(SyntaxError::new(SEARCH, reader.place())),
    };
    reader.next();
    let line = if options.lenient {
        reader.skip_line_numbers()
    } else {
        None
    };
    let old = read_half(reader, is_crlf, Marker::Divider, DIVIDER)?;
    let new = read_half(reader, is_crlf, Marker::Replace, REPLACE)?;
    let target = if old.is_empty() {
        EditTarget::EmptyFile
    } else {
        EditTarget::Lines(old)
    };
    Ok(Replacement {
        target,
        new,
        span: Span::new(start, reader.offset()),
        index: Some(index),
        line,
    })
}

/// Reads the lines up to and including the marker `last`. Any other marker among them is an error,
/// because it makes the block ambiguous.
fn read_half(
    reader: &mut LineCursor<'_>,
    is_crlf: bool,
    last: Marker,
    wanted: SyntaxErrorKind,
) -> Result<Vec<u8>, SyntaxError> {
    let mut part = BlockHalf::new(is_crlf);
    while let Some(line) = reader.peek() {
        match parse_marker(line.content) {
            Some(found) if found == last => {
                reader.next();
                return Ok(part.into_bytes());
            }
            Some(Marker::Divider) => return Err(SyntaxError::new(DIVIDER, reader.place())),
            Some(Marker::Search | Marker::Replace) => {
                return Err(SyntaxError::new(wanted, reader.place()));
            }
            Some(Marker::NearSearch | Marker::NearReplace) | None => part.push(line.whole),
        }
        reader.next();
    }
    Err(SyntaxError::new(wanted, reader.place()))
}
