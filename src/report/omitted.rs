//! How much a report lists of what grows with the number of failures, and the counts of what it omits.
//!
//! A report of a change that can be made lists every file, every hunk and every digest. Only the entries that grow with
//! failures are limited. The first entries in the order of the input are listed, so that the same input has the same report.

use schemars::JsonSchema;
use serde::Serialize;

use super::build::Parts;
use super::{Summary, operation};
use crate::matching;
use crate::plan::{Edit, Operation};
use crate::policy::Ruling;
use crate::preflight::{FileOutcome, Severity};

/// Most hunks of one file that do not apply and are listed.
pub const FAILED_HUNKS_PER_FILE: usize = matching::MOST_EXPLAINED;
/// Most hunks of all files that do not apply and are listed.
pub const FAILED_HUNKS: usize = 1000;
/// Most files that do not apply and are listed, where nothing can be applied.
pub const FAILED_FILES: usize = 10_000;
/// Most hunks of all files that fit and are listed, where nothing can be applied.
pub const FITTING_HUNKS: usize = 10_000;
/// Most errors and most warnings that are listed.
pub const PROBLEMS: usize = 1000;
/// Most changes that the inputs name without their content, and most repairs of all inputs.
pub const NOTES: usize = 1000;
/// Most conflicts of all merged files that are listed.
pub const CONFLICTS: usize = 1000;

/// The numbers of entries that a report omits because there are too many; absent where every entry is listed.
///
/// The entries that are listed and the omitted ones together are all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Omitted {
    /// Files that do not apply: at most 10,000 of them are listed if nothing can be applied.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: usize,
    /// Hunks: of those that do not apply, at most 100 are listed for each file, and 1000 for all files. If nothing can be
    /// applied, at most 10,000 of the others are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub hunks: usize,
    /// Problems: at most 1000 errors and 1000 warnings are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub problems: usize,
    /// Changes that the inputs name and do not contain: at most 1000 are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_included: usize,
    /// Repairs: at most 1000 are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub repairs: usize,
    /// Conflicts of merged files: at most 1000 are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub conflicts: usize,
}

impl Omitted {
    /// Returns whether every entry is listed.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the counts of a part of the report.
    pub(super) fn add(&mut self, part: &Self) {
        self.files += part.files;
        self.hunks += part.hunks;
        self.problems += part.problems;
        self.not_included += part.not_included;
        self.repairs += part.repairs;
        self.conflicts += part.conflicts;
    }

    /// Returns a line for each count, as in `3 more hunks are not listed`.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let rows = [
            (self.files, "file that does not apply", "files that do not apply"),
            (self.hunks, "hunk", "hunks"),
            (self.problems, "problem", "problems"),
            (self.not_included, "change without content", "changes without content"),
            (self.repairs, "repair", "repairs"),
            (self.conflicts, "conflict", "conflicts"),
        ];
        let line = |(count, one, many): (usize, &str, &str)| match count {
            0 => None,
            1 => Some(format!("1 more {one} is not listed")),
            count => Some(format!("{count} more {many} are not listed")),
        };
        rows.into_iter().filter_map(line).collect()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde calls")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// How many entries the report on one file may list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Hunks that do not apply.
    pub(super) failed: usize,
    /// Hunks that fit.
    pub(super) fitting: usize,
    /// Conflicts.
    pub(super) conflicts: usize,
}

impl Room {
    /// Enough for every entry.
    pub(super) const ALL: Self = Self { failed: usize::MAX, fitting: usize::MAX, conflicts: usize::MAX };

    /// Returns how many of `count` hunks can be listed at most.
    pub(super) fn most_hunks(&self, count: usize) -> usize {
        count.min(self.failed.saturating_add(self.fitting))
    }

    /// Returns whether another hunk is listed, and uses its room.
    pub(super) fn admits(&mut self, is_failed: bool) -> bool {
        let room = if is_failed { &mut self.failed } else { &mut self.fitting };
        let is_listed = *room > 0;
        *room = room.saturating_sub(1);
        is_listed
    }
}

/// Which files a report lists, and how much of each.
pub(super) struct Listing {
    /// The operations that are listed, in order, each with its room; `None` if every one is listed completely.
    rooms: Option<Vec<(usize, Room)>>,
    /// The operations that are omitted.
    pub(super) omitted: Vec<usize>,
    count: usize,
}

impl Listing {
    /// Decides what the report on `parts` lists; `is_refused` states that nothing can be applied.
    pub(super) fn of(parts: &Parts<'_>, is_refused: bool) -> Self {
        let count = parts.plan.map_or(0, |plan| plan.operations.len());
        let all = Self { rooms: None, omitted: Vec::new(), count };
        let (Some(plan), Some(resolution)) = (parts.plan, parts.resolution) else { return all };
        let is_hidden = |(operation, outcome): (&Operation, &FileOutcome)| is_mere_directory(operation, outcome);
        let pairs = || plan.operations.iter().zip(&resolution.files);
        // Where nothing failed there is no problem.
        if parts.problems.is_empty() || parts.is_complete {
            let rooms = pairs().enumerate().filter(|(_, pair)| !is_hidden(*pair)).map(|(index, _)| (index, Room::ALL));
            return if pairs().any(is_hidden) { Self { rooms: Some(rooms.collect()), ..all } } else { all };
        }
        let mut omitted = Vec::new();
        let mut rooms = Vec::with_capacity(count);
        let fitting = if is_refused { FITTING_HUNKS } else { usize::MAX };
        let mut left = Room { failed: FAILED_HUNKS, fitting, conflicts: CONFLICTS };
        let mut failed_files = 0;
        for (index, operation) in plan.operations.iter().enumerate() {
            let Some(outcome) = resolution.files.get(index) else {
                rooms.push((index, Room::ALL));
                continue;
            };
            if is_mere_directory(operation, outcome) {
                continue;
            }
            let is_failed = outcome.failed.is_some();
            failed_files += usize::from(is_failed);
            if is_refused && is_failed && failed_files > FAILED_FILES {
                omitted.push(index);
                continue;
            }
            let hunks = Hunks::of(operation, outcome);
            let conflicts = outcome.merge.as_ref().map_or(0, |merge| merge.conflicts.len());
            // What was done already is no failure where the rest is done.
            let has_failures = is_failed || outcome.rejects.is_some() || conflicts > 0;
            let room =
                Room { failed: if has_failures { left.failed.min(FAILED_HUNKS_PER_FILE) } else { usize::MAX }, ..left };
            left.failed -= if has_failures { hunks.failed.min(room.failed) } else { 0 };
            left.fitting = left.fitting.saturating_sub(if is_refused { hunks.fitting } else { 0 });
            left.conflicts = left.conflicts.saturating_sub(conflicts);
            rooms.push((index, room));
        }
        Self { rooms: Some(rooms), omitted, count }
    }

    /// Returns the number of operations that are listed.
    pub(super) fn len(&self) -> usize {
        self.rooms.as_ref().map_or(self.count, Vec::len)
    }

    /// Returns the operation that is listed at the place `number`, and its room.
    pub(super) fn get(&self, number: usize) -> (usize, Room) {
        self.rooms.as_ref().map_or((number, Room::ALL), |rooms| rooms[number])
    }
}

/// Returns whether the operation restores or removes a directory, of which nothing has to be reported.
fn is_mere_directory(operation: &Operation, outcome: &FileOutcome) -> bool {
    matches!(operation.edit, Edit::Directory) && outcome.failed.is_none() && outcome.ruling.hits.is_empty()
}

/// How many hunks of a file fit, and how many do not.
struct Hunks {
    fitting: usize,
    failed: usize,
}

impl Hunks {
    fn of(operation: &Operation, outcome: &FileOutcome) -> Self {
        let all = all_hunks(operation, outcome);
        if let Some(merge) = &outcome.merge
            && !merge.hunks.is_empty()
        {
            let failed = merge.hunks.iter().filter(|hunk| super::hunk::is_conflict(hunk)).count();
            return Self { fitting: all.saturating_sub(failed), failed };
        }
        let taken = outcome.placements.iter().enumerate().filter(|(index, _)| operation.takes(*index));
        let fitting = taken.filter(|(_, placed)| placed.is_ok()).count();
        // The hunks of a file that fails before they are searched for have no place.
        Self { fitting, failed: all - fitting }
    }
}

/// Returns how many entries the hunks of an operation have in a report that lists all of them.
fn all_hunks(operation: &Operation, outcome: &FileOutcome) -> usize {
    let placed = outcome.placements.len();
    match &operation.edit {
        Edit::Hunks(hunks) => hunks.len() - operation.left_out.len(),
        Edit::Replacements(changes) if placed == 0 => changes.edits.len(),
        _ => placed,
    }
}

/// What a report states about the files that it omits.
#[derive(Default)]
pub(super) struct OmittedFiles {
    pub(super) counts: Omitted,
    pub(super) rulings: Vec<Ruling>,
}

impl OmittedFiles {
    /// Adds the files of `listing` that are omitted to `summary`.
    pub(super) fn count(parts: &Parts<'_>, listing: &Listing, summary: &mut Summary) -> Self {
        let mut files = Self::default();
        let (Some(plan), Some(resolution)) = (parts.plan, parts.resolution) else { return files };
        for &index in &listing.omitted {
            let (operation, outcome) = (&plan.operations[index], &resolution.files[index]);
            let modes = (operation.old_mode, operation.new_mode);
            let what = (operation::op(operation, modes), operation::file_type(operation, outcome, modes));
            summary.count_file(what, operation::counted_lines(operation, &parts.inputs[operation.input].bytes));
            summary.mode_changes += usize::from(matches!(modes, (Some(old), Some(new)) if old != new));
            summary.count_moved(operation, outcome);
            files.counts.files += 1;
            files.counts.hunks += all_hunks(operation, outcome);
            if !outcome.ruling.hits.is_empty() && !files.rulings.contains(&outcome.ruling) {
                files.rulings.push(outcome.ruling.clone());
            }
        }
        files
    }
}

/// Returns which of the problems of `parts` are listed.
pub(super) fn listed_problems(parts: &Parts<'_>) -> Vec<usize> {
    let most = if parts.is_complete { usize::MAX } else { PROBLEMS };
    let mut left = [most; 2];
    let is_listed = |index: &usize| {
        let room = &mut left[usize::from(parts.problems[*index].severity == Severity::Warning)];
        let has_room = *room > 0;
        *room = room.saturating_sub(1);
        has_room
    };
    (0..parts.problems.len()).filter(is_listed).collect()
}
