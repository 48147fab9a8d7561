//! What one operation comes to, in the words of a report.

use super::file::{FileType, Op};
use super::hunk::{self, HunkReport, ListedHunks};
use super::omitted::Room;
use super::words::Counter;
use super::{cell, texts, written};
use crate::matching::{LADDER, Mismatch, MismatchKind, Placement};
use crate::mode::FileMode;
use crate::plan::{Action, Direction, Edit, LineKind, Operation};
use crate::preflight::FileOutcome;

pub(super) fn op(operation: &Operation, modes: (Option<FileMode>, Option<FileMode>)) -> Op {
    match operation.action {
        Action::Create => Op::Create,
        Action::Modify if !operation.tells_missing && modes.0.is_none() && modes.1.is_some() => Op::Create,
        Action::Delete | Action::Uncopy => Op::Delete,
        Action::Modify if matches!(operation.edit, Edit::Keep) && modes.0 != modes.1 => Op::Mode,
        Action::Modify => Op::Modify,
        Action::Rename => Op::Rename,
        Action::Copy => Op::Copy,
    }
}

/// Returns what git takes the operation for in a summary, where that is something else; a look at the tree rules a new file
/// out (see `is_new` and `is_delete` in git's apply.c, where -1 stands for both).
pub(super) fn seems(operation: &Operation, is_compared: bool) -> Option<Op> {
    let Edit::Hunks(hunks) = &operation.edit else { return None };
    let ([hunk], Action::Modify, false) = (&hunks[..], operation.action, operation.tells_missing) else { return None };
    let (old, new) = match operation.direction {
        Direction::Forward => (hunk.old.count, hunk.new.count),
        Direction::Reverse => (hunk.new.count, hunk.old.count),
    };
    match (old, new) {
        (0, _) if !is_compared => Some(Op::Create),
        (_, 0) => Some(Op::Delete),
        _ => None,
    }
}

pub(super) fn file_type(
    operation: &Operation,
    outcome: &FileOutcome,
    modes: (Option<FileMode>, Option<FileMode>),
) -> FileType {
    if outcome.is_binary || matches!(operation.edit, Edit::Binary(_) | Edit::BinaryMissing) {
        return FileType::Binary;
    }
    match modes.1.or(modes.0).or(operation.new_mode).or(operation.old_mode) {
        Some(FileMode::Symlink) if outcome.is_link_file => FileType::Text,
        Some(FileMode::Symlink) => FileType::Symlink,
        Some(FileMode::Submodule) => FileType::Submodule,
        Some(FileMode::Regular | FileMode::Executable) | None => FileType::Text,
    }
}

/// Returns the reports on the parts of the file that is called `id`, as far as there is `room` for them.
pub(super) fn hunks(
    id: &str,
    operation: &Operation,
    outcome: &FileOutcome,
    (patch, room): (&[u8], Room),
    counter: &mut Counter<'_>,
) -> ListedHunks {
    let all = |hunks: Vec<HunkReport>| ListedHunks { hunks, ..ListedHunks::default() };
    match &operation.edit {
        Edit::Hunks(hunks) => hunk::reports(id, operation, (hunks, outcome), (patch, room), counter),
        Edit::Replacements(changes) => texts::reports(id, operation, changes, (outcome, room), counter),
        Edit::Cell(_) => all(cell::reports(id, operation, outcome)),
        Edit::Whole(_) => all(written::reports(id, operation, outcome.diff.as_deref().unwrap_or_default())),
        Edit::Lines(changes) => texts::numbered(id, operation, changes, (outcome, room), counter),
        _ => ListedHunks::default(),
    }
}

/// Returns how many lines the patch adds and removes.
pub(super) fn counted_lines(operation: &Operation, patch: &[u8]) -> (usize, usize) {
    if let Edit::Replacements(changes) = &operation.edit {
        return texts::counted_lines(changes);
    }
    let kinds = operation.hunks().flat_map(|hunk| hunk.lines(patch, operation.direction)).map(|line| line.kind);
    kinds.fold((0, 0), |(added, removed), kind| match kind {
        LineKind::Insertion => (added + 1, removed),
        LineKind::Deletion => (added, removed + 1),
        LineKind::Context => (added, removed),
    })
}

/// Returns the loosest comparison that a hunk needed.
pub(super) fn loosest(operation: &Operation, outcome: &FileOutcome) -> Option<&'static str> {
    let rung = |placed: &Result<Placement, Box<Mismatch>>| match placed {
        Ok(placement) => Some(placement.rung),
        Err(mismatch) => match mismatch.kind {
            MismatchKind::Ambiguous { rung, .. } => Some(rung),
            _ => None,
        },
    };
    let rank = |rung: &&str| LADDER.iter().position(|row| row.name == *rung);
    let taken = outcome.placements.iter().enumerate().filter(|(index, _)| operation.takes(*index));
    taken.filter_map(|(_, placed)| rung(placed)).max_by_key(rank)
}
