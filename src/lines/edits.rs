//! The edit script and the budget for computing it.

use std::ops::Range;

/// One change: the range of deleted lines and the range of inserted lines. Lines are counted from
/// 0, and ranges are half-open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The deleted lines.
    pub(crate) old: Range<usize>,
    /// The inserted lines.
    pub(crate) new: Range<usize>,
}

/// The changes from one text to another, in order. At least one unchanged line separates two
/// changes.
pub(crate) type Edits = Vec<Edit>;

/// A limit on work, counted in steps. A step is about one comparison of two lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(pub(super) u64);

impl Budget {
    /// Returns the share of the budget for `part` of `all` elements.
    pub(super) fn share(self, part: u64, all: u64) -> Self {
        let share = u128::from(self.0) * u128::from(part) / u128::from(all.max(1));
        Self(u64::try_from(share).unwrap_or(self.0))
    }
}

impl Default for Budget {
    /// Returns a budget for a fraction of a second of work. Texts with at most 6,000 lines between
    /// their first and last change, in both texts together, never exceed it.
    fn default() -> Self {
        Self(1 << 26)
    }
}

/// Appends `edit`, or extends the last edit if no unchanged line separates both.
pub(crate) fn append_edit(edits: &mut Edits, edit: Edit) {
    match edits.last_mut() {
        Some(last) if last.old.end == edit.old.start && last.new.end == edit.new.start => {
            last.old.end = edit.old.end;
            last.new.end = edit.new.end;
        }
        _ => edits.push(edit),
    }
}
