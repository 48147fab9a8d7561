//! Edits cells of Jupyter notebooks of nbformat 4.
//!
//! Input: the bytes of a notebook and one [`CellEdit`]. Output: the splices that change the text,
//! and the position and id of the changed cell. The module is pure.
//!
//! The notebook is never serialized again. All bytes outside the splices stay the same: keys,
//! numbers, escapes and blanks.
//!
//! Read this file first. `json` finds values in the text, `cell` computes the splices within one
//! cell, and `layout` copies the blanks of the notebook for inserted text.

mod cell;
mod json;
mod layout;

use std::collections::HashSet;
use std::ops::Range;

use json::{Member, Value, find_member};
use layout::{Layout, colon};
use thiserror::Error;

use crate::digest::Digest;
use crate::plan::{CellEdit, CellId, CellPosition};
use crate::text::BYTE_ORDER_MARK;

/// The first version of nbformat 4 in which cells have ids.
const FIRST_WITH_IDS: u64 = 5;

/// Limits on the list in [`CellError::NotFound`]: the number of cells, and the characters of each
/// name.
const MAX_LISTED: (usize, usize) = (1000, 64);

/// The maximum number of lines in [`CellError::Ambiguous`].
const MAX_LINES: usize = 8;

/// A byte range of the notebook, and the text that replaces it.
pub type Splice = (Range<usize>, String);

/// The result of one change of a notebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotebookChange {
    /// The splices, sorted by position. Two splices can touch but never overlap.
    pub splices: Vec<Splice>,
    /// The changed cell: its position after the change, or the previous position of a deleted cell.
    pub cell: EditedCell,
}

/// A changed cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedCell {
    /// The index of the cell, counted from 0.
    pub index: usize,
    /// The id of the cell, if it has one.
    pub id: Option<String>,
}

/// The reason why a notebook cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CellError {
    /// The text is not JSON.
    #[error("the notebook is not valid JSON: {0}")]
    NotJson(String),
    /// The JSON is not a notebook.
    #[error("the file is not a notebook: {0}")]
    Malformed(&'static str),
    /// The notebook has an unsupported nbformat version.
    #[error("the notebook has nbformat {0}; only nbformat 4 is supported")]
    Unsupported(u64),
    /// The notebook does not contain the cell.
    #[error("the notebook does not have this cell")]
    NotFound {
        /// The names of the existing cells, at most 1000.
        cells: Vec<String>,
    },
    /// Several cells have this id.
    #[error("{} cells have this id", cells.len())]
    Ambiguous {
        /// The indices of the cells, counted from 0.
        cells: Vec<usize>,
        /// The lines on which the first of these cells begin, counted from 0.
        lines: Vec<usize>,
    },
    /// The id of the new cell belongs to an existing cell.
    #[error("the notebook already has a cell with this id")]
    DuplicateId,
    /// The change gives a cell an id, but the notebook's version has no cell ids.
    #[error("the notebook has an nbformat before 4.5, so its cells have no ids")]
    NoIds,
    /// The new text exceeds the size limit.
    #[error("the changed notebook would exceed the size limit")]
    TooLarge,
}

/// Returns the splices that apply `wanted` to the notebook `text`.
///
/// The JSON text of a new source or a new cell can have at most `most` bytes.
///
/// # Errors
///
/// Returns a [`CellError`] if the text is not a notebook of nbformat 4, the cell does not exist or
/// is ambiguous, the id of a new cell cannot be used, or the limit is exceeded.
///
/// # Examples
///
/// ```
/// use wpatch::notebook;
/// use wpatch::plan::CellEdit;
///
/// let text = br#"{"cells": [{"cell_type": "raw", "metadata": {}, "source": ["a"]}], "nbformat": 4, "nbformat_minor": 2}"#;
/// let edit = CellEdit::Replace { cell: "cell-0".to_owned(), kind: None, source: "b".to_owned() };
/// let edited = notebook::edit(text, &edit, 1000)?;
/// assert_eq!(edited.splices, [(58..63, r#"["b"]"#.to_owned())]);
/// # Ok::<(), notebook::CellError>(())
/// ```
pub fn edit(text: &[u8], wanted: &CellEdit, most: u64) -> Result<NotebookChange, CellError> {
    let text = std::str::from_utf8(text).map_err(|error| {
        CellError::NotJson(format!("byte {} is not UTF-8", error.valid_up_to()))
    })?;
    let text = json::replace_numbers(text);
    let notebook = Notebook::read(&text)?;
    match wanted {
        CellEdit::Replace { cell, kind, source } => {
            let index = notebook.find(cell)?;
            let splices = cell::replace(notebook.cells[index], *kind, source, most)?;
            Ok(NotebookChange {
                splices,
                cell: notebook.edited_cell(index),
            })
        }
        CellEdit::Delete { cell } => {
            let index = notebook.find(cell)?;
            Ok(NotebookChange {
                splices: vec![(notebook.removal_range(index), String::new())],
                cell: notebook.edited_cell(index),
            })
        }
        CellEdit::Insert {
            place,
            kind,
            source,
            id,
        } => {
            let index = match place {
                CellPosition::Start => 0,
                CellPosition::End => notebook.cells.len(),
                CellPosition::After(cell) => notebook.find(cell)? + 1,
            };
            let id = notebook.new_id(id.as_ref(), source)?;
            let like = notebook.cells.get(index.saturating_sub(1)).copied();
            let layout = notebook.layout();
            let new = cell::write_cell(
                (&layout, colon(&notebook.members)),
                like,
                (*kind, source, id.as_ref()),
                most,
            )?;
            let splice = notebook.insertion(index, &new, &layout);
            let id = id.map(|id| id.as_str().to_owned());
            Ok(NotebookChange {
                splices: vec![splice],
                cell: EditedCell { index, id },
            })
        }
    }
}

/// A parsed notebook, with the positions of its parts in the text.
struct Notebook<'a> {
    text: &'a str,
    document: Value<'a>,
    members: Vec<Member<'a>>,
    /// The value of `cells`.
    list: Value<'a>,
    cells: Vec<Value<'a>>,
    /// The id of each cell, if it has one.
    ids: Vec<Option<String>>,
    has_ids: bool,
}

impl<'a> Notebook<'a> {
    fn read(text: &'a str) -> Result<Self, CellError> {
        let from = if text.as_bytes().starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        let document =
            Value::parse(text, from).map_err(|error| CellError::NotJson(error.to_string()))?;
        let members = document
            .members()
            .ok_or(CellError::Malformed("it is not a JSON object"))?;
        let version =
            |key| find_member(&members, key).and_then(|member| member.value.read::<u64>());
        let major = version("nbformat").ok_or(CellError::Malformed("it has no nbformat"))?;
        if major != 4 {
            return Err(CellError::Unsupported(major));
        }
        let minor =
            version("nbformat_minor").ok_or(CellError::Malformed("it has no nbformat_minor"))?;
        let list = find_member(&members, "cells")
            .ok_or(CellError::Malformed("it has no cells"))?
            .value;
        let cells = list
            .items()
            .ok_or(CellError::Malformed("`cells` is not a list"))?;
        let id = |cell: &Value<'_>| {
            let members = cell
                .members()
                .ok_or(CellError::Malformed("a cell is not an object"))?;
            Ok(find_member(&members, "id").and_then(|member| member.value.read::<String>()))
        };
        let ids = cells.iter().map(id).collect::<Result<_, _>>()?;
        Ok(Self {
            text,
            document,
            members,
            list,
            cells,
            ids,
            has_ids: minor >= FIRST_WITH_IDS,
        })
    }

    /// Returns the index of the cell with the id `name`, or the cell that `cell-N` names by its
    /// index.
    fn find(&self, name: &str) -> Result<usize, CellError> {
        let with_id: Vec<usize> = (0..self.cells.len())
            .filter(|&index| self.ids[index].as_deref() == Some(name))
            .collect();
        let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        match with_id[..] {
            [only] => Ok(only),
            [] => {
                let index = name
                    .strip_prefix("cell-")
                    .filter(is_number)
                    .and_then(|number| number.parse().ok());
                index
                    .filter(|&index: &usize| index < self.cells.len())
                    .ok_or_else(|| CellError::NotFound {
                        cells: self.names(),
                    })
            }
            _ => {
                let lines = with_id
                    .iter()
                    .take(MAX_LINES)
                    .map(|&index| self.line_of(index));
                Err(CellError::Ambiguous {
                    lines: lines.collect(),
                    cells: with_id,
                })
            }
        }
    }

    fn line_of(&self, index: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.text.as_bytes()[..self.cells[index].start]).count()
    }

    /// Returns a name for each cell, up to the limits of [`MAX_LISTED`].
    fn names(&self) -> Vec<String> {
        let name = |(index, id): (usize, &Option<String>)| match id {
            Some(id) => id.chars().take(MAX_LISTED.1).collect(),
            None => format!("cell-{index}"),
        };
        self.ids
            .iter()
            .enumerate()
            .take(MAX_LISTED.0)
            .map(name)
            .collect()
    }

    fn edited_cell(&self, index: usize) -> EditedCell {
        EditedCell {
            index,
            id: self.ids[index].clone(),
        }
    }

    /// Returns the id of a new cell, or `None` if the notebook's version has no cell ids.
    ///
    /// A generated id depends only on the notebook and the new source. It is not random, so `check`
    /// and `apply` produce the same change.
    fn new_id(&self, wanted: Option<&CellId>, source: &str) -> Result<Option<CellId>, CellError> {
        let taken: HashSet<&str> = self.ids.iter().flatten().map(String::as_str).collect();
        match wanted {
            Some(_) if !self.has_ids => Err(CellError::NoIds),
            Some(id) if taken.contains(id.as_str()) => Err(CellError::DuplicateId),
            Some(id) => Ok(Some(id.clone())),
            None if !self.has_ids => Ok(None),
            None => {
                let seed = format!(
                    "{} {}",
                    Digest::of(self.text.as_bytes()),
                    Digest::of(source.as_bytes())
                );
                // nbformat also generates ids of eight hexadecimal digits.
                let digits = |count: u64| {
                    Digest::of(format!("{seed} {count}").as_bytes()).to_string()[..8].to_owned()
                };
                let fresh = (0..=u64::from(u32::MAX))
                    .map(digits)
                    .find(|id| !taken.contains(id.as_str()));
                Ok(fresh.and_then(CellId::new))
            }
        }
    }

    /// Returns the layout of the list of cells.
    fn layout(&self) -> Layout {
        let outside =
            || Layout::of_object(self.document, &self.members).map(|layout| layout.inner());
        let inside = Layout::of_list(self.list, &self.cells);
        // A single cell on the same line as the brackets does not show the separator between two
        // cells.
        let inside = inside.filter(|layout| self.cells.len() > 1 || layout.is_multiline());
        inside
            .or_else(outside)
            .unwrap_or_else(|| Layout::on_one_line(" "))
    }

    /// Returns the range to remove with the cell: the cell and the adjacent comma, or the whole
    /// content of the list if it is the only cell.
    fn removal_range(&self, index: usize) -> Range<usize> {
        match (index.checked_sub(1), self.cells.get(index + 1)) {
            (Some(before), _) => self.cells[before].end..self.cells[index].end,
            (None, Some(next)) => self.cells[index].start..next.start,
            (None, None) => self.list.start + 1..self.list.end - 1,
        }
    }

    /// Returns the splice that inserts `new` at `index`.
    fn insertion(&self, index: usize, new: &str, layout: &Layout) -> Splice {
        let Layout {
            open,
            between,
            close,
        } = layout;
        match (index.checked_sub(1), self.cells.first()) {
            (Some(before), _) => {
                let at = self.cells[before].end;
                (at..at, format!(",{between}{new}"))
            }
            (None, Some(first)) => (first.start..first.start, format!("{new},{between}")),
            (None, None) => (
                self.list.start + 1..self.list.end - 1,
                format!("{open}{new}{close}"),
            ),
        }
    }
}
