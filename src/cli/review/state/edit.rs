//! Edits of hunks: the text for the editor, and the patch with the edited hunk.

use super::{EditRecord, Reply, ReviewState};
use crate::cli::review::choices::Choice;
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

impl ReviewState<'_> {
    /// Returns [`Reply::Edit`] if the hunk at the cursor can be edited.
    pub(super) fn check_edit(&mut self) -> Reply {
        let source = self.hunk_source();
        let is_in_patch = source.is_some_and(|source| {
            let place = (source.input, source.span);
            self.source
                .with_replaced(place, &source.text, &source.text)
                .is_some()
        });
        if is_in_patch {
            return Reply::Edit;
        }
        self.message = Some(
            "only a hunk of a diff can be edited, and not in a mail or a repaired patch".to_owned(),
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
        let body: Vec<u8> = lines(edited)
            .map(|(_, line)| line)
            .filter(is_kept)
            .collect::<Vec<_>>()
            .concat();
        if body.trim_ascii().is_empty() || body == source.text {
            self.message = Some("the hunk has not changed".to_owned());
            return;
        }
        let body = with_counts(&body);
        let place = (source.input, source.span);
        let before = self.source.texts();
        let Some(texts) = self.source.with_replaced(place, &source.text, &body) else {
            return;
        };
        let unit = self.cursor.unit;
        let record = EditRecord {
            texts: before,
            choices: self.choices.clone(),
            edited: self.edited.clone(),
            decisions: 0,
        };
        self.source.set_texts(texts);
        let cursor = self.cursor;
        if let Err(reason) = self.open_edited(unit) {
            self.restore(record);
            self.cursor = cursor;
            self.message = Some(format!("the edited hunk was not used: {reason}"));
            return;
        }
        self.edited
            .insert(unit, String::from_utf8_lossy(&body).into_owned());
        let all = 0..self.choices.units()[unit].content.lines.len().max(1);
        self.choices.decide((unit, all), Choice::Accepted, None);
        let decisions = self.choices.undo_count();
        self.edits.push(EditRecord {
            decisions,
            ..record
        });
        self.message = Some("the edited hunk is accepted".to_owned());
    }

    /// Checks the patch after an edit of `unit`.
    ///
    /// # Errors
    ///
    /// Returns the reason if the patch has other units, or if the unit does not apply.
    fn open_edited(&mut self, unit: usize) -> Result<(), String> {
        let (patch, choices) = self.source.open();
        if !choices.has_same_units(&self.choices) {
            let error = patch.report().error.as_ref();
            return Err(error.map_or_else(
                || "it is no longer one hunk".to_owned(),
                |error| error.message.clone(),
            ));
        }
        let notes = patch.unit_notes(unit).iter();
        let problem = notes.clone().find(|note| note.is_problem());
        if let Some(problem) = problem {
            return Err(problem.text.clone());
        }
        let old = std::mem::replace(&mut self.choices, choices);
        self.choices.keep_decisions(old);
        self.patch = patch;
        self.after_reload();
        Ok(())
    }

    pub(super) fn undo_edit(&mut self) {
        if let Some(record) = self.edits.pop() {
            self.restore(record);
            self.message = Some("the edit is undone".to_owned());
        }
    }

    fn restore(&mut self, record: EditRecord) {
        self.source.set_texts(record.texts);
        self.edited = record.edited;
        let (patch, choices) = self.source.open();
        self.patch = patch;
        self.choices = choices;
        self.choices.keep_decisions(record.choices);
        self.after_reload();
    }

    /// Checks the patch again, and keeps the decisions if it has the same units.
    pub(super) fn open_again(&mut self) {
        let (patch, choices) = self.source.open();
        if choices.has_same_units(&self.choices) {
            let old = std::mem::replace(&mut self.choices, choices);
            self.choices.keep_decisions(old);
            self.patch = patch;
        }
        self.after_reload();
    }

    fn after_reload(&mut self) {
        self.fingerprints = self.source.fingerprints(self.patch.paths());
        self.discard_texts();
    }
}

/// Returns the hunk with the line counts of its body in its header, if the header has counts.
fn with_counts(hunk: &[u8]) -> Vec<u8> {
    let end = memchr::memchr(b'\n', hunk).map_or(hunk.len(), |newline| newline + 1);
    let (header, body) = hunk.split_at(end);
    let Some(section) = section(header) else {
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

fn section(header: &[u8]) -> Option<HunkHeader<'_>> {
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
