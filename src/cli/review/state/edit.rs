//! Edits of hunks: the text for the editor, and the patch with the edited hunk.

use super::reload::Checked;
use super::{EditRecord, Reply, ReviewState};
use crate::cli::review::choices::Choice;
use crate::engine::options::Direction;
use crate::text::{Span, lines};

/// The help below the hunk in the editor. Lines that begin with `#` are removed.
const HELP: &str = "\
# Lines with ' ' must be in the file, lines with '-' are deleted, lines with '+' are inserted.
# To keep a line that is deleted, replace its '-' by ' '. To leave out a line that is inserted, delete
# it. Lines that begin with # are removed. If only such lines are left, the hunk does not change.
";

/// The position of a hunk in the patches.
struct HunkSource {
    input: usize,
    span: Span,
    text: Vec<u8>,
}

impl<'w> ReviewState<'w> {
    /// Returns [`Reply::Edit`] if the hunk at the cursor can be edited.
    pub(super) fn check_edit(&mut self) -> Reply {
        let file = self.choices.units()[self.cursor.unit].file;
        if self.patch.preview.operations()[file].direction == Direction::Reverse {
            self.show_message("a hunk of a reversed patch cannot be edited");
            return Reply::Done;
        }
        let is_in_patch = self.hunk_source().is_some_and(|source| {
            let place = (source.input, source.span);
            let replaced = self.source.with_replaced(place, &source.text, &source.text);
            replaced.is_some()
        });
        if is_in_patch {
            return Reply::Edit;
        }
        self.show_message(
            "only hunks of diffs can be edited, and not in mails and repaired patches",
        );
        Reply::Done
    }

    fn hunk_source(&self) -> Option<HunkSource> {
        let unit = &self.choices.units()[self.cursor.unit];
        let hunks = self.patch.preview.patch_hunks(unit.file)?;
        let span = hunks[unit.content.hunk?].span;
        let input = self.patch.preview.operations()[unit.file].input;
        let text = span.slice(self.patch.preview.input(input)).to_vec();
        Some(HunkSource { input, span, text })
    }

    /// Returns the text for the editor.
    pub(in crate::cli::review) fn editor_text(&self) -> Vec<u8> {
        let mut text = self
            .hunk_source()
            .map_or_else(Vec::new, |source| source.text);
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend_from_slice(HELP.as_bytes());
        text
    }

    /// Replaces the hunk at the cursor by the text from the editor, and accepts the hunk. If the
    /// edited patch is malformed or the hunk does not apply, the message states the reason and nothing
    /// changes.
    pub(in crate::cli::review) fn replace_hunk(&mut self, edited: &[u8]) {
        let Some(source) = self.hunk_source() else {
            return;
        };
        let is_kept = |line: &&[u8]| !line.starts_with(b"#");
        let kept = lines(edited).map(|(_, line)| line).filter(is_kept);
        let mut body = kept.collect::<Vec<_>>().concat();
        if !body.ends_with(b"\n") {
            body.push(b'\n');
        }
        if body.trim_ascii().is_empty() || edited == self.editor_text() {
            self.show_message("the hunk has not changed");
            return;
        }
        let body = with_counts(&body);
        let place = (source.input, source.span);
        let earlier = self.source.texts();
        let Some(texts) = self.source.with_replaced(place, &source.text, &body) else {
            return;
        };
        self.source.set_texts(texts);
        let unit = self.cursor.unit;
        let checked = match self.check_edited(unit) {
            Ok(checked) => checked,
            Err(reason) => {
                self.source.set_texts(earlier);
                self.show_message(&format!("the edited hunk was not used: {reason}"));
                return;
            }
        };
        let (choices, edited) = (self.choices.clone(), self.edited.clone());
        let text = String::from_utf8_lossy(&body).into_owned();
        self.edited.insert(unit, text);
        let has_other_changes = self.adopt(checked, choices.clone());
        if !has_other_changes {
            let all = 0..self.choices.units()[unit].content.lines.len().max(1);
            self.choices.decide((unit, all), Choice::Accepted, None);
            self.show_message("the edited hunk is accepted");
        }
        self.edits.push(EditRecord {
            texts: earlier,
            choices,
            edited,
            decisions: self.choices.undo_count(),
        });
    }

    /// Checks the patch after an edit of `unit`.
    ///
    /// # Errors
    ///
    /// Returns the reason if the patch has other units, or if the unit does not apply.
    fn check_edited(&self, unit: usize) -> Result<Checked<'w>, String> {
        let checked = self.check_again()?;
        let mut notes = checked.patch.unit_notes(unit).iter();
        match notes.find(|note| note.is_problem()) {
            Some(problem) => Err(problem.text.clone()),
            None => Ok(checked),
        }
    }

    /// Restores the state before the last edit.
    pub(super) fn undo_edit(&mut self) {
        let Some(record) = self.edits.pop() else {
            return;
        };
        let edited_texts = self.source.texts();
        self.source.set_texts(record.texts.clone());
        match self.check_again() {
            Ok(checked) => {
                self.edited = record.edited;
                if !self.adopt(checked, record.choices) {
                    self.show_message("the edit is undone");
                }
            }
            Err(reason) => {
                self.source.set_texts(edited_texts);
                self.edits.push(record);
                self.show_message(&format!("the edit cannot be undone: {reason}"));
            }
        }
    }
}

/// Returns the hunk with the line counts of its body in its header, if the header has counts.
fn with_counts(hunk: &[u8]) -> Vec<u8> {
    let end = memchr::memchr(b'\n', hunk).map_or(hunk.len(), |newline| newline + 1);
    let (header, body) = hunk.split_at(end);
    let Some(section) = parse_header(header) else {
        return hunk.to_vec();
    };
    let count = |markers: &[u8]| {
        let counts = |(_, line): &(Span, &[u8])| {
            let marker = line.first().copied().unwrap_or_default();
            markers.contains(&marker) || matches!(marker, b'\n' | b'\r') && markers.contains(&b' ')
        };
        lines(body).filter(counts).count()
    };
    let (old, new) = (count(b" -"), count(b" +"));
    let mut numbered = format!("@@ -{},{old} +{},{new}", section.old, section.new).into_bytes();
    numbered.extend_from_slice(section.rest);
    numbered.extend_from_slice(body);
    numbered
}

/// The parts of a hunk header of a unified diff.
struct HunkHeader<'a> {
    /// The start lines, as digits.
    old: &'a str,
    new: &'a str,
    /// Everything after the ranges.
    rest: &'a [u8],
}

fn parse_header(header: &[u8]) -> Option<HunkHeader<'_>> {
    let ranges = header.strip_prefix(b"@@ -")?;
    let end = memchr::memmem::find(ranges, b" @@")?;
    let (old, new) = std::str::from_utf8(&ranges[..end]).ok()?.split_once(" +")?;
    let start = |range: &'_ str| -> usize { range.find(',').unwrap_or(range.len()) };
    Some(HunkHeader {
        old: &old[..start(old)],
        new: &new[..start(new)],
        rest: &ranges[end..],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(hunk: &str) -> String {
        String::from_utf8(with_counts(hunk.as_bytes())).unwrap()
    }

    #[test]
    fn an_edited_hunk_has_the_counts_of_its_body() {
        assert_eq!(
            counted("@@ -3,4 +3 @@ fn a\n a\n-b\n\n+c\n+d\n\\ No newline at end of file\n"),
            "@@ -3,3 +3,4 @@ fn a\n a\n-b\n\n+c\n+d\n\\ No newline at end of file\n"
        );
        for unnumbered in ["@@\n-a\n+b\n", "@@ fn a\n-a\n", "@@ -1 @@\n-a\n"] {
            assert_eq!(counted(unnumbered), unnumbered);
        }
    }
}
