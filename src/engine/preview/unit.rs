//! The parts of a patch that a reviewer decides on, and their lines.
//!
//! A part is a hunk, or an operation whose edit has no hunks. `--only` accepts the same parts.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use super::Preview;
use crate::path::RelPath;
use crate::plan::{Edit, EditTarget, Hunk, HunkLine, LineKind, Operation, Replacement};
use crate::syntax::WhitespaceComparison;
use crate::syntax::write::{hunks, labelled_diff};
use crate::text::lines;

/// The number of context lines around the difference of two replaced texts.
const CONTEXT: usize = 3;

/// The lines of one part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitText {
    /// The text that the lines refer to.
    pub(crate) bytes: Vec<u8>,
    pub(crate) lines: Vec<UnitLine>,
}

/// One line of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnitLine {
    /// The kind of the line; `None` for a heading.
    pub(crate) kind: Option<LineKind>,
    /// The line without marker and line feed, in [`UnitText::bytes`].
    pub(crate) text: Range<usize>,
    /// The line numbers in the old and in the new file, counted from 1, if they are known.
    pub(crate) numbers: (Option<usize>, Option<usize>),
    /// The index of the line in the body of its hunk, counted from 0.
    pub(crate) index: Option<usize>,
    pub(crate) has_line_feed: bool,
}

/// The lines of a part in the old and in the new file: the first one, counted from 1, and their
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitPlace {
    pub(crate) old: (usize, usize),
    pub(crate) new: (usize, usize),
}

impl UnitText {
    /// Returns the text of `line`.
    pub(crate) fn text(&self, line: &UnitLine) -> &[u8] {
        &self.bytes[line.text.clone()]
    }

    fn push(
        &mut self,
        kind: Option<LineKind>,
        line: &[u8],
        numbers: (Option<usize>, Option<usize>),
    ) {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.lines.push(UnitLine {
            kind,
            text: start..self.bytes.len(),
            numbers,
            index: None,
            has_line_feed: text.len() < line.len(),
        });
    }

    /// Adds lines of the file around the lines that the part replaces: `before` ends at the line
    /// before them, and `after` begins after them.
    pub(crate) fn add_context(&mut self, before: &[u8], after: &[u8], place: UnitPlace) {
        let changed = std::mem::take(&mut self.lines);
        let count = lines(before).count();
        let first = |start: usize| start.saturating_sub(count);
        self.push_context(before, (first(place.old.0), first(place.new.0)));
        self.lines.extend(changed);
        let end = |(start, count): (usize, usize)| start + count;
        self.push_context(after, (end(place.old), end(place.new)));
    }

    /// Adds context lines. `old` and `new` are the numbers of the first one.
    fn push_context(&mut self, text: &[u8], (mut old, mut new): (usize, usize)) {
        for (_, line) in lines(text) {
            self.push(Some(LineKind::Context), line, (Some(old), Some(new)));
            (old, new) = (old + 1, new + 1);
        }
    }

    /// Adds the hunks of a diff, each with a heading if there are several.
    fn push_diff(&mut self, diff: &[u8]) {
        let hunks = hunks(diff);
        for hunk in &hunks {
            if hunks.len() > 1 {
                let heading = format!("@@ -{} +{} @@", hunk.old.start, hunk.new.start);
                self.push(None, heading.as_bytes(), (None, None));
            }
            let mut counter = LineCounter::new(
                (hunk.old.start, hunk.old.count),
                (hunk.new.start, hunk.new.count),
            );
            for line in &hunk.lines {
                let Some((marker, text)) = line.split_first() else {
                    continue;
                };
                let kind = match marker {
                    b'-' => LineKind::Deletion,
                    b'+' => LineKind::Insertion,
                    b'\\' => {
                        if let Some(last) = self.lines.last_mut() {
                            last.has_line_feed = false;
                        }
                        continue;
                    }
                    _ => LineKind::Context,
                };
                self.push(Some(kind), text, counter.next(kind));
                if let Some(last) = self.lines.last_mut() {
                    last.has_line_feed = true;
                }
            }
        }
    }
}

/// Counts the lines of both files.
struct LineCounter {
    old: usize,
    new: usize,
}

impl LineCounter {
    /// Starts at two ranges, given as first line and count. The start of an empty range is the line
    /// before it.
    fn new(old: (usize, usize), new: (usize, usize)) -> Self {
        let first = |(start, count): (usize, usize)| start + usize::from(count == 0);
        Self {
            old: first(old),
            new: first(new),
        }
    }

    /// Returns the numbers of the next line.
    fn next(&mut self, kind: LineKind) -> (Option<usize>, Option<usize>) {
        let (is_old, is_new) = (kind != LineKind::Insertion, kind != LineKind::Deletion);
        let numbers = (is_old.then_some(self.old), is_new.then_some(self.new));
        self.old += usize::from(is_old);
        self.new += usize::from(is_new);
        numbers
    }
}

impl Preview<'_> {
    /// Returns the operations of the report.
    pub(crate) fn operations(&self) -> &[Operation] {
        &self.plan.operations
    }

    /// Returns the text of the patch with the index `input`, after mail decoding.
    pub(crate) fn input(&self, input: usize) -> &[u8] {
        &self.plan.inputs[input].bytes
    }

    /// Returns the hunks of the operation; `None` if its edit is not divided into hunks.
    pub(crate) fn patch_hunks(&self, operation: usize) -> Option<&[Hunk]> {
        match &self.plan.operations[operation].edit {
            Edit::Hunks(hunks) if !hunks.is_empty() => Some(hunks),
            _ => None,
        }
    }

    /// Returns the lines of a hunk of an operation, in the direction of application.
    pub(crate) fn hunk_lines(
        &self,
        operation: usize,
        hunk: usize,
    ) -> impl Iterator<Item = HunkLine<'_>> {
        let operation = &self.plan.operations[operation];
        let hunks: &[Hunk] = match &operation.edit {
            Edit::Hunks(hunks) => hunks,
            _ => &[],
        };
        let text = self.plan.text(operation);
        let hunk = hunks.get(hunk).into_iter();
        hunk.flat_map(|hunk| hunk.lines(text, operation.direction))
    }

    /// Returns for each operation whether another operation reads or changes the same file.
    pub(crate) fn shared_paths(&self) -> Vec<bool> {
        let paths = |operation: &'_ Operation| -> Vec<RelPath> {
            let from = operation
                .from
                .clone()
                .filter(|from| *from != operation.path);
            [operation.path.clone()].into_iter().chain(from).collect()
        };
        let mut counts: HashMap<RelPath, usize> = HashMap::new();
        for path in self.plan.operations.iter().flat_map(paths) {
            *counts.entry(path).or_default() += 1;
        }
        let operations = self.plan.operations.iter();
        let is_shared =
            |operation: &Operation| paths(operation).iter().any(|path| counts[path] > 1);
        operations.map(is_shared).collect()
    }

    /// Returns the lines of a hunk, with the numbers of the lines where it applies, or else of the
    /// lines that the patch states.
    pub(crate) fn hunk_text(&self, operation: usize, hunk: usize) -> UnitText {
        let report = self.report.find_file(operation);
        let report = report.and_then(|file| file.hunk(hunk));
        let applied = report.and_then(|hunk| hunk.applied.as_ref());
        let stated = report.map(|hunk| &hunk.patch);
        let mut counter = match (applied, stated) {
            (Some(applied), _) => Some(LineCounter::new(
                (applied.old_start, applied.old_lines),
                (applied.new_start, applied.new_lines),
            )),
            (None, Some(stated)) => stated.old_start.zip(stated.new_start).map(|(old, new)| {
                LineCounter::new((old, stated.old_lines), (new, stated.new_lines))
            }),
            (None, None) => None,
        };
        let mut text = UnitText::default();
        for line in self.hunk_lines(operation, hunk) {
            let numbers = counter.as_mut().map(|counter| counter.next(line.kind));
            text.push(Some(line.kind), line.text, numbers.unwrap_or_default());
            if let Some(last) = text.lines.last_mut() {
                last.index = Some(line.index);
            }
        }
        text
    }

    /// Returns the lines where a hunk applies; `None` if it does not apply.
    pub(crate) fn hunk_place(&self, operation: usize, hunk: usize) -> Option<UnitPlace> {
        let applied = self
            .report
            .find_file(operation)?
            .hunk(hunk)?
            .applied
            .as_ref()?;
        // The stated start of an empty range is the line before it.
        let range = |start: usize, count: usize| (start + usize::from(count == 0), count);
        Some(UnitPlace {
            old: range(applied.old_start, applied.old_lines),
            new: range(applied.new_start, applied.new_lines),
        })
    }

    /// Returns the lines of an operation without hunks: its effect on the file. If no other operation
    /// changes the file, this is the effect of this operation alone.
    ///
    /// # Errors
    ///
    /// Returns an error if a file has changed since the check.
    pub(crate) fn effect_text(&self, operation: usize) -> io::Result<UnitText> {
        let mut text = UnitText::default();
        text.push_diff(&self.diff(operation)?.unwrap_or_default());
        if text.lines.is_empty() {
            text = self.stated_text(operation);
        }
        Ok(text)
    }

    /// Returns the lines of an operation without hunks as the patch states them.
    pub(crate) fn stated_text(&self, operation: usize) -> UnitText {
        let operation = &self.plan.operations[operation];
        let mut text = UnitText::default();
        if let Edit::Replacements(changes) = &operation.edit {
            for edit in &changes.edits {
                text.push_diff(&replacement_diff(edit));
            }
        }
        let is_change = !matches!(
            operation.edit,
            Edit::Keep | Edit::Hunks(_) | Edit::Directory
        );
        if text.lines.is_empty() && is_change {
            for (_, line) in lines(operation.span.slice(self.plan.text(operation))) {
                text.push(Some(LineKind::Context), line, (None, None));
            }
        }
        text
    }
}

/// Returns the difference of the two texts of `edit`.
fn replacement_diff(edit: &Replacement) -> Vec<u8> {
    let old = match &edit.target {
        EditTarget::Text { old, .. } | EditTarget::Lines(old) => old,
        EditTarget::EmptyFile
        | EditTarget::Range { .. }
        | EditTarget::After(_)
        | EditTarget::Before(_)
        | EditTarget::Symbol(_)
        | EditTarget::End(_) => &Vec::new(),
    };
    labelled_diff(
        (b"", old),
        (b"", &edit.new),
        (CONTEXT, WhitespaceComparison::Exact),
    )
    .text
}
