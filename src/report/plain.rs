//! Changes for which counts are a sufficient report.

use super::Summary;
use super::operation::{FileType, Op};
use super::stages::ReportInputs;
use crate::plan::{Edit, Operation};
use crate::preflight::FileOutcome;

/// Returns the counts of the change if the report can be brief and every file changed exactly as
/// the patches state. Returns `None` if the report must list the files.
pub(super) fn brief_summary(facts: ReportInputs<'_>) -> Option<Summary> {
    let (plan, resolution) = (&facts.selected.plan, facts.resolved.resolution.as_ref()?);
    let is_whole = facts.result.receipt.is_some()
        && facts.selected.problems.is_empty()
        && facts.selected.left_out.is_empty();
    let is_alone = !facts.command.is_full_report
        && facts.resolved.findings.is_none()
        && facts.resolved.index_report.is_none();
    if !facts.command.is_brief
        || !is_whole
        || !is_alone
        || plan.operations.len() != resolution.files.len()
    {
        return None;
    }
    let mut summary = Summary::default();
    for (operation, outcome) in plan.operations.iter().zip(&resolution.files) {
        if !is_plain(operation, outcome) {
            return None;
        }
        count(&mut summary, operation, outcome);
    }
    Some(summary)
}

/// Returns whether there is nothing to report about a file except its counts.
fn is_plain(operation: &Operation, outcome: &FileOutcome) -> bool {
    let is_of_diff = matches!(
        operation.edit,
        Edit::Keep | Edit::Hunks(_) | Edit::Binary(_)
    );
    let is_done =
        outcome.failed.is_none() && outcome.rejects.is_none() && operation.left_out.is_empty();
    let is_told = outcome.whitespace.is_some()
        || outcome.merge.is_some()
        || outcome.no_merge_reason.is_some();
    is_of_diff && is_done && !is_told && outcome.decision.matches.is_empty()
}

fn count(summary: &mut Summary, operation: &Operation, outcome: &FileOutcome) {
    let modes = outcome.modes;
    let what = (
        Op::of(operation, modes),
        FileType::of(operation, outcome, modes),
    );
    summary.count_file(what, (outcome.added, outcome.removed));
    summary.mode_changes += usize::from(matches!(modes, (Some(old), Some(new)) if old != new));
    summary.hunks += if let Edit::Hunks(hunks) = &operation.edit {
        hunks.len()
    } else {
        0
    };
    for placement in outcome.placements.iter().flatten() {
        summary.hunks_offset += usize::from(placement.offset != 0);
        summary.hunks_fuzzy += usize::from(placement.ignored_context != (0, 0));
    }
}
