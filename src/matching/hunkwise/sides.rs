//! The two sides of a hunk, and what parts its old lines from those of a file.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::hashes::Comparison;
use super::super::level::stated;
use super::super::script::Script;
use crate::plan::{Direction, Hunk, HunkLine, LineKind};

/// Numbers for lines: two that count as the same have the same.
pub(super) struct Numbers<'n> {
    pub(super) comparison: Comparison,
    known: HashMap<Cow<'n, [u8]>, u32>,
}

impl<'n> Numbers<'n> {
    /// Numbers the lines of hunks.
    pub(super) fn new(comparison: Comparison, lines: impl Iterator<Item = HunkLine<'n>>) -> Self {
        let mut known = HashMap::new();
        for line in lines {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            known.entry(comparison.key(line.text)).or_insert(next);
        }
        Self { comparison, known }
    }

    /// Returns the number of a line. Those that no hunk has are compared with lines of hunks alone, and have one.
    pub(super) fn number(&self, line: &[u8]) -> u32 {
        self.known.get(&*self.comparison.key(line)).copied().unwrap_or(u32::MAX)
    }
}

/// The lines of a hunk, old and new.
#[derive(Default)]
pub(super) struct Sides<'h> {
    pub(super) old: Side<'h>,
    pub(super) new: Side<'h>,
    /// Lines of context before the first change and behind the last one.
    pub(super) leading: usize,
    pub(super) trailing: usize,
    /// Where the old lines and the new ones are said to begin, counted from 0.
    pub(super) stated: usize,
    pub(super) stated_new: usize,
}

/// The lines of one side.
#[derive(Default)]
pub(super) struct Side<'h> {
    pub(super) lines: Vec<&'h [u8]>,
    pub(super) numbers: Vec<u32>,
    /// Whether the other side does not have the line.
    pub(super) is_changed: Vec<bool>,
}

impl<'h> Side<'h> {
    pub(super) fn push(&mut self, line: &'h [u8], number: u32, is_changed: bool) {
        self.lines.push(line);
        self.numbers.push(number);
        self.is_changed.push(is_changed);
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn is_changed(&self, line: usize) -> bool {
        self.is_changed.get(line) == Some(&true)
    }

    pub(super) fn context(&self) -> usize {
        self.is_changed.iter().filter(|is_changed| !**is_changed).count()
    }
}

impl<'h> Sides<'h> {
    pub(super) fn new(hunk: &Hunk, text: &'h [u8], direction: Direction, numbers: &Numbers<'_>) -> Self {
        let mut sides = Self {
            stated: stated(hunk.preimage_range(direction)),
            stated_new: stated(hunk.postimage_range(direction)),
            ..Self::default()
        };
        let mut is_leading = true;
        for line in hunk.lines(text, direction) {
            let number = numbers.number(line.text);
            let is_context = line.kind == LineKind::Context;
            is_leading &= is_context;
            sides.leading += usize::from(is_leading);
            sides.trailing = if is_context { sides.trailing + 1 } else { 0 };
            if line.is_old() {
                sides.old.push(line.text, number, !is_context);
            }
            if line.is_new() {
                sides.new.push(line.text, number, !is_context);
            }
        }
        sides
    }

    /// Returns whether it has to be at the start of the file: it has less context there.
    pub(super) fn is_first(&self) -> bool {
        self.leading < self.trailing && self.stated == 0
    }

    /// Returns whether it has to be at the end of the file.
    pub(super) fn is_last(&self) -> bool {
        self.trailing < self.leading
    }
}

/// How far a hunk is merged: in its old lines, in its new ones, and in those of the file.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) file: usize,
}

/// A hunk and what parts its old lines from those of the file.
pub(super) struct Parted<'s, 'h> {
    pub(super) sides: &'s Sides<'h>,
    pub(super) script: Script,
    /// The line of the file that they begin at.
    pub(super) start: usize,
}

impl Parted<'_, '_> {
    pub(super) fn is_deletion(&self, at: At) -> bool {
        self.sides.old.is_changed(at.old)
    }

    pub(super) fn is_insertion(&self, at: At) -> bool {
        self.sides.new.is_changed(at.new)
    }

    pub(super) fn is_context(&self, at: At) -> bool {
        self.sides.old.is_changed.get(at.old) == Some(&false)
    }

    /// Returns whether the file has lost the old line.
    pub(super) fn is_lost(&self, at: At) -> bool {
        self.script.gone.get(at.old) == Some(&true)
    }

    /// Returns whether the file has a line of its own.
    pub(super) fn is_own(&self, at: At) -> bool {
        self.script.new.get(at.file - self.start) == Some(&true)
    }

    /// Passes deletions of which the file has all lines, and what comes for them; `false` if it has others.
    pub(super) fn pass_change(&self, at: &mut At) -> bool {
        while self.is_deletion(*at) && !self.is_lost(*at) && !self.is_own(*at) {
            (at.old, at.file) = (at.old + 1, at.file + 1);
        }
        if self.is_deletion(*at) || self.is_lost(*at) || self.is_own(*at) {
            return false;
        }
        self.pass_insertions(at);
        true
    }

    /// Passes context that the file has lost; `false` if something changes in the midst of it.
    pub(super) fn pass_lost(&self, at: &mut At) -> bool {
        while self.is_context(*at) && self.is_lost(*at) && !self.is_insertion(*at) {
            (at.old, at.new) = (at.old + 1, at.new + 1);
        }
        !self.is_deletion(*at) && !self.is_insertion(*at)
    }

    pub(super) fn pass_context(&self, at: &mut At) {
        while self.is_context(*at) && !self.is_lost(*at) && !self.is_insertion(*at) && !self.is_own(*at) {
            *at = At { old: at.old + 1, new: at.new + 1, file: at.file + 1 };
        }
    }

    pub(super) fn pass_insertions(&self, at: &mut At) {
        while self.is_insertion(*at) {
            at.new += 1;
        }
    }

    pub(super) fn pass_own(&self, at: &mut At) {
        while self.is_own(*at) {
            at.file += 1;
        }
    }

    /// Passes all that hangs together with a change that the file has otherwise.
    pub(super) fn pass_conflict(&self, at: &mut At) {
        loop {
            if self.is_deletion(*at) {
                self.pass_own(at);
                at.file += usize::from(!self.is_lost(*at));
                at.old += 1;
            } else if self.is_lost(*at) {
                self.pass_insertions(at);
                (at.old, at.new) = (at.old + 1, at.new + 1);
            } else if self.is_insertion(*at) {
                self.pass_insertions(at);
            } else if self.is_own(*at) {
                self.pass_own(at);
            } else {
                return;
            }
        }
    }
}
