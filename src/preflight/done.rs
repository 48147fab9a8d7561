//! What has been done already: asked where `--idempotent` takes that for success.

use super::checks::is_made_already;
use super::findings::Findings;
use super::overlay::{Node, Overlay, Seen};
use super::problem::code;
use crate::matching::{self, MismatchKind, Placements, Rules, TextMismatch};
use crate::plan::{Action, Closeness, Edit, EditOrder, Ending, Operation, Replacement, Replacements, Target};
use crate::text::lines;
use crate::workspace::WorkspaceError;

/// Returns whether the file that the operation makes, deletes or moves is made, gone or moved already.
pub(super) fn is_file_done(
    operation: &Operation,
    text: &[u8],
    (overlay, rules): (&mut Overlay<'_>, &Rules),
    findings: &mut Findings,
) -> Result<bool, WorkspaceError> {
    let is_gone = |seen: &Seen| matches!(seen, Seen::Nothing | Seen::BelowFile(_));
    let seen = overlay.current(&operation.path, operation.step)?;
    let is_there = match (operation.action, &operation.from) {
        (Action::Create, _) => matches!(&seen, Seen::Node(node) if is_made_already(operation, node, text)),
        (Action::Delete | Action::Uncopy, _) => is_gone(&seen),
        (Action::Rename, Some(from)) if *from != operation.path => {
            let source = overlay.base(from, operation.step)?;
            is_gone(&source) && matches!(&seen, Seen::Node(node) if is_result(operation, text, node, rules))
        }
        _ => false,
    };
    if is_there {
        findings.outcome.is_done = true;
        let what = match operation.action {
            Action::Create => "the file exists already, with these very contents",
            Action::Rename => "the file has been moved already",
            _ => "the file is gone already",
        };
        findings.warning(&code::ALREADY_APPLIED, what);
    }
    Ok(is_there)
}

/// Returns whether all hunks of a file that has been moved are in `node`.
fn is_result(operation: &Operation, text: &[u8], node: &Node, rules: &Rules) -> bool {
    match &operation.edit {
        Edit::Keep => true,
        Edit::Hunks(hunks) => is_all_done(&matching::place(&node.bytes, text, hunks, operation.direction, rules)),
        _ => false,
    }
}

fn is_all_done(placements: &Placements) -> bool {
    placements.iter().all(|placed| is_hunk_done(placed.as_ref().err().map(|mismatch| &mismatch.kind)))
}

/// Returns whether the result of a hunk that has no place stands in the file.
pub(super) fn is_hunk_done(mismatch: Option<&MismatchKind>) -> bool {
    matches!(mismatch, Some(MismatchKind::AlreadyApplied { .. }))
}

/// Returns the changes that are not in `text` yet; all of those in turn, or none.
pub(super) fn pending(text: &[u8], changes: &Replacements, most: u64) -> Vec<Replacement> {
    match changes.order {
        EditOrder::InTurn if are_done(text, &changes.edits, most) => Vec::new(),
        EditOrder::InTurn => changes.edits.clone(),
        EditOrder::AtOnce => {
            let is_pending = |edit: &&Replacement| !are_done(text, std::slice::from_ref(*edit), most);
            changes.edits.iter().filter(is_pending).cloned().collect()
        }
    }
}

/// Returns whether `text` is what `edits` make of some text: they can be taken back in it, and made again.
fn are_done(text: &[u8], edits: &[Replacement], most: u64) -> bool {
    if let [edit @ Replacement { target: Target::Text { .. }, new, .. }] = edits
        && new.is_empty()
    {
        let found = matching::replace(text, &exact(vec![edit.clone()]), most);
        let is_absent = |misfit: &TextMismatch| misfit.mismatch.kind == MismatchKind::NotFound;
        return found.is_err_and(|misplaced| misplaced.misfits.iter().all(is_absent));
    }
    let mut before = text.to_vec();
    for edit in edits.iter().rev() {
        let Some(undone) = undone(&before, edit, most) else { return false };
        before = undone;
    }
    matching::replace(&before, &exact(edits.to_vec()), most).is_ok_and(|(after, _)| after == text)
}

fn exact(edits: Vec<Replacement>) -> Replacements {
    Replacements { edits, order: EditOrder::InTurn, closeness: Closeness::Exact }
}

/// Returns `text` as it may have been before `edit`.
fn undone(text: &[u8], edit: &Replacement, most: u64) -> Option<Vec<u8>> {
    if edit.new.is_empty() {
        return None;
    }
    let spans: Vec<_> = lines(text).map(|(span, _)| span).collect();
    let start = |line: usize| spans.get(line).map(|span| span.start);
    let count = lines(&edit.new).count();
    let without = |first: usize| {
        let end = start(first + count).unwrap_or(text.len());
        Some([&text[..start(first)?], &text[end..]].concat())
    };
    match &edit.target {
        Target::Text { old, times } => {
            let target = Target::Text { old: edit.new.clone(), times: *times };
            let back = Replacement { target, new: old.clone(), ..edit.clone() };
            matching::replace(text, &exact(vec![back]), most).ok().map(|(before, _)| before)
        }
        Target::Lines(old) => {
            let back = Replacement { target: Target::Lines(edit.new.clone()), new: old.clone(), ..edit.clone() };
            matching::replace(text, &exact(vec![back]), most).ok().map(|(before, _)| before)
        }
        Target::Nothing => (text == edit.new).then(Vec::new),
        Target::Range { .. } => None,
        Target::After(line) => without(*line),
        Target::Before(line) => without(line.checked_sub(1)?),
        Target::End(Ending::Bytes) => text.strip_suffix(edit.new.as_slice()).map(<[u8]>::to_vec),
        Target::End(Ending::Lines) => without(spans.len().checked_sub(count)?),
    }
}
