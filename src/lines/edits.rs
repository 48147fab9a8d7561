//! An edit script, and the limit on the work for it.

use std::ops::Range;

/// One change: these lines of the old text became these lines of the new text. Lines are counted
/// from 0, and ranges are half-open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The deleted lines.
    pub(crate) old: Range<usize>,
    /// The inserted lines.
    pub(crate) new: Range<usize>,
}

/// The changes from one text to another, in order. At least one unchanged line separates two of
/// them.
pub(crate) type Edits = Vec<Edit>;

impl Edit {
    /// Returns the edit moved down by `old` and `new` lines.
    pub(super) fn shifted(self, old: usize, new: usize) -> Self {
        Self {
            old: self.old.start + old..self.old.end + old,
            new: self.new.start + new..self.new.end + new,
        }
    }
}

/// A limit on work, counted in steps. A step is about one comparison of two lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(pub(super) u64);

impl Default for Budget {
    /// Returns a budget for less than a second of work. Texts with 131,072 lines between their
    /// first and their last change, both counted, never exceed it.
    fn default() -> Self {
        Self(1 << 28)
    }
}

/// Adds `edit`, joined with the last one if no line separates them.
pub(crate) fn push(edits: &mut Edits, edit: Edit) {
    match edits.last_mut() {
        Some(last) if last.old.end == edit.old.start && last.new.end == edit.new.start => {
            last.old.end = edit.old.end;
            last.new.end = edit.new.end;
        }
        _ => edits.push(edit),
    }
}
