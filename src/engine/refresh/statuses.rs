//! Describes for each patch, file and hunk what the refresh needs.

use std::collections::HashSet;

use super::checked::{Checked, patch_of};
use super::patch_text::{Section, is_applied};
use crate::matching::{Mismatch, MismatchKind, Placement};
use crate::plan::{Edit, Hunk, Operation};
use crate::preflight::{FileOutcome, Severity};
use crate::report::{
    PatchStatus, RefreshReport, RefreshStatus, RefreshedFile, RefreshedHunk, RefreshedPatch,
};

/// Returns the report before the new texts are known. `patch_inputs` are the indexes of the patches
/// among the inputs.
pub(super) fn refresh_report(checked: &Checked, patch_inputs: &[usize]) -> RefreshReport {
    let plan = checked.plan();
    let patch = |&start: &usize| RefreshedPatch {
        patch: plan.inputs[start].name.clone(),
        status: PatchStatus::Unchanged,
        files: Vec::new(),
    };
    let mut patches: Vec<_> = patch_inputs.iter().map(patch).collect();
    // Other failed operations change a file whose earlier change failed.
    let refused: HashSet<usize> = (checked.done.resolved.selected.problems.iter())
        .filter(|problem| problem.severity == Severity::Error)
        .filter_map(|problem| problem.operation)
        .collect();
    for (index, outcome, contents) in checked.operations() {
        let operation = &plan.operations[index];
        let patch = patch_of(operation.input, patch_inputs);
        let status = if outcome.failed.is_none() {
            let section = Section::new(plan, index, (outcome, contents), patch_inputs[patch]);
            let is_there = section.is_already_applied();
            if is_there {
                RefreshStatus::AlreadyThere
            } else {
                RefreshStatus::Clean
            }
        } else if refused.contains(&index) {
            RefreshStatus::Conflict
        } else {
            RefreshStatus::NotChecked
        };
        let file = file_report(operation, outcome, status);
        let of_file = match file.status {
            RefreshStatus::Conflict => PatchStatus::Conflict,
            RefreshStatus::NotChecked => PatchStatus::NotChecked,
            _ => PatchStatus::Unchanged,
        };
        let entry = &mut patches[patch];
        entry.files.push(file);
        if entry.status != PatchStatus::Conflict && of_file != PatchStatus::Unchanged {
            entry.status = of_file;
        }
    }
    RefreshReport { patches }
}

impl RefreshReport {
    /// Returns the report with the status of each patch that applies.
    pub(super) fn with_statuses(mut self, statuses: &[PatchStatus]) -> Self {
        for (patch, status) in self.patches.iter_mut().zip(statuses) {
            if patch.status == PatchStatus::Unchanged {
                patch.status = *status;
            }
        }
        self
    }

    /// Returns the number of patches that do not apply or were not compared.
    pub(super) fn count_failed(&self) -> usize {
        let is_failed = |patch: &&RefreshedPatch| {
            matches!(
                patch.status,
                PatchStatus::Conflict | PatchStatus::NotChecked
            )
        };
        self.patches.iter().filter(is_failed).count()
    }

    /// Returns the report on all patches: `rest` for the patches with the indexes `kept`. The tree
    /// has the changes of the others.
    pub(super) fn with_contained(mut self, rest: Self, kept: &[usize]) -> Self {
        for patch in &mut self.patches {
            patch.status = PatchStatus::Removed;
            for file in &mut patch.files {
                file.status = RefreshStatus::AlreadyThere;
                for hunk in &mut file.hunks {
                    *hunk = RefreshedHunk::new(
                        hunk.number,
                        RefreshStatus::AlreadyThere,
                        hunk.stated_line,
                    );
                }
            }
        }
        for (patch, index) in rest.patches.into_iter().zip(kept) {
            self.patches[*index] = patch;
        }
        self
    }
}

/// Returns the entry of one file, whose status is `status` unless a hunk moves.
fn file_report(
    operation: &Operation,
    outcome: &FileOutcome,
    status: RefreshStatus,
) -> RefreshedFile {
    let hunks: Vec<_> = match &operation.edit {
        Edit::Hunks(hunks) => hunks
            .iter()
            .enumerate()
            .map(|(index, hunk)| {
                let placed = outcome.placements.get(index);
                hunk_report((index, hunk), operation, placed, status)
            })
            .collect(),
        _ => Vec::new(),
    };
    let is_moved = hunks.iter().any(|hunk| hunk.status == RefreshStatus::Moved);
    let status = match status {
        RefreshStatus::Clean if is_moved => RefreshStatus::Moved,
        status => status,
    };
    RefreshedFile::new(&operation.path, status, hunks)
}

/// Returns the entry of one hunk. A hunk without a result of its own has the status of its file.
fn hunk_report(
    (index, hunk): (usize, &Hunk),
    operation: &Operation,
    placed: Option<&Result<Placement, Box<Mismatch>>>,
    of_file: RefreshStatus,
) -> RefreshedHunk {
    // An empty range names the line before it.
    let range = hunk.preimage_range(operation.direction);
    let is_empty = usize::from(range.count == 0);
    let stated = range.start + is_empty;
    let mut report = RefreshedHunk::new(index + 1, of_file, stated);
    match placed {
        Some(Ok(placement)) => {
            let fuzz = placement.ignored_context.0.max(placement.ignored_context.1);
            report.status = if placement.offset == 0 && fuzz == 0 {
                RefreshStatus::Clean
            } else {
                RefreshStatus::Moved
            };
            // A placement does not contain the ignored context lines.
            let start = placement.lines.start + 1;
            let start = start.saturating_sub(placement.ignored_context.0).max(1);
            report.line = Some(start);
            report.offset = Some(placement.offset);
            report.fuzz = Some(fuzz);
        }
        Some(Err(mismatch)) => {
            let is_there = placed.is_some_and(is_applied);
            report.status = if is_there {
                RefreshStatus::AlreadyThere
            } else {
                RefreshStatus::Conflict
            };
            report.line = match &mismatch.kind {
                MismatchKind::AlreadyApplied { line } => Some(line + 1),
                _ => mismatch.nearest.as_ref().map(|nearest| nearest.line + 1),
            };
            if let MismatchKind::Ambiguous { lines, .. } = &mismatch.kind {
                report.candidates = lines.iter().map(|line| line + 1).collect();
            }
        }
        // The file is missing or has a wrong type, so no hunk was compared with it.
        None if of_file == RefreshStatus::Conflict => report.status = RefreshStatus::NotChecked,
        None => {}
    }
    report
}
