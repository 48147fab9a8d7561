//! Which files and problems a report lists, and what it states about the others.

use super::Summary;
use super::hunk::is_conflict;
use super::omitted::{
    CONFLICTS, FAILED_FILES, FAILED_HUNKS, FAILED_HUNKS_PER_FILE, FITTING_HUNKS, Omitted, PROBLEMS,
    Room,
};
use super::operation::{self, FileType, Op};
use super::stages::Facts;
use crate::plan::{Edit, Operation};
use crate::policy::Ruling;
use crate::preflight::{FileOutcome, Severity};

/// Which files a report lists, and how much of each.
pub(super) struct Listing {
    /// The operations that are listed, in order, each with its room; `None` if every one is listed
    /// completely.
    rooms: Option<Vec<(usize, Room)>>,
    /// The operations that are omitted.
    pub(super) omitted: Vec<usize>,
    count: usize,
}

impl Listing {
    /// Decides what the report on `facts` lists; `is_refused` states that nothing can be applied.
    pub(super) fn of(facts: Facts<'_>, is_refused: bool) -> Self {
        let count = facts.selected.plan.operations.len();
        let all = Self {
            rooms: None,
            omitted: Vec::new(),
            count,
        };
        let plan = &facts.selected.plan;
        let Some(resolution) = &facts.resolved.resolution else {
            return all;
        };
        let is_hidden = |(operation, outcome): (&Operation, &FileOutcome)| {
            is_mere_directory(operation, outcome)
        };
        let pairs = || plan.operations.iter().zip(&resolution.files);
        // Where nothing failed there is no problem.
        if facts.selected.problems.is_empty() || facts.command.is_complete {
            let rooms = pairs()
                .enumerate()
                .filter(|(_, pair)| !is_hidden(*pair))
                .map(|(index, _)| (index, Room::ALL));
            return if pairs().any(is_hidden) {
                Self {
                    rooms: Some(rooms.collect()),
                    ..all
                }
            } else {
                all
            };
        }
        let mut omitted = Vec::new();
        let mut rooms = Vec::with_capacity(count);
        let fitting = if is_refused {
            FITTING_HUNKS
        } else {
            usize::MAX
        };
        let mut left = Room {
            failed: FAILED_HUNKS,
            fitting,
            conflicts: CONFLICTS,
        };
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
            let conflicts = outcome
                .merge
                .as_ref()
                .map_or(0, |merge| merge.conflicts.len());
            // What was done already is no failure where the rest is done.
            let has_failures = is_failed || outcome.rejects.is_some() || conflicts > 0;
            let room = Room {
                failed: if has_failures {
                    left.failed.min(FAILED_HUNKS_PER_FILE)
                } else {
                    usize::MAX
                },
                ..left
            };
            left.failed -= if has_failures {
                hunks.failed.min(room.failed)
            } else {
                0
            };
            left.fitting = left
                .fitting
                .saturating_sub(if is_refused { hunks.fitting } else { 0 });
            left.conflicts = left.conflicts.saturating_sub(conflicts);
            rooms.push((index, room));
        }
        Self {
            rooms: Some(rooms),
            omitted,
            count,
        }
    }

    /// Returns the number of operations that are listed.
    pub(super) fn len(&self) -> usize {
        self.rooms.as_ref().map_or(self.count, Vec::len)
    }

    /// Returns the operation that is listed at the place `number`, and its room.
    pub(super) fn get(&self, number: usize) -> (usize, Room) {
        self.rooms
            .as_ref()
            .map_or((number, Room::ALL), |rooms| rooms[number])
    }
}

/// Returns whether the operation restores or removes a directory, of which nothing has to be
/// reported.
fn is_mere_directory(operation: &Operation, outcome: &FileOutcome) -> bool {
    matches!(operation.edit, Edit::Directory)
        && outcome.failed.is_none()
        && outcome.ruling.hits.is_empty()
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
            let failed = merge.hunks.iter().filter(|hunk| is_conflict(hunk)).count();
            return Self {
                fitting: all.saturating_sub(failed),
                failed,
            };
        }
        let taken = outcome
            .placements
            .iter()
            .enumerate()
            .filter(|(index, _)| operation.takes(*index));
        let fitting = taken.filter(|(_, placed)| placed.is_ok()).count();
        // The hunks of a file that fails before they are searched for have no place.
        Self {
            fitting,
            failed: all - fitting,
        }
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
    pub(super) fn count(facts: Facts<'_>, listing: &Listing, summary: &mut Summary) -> Self {
        let mut files = Self::default();
        let plan = &facts.selected.plan;
        let Some(resolution) = &facts.resolved.resolution else {
            return files;
        };
        for &index in &listing.omitted {
            let (operation, outcome) = (&plan.operations[index], &resolution.files[index]);
            let modes = (operation.old_mode, operation.new_mode);
            let what = (
                Op::of(operation, modes),
                FileType::of(operation, outcome, modes),
            );
            summary.count_file(
                what,
                operation::counted_lines(
                    operation,
                    &facts.selected.plan.inputs[operation.input].bytes,
                ),
            );
            summary.mode_changes +=
                usize::from(matches!(modes, (Some(old), Some(new)) if old != new));
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

/// Returns which of the problems of `facts` are listed.
pub(super) fn listed_problems(facts: Facts<'_>) -> Vec<usize> {
    let most = if facts.command.is_complete {
        usize::MAX
    } else {
        PROBLEMS
    };
    let mut left = [most; 2];
    let is_listed = |index: &usize| {
        let room =
            &mut left[usize::from(facts.selected.problems[*index].severity == Severity::Warning)];
        let has_room = *room > 0;
        *room = room.saturating_sub(1);
        has_room
    };
    (0..facts.selected.problems.len())
        .filter(is_listed)
        .collect()
}
