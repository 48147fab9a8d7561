//! The commands that change a cell of a notebook: their options and requests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::args::{Global, SessionOption};
use super::file_options::FileOptions;
use super::{CommandMode, EarlyExit, input};
use crate::engine::Request;
use crate::engine::options::{CellEdit, CellId, CellKind, CellPosition, MAX_FILE, code};

/// The change of a cell.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum NotebookCommand {
    /// Replace the source of a cell; a code cell loses its outputs
    Replace(ReplaceOptions),
    /// Insert a new cell after another one, at the start or at the end
    Insert(InsertOptions),
    /// Delete a cell
    Delete(DeleteOptions),
}

/// The options of `notebook replace`.
#[derive(Clone, Debug, Args)]
pub(super) struct ReplaceOptions {
    #[command(flatten)]
    common: FileOptions,
    /// Select the cell by its id, or by cell-N with the index N from 0
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    cell: String,
    /// Set the type of the cell [default: keep it]
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<CellType>,
    #[command(flatten)]
    source: SourceOptions,
}

/// The options of `notebook insert`.
#[derive(Clone, Debug, Args)]
pub(super) struct InsertOptions {
    #[command(flatten)]
    common: FileOptions,
    /// Insert after this cell, by its id or cell-N [default: insert at the start]
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    cell: Option<String>,
    /// Insert before or after all other cells
    #[arg(long, value_name = "PLACE", value_enum, conflicts_with = "cell")]
    at: Option<CellPositionArg>,
    /// Set the type of the cell
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: CellType,
    /// Set the id of the cell [default: a new id, for nbformat 4.5 and later]
    #[arg(long, value_name = "ID", value_parser = parse_cell_id, allow_hyphen_values = true)]
    new_id: Option<CellId>,
    #[command(flatten)]
    source: SourceOptions,
}

/// The options of `notebook delete`.
#[derive(Clone, Debug, Args)]
pub(super) struct DeleteOptions {
    #[command(flatten)]
    common: FileOptions,
    /// Select the cell by its id, or by cell-N with the index N from 0
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    cell: String,
}

/// The source of a cell on the command line.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
struct SourceOptions {
    /// Set the source of the cell to TEXT
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    source: Option<OsString>,
    /// Read the source of the cell from FILE; `-` is standard input
    #[arg(long, value_name = "FILE")]
    source_file: Option<PathBuf>,
}

/// The type of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CellType {
    /// Code with outputs
    Code,
    /// Markdown text
    Markdown,
    /// Text for a converter
    Raw,
}

/// The position of a new cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CellPositionArg {
    /// Before all other cells
    Start,
    /// After all other cells
    End,
}

impl NotebookCommand {
    /// Returns the option for the edit session.
    pub(super) fn session(&mut self) -> &mut SessionOption {
        match self {
            Self::Replace(ReplaceOptions { common, .. })
            | Self::Insert(InsertOptions { common, .. })
            | Self::Delete(DeleteOptions { common, .. }) => &mut common.session,
        }
    }

    /// Returns the notebook file.
    pub(super) fn file(&self) -> &Path {
        match self {
            Self::Replace(ReplaceOptions { common, .. })
            | Self::Insert(InsertOptions { common, .. })
            | Self::Delete(DeleteOptions { common, .. }) => &common.file,
        }
    }
}

/// Returns the request of a notebook command.
///
/// # Errors
///
/// Returns an error if the options are invalid or the source cannot be read.
pub(super) fn build_request(
    command: NotebookCommand,
    global: &Global,
) -> Result<(CommandMode, Request), EarlyExit> {
    let (common, edit) = match command {
        NotebookCommand::Replace(ReplaceOptions {
            common,
            cell,
            kind,
            source,
        }) => {
            let source = source.read(&common, global)?;
            (
                common,
                CellEdit::Replace {
                    cell,
                    kind: kind.map(CellKind::from),
                    source,
                },
            )
        }
        NotebookCommand::Insert(InsertOptions {
            common,
            cell,
            at,
            kind,
            new_id,
            source,
        }) => {
            let place = match (cell, at) {
                (Some(cell), _) => CellPosition::After(cell),
                (None, Some(CellPositionArg::End)) => CellPosition::End,
                (None, Some(CellPositionArg::Start) | None) => CellPosition::Start,
            };
            let source = source.read(&common, global)?;
            (
                common,
                CellEdit::Insert {
                    place,
                    kind: kind.into(),
                    source,
                    id: new_id,
                },
            )
        }
        NotebookCommand::Delete(DeleteOptions { common, cell }) => {
            (common, CellEdit::Delete { cell })
        }
    };
    common.complete(Request::notebook(common.path(global), edit), global)
}

impl SourceOptions {
    fn read(self, common: &FileOptions, global: &Global) -> Result<String, EarlyExit> {
        let bytes = match (self.source, self.source_file) {
            (_, Some(file)) => {
                input::read_text(&file, common.max_bytes.unwrap_or(MAX_FILE), global)?.into_vec()
            }
            (text, None) => text.unwrap_or_default().into_encoded_bytes(),
        };
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            EarlyExit::new(
                &code::USAGE,
                format!("the source is not valid UTF-8 at byte {at}"),
            )
        })
    }
}

impl From<CellType> for CellKind {
    fn from(kind: CellType) -> Self {
        match kind {
            CellType::Code => Self::Code,
            CellType::Markdown => Self::Markdown,
            CellType::Raw => Self::Raw,
        }
    }
}

/// Parses the id of a cell.
fn parse_cell_id(text: &str) -> Result<CellId, String> {
    CellId::new(text).ok_or_else(|| "expected 1 to 64 letters, digits, - and _".to_owned())
}
