//! The hunks of one file section, written for their places in the tree.
//!
//! A hunk keeps its lines. Its line numbers change, and context lines that differ from the file are
//! replaced by those of the file. Both sides get the same number of context lines, unless the file
//! ends earlier: GNU patch without fuzz requires a side with less context to be at its end of the
//! file.

use std::iter;
use std::ops::Range;

use crate::matching::{Placement, Placements};
use crate::plan::{Direction, Hunk, LineKind, LineRange, Operation};
use crate::syntax::writers::PatchHunk;
use crate::text::{Span, lines, without_ending};

/// A hunk as it must be in the refreshed patch, in the direction of the patch.
pub(super) struct NewHunk<'a> {
    /// The indexes of the original hunks that it contains.
    pub(super) originals: Range<usize>,
    /// The old lines.
    pub(super) old: LineRange,
    /// The new lines.
    pub(super) new: LineRange,
    /// The text after the second `@@`.
    pub(super) heading: Span,
    /// The lines, with terminators.
    pub(super) lines: Vec<(LineKind, &'a [u8])>,
    /// Whether the lines are those of the original hunk.
    pub(super) has_original_lines: bool,
}

impl NewHunk<'_> {
    /// Returns the hunk for a writer. `text` is the patch.
    pub(super) fn to_patch_hunk<'a>(&'a self, text: &'a [u8]) -> PatchHunk<'a> {
        PatchHunk {
            old: self.old,
            new: self.new,
            section: self.heading.slice(text),
            lines: self.lines.clone(),
            is_at_end: false,
        }
    }
}

/// The reason why the hunks of a section cannot be written.
const SAME_LINES: &str = "two hunks change the same lines";
const INCOMPLETE_CONTEXT: &str = "a hunk without changes does not match completely";

/// Returns the hunks of `operation` that have a placement, in the order of the file. `before` is
/// the content in which they were placed.
///
/// # Errors
///
/// Returns the reason if a hunk cannot be written.
pub(super) fn new_hunks<'a>(
    operation: &Operation,
    (text, hunks): (&'a [u8], &[Hunk]),
    placements: &Placements,
    before: &'a [u8],
) -> Result<Vec<NewHunk<'a>>, &'static str> {
    let file: Vec<&[u8]> = lines(before).map(|(_, line)| line).collect();
    let placed = hunks.iter().zip(placements).enumerate();
    let mut placed: Vec<PlacedHunk<'_>> = placed
        .filter_map(|(index, (hunk, placement))| Some((index, hunk, placement.as_ref().ok()?)))
        .map(|(index, hunk, placement)| {
            PlacedHunk::new(index, (hunk, text), operation.direction, placement, &file)
        })
        .collect::<Result<_, _>>()?;
    placed.sort_by_key(|hunk| hunk.core.start);
    let mut joined: Vec<PlacedHunk<'_>> = Vec::with_capacity(placed.len());
    for hunk in placed {
        match joined.last_mut() {
            Some(last) if hunk.file_lines.start < last.file_lines.end => {
                last.append(&hunk, &file)?;
            }
            _ => joined.push(hunk),
        }
    }
    let mut added = 0;
    let numbered = joined
        .into_iter()
        .map(|hunk| hunk.finish(operation.direction, &mut added));
    Ok(numbered.collect())
}

/// A hunk with its place in the file.
struct PlacedHunk<'a> {
    originals: Range<usize>,
    heading: Span,
    /// The lines of the file that the hunk contains, counted from 0: its core and its context.
    file_lines: Range<usize>,
    /// The lines of the file from the first to the last change. Empty if the hunk only inserts
    /// lines.
    core: Range<usize>,
    /// The lines in the direction of the patch.
    lines: Vec<(LineKind, &'a [u8])>,
    /// The number of context lines at the end of `lines`.
    trailing: usize,
    has_original_lines: bool,
}

impl<'a> PlacedHunk<'a> {
    fn new(
        index: usize,
        (hunk, text): (&Hunk, &'a [u8]),
        direction: Direction,
        placement: &Placement,
        file: &[&'a [u8]],
    ) -> Result<Self, &'static str> {
        let original: Vec<(LineKind, &[u8])> = hunk
            .lines(text, Direction::Forward)
            .map(|line| (line.kind, line.text))
            .collect();
        let is_context = |(kind, _): &&(LineKind, &[u8])| *kind == LineKind::Context;
        let leading = original.iter().take_while(is_context).count();
        if leading == original.len() {
            return Self::without_change((index, hunk), original, placement);
        }
        let trailing = original.iter().rev().take_while(is_context).count();
        let in_file = |kind: LineKind| kind.in_direction(direction) != LineKind::Insertion;
        let preimage_count = original.iter().filter(|(kind, _)| in_file(*kind)).count();
        // A placement does not contain the ignored context lines.
        let start = placement.lines.start + leading - placement.ignored_context.0;
        let core = start..start + preimage_count - leading - trailing;
        let context = leading.max(trailing);
        let file_lines = core.start.saturating_sub(context)..(core.end + context).min(file.len());
        let (before, rest) = original.split_at(leading);
        let (changed, after) = rest.split_at(rest.len() - trailing);
        // The innermost context lines come first in both lists.
        let found = file[file_lines.start..core.start].iter().rev();
        let mut lines: Vec<_> = context_lines(found, before.iter().rev()).collect();
        lines.reverse();
        let mut found = file[core.clone()].iter();
        for &(kind, known) in changed {
            let found = if in_file(kind) { found.next() } else { None };
            lines.push((
                kind,
                found.map_or(known, |found| keep_if_same(Some(known), found)),
            ));
        }
        let found = file[core.end..file_lines.end].iter();
        lines.extend(context_lines(found, after.iter()));
        Ok(Self {
            originals: index..index + 1,
            heading: hunk.section,
            has_original_lines: lines == original,
            trailing: file_lines.end - core.end,
            file_lines,
            core,
            lines,
        })
    }

    /// Returns a hunk of context lines only, which keeps its lines.
    fn without_change(
        (index, hunk): (usize, &Hunk),
        lines: Vec<(LineKind, &'a [u8])>,
        placement: &Placement,
    ) -> Result<Self, &'static str> {
        if placement.ignored_context != (0, 0) {
            return Err(INCOMPLETE_CONTEXT);
        }
        Ok(Self {
            originals: index..index + 1,
            heading: hunk.section,
            file_lines: placement.lines.clone(),
            core: placement.lines.clone(),
            lines,
            trailing: 0,
            has_original_lines: true,
        })
    }

    /// Appends `next`, which begins in the trailing context of this hunk.
    ///
    /// # Errors
    ///
    /// Returns the reason if both change the same lines.
    fn append(&mut self, next: &Self, file: &[&'a [u8]]) -> Result<(), &'static str> {
        let between = self.core.end..next.core.start;
        if between.start > between.end {
            return Err(SAME_LINES);
        }
        self.lines.truncate(self.lines.len() - self.trailing);
        self.lines
            .extend(file[between].iter().map(|line| (LineKind::Context, *line)));
        let leading = next.core.start - next.file_lines.start;
        self.lines.extend(&next.lines[leading..]);
        self.originals = self.originals.start.min(next.originals.start)
            ..self.originals.end.max(next.originals.end);
        self.file_lines.end = next.file_lines.end;
        self.core.end = next.core.end;
        self.trailing = next.trailing;
        self.has_original_lines = false;
        Ok(())
    }

    /// Returns the hunk with its line numbers. `added` is the number of lines that the hunks before
    /// it add to the file, and is updated.
    fn finish(self, direction: Direction, added: &mut isize) -> NewHunk<'a> {
        let count = |left_out: LineKind| {
            let lines = self.lines.iter();
            lines
                .filter(|(kind, _)| kind.in_direction(direction) != left_out)
                .count()
        };
        let range = |start: usize, count: usize| LineRange {
            start: start + usize::from(count > 0),
            count,
        };
        let (old, new) = (count(LineKind::Insertion), count(LineKind::Deletion));
        let preimage = range(self.file_lines.start, old);
        let start = self.file_lines.start.saturating_add_signed(*added);
        let postimage = range(start, new);
        *added += new.cast_signed() - old.cast_signed();
        let (old, new) = match direction {
            Direction::Forward => (preimage, postimage),
            Direction::Reverse => (postimage, preimage),
        };
        NewHunk {
            originals: self.originals,
            old,
            new,
            heading: self.heading,
            lines: self.lines,
            has_original_lines: self.has_original_lines,
        }
    }
}

/// Returns the context lines `found` of the file. `known` are the context lines of the patch from
/// the same place on, which can be fewer.
fn context_lines<'a, 'l>(
    found: impl Iterator<Item = &'l &'a [u8]>,
    known: impl Iterator<Item = &'l (LineKind, &'a [u8])>,
) -> impl Iterator<Item = (LineKind, &'a [u8])>
where
    'a: 'l,
{
    let known = known.map(|(_, text)| Some(*text)).chain(iter::repeat(None));
    let pairs = found.zip(known);
    pairs.map(|(found, known)| (LineKind::Context, keep_if_same(known, found)))
}

/// Returns `known`, a line of the patch, if it has the content of the line `found` of the file. Its
/// line ending can differ. Otherwise returns `found`.
fn keep_if_same<'a>(known: Option<&'a [u8]>, found: &'a [u8]) -> &'a [u8] {
    let is_same = |known: &&[u8]| {
        without_ending(known) == without_ending(found)
            && known.ends_with(b"\n") == found.ends_with(b"\n")
    };
    known.filter(is_same).unwrap_or(found)
}
