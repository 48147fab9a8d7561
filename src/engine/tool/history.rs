//! The tools for the history.

use std::fmt::Write;
use std::path::PathBuf;

use super::arguments::{LogArguments, UndoArguments, parse};
use super::{ArgumentError, ToolContext, ToolResult};
use crate::engine::{Request, UndoTarget, What, log as read_log};

/// The number of changes that are listed if the call names no number.
const USUAL_ENTRIES: usize = 20;
/// The limit on the size of the list, in bytes.
const MAX_OUTPUT: usize = 20 << 10;

pub(super) fn undo(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let UndoArguments { id } = parse(arguments)?;
    if id.as_deref() == Some("") {
        return Err(ArgumentError("`id` is empty".to_owned()));
    }
    let target = id.map_or(UndoTarget::Last(1), UndoTarget::Entry);
    let mut request = Request::undo(target);
    if let What::Undo(undo) = &mut request.what {
        undo.root = call
            .options
            .roots
            .last()
            .cloned()
            .unwrap_or_else(|| PathBuf::from("."));
    }
    Ok(ToolResult::of(&call.apply(request)))
}

pub(super) fn log(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let LogArguments { max } = parse(arguments)?;
    let mut log = match read_log(call.workspace, &call.options.policy) {
        Ok(log) => log,
        Err(outcome) => return Ok(ToolResult::of(&call.with_root(*outcome))),
    };
    let all = log.entries.len();
    let mut text = String::new();
    for session in log.sessions.drain(..).take(USUAL_ENTRIES) {
        let mut part = Vec::new();
        // Writing to a vector cannot fail.
        let _ = session.print(&mut part);
        if text.len() + part.len() <= MAX_OUTPUT / 2 {
            text.push_str(&String::from_utf8_lossy(&part));
        }
    }
    let mut listed = 0;
    for entry in log.entries.drain(..).take(max.unwrap_or(USUAL_ENTRIES)) {
        let mut part = Vec::new();
        // Writing to a vector cannot fail.
        let _ = entry.print(&mut part);
        if text.len() + part.len() > MAX_OUTPUT {
            break;
        }
        text.push_str(&String::from_utf8_lossy(&part));
        listed += 1;
    }
    match all - listed {
        0 if all == 0 => text.push_str("the history is empty\n"),
        0 => {}
        more => {
            let _ = writeln!(text, "{more} more changes are not listed");
        }
    }
    Ok(ToolResult::of_text(text))
}
