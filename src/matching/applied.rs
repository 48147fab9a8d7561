//! Placements for callers that skip already applied hunks (`--idempotent`).

use super::nearest::find_applied_elsewhere;
use super::numbered::{self, FilePatch};
use super::{MatchRules, Mismatch, MismatchKind, Placement, Placements};
use crate::lines::{LADDER, LineOffsets};
use crate::plan::{Direction, Hunk, HunkLine, LineKind};

/// The context lines that the result of a hunk without insertions needs, and how many of them must
/// have at least [`MIN_LINE`] bytes. Fewer lines, such as closing brackets, occur by chance.
const MIN_CONTEXT: usize = 4;
const MIN_LONG_CONTEXT: usize = 3;
const MIN_LINE: usize = 4;

/// Places the hunks of `patch` as [`numbered::place`] does, but prefers a complete postimage to an
/// uncertain preimage.
///
/// A hunk is already applied if the file contains its postimage, and its preimage matches only with
/// ignored context lines or farther from the stated line. Such a preimage is usually another place
/// that looks similar.
pub(super) fn place(
    original: &LineOffsets<'_>,
    index: &LineOffsets<'_>,
    patch: FilePatch<'_>,
) -> Placements {
    let strict = MatchRules {
        fuzz: 0,
        ..patch.rules.clone()
    };
    let strict_patch = FilePatch {
        rules: &strict,
        ..patch
    };
    let mut placements = numbered::place(original, index, strict_patch);
    let applied = find_applied_elsewhere(
        (original, index),
        (patch.text, patch.hunks),
        patch.direction,
        &placements,
        &strict.interrupt,
    );
    for found in applied {
        if found
            .preimage_distance
            .is_none_or(|preimage| found.distance < preimage)
        {
            let kind = MismatchKind::AlreadyApplied { line: found.line };
            placements[found.nth] = Err(Mismatch::of_kind(kind));
        }
    }
    if placements.iter().all(Result::is_err)
        && placements.iter().any(is_lost)
        && let Some(lines) = find_all_applied(original, strict_patch)
    {
        let applied = |line| Err(Mismatch::of_kind(MismatchKind::AlreadyApplied { line }));
        return lines.into_iter().map(applied).collect();
    }
    if patch.rules.fuzz == 0 || placements.iter().all(|placed| !is_lost(placed)) {
        return placements;
    }
    let open: Vec<Hunk> = (patch.hunks.iter().zip(&placements))
        .filter(|(_, placed)| !is_applied(placed))
        .map(|(hunk, _)| hunk.clone())
        .collect();
    let open_patch = FilePatch {
        hunks: &open,
        ..patch
    };
    let mut placed = numbered::place(original, index, open_patch).into_iter();
    for placement in placements.iter_mut().filter(|placed| !is_applied(placed)) {
        if let Some(placed) = placed.next() {
            *placement = placed;
        }
    }
    placements
}

/// Returns the lines of all postimages if every hunk of `patch` applies to the file in reverse. A single
/// hunk could do so by chance, for example if it only deletes lines.
fn find_all_applied(file: &LineOffsets<'_>, patch: FilePatch<'_>) -> Option<Vec<usize>> {
    let rules = MatchRules {
        skips_applied: false,
        ..patch.rules.clone()
    };
    let reversed = FilePatch {
        direction: patch.direction.combine(Direction::Reverse),
        rules: &rules,
        ..patch
    };
    let placements = numbered::place(file, file, reversed);
    let line = |(hunk, placed): (&Hunk, &Result<Placement, Box<Mismatch>>)| {
        let placement = placed.as_ref().ok()?;
        let is_certain = placement.rung == LADDER[0].name
            && has_distinctive_result(hunk, patch.text, patch.direction);
        is_certain.then_some(placement.lines.start)
    };
    patch.hunks.iter().zip(&placements).map(line).collect()
}

/// Returns whether the result of a hunk does not occur in a file by chance: the hunk inserts a line
/// that is not blank, or has enough context.
pub(crate) fn has_distinctive_result(hunk: &Hunk, text: &[u8], direction: Direction) -> bool {
    let is_blank = |line: &HunkLine<'_>| line.text.trim_ascii().is_empty();
    let mut context = [0, 0];
    for line in hunk.lines(text, direction) {
        match line.kind {
            LineKind::Insertion if !is_blank(&line) => return true,
            LineKind::Context => {
                context[0] += 1;
                context[1] += usize::from(line.text.trim_ascii().len() >= MIN_LINE);
            }
            _ => {}
        }
    }
    context[0] >= MIN_CONTEXT && context[1] >= MIN_LONG_CONTEXT
}

fn is_lost(placed: &Result<Placement, Box<Mismatch>>) -> bool {
    placed.as_ref().is_err_and(|mismatch| {
        matches!(
            mismatch.kind,
            MismatchKind::NotFound | MismatchKind::Overlap
        )
    })
}

fn is_applied(placed: &Result<Placement, Box<Mismatch>>) -> bool {
    placed
        .as_ref()
        .is_err_and(|mismatch| matches!(mismatch.kind, MismatchKind::AlreadyApplied { .. }))
}
