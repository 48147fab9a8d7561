//! Repairs the texts that a block or an edit searches for, in the same way as the hunks of a diff.
//!
//! The old and the new text become a hunk without a header. One table of repairs therefore serves
//! every grammar.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::mem;
use std::ops::Range;

use super::chunk::{RawHunk, RawHunkHeader};
use super::compose::splice_lines;
use super::elision::{is_marker_moved, writes_elision};
use super::error::PlacementError;
use super::folded::{RepairedText, match_folded, with_newline};
use super::line::Line;
use super::lines::FileLines;
use super::place::place;
use super::refusal::describe;
use super::rows::StepBudget;
use super::{RepairError, RepairKind, RepairLog};
use crate::interrupt::Interrupt;
use crate::lines::{Budget, LineTable, SlidePosition, diff};
use crate::matching::{self, MismatchKind, TextChange};
use crate::plan::{
    Direction, Edit, EditOrder, EditTarget, LineKind, MatchMode, Operation, ReplaceCount,
    Replacement, Replacements,
};
use crate::text::{bom_length, lines, without_ending};

/// The number of bytes of a file per step: `SCAN` for a search, and `COMPARE` for a comparison on
/// all rungs.
const SCAN: usize = 64;
const COMPARE: usize = 4;

/// The repaired edits of one file.
#[derive(Clone, Debug)]
pub struct TextRepairs {
    /// The repaired edits.
    pub changes: Replacements,
    /// The repairs, each with the offset of the edit in the input, in bytes.
    pub rows: Vec<(usize, RepairKind)>,
}

/// Returns the repaired `changes` for a file with `content`. An edit stays unchanged if it matches,
/// or if none of its readings matches.
///
/// # Errors
///
/// Returns the reasons why the readings of some edits are not certain.
pub fn repair_texts(
    content: &[u8],
    changes: &Replacements,
    work: &mut StepBudget,
    interrupt: &Interrupt,
) -> Result<TextRepairs, Vec<RepairError>> {
    let mut changes = changes.clone();
    let Replacements {
        order, match_mode, ..
    } = changes;
    // One storage for each edit. The lines of the file borrow from all of them.
    let cells: Vec<_> = changes
        .edits
        .iter()
        .map(|_| TextStorage::default())
        .collect();
    let (mut rows, mut refusals) = (Vec::new(), Vec::new());
    let mut file = SearchedText {
        content: content.into(),
        lines: None,
        log: RepairLog::with_work(*work),
        interrupt,
    };
    for (edit, cells) in changes.edits.iter_mut().zip(&cells) {
        match repair_text(&mut file, edit, cells) {
            Ok(None) => {}
            Ok(Some(fixed)) => {
                (edit.target, edit.new) = (EditTarget::Lines(fixed.old), fixed.new);
                rows.extend(fixed.rows.into_iter().map(|row| (edit.span.start, row)));
            }
            Err(refusal) => refusals.push(*refusal),
        }
        if order == EditOrder::Sequential {
            // The next edit searches in the result of this one. An edit without a match changes
            // nothing here and is reported later.
            let alone = Replacements {
                order,
                match_mode,
                edits: vec![edit.clone()],
            };
            if let Ok((after, places)) =
                matching::replace_unexplained(&file.content, &alone, u64::MAX, interrupt)
            {
                file.write(after, &places, cells);
            }
        }
    }
    *work = file.log.work();
    if refusals.is_empty() {
        Ok(TextRepairs { changes, rows })
    } else {
        Err(refusals)
    }
}

/// The file in which edits search. Its lines are found once, and each edit replaces only its own
/// lines.
struct SearchedText<'f> {
    content: Cow<'f, [u8]>,
    lines: Option<FileLines<'f>>,
    log: RepairLog,
    interrupt: &'f Interrupt,
}

/// The memory to which the lines of a file point: the content when an edit first needs the lines,
/// and the text that the edit writes.
#[derive(Default)]
struct TextStorage {
    content: OnceCell<Vec<u8>>,
    written: OnceCell<Vec<u8>>,
}

impl<'f> SearchedText<'f> {
    /// Splits the current content into lines.
    fn find_lines(&mut self, storage: &'f TextStorage) -> Result<(), PlacementError> {
        if self.lines.is_none() {
            let content = storage.content.get_or_init(|| self.content.to_vec());
            self.lines = Some(FileLines::of(content, &mut self.log)?);
        }
        Ok(())
    }

    /// Records the content `after` an edit that changed the file at `places`. Only the lines from
    /// the first to the last change are replaced.
    fn write(&mut self, after: Vec<u8>, places: &[TextChange], storage: &'f TextStorage) {
        let ranges = || places.iter().map(|place| &place.placement.bytes);
        let start = ranges()
            .map(|range| range.start)
            .min()
            .unwrap_or(after.len());
        let end = ranges().map(|range| range.end).max().unwrap_or(start);
        let before = mem::replace(&mut self.content, after.into());
        let mark = bom_length(&before);
        // A change of the byte order mark invalidates the lines, which do not contain it.
        if start < mark {
            self.lines = None;
        }
        let Some(lines) = &mut self.lines else { return };
        // The replaced region consists of whole lines.
        let start = memchr::memrchr(b'\n', &before[mark..start]).map_or(mark, |at| mark + at + 1);
        let end = memchr::memchr(b'\n', &before[end..]).map_or(before.len(), |at| end + at + 1);
        let first = memchr::memchr_iter(b'\n', &before[mark..start]).count();
        let count = crate::text::lines(&before[start..end]).count();
        let written = self.content[start..self.content.len() - (before.len() - end)].to_vec();
        lines.replace(
            first..first + count,
            storage.written.get_or_init(|| written),
        );
    }
}

/// Returns the repaired `edit`; `None` if it matches, or if none of its readings matches.
///
/// An edit that matches several places exactly stays unchanged, so that strict mode reports these
/// places. If a block states its line, the line can select one of them.
fn repair_text<'f>(
    file: &mut SearchedText<'f>,
    edit: &Replacement,
    cells: &'f TextStorage,
) -> Result<Option<RepairedText>, Box<RepairError>> {
    let Some(old) = searched_text(edit) else {
        return Ok(None);
    };
    let refuse = |error| {
        let (kind, message, lines) = describe(edit.index.map_or(1, |index| index + 1), error);
        Box::new(RepairError {
            lines,
            ..RepairError::new(kind, None, edit.span, message)
        })
    };
    let lines = edit_lines(old, &edit.new);
    if writes_elision(&split_signs(&lines), false) {
        return Err(refuse(PlacementError::Elided));
    }
    file.log.spend(file.content.len() / SCAN).map_err(refuse)?;
    let exact = Replacements {
        match_mode: MatchMode::Exact,
        ..Replacements::of(vec![edit.clone()])
    };
    match matching::replace_unexplained(&file.content, &exact, u64::MAX, file.interrupt) {
        Ok(_) => return Ok(None),
        Err(misplaced) if edit.line.is_none() => {
            let is_several = |error: &matching::TextMismatch| {
                matches!(error.mismatch.kind, MismatchKind::Ambiguous { .. })
            };
            if misplaced.mismatches.iter().any(is_several) {
                return Ok(None);
            }
        }
        Err(_) => {}
    }
    // The text does not match exactly. A marker in both texts then represents lines of the file,
    // and it must be certain which of these lines change.
    if is_marker_moved(&split_signs(&lines)) {
        return Err(refuse(PlacementError::Elided));
    }
    let fixed = match split_both(old, &edit.new) {
        Some((old, new)) => place_body(file, &build_body(&old, &new), edit, cells),
        None => Err(PlacementError::NotFound),
    };
    match fixed {
        Ok(fixed) => Ok(Some(fixed)),
        Err(PlacementError::NotFound) => {
            file.log
                .spend(file.content.len() / COMPARE)
                .map_err(refuse)?;
            match_folded((&file.content, file.interrupt), old, edit, &refuse)
        }
        Err(PlacementError::NoChange) => Ok(None),
        Err(error) => Err(refuse(error)),
    }
}

/// Returns the text or the lines that must occur exactly once; `None` for other targets.
fn searched_text(edit: &Replacement) -> Option<&[u8]> {
    match &edit.target {
        EditTarget::Text {
            old,
            times: ReplaceCount::Once,
        }
        | EditTarget::Lines(old) => Some(old),
        _ => None,
    }
}

/// Returns whether `edit` inserts an elision marker. Replacements of all occurrences and of ranges
/// are not repaired, so they are not checked.
fn is_elided(edit: &Replacement) -> bool {
    let Some(old) = searched_text(edit) else {
        return false;
    };
    writes_elision(&split_signs(&edit_lines(old, &edit.new)), false)
}

/// Returns whether a hunk or a text edit of `operation` inserts an elision marker. `text` is the
/// patch.
#[must_use]
pub fn has_elision(operation: &Operation, text: &[u8]) -> bool {
    let hunks = match &operation.edit {
        Edit::Hunks(hunks) => hunks,
        Edit::Replacements(changes) => return changes.edits.iter().any(is_elided),
        _ => return false,
    };
    hunks.iter().any(|hunk| {
        let lines = hunk
            .lines(text, Direction::Forward)
            .map(|line| (line.kind, without_ending(line.text)));
        writes_elision(&lines.collect::<Vec<_>>(), hunk.anchor.is_numbered())
    })
}

/// Returns the lines of a hunk that changes `old` to `new`, each with its sign.
fn edit_lines(old: &[u8], new: &[u8]) -> Vec<Vec<u8>> {
    let [old, new] = [old, new].map(|text| {
        lines(text)
            .map(|(_, line)| without_ending(line))
            .collect::<Vec<_>>()
    });
    build_body(&old, &new)
}

fn split_signs(body: &[Vec<u8>]) -> Vec<(LineKind, &[u8])> {
    let kind = |line: &[u8]| match line[0] {
        b'-' => LineKind::Deletion,
        b'+' => LineKind::Insertion,
        _ => LineKind::Context,
    };
    body.iter().map(|line| (kind(line), &line[1..])).collect()
}

/// The lines of a text, without their terminators.
type TextLines<'t> = Vec<&'t [u8]>;

/// Returns the lines of both texts; `None` if the new text would join its last line with the next
/// line of the file.
fn split_both<'t>(old: &'t [u8], new: &'t [u8]) -> Option<(TextLines<'t>, TextLines<'t>)> {
    let split = |text: &'t [u8]| {
        text.split(|&byte| byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    };
    match (old.strip_suffix(b"\n"), new.strip_suffix(b"\n")) {
        (Some(old), Some(new)) => Some((split(old).collect(), split(new).collect())),
        (Some(old), None) if new.is_empty() => Some((split(old).collect(), Vec::new())),
        // If the old text has no final newline, it ends within a line or before the line's
        // terminator. The new text then ends at the same point.
        (None, _) => Some((split(old).collect(), split(new).collect())),
        (Some(_), None) => None,
    }
}

/// Returns the lines of a hunk that changes `old` to `new`, each with its sign. Lines in both texts
/// become context, so that the file keeps its white space and its characters there.
fn build_body(old: &[&[u8]], new: &[&[u8]]) -> Vec<Vec<u8>> {
    let [before, after] = [old, new].map(|lines| LineTable::new(lines.iter().copied()));
    let edits = diff(&before, &after, Budget::default(), SlidePosition::Last);
    let mut body = Vec::with_capacity(old.len() + new.len());
    let mut add =
        |sign: u8, lines: &[&[u8]]| body.extend(lines.iter().map(|line| [&[sign], *line].concat()));
    let mut at = 0;
    for edit in edits {
        add(b' ', &old[at..edit.old.start]);
        add(b'-', &old[edit.old.clone()]);
        add(b'+', &new[edit.new]);
        at = edit.old.end;
    }
    add(b' ', &old[at..]);
    body
}

/// Returns the lines of the file that `body` changes, and their replacement.
fn place_body<'f>(
    searched: &mut SearchedText<'f>,
    body: &[Vec<u8>],
    edit: &Replacement,
    cells: &'f TextStorage,
) -> Result<RepairedText, PlacementError> {
    let number = |(index, text)| Line::new(text, edit.span, index + 1);
    let lines: Vec<_> = body
        .iter()
        .map(Vec::as_slice)
        .enumerate()
        .map(number)
        .collect();
    let Some(&first) = lines.first() else {
        return Err(PlacementError::NoChange);
    };
    let header = RawHunkHeader {
        stated: edit.line,
        ..RawHunkHeader::default()
    };
    let chunk = RawHunk {
        is_text: true,
        ..RawHunk::new(header, lines, first, false)
    };
    searched.find_lines(cells)?;
    let Some(file) = &searched.lines else {
        return Err(PlacementError::BudgetExceeded);
    };
    // The repairs of a reading without a place are not reported, but its steps count.
    let mut log = searched.log.fork();
    let fixed = place(file, &chunk, (0, false), &mut log).and_then(|one| {
        if edit.line.is_some_and(|line| line != one.lines.start + 1) {
            log.note(RepairKind::StartLine, 1);
        }
        // The result is searched as a text again, so it must occur only once.
        let range = extend_to_unique(file, one.lines.clone(), &mut log)?;
        let (old, new) = (
            file.all[range.clone()].concat(),
            splice_lines(file, &[one], range),
        );
        Ok((
            with_newline(old),
            if new.is_empty() {
                new
            } else {
                with_newline(new)
            },
        ))
    });
    searched.log.adopt_work(&log);
    let (old, new) = fixed?;
    let rows = log
        .into_rows()
        .into_iter()
        .chain(edit.line.map(|_| RepairKind::Envelope))
        .collect();
    Ok(RepairedText { old, new, rows })
}

/// Extends `range` by surrounding lines until this run of lines occurs only once. A line number may
/// have selected one of several places.
fn extend_to_unique(
    file: &FileLines<'_>,
    range: Range<usize>,
    log: &mut RepairLog,
) -> Result<Range<usize>, PlacementError> {
    let Range { mut start, mut end } = range;
    loop {
        if file.is_unique(&(start..end), log)? || start == 0 && end == file.all.len() {
            return Ok(start..end);
        }
        (start, end) = (start.saturating_sub(1), (end + 1).min(file.all.len()));
    }
}
