//! Parses the bytes of a patch into a plan.
//!
//! The input is one text, and the output is a `Plan<Name>` or the first [`SyntaxError`]. Each
//! grammar is a type that implements [`Syntax`], in a file of its own. The table [`SYNTAXES`] lists
//! them. [`parse()`] decodes mail, then searches for the next section of any grammar and lets that
//! grammar read it, up to the end of the text.
//!
//! These invariants hold:
//!
//! - The parsers read no files. The same text and options give the same plan.
//! - Spans refer to the decoded text.
//!   [`Input::original_offset`](crate::plan::Input::original_offset) converts them to offsets in
//!   the original input.
//! - A malformed section is an error, because a patch is applied as a whole or not at all.
//!
//! Read `parse.rs` first, then `reader.rs`, then `unified.rs` as an example of a grammar.
//!
//! To add a grammar, write `syntax/<name>.rs`, a row of [`SYNTAXES`], `grammar/<name>.lark` and
//! `fixtures/<name>/`. A grammar of JSON documents has a JSON Schema instead of the `.lark` file.

mod base85;
mod binary;
mod blocks;
mod codex;
mod context;
mod edges;
mod error;
mod git;
mod hashline;
mod headings;
mod hunks;
mod json;
mod lead;
mod line_diff;
mod literal;
pub mod mail;
mod message;
mod names;
mod normal;
mod not_included;
mod options;
mod parse;
mod quilt;
mod quoted;
mod reader;
mod recount;
mod sections;
mod series;
mod stamp;
#[cfg(test)]
pub(crate) mod testing;
mod unified;
pub(crate) mod unsupported;
pub mod write;
pub mod writers;

pub use binary::{BinaryError, BinaryLimits, BinaryPostimage};
pub use error::{
    Compression, MalformedPatch, SyntaxError, SyntaxErrorKind, UnicodeEncoding, UnsupportedFormat,
};
pub(crate) use hashline::is_header as is_hashline_header;
pub(crate) use hunks::is_mail_signature;
pub use json::{EditList, parse_edits};
pub use line_diff::WhitespaceComparison;
pub use mail::MailError;
pub(crate) use message::{find_patch_after, is_patch_start};
pub(crate) use not_included::find_in_damaged;
pub use options::{Options, TruncationHandling, UnnamedHandling};
pub use parse::{decode_input, parse};
pub use quilt::parse_list;
pub(crate) use quoted::unquote;
pub use quoted::{Quoting, quote};
pub use sections::Sections;
pub(crate) use series::is_from_line;
pub use unsupported::detect_compression;

use crate::text::{Lines, Span, without_ending};
pub(crate) use writers::put_hunk_body;
use writers::{PatchChange, PatchHunk, WriteError};

/// All grammars, most specific first. If two sections start at the same offset, the first grammar
/// in this table reads it.
pub const SYNTAXES: &[&dyn Syntax] = &[
    &json::Json,
    &hashline::Hashline,
    &codex::Codex,
    &blocks::Blocks,
    &git::Git,
    &context::Context,
    &normal::Normal,
    &unified::Unified,
];

/// One grammar.
pub trait Syntax: Sync {
    /// Returns the name of the grammar in reports.
    fn name(&self) -> &'static str;

    /// Returns the values of `--format` that select the grammar. They include its name.
    fn formats(&self) -> &'static [&'static str];

    /// Returns the formal grammar that `wpatch grammar` prints.
    fn grammar(&self) -> &'static str;

    /// Returns whether other text may precede, separate and follow the sections, like the text of a
    /// mail around a diff.
    fn can_contain_prose(&self) -> bool {
        self.is_diff()
    }

    /// Returns whether diff programs write this format. If so, lines between the sections can name
    /// changes without their content (`Only in b: x`).
    fn is_diff(&self) -> bool {
        false
    }

    /// Returns whether `git apply` reads this format. A section of such a grammar can be parsed
    /// from any offset.
    fn is_read_by_git(&self) -> bool {
        false
    }

    /// Returns whether the format states names, modes and lines exactly, like git's own diffs.
    fn is_exact(&self) -> bool {
        false
    }

    /// Returns whether the first column of each hunk line is its sign.
    fn has_sign_column(&self) -> bool {
        self.is_read_by_git()
    }

    /// Returns whether `--lenient` reads damaged sections as hunks. Other grammars have separate
    /// repairs.
    fn has_lenient_hunks(&self) -> bool {
        self.is_diff()
    }

    /// Returns whether `--summary` prints a letter for each file, as Codex does.
    fn has_letter_summary(&self) -> bool {
        false
    }

    /// Returns whether the first line of a section can end the text of a message in which `git am`
    /// reads no patch.
    fn can_end_message(&self) -> bool {
        false
    }

    /// Returns whether the sections name their files. Prose can quote a section without a name.
    /// Such a section therefore counts only below a line that names a file, or if the text contains
    /// no other grammar.
    fn has_file_names(&self) -> bool {
        true
    }

    /// Returns byte strings, at least one of which occurs in every text with a section. A text
    /// without any of them is rejected without a search. An empty list makes no statement.
    fn required_markers(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the start of the first section at or after `from`, or `None`. `from` must be the
    /// start of a line.
    ///
    /// The time is linear in the number of bytes before the result.
    fn find(&self, text: &[u8], from: usize) -> Option<usize>;

    /// Reads the section that [`Syntax::find`] found at `from` and returns the start of the line
    /// after it.
    ///
    /// # Errors
    ///
    /// Returns the first error in the section.
    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError>;

    /// Writes changes in this grammar, with `context` context lines where the contents are known.
    ///
    /// # Errors
    ///
    /// Returns the first change that the grammar cannot express.
    #[doc(hidden)]
    fn write(&self, changes: &[PatchChange<'_>], context: usize) -> Result<Vec<u8>, WriteError>;

    /// Writes one hunk without the header of its file. Returns `None` if the hunks of the grammar
    /// have no line numbers.
    #[doc(hidden)]
    fn write_hunk(&self, _hunk: &PatchHunk<'_>) -> Option<Vec<u8>> {
        None
    }
}

/// Returns the grammars that the value `format` of `--format` selects. `auto` selects all, an
/// unknown value none.
#[must_use]
pub fn select_syntaxes(format: &str) -> Vec<&'static dyn Syntax> {
    let is_chosen = |syntax: &&&dyn Syntax| format == "auto" || syntax.formats().contains(&format);
    SYNTAXES.iter().filter(is_chosen).copied().collect()
}

/// Returns the grammar named `name`.
#[must_use]
pub fn find_syntax(name: &str) -> Option<&'static dyn Syntax> {
    SYNTAXES
        .iter()
        .copied()
        .find(|syntax| syntax.name() == name)
}

/// Returns the span of the line at `offset` without its terminator. At the end of the text it is
/// empty.
fn content_span(text: &[u8], offset: usize) -> Span {
    let line = Lines::of_span(text, Span::new(offset, text.len()))
        .peek()
        .unwrap_or_default();
    Span::new(offset, offset + without_ending(line).len())
}

/// Returns the start of the first line at or after `from` for which `is_start` returns `true`.
fn find_line(text: &[u8], from: usize, is_start: impl Fn(Lines<'_>) -> bool) -> Option<usize> {
    let mut lines = Lines::of_span(text, Span::new(from, text.len()));
    while !is_start(lines.clone()) {
        lines.next()?;
    }
    Some(lines.offset())
}

/// Rejects any text except white space between `start` and `end`.
fn refuse_prose(text: &[u8], start: usize, end: usize) -> Result<(), SyntaxError> {
    let between = &text[start..end];
    let Some(first) = between.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return Ok(());
    };
    let line = memchr::memchr(b'\n', &between[first..]).unwrap_or(between.len() - first);
    let span = Span::new(start + first, start + first + line);
    Err(SyntaxError::new(
        SyntaxErrorKind::Expected("only the patch"),
        span,
    ))
}
