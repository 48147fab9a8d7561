//! The mouse: clicks select and decide, and the wheel scrolls.

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::rows::RowKind;
use super::{Page, Screen, Step};
use crate::cli::review::action::Action;
use crate::cli::review::choices::{Choice, Decision};
use crate::cli::review::state::ReviewState;

/// The number of columns at the left of a row in which a click changes the decision.
const MARK_COLUMNS: u16 = 5;
/// The number of rows that the mouse wheel scrolls.
const WHEEL_ROWS: isize = 3;

impl Screen {
    pub(super) fn use_mouse(&mut self, mouse: MouseEvent, state: &mut ReviewState<'_>) -> Step {
        let place = Position::new(mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::ScrollDown => return self.scroll(state, WHEEL_ROWS),
            MouseEventKind::ScrollUp => return self.scroll(state, -WHEEL_ROWS),
            MouseEventKind::Down(MouseButton::Left) => {}
            _ => return Step::Continue,
        }
        let list = match self.page {
            Page::Files(_) => self.areas.page,
            Page::Help(_) => {
                self.page = Page::Patch;
                return Step::Continue;
            }
            Page::Patch => self.areas.files,
        };
        if list.contains(place) {
            let file = self.file_top + usize::from(mouse.row - list.y);
            if file < state.choices().file_count() {
                state.move_to(state.choices().file_units(file).start);
                self.page = Page::Patch;
            }
        } else if self.areas.patch.contains(place) && self.page == Page::Patch {
            self.click(place, self.areas.patch, state);
        }
        Step::Continue
    }

    /// Selects the hunk or line at `place`. A click on a mark changes the decision.
    fn click(&mut self, place: Position, area: Rect, state: &mut ReviewState<'_>) {
        let Some(visible) = self.rows.get(usize::from(place.y - area.y)) else {
            return;
        };
        let (unit, is_mark) = (visible.position.unit, place.x - area.x < MARK_COLUMNS);
        match visible.row().kind {
            RowKind::Line {
                position: Some(position),
                ..
            } => {
                let was_selecting = state.cursor().line.is_some();
                let parts = state.choices().units()[unit].parts();
                let part = parts.iter().position(|part| part.contains(&position));
                let part = part.unwrap_or(0);
                state.move_to_part(unit, part);
                if is_mark || was_selecting {
                    state.move_to_line(position);
                }
                if is_mark {
                    state.perform(Action::ToggleLine);
                    state.move_to_part(unit, part);
                }
                if is_mark && was_selecting {
                    state.move_to_line(position);
                }
            }
            RowKind::UnitTitle => {
                state.move_to(unit);
                if is_mark {
                    let next = match state.decision(unit) {
                        Decision::Whole(Choice::Accepted) => Action::Reject,
                        Decision::Whole(Choice::Rejected) => Action::Clear,
                        _ => Action::Accept,
                    };
                    state.perform(next);
                    state.move_to(unit);
                }
            }
            _ => state.move_to(unit),
        }
    }
}
