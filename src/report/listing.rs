//! Selects the files and problems that a report lists, and counts the others.

use super::Summary;
use super::hunk::has_conflict;
use super::omitted::{
    EntryLimits, MAX_APPLYING_HUNKS, MAX_CONFLICTS, MAX_FAILED_FILES, MAX_FAILED_HUNKS,
    MAX_FAILED_HUNKS_PER_FILE, MAX_PROBLEMS, Omitted,
};
use super::operation::{self, FileType, Op};
use super::stages::ReportInputs;
use crate::plan::{Edit, Operation};
use crate::policy::PolicyDecision;
use crate::preflight::{FileOutcome, Severity};

/// The files that a report lists, and how many entries of each.
pub(super) struct ListedFiles {
    /// The listed operations, in order, each with its limits; `None` if all are listed completely.
    rooms: Option<Vec<(usize, EntryLimits)>>,
    /// The omitted operations.
    pub(super) omitted: Vec<usize>,
    count: usize,
}

impl ListedFiles {
    /// Selects the entries of the report on `facts`. `is_refused` is set if nothing can be applied.
    pub(super) fn of(facts: ReportInputs<'_>, is_refused: bool) -> Self {
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
        // Without problems there are no failures to limit.
        if facts.selected.problems.is_empty() || facts.command.is_unlimited {
            return all.without_directories(operations, &resolution.files);
        }
        let mut limits = Limits::new(is_refused);
        let (mut rooms, mut omitted) = (Vec::with_capacity(count), Vec::new());
        for (index, operation) in operations.iter().enumerate() {
            match resolution.files.get(index) {
                None => rooms.push((index, EntryLimits::UNLIMITED)),
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

    /// Lists every operation completely, except operations on directories with nothing to report.
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
            rooms: Some(
                listed
                    .map(|(index, _)| (index, EntryLimits::UNLIMITED))
                    .collect(),
            ),
            ..self
        }
    }

    /// Returns the number of listed operations.
    pub(super) fn len(&self) -> usize {
        self.rooms.as_ref().map_or(self.count, Vec::len)
    }

    /// Returns the operation at the position `number` of the list, and its limits.
    pub(super) fn get(&self, number: usize) -> (usize, EntryLimits) {
        self.rooms
            .as_ref()
            .map_or((number, EntryLimits::UNLIMITED), |rooms| rooms[number])
    }
}

/// The remaining limits for a report on a change with problems.
struct Limits {
    /// Whether nothing can be applied.
    is_refused: bool,
    failed_files: usize,
    remaining: EntryLimits,
}

impl Limits {
    fn new(is_refused: bool) -> Self {
        let fitting = if is_refused {
            MAX_APPLYING_HUNKS
        } else {
            usize::MAX
        };
        Self {
            is_refused,
            failed_files: 0,
            remaining: EntryLimits {
                failed: MAX_FAILED_HUNKS,
                applying: fitting,
                conflicts: MAX_CONFLICTS,
            },
        }
    }

    /// Returns the limits for the next file; `None` if the file is omitted.
    fn admit(&mut self, operation: &Operation, outcome: &FileOutcome) -> Option<EntryLimits> {
        let is_failed = outcome.failed.is_some();
        self.failed_files += usize::from(is_failed);
        if self.is_refused && is_failed && self.failed_files > MAX_FAILED_FILES {
            return None;
        }
        let hunks = HunkCounts::of(operation, outcome);
        let merge = outcome.merge.as_ref();
        let conflicts = merge.map_or(0, |merge| merge.conflicts.len());
        // An already applied file does not count as a failure if the other files apply.
        let has_failures = is_failed || outcome.rejects.is_some() || conflicts > 0;
        let mut room = self.remaining;
        if has_failures {
            room.failed = room.failed.min(MAX_FAILED_HUNKS_PER_FILE);
            self.remaining.failed -= hunks.failed.min(room.failed);
        } else {
            room.failed = usize::MAX;
        }
        if self.is_refused {
            self.remaining.applying = self.remaining.applying.saturating_sub(hunks.applying);
        }
        self.remaining.conflicts = self.remaining.conflicts.saturating_sub(conflicts);
        Some(room)
    }
}

/// Returns whether the operation restores or removes a directory and has nothing to report.
fn is_mere_directory(operation: &Operation, outcome: &FileOutcome) -> bool {
    matches!(operation.edit, Edit::Directory)
        && outcome.failed.is_none()
        && outcome.decision.matches.is_empty()
}

/// The numbers of hunks of a file that apply and that do not.
struct HunkCounts {
    applying: usize,
    failed: usize,
}

impl HunkCounts {
    fn of(operation: &Operation, outcome: &FileOutcome) -> Self {
        let all = count_hunks(operation, outcome);
        if let Some(merge) = &outcome.merge
            && !merge.hunks.is_empty()
        {
            let failed = merge.hunks.iter().filter(|hunk| has_conflict(hunk)).count();
            return Self {
                applying: all.saturating_sub(failed),
                failed,
            };
        }
        let taken = outcome
            .placements
            .iter()
            .enumerate()
            .filter(|(index, _)| operation.is_applied(*index));
        let fitting = taken.filter(|(_, placed)| placed.is_ok()).count();
        // A file that fails before the hunk search has no placements.
        Self {
            applying: fitting,
            failed: all - fitting,
        }
    }
}

/// Returns the number of entries of an operation in a report that lists all hunks.
fn count_hunks(operation: &Operation, outcome: &FileOutcome) -> usize {
    let placed = outcome.placements.len();
    match &operation.edit {
        Edit::Hunks(hunks) => hunks.len() - operation.left_out.len(),
        Edit::Replacements(changes) if placed == 0 => changes.edits.len(),
        _ => placed,
    }
}

/// The facts about omitted files that a report states.
#[derive(Default)]
pub(super) struct OmittedFiles {
    pub(super) counts: Omitted,
    pub(super) decisions: Vec<PolicyDecision>,
}

impl OmittedFiles {
    /// Adds the omitted files of `listing` to `summary`.
    pub(super) fn count(
        facts: ReportInputs<'_>,
        listing: &ListedFiles,
        summary: &mut Summary,
    ) -> Self {
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
                operation::count_lines(
                    operation,
                    &facts.selected.plan.inputs[operation.input].bytes,
                ),
            );
            summary.mode_changes +=
                usize::from(matches!(modes, (Some(old), Some(new)) if old != new));
            summary.count_moved(operation, outcome);
            files.counts.files += 1;
            files.counts.hunks += count_hunks(operation, outcome);
            if !outcome.decision.matches.is_empty() && !files.decisions.contains(&outcome.decision)
            {
                files.decisions.push(outcome.decision.clone());
            }
        }
        files
    }
}

/// Returns the indices of the problems that are listed.
pub(super) fn listed_problems(facts: ReportInputs<'_>) -> Vec<usize> {
    let most = if facts.command.is_unlimited {
        usize::MAX
    } else {
        MAX_PROBLEMS
    };
    // Errors and warnings have separate limits, so many warnings never hide an error.
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
