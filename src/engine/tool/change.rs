//! The tools that change one file.

use serde_json::json;

use super::arguments::{
    CellAction, CellType, CreateArguments, EditArguments, EditEntry, InsertArguments,
    NotebookArguments, ReplaceArguments, parse,
};
use super::result::{MAX_DIFFS, diffs};
use super::{ArgumentError, ToolContext, ToolResult};
use crate::engine::Request;
use crate::plan::{CellEdit, CellKind, CellPosition};

pub(super) fn str_replace(
    arguments: &str,
    call: &ToolContext<'_>,
) -> Result<ToolResult, ArgumentError> {
    let ReplaceArguments {
        path,
        old_str,
        new_str,
        replace_all,
        lenient,
        ..
    } = parse(arguments)?;
    let request = match replace_all {
        Some(true) => Request::edit_all,
        _ => Request::edit,
    };
    let new_str = new_str.unwrap_or_default();
    let mut request = request(call.relative_path(&path), old_str, new_str);
    request.decide.lenient = lenient == Some(true);
    Ok(apply_change(request, call))
}

pub(super) fn insert(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let InsertArguments {
        path,
        insert_line,
        insert_text,
        ..
    } = parse(arguments)?;
    Ok(apply_change(
        Request::insert_after(call.relative_path(&path), insert_line, insert_text),
        call,
    ))
}

pub(super) fn create(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let CreateArguments {
        path,
        file_text,
        overwrite,
        ..
    } = parse(arguments)?;
    let request = match overwrite {
        Some(true) => Request::overwrite(call.relative_path(&path), file_text),
        _ => Request::write(call.relative_path(&path), file_text),
    };
    Ok(ToolResult::of(&call.apply(request)))
}

pub(super) fn edit(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let EditArguments {
        mut edits, lenient, ..
    } = parse(arguments)?;
    if edits.is_empty() {
        return Err(ArgumentError("`edits` contains no edit".to_owned()));
    }
    for edit in &mut edits {
        if let Some(message) = contradiction(edit) {
            return Err(ArgumentError(message.to_owned()));
        }
        if edit.old_str.is_some() {
            edit.new_str.get_or_insert_default();
        }
        edit.path = String::from_utf8_lossy(&call.relative_path(&edit.path)).into_owned();
    }
    let mut request = Request::of(json!({ "edits": edits }).to_string());
    call.convert_as_git(&mut request);
    "json".clone_into(&mut request.decide.format);
    request.decide.lenient = lenient == Some(true);
    let mut result = apply_change(request, call);
    // The edits are not lines of a patch.
    for problem in &mut result.problems {
        problem.line = None;
    }
    Ok(result)
}

/// Returns the reason why the arguments of an edit cannot be combined.
fn contradiction(edit: &EditEntry) -> Option<&'static str> {
    let is_deletion = edit.delete == Some(true);
    let faults = match (&edit.old_str, &edit.symbol) {
        (Some(_), None) => [
            (edit.place.is_some() || edit.delete.is_some())
                .then_some("`place` and `delete` need `symbol`"),
            None,
            None,
        ],
        (None, Some(_)) => [
            edit.replace_all.map(|_| "`replace_all` needs `old_str`"),
            (is_deletion == edit.new_str.is_some())
                .then_some("an edit of a symbol needs either `new_str` or `delete`, not both"),
            (is_deletion && edit.place.is_some())
                .then_some("`delete` and `place` cannot be combined"),
        ],
        _ => [
            Some("each edit needs either `old_str` or `symbol`, not both"),
            None,
            None,
        ],
    };
    faults.into_iter().flatten().next()
}

pub(super) fn notebook(
    arguments: &str,
    call: &ToolContext<'_>,
) -> Result<ToolResult, ArgumentError> {
    let NotebookArguments {
        path,
        action,
        cell,
        source,
        kind,
        ..
    } = parse(arguments)?;
    let missing =
        |name: &str| ArgumentError(format!("the argument `{name}` is missing for this action"));
    let kind = kind.map(|kind| match kind {
        CellType::Code => CellKind::Code,
        CellType::Markdown => CellKind::Markdown,
        CellType::Raw => CellKind::Raw,
    });
    let edit = match action {
        CellAction::Replace => CellEdit::Replace {
            cell: cell.ok_or_else(|| missing("cell"))?,
            kind,
            source: source.ok_or_else(|| missing("source"))?,
        },
        CellAction::Insert => CellEdit::Insert {
            place: cell.map_or(CellPosition::Start, CellPosition::After),
            kind: kind.ok_or_else(|| missing("type"))?,
            source: source.ok_or_else(|| missing("source"))?,
            id: None,
        },
        CellAction::Delete => CellEdit::Delete {
            cell: cell.ok_or_else(|| missing("cell"))?,
        },
    };
    let request = Request::notebook(call.relative_path(&path), edit);
    Ok(apply_change(request, call))
}

/// Applies a change of lines. The result shows the changed lines.
fn apply_change(mut request: Request, call: &ToolContext<'_>) -> ToolResult {
    (request.look.diff, request.look.max_diff) = (true, MAX_DIFFS);
    let report = call.apply(request).report;
    ToolResult::from_report(&report, &diffs(&report))
}
