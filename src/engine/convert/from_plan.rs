//! Converts between formats with line numbers, without a tree.

use crate::mode::{FileKind, FileMode};
use crate::plan::{
    Action, Anchor, Edit, Hunk, LineKind, LineRange, Operation, Plan, Selection, select,
};
use crate::syntax::writers::{WrittenChange, WrittenHunk};
use crate::syntax::{Options, Syntax, find_syntax, parse};
use crate::text::Bytes;

/// Returns the plan in the format of `syntax`. Returns `None` if this needs the tree, or if the text
/// is not the same plan.
pub(super) fn convert(plan: &Plan, syntax: &dyn Syntax) -> Option<Vec<u8>> {
    let changes: Option<Vec<_>> = plan
        .operations
        .iter()
        .map(|operation| change_of(plan, operation))
        .collect();
    let changes = changes.filter(|changes| !changes.is_empty())?;
    let text = syntax.write(&changes, 0).ok()?;
    is_same(plan, &changes, &text, syntax).then_some(text)
}

/// Returns the change if the patch contains all of it.
fn change_of<'p>(plan: &'p Plan, operation: &'p Operation) -> Option<WrittenChange<'p>> {
    let is_plain = operation.left_out.is_empty()
        && operation.guard.is_none()
        && operation.expected.is_none()
        && operation.action != Action::RemoveCopy;
    let hunks = match &operation.edit {
        Edit::Hunks(hunks) => &hunks[..],
        Edit::Keep => &[],
        _ => return None,
    };
    // A hunk without context needs `--unidiff-zero` in other formats, or other line numbers.
    let has_context = hunks.iter().all(|hunk| hunk.anchor == Anchor::Line);
    let text = plan.text(operation);
    (is_plain && has_context).then(|| WrittenChange {
        action: operation.action,
        path: &operation.path,
        from: operation.from.as_ref(),
        modes: [operation.old_mode, operation.new_mode],
        contents: None,
        blobs: operation.blobs.as_deref(),
        hunks: hunks
            .iter()
            .map(|hunk| written_hunk(hunk, text, operation))
            .collect(),
    })
}

/// Returns `hunk` in the direction of its operation.
pub(super) fn written_hunk<'p>(
    hunk: &Hunk,
    text: &'p [u8],
    operation: &Operation,
) -> WrittenHunk<'p> {
    let direction = operation.direction;
    let mut lines: Vec<_> = hunk
        .lines(text, direction)
        .map(|line| (line.kind, line.text))
        .collect();
    // A reversed hunk has insertions before deletions.
    let is_change = |kind: LineKind| kind != LineKind::Context;
    for run in lines.chunk_by_mut(|one, next| is_change(one.0) && is_change(next.0)) {
        run.sort_by_key(|(kind, _)| *kind == LineKind::Insertion);
    }
    WrittenHunk {
        old: hunk.preimage_range(direction),
        new: hunk.postimage_range(direction),
        section: hunk.section.slice(text),
        lines,
        is_at_end: false,
    }
}

/// Returns whether `text` has exactly the operations of `plan`, which are `changes`.
fn is_same(plan: &Plan, changes: &[WrittenChange<'_>], text: &[u8], syntax: &dyn Syntax) -> bool {
    let among: Vec<_> = find_syntax(syntax.name()).into_iter().collect();
    let Ok(parsed) = parse("-", Bytes::from(text), &among, Options::default()) else {
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
                let found = change_of(&selected.plan, operation);
                found.is_some_and(|found| {
                    is_same_change(&found, change) && has_same_files(operation, original, change)
                })
            })
}

fn is_same_change(one: &WrittenChange<'_>, other: &WrittenChange<'_>) -> bool {
    let is_same_hunk = |(one, other): (&WrittenHunk<'_>, &WrittenHunk<'_>)| {
        (one.old, &one.lines) == (other.old, &other.lines)
    };
    (one.action, one.path, one.from) == (other.action, other.path, other.from)
        && mode_effect(one) == mode_effect(other)
        && one.hunks.len() == other.hunks.len()
        && one.hunks.iter().zip(&other.hunks).all(is_same_hunk)
}

/// Returns whether an empty file means the same in both formats. A diff without git header does not
/// distinguish it from a missing file.
fn has_same_files(one: &Operation, other: &Operation, change: &WrittenChange<'_>) -> bool {
    let is_empty = |lines: LineRange| lines == LineRange::default();
    one.distinguishes_missing == other.distinguishes_missing
        || !change
            .hunks
            .iter()
            .any(|hunk| is_empty(hunk.old) || is_empty(hunk.new))
}

/// Returns the type that the file must have, and the mode that the change sets. A stated mode of a
/// regular file that does not change has no effect.
fn mode_effect(change: &WrittenChange<'_>) -> (Option<FileMode>, Option<FileMode>) {
    let [old, new] = change.modes;
    let required = old.filter(|mode| mode.kind() != FileKind::Regular);
    let set = match change.action {
        Action::Create => Some(new.unwrap_or(FileMode::Regular)),
        Action::Delete => None,
        _ => new.filter(|_| old != new),
    };
    (required, set)
}
