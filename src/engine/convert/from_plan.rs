//! Converts between formats with line numbers, without a tree.

use crate::mode::{FileKind, FileMode};
use crate::plan::{
    Action, Anchor, Edit, Hunk, LineKind, LineRange, Operation, Plan, Selection, select,
};
use crate::syntax::writers::{PatchChange, PatchHunk};
use crate::syntax::{Options, SYNTAXES, Syntax, parse};
use crate::text::Bytes;

/// Returns the plan in the format of `syntax`. Returns `None` if this needs the tree, or if the text
/// is not the same plan.
pub(super) fn convert(plan: &Plan, syntax: &dyn Syntax) -> Option<Vec<u8>> {
    let changes: Option<Vec<_>> = plan
        .operations
        .iter()
        .map(|operation| change_without_contents(plan, operation))
        .collect();
    let changes = changes.filter(|changes| !changes.is_empty())?;
    let text = syntax.write(&changes, 0).ok()?;
    has_same_operations(plan, &changes, &text).then_some(text)
}

/// Returns the change if the patch contains all of it.
fn change_without_contents<'p>(
    plan: &'p Plan,
    operation: &'p Operation,
) -> Option<PatchChange<'p>> {
    let is_plain = operation.left_out.is_empty()
        && operation.guard.is_none()
        && operation.expected.is_none()
        && operation.action != Action::RemoveCopy;
    let hunks = match &operation.edit {
        Edit::Hunks(hunks) => &hunks[..],
        Edit::Keep => &[],
        _ => return None,
    };
    // A normal diff has no context lines. Other formats need `--unidiff-zero` for such hunks.
    let is_in_context_format = hunks.iter().all(|hunk| hunk.anchor == Anchor::Line);
    let text = plan.text(operation);
    (is_plain && is_in_context_format).then(|| PatchChange {
        action: operation.action,
        path: &operation.path,
        from: operation.from.as_ref(),
        modes: [operation.old_mode, operation.new_mode],
        contents: None,
        blobs: operation.blobs.as_deref(),
        hunks: hunks
            .iter()
            .map(|hunk| patch_hunk(hunk, text, operation))
            .collect(),
    })
}

/// Returns `hunk` in the direction of its operation.
pub(super) fn patch_hunk<'p>(hunk: &Hunk, text: &'p [u8], operation: &Operation) -> PatchHunk<'p> {
    let direction = operation.direction;
    let mut lines: Vec<_> = hunk
        .lines(text, direction)
        .map(|line| (line.kind, line.text))
        .collect();
    // A reversed hunk has insertions before deletions. Diffs list deletions first.
    let is_change = |kind: LineKind| kind != LineKind::Context;
    for run in lines.chunk_by_mut(|one, next| is_change(one.0) && is_change(next.0)) {
        run.sort_by_key(|(kind, _)| *kind == LineKind::Insertion);
    }
    PatchHunk {
        old: hunk.preimage_range(direction),
        new: hunk.postimage_range(direction),
        section: hunk.section.slice(text),
        lines,
        is_at_end: false,
    }
}

/// Returns whether `text` has exactly the operations of `plan`, which are `changes`.
fn has_same_operations(plan: &Plan, changes: &[PatchChange<'_>], text: &[u8]) -> bool {
    let Ok(parsed) = parse("-", Bytes::from(text), SYNTAXES, Options::default()) else {
        return false;
    };
    let selected = select(parsed, &Selection::default());
    let written = &selected.plan.operations;
    let originals = plan.operations.iter().zip(changes);
    selected.rejections.is_empty()
        && written.len() == changes.len()
        && written
            .iter()
            .zip(originals)
            .all(|(operation, (original, change))| {
                let found = change_without_contents(&selected.plan, operation);
                found.is_some_and(|found| {
                    is_same_change(&found, change) && has_same_files(operation, original, change)
                })
            })
}

fn is_same_change(one: &PatchChange<'_>, other: &PatchChange<'_>) -> bool {
    let is_same_hunk = |(one, other): (&PatchHunk<'_>, &PatchHunk<'_>)| {
        (one.old, &one.lines) == (other.old, &other.lines)
    };
    (one.action, one.path, one.from) == (other.action, other.path, other.from)
        && mode_effect(one) == mode_effect(other)
        && one.hunks.len() == other.hunks.len()
        && one.hunks.iter().zip(&other.hunks).all(is_same_hunk)
}

/// Returns whether an empty side means the same in both formats. A diff without git's headers does
/// not distinguish an empty file from a missing file.
fn has_same_files(one: &Operation, other: &Operation, change: &PatchChange<'_>) -> bool {
    let is_absent = |lines: LineRange| lines == LineRange::default();
    one.distinguishes_missing == other.distinguishes_missing
        || !change
            .hunks
            .iter()
            .any(|hunk| is_absent(hunk.old) || is_absent(hunk.new))
}

/// Returns the type that the file must have, and the mode that the change sets. For a regular file, a
/// mode that stays the same has no effect.
fn mode_effect(change: &PatchChange<'_>) -> (Option<FileMode>, Option<FileMode>) {
    let [old, new] = change.modes;
    let required = old.filter(|mode| mode.kind() != FileKind::Regular);
    let set = match change.action {
        Action::Create => Some(new.unwrap_or(FileMode::Regular)),
        Action::Delete => None,
        _ => new.filter(|_| old != new),
    };
    (required, set)
}
