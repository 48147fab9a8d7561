//! An edit of one cell of a Jupyter notebook.

/// An edit of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellEdit {
    /// Replaces the source of a cell, removes its outputs, and optionally changes its kind.
    Replace {
        /// The cell.
        cell: CellName,
        /// The new kind; `None` keeps the kind.
        kind: Option<CellKind>,
        /// The complete new source.
        source: String,
    },
    /// Inserts a cell.
    Insert {
        /// The position of the new cell.
        place: CellPosition,
        /// The kind of the new cell.
        kind: CellKind,
        /// The complete source.
        source: String,
        /// The id of the new cell. `None` generates an id if the notebook format has ids.
        id: Option<CellId>,
    },
    /// Deletes a cell.
    Delete {
        /// The cell.
        cell: CellName,
    },
}

/// The name of a cell in a request: its id, or `cell-N` for the cell with index N, counted from 0.
/// An id takes precedence.
pub type CellName = String;

/// The position of a new cell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellPosition {
    /// Before all other cells.
    Start,
    /// After all other cells.
    End,
    /// After this cell.
    After(CellName),
}

/// The kinds of cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellKind {
    /// Code, with outputs.
    Code,
    /// Markdown text.
    Markdown,
    /// Text that notebook converters pass through.
    Raw,
}

impl CellKind {
    /// Returns the name of the kind in notebooks.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

/// The id of a cell: 1 to 64 ASCII letters, digits, `-` and `_` (`cell_id` in the schema of
/// nbformat).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellId(String);

impl CellId {
    /// Validates `text`, or returns `None` if it is not a valid id.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        ((1..=64).contains(&text.len()) && text.bytes().all(is_plain)).then_some(Self(text))
    }

    /// Returns the text of the id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
