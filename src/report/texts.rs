//! Changes of texts in a report, one entry for each place.

use super::hunk::{AppliedLines, HunkReport, HunkStatus, Source, StatedLines};
use super::words::Counter;
use crate::plan::{Operation, Replacement, Replacements, Target};
use crate::preflight::FileOutcome;
use crate::text::lines;

/// Reports the places of `changes` of the file `id`, or why they have none.
pub(super) fn reports(
    id: &str,
    operation: &Operation,
    changes: &Replacements,
    outcome: &FileOutcome,
    counter: &mut Counter<'_>,
) -> Vec<HunkReport> {
    let (mut added, mut removed) = (0, 0);
    let mut reports = Vec::with_capacity(outcome.placements.len());
    for (index, (placed, &(edit, new))) in outcome.placements.iter().zip(&outcome.texts).enumerate() {
        let Some(edit) = changes.edits.get(edit) else { continue };
        let mut report = unplaced(format!("{id}h{}", index + 1), operation, edit, counter);
        match placed {
            Ok(placement) => {
                report.place(placement);
                let old = placement.lines.len();
                let first = |before: usize, count: usize| if count == 0 { before } else { before + 1 };
                report.applied = Some(AppliedLines {
                    old_start: first(placement.lines.start, old),
                    old_lines: old,
                    new_start: first((placement.lines.start + added).saturating_sub(removed), new),
                    new_lines: new,
                });
                added += new;
                removed += old;
            }
            Err(mismatch) => report.miss(mismatch, counter),
        }
        reports.push(report);
    }
    reports
}

fn unplaced(id: String, operation: &Operation, edit: &Replacement, counter: &mut Counter<'_>) -> HunkReport {
    let (line_start, line_end) = counter.lines(edit.span);
    let old_lines = match &edit.target {
        Target::Text { old, .. } => lines(old).count(),
        _ => 0,
    };
    let new_lines = lines(&edit.new).count();
    HunkReport {
        id,
        status: HunkStatus::Unplaced,
        rung: None,
        offset: None,
        fuzz: None,
        patch: StatedLines { old_start: None, old_lines, new_start: None, new_lines, section: String::new() },
        applied: None,
        source: Source {
            input: operation.input,
            byte_start: edit.span.start,
            byte_end: edit.span.end,
            line_start,
            line_end,
        },
        candidates: Vec::new(),
        expected: Vec::new(),
        nearest: None,
    }
}
