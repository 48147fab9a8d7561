//! The choice of files, hunks and lines (`--only`), by the numbers and ids that the report of a
//! check shows.

mod error;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::hunk::LineSelectionError;
use super::{Action, Edit, LineKind, Operation, Plan};
use crate::path::RelPath;
use crate::text::Lines;

pub use error::HunkSelectionError;

/// A choice of files, hunks and lines of a patch, parsed from a list such as `1,3-4,f6,f7h2`.
///
/// The list contains numbers of files (counted from 1), ranges of them, and the `id`s of files and
/// hunks. The report of a check with the same other options shows these ids. `f7h2:3-5` selects lines
/// of a hunk, counted from 1 below its header. Lines with a `\` count, too. The other changed lines of
/// the hunk are not applied: its other deletions stay, and its other insertions are left out.
///
/// # Examples
///
/// ```
/// use wpatch::plan::HunkSelection;
///
/// assert!("1,3-4,f6,f7h2,f8h1:3-5".parse::<HunkSelection>().is_ok());
/// assert!("1,,2".parse::<HunkSelection>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HunkSelection(Vec<SelectionItem>);

/// One word of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SelectionItem {
    word: String,
    /// The first and the last file, counted from 1. A number that does not fit into a `usize`
    /// becomes [`usize::MAX`].
    files: (usize, usize),
    /// The hunk, counted from 1.
    hunk: Option<usize>,
    /// The first and the last line in the hunk, counted from 1.
    lines: Option<(usize, usize)>,
}

/// A file, a hunk or a range of lines that the choice leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedItem {
    /// The [`Operation::number`] of the file.
    pub file: usize,
    /// The hunk in the file, counted from 0; `None` for the whole file.
    pub hunk: Option<usize>,
    /// The indexes of the changed lines in the hunk, counted from 0; `None` for the whole hunk.
    pub lines: Option<Range<usize>>,
    /// The path of the file.
    pub path: RelPath,
}

impl ExcludedItem {
    fn of(operation: &Operation, hunk: Option<usize>, lines: Option<Range<usize>>) -> Self {
        Self {
            file: operation.number,
            hunk,
            lines,
            path: operation.path.clone(),
        }
    }
}

impl FromStr for HunkSelection {
    type Err = HunkSelectionError;

    fn from_str(list: &str) -> Result<Self, HunkSelectionError> {
        list.split(',')
            .map(|word| SelectionItem::parse(word.trim()))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl TryFrom<String> for HunkSelection {
    type Error = HunkSelectionError;

    fn try_from(list: String) -> Result<Self, HunkSelectionError> {
        list.parse()
    }
}

impl From<HunkSelection> for String {
    fn from(only: HunkSelection) -> Self {
        only.to_string()
    }
}

impl fmt::Display for HunkSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.0.iter().map(|part| part.word.as_str()).collect();
        f.write_str(&words.join(","))
    }
}

/// Returns the file, counted from 1, of the `id` of a file, a hunk or lines of a hunk, such as `f6`,
/// `f7h2` or `f7h2:3-5`.
///
/// # Errors
///
/// Returns an error for any other text, such as a range.
pub fn parse_id(id: &str) -> Result<usize, HunkSelectionError> {
    let item = SelectionItem::parse(id)?;
    let has_lines = item.lines.is_none_or(|(first, _)| first > 0);
    let is_id = id.starts_with('f') && item.files.0 > 0 && item.hunk != Some(0) && has_lines;
    if is_id {
        Ok(item.files.0)
    } else {
        Err(HunkSelectionError::Unreadable(id.to_owned()))
    }
}

impl SelectionItem {
    /// Parses one word of the list. Whether the file, the hunk and the lines exist is checked later.
    fn parse(word: &str) -> Result<Self, HunkSelectionError> {
        let parts = || match word.strip_prefix('f') {
            Some(id) => {
                let Some((file, hunk)) = id.split_once('h') else {
                    let file = parse_number(id)?;
                    return Some(((file, file), None, None));
                };
                let file = parse_number(file)?;
                let (hunk, lines) = match hunk.split_once(':') {
                    Some((hunk, lines)) => (hunk, Some(parse_range(lines)?)),
                    None => (hunk, None),
                };
                Some(((file, file), Some(parse_number(hunk)?), lines))
            }
            None => Some((parse_range(word)?, None, None)),
        };
        let (files, hunk, lines) =
            parts().ok_or_else(|| HunkSelectionError::Unreadable(word.to_owned()))?;
        if [Some(files), lines]
            .into_iter()
            .flatten()
            .any(|(first, last)| last < first)
        {
            return Err(HunkSelectionError::Reversed(word.to_owned()));
        }
        Ok(Self {
            word: word.to_owned(),
            files,
            hunk,
            lines,
        })
    }
}

/// Parses digits. A number that is too large becomes [`usize::MAX`].
fn parse_number(digits: &str) -> Option<usize> {
    let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// Parses a number, or two numbers with a `-` between them.
fn parse_range(word: &str) -> Option<(usize, usize)> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    Some((parse_number(first)?, parse_number(last)?))
}

/// A selected hunk: its index, and the item that names it or lines of it.
type SelectedHunk<'i> = (usize, &'i SelectionItem);

/// Removes the operations and hunks that `only` does not name, and returns them. Of hunks of which it
/// names lines, the other changed lines are removed.
///
/// # Errors
///
/// Returns an error for the first word that names no file or hunk, for lines that do not exist or do
/// not change, and for a selection that would join two lines.
pub(super) fn keep_selected(
    plan: &mut Plan,
    only: &HunkSelection,
) -> Result<Vec<ExcludedItem>, HunkSelectionError> {
    let count = plan.operations.len();
    // The number of ranges that start and that end before each file. The list can name the same
    // files many times, so marking every file of each range would not be linear.
    let (mut begins, mut ends) = (vec![0_usize; count + 1], vec![0_usize; count + 1]);
    let mut hunks: Vec<Vec<SelectedHunk<'_>>> = vec![Vec::new(); count];
    for item in &only.0 {
        let (first, last) = item.files;
        if !(1..=count).contains(&first) || !(first..=count).contains(&last) {
            return Err(HunkSelectionError::NoFile {
                word: item.word.clone(),
                files: count,
            });
        }
        if let Some(hunk) = item.hunk {
            let index = hunk_index(&plan.operations[first - 1], &item.word, hunk)?;
            hunks[first - 1].push((index, item));
        } else {
            begins[first - 1] += 1;
            ends[last] += 1;
        }
    }
    // `open` is the number of ranges that contain the current file.
    let (mut left_out, mut open) = (Vec::new(), 0);
    let operations = std::mem::take(&mut plan.operations).into_iter();
    for (index, (mut operation, mut selected)) in operations.zip(hunks).enumerate() {
        open = open + begins[index] - ends[index];
        if open == 0 {
            if selected.is_empty() {
                left_out.push(ExcludedItem::of(&operation, None, None));
                continue;
            }
            selected.sort_unstable_by_key(|&(hunk, _)| hunk);
            let text = &plan.inputs[operation.input].bytes;
            keep_hunks(&mut operation, &selected, text, &mut left_out)?;
        }
        plan.operations.push(operation);
    }
    Ok(left_out)
}

/// Keeps only the hunks `selected`, which are sorted, and appends the others to `left_out`.
fn keep_hunks(
    operation: &mut Operation,
    selected: &[SelectedHunk<'_>],
    text: &[u8],
    left_out: &mut Vec<ExcludedItem>,
) -> Result<(), HunkSelectionError> {
    let is_selected = |hunk: &usize| selected.binary_search_by_key(hunk, |item| item.0).is_ok();
    let others: Vec<_> = (0..count_selectable_hunks(operation))
        .filter(|hunk| !is_selected(hunk))
        .collect();
    let excluded = |&hunk: &usize| ExcludedItem::of(operation, Some(hunk), None);
    left_out.extend(others.iter().map(excluded));
    operation.left_out = others.into();
    for items in selected.chunk_by(|one, other| one.0 == other.0) {
        if items.iter().all(|(_, item)| item.lines.is_some()) {
            let hunk = items[0].0;
            for lines in select_lines(operation, hunk, items, text)? {
                left_out.push(ExcludedItem::of(operation, Some(hunk), Some(lines)));
            }
        }
    }
    Ok(())
}

/// Selects the lines that `items` name in the hunk with the index `index`. Returns the ranges of the
/// other changed lines. A deletion of which lines stay becomes a modification.
fn select_lines(
    operation: &mut Operation,
    index: usize,
    items: &[SelectedHunk<'_>],
    text: &[u8],
) -> Result<Vec<Range<usize>>, HunkSelectionError> {
    let (file, direction) = (operation.number + 1, operation.direction);
    let Edit::Hunks(hunks) = &mut operation.edit else {
        let word = items[0].1.word.clone();
        return Err(HunkSelectionError::Indivisible { word, file });
    };
    let hunk = &mut hunks[index];
    let count = Lines::of_span(text, hunk.body).count();
    let changed: Vec<_> = hunk
        .lines(text, direction)
        .filter(|line| line.kind != LineKind::Context)
        .map(|line| line.index)
        .collect();
    // The number of ranges that start and that end before each line.
    let (mut begins, mut ends) = (vec![0_usize; count + 1], vec![0_usize; count + 1]);
    for (_, item) in items {
        let word = || item.word.clone();
        let (first, last) = item.lines.unwrap_or_default();
        let Some(start) = first.checked_sub(1).filter(|_| last <= count) else {
            return Err(HunkSelectionError::NoLine {
                word: word(),
                lines: count,
            });
        };
        let next = changed.partition_point(|&line| line < start);
        if changed.get(next).is_none_or(|&line| line >= last) {
            return Err(HunkSelectionError::Unchanged { word: word() });
        }
        begins[start] += 1;
        ends[last] += 1;
    }
    let mut open = 0;
    let is_selected: Vec<_> = begins
        .iter()
        .zip(&ends)
        .map(|(begins, ends)| {
            open = open + begins - ends;
            open > 0
        })
        .collect();
    let left = hunk
        .select_lines(text, direction, |line| is_selected[line])
        .map_err(
            |LineSelectionError::Unterminated(line)| HunkSelectionError::Unterminated {
                hunk: format!("f{file}h{}", index + 1),
                line: line + 1,
            },
        )?;
    if !left.is_empty() && operation.action == Action::Delete {
        operation.action = Action::Modify;
    }
    Ok(left)
}

/// Converts the number `hunk`, counted from 1, to an index.
fn hunk_index(operation: &Operation, word: &str, hunk: usize) -> Result<usize, HunkSelectionError> {
    let hunks = count_selectable_hunks(operation);
    match hunk.checked_sub(1) {
        Some(index) if index < hunks => Ok(index),
        _ if matches!(operation.edit, Edit::Hunks(_)) || hunks > 0 => {
            Err(HunkSelectionError::NoHunk {
                word: word.to_owned(),
                hunks,
            })
        }
        _ => Err(HunkSelectionError::Indivisible {
            word: word.to_owned(),
            file: operation.number + 1,
        }),
    }
}

/// Returns the number of hunks that `--only` can select separately: the hunks of a diff, or the only
/// edit in another grammar.
pub(crate) fn count_selectable_hunks(operation: &Operation) -> usize {
    match &operation.edit {
        Edit::Hunks(hunks) => hunks.len(),
        Edit::Replacements(changes) => usize::from(changes.edits.len() == 1),
        Edit::Lines(changes) => usize::from(changes.edits.len() == 1),
        Edit::Cell(_) => 1,
        Edit::Keep
        | Edit::Binary(_)
        | Edit::BinaryMissing
        | Edit::Restore(_)
        | Edit::Directory
        | Edit::Whole(_) => 0,
    }
}

#[cfg(test)]
mod tests;
