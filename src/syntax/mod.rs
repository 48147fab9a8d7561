//! From bytes to a plan: one file for each grammar, a table of them, and detection by content.
//!
//! To add a grammar, write `syntax/<name>.rs`, a row of [`SYNTAXES`], `grammar/<name>.lark` (a JSON
//! Schema for one of JSON documents) and `fixtures/<name>/`.

mod base85;
mod binary;
mod blocks;
mod codex;
mod context;
mod edges;
mod error;
pub(crate) mod foreign;
mod git;
mod hashline;
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
pub mod write;

pub use binary::{BinaryError, BinaryLimits, BinaryPostimage};
pub use error::{Broken, Foreign, SyntaxError, SyntaxErrorKind};
pub(crate) use hashline::is_header as is_hashline_header;
pub(crate) use hunks::is_mail_signature;
pub use json::{EditList, edits};
pub use mail::MailError;
pub(crate) use message::{begins_patch, patch_after};
pub(crate) use not_included::find_in_damaged;
pub use options::{Options, Truncated, Unnamed};
pub use parse::{opened, parse};
pub use quilt::{listed, packed};
pub(crate) use quoted::unquote;
pub use quoted::{Quoting, quote};
pub use sections::Sections;
pub(crate) use series::is_from_line;

use crate::text::{Lines, Span, without_ending};

/// Every grammar, most specific first: of two that start at one place the first takes it.
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
    /// Its name, as reports have it.
    fn name(&self) -> &'static str;

    /// The words of `--format` that choose it, its name among them.
    fn formats(&self) -> &'static [&'static str];

    /// Its formal grammar, as `wpatch grammar` prints it.
    fn grammar(&self) -> &'static str;

    /// Returns whether any text may stand before, between and behind its sections, as mail does
    /// around a diff.
    fn takes_prose(&self) -> bool {
        self.is_diff()
    }

    /// Returns whether programs that compare trees write it, so that lines between its sections may
    /// name changes that it cannot express (`Only in b: x`).
    fn is_diff(&self) -> bool {
        false
    }

    /// Returns whether `git apply` reads it. A section of these grammars can be parsed from any
    /// offset.
    fn is_read_by_git(&self) -> bool {
        false
    }

    /// Returns whether it is exact about names, modes and lines, as git's own diffs are.
    fn is_exact(&self) -> bool {
        false
    }

    /// Returns whether the first column of each line of a hunk is its sign.
    fn has_sign_column(&self) -> bool {
        self.is_read_by_git()
    }

    /// Returns whether `--lenient` reads damaged sections as hunks. Other grammars have repairs of
    /// their own.
    fn has_lenient_hunks(&self) -> bool {
        self.is_diff()
    }

    /// Returns whether `--summary` prints a letter for each file, as Codex does.
    fn has_letter_summary(&self) -> bool {
        false
    }

    /// Returns whether its first line can end the text of a message, where `git am` reads no patch.
    fn can_end_message(&self) -> bool {
        false
    }

    /// Returns whether its sections name their files. Others are sections only below a line that
    /// does, or where the text has nothing else: prose may quote them.
    fn names_files(&self) -> bool {
        true
    }

    /// Byte strings of which every text that has a section has one, for others to be told fast;
    /// none where nothing is known of that.
    fn marks(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns where the first section at or after `from`, the start of a line, begins; `None` if
    /// there is none.
    ///
    /// Linear in the bytes up to there.
    fn find(&self, text: &[u8], from: usize) -> Option<usize>;

    /// Reads the section that [`Syntax::find`] found at `from` and returns where the next line
    /// starts.
    ///
    /// # Errors
    ///
    /// Returns the first mistake.
    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError>;
}

/// Returns the grammars that the word `format` of `--format` chooses: all for `auto`, none for an
/// unknown word.
#[must_use]
pub fn chosen(format: &str) -> Vec<&'static dyn Syntax> {
    let is_chosen = |syntax: &&&dyn Syntax| format == "auto" || syntax.formats().contains(&format);
    SYNTAXES.iter().filter(is_chosen).copied().collect()
}

/// Returns the grammar with the name `name`.
#[must_use]
pub fn find_syntax(name: &str) -> Option<&'static dyn Syntax> {
    SYNTAXES
        .iter()
        .copied()
        .find(|syntax| syntax.name() == name)
}

/// Returns the line that starts at `offset`, without its terminator; empty at the end of the text.
fn content_span(text: &[u8], offset: usize) -> Span {
    let line = Lines::within(text, Span::new(offset, text.len()))
        .peek()
        .unwrap_or_default();
    Span::new(offset, offset + without_ending(line).len())
}

/// Returns where the first line at or after `from` starts for which `is_start` returns `true`.
fn find_line(text: &[u8], from: usize, is_start: impl Fn(Lines<'_>) -> bool) -> Option<usize> {
    let mut lines = Lines::within(text, Span::new(from, text.len()));
    while !is_start(lines.clone()) {
        lines.next()?;
    }
    Some(lines.offset())
}

fn refuse_prose(text: &[u8], start: usize, end: usize) -> Result<(), SyntaxError> {
    let between = &text[start..end];
    let Some(first) = between.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return Ok(());
    };
    let line = memchr::memchr(b'\n', &between[first..]).unwrap_or(between.len() - first);
    let span = Span::new(start + first, start + first + line);
    Err(SyntaxError::new(
        SyntaxErrorKind::Expected("nothing but the patch"),
        span,
    ))
}
