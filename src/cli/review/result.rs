//! The result of a review: the decisions for the report.

use super::choices::{AcceptedPart, Choice, Decision, Unit};
use super::state::ReviewState;
use crate::engine::MAX_HUNKS;
use crate::report::{
    Decisions, FileDecisions, HunkDecision, PartDecision, ReviewResult, path_text,
};

/// Returns the decisions on the patch.
pub(super) fn decisions(state: &ReviewState<'_>, result: ReviewResult) -> Decisions {
    let choices = state.choices();
    let file = |index: usize| {
        let shown = &state.patch().files[index];
        let units = choices.file_units(index);
        let hunks = units.clone().filter_map(|unit| {
            let content = &choices.units()[unit];
            content.content.hunk?;
            Some(hunk_decision(content, state.edited_text(unit)))
        });
        let whole = &choices.units()[units.start];
        let reason = whole.reason().filter(|_| whole.content.hunk.is_none());
        FileDecisions::new(
            (choices.file_id(index).to_owned(), path_text(&shown.path)),
            part_decision(choices.file_decision(index)),
            reason.map(str::to_owned),
            hunks.collect(),
        )
    };
    let only = match choices.accepted_part() {
        AcceptedPart::None => None,
        AcceptedPart::Some(list) => Some(list),
        AcceptedPart::All => Some(all_files(choices.file_count())),
    };
    let files = (0..choices.file_count()).map(file).collect();
    let mut decisions = Decisions::new(result, only, files);
    decisions.plan_id = state.plan_id().map(str::to_owned);
    decisions
}

/// Returns the reasons of the rejected parts by `id`, at most as many as a rejection can have.
pub(super) fn reasons(state: &ReviewState<'_>) -> Vec<(String, String)> {
    let units = state.choices().units().iter();
    let reason = |unit: &Unit| Some((unit.id.clone(), unit.reason()?.to_owned()));
    units.filter_map(reason).take(MAX_HUNKS).collect()
}

/// Returns the list for `--only` of all files.
fn all_files(count: usize) -> String {
    if count == 1 {
        "f1".to_owned()
    } else {
        format!("1-{count}")
    }
}

fn hunk_decision(unit: &Unit, edited: Option<&str>) -> HunkDecision {
    let decision = unit.decision();
    let lines = match decision {
        Decision::Partial => unit.line_ranges(Choice::Accepted),
        Decision::Whole(_) => Vec::new(),
    };
    let reason = unit.reason().map(str::to_owned);
    let mut hunk = HunkDecision::new(unit.id.clone(), part_decision(decision), lines, reason);
    hunk.edited = edited.map(str::to_owned);
    hunk
}

fn part_decision(decision: Decision) -> PartDecision {
    match decision {
        Decision::Whole(Choice::Accepted) => PartDecision::Accepted,
        Decision::Whole(Choice::Rejected) => PartDecision::Rejected,
        Decision::Whole(Choice::Undecided) => PartDecision::Undecided,
        Decision::Partial => PartDecision::Partial,
    }
}
