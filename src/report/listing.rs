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
        let Some(resolution) = &facts.resolved.resolution else {
            return all;
        };
        let operations = &facts.selected.plan.operations;
        // Where nothing failed there is no problem.
        if facts.selected.problems.is_empty() || facts.command.is_complete {
            return all.without_directories(operations, &resolution.files);
        }
        let mut limits = Limits::new(is_refused);
        let (mut rooms, mut omitted) = (Vec::with_capacity(count), Vec::new());
        for (index, operation) in operations.iter().enumerate() {
            match resolution.files.get(index) {
                None => rooms.push((index, Room::ALL)),
                Some(outcome) if is_mere_directory(operation, outcome) => {}
                Some(outcome) => match limits.admit(operation, outcome) {
                    Some(room) => rooms.push((index, room)),
                    None => omitted.push(index),
                },
            }
        }
        Self {
            rooms: Some(rooms),
            omitted,
            count,
        }
    }

    /// Lists every operation completely, except those on mere directories.
    fn without_directories(self, operations: &[Operation], outcomes: &[FileOutcome]) -> Self {
        let is_hidden = |(operation, outcome): (&Operation, &FileOutcome)| {
            is_mere_directory(operation, outcome)
        };
        let pairs = || operations.iter().zip(outcomes);
        if !pairs().any(is_hidden) {
            return self;
        }
        let listed = pairs().enumerate().filter(|(_, pair)| !is_hidden(*pair));
        Self {
            rooms: Some(listed.map(|(index, _)| (index, Room::ALL)).collect()),
            ..self
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

/// What a report on a change with problems can still list.
struct Limits {
    /// Whether nothing can be applied.
    is_refused: bool,
    failed_files: usize,
    left: Room,
}

impl Limits {
    fn new(is_refused: bool) -> Self {
        let fitting = if is_refused {
            FITTING_HUNKS
        } else {
            usize::MAX
        };
        Self {
            is_refused,
            failed_files: 0,
            left: Room {
                failed: FAILED_HUNKS,
                fitting,
                conflicts: CONFLICTS,
            },
        }
    }

    /// Returns the room for the next file; `None` if the file is omitted.
    fn admit(&mut self, operation: &Operation, outcome: &FileOutcome) -> Option<Room> {
        let is_failed = outcome.failed.is_some();
        self.failed_files += usize::from(is_failed);
        if self.is_refused && is_failed && self.failed_files > FAILED_FILES {
            return None;
        }
        let hunks = Hunks::of(operation, outcome);
        let merge = outcome.merge.as_ref();
        let conflicts = merge.map_or(0, |merge| merge.conflicts.len());
        // What was done already is no failure where the rest is done.
        let has_failures = is_failed || outcome.rejects.is_some() || conflicts > 0;
        let mut room = self.left;
        if has_failures {
            room.failed = room.failed.min(FAILED_HUNKS_PER_FILE);
            self.left.failed -= hunks.failed.min(room.failed);
        } else {
            room.failed = usize::MAX;
        }
        if self.is_refused {
            self.left.fitting = self.left.fitting.saturating_sub(hunks.fitting);
        }
        self.left.conflicts = self.left.conflicts.saturating_sub(conflicts);
        Some(room)
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
