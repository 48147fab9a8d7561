//! The patch under review: its files and units, and the notes that a reviewer must see.

use std::collections::{HashMap, HashSet};
use std::io;

use super::choices::{Choices, Unit, UnitContent};
use crate::engine::options::{LineKind, Severity, Verdict};
use crate::engine::{Preview, UnitPlace, UnitText};
use crate::path::RelPath;
use crate::report::terminal::{MAX_STYLED_LINE_BYTES, file_title, hunk_notes};
use crate::report::{FileReport, FileStatus, HunkStatus, NearestPlace, Op, Report};
use crate::text::{has_hidden_characters, printable};

/// The permissions, the size, the modification time in seconds and nanoseconds, and the inode of a file.
pub(super) type Fingerprint = (u32, u64, i64, u32, u64);

/// The patch, with the effect that it has on the present tree.
pub(super) struct ReviewedPatch<'w> {
    pub(super) preview: Preview<'w>,
    pub(super) files: Vec<ReviewedFile>,
    /// The notes about each unit.
    unit_notes: Vec<Vec<Note>>,
}

/// A file of the patch.
#[derive(Clone, Debug)]
pub(super) struct ReviewedFile {
    pub(super) path: RelPath,
    pub(super) op: Op,
    /// The names, the mode and the type, without escape sequences.
    pub(super) title: String,
    pub(super) added: usize,
    pub(super) removed: usize,
    pub(super) notes: Vec<Note>,
    /// The digest of the content and the mode that the patch was checked against; `None` if the file
    /// did not exist or was not read.
    pub(super) before: (Option<String>, Option<&'static str>),
    /// Whether another operation of the patch changes the same file. The effect of the operation then
    /// depends on the other one.
    pub(super) is_shared: bool,
}

/// Something that a reviewer must see. The text has no escape sequences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) text: String,
    pub(super) kind: NoteKind,
}

/// The importance of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoteKind {
    /// The part does not apply.
    Problem,
    /// The part applies, but needs attention.
    Attention,
}

impl Note {
    fn attention(text: &str) -> Self {
        Self {
            text: printable(text.as_bytes()).to_string(),
            kind: NoteKind::Attention,
        }
    }

    pub(super) fn is_problem(&self) -> bool {
        self.kind == NoteKind::Problem
    }

    fn problem(text: &str) -> Self {
        Self {
            kind: NoteKind::Problem,
            ..Self::attention(text)
        }
    }
}

impl<'w> ReviewedPatch<'w> {
    /// Returns the patch of `preview` and the undecided choices for it.
    pub(super) fn new(preview: Preview<'w>) -> (Self, Choices) {
        let operations = preview.operations();
        let (shared, mut notes) = (preview.shared_paths(), NoteIndex::new(&preview.report));
        let mut files = Vec::with_capacity(operations.len());
        for (index, operation) in operations.iter().enumerate() {
            let report = preview.report.find_file(index);
            let title = report.map_or_else(
                || printable(operation.path.as_bytes()).to_string(),
                file_title,
            );
            files.push(ReviewedFile {
                path: operation.path.clone(),
                op: report.map_or(Op::Modify, |file| file.op),
                title,
                added: report.map_or(0, |file| file.added),
                removed: report.map_or(0, |file| file.removed),
                notes: report.map_or_else(Vec::new, |file| notes.of_file(file)),
                before: report.map_or((None, None), state_before),
                is_shared: shared[index],
            });
        }
        let units = |index: usize| {
            let number = operations[index].number + 1;
            (format!("f{number}"), units_of(&preview, index))
        };
        let choices = Choices::new((0..operations.len()).map(units));
        let unit_notes = choices.units().iter().map(|unit| {
            let found = notes.hunks.remove(&unit.id).unwrap_or_default();
            add_hunk_notes(&preview, unit, found)
        });
        let unit_notes = unit_notes.collect();
        let patch = Self {
            preview,
            files,
            unit_notes,
        };
        (patch, choices)
    }

    /// Returns the path of a file before the change.
    pub(super) fn old_path(&self, file: usize) -> &RelPath {
        let operation = &self.preview.operations()[file];
        operation.from.as_ref().unwrap_or(&operation.path)
    }

    /// Returns the paths of all files before and after the change.
    pub(super) fn paths(&self) -> impl Iterator<Item = &RelPath> {
        let operations = self.preview.operations().iter();
        operations.flat_map(|operation| [&operation.path].into_iter().chain(&operation.from))
    }

    /// Returns the values of [`Self::paths`] for each file.
    pub(super) fn fingerprints_by_file<'f>(
        &self,
        values: &'f [Option<Fingerprint>],
    ) -> Vec<&'f [Option<Fingerprint>]> {
        let mut rest = values;
        let operations = self.preview.operations().iter();
        let of_file = operations.map(|operation| {
            let count = 1 + usize::from(operation.from.is_some());
            let (own, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            own
        });
        of_file.collect()
    }

    /// Adds a note that a file has changed during the review.
    pub(super) fn mark_changed(&mut self, file: usize) {
        let note = Note::attention("the file changed during the review");
        self.files[file].notes.insert(0, note);
    }

    pub(super) fn report(&self) -> &Report {
        &self.preview.report
    }

    /// Returns the notes about the unit with the index `unit`, without those about its file.
    pub(super) fn unit_notes(&self, unit: usize) -> &[Note] {
        self.unit_notes.get(unit).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a reviewer must look at the unit: it has a note, or is the first unit of a
    /// file with a note.
    pub(super) fn is_notable(&self, choices: &Choices, unit: usize) -> bool {
        let file = choices.units()[unit].file;
        !self.unit_notes(unit).is_empty()
            || choices.file_units(file).start == unit && !self.files[file].notes.is_empty()
    }

    /// Returns the `id` of a unit, the lines where it applies, or else those that the patch states,
    /// and its section heading.
    pub(super) fn unit_title(&self, unit: &Unit) -> String {
        let file = self.report().find_file(unit.file);
        let Some(hunk) = unit.content.hunk.and_then(|hunk| file?.hunk(hunk)) else {
            return unit.id.clone();
        };
        let stated = &hunk.patch;
        let starts = match &hunk.applied {
            Some(applied) => Some((applied.old_start, applied.new_start)),
            None => stated.old_start.zip(stated.new_start),
        };
        let place = starts.map_or_else(String::new, |(old, new)| {
            format!(
                "  @@ -{old},{} +{new},{} @@",
                stated.old_lines, stated.new_lines
            )
        });
        let section = printable(stated.section.trim().as_bytes()).to_string();
        format!("{}{place}  {section}", unit.id)
            .trim_end()
            .to_owned()
    }

    /// Returns the lines of a unit.
    ///
    /// # Errors
    ///
    /// Returns an error if a file has changed since the check.
    pub(super) fn text(&self, unit: &Unit) -> io::Result<UnitText> {
        if let Some(hunk) = unit.content.hunk {
            return Ok(self.preview.hunk_text(unit.file, hunk));
        }
        if self.files[unit.file].is_shared {
            Ok(self.preview.stated_text(unit.file))
        } else {
            self.preview.effect_text(unit.file)
        }
    }

    /// Returns the lines of a hunk in the file. `None` if it does not apply, or if its lines depend
    /// on other operations.
    pub(super) fn place(&self, unit: &Unit) -> Option<UnitPlace> {
        let hunk = unit
            .content
            .hunk
            .filter(|_| !self.files[unit.file].is_shared)?;
        self.preview.hunk_place(unit.file, hunk)
    }
}

/// Returns the digest and the mode of a file before the change.
pub(super) fn state_before(file: &FileReport) -> (Option<String>, Option<&'static str>) {
    (file.sha256_before.clone(), file.mode.old)
}

/// Returns the notes about the closest match of a hunk that does not apply, and about the first line
/// that differs there.
fn closest_match(nearest: &NearestPlace) -> Vec<Note> {
    let NearestPlace {
        line, matched, of, ..
    } = nearest;
    let mut notes = vec![format!(
        "closest match: line {line} ({matched} of {of} lines match)"
    )];
    if let Some(difference) = &nearest.first_difference {
        let line = difference.file_line;
        notes.push(format!("expected in line {line}: {}", difference.expected));
        notes.push(match &difference.found {
            Some(found) => {
                let reason = difference
                    .reason
                    .map(|reason| format!(" ({})", reason.name()));
                format!(
                    "found in line {line}{}: {found}",
                    reason.unwrap_or_default()
                )
            }
            None => format!("the file ends before line {line}"),
        });
    }
    notes.iter().map(|text| Note::attention(text)).collect()
}

/// Adds the notes about a hunk and its lines to those of the report.
fn add_hunk_notes(preview: &Preview<'_>, unit: &Unit, mut notes: Vec<Note>) -> Vec<Note> {
    let Some(hunk) = unit.content.hunk else {
        return notes;
    };
    let report = preview.report.find_file(unit.file);
    if let Some(report) = report.and_then(|file| file.hunk(hunk)) {
        let is_missing = report.status == HunkStatus::NotFound && notes.is_empty();
        notes.extend(is_missing.then(|| Note::problem("the hunk does not match")));
        let nearest = report.nearest.iter();
        notes.extend(nearest.flat_map(|nearest| closest_match(nearest)));
        let is_unplaced = report.status == HunkStatus::Unplaced && report.applied.is_none();
        notes.extend(is_unplaced.then(|| Note::attention("the hunk was not searched for")));
        notes.extend(hunk_notes(report).iter().map(|text| Note::attention(text)));
    }
    let lines = || preview.hunk_lines(unit.file, hunk);
    let mut added = lines().filter(|line| line.kind == LineKind::Insertion);
    if added.any(|line| has_hidden_characters(line.text)) {
        notes.push(Note::attention("adds invisible characters"));
    }
    if lines().map(|line| line.text.len()).max() > Some(MAX_STYLED_LINE_BYTES) {
        let text = format!("lines over {MAX_STYLED_LINE_BYTES} bytes are cut");
        notes.push(Note::attention(&text));
    }
    notes
}

/// Returns the units of the operation with the index `operation`.
fn units_of(preview: &Preview<'_>, operation: usize) -> Vec<UnitContent> {
    let Some(hunks) = preview.patch_hunks(operation) else {
        return vec![UnitContent::default()];
    };
    let unit = |hunk: usize| {
        let mut content = UnitContent {
            hunk: Some(hunk),
            ..UnitContent::default()
        };
        let mut is_in_block = false;
        for line in preview.hunk_lines(operation, hunk) {
            if line.kind == LineKind::Context {
                is_in_block = false;
                continue;
            }
            let position = content.lines.len();
            content.lines.push(line.index);
            match content.blocks.last_mut().filter(|_| is_in_block) {
                Some(last) => last.end = position + 1,
                None => content.blocks.push(position..position + 1),
            }
            is_in_block = true;
        }
        content
    };
    (0..hunks.len()).map(unit).collect()
}

/// The notes of a report by the `id` of their file or hunk.
struct NoteIndex {
    files: HashMap<String, Vec<Note>>,
    hunks: HashMap<String, Vec<Note>>,
    /// The files with notes about hunks.
    files_of_hunks: HashSet<String>,
}

impl NoteIndex {
    fn new(report: &Report) -> Self {
        let mut index = Self {
            files: HashMap::new(),
            hunks: HashMap::new(),
            files_of_hunks: HashSet::new(),
        };
        for problem in &report.problems {
            let note = match problem.severity {
                Severity::Error => Note::problem(&problem.message),
                _ => Note::attention(&problem.message),
            };
            match (&problem.file, &problem.hunk) {
                (file, Some(hunk)) => {
                    index.files_of_hunks.extend(file.clone());
                    index.hunks.entry(hunk.clone()).or_default().push(note);
                }
                (Some(file), None) => index.files.entry(file.clone()).or_default().push(note),
                // The first file is the place for notes about the whole patch.
                (None, None) => index.files.entry("f1".to_owned()).or_default().push(note),
            }
        }
        for repair in report.inputs.iter().flat_map(|input| &input.repairs) {
            if let Some(file) = &repair.file {
                let note = Note::attention(&format!(
                    "repaired line {} of the patch: {}",
                    repair.line, repair.message
                ));
                index.files.entry(file.clone()).or_default().push(note);
            }
        }
        let diagnostics = report.diagnostics.iter().flat_map(|found| &found.new);
        for diagnostic in diagnostics {
            let files = report.files.iter();
            let of_path =
                |file: &&FileReport| crate::report::path_text(&file.path) == diagnostic.path;
            if let Some(file) = files.rev().find(of_path) {
                let note = Note::attention(&format!(
                    "{} in line {}: {}",
                    diagnostic.severity, diagnostic.line, diagnostic.message
                ));
                index.files.entry(file.id.clone()).or_default().push(note);
            }
        }
        index
    }

    /// Takes the notes about a file and its policy.
    fn of_file(&mut self, file: &FileReport) -> Vec<Note> {
        let mut notes = self.files.remove(&file.id).unwrap_or_default();
        if file.status == FileStatus::NoChange {
            notes.push(Note::attention("already applied"));
        }
        for hit in file.policy.iter().filter(|hit| hit.verdict == Verdict::Ask) {
            notes.push(Note::attention(&format!(
                "needs approval: {} (rule `{}`)",
                hit.message, hit.rule
            )));
        }
        let mode = (file.mode.old, file.mode.new);
        if mode.1 == Some("100755") && mode.0 != mode.1 {
            notes.push(Note::attention("becomes executable"));
        }
        let has_hunk_note = self.files_of_hunks.contains(&file.id);
        if file.is_rejected() && notes.is_empty() && !has_hunk_note {
            notes.push(Note::problem(&file.status.to_string().replace('_', " ")));
        }
        notes
    }
}
