//! What lines differ between two texts, placed as git places them: of places that are as good as each other the last one,
//! but beside another change rather than alone.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// One change of lines: these of the old text became those of the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

impl Edit {
    /// Returns whether it only adds lines, or only takes some away.
    fn is_pure(&self) -> bool {
        self.old.is_empty() || self.new.is_empty()
    }

    /// Returns whether `next` begins where it ends, in both texts.
    fn touches(&self, next: &Self) -> bool {
        self.old.end == next.old.start && self.new.end == next.new.start
    }

    fn join(&mut self, next: &Self) {
        self.old.end = next.old.end;
        self.new.end = next.new.end;
    }
}

/// Returns the changes from `old` to `new`, in order and with lines between them; `None` if that cannot be told until
/// `deadline`.
pub(super) fn edits(old: &[&[u8]], new: &[&[u8]], deadline: Instant) -> Option<Vec<Edit>> {
    // Numbers compare faster than lines.
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    let mut number = |line| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    let (a, b): (Vec<_>, Vec<_>) =
        (old.iter().map(|line| number(*line)).collect(), new.iter().map(|line| number(*line)).collect());
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &a, &b, Some(deadline));
    if Instant::now() >= deadline {
        return None;
    }
    let mut edits: Vec<Edit> = Vec::new();
    for op in ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        let edit = Edit { old: op.old_range(), new: op.new_range() };
        match edits.last_mut() {
            Some(last) if last.touches(&edit) => last.join(&edit),
            _ => edits.push(edit),
        }
    }
    Some(slid(edits, &a, &b))
}

/// Slides each change that only adds or only takes away to where it belongs.
fn slid(edits: Vec<Edit>, a: &[usize], b: &[usize]) -> Vec<Edit> {
    let mut waiting: Vec<_> = edits.into_iter().rev().collect();
    let mut done: Vec<Edit> = Vec::new();
    while let Some(mut edit) = waiting.pop() {
        if !edit.is_pure() {
            done.push(edit);
            continue;
        }
        let (down, is_joined) = room_below(&edit, waiting.last(), a, b);
        if let (true, Some(next)) = (is_joined, waiting.last_mut()) {
            next.old.start = edit.old.start + down;
            next.new.start = edit.new.start + down;
            continue;
        }
        if let Some(last) = done.last_mut().filter(|last| is_reached(last, &edit, a, b)) {
            let back = edit.old.start - last.old.end;
            last.old.end = edit.old.end - back;
            last.new.end = edit.new.end - back;
            continue;
        }
        edit.old = edit.old.start + down..edit.old.end + down;
        edit.new = edit.new.start + down..edit.new.end + down;
        done.push(edit);
    }
    done
}

/// Returns how far `edit` can go down, and whether it meets `next` there.
fn room_below(edit: &Edit, next: Option<&Edit>, a: &[usize], b: &[usize]) -> (usize, bool) {
    let (text, range) = if edit.old.is_empty() { (b, &edit.new) } else { (a, &edit.old) };
    let end = next.map_or(text.len(), |next| if edit.old.is_empty() { next.new.start } else { next.old.start });
    let mut down = 0;
    while range.end + down < end && text[range.start + down] == text[range.end + down] {
        down += 1;
    }
    (down, next.is_some() && range.end + down == end)
}

/// Returns whether `edit`, going up, meets `last`, which is of another kind.
fn is_reached(last: &Edit, edit: &Edit, a: &[usize], b: &[usize]) -> bool {
    let is_insertion = edit.old.is_empty();
    let is_other = if is_insertion { !last.old.is_empty() } else { !last.new.is_empty() };
    let (text, range) = if is_insertion { (b, &edit.new) } else { (a, &edit.old) };
    let gap = edit.old.start - last.old.end;
    is_other && (1..=gap).all(|up| text[range.start - up] == text[range.end - up])
}
