//! Merges a file of a session with the file of the tree, which changed since.

use std::sync::Arc;

use super::files::{REDO, expected, is_same, read_content};
use crate::engine::request::{TargetFile, TargetState};
use crate::lines::{self, ConflictStyle};
use crate::mode::{FileKind, FileMode};
use crate::plan::ExpectedFile;
use crate::preflight::{Problem, code};
use crate::text::{Bytes, is_binary};
use crate::transaction::Failure;
use crate::transaction::sessions::{SessionFile, StoredFile};
use crate::workspace::Workspace;

/// The limit on the number of conflicts in one message.
const MAX_NAMED: usize = 8;

/// A merged file, `None` if the file needs no merge, or the conflict.
type MergedFile = Result<Option<TargetFile>, Box<Problem>>;

/// Returns the change of `file` after a merge with the file `found` in the tree, if they differ from
/// the base of the session and `rebase` is set. `origin` is the file that the session moves to the
/// path of `file`, or `file` itself, and `found` is at the path of `origin`.
pub(super) fn merge_file(
    (origin, file): (&SessionFile, &SessionFile),
    found: Option<(ExpectedFile, Bytes)>,
    rebase: bool,
    workspace: &dyn Workspace,
) -> Result<MergedFile, Failure> {
    let base = origin.base.as_ref().map(expected);
    let is_unchanged = is_same(found.as_ref().map(|(found, _)| *found), base);
    if !rebase || is_unchanged {
        return Ok(Ok(None));
    }
    let (Some(base), Some(new), Some((found, ours))) = (&origin.base, &file.new, found) else {
        let message = match (&origin.base, &file.new) {
            (None, _) => return Ok(Err(created_conflict(file))),
            (Some(_), None) => "the edit session deletes the file, and another change modified it",
            (Some(_), Some(_)) => {
                "the edit session changes the file, and another change deleted or moved it"
            }
        };
        return Ok(Err(conflict(origin, message, Vec::new())));
    };
    if [base.kind, new.kind, found.kind] != [FileKind::Regular; 3] {
        let message = "both sides changed the link or the type of the file";
        return Ok(Err(conflict(origin, message, Vec::new())));
    }
    let content = match merge_content((base, new), (found, ours), workspace)? {
        Ok(content) => content,
        Err((message, lines)) => return Ok(Err(conflict(origin, &message, lines))),
    };
    // The session's mode counts only if the session changed it.
    let is_mode_changed = new.permissions != base.permissions;
    let permissions = if is_mode_changed {
        new.permissions
    } else {
        found.permissions
    };
    let after = TargetState {
        mode: FileMode::of(found.kind, permissions),
        permissions,
        content: Some(Arc::new(content)),
    };
    Ok(Ok(Some(TargetFile {
        path: file.path.clone(),
        from: (origin.path != file.path).then(|| origin.path.clone()),
        before: Some(found),
        after: Some(after),
    })))
}

/// A merged content, or the message and the conflicting lines of the tree's file, counted from 0.
type MergedContent = Result<Bytes, (String, Vec<usize>)>;

/// Merges the change from `base` to `new` with the content `ours` of the file `found`.
fn merge_content(
    (base, new): (&StoredFile, &StoredFile),
    (found, ours): (ExpectedFile, Bytes),
    workspace: &dyn Workspace,
) -> Result<MergedContent, Failure> {
    let (base_text, theirs) = (
        read_content(workspace, base)?,
        read_content(workspace, new)?,
    );
    if found.digest == base.digest {
        return Ok(Ok(theirs));
    }
    if new.digest == base.digest {
        return Ok(Ok(ours));
    }
    let mut texts = [&base_text, &ours, &theirs].into_iter();
    if texts.any(|text| is_binary(text)) {
        let message = "both sides changed the binary file".to_owned();
        return Ok(Err((message, Vec::new())));
    }
    let style = ConflictStyle::default();
    let merged = lines::merge(&base_text, &ours, &theirs, None, style);
    if merged.conflicts.is_empty() {
        return Ok(Ok(merged.bytes.into()));
    }
    let places = merged.conflicts.iter().map(|conflict| &conflict.ours);
    let named = places
        .clone()
        .take(MAX_NAMED)
        .map(|range| match range.len() {
            0 | 1 => format!("{}", range.start + 1),
            _ => format!("{}-{}", range.start + 1, range.end),
        });
    let named = named.collect::<Vec<_>>().join(", ");
    let message = format!("the edit session and another change conflict at line {named}");
    Ok(Err((message, places.map(|range| range.start).collect())))
}

/// Returns the problem of a new file of the session whose path has another file now.
pub(super) fn created_conflict(file: &SessionFile) -> Box<Problem> {
    let message = "the edit session creates the file, and another change created it";
    conflict(file, message, Vec::new())
}

/// Returns the problem of a file that cannot be merged.
fn conflict(file: &SessionFile, message: &str, lines: Vec<usize>) -> Box<Problem> {
    Box::new(Problem {
        path: Some(file.path.clone()),
        lines,
        help: Some(REDO.to_owned()),
        ..Problem::new(&code::MERGE_CONFLICT, message)
    })
}
