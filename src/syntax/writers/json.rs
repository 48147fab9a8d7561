//! Writes JSON documents: edits of texts if they suffice, and otherwise a git diff as a string.

use std::collections::HashSet;

use bstr::ByteSlice;
use serde_json::{Value, json};

use super::{PatchChange, WriteError, git};
use crate::plan::Action;

/// Writes `changes` as one document. A git diff in it has `context` context lines.
pub(in crate::syntax) fn write(
    changes: &[PatchChange<'_>],
    context: usize,
) -> Result<Vec<u8>, WriteError> {
    let paths: HashSet<_> = changes.iter().map(|change| change.path).collect();
    // All edits refer to the file before the change.
    let is_sequence = paths.len() < changes.len();
    let edits = changes
        .iter()
        .map(|change| edits_of(change).filter(|_| !is_sequence));
    let edits: Option<Vec<_>> = edits.collect();
    let document = if let Some(edits) = edits {
        json!({ "edits": edits.concat() })
    } else {
        let patch = git::write(changes, context)?;
        let text = std::str::from_utf8(&patch).map_err(|_| WriteError {
            index: changes.iter().position(has_bytes).unwrap_or(0),
            reason: "the format cannot express text that is not UTF-8",
        })?;
        json!({ "patch": text })
    };
    let mut text = document.to_string().into_bytes();
    text.push(b'\n');
    Ok(text)
}

/// Returns whether a name or a line of the change is not UTF-8.
fn has_bytes(change: &PatchChange<'_>) -> bool {
    let mut lines = change.hunks.iter().flat_map(|hunk| &hunk.lines);
    change.path.as_bytes().to_str().is_err() || lines.any(|(_, line)| line.to_str().is_err())
}

/// Returns the edits of the file, each with a text that occurs once in it. Returns `None` if edits
/// cannot express the change.
fn edits_of(change: &PatchChange<'_>) -> Option<Vec<Value>> {
    let is_modified = change.action == Action::Modify && change.has_hunks();
    if !is_modified || change.text_error().is_some() {
        return None;
    }
    let path = change.path.as_bytes().to_str().ok()?;
    let [before, _] = change.contents?;
    let edit = |hunk: &super::PatchHunk<'_>| {
        let old: Vec<u8> = hunk.old_lines().collect::<Vec<_>>().concat();
        let new: Vec<u8> = hunk.new_lines().collect::<Vec<_>>().concat();
        let first = before.find(&old).filter(|_| !old.is_empty())?;
        // Another place can overlap the first one.
        let is_unique = before[first + 1..].find(&old).is_none();
        if !is_unique {
            return None;
        }
        let (old, new) = (old.to_str().ok()?, new.to_str().ok()?);
        Some(json!({ "path": path, "old": old, "new": new }))
    };
    change.hunks.iter().map(edit).collect()
}
