//! What a file becomes when its hunks have their places.

use super::Placement;
use crate::plan::{Direction, Hunk, LineKind};

/// Returns the file with the hunks in place.
pub(super) fn splice(
    preimage: &[u8],
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    placements: &[Placement],
) -> Vec<u8> {
    let mut order: Vec<_> = hunks.iter().zip(placements).collect();
    order.sort_by_key(|(_, placement)| (placement.lines.start, placement.lines.end));
    let inserted: usize = hunks.iter().map(|hunk| hunk.body.len()).sum();
    let mut out = Vec::with_capacity(preimage.len() + inserted);
    let mut done = 0;
    for (hunk, placement) in order {
        out.extend_from_slice(&preimage[done..placement.bytes.start]);
        done = placement.bytes.end;
        let mut rest = &preimage[placement.bytes.clone()];
        let (start, end) = placement.left_out;
        let old = placement.lines.len();
        let mut nth = 0;
        for line in hunk.lines(text, direction) {
            let is_covered = nth >= start && nth < start + old;
            match line.kind {
                LineKind::Insertion => out.extend_from_slice(line.text),
                LineKind::Context | LineKind::Deletion => {
                    nth += 1;
                    if is_covered {
                        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
                        let (taken, others) = rest.split_at(length);
                        rest = others;
                        if line.kind == LineKind::Context {
                            out.extend_from_slice(taken);
                        }
                    }
                }
            }
        }
        let _ = end;
    }
    out.extend_from_slice(&preimage[done..]);
    out
}
