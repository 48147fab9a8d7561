//! Detects operations and edits that are already applied. `--idempotent` treats them as a success.

use super::checks::is_already_created;
use super::codes::code;
use super::converter::Converter;
use super::edit::full_blobs;
use super::findings::Findings;
use super::modes;
use super::options::Options;
use super::overlay::{Node, Overlay, PathState};
use crate::digest::has_blob_id;
use crate::lines::LineOffsets;
use crate::matching::{self, MatchRules, MismatchKind, SymbolMismatch, TextMismatch};
use crate::plan::{
    Action, AppendMode, Edit, EditOrder, EditTarget, MatchMode, Operation, Replacement,
    Replacements, SymbolAction, SymbolTarget,
};
use crate::text::lines;
use crate::workspace::WorkspaceError;

/// Returns whether the file that the operation creates, deletes or moves is already created,
/// deleted or moved.
pub(super) fn is_operation_applied(
    operation: &Operation,
    text: &[u8],
    (overlay, rules, converter): (&mut Overlay<'_>, &MatchRules, Converter<'_>),
    findings: &mut Findings,
) -> Result<bool, WorkspaceError> {
    let is_gone = |seen: &PathState| matches!(seen, PathState::Nothing | PathState::BelowFile(_));
    let seen = match overlay.current(&operation.path, operation.step)? {
        // A file that cannot be converted to the form of the repository is not the result of a
        // patch.
        PathState::Node(node) => converter
            .to_repository(&operation.path, &node)
            .map_or(PathState::Special, PathState::Node),
        seen => seen,
    };
    let is_there = match (operation.action, &operation.from) {
        (Action::Create, _) => {
            matches!(&seen, PathState::Node(node) if is_already_created(operation, node, text))
        }
        (Action::Delete | Action::RemoveCopy, _) => is_gone(&seen),
        (Action::Rename, Some(from)) if *from != operation.path => {
            let source = overlay.base(from, operation.step)?;
            is_gone(&source)
                && matches!(&seen, PathState::Node(node) if is_rename_result(operation, text, node, rules))
        }
        (Action::Modify, None) if is_binary_edit(operation) => {
            matches!(&seen, PathState::Node(node) if is_binary_result(operation, node))
        }
        _ => false,
    };
    if is_there {
        findings.outcome.is_already_applied = true;
        let what = match operation.action {
            Action::Create => "the file already exists with the same content",
            Action::Rename => "the file is already moved",
            Action::Modify => "the file already has the new content",
            _ => "the file is already deleted",
        };
        findings.warning(&code::ALREADY_APPLIED, what);
    }
    Ok(is_there)
}

fn is_binary_edit(operation: &Operation) -> bool {
    matches!(operation.edit, Edit::Binary(_) | Edit::BinaryMissing)
}

/// Returns whether `node` is the new blob of a binary change, and has the stated mode.
fn is_binary_result(operation: &Operation, node: &Node) -> bool {
    let blobs = full_blobs(operation);
    modes::has_stated_mode(operation, node)
        && blobs.is_some_and(|blobs| has_blob_id(&node.bytes, &blobs.new))
}

/// Returns whether `node` contains the results of all chosen hunks of a renamed file.
fn is_rename_result(operation: &Operation, text: &[u8], node: &Node, rules: &MatchRules) -> bool {
    match &operation.edit {
        _ if !modes::has_stated_mode(operation, node) => false,
        Edit::Keep => true,
        Edit::Hunks(hunks) => {
            let placements = matching::place_hunks(
                &LineOffsets::new(&node.bytes),
                text,
                hunks,
                operation.direction,
                rules,
            );
            let mut chosen = placements
                .iter()
                .enumerate()
                .filter(|(index, _)| operation.is_applied(*index));
            chosen.all(|(_, placed)| {
                is_hunk_applied(placed.as_ref().err().map(|mismatch| &mismatch.kind))
            })
        }
        _ => false,
    }
}

/// Returns whether a hunk without a placement is already applied.
pub(super) fn is_hunk_applied(mismatch: Option<&MismatchKind>) -> bool {
    matches!(mismatch, Some(MismatchKind::AlreadyApplied { .. }))
}

/// Returns the changes that are not yet in `text`. Sequential changes are returned all together or
/// not at all.
pub(super) fn pending_edits(
    text: &[u8],
    changes: &Replacements,
    options: &Options,
) -> Vec<Replacement> {
    let how = (changes.match_mode, options);
    match changes.order {
        EditOrder::Sequential if are_applied(text, &changes.edits, how) => Vec::new(),
        EditOrder::Sequential => changes.edits.clone(),
        EditOrder::Simultaneous => pending_at_once(text, &changes.edits, how),
    }
}

/// Returns those of `edits` that are not yet in `text`. If the result of one edit can be the
/// preimage of another, all edits count as applied, or none does.
fn pending_at_once(text: &[u8], edits: &[Replacement], how: MatchOptions<'_>) -> Vec<Replacement> {
    let is_done = |edit: &Replacement| are_applied(text, std::slice::from_ref(edit), how);
    let (done, pending): (Vec<_>, Vec<_>) = edits.iter().cloned().partition(is_done);
    // An edit can look applied only because another edit of the list produces the same text.
    if edits.len() == 1 || done.is_empty() || are_independent(text, &done, &pending, how) {
        pending
    } else if are_independent(text, edits, &[], how) {
        Vec::new()
    } else {
        edits.to_vec()
    }
}

/// Returns whether the result of `done` in `text` is independent of `pending`.
///
/// The function reverses `done` in `text`, which gives the text before. It then applies `done` and
/// `pending` together to that text. The result must equal `pending` applied to `text`. Edits that
/// only delete text leave no trace and are not reversed.
fn are_independent(
    text: &[u8],
    done: &[Replacement],
    pending: &[Replacement],
    (match_mode, options): MatchOptions<'_>,
) -> bool {
    let at_once = |edits| Replacements {
        edits,
        order: EditOrder::Simultaneous,
        match_mode,
    };
    let made = |text: &[u8], edits| {
        apply_changes(text, &at_once(edits), options)
            .ok()
            .map(|(after, _)| after)
    };
    let visible = || done.iter().filter(|edit| !edit.new.is_empty());
    let Some(before) = visible()
        .map(reverse_edit)
        .collect::<Option<Vec<_>>>()
        .and_then(|back| made(text, back))
    else {
        return false;
    };
    let together = made(&before, visible().chain(pending).cloned().collect());
    together.is_some() && together == made(text, pending.to_vec())
}

/// How strictly a preimage must match, and the options with the other limits.
type MatchOptions<'o> = (MatchMode, &'o Options);

fn apply_changes(
    text: &[u8],
    changes: &Replacements,
    options: &Options,
) -> matching::ReplaceResult {
    let interrupt = &options.rules.interrupt;
    matching::replace_unexplained(text, changes, options.max_write(), interrupt)
}

/// Returns whether `text` is the result of `edits`: reversing the edits in `text` and applying them
/// again gives `text`.
fn are_applied(
    text: &[u8],
    edits: &[Replacement],
    (match_mode, options): MatchOptions<'_>,
) -> bool {
    let made = |text: &[u8], edits: Vec<_>| {
        let changes = Replacements {
            edits,
            order: EditOrder::Sequential,
            match_mode,
        };
        apply_changes(text, &changes, options)
    };
    // A deletion leaves no text to search for. It counts as applied if its preimage is absent.
    if let [
        edit @ Replacement {
            target: EditTarget::Text { .. },
            new,
            ..
        },
    ] = edits
        && new.is_empty()
    {
        let is_absent = |misfit: &TextMismatch| misfit.mismatch.kind == MismatchKind::NotFound;
        return made(text, vec![edit.clone()])
            .is_err_and(|misplaced| misplaced.mismatches.iter().all(is_absent));
    }
    if let [edit] = edits
        && let EditTarget::Symbol(symbol) = &edit.target
    {
        return is_symbol_done(text, symbol, made(text, vec![edit.clone()]));
    }
    let mut before = text.to_vec();
    for edit in edits.iter().rev() {
        let undone = match reverse_edit(edit) {
            Some(back) => made(&before, vec![back]).ok().map(|(before, _)| before),
            None => undo_edit(&before, edit),
        };
        let Some(undone) = undone else { return false };
        before = undone;
    }
    made(&before, edits.to_vec()).is_ok_and(|(after, _)| after == text)
}

/// Returns whether an edit of a symbol is already applied. `result` is the result of the edit.
fn is_symbol_done(text: &[u8], symbol: &SymbolTarget, result: matching::ReplaceResult) -> bool {
    let is_absent = |misfit: &TextMismatch| {
        let reason = match &misfit.mismatch.kind {
            MismatchKind::Symbol { reason, .. } => Some(reason),
            _ => None,
        };
        matches!(reason, Some(SymbolMismatch::NotFound(_))) && !symbol.name.has_line()
    };
    let (after, places) = match (symbol.action, result) {
        (SymbolAction::Delete, result) => {
            return result.is_err_and(|misplaced| misplaced.mismatches.iter().all(is_absent));
        }
        (_, Ok(done)) => done,
        (_, Err(_)) => return false,
    };
    let Some(place) = places.first() else {
        return false;
    };
    let at = place.placement.bytes.start;
    match symbol.action {
        SymbolAction::InsertBefore => text[..at].ends_with(&place.new),
        SymbolAction::InsertAfter => text[at..].starts_with(&place.new),
        _ => after == text,
    }
}

/// Returns the edit that reverses `edit`, if its result can be searched for.
fn reverse_edit(edit: &Replacement) -> Option<Replacement> {
    let new = edit.new.clone();
    let (target, new) = match &edit.target {
        _ if new.is_empty() => return None,
        EditTarget::Text { old, times } => (
            EditTarget::Text {
                old: new,
                times: *times,
            },
            old.clone(),
        ),
        EditTarget::Lines(old) => (EditTarget::Lines(new), old.clone()),
        _ => return None,
    };
    Some(Replacement {
        target,
        new,
        ..edit.clone()
    })
}

/// Returns a text that `edit` can have changed into `text`, for an edit with a stated position.
fn undo_edit(text: &[u8], edit: &Replacement) -> Option<Vec<u8>> {
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
        EditTarget::EmptyFile => (text == edit.new).then(Vec::new),
        EditTarget::After(line) => without(*line),
        EditTarget::Before(line) => without(line.checked_sub(1)?),
        EditTarget::End(AppendMode::Bytes) => {
            text.strip_suffix(edit.new.as_slice()).map(<[u8]>::to_vec)
        }
        EditTarget::End(AppendMode::Lines) => without(spans.len().checked_sub(count)?),
        EditTarget::Text { .. }
        | EditTarget::Lines(_)
        | EditTarget::Range { .. }
        | EditTarget::Symbol(_) => None,
    }
}
