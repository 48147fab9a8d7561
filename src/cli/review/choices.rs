//! The decisions of a reviewer on the hunks and lines of a patch, as data.
//!
//! [`Choices`] has one [`Unit`] for each hunk, and for each file without hunks.
//! [`Choices::accepted_part`] converts the decisions to the list of `--only`. A changed line has two
//! numbers: its index in the body of the hunk, which `--only` counts, and its position among the
//! changed lines, which decisions refer to.

mod unit;

use std::collections::HashMap;
use std::ops::Range;

pub(super) use unit::{Choice, Decision, Unit, UnitContent};
use unit::{UnitState, set_reason};

/// A file with the range of its units.
#[derive(Clone, Debug)]
struct FileUnits {
    id: String,
    units: Range<usize>,
}

/// The decisions on a patch.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    files: Vec<FileUnits>,
    units: Vec<Unit>,
    /// The changes that an undo reverts: the earlier states of units.
    undo: Vec<Vec<(usize, UnitState)>>,
    redo: Vec<Vec<(usize, UnitState)>>,
}

/// The accepted part of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AcceptedPart {
    /// The whole patch.
    All,
    /// The list for `--only`.
    Some(String),
    /// Nothing.
    None,
}

impl Choices {
    /// Returns the undecided choices for files with these `id`s and units.
    pub(super) fn new(files: impl IntoIterator<Item = (String, Vec<UnitContent>)>) -> Self {
        let mut choices = Self::default();
        for (id, contents) in files {
            let start = choices.units.len();
            for content in contents {
                let count = content.lines.len().max(1);
                choices.units.push(Unit {
                    id: match content.hunk {
                        Some(hunk) => format!("{id}h{}", hunk + 1),
                        None => id.clone(),
                    },
                    file: choices.files.len(),
                    content,
                    is_split: false,
                    state: UnitState {
                        choices: vec![Choice::Undecided; count],
                        reason: None,
                    },
                });
            }
            let units = start..choices.units.len();
            choices.files.push(FileUnits { id, units });
        }
        choices
    }

    pub(super) fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Returns the number of files.
    pub(super) fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Returns the range of the units of the file with the index `file`.
    pub(super) fn file_units(&self, file: usize) -> Range<usize> {
        self.files[file].units.clone()
    }

    pub(super) fn file_id(&self, file: usize) -> &str {
        &self.files[file].id
    }

    pub(super) fn file_decision(&self, file: usize) -> Decision {
        let units = &self.units[self.file_units(file)];
        Decision::of(units.iter().flat_map(|unit| &unit.state.choices).copied())
    }

    /// Returns the number of units without an undecided line.
    pub(super) fn decided_count(&self) -> usize {
        self.units
            .iter()
            .filter(|unit| !unit.is_undecided())
            .count()
    }

    /// Returns whether `keep_decisions` of `other` is possible: it has the same files and units.
    pub(super) fn has_same_units(&self, other: &Self) -> bool {
        let ids = |choices: &Self| -> Vec<String> {
            choices.units.iter().map(|unit| unit.id.clone()).collect()
        };
        ids(self) == ids(other)
    }

    /// Takes over the decisions of `other`, which has the same units. A unit whose changed lines
    /// differ becomes undecided.
    pub(super) fn keep_decisions(&mut self, other: Self) {
        for (unit, old) in self.units.iter_mut().zip(other.units) {
            if unit.content == old.content {
                unit.state = old.state;
                unit.is_split = old.is_split;
            }
        }
        (self.undo, self.redo) = (other.undo, other.redo);
    }

    /// Accepts everything except the parts `left_out`, which are rejected: `id`s of files, hunks and
    /// lines, as in `left_out` of a report. This cannot be undone.
    pub(super) fn accept_except<'i>(&mut self, left_out: impl Iterator<Item = &'i str>) {
        for unit in &mut self.units {
            unit.state.choices.fill(Choice::Accepted);
        }
        let ids = self.units.iter().enumerate();
        let units: HashMap<String, usize> =
            ids.map(|(index, unit)| (unit.id.clone(), index)).collect();
        let ids = self.files.iter();
        let files: HashMap<_, _> = ids
            .map(|file| (file.id.as_str(), file.units.clone()))
            .collect();
        for id in left_out {
            let (id, lines) = id
                .split_once(':')
                .map_or((id, None), |(id, lines)| (id, Some(lines)));
            if let Some(range) = files.get(id) {
                for unit in &mut self.units[range.clone()] {
                    unit.state.choices.fill(Choice::Rejected);
                }
            } else if let Some(&unit) = units.get(id) {
                self.units[unit].reject_lines(lines);
            }
        }
    }

    /// Makes all accepted lines of a file undecided, also in the states that an undo or a redo
    /// restores.
    pub(super) fn clear_accepted(&mut self, file: usize) {
        let units = self.file_units(file);
        for unit in &mut self.units[units.clone()] {
            unit.state.clear_accepted();
        }
        let steps = self.undo.iter_mut().chain(&mut self.redo);
        for (_, state) in steps.flatten().filter(|(unit, _)| units.contains(unit)) {
            state.clear_accepted();
        }
    }

    /// Returns the number of decisions that can be undone.
    pub(super) fn undo_count(&self) -> usize {
        self.undo.len()
    }

    /// Decides on the positions `part` of the unit `unit`.
    pub(super) fn decide(
        &mut self,
        (unit, part): (usize, Range<usize>),
        choice: Choice,
        reason: Option<String>,
    ) {
        let mut state = self.units[unit].state.clone();
        state.choices[part].fill(choice);
        set_reason(&mut state, choice, reason);
        self.change(vec![(unit, state)]);
    }

    /// Decides on all lines of several units.
    pub(super) fn decide_units(&mut self, units: Range<usize>, choice: Choice) {
        self.decide_from((units.start, 0), units.end, choice);
    }

    /// Decides on the lines of the unit `first` from `position` on, and on all lines of the units
    /// after it up to `end`.
    pub(super) fn decide_from(
        &mut self,
        (first, position): (usize, usize),
        end: usize,
        choice: Choice,
    ) {
        let states = (first..end).map(|index| {
            let mut state = self.units[index].state.clone();
            let start = if index == first { position } else { 0 };
            state.choices[start..].fill(choice);
            set_reason(&mut state, choice, None);
            (index, state)
        });
        let states = states.collect();
        self.change(states);
    }

    /// Decides on the lines that are still undecided.
    pub(super) fn decide_rest(&mut self, choice: Choice) {
        let units = self.units.iter().enumerate();
        let states = units.filter(|(_, unit)| unit.is_undecided());
        let states = states.map(|(index, unit)| {
            let mut state = unit.state.clone();
            for line in &mut state.choices {
                if *line == Choice::Undecided {
                    *line = choice;
                }
            }
            (index, state)
        });
        let states = states.collect();
        self.change(states);
    }

    /// Makes each block of the unit a part of its own, or joins the blocks again.
    pub(super) fn toggle_split(&mut self, unit: usize) {
        let unit = &mut self.units[unit];
        unit.is_split = !unit.is_split && unit.is_divisible();
    }

    fn change(&mut self, states: Vec<(usize, UnitState)>) {
        let earlier = self.replace(states);
        if !earlier.is_empty() {
            self.undo.push(earlier);
            self.redo.clear();
        }
    }

    /// Replaces the states of units, and returns those that differed before. A state from before an
    /// edit that changed the number of lines is skipped.
    fn replace(&mut self, states: Vec<(usize, UnitState)>) -> Vec<(usize, UnitState)> {
        let differs = |(index, state): &(usize, UnitState)| {
            let current = &self.units[*index].state;
            current != state && current.choices.len() == state.choices.len()
        };
        let changed: Vec<_> = states.into_iter().filter(differs).collect();
        let replaced = changed.into_iter().map(|(index, state)| {
            let earlier = std::mem::replace(&mut self.units[index].state, state);
            (index, earlier)
        });
        replaced.collect()
    }

    /// Undoes the last decision that still has an effect. Returns the first unit that changes.
    pub(super) fn undo(&mut self) -> Option<usize> {
        loop {
            let states = self.undo.pop()?;
            let later = self.replace(states);
            if let Some(&(first, _)) = later.first() {
                self.redo.push(later);
                return Some(first);
            }
        }
    }

    /// Makes the last undone decision again. Returns the first unit that changes.
    pub(super) fn redo(&mut self) -> Option<usize> {
        loop {
            let states = self.redo.pop()?;
            let earlier = self.replace(states);
            if let Some(&(first, _)) = earlier.first() {
                self.undo.push(earlier);
                return Some(first);
            }
        }
    }

    /// Returns the next part that is not decided, from `(unit, part)` on, after which the search
    /// starts again at the first unit.
    pub(super) fn next_undecided(&self, (unit, part): (usize, usize)) -> Option<(usize, usize)> {
        let first = |index: usize, from: usize| {
            let unit = &self.units[index];
            let parts = unit.parts();
            let found = (from..parts.len()).find(|&part| unit.is_part_undecided(&parts[part]))?;
            Some((index, found))
        };
        first(unit, part)
            .or_else(|| (unit + 1..self.units.len()).find_map(|index| first(index, 0)))
            .or_else(|| {
                (0..=unit.min(self.units.len().checked_sub(1)?)).find_map(|index| first(index, 0))
            })
    }

    /// Returns the accepted part. Undecided lines are not accepted.
    pub(super) fn accepted_part(&self) -> AcceptedPart {
        let accepted = Decision::Whole(Choice::Accepted);
        let mut items: Vec<String> = Vec::new();
        // The number of accepted files that end the list, which become one range.
        let mut run = 0;
        for (index, file) in self.files.iter().enumerate() {
            if self.file_decision(index) == accepted {
                run += 1;
                if run > 1 {
                    items.pop();
                }
                items.push(self.file_range(index + 1 - run, index));
                continue;
            }
            run = 0;
            for unit in &self.units[file.units.clone()] {
                if unit.decision() == accepted {
                    items.push(unit.id.clone());
                } else {
                    let ranges = unit.line_ranges(Choice::Accepted).into_iter();
                    items.extend(ranges.map(|range| format!("{}:{range}", unit.id)));
                }
            }
        }
        if items.is_empty() {
            AcceptedPart::None
        } else if run == self.files.len() {
            AcceptedPart::All
        } else {
            AcceptedPart::Some(items.join(","))
        }
    }

    /// Returns the item of `--only` for the files from `first` to `last`.
    fn file_range(&self, first: usize, last: usize) -> String {
        let (first, last) = (self.file_id(first), self.file_id(last));
        if first == last {
            first.to_owned()
        } else {
            format!("{}-{}", &first[1..], &last[1..])
        }
    }
}

#[cfg(test)]
mod tests;
