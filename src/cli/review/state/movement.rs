//! The movement of the cursor.

use super::{Cursor, ReviewState};

impl ReviewState<'_> {
    /// Moves the cursor to the first part of a unit.
    pub(in crate::cli::review) fn move_to(&mut self, unit: usize) {
        self.cursor = Cursor {
            unit,
            ..Cursor::default()
        };
    }

    /// Moves the cursor to a part of a unit.
    pub(in crate::cli::review) fn move_to_part(&mut self, unit: usize, part: usize) {
        self.move_to(unit);
        self.cursor.part = part;
    }

    /// Moves the cursor to a changed line of its unit, at the last one at most.
    pub(in crate::cli::review) fn move_to_line(&mut self, line: usize) {
        let last = self.choices.units()[self.cursor.unit].content.lines.len() - 1;
        self.cursor.line = Some(line.min(last));
        self.cursor.found = None;
    }

    /// Moves the cursor to the next (`1`) or previous (`-1`) line, part or unit.
    pub(super) fn move_by_one(&mut self, step: isize) {
        self.cursor.found = None;
        if let Some(line) = self.cursor.line {
            self.move_to_line(line.saturating_add_signed(step));
            return;
        }
        let parts = |unit: usize| self.choices.units()[unit].parts().len();
        let Cursor { unit, part, .. } = self.cursor;
        let count = self.choices.units().len();
        if step > 0 && part + 1 < parts(unit) {
            self.cursor.part += 1;
        } else if step > 0 && unit + 1 < count {
            self.move_to(unit + 1);
        } else if step < 0 && part > 0 {
            self.cursor.part -= 1;
        } else if step < 0 && unit > 0 {
            let last = parts(unit - 1) - 1;
            self.move_to_part(unit - 1, last);
        } else {
            let end = if step > 0 { "last" } else { "first" };
            self.show_message(&format!("this is the {end} hunk"));
        }
    }

    pub(super) fn move_by_file(&mut self, step: isize) {
        let file = self.choices.units()[self.cursor.unit].file;
        let target = file.saturating_add_signed(step);
        if target != file && target < self.choices.file_count() {
            self.move_to(self.choices.file_units(target).start);
        } else {
            let end = if step > 0 { "last" } else { "first" };
            self.show_message(&format!("this is the {end} file"));
        }
    }

    /// Moves the cursor to the next part without a decision, after the part at the cursor.
    pub(super) fn advance(&mut self) {
        let Cursor { unit, part, .. } = self.cursor;
        if let Some((unit, part)) = self.choices.next_undecided((unit, part)) {
            self.move_to_part(unit, part);
        } else {
            self.show_message("all hunks have a decision; press w to finish");
        }
    }

    pub(super) fn move_to_undecided(&mut self) {
        let Cursor { unit, part, .. } = self.cursor;
        match self.choices.next_undecided((unit, part + 1)) {
            Some((unit, part)) => self.move_to_part(unit, part),
            None => self.show_message("all hunks have a decision; press w to finish"),
        }
    }

    /// Moves the cursor to the next unit with a note, and from the last one to the first one.
    pub(super) fn move_to_note(&mut self) {
        let count = self.choices.units().len();
        let start = self.cursor.unit;
        let later = (1..=count).map(|step| (start + step) % count);
        let has_note = |&unit: &usize| self.patch.is_notable(&self.choices, unit);
        match later.into_iter().find(has_note) {
            Some(unit) => self.move_to(unit),
            None => self.show_message("nothing needs attention"),
        }
    }
}
