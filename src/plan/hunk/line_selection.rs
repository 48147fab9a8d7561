//! The selected lines of a hunk (`--only f1h2:3-5`).

use std::ops::Range;
use std::sync::Arc;

use super::{Direction, Hunk, HunkLine, LineKind, LineRange};

/// The lines of a hunk of which only some changes are selected.
///
/// A deletion that is not selected is a context line, and an insertion that is not selected is left
/// out. The lines are in the order in which they apply: selected insertions follow the last selected
/// deletion before them, so that a deletion that is not selected stays after its replaced neighbour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineSelection(Arc<[SelectedLine]>);

/// One line of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SelectedLine {
    /// The offset in the patch of the line with its marker.
    pub(super) start: usize,
    /// Index of the line in the body.
    pub(super) index: usize,
    /// The kind of the line, read forwards.
    pub(super) kind: LineKind,
}

/// The reason why lines cannot be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan) enum LineSelectionError {
    /// The line with this index would be inside the file, and has no newline.
    Unterminated(usize),
}

impl LineSelection {
    /// Returns the line with the index `index`.
    pub(super) fn line(&self, index: usize) -> Option<SelectedLine> {
        self.0.get(index).copied()
    }
}

impl Hunk {
    /// Selects the lines of the body that `is_selected` accepts by their indexes. Returns the ranges
    /// of the other changed lines, as indexes in the body. The hunk is read in `direction`.
    ///
    /// # Errors
    ///
    /// Returns an error if the selection would join two lines.
    pub(in crate::plan) fn select_lines(
        &mut self,
        text: &[u8],
        direction: Direction,
        is_selected: impl Fn(usize) -> bool,
    ) -> Result<Vec<Range<usize>>, LineSelectionError> {
        let mut left_out: Vec<Range<usize>> = Vec::new();
        let mut order = SelectedOrder::default();
        for line in self.lines(text, direction) {
            let is_left = line.kind != LineKind::Context && !is_selected(line.index);
            if is_left {
                match left_out.last_mut() {
                    Some(last) if last.end == line.index => last.end += 1,
                    _ => left_out.push(line.index..line.index + 1),
                }
            }
            order.add(line, is_left, direction);
        }
        if left_out.is_empty() {
            return Ok(left_out);
        }
        order.end_block(direction);
        let lines = order.lines;
        let last = lines.iter().rposition(HunkLine::is_in_postimage);
        let inside = lines.iter().take(last.unwrap_or(0));
        let is_open = |line: &&HunkLine<'_>| line.is_in_postimage() && !line.text.ends_with(b"\n");
        if let Some(open) = inside.clone().find(is_open) {
            return Err(LineSelectionError::Unterminated(open.index));
        }
        let count = lines.iter().filter(|line| line.is_in_postimage()).count();
        let postimage = match direction {
            Direction::Forward => &mut self.new,
            Direction::Reverse => &mut self.old,
        };
        *postimage = resize(*postimage, count);
        let lines = lines.iter().map(|line| SelectedLine {
            start: line.span.start,
            index: line.index,
            kind: line.kind.in_direction(direction),
        });
        self.selection = Some(LineSelection(lines.collect()));
        Ok(left_out)
    }
}

/// Returns the range with `count` lines. The start of an empty range is the line before it.
fn resize(range: LineRange, count: usize) -> LineRange {
    let start = match (range.count, count) {
        (1.., 0) => range.start.saturating_sub(1),
        (0, 1..) => range.start + 1,
        _ => range.start,
    };
    LineRange { start, count }
}

/// Puts the lines of a selection into the order in which they apply.
#[derive(Default)]
struct SelectedOrder<'a> {
    lines: Vec<HunkLine<'a>>,
    /// The deletions of the current block: a run of `-` lines and the run of `+` lines after it.
    deletions: Vec<HunkLine<'a>>,
    /// The number of deletions up to the last selected one; 0 if none is selected.
    selected: usize,
    /// The selected insertions of the current block.
    insertions: Vec<HunkLine<'a>>,
    /// Whether the current block has had a `+` line.
    has_plus: bool,
}

impl<'a> SelectedOrder<'a> {
    /// Adds the next line of the body, which is left out if `is_left` is set.
    fn add(&mut self, line: HunkLine<'a>, is_left: bool, direction: Direction) {
        if line.kind == LineKind::Context {
            self.end_block(direction);
            self.lines.push(line);
            return;
        }
        let is_plus = line.kind.in_direction(direction) == LineKind::Insertion;
        if self.has_plus && !is_plus {
            self.end_block(direction);
        }
        self.has_plus = is_plus;
        match (line.kind, is_left) {
            (LineKind::Insertion, false) => self.insertions.push(line),
            (LineKind::Insertion, true) => {}
            (kind, false) => {
                self.deletions.push(HunkLine { kind, ..line });
                self.selected = self.deletions.len();
            }
            (_, true) => self.deletions.push(HunkLine {
                kind: LineKind::Context,
                ..line
            }),
        }
    }

    /// Adds the lines of the current block. Without a selected deletion, they keep the order of the
    /// body.
    fn end_block(&mut self, direction: Direction) {
        let before = match (self.selected, direction) {
            (0, Direction::Forward) => self.deletions.len(),
            (selected, _) => selected,
        };
        let after = self.deletions.split_off(before);
        self.lines.append(&mut self.deletions);
        self.lines.append(&mut self.insertions);
        self.lines.extend(after);
        (self.selected, self.has_plus) = (0, false);
    }
}
