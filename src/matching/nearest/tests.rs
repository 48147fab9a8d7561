//! Tests of the closest match.

use super::super::testing::{Section, codex};
use super::super::{
    DifferenceReason, LineDifference, MatchRules, Mismatch, MismatchDetail, place_hunks,
};
use super::*;
use crate::lines::LineOffsets;

fn failure(file: &str, section: &Section) -> Mismatch {
    let placements = place_hunks(
        &LineOffsets::new(file.as_bytes()),
        &section.text,
        &section.hunks,
        Direction::Forward,
        &MatchRules::default(),
    );
    *placements.into_iter().find_map(Result::err).unwrap()
}

fn numbered(body: &str, line: usize) -> Section {
    let mut section = Section::default();
    section.push(body, line, line);
    section
}

fn bytes(lines: &[&str]) -> Vec<Vec<u8>> {
    lines.iter().map(|line| line.as_bytes().to_vec()).collect()
}

#[test]
fn the_place_with_most_of_the_lines_is_the_nearest() {
    let file = "1\n2\n3\na\nB\nc\n4\n5\n";
    let difference = LineDifference {
        patch_offset: 3,
        file_line: 4,
        expected: b"b".to_vec(),
        found: Some(b"B".to_vec()),
        reason: Some(DifferenceReason::Case),
    };
    let text = bytes(&["a", "B", "c"]);
    let (lines_before, lines_after) = (bytes(&["2", "3"]), bytes(&["4", "5"]));
    let difference = Some(difference);
    let nearest = ClosestMatch {
        line: 3,
        matched: 2,
        total: 3,
        difference,
        text,
        lines_before,
        lines_after,
    };
    let expected = bytes(&["a", "b", "c"]);
    let mismatch = Mismatch {
        kind: MismatchKind::NotFound,
        expected,
        nearest: Some(nearest),
    };
    assert_eq!(failure(file, &numbered(" a\n-b\n+x\n c\n", 2)), mismatch);
    let section = codex(&[(&[], " a\n-b\n+x\n c\n")]);
    assert_eq!(failure(file, &section).nearest, mismatch.nearest);
}

#[test]
fn of_equally_good_places_the_nearest_is_shown() {
    let lines = [2, 6].map(|line| {
        let nearest = failure(
            "0\na\nB\nc\n0\na\nB\nc\n",
            &numbered(" a\n-b\n+x\n c\n", line),
        )
        .nearest;
        nearest.map(|nearest| nearest.line)
    });
    assert_eq!(lines, [Some(1), Some(5)]);
}

#[test]
fn of_two_places_as_near_the_first_is_shown_each_time() {
    for _ in 0..32 {
        let nearest = failure("0\na\nB\nc\n0\na\nB\nc\n", &numbered(" a\n-b\n+x\n c\n", 4)).nearest;
        assert_eq!(nearest.map(|nearest| nearest.line), Some(1));
    }
}

#[test]
fn a_hunk_beyond_the_end_has_no_line_to_differ_from() {
    let nearest = failure("a\n", &numbered(" a\n-b\n c\n", 1))
        .nearest
        .unwrap();
    assert_eq!(
        nearest
            .difference
            .map(|difference| (difference.file_line, difference.found)),
        Some((1, None))
    );
}

#[test]
fn a_result_that_stands_there_was_applied_before() {
    let applied = |line| MismatchKind::AlreadyApplied { line };
    assert_eq!(
        failure("0\na\nx\nc\n1\n", &numbered(" a\n-b\n+x\n c\n", 2)).kind,
        applied(1)
    );
    assert_eq!(
        failure("0\na\nx\nc\n1\n", &numbered(" a\n-b\n+x\n c\n", 4)).kind,
        applied(1)
    );
    assert_eq!(
        failure("0\na\nx\nc\n1\n", &codex(&[(&[], " a\n-b\n+x\n c\n")])).kind,
        applied(1)
    );
    assert_eq!(
        failure("a\nc\n1\na\nc\n", &numbered(" a\n-b\n c\n", 3)).kind,
        MismatchKind::NotFound
    );
}

#[test]
fn with_less_detail_no_closest_match_is_looked_for() {
    let mut section = numbered(" a\n-b\n+x\n c\n", 1);
    section.push(" 1\n-2\n+y\n", 5, 5);
    let codex = codex(&[(&[], " a\n-b\n+x\n c\n"), (&[], " 1\n-2\n+y\n")]);
    for (file, kind) in [
        ("a\nB\nc\n0\n1\n2\n", MismatchKind::NotFound),
        (
            "a\nx\nc\n0\n1\n2\n",
            MismatchKind::AlreadyApplied { line: 0 },
        ),
    ] {
        for section in [&section, &codex] {
            let placed = |detail| {
                let rules = MatchRules {
                    detail,
                    ..MatchRules::default()
                };
                place_hunks(
                    &LineOffsets::new(file.as_bytes()),
                    &section.text,
                    &section.hunks,
                    Direction::Forward,
                    &rules,
                )
            };
            let (full, less) = (placed(MismatchDetail::Full), placed(MismatchDetail::Kind));
            assert_eq!(less[..1], [Err(Mismatch::of_kind(kind.clone()))]);
            assert_eq!(
                full[0]
                    .as_ref()
                    .map_err(|mismatch| mismatch.nearest.is_some()),
                Err(kind == MismatchKind::NotFound)
            );
            assert!(full[1].is_ok() && less[1] == full[1]);
            assert_eq!(
                placed(MismatchDetail::Nothing),
                vec![Err(Mismatch::without_match()); 2]
            );
        }
    }
}

#[test]
fn a_place_near_the_stated_line_is_found_in_a_file_that_repeats_itself() {
    let mut number = 0_usize;
    let lines: Vec<_> = (0..4000)
        .map(|_| {
            number = (number * 75 + 74) % 65_537;
            format!("w{}\n", number % 10)
        })
        .collect();
    let at = 2000;
    let body = format!(
        " {} {} missing\n-{}+new\n {} {} {}",
        lines[at],
        lines[at + 1],
        lines[at + 3],
        lines[at + 4],
        lines[at + 5],
        lines[at + 6]
    );
    for off in [0, 1, 20] {
        let nearest = failure(&lines.concat(), &numbered(&body, at + 1 + off))
            .nearest
            .unwrap();
        assert_eq!(
            (nearest.line, nearest.matched, nearest.total),
            (at, 6, 7),
            "{off} lines off"
        );
    }
}
