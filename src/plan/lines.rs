//! Edits of numbered lines in a tagged version of a file.

use std::sync::Arc;

use crate::text::tag::HashlineTag;
use crate::text::{Bytes, Span};

/// The edits of one file. They are applied all together or not at all. All line numbers refer to
/// the file before the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdits {
    /// The tag of the version that the line numbers refer to. Any other version is stale.
    pub tag: HashlineTag,
    /// Earlier versions of the file with the same tag. The line numbers can refer to one of them.
    pub earlier: Vec<Arc<Bytes>>,
    /// The edits in their order. The list is empty if the file is only deleted or renamed.
    pub edits: Vec<LineEdit>,
    /// The codes of the repairs in lenient mode, each with its position in the input.
    pub repairs: Vec<(&'static str, Span)>,
}

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// The lines to replace, or the position of an insertion.
    pub target: LineTarget,
    /// The new lines.
    pub new: NewLines,
    /// Lines without terminators that the input shows as deleted. They must occur in this order
    /// among the lines of the target.
    pub expected: Vec<Vec<u8>>,
    /// The position in the input.
    pub span: Span,
}

/// The target of an edit. Lines are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineTarget {
    /// These lines.
    Lines(NumberedLines),
    /// The position before this line.
    Before(usize),
    /// The position after this line.
    After(usize),
    /// The end of the file.
    End,
    /// The construct of source code that begins on this line.
    Construct(usize),
    /// The position after the construct that begins on this line.
    AfterConstruct(usize),
}

impl LineTarget {
    /// Returns the target with `by` added to its line numbers.
    #[must_use]
    pub fn offset_by(self, by: isize) -> Self {
        let moved = |line: usize| line.saturating_add_signed(by);
        match self {
            Self::Lines(lines) => Self::Lines(NumberedLines {
                first: moved(lines.first),
                last: moved(lines.last),
            }),
            Self::Before(line) => Self::Before(moved(line)),
            Self::After(line) => Self::After(moved(line)),
            Self::End => Self::End,
            Self::Construct(line) => Self::Construct(moved(line)),
            Self::AfterConstruct(line) => Self::AfterConstruct(moved(line)),
        }
    }
}

/// A non-empty range of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NumberedLines {
    /// The first line, counted from 1.
    pub first: usize,
    /// The last line, inclusive.
    pub last: usize,
}

/// The new lines of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewLines {
    /// No lines.
    Nothing,
    /// Lines without terminators. They get the line ending at the target.
    Given(Vec<Vec<u8>>),
    /// Lines that another edit removes.
    Cut {
        /// The operation of that edit, named by the start of its span in the same input.
        operation: usize,
        /// The lines in the file of that operation, before the change.
        lines: NumberedLines,
    },
    /// The construct that another edit removes, whose target is a [`LineTarget::Construct`].
    CutConstruct {
        /// The operation of that edit, named by the start of its span in the same input.
        operation: usize,
        /// The first line of the construct.
        line: usize,
    },
}

impl LineEdits {
    /// Returns the operations from which lines are moved into this file, as named by
    /// [`NewLines::Cut`] and [`NewLines::CutConstruct`].
    pub fn sources(&self) -> impl Iterator<Item = usize> {
        self.edits.iter().filter_map(|edit| match edit.new {
            NewLines::Cut { operation, .. } | NewLines::CutConstruct { operation, .. } => {
                Some(operation)
            }
            NewLines::Nothing | NewLines::Given(_) => None,
        })
    }
}
