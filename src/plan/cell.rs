//! A change of one cell of a Jupyter notebook.

/// What becomes of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellEdit {
    /// It gets another source. Outputs go, and its kind changes where one is given.
    Replace {
        /// The cell.
        cell: CellName,
        /// What it is from then on; `None` for what it is.
        kind: Option<CellKind>,
        /// All of its source.
        source: String,
    },
    /// A new one comes.
    Insert {
        /// Where it comes.
        place: CellPlace,
        /// What it is.
        kind: CellKind,
        /// All of its source.
        source: String,
        /// Its id; `None` for a fresh one where the format has ids.
        id: Option<CellId>,
    },
    /// It goes.
    Delete {
        /// The cell.
        cell: CellName,
    },
}

/// What a caller calls a cell: its id, or `cell-N` for the cell with the index N, counted from 0.
/// An id goes first.
pub type CellName = String;

/// Where a new cell comes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellPlace {
    /// Before all others.
    Start,
    /// Behind all others.
    End,
    /// Behind this one.
    After(CellName),
}

/// The kinds of cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellKind {
    /// Code, with outputs.
    Code,
    /// Text in Markdown.
    Markdown,
    /// Text for a converter.
    Raw,
}

impl CellKind {
    /// Returns its name in notebooks.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

/// The id of a cell: 1 to 64 letters, digits, `-` and `_` of ASCII (`cell_id` in nbformat's
/// schema).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellId(String);

impl CellId {
    /// Checks `text` and wraps it; `None` if it is no id.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        ((1..=64).contains(&text.len()) && text.bytes().all(is_plain)).then_some(Self(text))
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
