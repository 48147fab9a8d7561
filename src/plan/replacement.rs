//! Changes of texts that are found by themselves, wherever they stand.

use serde::{Deserialize, Serialize};

use crate::text::Span;

/// Changes of one file, all of them or none.
#[derive(Clone, Debug)]
pub struct Replacements {
    /// The changes in their order, at least one.
    pub edits: Vec<Replacement>,
    /// What each of them sees.
    pub order: EditOrder,
    /// How closely texts have to fit.
    pub closeness: Closeness,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What goes, or where something comes.
    pub target: Target,
    /// What comes. Its line feeds become the line ends of the place.
    pub new: Vec<u8>,
    /// Where it stands in the input.
    pub span: Span,
    /// Its place in a list of changes, counted from 0.
    pub index: Option<usize>,
    /// The line that a block says it begins at, counted from 1; only `--lenient` uses it.
    pub line: Option<usize>,
}

impl Replacements {
    /// Returns changes that all see the file as it was, and whose texts have to fit exactly.
    #[must_use]
    pub fn of(edits: Vec<Replacement>) -> Self {
        Self {
            edits,
            order: EditOrder::AtOnce,
            closeness: Closeness::Exact,
        }
    }
}

impl Replacement {
    /// Returns the change that puts `new` to `target`, which is alone and stands in no text.
    #[must_use]
    pub fn of(target: Target, new: impl Into<Vec<u8>>) -> Self {
        Self {
            target,
            new: new.into(),
            span: Span::default(),
            index: None,
            line: None,
        }
    }
}

/// What a change is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A text, not empty.
    Text {
        /// The text.
        old: Vec<u8>,
        /// How often it is there.
        times: Times,
    },
    /// Whole lines, at least one and each with its terminator, which are there once. The last line
    /// of the file is whole without one.
    Lines(Vec<u8>),
    /// All of a file that is empty, or not there.
    Nothing,
    /// All from one text up to the end of another one, each of which is there once.
    Range {
        /// The first.
        from: Vec<u8>,
        /// The last.
        to: Vec<u8>,
    },
    /// Whole lines behind this one, counted from 1; 0 for the start of the file.
    After(usize),
    /// Whole lines before this one, counted from 1.
    Before(usize),
    /// The end of the file.
    End(Ending),
}

/// How often a text has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Times {
    /// In one place, which is unmistakable.
    Once,
    /// Anywhere, and all of it is meant.
    Every,
}

/// How something comes to the end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// Byte for byte.
    Bytes,
    /// As lines of its own.
    Lines,
}

/// What each of several changes sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditOrder {
    /// The file as it was.
    #[default]
    AtOnce,
    /// The file as the ones before left it.
    InTurn,
}

/// How closely a text has to fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Closeness {
    /// Byte for byte, but for line ends.
    #[default]
    Exact,
    /// As closely as it does somewhere.
    Ladder,
    /// The same, and what comes gets the indentation that is there.
    Reindented,
}
