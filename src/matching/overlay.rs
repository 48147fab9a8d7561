//! Places overlapping hunks (`--allow-overlap`): each hunk is searched for in the result of the
//! earlier ones.

use super::{MatchRules, Placement, Placements, SplicedFile, place_after, splice_with_rules};
use crate::lines::LineOffsets;
use crate::plan::{Direction, Hunk};

/// The maximum number of bytes that are searched and rebuilt. The hunks that are left then are
/// placed together, so they cannot overlap.
const MAX_BYTES: usize = 1 << 28;

/// Applies the hunks one after the other and returns their placements and the new file.
///
/// Each hunk is placed in the result of the earlier hunks. Hunks that match nowhere are skipped.
/// The bytes and lines of a placement refer to the file at that step. Returns `None` if the interrupt
/// of `rules` is raised.
#[must_use]
pub fn overlay(
    preimage: &[u8],
    (text, hunks): (&[u8], &[Hunk]),
    direction: Direction,
    rules: &MatchRules,
) -> Option<(Placements, SplicedFile)> {
    let (mut all, mut rest) = (Placements::new(), hunks);
    let original = LineOffsets::new(preimage);
    let (mut file, mut made) = (preimage.to_vec(), SplicedFile::default());
    let (mut bytes, mut ahead) = (0_usize, 1);
    loop {
        // Hunks are placed in batches, because each batch rebuilds the file. The size doubles after
        // each complete batch.
        bytes = bytes.saturating_add(file.len());
        let is_last = bytes > MAX_BYTES || ahead > rest.len();
        let batch = if is_last { rest } else { &rest[..ahead] };
        let lines = LineOffsets::new(&file);
        let mut placements = place_after(&original, &lines, (text, batch), direction, rules);
        // A hunk that is not at its stated line could have avoided the lines of another hunk in
        // this batch. It is placed again in the next batch.
        let is_sure =
            |placed: &Result<Placement, _>| placed.as_ref().is_ok_and(Placement::is_as_stated);
        let sure = placements
            .iter()
            .skip(1)
            .take_while(|placed| is_sure(placed))
            .count();
        placements.truncate(if bytes > MAX_BYTES {
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
        let pairs = now.iter().zip(&placements);
        let (fitting, found): (Vec<_>, Vec<_>) = pairs
            .filter_map(|(hunk, placed)| Some((hunk.clone(), placed.as_ref().ok()?)))
            .unzip();
        let spliced = splice_with_rules(&lines, text, &fitting, direction, &found, rules)?;
        file = spliced.pieces.join(&file);
        made.corrected.extend(spliced.corrected);
        made.omitted.extend(spliced.omitted);
        all.append(&mut placements);
        rest = later;
        if rest.is_empty() {
            // The pieces of a step refer to the file of that step, so the result is one new piece.
            made.pieces.insert(&file);
            return Some((all, made));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MismatchKind;
    use super::super::testing::Section;
    use super::*;

    /// Returns the line at which the result of each hunk already is, or why the hunk does not
    /// match, and the new file. The hunks start at the given lines.
    fn repeated(
        file: &str,
        hunks: &[(&str, usize)],
        rules: &MatchRules,
    ) -> (Vec<Result<Option<usize>, MismatchKind>>, String) {
        let mut section = Section::default();
        for &(body, line) in hunks {
            section.push(body, line, line);
        }
        let (placements, spliced) = overlay(
            file.as_bytes(),
            (&section.text, &section.hunks),
            Direction::Forward,
            rules,
        )
        .unwrap();
        let outcome = |placed: Result<Placement, Box<super::super::Mismatch>>| {
            placed
                .map(|placement| placement.already_at)
                .map_err(|mismatch| mismatch.kind)
        };
        let after = spliced.pieces.join(file.as_bytes());
        (
            placements.into_iter().map(outcome).collect(),
            String::from_utf8(after).unwrap(),
        )
    }

    const BODY: &str = "-a\n+x\n c\n";
    const OTHER: &str = " 1\n-2\n+two\n a\n";

    #[test]
    fn what_an_earlier_hunk_wrote_is_not_already_applied() {
        let rules = MatchRules::default();
        let twice = [(BODY, 2), (BODY, 2)];
        let found = repeated("0\na\nc\n1\n2\na\nc\n0\n", &twice, &rules);
        let after = "0\nx\nc\n1\n2\nx\nc\n0\n".to_owned();
        assert_eq!(found, (vec![Ok(None); 2], after));
        let (outcomes, after) = repeated("0\na\nc\n1\n2\n", &twice, &rules);
        assert_eq!(outcomes, [Ok(None), Err(MismatchKind::NotFound)]);
        assert_eq!(after, "0\nx\nc\n1\n2\n");
    }

    #[test]
    fn what_the_original_file_has_is_already_applied() {
        let skips = MatchRules {
            skips_applied: true,
            ..MatchRules::default()
        };
        let applied = |line| Err(MismatchKind::AlreadyApplied { line });
        let file = "0\nx\nc\n1\n2\na\nc\n0\n";
        for (hunks, changed) in [
            (&[(BODY, 2)][..], "2\n"),
            (&[(OTHER, 4), (BODY, 2)], "two\n"),
        ] {
            let after = |last: &str| format!("0\nx\nc\n1\n{changed}{last}\nc\n0\n");
            let (outcomes, found) = repeated(file, hunks, &MatchRules::default());
            assert_eq!((outcomes.last(), found), (Some(&Ok(Some(1))), after("x")));
            let (outcomes, found) = repeated(file, hunks, &skips);
            assert_eq!((outcomes.last(), found), (Some(&applied(1)), after("a")));
        }
        // An earlier hunk has added lines above.
        let more = " 1\n-2\n+two\n+three\n x\n";
        let (outcomes, _) = repeated("1\n2\nx\nc\n0\n", &[(more, 1), (BODY, 4)], &skips);
        assert_eq!(outcomes[1], applied(2));
    }
}
