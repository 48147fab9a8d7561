//! The rows of a unit: its titles, its notes and its lines, wrapped to the width of the screen.
//!
//! A unit is divided into segments with a limited number of lines, so that the cost of a frame does
//! not depend on the size of a hunk.

use std::collections::HashMap;
use std::rc::Rc;

use crate::cli::review::reviewed::NoteKind;
use crate::cli::review::state::ReviewState;
use crate::engine::options::LineKind;
use crate::engine::{UnitLine, UnitText};
use crate::report::terminal::{Emphasis, StyledLine, TextStyle, style_lines, wrap_styled_line};

/// The number of lines in a segment.
pub(super) const SEGMENT_LINES: usize = 200;
/// The limit on the number of cached segments.
const MAX_SEGMENTS: usize = 400;
/// The width from which lines have the numbers of both files.
const TWO_NUMBERS_WIDTH: usize = 100;

/// One row of the screen.
#[derive(Clone, Debug)]
pub(super) struct ScreenRow {
    pub(super) kind: RowKind,
    pub(super) pieces: Vec<(TextStyle, String)>,
}

/// The kind of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// An empty row between units.
    Gap,
    FileTitle,
    /// The title of the unit.
    UnitTitle,
    Note(NoteKind),
    Line {
        kind: Option<LineKind>,
        /// The index of the line in the text of the unit.
        index: usize,
        /// The changed line, as a position in the lines of the unit.
        position: Option<usize>,
        /// The numbers and the sign; empty in a row that continues a line.
        gutter: String,
    },
}

/// The rows of the segments that were shown last.
#[derive(Default)]
pub(super) struct RowCache {
    segments: HashMap<(usize, usize), Rc<Vec<ScreenRow>>>,
    /// The width and the revision of the texts for which the rows were built.
    valid_for: (usize, usize),
}

impl RowCache {
    /// Returns the number of segments of a unit.
    pub(super) fn segment_count(state: &mut ReviewState<'_>, unit: usize) -> usize {
        state.text(unit).lines.len().div_ceil(SEGMENT_LINES).max(1)
    }

    /// Returns the rows of a segment.
    pub(super) fn rows(
        &mut self,
        state: &mut ReviewState<'_>,
        (unit, segment): (usize, usize),
        width: usize,
    ) -> Rc<Vec<ScreenRow>> {
        let valid_for = (width, state.revision());
        if self.valid_for != valid_for || self.segments.len() >= MAX_SEGMENTS {
            self.segments.clear();
            self.valid_for = valid_for;
        }
        if let Some(rows) = self.segments.get(&(unit, segment)) {
            return Rc::clone(rows);
        }
        let rows = Rc::new(build_rows(state, (unit, segment), width));
        self.segments.insert((unit, segment), Rc::clone(&rows));
        rows
    }
}

fn build_rows(
    state: &mut ReviewState<'_>,
    (unit, segment): (usize, usize),
    width: usize,
) -> Vec<ScreenRow> {
    let text = state.text(unit);
    let mut rows = if segment == 0 {
        title_rows(state, unit, width)
    } else {
        Vec::new()
    };
    let start = text.lines.len().min(segment * SEGMENT_LINES);
    let end = text.lines.len().min(start + SEGMENT_LINES);
    let lines: Vec<_> = text.lines[start..end]
        .iter()
        .map(|line| (line.kind.unwrap_or(LineKind::Context), text.text(line)))
        .collect();
    let file = state.choices().units()[unit].file;
    let path = state.patch().files[file].path.as_bytes();
    let styles = style_lines(path, &lines);
    let gutter = Gutter::of(&text, width);
    let changed = &state.choices().units()[unit].content.lines;
    for (index, styles) in (start..end).zip(&styles) {
        let line = &text.lines[index];
        let position = line
            .index
            .and_then(|index| changed.binary_search(&index).ok());
        push_line(&mut rows, (&text, index, position), styles, (gutter, width));
    }
    if end == text.lines.len() {
        rows.push(ScreenRow {
            kind: RowKind::Gap,
            pieces: Vec::new(),
        });
    }
    rows
}

/// Returns the title of the file before its first unit, the title of the unit, and the notes.
fn title_rows(state: &ReviewState<'_>, unit: usize, width: usize) -> Vec<ScreenRow> {
    let mut rows = Vec::new();
    let file = state.choices().units()[unit].file;
    let mut push = |kind: &RowKind, text: &str, width: usize, count: usize| {
        let wrapped = wrap_styled_line(text.as_bytes(), (&[], &[]), width);
        rows.extend(wrapped.into_iter().take(count).map(|row| ScreenRow {
            kind: kind.clone(),
            pieces: row.pieces,
        }));
    };
    if state.choices().file_units(file).start == unit {
        let shown = &state.patch().files[file];
        let counts = format!("+{} -{}", shown.added, shown.removed);
        let title = format!("{} {}  {counts}", shown.op, shown.title);
        push(&RowKind::FileTitle, &title, width, usize::MAX);
        for note in &shown.notes {
            push(&RowKind::Note(note.kind), &note.text, width, usize::MAX);
        }
    }
    let title = state.patch().unit_title(&state.choices().units()[unit]);
    push(&RowKind::UnitTitle, &title, width.saturating_sub(2), 1);
    for note in state.patch().unit_notes(unit) {
        push(&RowKind::Note(note.kind), &note.text, width, usize::MAX);
    }
    rows
}

/// The columns before the text of a line.
#[derive(Clone, Copy)]
struct Gutter {
    digits: usize,
    has_two_numbers: bool,
}

impl Gutter {
    fn of(text: &UnitText, width: usize) -> Self {
        let numbers = text
            .lines
            .iter()
            .flat_map(|line| [line.numbers.0, line.numbers.1]);
        let largest = numbers.flatten().max().unwrap_or(0);
        Self {
            digits: if largest == 0 {
                0
            } else {
                largest.to_string().len().max(3)
            },
            has_two_numbers: width >= TWO_NUMBERS_WIDTH,
        }
    }

    /// Returns the numbers and the sign of a line, and a blank.
    fn text(self, line: &UnitLine) -> String {
        let sign = match line.kind {
            Some(LineKind::Deletion) => '-',
            Some(LineKind::Insertion) => '+',
            _ => ' ',
        };
        let digits = self.digits;
        let number = |number: Option<usize>| match number {
            Some(number) => format!("{number:digits$}"),
            None => " ".repeat(digits),
        };
        let (old, new) = line.numbers;
        if digits == 0 {
            format!("{sign} ")
        } else if self.has_two_numbers {
            format!("{} {} {sign} ", number(old), number(new))
        } else {
            format!("{} {sign} ", number(new.or(old)))
        }
    }
}

fn push_line(
    rows: &mut Vec<ScreenRow>,
    (text, index, position): (&UnitText, usize, Option<usize>),
    styles: &StyledLine,
    (gutter, width): (Gutter, usize),
) {
    let line = &text.lines[index];
    let first = gutter.text(line);
    let blank = " ".repeat(first.len());
    let room = width.saturating_sub(first.len()).max(1);
    let kind = |gutter: &str| RowKind::Line {
        kind: line.kind,
        index,
        position,
        gutter: gutter.to_owned(),
    };
    let wrapped = wrap_styled_line(text.text(line), (&styles.marks, &styles.tokens), room);
    for row in wrapped {
        let gutter = if row.is_continuation { &blank } else { &first };
        rows.push(ScreenRow {
            kind: kind(gutter),
            pieces: row.pieces,
        });
    }
    if !line.has_line_feed && line.kind.is_some() {
        rows.push(ScreenRow {
            kind: kind(&blank),
            pieces: vec![(
                TextStyle {
                    emphasis: Emphasis::Escaped,
                    token: None,
                },
                "no newline at the end".to_owned(),
            )],
        });
    }
}
