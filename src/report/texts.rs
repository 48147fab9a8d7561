//! Text replacements in a report, with one entry for each match.

use std::collections::{BTreeSet, HashMap};

use super::applied::LineShift;
use super::hunk::{HunkReport, ListedHunks, Source, StatedLines};
use super::omitted::EntryLimits;
use super::words::LineCounter;
use crate::plan::{
    EditOrder, EditTarget, LineEdits, LineTarget, NewLines, Operation, Replacement, Replacements,
};
use crate::preflight::FileOutcome;
use crate::syntax::write::changed_lines;
use crate::text::{Span, lines};

/// The lines of one change, as the patch states them.
struct StatedChange {
    span: Span,
    old_start: Option<usize>,
    old_lines: usize,
    new_lines: usize,
}

/// Returns the entries for `changes` of the file `id`: the placements, or the reasons why there are
/// none.
pub(super) fn reports(
    id: &str,
    operation: &Operation,
    changes: &Replacements,
    outcome: (&FileOutcome, EntryLimits),
    counter: &mut LineCounter<'_>,
) -> ListedHunks {
    let stated = |edit: usize| changes.edits.get(edit).map(describe_replacement);
    placed_hunks(
        (id, operation),
        (&stated, changes.order, changes.edits.len()),
        outcome,
        counter,
    )
}

/// Returns the entries for changes of numbered lines.
pub(super) fn numbered_hunks(
    id: &str,
    operation: &Operation,
    changes: &LineEdits,
    outcome: (&FileOutcome, EntryLimits),
    counter: &mut LineCounter<'_>,
) -> ListedHunks {
    let stated = |edit: usize| {
        let edit = changes.edits.get(edit)?;
        let (old_start, old_lines) = match edit.target {
            LineTarget::Lines(lines) => (
                Some(lines.first),
                (lines.last + 1).saturating_sub(lines.first),
            ),
            LineTarget::Before(line)
            | LineTarget::After(line)
            | LineTarget::Construct(line)
            | LineTarget::AfterConstruct(line) => (Some(line), 0),
            LineTarget::End => (None, 0),
        };
        let new_lines = match &edit.new {
            NewLines::Nothing | NewLines::CutConstruct { .. } => 0,
            NewLines::Given(rows) => rows.len(),
            NewLines::Cut { lines, .. } => (lines.last + 1).saturating_sub(lines.first),
        };
        Some(StatedChange {
            span: edit.span,
            old_start,
            old_lines,
            new_lines,
        })
    };
    placed_hunks(
        (id, operation),
        (&stated, EditOrder::Simultaneous, 0),
        outcome,
        counter,
    )
}

/// Returns the entries for the placements. If there was no search, returns the stated lines of
/// `count` changes.
fn placed_hunks(
    (id, operation): (&str, &Operation),
    (stated, order, count): (&dyn Fn(usize) -> Option<StatedChange>, EditOrder, usize),
    (outcome, mut room): (&FileOutcome, EntryLimits),
    counter: &mut LineCounter<'_>,
) -> ListedHunks {
    let mut growth = LineShift::default();
    let mut listed =
        ListedHunks::with_capacity(room.max_hunks(outcome.edit_lines.len().max(count)));
    // The counter is fast only for ascending offsets. The order in the patch differs from the order
    // in the file.
    let edits: BTreeSet<_> = outcome.edit_lines.iter().map(|(edit, _)| *edit).collect();
    let named = |edit| Some((edit, Source::of(operation, stated(edit)?.span, counter)));
    let sources: HashMap<_, _> = edits.into_iter().filter_map(named).collect();
    for (index, (placed, &(edit, new))) in outcome
        .placements
        .iter()
        .zip(&outcome.edit_lines)
        .enumerate()
    {
        let (Some(stated), Some(&source)) = (stated(edit), sources.get(&edit)) else {
            continue;
        };
        if !room.try_take_hunk(placed.is_err()) {
            listed.count_omitted(placed.as_ref().ok());
            continue;
        }
        let mut report = HunkReport::without_placement(id, index, stated.lines(), source);
        match placed {
            Ok(placement) => {
                report.set_placement(placement);
                let lines = growth.hunk_lines(&placement.lines, new);
                // Edits in sequence have line numbers that already include the edits before them.
                if order == EditOrder::Simultaneous {
                    growth.add(&lines);
                }
                report.applied = Some(lines);
            }
            Err(mismatch) => report.set_mismatch(mismatch, counter),
        }
        listed.hunks.push(report);
    }
    if outcome.placements.is_empty() {
        for (index, stated) in (0..count).filter_map(|edit| Some((edit, stated(edit)?))) {
            if !room.try_take_hunk(true) {
                listed.count_omitted(None);
                continue;
            }
            let source = Source::of(operation, stated.span, counter);
            listed.hunks.push(HunkReport::without_placement(
                id,
                index,
                stated.lines(),
                source,
            ));
        }
    }
    listed
}

/// Returns the numbers of lines that blocks add and remove, as far as the patch states them.
pub(super) fn count_lines(changes: &Replacements) -> (usize, usize) {
    let counts = changes.edits.iter().map(|edit| match &edit.target {
        EditTarget::Lines(old) => changed_lines(old, &edit.new),
        EditTarget::EmptyFile => (lines(&edit.new).count(), 0),
        _ => (0, 0),
    });
    counts.fold((0, 0), |all, (added, removed)| {
        (all.0 + added, all.1 + removed)
    })
}

/// Returns the number of changes that are blocks.
pub(super) fn count_blocks(changes: &Replacements) -> usize {
    changes
        .edits
        .iter()
        .filter(|edit| matches!(edit.target, EditTarget::Lines(_) | EditTarget::EmptyFile))
        .count()
}

fn describe_replacement(edit: &Replacement) -> StatedChange {
    let old_lines = match &edit.target {
        EditTarget::Text { old, .. } | EditTarget::Lines(old) => lines(old).count(),
        _ => 0,
    };
    StatedChange {
        span: edit.span,
        old_start: None,
        old_lines,
        new_lines: lines(&edit.new).count(),
    }
}

impl StatedChange {
    fn lines(&self) -> StatedLines {
        let &Self {
            old_start,
            old_lines,
            new_lines,
            ..
        } = self;
        StatedLines {
            old_start,
            old_lines,
            new_start: None,
            new_lines,
            section: String::new(),
        }
    }
}
