//! The end of a review: checks the accepted part and asks for a confirmation.

use std::collections::HashMap;

use super::{Reply, ReviewState};
use crate::cli::review::choices::{AcceptedPart, Choice, Decision};
use crate::cli::review::question::{Goal, Question, ReviewEnd};
use crate::engine::Outcome;
use crate::engine::options::HunkSelection;
use crate::report::{self, FileReport};
use crate::text::printable;

impl ReviewState<'_> {
    pub(super) fn begin_apply(&mut self) -> Reply {
        self.begin(Goal::Apply)
    }

    pub(super) fn begin_save(&mut self) -> Reply {
        if let Some(reason) = self.source.save_problem() {
            self.message = Some(reason.to_owned());
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
        if count == 0 && (0..self.choices.units().len()).all(is_rejected) {
            return Reply::Ask(Question::Confirm {
                text: "Everything is rejected. Reject the patch?".to_owned(),
                ending: ReviewEnd::Reject,
            });
        }
        if count > 0 && self.choices.undo_count() + self.edits.len() > 0 {
            return Reply::Ask(Question::Undecided { count, goal });
        }
        let only = match self.choices.accepted_part() {
            AcceptedPart::All => None,
            AcceptedPart::Some(list) => match list.parse::<HunkSelection>() {
                Ok(only) => Some(only),
                Err(error) => {
                    self.message = Some(error.to_string());
                    return Reply::Done;
                }
            },
            AcceptedPart::None => {
                self.message = Some("nothing is accepted; accept with y, or A for all".to_owned());
                return Reply::Done;
            }
        };
        self.confirm(goal, only)
    }

    fn confirm(&mut self, goal: Goal, only: Option<HunkSelection>) -> Reply {
        let outcome = self.source.check(only.clone());
        // An operation that sees the result of one that is left out has another content, too.
        if self.has_other_contents(&outcome) && self.reload() {
            return Reply::Done;
        }
        let plan_id = outcome.report.plan_id.clone().filter(|_| outcome.report.ok);
        let Some(plan_id) = plan_id else {
            self.message = Some(first_message(&outcome));
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
                ReviewEnd::Save { only },
            ),
        };
        Reply::Ask(Question::Confirm { text, ending })
    }

    /// Returns whether `outcome` was checked against other contents than the reviewer has seen.
    fn has_other_contents(&self, outcome: &Outcome) -> bool {
        let files = self.patch.files.iter().enumerate();
        let seen: HashMap<&str, &Option<String>> = files
            .map(|(index, file)| (self.choices.file_id(index), &file.digest))
            .collect();
        let differs = |file: &FileReport| {
            let seen = seen.get(&*file.id);
            seen.is_some_and(|seen| **seen != file.sha256_before)
        };
        outcome.report.files.iter().any(differs)
    }

    /// Returns a message if the whole patch does not apply.
    pub(super) fn first_problem(&self) -> Option<String> {
        let report = self.patch.report();
        let error = report.error.as_ref().filter(|_| !report.ok)?;
        let path = error.path.as_ref().map(|path| format!("{path}: "));
        let text = format!("{}{}", path.unwrap_or_default(), error.message);
        Some(printable(text.as_bytes()).to_string())
    }

    /// Compares the files with those that the patch was checked against. If one has changed, checks
    /// the patch again and returns `true`.
    pub(in crate::cli::review) fn refresh(&mut self) -> bool {
        let is_changed = self.source.fingerprints(self.patch.paths()) != self.fingerprints;
        if is_changed { self.reload() } else { false }
    }

    /// Checks the patch again. Decisions on files that have changed are cleared, except rejections.
    /// Returns whether the content of a file has changed.
    fn reload(&mut self) -> bool {
        let old = self.patch.files.iter().map(|file| file.digest.clone());
        let old: Vec<_> = old.collect();
        self.open_again();
        let is_changed = |&file: &usize| old.get(file) != Some(&self.patch.files[file].digest);
        let changed: Vec<_> = (0..self.patch.files.len()).filter(is_changed).collect();
        for &file in &changed {
            self.patch.mark_changed(file);
            self.choices.clear_accepted(file);
        }
        let Some(&first) = changed.first() else {
            return false;
        };
        let others = match changed.len() - 1 {
            0 => String::new(),
            1 => " and 1 other file".to_owned(),
            others => format!(" and {others} other files"),
        };
        self.message = Some(format!(
            "{}{others} changed during the review; accept the hunks again",
            self.patch.files[first].title
        ));
        self.move_to(self.choices.file_units(first).start);
        true
    }
}

/// Returns the message of the first problem.
fn first_message(outcome: &Outcome) -> String {
    let error = outcome.report.error.as_ref();
    let text = error.map_or_else(
        || "the accepted part does not apply".to_owned(),
        |error| match &error.path {
            Some(path) => format!("{path}: {}", error.message),
            None => error.message.clone(),
        },
    );
    printable(text.as_bytes()).to_string()
}
