//! Places overlapping hunks (`--allow-overlap`): each hunk is searched for in the result of the
//! earlier ones.

use super::{Placement, Placements, Rules, Spliced, place, splice_by};
use crate::lines::LineOffsets;
use crate::plan::{Direction, Hunk};

/// The maximum number of bytes that are searched and rebuilt. The hunks that are left then are
/// placed together, so they cannot overlap.
const MOST_BYTES: usize = 1 << 28;

/// Applies the hunks one after the other and returns their placements and the new file.
///
/// Each hunk is placed in the result of the earlier hunks. Hunks that match nowhere are skipped.
/// The bytes and lines of a placement refer to the file at that step.
#[must_use]
pub fn overlay(
    preimage: &[u8],
    (text, hunks): (&[u8], &[Hunk]),
    direction: Direction,
    rules: &Rules,
) -> (Placements, Spliced) {
    let (mut all, mut rest) = (Placements::new(), hunks);
    let (mut file, mut made) = (preimage.to_vec(), Spliced::default());
    let (mut bytes, mut ahead) = (0_usize, 1);
    loop {
        // Hunks are placed in batches, because each batch rebuilds the file. The size doubles after
        // each complete batch.
        bytes = bytes.saturating_add(file.len());
        let is_last = bytes > MOST_BYTES || ahead > rest.len();
        let mut placements = place(
            &LineOffsets::new(&file),
            text,
            if is_last { rest } else { &rest[..ahead] },
            direction,
            rules,
        );
        // A hunk that is not at its stated line could have avoided the lines of another hunk in
        // this batch. It is placed again in the next batch.
        let is_sure =
            |placed: &Result<Placement, _>| placed.as_ref().is_ok_and(Placement::is_as_stated);
        let sure = placements
            .iter()
            .skip(1)
            .take_while(|placed| is_sure(placed))
            .count();
        placements.truncate(if bytes > MOST_BYTES {
            rest.len()
        } else {
            1 + sure
        });
        ahead = if placements.len() == ahead {
            2 * ahead
        } else {
            1
        };
        let (now, later) = rest.split_at(placements.len());
        let placed = now
            .iter()
            .zip(&placements)
            .filter_map(|(hunk, placed)| Some((hunk, placed.as_ref().ok()?)));
        let (fitting, found): (Vec<_>, Vec<_>) =
            placed.map(|(hunk, place)| (hunk.clone(), place)).unzip();
        let spliced = splice_by(&file, text, &fitting, direction, &found, rules);
        file = spliced.pieces.join(&file);
        made.corrected.extend(spliced.corrected);
        made.left_out.extend(spliced.left_out);
        all.append(&mut placements);
        rest = later;
        if rest.is_empty() {
            made.pieces.insert(&file);
            return (all, made);
        }
    }
}
