//! The part of the patch that is on the screen.

use std::rc::Rc;

use super::rows::{RowCache, RowKind, SEGMENT_LINES, ScreenRow};
use crate::cli::review::state::{Cursor, ReviewState};

/// The number of rows that stay visible above the cursor if possible.
const MARGIN: usize = 2;

/// The position of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowPosition {
    pub(super) unit: usize,
    pub(super) segment: usize,
    pub(super) row: usize,
}

/// A row on the screen.
pub(super) struct VisibleRow {
    pub(super) position: RowPosition,
    segment: Rc<Vec<ScreenRow>>,
}

impl VisibleRow {
    pub(super) fn row(&self) -> &ScreenRow {
        &self.segment[self.position.row]
    }

    /// Returns the unit and the part to which a changed line belongs.
    fn part(&self, state: &ReviewState<'_>) -> Option<(usize, usize)> {
        let RowKind::Line {
            position: Some(position),
            ..
        } = self.row().kind
        else {
            return None;
        };
        let unit = self.position.unit;
        let parts = state.choices().units()[unit].parts();
        let part = parts.iter().position(|part| part.contains(&position))?;
        Some((unit, part))
    }

    /// Returns whether the row belongs to the part at the cursor.
    pub(super) fn is_at_cursor(&self, state: &ReviewState<'_>) -> bool {
        let cursor = state.cursor();
        if self.position.unit != cursor.unit {
            return false;
        }
        match &self.row().kind {
            RowKind::Line {
                position: Some(position),
                ..
            } => state.selected_part().contains(position),
            RowKind::Line { index, .. } if cursor.found == Some(*index) => true,
            RowKind::Line { .. } | RowKind::UnitTitle => {
                cursor.line.is_none() && !state.choices().units()[cursor.unit].is_split
            }
            RowKind::Gap | RowKind::FileTitle | RowKind::Note(_) => false,
        }
    }
}

/// The rows on the screen.
#[derive(Default)]
pub(super) struct Viewport {
    cache: RowCache,
    top: RowPosition,
    width: usize,
    height: usize,
    /// The cursor that is known to be visible.
    shown: Option<(Cursor, usize)>,
    /// The row of the screen with the first line of the part at the cursor. `None` if it is not visible.
    cursor_row: Option<usize>,
}

impl Viewport {
    /// Returns the rows on a screen with this size. Moves the screen so that a cursor that has moved
    /// is visible.
    pub(super) fn rows(
        &mut self,
        state: &mut ReviewState<'_>,
        (width, height): (usize, usize),
    ) -> Vec<VisibleRow> {
        let is_resized = (self.width, self.height) != (width, height);
        let is_other_text = self
            .shown
            .is_none_or(|(_, revision)| revision != state.revision());
        if self.width != width || is_other_text {
            // The rows of a segment depend on the width and the text.
            (self.top.segment, self.top.row) = (0, 0);
        }
        let is_same_cursor = self
            .shown
            .is_some_and(|(cursor, _)| cursor == state.cursor());
        if self.width == width && is_other_text && is_same_cursor {
            self.keep_cursor_row(state);
        }
        (self.width, self.height) = (width, height);
        let shown = Some((state.cursor(), state.revision()));
        if self.shown != shown || is_resized {
            self.show_cursor(state);
            self.shown = shown;
        }
        let rows = self.collect(state, self.top, height);
        let first = self.first_row(state);
        self.cursor_row = rows.iter().position(|row| row.position == first);
        rows
    }

    /// Moves the screen so that the part at the cursor stays in its row, although the text has changed.
    fn keep_cursor_row(&mut self, state: &mut ReviewState<'_>) {
        if let Some(row) = self.cursor_row {
            self.shown = Some((state.cursor(), state.revision()));
            let first = self.first_row(state);
            self.top = self.position_above(state, first, row);
        }
    }

    fn collect(
        &mut self,
        state: &mut ReviewState<'_>,
        start: RowPosition,
        count: usize,
    ) -> Vec<VisibleRow> {
        let mut rows = Vec::with_capacity(count);
        let mut next = Some(start);
        while let Some(position) = next.filter(|_| rows.len() < count) {
            let segment = self.segment(state, position);
            if position.row < segment.len() {
                rows.push(VisibleRow {
                    position,
                    segment: Rc::clone(&segment),
                });
            }
            next = self.after(state, position);
        }
        rows
    }

    fn segment(
        &mut self,
        state: &mut ReviewState<'_>,
        position: RowPosition,
    ) -> Rc<Vec<ScreenRow>> {
        let place = (position.unit, position.segment);
        self.cache.rows(state, place, self.width)
    }

    /// Returns the position of the next row.
    fn after(&mut self, state: &mut ReviewState<'_>, position: RowPosition) -> Option<RowPosition> {
        let RowPosition { unit, segment, row } = position;
        if row + 1 < self.segment(state, position).len() {
            return Some(RowPosition {
                row: row + 1,
                ..position
            });
        }
        let (unit, segment) = if segment + 1 < RowCache::segment_count(state, unit) {
            (unit, segment + 1)
        } else if unit + 1 < state.choices().units().len() {
            (unit + 1, 0)
        } else {
            return None;
        };
        Some(RowPosition {
            unit,
            segment,
            row: 0,
        })
    }

    /// Returns the position of the previous row.
    fn before(
        &mut self,
        state: &mut ReviewState<'_>,
        position: RowPosition,
    ) -> Option<RowPosition> {
        let RowPosition { unit, segment, row } = position;
        if row > 0 {
            return Some(RowPosition {
                row: row - 1,
                ..position
            });
        }
        let (unit, segment) = if segment > 0 {
            (unit, segment - 1)
        } else {
            let unit = unit.checked_sub(1)?;
            (unit, RowCache::segment_count(state, unit) - 1)
        };
        let rows = self.segment(
            state,
            RowPosition {
                unit,
                segment,
                row: 0,
            },
        );
        let row = rows.len().saturating_sub(1);
        Some(RowPosition { unit, segment, row })
    }

    fn position_above(
        &mut self,
        state: &mut ReviewState<'_>,
        mut position: RowPosition,
        rows: usize,
    ) -> RowPosition {
        for _ in 0..rows {
            let Some(before) = self.before(state, position) else {
                break;
            };
            position = before;
        }
        position
    }

    /// Moves the screen by rows: down if `rows` is positive. If no row of the part at the cursor is
    /// visible then, the cursor moves to a part on the screen.
    pub(super) fn scroll(&mut self, state: &mut ReviewState<'_>, rows: isize) {
        if rows < 0 {
            self.top = self.position_above(state, self.top, rows.unsigned_abs());
        } else {
            for _ in 0..rows {
                let Some(after) = self.after(state, self.top) else {
                    break;
                };
                self.top = after;
            }
        }
        let visible = self.collect(state, self.top, self.height);
        let is_title = |row: &&VisibleRow| row.row().kind == RowKind::UnitTitle;
        if !visible.iter().any(|row| row.is_at_cursor(state)) {
            let titled = visible.iter().find(is_title).map(|row| row.position.unit);
            let changed = visible.iter().find_map(|row| row.part(state));
            // A unit whose title is visible is easier to recognize than a part of another one.
            match (titled, changed) {
                (Some(unit), _) => state.move_to(unit),
                (None, Some((unit, part))) => state.move_to_part(unit, part),
                (None, None) => {}
            }
        }
        self.shown = Some((state.cursor(), state.revision()));
    }

    /// Moves the screen by a part of its height.
    pub(super) fn scroll_page(&mut self, state: &mut ReviewState<'_>, step: isize) {
        let rows = isize::try_from(self.height.saturating_sub(MARGIN).max(1)).unwrap_or(1);
        self.scroll(state, rows * step);
    }

    /// Moves the screen so that the part at the cursor is visible.
    fn show_cursor(&mut self, state: &mut ReviewState<'_>) {
        let (first, last) = self.cursor_rows(state);
        let visible = self.collect(state, self.top, self.height);
        let is_visible = |position| visible.iter().any(|row| row.position == position);
        if is_visible(first) && is_visible(last) {
            return;
        }
        // The titles of the unit stay visible if there is room for them and the part.
        let start = RowPosition {
            unit: first.unit,
            ..RowPosition::default()
        };
        let margin = MARGIN.min(self.height / 4);
        for first in [start, first] {
            self.top = self.position_above(state, first, margin);
            let visible = self.collect(state, self.top, self.height);
            if visible.iter().any(|row| row.position == last) {
                return;
            }
        }
    }

    /// Returns the first row of the first line of the part at the cursor.
    fn first_row(&mut self, state: &mut ReviewState<'_>) -> RowPosition {
        let (line, _) = state.cursor_lines();
        self.rows_of_line(state, line).0
    }

    /// Returns the first and the last row of the part at the cursor. The titles of a unit belong to
    /// its first part.
    fn cursor_rows(&mut self, state: &mut ReviewState<'_>) -> (RowPosition, RowPosition) {
        let cursor = state.cursor();
        let (first_line, last_line) = state.cursor_lines();
        let is_first = cursor.part == 0 && cursor.line.is_none() && cursor.found.is_none();
        let first = if is_first {
            RowPosition {
                unit: cursor.unit,
                ..RowPosition::default()
            }
        } else {
            self.rows_of_line(state, first_line).0
        };
        let last = self.rows_of_line(state, last_line).1;
        (first, last)
    }

    /// Returns the first and the last row of a line of the unit at the cursor.
    fn rows_of_line(
        &mut self,
        state: &mut ReviewState<'_>,
        line: usize,
    ) -> (RowPosition, RowPosition) {
        let place = RowPosition {
            unit: state.cursor().unit,
            segment: line / SEGMENT_LINES,
            row: 0,
        };
        let rows = self.segment(state, place);
        let is_of_line =
            |row: &ScreenRow| matches!(row.kind, RowKind::Line { index, .. } if index == line);
        let first = rows.iter().position(is_of_line).unwrap_or(0);
        let last = rows.iter().rposition(is_of_line).unwrap_or(first);
        (
            RowPosition {
                row: first,
                ..place
            },
            RowPosition { row: last, ..place },
        )
    }
}
