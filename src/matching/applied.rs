//! Placements for callers that skip already applied hunks (`--idempotent`).

use super::distinctive::has_distinctive_result;
use super::nearest::find_postimages;
use super::numbered::{self, FilePatch};
use super::{MatchRules, Mismatch, MismatchKind, Placement, Placements};
use crate::lines::{LADDER, LineOffsets};
use crate::plan::{Direction, Hunk};

/// Places the hunks of `patch` as [`numbered::place`] does, but prefers a complete postimage to a
/// preimage with ignored context lines. Such a preimage is usually another place that looks
/// similar.
///
/// 1. The hunks are placed without fuzz.
/// 2. A hunk that matches nowhere is already applied if its postimage is in the file.
/// 3. If no hunk matches, all hunks are already applied if they apply in reverse.
/// 4. The other hunks are placed with fuzz.
///
/// Earlier hunks have turned the file `original` into `current`.
pub(super) fn place(
    original: &LineOffsets<'_>,
    current: &LineOffsets<'_>,
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
    let mut placements = numbered::place(original, current, strict_patch);
    note_postimages((original, current), strict_patch, &mut placements);
    if placements.iter().all(Result::is_err)
        && placements.iter().any(is_lost)
        && let Some(lines) = find_all_applied(original, strict_patch)
    {
        let applied = |line| Err(Mismatch::of_kind(MismatchKind::AlreadyApplied { line }));
        return lines.into_iter().map(applied).collect();
    }
    if patch.rules.fuzz > 0 && placements.iter().any(is_lost) {
        place_with_fuzz((original, current), patch, &mut placements);
    }
    placements
}

/// Records the postimages of hunks that match elsewhere or nowhere. A hunk that matches keeps its
/// placement.
fn note_postimages(
    files: (&LineOffsets<'_>, &LineOffsets<'_>),
    patch: FilePatch<'_>,
    placements: &mut Placements,
) {
    let found = find_postimages(
        files,
        (patch.text, patch.hunks),
        patch.direction,
        placements,
        &patch.rules.interrupt,
    );
    for postimage in found {
        match &mut placements[postimage.hunk] {
            Ok(placement) => placement.already_at = Some(postimage.lines.start),
            mismatch => {
                let line = postimage.lines.start;
                *mismatch = Err(Mismatch::of_kind(MismatchKind::AlreadyApplied { line }));
            }
        }
    }
}

/// Places all hunks that are not already applied with the fuzz of `patch`. Hunks that already have
/// a placement keep it, because the search tries complete hunks first.
fn place_with_fuzz(
    (original, current): (&LineOffsets<'_>, &LineOffsets<'_>),
    patch: FilePatch<'_>,
    placements: &mut Placements,
) {
    let remaining: Vec<Hunk> = (patch.hunks.iter().zip(placements.iter()))
        .filter(|(_, placed)| !is_applied(placed))
        .map(|(hunk, _)| hunk.clone())
        .collect();
    let remaining_patch = FilePatch {
        hunks: &remaining,
        ..patch
    };
    let placed = numbered::place(original, current, remaining_patch);
    let unapplied = placements.iter_mut().filter(|placed| !is_applied(placed));
    for (placement, placed) in unapplied.zip(placed) {
        *placement = placed;
    }
}

/// Returns the lines of all postimages if every hunk of `patch` applies to the file in reverse.
/// Each hunk must have a distinctive result and no other place than those of the hunks. Otherwise
/// it can match by chance, for example if it only deletes lines.
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
    let places: Vec<usize> = (placements.iter().flatten())
        .map(|placement| placement.lines.start)
        .collect();
    let line = |(hunk, placed): (&Hunk, &Result<Placement, Box<Mismatch>>)| {
        let placement = placed.as_ref().ok()?;
        let is_certain = placement.rung == LADDER[0].name
            && has_known_candidates(placement, &places)
            && has_distinctive_result(hunk, patch.text, patch.direction);
        is_certain.then_some(placement.lines.start)
    };
    patch.hunks.iter().zip(&placements).map(line).collect()
}

/// Returns whether the hunk of `placement` matches only at `places`, the lines of all hunks of the
/// file.
pub(crate) fn has_known_candidates(placement: &Placement, places: &[usize]) -> bool {
    let candidates = &placement.candidates;
    candidates.len() < 2 || candidates.iter().all(|line| places.contains(line))
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
    placed.as_ref().is_err_and(|mismatch| mismatch.is_applied())
}
