//! The preimage and the postimage of a hunk.

use super::super::context_level::range_start;
use crate::lines::{Edit, Edits, append_edit};
use crate::plan::{Direction, Hunk, LineKind};

/// The old and new lines of a hunk.
#[derive(Default)]
pub(super) struct HunkSides<'h> {
    pub(super) old: HunkSide<'h>,
    pub(super) new: HunkSide<'h>,
    /// The changes from the old lines to the new lines.
    pub(super) edits: Edits,
    /// The number of context lines before the first change and after the last one.
    pub(super) leading: usize,
    pub(super) trailing: usize,
    /// The lines at which the preimage and the postimage start according to the hunk header,
    /// counted from 0.
    pub(super) stated: usize,
    pub(super) stated_new: usize,
}

/// The lines of one side.
#[derive(Default)]
pub(super) struct HunkSide<'h> {
    pub(super) lines: Vec<&'h [u8]>,
    pub(super) numbers: Vec<u32>,
}

impl<'h> HunkSide<'h> {
    fn push(&mut self, line: &'h [u8], number: u32) {
        self.lines.push(line);
        self.numbers.push(number);
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }
}

impl<'h> HunkSides<'h> {
    pub(super) fn new(
        hunk: &Hunk,
        text: &'h [u8],
        direction: Direction,
        number: &mut dyn FnMut(&'h [u8]) -> u32,
    ) -> Self {
        let mut sides = Self {
            stated: range_start(hunk.preimage_range(direction)),
            stated_new: range_start(hunk.postimage_range(direction)),
            ..Self::default()
        };
        let mut is_leading = true;
        for line in hunk.lines(text, direction) {
            let number = number(line.text);
            let is_context = line.kind == LineKind::Context;
            is_leading &= is_context;
            sides.leading += usize::from(is_leading);
            sides.trailing = if is_context { sides.trailing + 1 } else { 0 };
            let (old, new) = (sides.old.count(), sides.new.count());
            if line.is_in_preimage() {
                sides.old.push(line.text, number);
            }
            if line.is_in_postimage() {
                sides.new.push(line.text, number);
            }
            if !is_context {
                append_edit(
                    &mut sides.edits,
                    Edit {
                        old: old..sides.old.count(),
                        new: new..sides.new.count(),
                    },
                );
            }
        }
        sides
    }

    /// Returns the number of context lines.
    pub(super) fn context(&self) -> usize {
        self.old.count() - self.edits.iter().map(|edit| edit.old.len()).sum::<usize>()
    }

    /// Returns whether the hunk must be at the start of the file, because it has less context
    /// there.
    pub(super) fn is_at_start(&self) -> bool {
        self.leading < self.trailing && self.stated == 0
    }

    /// Returns whether the hunk must be at the end of the file.
    pub(super) fn is_at_end(&self) -> bool {
        self.trailing < self.leading
    }
}
