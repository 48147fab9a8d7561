//! The tools that change one file.

use super::arguments::{CreateArguments, InsertArguments, ReplaceArguments, parse};
use super::{ArgumentError, ToolAnswer, ToolContext};
use crate::engine::Request;

/// The limit on the size of a diff in an answer, in bytes.
const MAX_DIFF: usize = 4 << 10;

pub(super) fn str_replace(
    arguments: &str,
    call: &ToolContext<'_>,
) -> Result<ToolAnswer, ArgumentError> {
    let ReplaceArguments {
        path,
        old_str,
        new_str,
        lenient,
        ..
    } = parse(arguments)?;
    let mut request = Request::edit(
        call.relative_path(&path),
        old_str,
        new_str.unwrap_or_default(),
    );
    request.decide.lenient = lenient == Some(true);
    Ok(answer_change(request, call))
}

pub(super) fn insert(arguments: &str, call: &ToolContext<'_>) -> Result<ToolAnswer, ArgumentError> {
    let InsertArguments {
        path,
        insert_line,
        insert_text,
        ..
    } = parse(arguments)?;
    Ok(answer_change(
        Request::insert_after(call.relative_path(&path), insert_line, insert_text),
        call,
    ))
}

pub(super) fn create(arguments: &str, call: &ToolContext<'_>) -> Result<ToolAnswer, ArgumentError> {
    let CreateArguments {
        path, file_text, ..
    } = parse(arguments)?;
    Ok(ToolAnswer::of(&call.apply(Request::write(
        call.relative_path(&path),
        file_text,
    ))))
}

/// Applies a change of lines. The answer shows the changed lines.
fn answer_change(mut request: Request, call: &ToolContext<'_>) -> ToolAnswer {
    (request.look.diff, request.look.max_diff) = (true, MAX_DIFF);
    let report = call.apply(request).report;
    let diff = report.files.first().and_then(|file| file.diff.as_deref());
    ToolAnswer::from_report(&report, diff.unwrap_or_default())
}
