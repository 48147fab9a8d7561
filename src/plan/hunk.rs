//! One contiguous change of lines: where it belongs, and its lines in place in the patch.

use std::iter;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::text::{Ending, Lines, Span, without_ending};

/// One contiguous change. It holds places in the patch, not copies of it.
#[derive(Clone, Debug)]
pub struct Hunk {
    /// Where it belongs in the file.
    pub anchor: Anchor,
    /// Header and body.
    pub span: Span,
    /// The header line without its terminator; empty at the place where it would stand if there is
    /// none.
    pub header: Span,
    /// The lines with their markers.
    pub body: Span,
    /// The lines of the preimage, as the header says (or as counted, where the grammar has no
    /// counts): as many as the body has.
    pub old: LineRange,
    /// The lines of the postimage, of which the body has as many too.
    pub new: LineRange,
    /// What stands behind the second `@@`.
    pub section: Span,
}

/// A run of lines as a hunk header writes it: the first line counted from 1 (0 for an empty run at
/// the start of the file), and how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineRange {
    /// First line.
    pub start: usize,
    /// Number of lines.
    pub count: usize,
}

/// How a hunk says where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Anchor {
    /// At the lines that the header names.
    Line,
    /// There too, in a grammar that has no context.
    Bare,
    /// Below the lines that hold these texts, each searched from the place of the one before; at
    /// the very end of the file if so marked.
    Headings {
        /// The texts, without `@@` and terminator.
        headings: Box<[Span]>,
        /// Whether the hunk's last line has to be the file's last line.
        at_end: bool,
    },
}

impl Anchor {
    /// Returns whether it names lines by their numbers.
    #[must_use]
    pub fn is_numbered(&self) -> bool {
        matches!(self, Self::Line | Self::Bare)
    }
}

/// Which way a hunk is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Direction {
    /// From preimage to postimage.
    #[default]
    Forward,
    /// Deletions become insertions and the reverse.
    Reverse,
}

impl Direction {
    /// Returns the direction of what is read in `other` and as a whole in this one.
    #[must_use]
    pub fn of(self, other: Self) -> Self {
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
    /// In preimage and postimage.
    Context,
    /// In the preimage only.
    Deletion,
    /// In the postimage only.
    Insertion,
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkLine<'a> {
    /// What the line does.
    pub kind: LineKind,
    /// The line without its marker, with its terminator, unless the patch says that there is none.
    pub text: &'a [u8],
    /// The line in the patch, marker and terminator included.
    pub span: Span,
}

impl Hunk {
    /// Returns its lines; `text` is the input that the hunk's spans point into.
    #[must_use]
    pub fn lines<'a>(&self, text: &'a [u8], direction: Direction) -> HunkLines<'a> {
        HunkLines {
            lines: Lines::within(text, self.body),
            direction,
        }
    }

    /// Returns the kind of all its lines where one side has none, and how many they are: nobody has
    /// to look at them for that.
    pub(crate) fn one_kind(&self, text: &[u8], direction: Direction) -> Option<(LineKind, usize)> {
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

    /// Returns how many lines either side has at most: as many as the header says, and as the body
    /// has bytes, as each has at least a terminator.
    pub(crate) fn most_lines(&self) -> usize {
        self.old
            .count
            .max(self.new.count)
            .min(self.body.end - self.body.start)
    }

    /// Returns the lines of the preimage in `direction`, as the header says.
    #[must_use]
    pub fn preimage_range(&self, direction: Direction) -> LineRange {
        match direction {
            Direction::Forward => self.old,
            Direction::Reverse => self.new,
        }
    }

    /// Returns the lines of the postimage in `direction`, as the header says.
    #[must_use]
    pub fn postimage_range(&self, direction: Direction) -> LineRange {
        match direction {
            Direction::Forward => self.new,
            Direction::Reverse => self.old,
        }
    }
}

/// Returns whether a line behind the first of a body starts with `\`, and so is a note about the
/// one before it.
pub(crate) fn has_note(body: &[u8]) -> bool {
    // Made once: a hunk is looked through in less time than it takes to make it.
    static NOTE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"\n\\"));
    NOTE.find(body).is_some()
}

/// The lines of a hunk, markers taken off; see [`Hunk::lines`].
///
/// An empty line is a blank line of context, as GNU patch and mailers write it. A line that starts
/// with `\` takes the terminator from the line before it, whatever its words are.
#[derive(Clone, Debug)]
pub struct HunkLines<'a> {
    lines: Lines<'a>,
    direction: Direction,
}

impl<'a> Iterator for HunkLines<'a> {
    type Item = HunkLine<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (span, line) = self.lines.next()?;
            let (kind, text) = match line {
                [b'\\', ..] => continue,
                [b'-', text @ ..] => (LineKind::Deletion, text),
                [b'+', text @ ..] => (LineKind::Insertion, text),
                _ => (LineKind::Context, line.strip_prefix(b" ").unwrap_or(line)),
            };
            let text = if self.lines.is_before(b'\\') {
                text.strip_suffix(Ending::Lf.bytes()).unwrap_or(text)
            } else {
                text
            };
            return Some(HunkLine {
                kind: turned(kind, self.direction),
                text,
                span,
            });
        }
    }
}

fn turned(kind: LineKind, direction: Direction) -> LineKind {
    match (direction, kind) {
        (Direction::Reverse, LineKind::Deletion) => LineKind::Insertion,
        (Direction::Reverse, LineKind::Insertion) => LineKind::Deletion,
        _ => kind,
    }
}

impl HunkLine<'_> {
    /// Returns whether the line belongs to the preimage.
    #[must_use]
    pub fn is_old(&self) -> bool {
        self.kind != LineKind::Insertion
    }

    /// Returns whether the line belongs to the postimage.
    #[must_use]
    pub fn is_new(&self) -> bool {
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

    #[test]
    fn a_backslash_line_takes_the_newline_before_it() {
        let text = b" a\n\n-b\n\\ Kein Zeilenumbruch\n+b\n";
        let hunk = Hunk {
            anchor: Anchor::Line,
            span: Span::new(0, text.len()),
            header: Span::new(0, 0),
            body: Span::new(0, text.len()),
            old: LineRange::default(),
            new: LineRange::default(),
            section: Span::new(0, 0),
        };
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
