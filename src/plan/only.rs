//! The choice of files and hunks (`--only`), by the numbers and ids that the report of a check
//! shows.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Edit, Operation};
use crate::path::RelPath;

/// A choice of files and hunks of a patch, parsed from a list such as `1,3-4,f6,f7h2`.
///
/// The list contains numbers of files (counted from 1), ranges of them, and the `id`s of files and
/// hunks. The report of a check with the same other options shows these ids.
///
/// # Examples
///
/// ```
/// use wpatch::plan::HunkSelection;
///
/// assert!("1,3-4,f6,f7h2".parse::<HunkSelection>().is_ok());
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
}

/// The errors in a choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HunkSelectionError {
    /// The word is not a number, a range or an id.
    #[error("`{0}` is not a number, range or id; expected a list such as 1,3-4,f6,f7h2")]
    Unreadable(String),
    /// The word is a range whose last number is smaller than its first one.
    #[error("the range {0} is reversed; write the smaller number first")]
    Reversed(String),
    /// The word names a file that does not exist in the patch.
    #[error("{word} is not a file of the patch, which has {}", counted(*files, "file"))]
    NoFile {
        /// The word of the list.
        word: String,
        /// The number of files in the patch.
        files: usize,
    },
    /// The word names a hunk that does not exist in its file.
    #[error("{word} is not a hunk of its file, which has {}", counted(*hunks, "hunk"))]
    NoHunk {
        /// The word of the list.
        word: String,
        /// The number of hunks in the file.
        hunks: usize,
    },
    /// The word names a part of a file that can only be chosen as a whole.
    #[error("{word} is not a hunk of a diff; select the whole file with f{file}")]
    Indivisible {
        /// The word of the list.
        word: String,
        /// The file, counted from 1.
        file: usize,
    },
}

/// A file or hunk that the choice leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedItem {
    /// The [`Operation::number`] of the file.
    pub file: usize,
    /// The hunk in the file, counted from 0; `None` for the whole file.
    pub hunk: Option<usize>,
    /// The path of the file.
    pub path: RelPath,
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

/// Returns the file, counted from 1, of the `id` of a file or a hunk, such as `f6` or `f7h2`.
///
/// # Errors
///
/// Returns an error for any other text, such as a range.
pub fn parse_id(id: &str) -> Result<usize, HunkSelectionError> {
    let item = SelectionItem::parse(id)?;
    let is_id = id.starts_with('f') && item.files.0 > 0 && item.hunk != Some(0);
    if is_id {
        Ok(item.files.0)
    } else {
        Err(HunkSelectionError::Unreadable(id.to_owned()))
    }
}

impl SelectionItem {
    /// Parses one word of the list. Whether the file and the hunk exist is checked later.
    fn parse(word: &str) -> Result<Self, HunkSelectionError> {
        let parts = || match word.strip_prefix('f') {
            Some(id) => match id.split_once('h') {
                Some((file, hunk)) => Some((
                    parse_number(file)?,
                    parse_number(file)?,
                    Some(parse_number(hunk)?),
                )),
                None => Some((parse_number(id)?, parse_number(id)?, None)),
            },
            None => match word.split_once('-') {
                Some((first, last)) => Some((parse_number(first)?, parse_number(last)?, None)),
                None => Some((parse_number(word)?, parse_number(word)?, None)),
            },
        };
        let (first, last, hunk) =
            parts().ok_or_else(|| HunkSelectionError::Unreadable(word.to_owned()))?;
        if last < first {
            return Err(HunkSelectionError::Reversed(word.to_owned()));
        }
        Ok(Self {
            word: word.to_owned(),
            files: (first, last),
            hunk,
        })
    }
}

/// Returns a number with its noun.
fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Parses digits. A number that is too large becomes [`usize::MAX`].
fn parse_number(digits: &str) -> Option<usize> {
    let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// Removes the operations and hunks that `only` does not name, and returns them.
///
/// # Errors
///
/// Returns an error for the first word that names no file or hunk.
pub(super) fn keep_selected(
    operations: &mut Vec<Operation>,
    only: &HunkSelection,
) -> Result<Vec<ExcludedItem>, HunkSelectionError> {
    let count = operations.len();
    // The number of ranges that start and that end before each file. The list can name the same
    // files many times, so marking every file of each range would not be linear.
    let (mut begins, mut ends) = (vec![0_usize; count + 1], vec![0_usize; count + 1]);
    let mut hunks: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for SelectionItem {
        word,
        files: (first, last),
        hunk,
    } in &only.0
    {
        if !(1..=count).contains(first) || !(*first..=count).contains(last) {
            return Err(HunkSelectionError::NoFile {
                word: word.clone(),
                files: count,
            });
        }
        if let Some(hunk) = hunk {
            hunks[first - 1].insert(hunk_index(&operations[first - 1], word, *hunk)?);
        } else {
            begins[first - 1] += 1;
            ends[*last] += 1;
        }
    }
    // `open` is the number of ranges that contain the current file.
    let (mut left_out, mut open, mut index) = (Vec::new(), 0, 0);
    operations.retain_mut(|operation| {
        open = open + begins[index] - ends[index];
        let (path, chosen) = (&operation.path, &hunks[index]);
        index += 1;
        if open > 0 {
            return true;
        }
        let left = |hunk| ExcludedItem {
            file: operation.number,
            hunk,
            path: path.clone(),
        };
        if chosen.is_empty() {
            left_out.push(left(None));
            return false;
        }
        let others: Vec<_> = (0..count_hunks(operation))
            .filter(|hunk| !chosen.contains(hunk))
            .collect();
        left_out.extend(others.iter().map(|&hunk| left(Some(hunk))));
        operation.left_out = others.into();
        true
    });
    Ok(left_out)
}

/// Converts the number `hunk`, counted from 1, to an index.
fn hunk_index(operation: &Operation, word: &str, hunk: usize) -> Result<usize, HunkSelectionError> {
    let hunks = count_hunks(operation);
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

/// Returns the number of hunks that can be chosen separately: the hunks of a diff, or the only edit
/// in another grammar.
fn count_hunks(operation: &Operation) -> usize {
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
mod tests {
    use super::*;

    fn read(list: &str) -> Result<Vec<(usize, usize, Option<usize>)>, HunkSelectionError> {
        let only: HunkSelection = list.parse()?;
        Ok(only
            .0
            .into_iter()
            .map(|part| (part.files.0, part.files.1, part.hunk))
            .collect())
    }

    #[test]
    fn a_list_has_numbers_ranges_and_names() {
        let expected = vec![(1, 1, None), (3, 4, None), (2, 2, None), (12, 12, Some(3))];
        assert_eq!(read("1,3-4, f2,f12h3"), Ok(expected));
        assert_eq!(
            read("7-99999999999999999999999"),
            Ok(vec![(7, usize::MAX, None)])
        );
    }

    #[test]
    fn what_is_no_list_is_named() {
        for (list, word) in [
            ("", ""),
            ("1,,2", ""),
            ("x", "x"),
            ("1,-2", "-2"),
            ("1-", "1-"),
            ("+1", "+1"),
            ("f", "f"),
            ("f1h", "f1h"),
            ("h1", "h1"),
            ("f1-f2", "f1-f2"),
            ("F1", "F1"),
        ] {
            assert_eq!(
                read(list),
                Err(HunkSelectionError::Unreadable(word.to_owned())),
                "{list:?}"
            );
        }
    }
}
