//! The operation and the file type in a report, and the entries for the hunks of an operation.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::hunk::{self, HunkReport, ListedHunks};
use super::omitted::EntryLimits;
use super::words::LineCounter;
use super::{cell, texts, written};
use crate::lines::LADDER;
use crate::matching::{Mismatch, MismatchKind, Placement};
use crate::mode::FileMode;
use crate::plan::{self, Action, Direction, Edit, Operation};
use crate::preflight::FileOutcome;

/// An operation on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Op {
    /// Creates a file.
    Create,
    /// Changes the content, and possibly the mode.
    Modify,
    /// Deletes a file.
    Delete,
    /// Renames a file, and possibly changes its content.
    Rename,
    /// Copies a file, and possibly changes the content of the copy.
    Copy,
    /// Changes only the mode.
    Mode,
}

/// The type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileType {
    /// A file that is changed by lines.
    Text,
    /// A file that is changed by bytes.
    Binary,
    /// A symbolic link.
    Symlink,
    /// A submodule: the commit of another repository.
    Submodule,
}

impl Op {
    /// All operations.
    pub const ALL: [Self; 6] = [
        Self::Create,
        Self::Modify,
        Self::Delete,
        Self::Rename,
        Self::Copy,
        Self::Mode,
    ];

    /// Returns the operation in reports. `modes` are the modes of the file before and after.
    pub(super) fn of(operation: &Operation, modes: (Option<FileMode>, Option<FileMode>)) -> Self {
        match operation.action {
            Action::Create => Self::Create,
            Action::Modify
                if !operation.distinguishes_missing && modes.0.is_none() && modes.1.is_some() =>
            {
                Self::Create
            }
            Action::Delete | Action::RemoveCopy => Self::Delete,
            Action::Modify if matches!(operation.edit, Edit::Keep) && modes.0 != modes.1 => {
                Self::Mode
            }
            Action::Modify => Self::Modify,
            Action::Rename => Self::Rename,
            Action::Copy => Self::Copy,
        }
    }

    /// Returns the operation that git states in a summary, if it differs from [`Self::of`].
    ///
    /// After a comparison with the tree, git never states a creation here. See `is_new` and
    /// `is_delete` in git's `apply.c`, where -1 means unknown.
    pub(super) fn for_summary(operation: &Operation, is_compared: bool) -> Option<Self> {
        let Edit::Hunks(hunks) = &operation.edit else {
            return None;
        };
        let ([hunk], Action::Modify, false) = (
            &hunks[..],
            operation.action,
            operation.distinguishes_missing,
        ) else {
            return None;
        };
        let (old, new) = match operation.direction {
            Direction::Forward => (hunk.old.count, hunk.new.count),
            Direction::Reverse => (hunk.new.count, hunk.old.count),
        };
        match (old, new) {
            (0, _) if !is_compared => Some(Self::Create),
            (_, 0) => Some(Self::Delete),
            _ => None,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FileType {
    /// Returns the type of the file of `operation`.
    pub(super) fn of(
        operation: &Operation,
        outcome: &FileOutcome,
        modes: (Option<FileMode>, Option<FileMode>),
    ) -> Self {
        if outcome.is_binary || matches!(operation.edit, Edit::Binary(_) | Edit::BinaryMissing) {
            return Self::Binary;
        }
        match modes
            .1
            .or(modes.0)
            .or(operation.new_mode)
            .or(operation.old_mode)
        {
            Some(FileMode::Symlink) if outcome.is_link_file => Self::Text,
            Some(FileMode::Symlink) => Self::Symlink,
            Some(FileMode::Submodule) => Self::Submodule,
            Some(FileMode::Regular | FileMode::Executable) | None => Self::Text,
        }
    }
}

/// Returns the entries for the hunks of the file `id`. `room` limits their number.
pub(super) fn list_hunks(
    id: &str,
    operation: &Operation,
    outcome: &FileOutcome,
    (patch, room): (&[u8], EntryLimits),
    counter: &mut LineCounter<'_>,
) -> ListedHunks {
    let all = |hunks: Vec<HunkReport>| ListedHunks {
        hunks,
        ..ListedHunks::default()
    };
    match &operation.edit {
        Edit::Hunks(hunks) => {
            hunk::reports(id, operation, (hunks, outcome), (patch, room), counter)
        }
        Edit::Replacements(changes) => {
            texts::reports(id, operation, changes, (outcome, room), counter)
        }
        Edit::Cell(_) => all(cell::reports(id, operation, outcome)),
        Edit::Whole(_) => all(written::reports(
            id,
            operation,
            outcome.diff.as_deref().unwrap_or_default(),
        )),
        Edit::Lines(changes) => {
            texts::numbered_hunks(id, operation, changes, (outcome, room), counter)
        }
        _ => ListedHunks::default(),
    }
}

/// Returns the numbers of lines that the patch adds and removes.
pub(super) fn count_lines(operation: &Operation, patch: &[u8]) -> (usize, usize) {
    if let Edit::Replacements(changes) = &operation.edit {
        return texts::count_lines(changes);
    }
    plan::count_changes(operation.hunks(), patch, operation.direction)
}

/// Returns the least strict line comparison that a hunk needed.
pub(super) fn loosest_rung(operation: &Operation, outcome: &FileOutcome) -> Option<&'static str> {
    let rung = |placed: &Result<Placement, Box<Mismatch>>| match placed {
        Ok(placement) => Some(placement.rung),
        Err(mismatch) => match mismatch.kind {
            MismatchKind::Ambiguous { rung, .. } => Some(rung),
            _ => None,
        },
    };
    let rank = |rung: &&str| LADDER.iter().position(|row| row.name == *rung);
    let taken = outcome
        .placements
        .iter()
        .enumerate()
        .filter(|(index, _)| operation.is_applied(*index));
    taken
        .filter_map(|(_, placed)| rung(placed))
        .max_by_key(rank)
}
