//! The end of a review: checks the accepted part and asks for a confirmation.

use std::collections::HashMap;

use super::{Reply, ReviewState};
use crate::cli::review::choices::{AcceptedPart, Choice, Decision};
use crate::cli::review::question::{Goal, Question, ReviewEnd};
use crate::cli::review::reviewed::{Note, state_before};
use crate::engine::Outcome;
use crate::engine::options::HunkSelection;
use crate::report::{self, FileReport, Report};

impl ReviewState<'_> {
    pub(super) fn begin_apply(&mut self) -> Reply {
        self.begin(Goal::Apply)
    }

    pub(super) fn begin_save(&mut self) -> Reply {
        if let Some(reason) = self.source.save_problem() {
            self.show_message(reason);
            return Reply::Done;
        }
        self.begin(Goal::Save)
    }

    pub(super) fn begin_quit(&mut self) -> Reply {
        let is_untouched = self.choices.undo_count() == 0 && self.edits.is_empty();
        if is_untouched {
            return Reply::Finish(ReviewEnd::Quit);
        }
        Reply::Ask(Question::Confirm {
            text: "End the review without applying?".to_owned(),
            ending: ReviewEnd::Quit,
        })
    }

    /// Checks the accepted part against the present tree, and asks for a confirmation.
    pub(super) fn begin(&mut self, goal: Goal) -> Reply {
        if self.refresh() {
            return Reply::Done;
        }
        let count = self.choices.units().len() - self.choices.decided_count();
        let is_rejected = |unit| self.decision(unit) == Decision::Whole(Choice::Rejected);
        if (0..self.choices.units().len()).all(is_rejected) {
            return Reply::Ask(Question::Confirm {
                text: "Everything is rejected. Reject the patch?".to_owned(),
                ending: ReviewEnd::Reject,
            });
        }
        let only = match self.choices.accepted_part() {
            AcceptedPart::None => {
                self.show_message("nothing is accepted; accept with y, or A for all");
                return Reply::Done;
            }
            _ if count > 0 => return Reply::Ask(Question::Undecided { count, goal }),
            AcceptedPart::All => None,
            AcceptedPart::Some(list) => match list.parse::<HunkSelection>() {
                Ok(only) => Some(only),
                Err(error) => {
                    self.show_message(&error.to_string());
                    return Reply::Done;
                }
            },
        };
        self.confirm(goal, only)
    }

    fn confirm(&mut self, goal: Goal, only: Option<HunkSelection>) -> Reply {
        let outcome = self.source.check(only.clone());
        if self.has_other_contents(&outcome) {
            if !self.reload() {
                self.show_message("a file changed during the check; press the key again");
            }
            return Reply::Done;
        }
        let plan_id = outcome.report.plan_id.clone().filter(|_| outcome.report.ok);
        let Some(plan_id) = plan_id else {
            let message = error_message(&outcome.report);
            let message = message.unwrap_or_else(|| "the accepted part does not apply".to_owned());
            let help = if self.move_to_problem() {
                "; reject it (n) or edit it (e)"
            } else {
                ""
            };
            self.show_message(&format!("{message}{help}"));
            return Reply::Done;
        };
        let changes = report::change_summary(&outcome.report);
        let (text, ending) = match goal {
            Goal::Apply => (
                format!("Apply? {changes}"),
                ReviewEnd::Apply { only, plan_id },
            ),
            Goal::Save => (
                format!("Save as a plan? {changes}"),
                ReviewEnd::Save { only, plan_id },
            ),
        };
        Reply::Ask(Question::Confirm { text, ending })
    }

    /// Moves the cursor to the first accepted unit that does not apply, and returns whether there is one.
    fn move_to_problem(&mut self) -> bool {
        let is_problem = |&unit: &usize| {
            let notes = self.patch.unit_notes(unit);
            self.decision(unit) != Decision::Whole(Choice::Rejected)
                && notes.iter().any(Note::is_problem)
        };
        let found = (0..self.choices.units().len()).find(is_problem);
        if let Some(unit) = found {
            self.move_to(unit);
        }
        found.is_some()
    }

    /// Returns whether `outcome` was checked against other contents than the reviewer has seen. Several
    /// operations on one file see the results of each other, so they are not compared.
    fn has_other_contents(&self, outcome: &Outcome) -> bool {
        let files = self.patch.files.iter().enumerate();
        let files = files.filter(|(_, file)| !file.is_shared);
        let seen: HashMap<&str, _> = files
            .map(|(index, file)| (self.choices.file_id(index), &file.before))
            .collect();
        let differs = |file: &FileReport| {
            let seen = seen.get(&*file.id);
            seen.is_some_and(|seen| **seen != state_before(file))
        };
        outcome.report.files.iter().any(differs)
    }
}

/// Returns the message of the error of `report`, after the path of its file.
pub(super) fn error_message(report: &Report) -> Option<String> {
    let error = report.error.as_ref().filter(|_| !report.ok)?;
    Some(match &error.path {
        Some(path) => format!("{path}: {}", error.message),
        None => error.message.clone(),
    })
}
