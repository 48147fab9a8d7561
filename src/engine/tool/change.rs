//! The tools that change one file.

use super::arguments::{CreateArguments, InsertArguments, ReplaceArguments, read};
use super::{Call, Misuse, ToolAnswer};
use crate::engine::Change;

/// Most bytes of a diff in an answer.
const MAX_DIFF: usize = 4 << 10;

pub(super) fn str_replace(arguments: &str, call: &Call<'_>) -> Result<ToolAnswer, Misuse> {
    let ReplaceArguments { path, old_str, new_str, lenient, .. } = read(arguments)?;
    let change = Change::edit(call.below(&path), old_str, new_str.unwrap_or_default());
    Ok(shown(Change { is_lenient: lenient == Some(true), ..change }, call))
}

pub(super) fn insert(arguments: &str, call: &Call<'_>) -> Result<ToolAnswer, Misuse> {
    let InsertArguments { path, insert_line, insert_text, .. } = read(arguments)?;
    Ok(shown(Change::insert_after(call.below(&path), insert_line, insert_text), call))
}

pub(super) fn create(arguments: &str, call: &Call<'_>) -> Result<ToolAnswer, Misuse> {
    let CreateArguments { path, file_text, .. } = read(arguments)?;
    Ok(ToolAnswer::of(&call.make(Change::write(call.below(&path), file_text))))
}

/// Makes a change of lines, and shows what they are now.
fn shown(mut change: Change, call: &Call<'_>) -> ToolAnswer {
    (change.preflight.diff, change.preflight.max_diff) = (true, MAX_DIFF);
    let report = call.make(change).report;
    let diff = report.files.first().and_then(|file| file.diff.as_deref());
    ToolAnswer::told(&report, diff.unwrap_or_default())
}
