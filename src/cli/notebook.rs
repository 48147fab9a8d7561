//! The commands that change a cell of a notebook: their options, and what they ask the engine for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::args::Global;
use super::file_options::FileOptions;
use super::{Stop, Task, input};
use crate::engine::Request;
use crate::engine::options::{CellEdit, CellId, CellKind, CellPlace, MAX_FILE, code};

/// What becomes of the cell.
#[derive(Debug, Subcommand)]
pub(super) enum NotebookCommand {
    /// Give a cell another source; a code cell loses its outputs
    Replace(ReplaceOptions),
    /// Put a new cell behind another one, or at the start
    Insert(InsertOptions),
    /// Take a cell out
    Delete(DeleteOptions),
}

/// The options of `notebook replace`.
#[derive(Debug, Args)]
pub(super) struct ReplaceOptions {
    #[command(flatten)]
    common: FileOptions,
    /// The cell: its id, or cell-N for the one with the index N, counted from 0
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    cell: String,
    /// What the cell is from then on [default: what it is]
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<Kind>,
    #[command(flatten)]
    source: SourceOptions,
}

/// The options of `notebook insert`.
#[derive(Debug, Args)]
pub(super) struct InsertOptions {
    #[command(flatten)]
    common: FileOptions,
    /// The cell that it comes behind: its id, or cell-N; without it the new cell is the first
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    cell: Option<String>,
    /// Put it before or behind all others
    #[arg(long, value_name = "PLACE", value_enum, conflicts_with = "cell")]
    at: Option<At>,
    /// What the cell is
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Kind,
    /// Id of the cell [default: a fresh one, from nbformat 4.5 on]
    #[arg(long, value_name = "ID", value_parser = id, allow_hyphen_values = true)]
    new_id: Option<CellId>,
    #[command(flatten)]
    source: SourceOptions,
}

/// The options of `notebook delete`.
#[derive(Debug, Args)]
pub(super) struct DeleteOptions {
    #[command(flatten)]
    common: FileOptions,
    /// The cell: its id, or cell-N for the one with the index N, counted from 0
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    cell: String,
}

/// Where the source of a cell comes from.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct SourceOptions {
    /// The source of the cell
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    source: Option<OsString>,
    /// The same, from a file; - for standard input
    #[arg(long, value_name = "FILE")]
    source_file: Option<PathBuf>,
}

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Code, with outputs
    Code,
    /// Text in Markdown
    Markdown,
    /// Text for a converter
    Raw,
}

/// Where a cell comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum At {
    /// Before all others
    Start,
    /// Behind all others
    End,
}

impl NotebookCommand {
    /// Returns the file that is meant.
    pub(super) fn file(&self) -> &Path {
        match self {
            Self::Replace(ReplaceOptions { common, .. })
            | Self::Insert(InsertOptions { common, .. })
            | Self::Delete(DeleteOptions { common, .. }) => &common.file,
        }
    }
}

/// Returns what the command asks for.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn change(command: NotebookCommand, global: &Global) -> Result<(Task, Request), Stop> {
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
                (Some(cell), _) => CellPlace::After(cell),
                (None, Some(At::End)) => CellPlace::End,
                (None, Some(At::Start) | None) => CellPlace::Start,
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
    fn read(self, common: &FileOptions, global: &Global) -> Result<String, Stop> {
        let bytes = match (self.source, self.source_file) {
            (_, Some(file)) => {
                input::text(&file, common.max_bytes.unwrap_or(MAX_FILE), global)?.into_vec()
            }
            (text, None) => text.unwrap_or_default().into_encoded_bytes(),
        };
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Stop::new(
                &code::USAGE,
                format!("the source is not UTF-8, from byte {at} on"),
            )
        })
    }
}

impl From<Kind> for CellKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Code => Self::Code,
            Kind::Markdown => Self::Markdown,
            Kind::Raw => Self::Raw,
        }
    }
}

/// Reads the id of a cell.
fn id(text: &str) -> Result<CellId, String> {
    CellId::new(text).ok_or_else(|| "expected 1 to 64 letters, digits, - and _".to_owned())
}
