//! The file tools of Claude Code.

use std::env;
use std::path::PathBuf;

use serde::Deserialize;

use super::place::{CallPath, FileUse};
use super::{
    Call, Decision, DefaultDecision, MAX_EDITS, check_edit, check_read, is_javascript_space, search,
};
use crate::cli::EarlyExit;
use crate::cli::args::Global;
use crate::engine::options::{
    CellEdit, CellKind, CellPosition, Edit, EditOrder, ReplaceCount, Replacement, Replacements,
};
use crate::engine::{self, Request, What, home};

#[derive(Deserialize)]
struct EditInput {
    file_path: PathBuf,
    #[serde(flatten)]
    edit: StringEdit,
}

#[derive(Clone, Deserialize)]
struct StringEdit {
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
struct MultiEditInput {
    file_path: PathBuf,
    edits: Vec<StringEdit>,
}

#[derive(Deserialize)]
struct WriteInput {
    file_path: PathBuf,
    content: String,
}

#[derive(Deserialize)]
struct ReadInput {
    file_path: PathBuf,
}

#[derive(Deserialize)]
struct NotebookReadInput {
    notebook_path: PathBuf,
}

#[derive(Clone, Deserialize)]
struct NotebookInput {
    notebook_path: PathBuf,
    cell_id: Option<String>,
    #[serde(default)]
    new_source: String,
    cell_type: Option<CellType>,
    #[serde(default)]
    edit_mode: CellEditMode,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CellType {
    Code,
    Markdown,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CellEditMode {
    #[default]
    Replace,
    Insert,
    Delete,
}

/// Decides on a call. The root is `--root`, the directory of the project, or the current directory
/// of the agent.
pub(super) fn decide(
    call: &Call,
    default_decision: &DefaultDecision,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    let rooted = with_root(call, global);
    let writes = |file: PathBuf, request: &dyn Fn(Vec<u8>) -> Request| {
        let place = CallPath::of(&call.absolute_path(file), &rooted)?;
        let silence = place.default_for_write(default_decision)?;
        let checked = place.decide(FileUse::Writes, |path, global| {
            check_edit(request(path.to_vec()), &silence, global)
        })?;
        Ok(checked.stricter(place.decide_outside_link()?))
    };
    let reads = |file: PathBuf| {
        CallPath::of(&call.absolute_path(file), &rooted)?.decide(FileUse::Reads, check_read)
    };
    let decision = match call.tool_name.as_str() {
        "Edit" => {
            let EditInput { file_path, edit } = call.arguments()?;
            writes(file_path, &|path| edit_request(path, edit.clone()))
        }
        "MultiEdit" => {
            let MultiEditInput { file_path, edits } = call.arguments()?;
            if edits.len() > MAX_EDITS {
                let why = format!(
                    "the call has more than {MAX_EDITS} edits; split them into several calls"
                );
                return Ok(Decision::Deny(why));
            }
            writes(file_path, &|path| sequence_request(path, edits.clone()))
        }
        "Write" => {
            let WriteInput { file_path, content } = call.arguments()?;
            writes(file_path, &|path| Request::overwrite(path, content.clone()))
        }
        "NotebookEdit" => {
            let input: NotebookInput = call.arguments()?;
            writes(input.notebook_path.clone(), &|path| {
                Request::notebook(path, cell_edit(input.clone()))
            })
        }
        "Read" => reads(call.arguments::<ReadInput>()?.file_path),
        "NotebookRead" => reads(call.arguments::<NotebookReadInput>()?.notebook_path),
        "Grep" => search::grep(call, &rooted),
        "Glob" => search::glob(call, &rooted),
        "LS" => search::list(call, &rooted),
        _ => Ok(Decision::None),
    };
    Ok(match decision? {
        // Outside the root, only rules decide.
        Decision::Outside(_) => Decision::None,
        decision => decision,
    })
}

/// Returns the options with the root of the call.
fn with_root(call: &Call, global: &Global) -> Global {
    let project = || {
        env::var_os("CLAUDE_PROJECT_DIR")
            .filter(|project| !project.is_empty())
            .map(PathBuf::from)
    };
    let root = global
        .root
        .clone()
        .or_else(project)
        .unwrap_or_else(|| call.cwd.clone());
    Global {
        root: Some(root),
        ..global.clone()
    }
}

impl Call {
    /// Returns the absolute path of a file name in a call. As the tools do, this removes JavaScript
    /// white space from both ends, expands `~`, and resolves other names against the agent's
    /// current directory.
    pub(super) fn absolute_path(&self, file: PathBuf) -> PathBuf {
        let file = file
            .to_str()
            .map(|name| PathBuf::from(name.trim_matches(is_javascript_space)))
            .unwrap_or(file);
        match (file.strip_prefix("~"), home()) {
            (Ok(below), Some(home)) => home.join(below),
            _ => self.cwd.join(file),
        }
    }
}

/// Returns the request of one edit. An edit of the empty text creates a file.
fn edit_request(path: Vec<u8>, edit: StringEdit) -> Request {
    match edit {
        StringEdit {
            old_string,
            new_string,
            ..
        } if old_string.is_empty() => Request::write(path, new_string),
        StringEdit {
            old_string,
            new_string,
            replace_all: true,
        } => Request::edit_all(path, old_string, new_string),
        StringEdit {
            old_string,
            new_string,
            replace_all: false,
        } => Request::edit(path, old_string, new_string),
    }
}

/// Returns the request of several edits. Each edit applies to the result of the previous edits. If
/// the first edit has an empty old text, it creates the file.
fn sequence_request(path: Vec<u8>, mut edits: Vec<StringEdit>) -> Request {
    if edits.first().is_some_and(|edit| edit.old_string.is_empty()) {
        let first = edits.remove(0);
        let content = edits.iter().fold(first.new_string, edited_text);
        return Request::write(path, content);
    }
    let replacement = |StringEdit {
                           old_string,
                           new_string,
                           replace_all,
                       }: StringEdit| {
        let times = if replace_all {
            ReplaceCount::All
        } else {
            ReplaceCount::Once
        };
        Replacement::of(
            engine::options::EditTarget::Text {
                old: old_string.into_bytes(),
                times,
            },
            new_string,
        )
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

/// Returns `text` after `edit`. Returns it unchanged if the result would exceed [`MAX_EDITED`], or
/// if the old text is empty, which the tool refuses.
fn edited_text(text: String, edit: &StringEdit) -> String {
    let times = if edit.replace_all { usize::MAX } else { 1 };
    let found = text.matches(&edit.old_string).take(times).count();
    let size = found
        .saturating_mul(edit.new_string.len())
        .saturating_add(text.len());
    if edit.old_string.is_empty() || size > MAX_EDITED {
        return text;
    }
    text.replacen(&edit.old_string, &edit.new_string, times)
}

fn cell_edit(input: NotebookInput) -> CellEdit {
    let kind = input.cell_type.map(|kind| match kind {
        CellType::Code => CellKind::Code,
        CellType::Markdown => CellKind::Markdown,
    });
    let (source, named) = (input.new_source, input.cell_id);
    match input.edit_mode {
        CellEditMode::Replace => CellEdit::Replace {
            cell: named.unwrap_or_default(),
            kind,
            source,
        },
        CellEditMode::Insert => {
            let place = named.map_or(CellPosition::Start, CellPosition::After);
            CellEdit::Insert {
                place,
                kind: kind.unwrap_or(CellKind::Code),
                source,
                id: None,
            }
        }
        CellEditMode::Delete => CellEdit::Delete {
            cell: named.unwrap_or_default(),
        },
    }
}
