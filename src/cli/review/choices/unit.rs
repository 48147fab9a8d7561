//! A hunk, or a file without hunks, with the decisions on it.

use std::iter;
use std::ops::Range;

/// The decision on a changed line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli::review) enum Choice {
    /// The reviewer has not decided.
    #[default]
    Undecided,
    Accepted,
    Rejected,
}

/// The decision on a unit or a file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli::review) enum Decision {
    /// All parts have the same decision.
    Whole(Choice),
    /// The parts have different decisions.
    Partial,
}

impl Decision {
    pub(super) fn of(mut choices: impl Iterator<Item = Choice>) -> Self {
        let first = choices.next().unwrap_or_default();
        if choices.all(|choice| choice == first) {
            Self::Whole(first)
        } else {
            Self::Partial
        }
    }
}

/// The content of a unit, for [`Choices::new`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::cli::review) struct UnitContent {
    /// The index of the hunk in its file; `None` for a file without hunks.
    pub(in crate::cli::review) hunk: Option<usize>,
    /// The indexes of the changed lines in the body of the hunk. Empty if a selection of lines is
    /// not possible.
    pub(in crate::cli::review) lines: Vec<usize>,
    /// The runs of changed lines without a context line between them, as positions in `lines`.
    pub(in crate::cli::review) blocks: Vec<Range<usize>>,
}

/// A hunk, or a file without hunks, with the decisions on it.
#[derive(Clone, Debug)]
pub(in crate::cli::review) struct Unit {
    /// The `id` in reports, such as `f1h2` or `f1`.
    pub(in crate::cli::review) id: String,
    /// The index of the file.
    pub(in crate::cli::review) file: usize,
    pub(in crate::cli::review) content: UnitContent,
    /// Whether each block has a decision of its own in the display.
    pub(in crate::cli::review) is_split: bool,
    pub(super) state: UnitState,
}

/// The part of a unit that an undo restores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnitState {
    /// The decision on each changed line. One decision if lines cannot be selected.
    pub(super) choices: Vec<Choice>,
    pub(super) reason: Option<String>,
}

impl UnitState {
    pub(super) fn clear_accepted(&mut self) {
        for choice in &mut self.choices {
            if *choice == Choice::Accepted {
                *choice = Choice::Undecided;
            }
        }
    }
}

impl Unit {
    pub(in crate::cli::review) fn decision(&self) -> Decision {
        Decision::of(self.state.choices.iter().copied())
    }

    /// Returns the decision on the changed line at `position` in `content.lines`.
    pub(in crate::cli::review) fn choice(&self, position: usize) -> Choice {
        let choices = &self.state.choices;
        let whole = || choices.first();
        choices
            .get(position)
            .or_else(whole)
            .copied()
            .unwrap_or_default()
    }

    pub(in crate::cli::review) fn reason(&self) -> Option<&str> {
        self.state.reason.as_deref()
    }

    /// Returns whether the unit has several blocks of changed lines.
    pub(in crate::cli::review) fn is_divisible(&self) -> bool {
        self.content.blocks.len() > 1
    }

    /// Returns the parts that have decisions of their own, as positions in `content.lines`.
    pub(in crate::cli::review) fn parts(&self) -> Vec<Range<usize>> {
        if self.is_split {
            self.content.blocks.clone()
        } else {
            iter::once(0..self.state.choices.len()).collect()
        }
    }

    /// Returns whether a line has no decision.
    pub(in crate::cli::review) fn is_undecided(&self) -> bool {
        self.state.choices.contains(&Choice::Undecided)
    }

    pub(super) fn is_part_undecided(&self, part: &Range<usize>) -> bool {
        self.state.choices[part.clone()].contains(&Choice::Undecided)
    }

    /// Rejects the lines of a range such as `3-5`, counted from 1; all lines without a range.
    pub(super) fn reject_lines(&mut self, range: Option<&str>) {
        let range = range.map(|range| range.split_once('-').unwrap_or((range, range)));
        let bounds = range.and_then(|(first, last)| {
            Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?))
        });
        let (first, last) = bounds.unwrap_or((1, usize::MAX));
        for (position, choice) in self.state.choices.iter_mut().enumerate() {
            let line = self.content.lines.get(position).map_or(1, |line| line + 1);
            if (first..=last).contains(&line) {
                *choice = Choice::Rejected;
            }
        }
    }

    /// Returns the ranges of lines in the body with the decision `choice`, counted from 1, as in
    /// `3-5`. A range can contain context lines.
    pub(in crate::cli::review) fn line_ranges(&self, choice: Choice) -> Vec<String> {
        let mut ranges = Vec::new();
        let mut first = None;
        for (position, &line) in self.content.lines.iter().enumerate() {
            if self.choice(position) != choice {
                first = None;
                continue;
            }
            let start = *first.get_or_insert_with(|| {
                ranges.push(String::new());
                line
            });
            if let Some(range) = ranges.last_mut() {
                *range = if start == line {
                    (line + 1).to_string()
                } else {
                    format!("{}-{}", start + 1, line + 1)
                };
            }
        }
        ranges
    }
}

/// Sets the reason of a rejection. Without a new reason, an earlier one stays if the unit is still
/// rejected in part.
pub(super) fn set_reason(state: &mut UnitState, choice: Choice, reason: Option<String>) {
    if !state.choices.contains(&Choice::Rejected) {
        state.reason = None;
    } else if choice == Choice::Rejected && reason.is_some() {
        state.reason = reason;
    }
}
