//! Hunks one over the other: each is looked for in what those before it made.

use super::{Placement, Placements, Rules, Spliced, place, splice_by};
use crate::lines::LineIndex;
use crate::plan::{Direction, Hunk};

/// Most bytes that are searched and made anew; what is left then is placed at once, where nothing
/// overlaps.
const MOST_BYTES: usize = 1 << 28;

/// Places each hunk in what the ones before it made of `preimage`, and returns what all make of it.
/// What fits nowhere is passed over. The bytes and lines of a placement are those of the file as it
/// was then.
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
        bytes = bytes.saturating_add(file.len());
        let is_last = bytes > MOST_BYTES || ahead > rest.len();
        let mut placements = place(
            &LineIndex::new(&file),
            text,
            if is_last { rest } else { &rest[..ahead] },
            direction,
            rules,
        );
        // Where a hunk goes astray, the place may be one that another hunk of this round took.
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
