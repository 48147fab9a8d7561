//! The effect of a call on files, independent of the harness and of the names of its tools.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::engine::options::{
    CellEdit, Edit, EditOrder, EditTarget, ReplaceCount, Replacement, Replacements,
};
use crate::engine::{Request, SearchTarget, What};

/// The effect of a call on files. All paths are absolute.
pub(super) enum Action {
    /// No effect that the hook judges.
    None,
    /// An effect that cannot be judged. Contains the reason, and the next step for the model.
    Unclear(String),
    /// Several effects.
    All(Vec<Action>),
    /// Changes one file.
    Change(PathBuf, Change),
    /// Deletes one file.
    Delete(PathBuf),
    /// Applies a patch of Codex.
    Patch {
        /// The text of the patch.
        text: String,
        /// The directory to which its names are relative, below the agent's current directory.
        directory: String,
    },
    /// Reads a file.
    Read(PathBuf),
    /// Lists a directory.
    List(PathBuf),
    /// Searches the contents of files.
    Grep {
        /// The file or directory.
        path: PathBuf,
        /// The globs that choose the files, separated by white space or commas. Empty: all files.
        glob: String,
    },
    /// Finds files whose path below a directory matches a pattern.
    Glob {
        /// The directory.
        directory: PathBuf,
        /// The pattern.
        pattern: String,
        /// Whether the call only lists the names or also reads the files.
        target: SearchTarget,
    },
}

/// A change of one file.
#[derive(Clone)]
pub(super) enum Change {
    /// Replaces a text. An empty old text creates the file.
    Edit(TextEdit),
    /// Applies each edit to the result of the previous edits.
    Sequence(Vec<TextEdit>),
    /// Creates a file, which must not exist.
    Create(String),
    /// Creates or overwrites a file.
    Write(String),
    /// Changes one cell of a notebook.
    Cell(CellEdit),
    /// Changes the content in a way that the call does not describe. Only policy decides.
    Unknown,
}

/// The replacement of a text.
#[derive(Clone, Deserialize)]
pub(super) struct TextEdit {
    /// The text to replace.
    pub(super) old_string: String,
    /// The new text.
    pub(super) new_string: String,
    /// Whether all occurrences are replaced. Otherwise the text must occur exactly once.
    #[serde(default)]
    pub(super) replace_all: bool,
}

impl Action {
    /// Returns the action of a tool that prints a file or lists a directory.
    pub(super) fn view(path: PathBuf) -> Self {
        if fs_err::metadata(&path).is_ok_and(|stat| stat.is_dir()) {
            Self::List(path)
        } else {
            Self::Read(path)
        }
    }

    /// Returns whether the call changes no file.
    pub(super) fn only_reads(&self) -> bool {
        match self {
            Self::All(actions) => actions.iter().all(Self::only_reads),
            Self::Read(_) | Self::List(_) | Self::Grep { .. } | Self::Glob { .. } => true,
            Self::None
            | Self::Unclear(_)
            | Self::Change(..)
            | Self::Delete(_)
            | Self::Patch { .. } => false,
        }
    }

    /// Returns the only file or directory of the call.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Change(path, _)
            | Self::Delete(path)
            | Self::Read(path)
            | Self::List(path)
            | Self::Grep { path, .. } => Some(path),
            Self::Glob { directory, .. } => Some(directory),
            Self::None | Self::Unclear(_) | Self::All(_) | Self::Patch { .. } => None,
        }
    }
}

impl Change {
    /// Returns the request to check the change of the file at `path`.
    pub(super) fn into_request(self, path: Vec<u8>) -> Request {
        match self {
            Self::Edit(edit) => edit_request(path, edit),
            Self::Sequence(edits) => sequence_request(path, edits),
            Self::Create(content) => Request::write(path, content),
            Self::Write(content) => Request::overwrite(path, content),
            Self::Cell(edit) => Request::notebook(path, edit),
            Self::Unknown => {
                // The content does not matter, also if the file already has it.
                let mut request = Request::overwrite(path, "");
                request.decide.idempotent = true;
                request
            }
        }
    }
}

fn edit_request(path: Vec<u8>, edit: TextEdit) -> Request {
    let TextEdit {
        old_string,
        new_string,
        replace_all,
    } = edit;
    if old_string.is_empty() {
        Request::write(path, new_string)
    } else if replace_all {
        Request::edit_all(path, old_string, new_string)
    } else {
        Request::edit(path, old_string, new_string)
    }
}

/// Returns the request of several edits. If the first edit has an empty old text, it creates the
/// file.
fn sequence_request(path: Vec<u8>, mut edits: Vec<TextEdit>) -> Request {
    if edits.first().is_some_and(|edit| edit.old_string.is_empty()) {
        let first = edits.remove(0);
        let content = edits
            .iter()
            .try_fold(first.new_string, edited_text)
            .unwrap_or_else(|text| text);
        return Request::write(path, content);
    }
    let replacement = |edit: TextEdit| {
        let times = if edit.replace_all {
            ReplaceCount::All
        } else {
            ReplaceCount::Once
        };
        let old = edit.old_string.into_bytes();
        Replacement::of(EditTarget::Text { old, times }, edit.new_string)
    };
    let mut request = Request::edits(
        path,
        Replacements::of(edits.into_iter().map(replacement).collect()),
    );
    if let What::Edit(edit) = &mut request.what
        && let Edit::Replacements(edits) = &mut edit.edit
    {
        edits.order = EditOrder::Sequential;
    }
    request
}

/// The limit on the size of a new text after each of several edits, in bytes. Each edit can double
/// the text.
const MAX_EDITED: usize = 1 << 20;

/// Returns `text` after `edit`.
///
/// # Errors
///
/// Returns `text` unchanged if the result would exceed [`MAX_EDITED`], or if the old text is empty,
/// which the tool refuses.
fn edited_text(text: String, edit: &TextEdit) -> Result<String, String> {
    let times = if edit.replace_all { usize::MAX } else { 1 };
    let found = text.matches(&edit.old_string).take(times).count();
    let size = found
        .saturating_mul(edit.new_string.len())
        .saturating_add(text.len());
    if edit.old_string.is_empty() || size > MAX_EDITED {
        return Err(text);
    }
    Ok(text.replacen(&edit.old_string, &edit.new_string, times))
}
