//! Hunks: the anchor, the line ranges and the lines of one contiguous change.

mod line_selection;

use std::sync::LazyLock;
use std::{fmt, iter};

use memchr::memmem::Finder;

use crate::text::{LineEnding, Lines, Span, count_lines, without_ending};

pub use line_selection::LineSelection;
pub(super) use line_selection::LineSelectionError;
use line_selection::SelectedLine;

/// One contiguous change with its context. A hunk holds spans of the patch, not copies of its text.
#[derive(Clone, Debug)]
pub struct Hunk {
    /// The way in which the hunk names its position in the file.
    pub anchor: Anchor,
    /// The header and the body.
    pub span: Span,
    /// The header line without its terminator. If there is no header, the span is empty at the
    /// start of the hunk.
    pub header: Span,
    /// The lines with their markers.
    pub body: Span,
    /// The preimage range of the header. In a grammar without counts, the count is the number of
    /// lines in the body. The body contains exactly this number of preimage lines.
    pub old: LineRange,
    /// The postimage range. The body contains exactly this number of postimage lines.
    pub new: LineRange,
    /// The text after the second `@@`.
    pub section: Span,
    /// The lines that apply, if not all changes of the hunk are selected. The ranges above then
    /// describe these lines, and `body` still contains all lines.
    pub selection: Option<LineSelection>,
}

/// A range of lines as in a hunk header. The start line is counted from 1. It is 0 for an empty
/// range at the start of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineRange {
    /// First line.
    pub start: usize,
    /// Number of lines.
    pub count: usize,
}

impl fmt::Display for LineRange {
    /// Writes the range as in the header of a unified hunk.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "{}", self.start),
            count => write!(f, "{},{count}", self.start),
        }
    }
}

/// The way in which a hunk names its position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Anchor {
    /// The line numbers of the header.
    Line,
    /// The line numbers of the header, in a grammar without context lines.
    Bare,
    /// Headings. The hunk is below the lines that contain these texts. The search for each text
    /// starts at the place of the previous text.
    Headings {
        /// The texts, without `@@` and terminator.
        headings: Box<[Span]>,
        /// Whether the last line of the hunk must be the last line of the file.
        at_end: bool,
    },
}

impl Anchor {
    /// Returns whether the anchor is a line number.
    #[must_use]
    pub fn is_numbered(&self) -> bool {
        matches!(self, Self::Line | Self::Bare)
    }
}

/// The direction in which a hunk is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Direction {
    /// From preimage to postimage.
    #[default]
    Forward,
    /// From postimage to preimage: deletions become insertions and insertions become deletions.
    Reverse,
}

impl Direction {
    /// Combines two directions: two equal directions give `Forward`, two different ones `Reverse`.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        if self == other {
            Self::Forward
        } else {
            Self::Reverse
        }
    }
}

/// The three kinds of line in a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineKind {
    /// A line of the preimage and the postimage.
    Context,
    /// A line of the preimage only.
    Deletion,
    /// A line of the postimage only.
    Insertion,
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkLine<'a> {
    /// The kind of the line.
    pub kind: LineKind,
    /// The text without its marker. It includes the terminator, unless the patch marks it as
    /// missing.
    pub text: &'a [u8],
    /// The line in the patch, with marker and terminator.
    pub span: Span,
    /// Index of the line in the body, counted from 0. Notes about missing newlines count, too.
    pub index: usize,
}

impl Hunk {
    /// Returns the lines of the hunk. `text` must be the input that the spans of the hunk refer to.
    #[must_use]
    pub fn lines<'a>(&self, text: &'a [u8], direction: Direction) -> HunkLines<'a> {
        HunkLines {
            lines: Lines::of_span(text, self.body),
            next: 0,
            direction,
            selection: self.selection.clone(),
        }
    }

    /// Returns the kind and the number of the lines if one side of the hunk is empty. The result
    /// follows from the header, so the body is not read.
    pub(crate) fn single_line_kind(
        &self,
        text: &[u8],
        direction: Direction,
    ) -> Option<(LineKind, usize)> {
        let found = match (
            self.preimage_range(direction).count,
            self.postimage_range(direction).count,
        ) {
            (0, count @ 1..) => (LineKind::Insertion, count),
            (count @ 1.., 0) => (LineKind::Deletion, count),
            _ => return None,
        };
        debug_assert!(
            self.lines(text, direction)
                .map(|line| line.kind)
                .eq(iter::repeat_n(found.0, found.1)),
            "{self:?}"
        );
        Some(found)
    }

    /// Returns the numbers of added and removed lines.
    fn count_changes(&self, text: &[u8], direction: Direction) -> (usize, usize) {
        let count = || {
            let kinds = self.lines(text, direction).map(|line| line.kind);
            kinds.fold((0, 0), |(added, removed), kind| match kind {
                LineKind::Insertion => (added + 1, removed),
                LineKind::Deletion => (added, removed + 1),
                LineKind::Context => (added, removed),
            })
        };
        let body = self.body.slice(text);
        if self.selection.is_some() || has_newline_note(body) {
            return count();
        }
        // The body consists of the preimage and the added lines, and also of the postimage and the
        // removed lines. Counting newlines takes less time than reading the markers.
        let lines = count_lines(body);
        let added = lines.saturating_sub(self.preimage_range(direction).count);
        let removed = lines.saturating_sub(self.postimage_range(direction).count);
        debug_assert_eq!((added, removed), count(), "{self:?}");
        (added, removed)
    }

    /// Returns an upper bound for the number of lines on either side. The bound is the larger count
    /// in the header, or the size of the body if that is smaller: each line has at least one byte.
    pub(crate) fn max_lines(&self) -> usize {
        self.old
            .count
            .max(self.new.count)
            .min(self.body.end - self.body.start)
    }

    /// Returns the preimage range of the header in `direction`.
    #[must_use]
    pub fn preimage_range(&self, direction: Direction) -> LineRange {
        match direction {
            Direction::Forward => self.old,
            Direction::Reverse => self.new,
        }
    }

    /// Returns the postimage range of the header in `direction`.
    #[must_use]
    pub fn postimage_range(&self, direction: Direction) -> LineRange {
        match direction {
            Direction::Forward => self.new,
            Direction::Reverse => self.old,
        }
    }
}

/// Returns the numbers of lines that `hunks` add and remove.
pub(crate) fn count_changes<'a>(
    hunks: impl Iterator<Item = &'a Hunk>,
    text: &[u8],
    direction: Direction,
) -> (usize, usize) {
    hunks
        .map(|hunk| hunk.count_changes(text, direction))
        .fold((0, 0), |(added, removed), hunk| {
            (added + hunk.0, removed + hunk.1)
        })
}

/// Returns whether the body contains a line that starts with `\`. Such a line is a note about the
/// line before it.
pub(crate) fn has_newline_note(body: &[u8]) -> bool {
    // The searcher is built once, because building it takes longer than searching one hunk.
    static NOTE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"\n\\"));
    body.starts_with(b"\\") || NOTE.find(body).is_some()
}

/// The lines of a hunk without their markers. [`Hunk::lines`] returns this iterator.
///
/// An empty line is a blank context line, as GNU patch and mail programs write it. A line that
/// starts with `\` removes the terminator of the line before it. The text after the `\` is not
/// read.
#[derive(Clone, Debug)]
pub struct HunkLines<'a> {
    /// The rest of the body; the whole body if there is a selection.
    lines: Lines<'a>,
    /// Index of the next line in the selection, or otherwise in the body.
    next: usize,
    direction: Direction,
    selection: Option<LineSelection>,
}

impl<'a> Iterator for HunkLines<'a> {
    type Item = HunkLine<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = match &self.selection {
            None => next_line(&mut self.lines, &mut self.next)?,
            Some(selection) => {
                let SelectedLine {
                    start,
                    mut index,
                    kind,
                } = selection.line(self.next)?;
                self.next += 1;
                let line = next_line(&mut self.lines.starting_at(start), &mut index)?;
                HunkLine { kind, ..line }
            }
        };
        Some(HunkLine {
            kind: line.kind.in_direction(self.direction),
            ..line
        })
    }
}

/// Returns the next line of a hunk, read forwards, and increments the index `next` for each line of
/// the body that is read.
fn next_line<'a>(lines: &mut Lines<'a>, next: &mut usize) -> Option<HunkLine<'a>> {
    loop {
        let (span, line) = lines.next()?;
        let index = *next;
        *next += 1;
        // The first byte is the marker. An empty line lost its blank, so it is a context line.
        let (kind, text) = match line {
            [b'\\', ..] => continue,
            [b'-', text @ ..] => (LineKind::Deletion, text),
            [b'+', text @ ..] => (LineKind::Insertion, text),
            _ => (LineKind::Context, line.strip_prefix(b" ").unwrap_or(line)),
        };
        // The note removes only a line feed. A carriage return before it belongs to the line.
        let text = if lines.is_next_byte(b'\\') {
            text.strip_suffix(LineEnding::Lf.bytes()).unwrap_or(text)
        } else {
            text
        };
        return Some(HunkLine {
            kind,
            text,
            span,
            index,
        });
    }
}

impl LineKind {
    /// Returns the kind of a line that is read in `direction`. The reverse of the reverse is the
    /// kind itself.
    pub(crate) fn in_direction(self, direction: Direction) -> Self {
        match (direction, self) {
            (Direction::Reverse, Self::Deletion) => Self::Insertion,
            (Direction::Reverse, Self::Insertion) => Self::Deletion,
            _ => self,
        }
    }
}

impl HunkLine<'_> {
    /// Returns whether the line belongs to the preimage.
    #[must_use]
    pub fn is_in_preimage(&self) -> bool {
        self.kind != LineKind::Insertion
    }

    /// Returns whether the line belongs to the postimage.
    #[must_use]
    pub fn is_in_postimage(&self) -> bool {
        self.kind != LineKind::Deletion
    }

    /// Returns the line without its terminator.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        without_ending(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(body: &[u8], (old, new): (usize, usize)) -> Hunk {
        let range = |count| LineRange { start: 1, count };
        Hunk {
            anchor: Anchor::Line,
            span: Span::new(0, body.len()),
            header: Span::new(0, 0),
            body: Span::new(0, body.len()),
            old: range(old),
            new: range(new),
            section: Span::new(0, 0),
            selection: None,
        }
    }

    #[test]
    fn changed_lines_are_counted() {
        let bodies = [
            (&b" a\n-b\n-c\n+d\n"[..], (3, 2), (1, 2)),
            (b"+a\n+b\n", (0, 2), (2, 0)),
            (b"\n-b\n c", (3, 2), (0, 1)),
            (b"-a\n\\ x\n+b\n\\ x\n", (1, 1), (1, 1)),
            (b"\\ x\n-a\n+b\n", (1, 1), (1, 1)),
            (b"\\ x\n\\ y\n a\n+b\n", (1, 2), (1, 0)),
        ];
        for (body, counts, (added, removed)) in bodies {
            let hunk = hunk(body, counts);
            let count = |direction| count_changes([&hunk].into_iter(), body, direction);
            assert_eq!(count(Direction::Forward), (added, removed), "{hunk:?}");
            assert_eq!(count(Direction::Reverse), (removed, added), "{hunk:?}");
        }
    }

    #[test]
    fn a_backslash_line_takes_the_newline_before_it() {
        let text = b" a\n\n-b\n\\ Kein Zeilenumbruch\n+b\n";
        let hunk = hunk(text, (3, 3));
        let found: Vec<_> = hunk
            .lines(text, Direction::Reverse)
            .map(|line| (line.kind, line.text))
            .collect();
        let expected: [(LineKind, &[u8]); 4] = [
            (LineKind::Context, b"a\n"),
            (LineKind::Context, b"\n"),
            (LineKind::Insertion, b"b"),
            (LineKind::Deletion, b"b\n"),
        ];
        assert_eq!(found, expected);
    }
}
