//! Placements for callers that skip already applied hunks (`--idempotent`).

use super::nearest::find_applied_elsewhere;
use super::numbered::{self, FilePatch};
use super::{MatchRules, Mismatch, MismatchKind, Placement, Placements};
use crate::lines::LineOffsets;
use crate::plan::Hunk;

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
