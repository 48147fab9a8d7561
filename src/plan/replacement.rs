//! Replacements of texts. The old text, not a line number, determines the position.

use serde::{Deserialize, Serialize};

use super::SymbolTarget;
use crate::text::Span;

/// The edits of one file. They are applied all together or not at all.
#[derive(Clone, Debug)]
pub struct Replacements {
    /// The edits in their order, at least one.
    pub edits: Vec<Replacement>,
    /// The version of the file that each edit sees.
    pub order: EditOrder,
    /// The tolerance of text matches.
    pub match_mode: MatchMode,
}

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text to replace, or the position of an insertion.
    pub target: EditTarget,
    /// The new text. Its line feeds become the line endings of the surrounding lines.
    pub new: Vec<u8>,
    /// The position in the input.
    pub span: Span,
    /// The index in a list of edits, counted from 0.
    pub index: Option<usize>,
    /// The first line that a block states, counted from 1. Only `--lenient` uses it.
    pub line: Option<usize>,
}

impl Replacements {
    /// Returns edits that all see the file before the change and that must match exactly.
    #[must_use]
    pub fn of(edits: Vec<Replacement>) -> Self {
        Self {
            edits,
            order: EditOrder::Simultaneous,
            match_mode: MatchMode::Exact,
        }
    }
}

impl Replacement {
    /// Returns an edit that is not in a list and has no position in an input.
    #[must_use]
    pub fn of(target: EditTarget, new: impl Into<Vec<u8>>) -> Self {
        Self {
            target,
            new: new.into(),
            span: Span::default(),
            index: None,
            line: None,
        }
    }
}

/// The target of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditTarget {
    /// A text, not empty.
    Text {
        /// The text.
        old: Vec<u8>,
        /// The number of occurrences that are replaced.
        times: ReplaceCount,
    },
    /// One or more whole lines with their terminators, which must occur exactly once. The last line
    /// of the file may lack its terminator.
    Lines(Vec<u8>),
    /// The whole content of an empty or missing file.
    EmptyFile,
    /// Everything from the start of one text to the end of another. Each text must occur exactly
    /// once.
    Range {
        /// The text at the start of the range.
        from: Vec<u8>,
        /// The text at the end of the range.
        to: Vec<u8>,
    },
    /// An insertion of whole lines after this line, counted from 1; 0 is the start of the file.
    After(usize),
    /// An insertion of whole lines before this line, counted from 1.
    Before(usize),
    /// The end of the file.
    End(AppendMode),
    /// A symbol of source code.
    Symbol(Box<SymbolTarget>),
}

/// The number of occurrences of a text that an edit replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplaceCount {
    /// The only occurrence. Several occurrences are ambiguous.
    Once,
    /// All occurrences.
    All,
}

/// The way in which text is appended to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AppendMode {
    /// Appends the bytes without any change.
    Bytes,
    /// Appends the text as separate lines.
    Lines,
}

/// The version of the file that each of several edits sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditOrder {
    /// The file before all edits.
    #[default]
    Simultaneous,
    /// The file after the previous edits.
    Sequential,
}

/// The tolerance of text matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MatchMode {
    /// Compare bytes, but accept different line endings.
    #[default]
    Exact,
    /// Use the strictest rung of the ladder that finds a match.
    Ladder,
    /// As `Ladder`. The new text also gets the indentation of the matched lines.
    Reindented,
}
