//! The state of a review: the patch, the decisions and the cursor. Both displays change it only with
//! [`ReviewState::perform`] and [`ReviewState::answer`].

mod edit;
mod finish;
mod movement;
mod reload;
mod texts;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

use super::action::Action;
use super::choices::{Choice, Choices, Decision};
use super::question::{Question, ReviewEnd};
use super::reviewed::{Fingerprint, ReviewedPatch};
use super::source::ReviewSource;
use crate::engine::{MAX_REASON, Outcome, UnitText};
use crate::text::{Bytes, printable};

pub(super) use texts::is_match;

/// A review.
pub(super) struct ReviewState<'w> {
    source: ReviewSource<'w>,
    patch: ReviewedPatch<'w>,
    choices: Choices,
    cursor: Cursor,
    /// The result of the last action, for the reviewer.
    message: Option<String>,
    /// The last search text.
    search: Option<String>,
    /// The number of additional context lines of each unit that has any.
    context: HashMap<usize, usize>,
    texts: HashMap<usize, Rc<UnitText>>,
    fingerprints: Vec<Option<Fingerprint>>,
    /// The `plan_id` of the patch without edits.
    plan_id: Option<String>,
    /// The texts of the edited hunks, by unit.
    edited: BTreeMap<usize, String>,
    edits: Vec<EditRecord>,
    /// Counts the changes of texts, so that a display can discard what it has drawn.
    revision: usize,
}

/// The state before an edit.
struct EditRecord {
    texts: Vec<(String, Bytes)>,
    choices: Choices,
    edited: BTreeMap<usize, String>,
    /// The number of decisions that an undo reverts before it reverts the edit.
    decisions: usize,
}

/// The place at which actions take effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) unit: usize,
    /// The index of the part in the unit.
    pub(super) part: usize,
    /// The changed line in line selection, as a position in the lines of the unit.
    pub(super) line: Option<usize>,
    /// The line of the last match, as an index in the text of the unit.
    pub(super) found: Option<usize>,
}

/// The effect of an action beyond the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// No further effect.
    Done,
    /// The display must ask a question and call [`ReviewState::answer`].
    Ask(Question),
    /// The display must run the editor and call [`ReviewState::replace_hunk`].
    Edit,
    /// The display must show this.
    Show(Action),
    /// The review ends.
    Finish(ReviewEnd),
}

impl<'w> ReviewState<'w> {
    /// Begins the review of the patch of `source`.
    ///
    /// # Errors
    ///
    /// Returns the outcome of the check if the request selects parts that do not exist.
    pub(super) fn new(source: ReviewSource<'w>) -> Result<Self, Box<Outcome>> {
        let (patch, mut choices) = source.open();
        let fingerprints = source.fingerprints(patch.paths());
        if let Some(left_out) = source.initially_left_out()? {
            choices.accept_except(left_out.iter().map(|part| part.id.as_str()));
        }
        let plan_id = patch.report().plan_id.clone().filter(|_| patch.report().ok);
        let mut state = Self {
            source,
            patch,
            choices,
            cursor: Cursor::default(),
            message: None,
            search: None,
            context: HashMap::new(),
            texts: HashMap::new(),
            fingerprints,
            plan_id,
            edited: BTreeMap::new(),
            edits: Vec::new(),
            revision: 0,
        };
        if let Some(message) = finish::error_message(state.patch.report()) {
            state.show_message(&message);
        }
        Ok(state)
    }

    pub(super) fn patch(&self) -> &ReviewedPatch<'w> {
        &self.patch
    }

    pub(super) fn choices(&self) -> &Choices {
        &self.choices
    }

    pub(super) fn source(&self) -> &ReviewSource<'w> {
        &self.source
    }

    pub(super) fn cursor(&self) -> Cursor {
        self.cursor
    }

    pub(super) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    pub(super) fn take_message(&mut self) -> Option<String> {
        self.message.take()
    }

    pub(super) fn search_text(&self) -> Option<&str> {
        self.search.as_deref()
    }

    /// Shows a message until the next action. It cannot control the terminal.
    pub(super) fn show_message(&mut self, message: &str) {
        self.message = Some(printable(message.as_bytes()).to_string());
    }

    /// Returns the `plan_id` of the patch without edits, if the patch applies as a whole.
    pub(super) fn plan_id(&self) -> Option<&str> {
        self.plan_id.as_deref()
    }

    /// Returns the text that replaces the hunk of a unit, if the reviewer has edited it.
    pub(super) fn edited_text(&self, unit: usize) -> Option<&str> {
        self.edited.get(&unit).map(String::as_str)
    }

    /// Returns the reason of the decision on the unit at the cursor.
    pub(super) fn reason(&self) -> Option<&str> {
        self.choices.units()[self.cursor.unit].reason()
    }

    /// Accepts or rejects the whole file at the cursor.
    pub(super) fn decide_whole_file(&mut self, choice: Choice) {
        let file = self.choices.units()[self.cursor.unit].file;
        self.choices
            .decide_units(self.choices.file_units(file), choice);
    }

    /// Returns a number that changes with the texts of units.
    pub(super) fn revision(&self) -> usize {
        self.revision
    }

    /// Returns the changed lines at the cursor, as positions in the lines of its unit.
    pub(super) fn selected_part(&self) -> Range<usize> {
        if let Some(line) = self.cursor.line {
            return line..line + 1;
        }
        let parts = self.choices.units()[self.cursor.unit].parts();
        let last = parts.len() - 1;
        parts[self.cursor.part.min(last)].clone()
    }

    /// Performs an action at the cursor.
    pub(super) fn perform(&mut self, action: Action) -> Reply {
        self.message = None;
        let unit = self.cursor.unit;
        match action {
            Action::Accept => self.decide(Choice::Accepted, None),
            Action::Reject => self.decide(Choice::Rejected, None),
            Action::RejectWithReason => return Reply::Ask(Question::Reason),
            Action::Clear => {
                let part = self.selected_part();
                self.choices.decide((unit, part), Choice::Undecided, None);
            }
            Action::AcceptFile => self.decide_file(Choice::Accepted),
            Action::RejectFile => self.decide_file(Choice::Rejected),
            Action::AcceptAll => self.decide_all(Choice::Accepted),
            Action::RejectAll => self.decide_all(Choice::Rejected),
            Action::Split => self.toggle_split(),
            Action::Lines => self.toggle_lines(),
            Action::ToggleLine => self.toggle_line(),
            Action::Edit => return self.check_edit(),
            Action::Undo => self.undo(),
            Action::Redo => {
                let redone = self.choices.redo();
                self.show_change(redone, "nothing to redo");
            }
            Action::Next => self.move_by_one(1),
            Action::Previous => self.move_by_one(-1),
            Action::NextFile => self.move_by_file(1),
            Action::PreviousFile => self.move_by_file(-1),
            Action::NextUndecided => self.move_to_undecided(),
            Action::NextNote => self.move_to_note(),
            Action::First => self.move_to(0),
            Action::Last => self.move_to(self.choices.units().len() - 1),
            Action::Search => return Reply::Ask(Question::Search),
            Action::NextMatch => self.find(1),
            Action::PreviousMatch => self.find(-1),
            Action::MoreContext => self.change_context(10),
            Action::LessContext => self.change_context(-10),
            Action::Apply => return self.begin_apply(),
            Action::Save => return self.begin_save(),
            Action::Quit => return self.begin_quit(),
            Action::Files | Action::Help => return Reply::Show(action),
        }
        Reply::Done
    }

    /// Continues with the answer to a question.
    pub(super) fn answer(&mut self, question: Question, answer: &str) -> Reply {
        match question {
            Question::Reason => {
                let reason = answer.trim();
                if reason.len() > MAX_REASON {
                    self.show_message(&format!("the reason exceeds {MAX_REASON} bytes"));
                    return Reply::Done;
                }
                let reason = (!reason.is_empty()).then(|| reason.to_owned());
                self.decide(Choice::Rejected, reason);
            }
            Question::Search => {
                if !answer.is_empty() {
                    self.search = Some(answer.to_owned());
                }
                self.find(1);
            }
            Question::Undecided { goal, .. } => {
                match answer {
                    "a" => self.choices.decide_rest(Choice::Accepted),
                    "n" => self.choices.decide_rest(Choice::Rejected),
                    _ => return Reply::Done,
                }
                return self.begin(goal);
            }
            Question::Confirm { ending, .. } if answer == "y" => return Reply::Finish(ending),
            Question::Confirm { .. } => {}
        }
        Reply::Done
    }

    /// Decides on the part at the cursor, and moves the cursor to the next one.
    fn decide(&mut self, choice: Choice, reason: Option<String>) {
        let target = (self.cursor.unit, self.selected_part());
        self.choices.decide(target, choice, reason);
        let unit = &self.choices.units()[self.cursor.unit];
        match self.cursor.line {
            Some(line) if line + 1 < unit.content.lines.len() => self.move_to_line(line + 1),
            Some(_) if unit.is_undecided() => self.cursor.line = None,
            _ => self.advance(),
        }
    }

    /// Decides on the part at the cursor and on all later parts of its file.
    fn decide_file(&mut self, choice: Choice) {
        let Cursor { unit, part, .. } = self.cursor;
        let file = self.choices.units()[unit].file;
        let end = self.choices.file_units(file).end;
        let parts = self.choices.units()[unit].parts();
        let first = parts.get(part).map_or(0, |part| part.start);
        self.choices.decide_from((unit, first), end, choice);
        self.cursor.line = None;
        self.move_to((end - 1).max(unit));
        self.advance();
    }

    fn decide_all(&mut self, choice: Choice) {
        let all = 0..self.choices.units().len();
        self.choices.decide_units(all, choice);
        self.show_message("press w to finish");
    }

    fn toggle_split(&mut self) {
        let unit = self.cursor.unit;
        if self.choices.units()[unit].is_divisible() {
            self.choices.toggle_split(unit);
            self.cursor.part = 0;
        } else if self.choices.units()[unit].content.lines.is_empty() {
            self.show_message("this change cannot be divided");
        } else {
            self.show_message("this hunk has only one change; select lines with l");
        }
    }

    fn toggle_lines(&mut self) {
        let unit = &self.choices.units()[self.cursor.unit];
        if self.cursor.line.is_some() {
            self.cursor.line = None;
        } else if unit.content.lines.is_empty() {
            self.show_message("this change cannot be divided into lines");
        } else {
            let found = self.found_position();
            self.cursor.line = Some(found.unwrap_or(self.selected_part().start));
            self.cursor.found = None;
        }
    }

    /// Accepts the line at the cursor, or rejects it if it is accepted.
    fn toggle_line(&mut self) {
        let Some(line) = self.cursor.line else {
            self.show_message("press l to select lines");
            return;
        };
        let choice = match self.choices.units()[self.cursor.unit].choice(line) {
            Choice::Accepted => Choice::Rejected,
            Choice::Undecided | Choice::Rejected => Choice::Accepted,
        };
        self.decide(choice, None);
    }

    /// Undoes the last decision, or the last edit if no decision follows it.
    fn undo(&mut self) {
        let decisions = self.choices.undo_count();
        if self
            .edits
            .last()
            .is_some_and(|edit| edit.decisions == decisions)
        {
            self.undo_edit();
            return;
        }
        let undone = self.choices.undo();
        self.show_change(undone, "nothing to undo");
    }

    /// Moves the cursor to a unit that has changed.
    fn show_change(&mut self, unit: Option<usize>, nothing: &str) {
        match unit {
            Some(unit) => self.move_to(unit),
            None => self.show_message(nothing),
        }
    }

    /// Returns the decision on the unit with the index `unit`.
    pub(super) fn decision(&self, unit: usize) -> Decision {
        self.choices.units()[unit].decision()
    }
}
