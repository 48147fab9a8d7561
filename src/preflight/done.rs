//! What has been done already: asked where `--idempotent` takes that for success.

use super::checks::is_made_already;
use super::codes::code;
use super::converted::Converter;
use super::findings::Findings;
use super::modes;
use super::overlay::{Node, Overlay, Seen};
use crate::lines::LineIndex;
use crate::matching::{self, MismatchKind, Rules, TextMismatch};
use crate::plan::{
    Action, Closeness, Edit, EditOrder, Ending, Operation, Replacement, Replacements, Target,
};
use crate::text::lines;
use crate::workspace::WorkspaceError;

/// Returns whether the file that the operation makes, deletes or moves is made, gone or moved
/// already.
pub(super) fn is_file_done(
    operation: &Operation,
    text: &[u8],
    (overlay, rules, converter): (&mut Overlay<'_>, &Rules, Converter<'_>),
    findings: &mut Findings,
) -> Result<bool, WorkspaceError> {
    let is_gone = |seen: &Seen| matches!(seen, Seen::Nothing | Seen::BelowFile(_));
    let seen = match overlay.current(&operation.path, operation.step)? {
        // A file without content in the repository is not the result of a patch.
        Seen::Node(node) => converter
            .in_repository(&operation.path, &node)
            .map_or(Seen::Special, Seen::Node),
        seen => seen,
    };
    let is_there = match (operation.action, &operation.from) {
        (Action::Create, _) => {
            matches!(&seen, Seen::Node(node) if is_made_already(operation, node, text))
        }
        (Action::Delete | Action::Uncopy, _) => is_gone(&seen),
        (Action::Rename, Some(from)) if *from != operation.path => {
            let source = overlay.base(from, operation.step)?;
            is_gone(&source)
                && matches!(&seen, Seen::Node(node) if is_result(operation, text, node, rules))
        }
        _ => false,
    };
    if is_there {
        findings.outcome.is_done = true;
        let what = match operation.action {
            Action::Create => "the file exists already, with these very contents",
            Action::Rename => "the file is already moved",
            _ => "the file is already deleted",
        };
        findings.warning(&code::ALREADY_APPLIED, what);
    }
    Ok(is_there)
}

/// Returns whether all hunks of a file that has been moved are in `node`.
fn is_result(operation: &Operation, text: &[u8], node: &Node, rules: &Rules) -> bool {
    match &operation.edit {
        _ if !modes::is_as_wanted(operation, node) => false,
        Edit::Keep => true,
        Edit::Hunks(hunks) => {
            let placements = matching::place(
                &LineIndex::new(&node.bytes),
                text,
                hunks,
                operation.direction,
                rules,
            );
            let mut chosen = placements
                .iter()
                .enumerate()
                .filter(|(index, _)| operation.takes(*index));
            chosen.all(|(_, placed)| {
                is_hunk_done(placed.as_ref().err().map(|mismatch| &mismatch.kind))
            })
        }
        _ => false,
    }
}

/// Returns whether the result of a hunk that has no place stands in the file.
pub(super) fn is_hunk_done(mismatch: Option<&MismatchKind>) -> bool {
    matches!(mismatch, Some(MismatchKind::AlreadyApplied { .. }))
}

/// Returns the changes that are not in `text` yet; all of those in turn, or none.
pub(super) fn pending(text: &[u8], changes: &Replacements, most: u64) -> Vec<Replacement> {
    let how = (changes.closeness, most);
    match changes.order {
        EditOrder::InTurn if are_done(text, &changes.edits, how) => Vec::new(),
        EditOrder::InTurn => changes.edits.clone(),
        EditOrder::AtOnce => pending_at_once(text, &changes.edits, how),
    }
}

/// Returns those of `edits` that are not in `text` yet. What one of them made may be what another
/// one looks for: then all of them are done, or none is.
fn pending_at_once(text: &[u8], edits: &[Replacement], how: How) -> Vec<Replacement> {
    let is_done = |edit: &Replacement| are_done(text, std::slice::from_ref(edit), how);
    let (done, pending): (Vec<_>, Vec<_>) = edits.iter().cloned().partition(is_done);
    if edits.len() == 1 || done.is_empty() || are_beside(text, &done, &pending, how) {
        pending
    } else if are_beside(text, edits, &[], how) {
        Vec::new()
    } else {
        edits.to_vec()
    }
}

/// Returns whether `text` is what `done` make of some text, of which they make together with
/// `pending` what those make of `text`. What only took something away left nothing to see.
fn are_beside(
    text: &[u8],
    done: &[Replacement],
    pending: &[Replacement],
    (closeness, most): How,
) -> bool {
    let at_once = |edits| Replacements {
        edits,
        order: EditOrder::AtOnce,
        closeness,
    };
    let made = |text: &[u8], edits| {
        matching::replace_unexplained(text, &at_once(edits), most)
            .ok()
            .map(|(after, _)| after)
    };
    let visible = || done.iter().filter(|edit| !edit.new.is_empty());
    let Some(before) = visible()
        .map(reversed)
        .collect::<Option<Vec<_>>>()
        .and_then(|back| made(text, back))
    else {
        return false;
    };
    let together = made(&before, visible().chain(pending).cloned().collect());
    together.is_some() && together == made(text, pending.to_vec())
}

/// How closely an old text has to fit, and the most bytes of a file.
type How = (Closeness, u64);

/// Returns whether `text` is what `edits` make of some text: they can be taken back in it, and made
/// again.
fn are_done(text: &[u8], edits: &[Replacement], (closeness, most): How) -> bool {
    let made = |text: &[u8], edits: Vec<_>| {
        matching::replace_unexplained(
            text,
            &Replacements {
                edits,
                order: EditOrder::InTurn,
                closeness,
            },
            most,
        )
    };
    if let [
        edit @ Replacement {
            target: Target::Text { .. },
            new,
            ..
        },
    ] = edits
        && new.is_empty()
    {
        let is_absent = |misfit: &TextMismatch| misfit.mismatch.kind == MismatchKind::NotFound;
        return made(text, vec![edit.clone()])
            .is_err_and(|misplaced| misplaced.misfits.iter().all(is_absent));
    }
    let mut before = text.to_vec();
    for edit in edits.iter().rev() {
        let undone = match reversed(edit) {
            Some(back) => made(&before, vec![back]).ok().map(|(before, _)| before),
            None => undone(&before, edit),
        };
        let Some(undone) = undone else { return false };
        before = undone;
    }
    made(&before, edits.to_vec()).is_ok_and(|(after, _)| after == text)
}

/// Returns the change that takes `edit` back, if its result can be looked for.
fn reversed(edit: &Replacement) -> Option<Replacement> {
    let new = edit.new.clone();
    let (target, new) = match &edit.target {
        _ if new.is_empty() => return None,
        Target::Text { old, times } => (
            Target::Text {
                old: new,
                times: *times,
            },
            old.clone(),
        ),
        Target::Lines(old) => (Target::Lines(new), old.clone()),
        _ => return None,
    };
    Some(Replacement {
        target,
        new,
        ..edit.clone()
    })
}

/// Returns `text` as it may have been before `edit`, which goes to a place that it names.
fn undone(text: &[u8], edit: &Replacement) -> Option<Vec<u8>> {
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
        Target::Nothing => (text == edit.new).then(Vec::new),
        Target::After(line) => without(*line),
        Target::Before(line) => without(line.checked_sub(1)?),
        Target::End(Ending::Bytes) => text.strip_suffix(edit.new.as_slice()).map(<[u8]>::to_vec),
        Target::End(Ending::Lines) => without(spans.len().checked_sub(count)?),
        Target::Text { .. } | Target::Lines(_) | Target::Range { .. } => None,
    }
}
