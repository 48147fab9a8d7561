//! Positions the changes of an edit script that could also be a few lines further up or down, like
//! git (`xdl_change_compact` in `xdiff/xdiffi.c`).

use std::ops::Range;

use super::edits::{Edit, Edits, append_edit};
use super::indent::best_end;

/// The position of a change that could also be a few lines further up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlidePosition {
    /// The last position, as in `git merge-file`.
    Last,
    /// The position that the indentation suggests, as in `git diff`.
    Indent,
}

/// One of two texts that are compared.
pub(super) struct ComparedText<'s> {
    /// The lines.
    pub(super) lines: &'s [&'s [u8]],
    /// The number of each line. Equal lines have the same number.
    pub(super) numbers: &'s [u32],
    /// Whether each line is changed. The unchanged lines of both sides correspond, in order.
    pub(super) changed: Vec<bool>,
}

/// A run of changed lines of one side, and the run of the other side at the same place. Each of
/// them can be empty. Exactly one unchanged line separates two successive runs, so every unchanged
/// line has a run before it and after it.
struct Cursor<'c> {
    numbers: &'c [u32],
    changed: &'c mut [bool],
    run: Range<usize>,
    other: &'c [bool],
    opposite: Range<usize>,
}

/// Moves each run of deletions and then each run of insertions to its position. Runs of one side
/// that meet are joined.
pub(super) fn slide(
    old: &mut ComparedText<'_>,
    new: &mut ComparedText<'_>,
    position: SlidePosition,
) {
    slide_side(old, &new.changed, position);
    slide_side(new, &old.changed, position);
}

/// Returns the edit script. The slices state for each line of a text whether it is changed.
pub(super) fn edits(old: &[bool], new: &[bool]) -> Edits {
    let (mut edits, mut at) = (Edits::new(), (0, 0));
    loop {
        let end = (run_end(old, at.0), run_end(new, at.1));
        if end != at {
            append_edit(
                &mut edits,
                Edit {
                    old: at.0..end.0,
                    new: at.1..end.1,
                },
            );
        }
        if end == (old.len(), new.len()) {
            return edits;
        }
        // The two unchanged lines after the runs correspond.
        at = (end.0 + 1, end.1 + 1);
    }
}

fn slide_side(side: &mut ComparedText<'_>, other: &[bool], position: SlidePosition) {
    let mut cursor = Cursor {
        numbers: side.numbers,
        run: 0..run_end(&side.changed, 0),
        changed: &mut side.changed,
        other,
        opposite: 0..run_end(other, 0),
    };
    loop {
        if !cursor.run.is_empty() {
            cursor.move_to_position(side.lines, position);
        }
        if cursor.run.end == cursor.changed.len() {
            return;
        }
        cursor.run = run_after(cursor.changed, &cursor.run);
        cursor.opposite = run_after(other, &cursor.opposite);
    }
}

impl Cursor<'_> {
    /// Moves the run to its position. The run is then next to a run of the other side if it can be.
    fn move_to_position(&mut self, lines: &[&[u8]], position: SlidePosition) {
        let (first_end, last_match) = self.slide_down();
        // A place next to changed lines of the other side joins both into one change. git prefers
        // such a place to every other one.
        let end = match (last_match, position) {
            (Some(end), _) => end,
            (None, SlidePosition::Last) => return,
            (None, SlidePosition::Indent) if self.run.end == first_end => return,
            (None, SlidePosition::Indent) => best_end(lines, self.run.clone(), first_end),
        };
        while self.run.end > end {
            self.move_up();
        }
    }

    /// Moves the run down as far as possible. Returns the end of its first possible position, and
    /// the end of the last position with changed lines on the other side.
    fn slide_down(&mut self) -> (usize, Option<usize>) {
        loop {
            let length = self.run.len();
            while self.move_up() {}
            let first_end = self.run.end;
            let mut last_match = None;
            loop {
                if !self.opposite.is_empty() {
                    last_match = Some(self.run.end);
                }
                if !self.move_down() {
                    break;
                }
            }
            // A run that was joined with another one can perhaps move further up.
            if self.run.len() == length {
                return (first_end, last_match);
            }
        }
    }

    /// Moves the run up by one line, if possible, and joins it with the run that it meets.
    fn move_up(&mut self) -> bool {
        let Range { start, end } = self.run;
        if start == 0 || self.numbers[start - 1] != self.numbers[end - 1] {
            return false;
        }
        self.changed[start - 1] = true;
        self.changed[end - 1] = false;
        self.run = run_start(self.changed, start - 1)..end - 1;
        // The line before the run is unchanged, so the other side has an unchanged line, too.
        let end = self.opposite.start - 1;
        self.opposite = run_start(self.other, end)..end;
        true
    }

    /// Moves the run down by one line, if possible, and joins it with the run that it meets.
    fn move_down(&mut self) -> bool {
        let Range { start, end } = self.run;
        if end == self.numbers.len() || self.numbers[start] != self.numbers[end] {
            return false;
        }
        self.changed[start] = false;
        self.changed[end] = true;
        self.run = start + 1..run_end(self.changed, end + 1);
        self.opposite = run_after(self.other, &self.opposite);
        true
    }
}

/// Returns the end of the run of changed lines that starts at `start`.
fn run_end(changed: &[bool], start: usize) -> usize {
    let rest = changed[start..].iter();
    start + rest.take_while(|is_changed| **is_changed).count()
}

/// Returns the start of the run of changed lines that ends at `end`.
fn run_start(changed: &[bool], end: usize) -> usize {
    let before = changed[..end].iter().rev();
    end - before.take_while(|is_changed| **is_changed).count()
}

/// Returns the next run after the unchanged line at the end of `run`.
fn run_after(changed: &[bool], run: &Range<usize>) -> Range<usize> {
    let start = run.end + 1;
    start..run_end(changed, start)
}
