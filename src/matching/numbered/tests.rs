//! Tests for hunks with line numbers.

use super::super::testing::Section;
use super::super::{MAX_CANDIDATES, MatchRules, place_hunks};
use super::*;
use crate::lines::LineOffsets;
use crate::plan::{Direction, MatchMode};

fn placed(
    file: &str,
    bodies: &[(&str, usize)],
    rules: &MatchRules,
) -> Vec<Result<Placement, MismatchKind>> {
    let mut section = Section::default();
    for &(body, line) in bodies {
        section.push(body, line, line);
    }
    let placements = place_hunks(
        &LineOffsets::new(file.as_bytes()),
        &section.text,
        &section.hunks,
        Direction::Forward,
        rules,
    );
    placements
        .into_iter()
        .map(|place| place.map_err(|mismatch| mismatch.kind))
        .collect()
}

fn at(line: usize, count: usize, offset: isize, candidates: &[usize]) -> Placement {
    let (lines, candidates) = (line..line + count, candidates.to_vec());
    let bytes = 2 * line..2 * (line + count);
    Placement {
        bytes,
        lines,
        offset,
        ignored_context: (0, 0),
        rung: "exact",
        candidates,
        missing_blank_lines: 0,
        already_at: None,
    }
}

const BODY: &str = " a\n-b\n+x\n c\n";

#[test]
fn the_stated_place_wins_and_then_the_nearest() {
    let file = "0\na\nb\nc\n0\n0\na\nb\nc\n0\n";
    let rules = MatchRules::default();
    assert_eq!(placed(file, &[(BODY, 7)], &rules), [Ok(at(6, 3, 0, &[]))]);
    assert_eq!(
        placed(file, &[(BODY, 3)], &rules),
        [Ok(at(1, 3, -1, &[1, 6]))]
    );
    assert_eq!(
        placed(file, &[(BODY, 5)], &rules),
        [Ok(at(6, 3, 2, &[1, 6]))]
    );
    let unique = MatchRules {
        unique: true,
        ..rules
    };
    let ambiguous = MismatchKind::Ambiguous {
        lines: vec![1, 6],
        rung: "exact",
        ignored_context: (0, 0),
    };
    assert_eq!(placed(file, &[(BODY, 3)], &unique), [Err(ambiguous)]);
    assert_eq!(placed(file, &[(BODY, 7)], &unique), [Ok(at(6, 3, 0, &[]))]);
}

#[test]
fn the_old_lines_say_the_place_to_gnu_patch_and_in_normal_diffs() {
    let mut section = Section::default();
    section.push("-a\n+x\n+y\n", 4, 1);
    section.push("-c\n+z\n", 7, 3);
    let offsets = |section: &Section, rules: &MatchRules| {
        let placements = place_hunks(
            &LineOffsets::new(b"a\nb\nc\nd\n"),
            &section.text,
            &section.hunks,
            Direction::Forward,
            rules,
        );
        placements
            .into_iter()
            .map(|place| place.unwrap().offset)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        offsets(
            &section,
            &MatchRules {
                zero_context: true,
                ..MatchRules::default()
            }
        ),
        [0, 1]
    );
    assert_eq!(
        offsets(
            &section,
            &MatchRules {
                is_gnu: true,
                ..MatchRules::default()
            }
        ),
        [-3, -4]
    );
    section
        .hunks
        .iter_mut()
        .for_each(|hunk| hunk.anchor = Anchor::Bare);
    assert_eq!(offsets(&section, &MatchRules::default()), [-3, -4]);
    // The changes of a hunk do not move the lines above it.
    let mut section = Section::default();
    section.push("+x\n+y\n", 3, 4);
    section.push("-a\n+z\n", 1, 1);
    section
        .hunks
        .iter_mut()
        .for_each(|hunk| hunk.anchor = Anchor::Bare);
    let places = place_hunks(
        &LineOffsets::new(b"a\nb\na\na\n"),
        &section.text,
        &section.hunks,
        Direction::Forward,
        &MatchRules::default(),
    );
    assert_eq!(places[1].as_ref().unwrap().lines, 0..1);
}

#[test]
fn many_hunks_are_placed_as_few() {
    let bodies: Vec<_> = (0..MANY_HUNKS)
        .map(|nth| (format!(" {nth}\n-b\n+x\n c\n"), 3 * nth + 1))
        .collect();
    let bodies: Vec<_> = bodies
        .iter()
        .map(|(body, line)| (body.as_str(), *line))
        .collect();
    let lines: Vec<_> = (0..MANY_HUNKS)
        .map(|nth| format!("{nth}\nb\nc\n"))
        .collect();
    let file = format!("0\nb\nc\n{}", lines.concat());
    let many = placed(&file, &bodies, &MatchRules::default());
    assert_eq!(
        many[..MANY_HUNKS - 1],
        placed(&file, &bodies[..MANY_HUNKS - 1], &MatchRules::default())
    );
    let place = many[MANY_HUNKS - 1].as_ref().unwrap();
    assert_eq!(
        (&place.lines, place.offset, &place.candidates[..]),
        (
            &(3 * MANY_HUNKS..3 * MANY_HUNKS + 3),
            3,
            &[3 * MANY_HUNKS][..]
        )
    );
}

#[test]
fn candidates_are_few() {
    let file = format!("0\n{}", "a\nb\nc\n".repeat(50));
    let found = placed(&file, &[(BODY, 4)], &MatchRules::default())
        .remove(0)
        .unwrap();
    assert_eq!(
        (found.lines, found.candidates.len()),
        (4..7, MAX_CANDIDATES)
    );
}

#[test]
fn a_line_belongs_to_one_hunk() {
    let found = placed(
        "0\na\nb\nc\n0\n",
        &[(BODY, 2), (BODY, 2)],
        &MatchRules::default(),
    );
    assert_eq!(found, [Ok(at(1, 3, 0, &[])), Err(MismatchKind::Overlap)]);
}

#[test]
fn only_the_last_line_of_a_hunk_can_lack_its_terminator() {
    let body = " a\n\\ No newline at end of file\n-b\n+x\n c\n";
    for (file, line) in [
        ("ab\nc\n", 1),
        ("0\nab\nc\n0\n", 2),
        ("0\n0\n0\n0\nab\nc\n0\n", 2),
    ] {
        assert_eq!(
            placed(file, &[(body, line)], &MatchRules::default()),
            [Err(MismatchKind::NotFound)],
            "{file:?}"
        );
    }
}

#[test]
fn an_insertion_without_context_stands_where_it_says_or_nowhere() {
    let mut section = Section::default();
    section.push("+x\n", 1, 2);
    let placed = |file: &[u8], rules| {
        place_hunks(
            &LineOffsets::new(file),
            &section.text,
            &section.hunks,
            Direction::Forward,
            &rules,
        )
        .remove(0)
    };
    let zero = MatchRules {
        zero_context: true,
        ..MatchRules::default()
    };
    assert_eq!(placed(b"a\nb\n", zero.clone()), Ok(at(1, 0, 0, &[])));
    assert_eq!(
        placed(b"a\nb\n", MatchRules::default()).map_err(|error| error.kind),
        Err(MismatchKind::NotFound)
    );
    assert_eq!(placed(b"a\n", zero.clone()), Ok(at(1, 0, 0, &[])));
    assert_eq!(
        placed(b"", zero).map_err(|error| error.kind),
        Err(MismatchKind::NotFound)
    );
}

#[test]
fn fuzz_and_blanks_need_one_place() {
    let file = "0\n1\nb\nc\n2\n3\n4\nb\nc\n5\n";
    let fuzzy = MatchRules {
        fuzz: 1,
        ..MatchRules::default()
    };
    let ambiguous = |lines: &[usize], rung, left_out| {
        [Err(MismatchKind::Ambiguous {
            lines: lines.to_vec(),
            rung,
            ignored_context: left_out,
        })]
    };
    assert_eq!(
        placed(file, &[(" a\n-b\n-c\n+x\n d\n", 4)], &fuzzy),
        ambiguous(&[2, 7], "exact", (1, 1))
    );
    assert_eq!(
        placed(file, &[(" a\n-b\n-c\n+x\n d\n", 7)], &fuzzy),
        ambiguous(&[2, 7], "exact", (1, 1))
    );
    let there = Placement {
        ignored_context: (1, 1),
        ..at(2, 2, 0, &[])
    };
    assert_eq!(
        placed("0\n1\nb\nc\n2\n", &[(" a\n-b\n-c\n+x\n d\n", 2)], &fuzzy),
        [Ok(there)]
    );
    let blanks = MatchRules {
        ignore_whitespace: true,
        ..MatchRules::default()
    };
    let file = "0\n\ta\n b\n0\n\ta\n b\n0\n";
    assert_eq!(
        placed(file, &[("   a\n-\tb\n 0\n", 3)], &blanks),
        ambiguous(&[1, 4], "whitespace", (0, 0))
    );
    let line = placed(file, &[("   a\n-\tb\n 0\n", 2)], &blanks)
        .remove(0)
        .unwrap();
    assert_eq!(
        (line.lines, line.offset, line.rung),
        (1..4, 0, "whitespace")
    );
}

#[test]
fn a_hunk_with_an_unknown_indentation_is_refused() {
    let rules = MatchRules {
        match_mode: MatchMode::Reindented,
        ..MatchRules::default()
    };
    let body = |new: &str| format!(" def f():\n     x\n+{new}\n");
    let place = |new: &str| placed("def f():\n\tx\n", &[(&body(new), 1)], &rules);
    assert_eq!(place("        y"), [Err(MismatchKind::NotFound)]);
    assert_eq!(place("    y")[0].as_ref().unwrap().lines, 0..2);
}

#[test]
fn many_hunks_that_state_one_line_are_placed_one_after_the_other() {
    let bodies = vec![("-a\n+b\n", 1); 5000];
    let rules = MatchRules {
        zero_context: true,
        ..MatchRules::default()
    };
    for (file, distance) in [("a\n", 1), ("a\nx\n", 2)] {
        let found = placed(&file.repeat(10_000), &bodies, &rules);
        let lines = found.into_iter().map(|place| place.unwrap().lines.start);
        assert!(lines.eq((0..5000).map(|nth| nth * distance)), "{file}");
    }
}

#[test]
fn equal_lines_without_end_are_searched_in_no_time() {
    let file = "}\n".repeat(40_000);
    let bodies: Vec<_> = (0..400)
        .map(|nth| {
            (
                format!(" }}\n }}\n-}}\n+{{\n }}\n never{nth}\n"),
                1 + nth * 100,
            )
        })
        .collect();
    let bodies: Vec<_> = bodies
        .iter()
        .map(|(body, line)| (body.as_str(), *line))
        .collect();
    let rules = MatchRules {
        fuzz: 3,
        ..MatchRules::default()
    };
    let found = placed(&file, &bodies, &rules);
    assert_eq!(found.len(), 400);
    let body = format!("{} never\n", " }\n".repeat(5000)) + "-x\n";
    assert_eq!(
        placed(&file, &[(&body, 20_000)], &rules),
        [Err(MismatchKind::NotFound)]
    );
}
