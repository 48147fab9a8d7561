//! `--merge`: merges hunks that do not match with the current lines of the file.

use super::bases::{BaseSource, MergeOutcome, report_conflicts};
use super::edit_result::{count_changed_lines, report_candidates};
use super::findings::Findings;
use super::options::Options;
use crate::lines::LineOffsets;
use crate::matching::{MatchRules, MergeResult, MergedFile, Mismatch, Placements, merge_hunks};
use crate::plan::{Action, Anchor, Edit, Hunk, Operation};

/// Returns whether the operation can be merged hunk by hunk. All hunks must have line numbers, no
/// hunk may be left out, and the file must remain.
pub(super) fn can_merge(operation: &Operation, options: &Options) -> bool {
    let stays = matches!(
        operation.action,
        Action::Modify | Action::Rename | Action::Copy
    );
    let is_numbered = |hunk: &Hunk| matches!(hunk.anchor, Anchor::Line | Anchor::Bare);
    let has_lines = matches!(&operation.edit, Edit::Hunks(hunks) if hunks.iter().all(is_numbered));
    options.merge_hunks.is_some() && stays && has_lines && operation.left_out.is_empty()
}

/// Returns the postimage after merging the hunks with `file`. Conflicts are between markers.
pub(super) fn merge_all(
    operation: &Operation,
    (text, hunks): (&[u8], &[Hunk]),
    file: &LineOffsets<'_>,
    (rules, options): (&MatchRules, &Options),
    findings: &mut Findings,
) -> Vec<u8> {
    let style = options.merge_hunks.unwrap_or_default();
    let MergedFile {
        bytes,
        hunks: done,
        conflicts,
    } = merge_hunks(file, (text, hunks), operation.direction, rules, style);
    let is_done = |kind: MergeResult| kind == MergeResult::AlreadyApplied;
    findings.outcome.is_already_applied = done
        .iter()
        .flat_map(|hunk| &hunk.parts)
        .all(|part| is_done(part.kind));
    let placements: Placements = done
        .iter()
        .map(|hunk| hunk.placement.clone().ok_or_else(Mismatch::without_match))
        .collect();
    for (index, (hunk, placed)) in hunks.iter().zip(&placements).enumerate() {
        if let Ok(placement) = placed {
            report_candidates(
                operation,
                (index, hunk),
                placement,
                options.has_unlimited_problems(),
                findings,
            );
        }
    }
    count_changed_lines(
        file.text(),
        &bytes,
        &options.rules.interrupt,
        &mut findings.outcome,
    );
    let is_marked = !conflicts.is_empty();
    let merge = MergeOutcome {
        base: BaseSource::Hunks,
        conflicts,
        is_binary: false,
        is_marked,
        hunks: done,
        sides: None,
    };
    report_conflicts(&merge, None, findings);
    findings.outcome.placements = placements;
    findings.outcome.merge = Some(Box::new(merge));
    bytes
}
