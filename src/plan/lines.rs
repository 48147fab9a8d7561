//! Changes of lines that are named by their numbers in a version of a file, which a tag names.

use std::sync::Arc;

use crate::text::tag::Tag;
use crate::text::{Bytes, Span};

/// Changes of one file, all of them or none. Every number means the file as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdits {
    /// The version that the numbers are of; any other is stale.
    pub tag: Tag,
    /// Earlier versions of the file that have this tag, where the numbers may be those of one.
    pub earlier: Vec<Arc<Bytes>>,
    /// The changes in their order; none where the file only goes or moves.
    pub edits: Vec<LineEdit>,
    /// What a forgiving reader mended, each with its place in the input.
    pub repairs: Vec<(&'static str, Span)>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// What goes, or where something comes.
    pub target: LineTarget,
    /// What comes.
    pub new: NewLines,
    /// Lines that are said to go, without terminators; they have to be among those that do.
    pub gone: Vec<Vec<u8>>,
    /// Where it stands in the input.
    pub span: Span,
}

/// What a change is about. Lines are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineTarget {
    /// These lines.
    Lines(NumberedLines),
    /// The place before this line.
    Before(usize),
    /// The place behind this line.
    After(usize),
    /// The end of the file.
    End,
}

impl LineTarget {
    /// Returns the same so many lines further on.
    #[must_use]
    pub fn moved(self, by: isize) -> Self {
        let moved = |line: usize| line.saturating_add_signed(by);
        match self {
            Self::Lines(lines) => Self::Lines(NumberedLines {
                first: moved(lines.first),
                last: moved(lines.last),
            }),
            Self::Before(line) => Self::Before(moved(line)),
            Self::After(line) => Self::After(moved(line)),
            Self::End => Self::End,
        }
    }
}

/// A run of lines, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NumberedLines {
    /// The first, counted from 1.
    pub first: usize,
    /// The last, which is part of it.
    pub last: usize,
}

/// What comes to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewLines {
    /// Nothing.
    Nothing,
    /// Lines without terminators; they get those of the place.
    Given(Vec<Vec<u8>>),
    /// Lines that another change takes away.
    Cut {
        /// The operation of that change: the start of its span, in the same input.
        operation: usize,
        /// The lines, as its file was.
        lines: NumberedLines,
    },
}

impl LineEdits {
    /// Returns the operations whose files have lines that come to this one, as [`NewLines::Cut`]
    /// names them.
    pub fn sources(&self) -> impl Iterator<Item = usize> {
        self.edits.iter().filter_map(|edit| match edit.new {
            NewLines::Cut { operation, .. } => Some(operation),
            NewLines::Nothing | NewLines::Given(_) => None,
        })
    }
}
