//! The texts of units: cached, with additional context, and searched.

use std::ops::Range;
use std::rc::Rc;

use super::ReviewState;
use crate::engine::UnitText;

/// The limit on the number of cached texts.
const MAX_TEXTS: usize = 500;

impl ReviewState<'_> {
    /// Returns the lines of a unit. A unit that cannot be read because a file has changed has no
    /// lines.
    pub(in crate::cli::review) fn text(&mut self, unit: usize) -> Rc<UnitText> {
        if let Some(text) = self.texts.get(&unit) {
            return Rc::clone(text);
        }
        if self.texts.len() >= MAX_TEXTS {
            self.texts.clear();
        }
        let text = Rc::new(self.read_text(unit));
        self.texts.insert(unit, Rc::clone(&text));
        text
    }

    fn read_text(&self, index: usize) -> UnitText {
        let unit = &self.choices.units()[index];
        let mut text = self.patch.text(unit).unwrap_or_default();
        let more = self.context.get(&index).copied().unwrap_or_default();
        if let Some(place) = self.patch.place(unit).filter(|_| more > 0) {
            let path = self.patch.old_path(unit.file);
            let ((first, count), read) = (place.old, |first, last| {
                self.source.read_lines(path, first, last)
            });
            let before = read(first.saturating_sub(more).max(1), first - 1);
            let after = read(first + count, first + count + more - 1);
            text.add_context(&before, &after, place);
        }
        text
    }

    /// Returns the first and the last line of the part at the cursor, as indexes in the text of its
    /// unit.
    pub(in crate::cli::review) fn cursor_lines(&mut self) -> (usize, usize) {
        let (cursor, part) = (self.cursor, self.selected_part());
        if let Some(found) = cursor.found {
            return (found, found);
        }
        let text = self.text(cursor.unit);
        let lines = &self.choices.units()[cursor.unit].content.lines;
        let ends = lines.get(part.start).zip(lines.get(part.end - 1));
        let index_of = |line: usize| {
            text.lines
                .iter()
                .position(|shown| shown.index == Some(line))
        };
        let ends = ends.map(|(first, last)| (index_of(*first), index_of(*last)));
        match ends {
            Some((Some(first), Some(last))) => (first, last),
            _ => (0, text.lines.len().saturating_sub(1)),
        }
    }

    /// Returns the changed line that the last search found, as a position in the lines of its unit.
    pub(super) fn found_position(&mut self) -> Option<usize> {
        let found = self.cursor.found?;
        let index = self.text(self.cursor.unit).lines.get(found)?.index?;
        let lines = &self.choices.units()[self.cursor.unit].content.lines;
        lines.binary_search(&index).ok()
    }

    /// Discards the texts of all units.
    pub(super) fn discard_texts(&mut self) {
        self.texts.clear();
        self.revision += 1;
    }

    /// Adds context lines to the unit at the cursor, or removes some.
    pub(super) fn change_context(&mut self, lines: isize) {
        let index = self.cursor.unit;
        if self.patch.place(&self.choices.units()[index]).is_none() {
            self.show_message("no further lines can be shown for this change");
            return;
        }
        let count = self.context.entry(index).or_default();
        *count = count.saturating_add_signed(lines);
        self.cursor.found = None;
        self.texts.remove(&index);
        self.revision += 1;
    }

    /// Moves the cursor to the next (`1`) or previous (`-1`) match of the search text.
    pub(super) fn find(&mut self, step: isize) {
        let Some(query) = self.search.clone() else {
            self.show_message("search for a text with /");
            return;
        };
        let (count, start) = (self.choices.units().len(), self.cursor.unit);
        for distance in 0..=count {
            let unit = if step > 0 {
                (start + distance) % count
            } else {
                (start + count - distance % count) % count
            };
            let lines = self.matching_lines(unit, &query);
            let is_after = |line: &&usize| match self.cursor.found {
                Some(found) if distance == 0 && step > 0 => **line > found,
                Some(found) if distance == 0 => **line < found,
                // The search backwards begins before the unit at the cursor.
                None if distance == 0 && step < 0 => false,
                _ => true,
            };
            let found = if step > 0 {
                lines.iter().find(is_after)
            } else {
                lines.iter().rev().find(is_after)
            };
            if let Some(&line) = found {
                self.move_to(unit);
                self.cursor.found = Some(line);
                let position = self.found_position();
                let parts = self.choices.units()[unit].parts();
                let is_found = |part: &Range<usize>| position.is_some_and(|it| part.contains(&it));
                self.cursor.part = parts.iter().position(is_found).unwrap_or(0);
                return;
            }
        }
        self.show_message("not found");
    }

    /// Returns the indexes of the lines of a unit that contain `query`. The name of a file counts as
    /// the first line of its first unit.
    fn matching_lines(&self, unit: usize, query: &str) -> Vec<usize> {
        let text = self.read_text(unit);
        let file = self.choices.units()[unit].file;
        let is_named = self.choices.file_units(file).start == unit
            && is_match(self.patch.files[file].title.as_bytes(), query);
        let lines = text.lines.iter().enumerate();
        let lines = lines.filter(|(_, line)| is_match(text.text(line), query));
        let mut found: Vec<_> = lines.map(|(index, _)| index).collect();
        if is_named && found.first() != Some(&0) {
            found.insert(0, 0);
        }
        found
    }
}

/// Returns whether `text` contains `query`. The case of ASCII letters counts only if `query` has an
/// uppercase letter.
pub(in crate::cli::review) fn is_match(text: &[u8], query: &str) -> bool {
    if query.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return memchr::memmem::find(text, query.as_bytes()).is_some();
    }
    memchr::memmem::find(&text.to_ascii_lowercase(), query.as_bytes()).is_some()
}
