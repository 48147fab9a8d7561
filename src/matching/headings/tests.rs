//! Tests for hunks below headings.

use super::super::testing::codex;
use super::*;

fn kinds(file: &str, chunks: &[(&[&str], &str)]) -> Vec<Result<usize, MismatchKind>> {
    let section = codex(chunks);
    let index = LineOffsets::new(file.as_bytes());
    let placements = place(
        &index,
        &section.text,
        &section.hunks,
        Direction::Forward,
        &MatchRules::default(),
    );
    placements
        .into_iter()
        .map(|place| {
            place
                .map(|place| place.lines.start)
                .map_err(|error| error.kind)
        })
        .collect()
}

#[test]
fn an_exact_place_further_down_beats_a_loose_one() {
    assert_eq!(kinds("  a\nx\na\n", &[(&[], "-a\n+A\n")]), [Ok(2)]);
}

#[test]
fn of_equal_places_none_is_taken() {
    let expected = MismatchKind::Ambiguous {
        lines: vec![0, 2],
        rung: "exact",
        ignored_context: (0, 0),
    };
    assert_eq!(kinds("x\ny\nx\n", &[(&[], "-x\n+X\n")]), [Err(expected)]);
}

#[test]
fn repeated_lines_are_taken_in_order_if_each_has_its_hunk() {
    assert_eq!(
        kinds("k\nx\nm\nx\n", &[(&[], "-x\n+1\n"), (&[], "-x\n+2\n")]),
        [Ok(1), Ok(3)]
    );
    let changes: [(&[&str], _); 3] =
        ["-x\n+1\n", "-x\n+2\n", "-x\n+3\n"].map(|change| (&[][..], change));
    assert_eq!(kinds("k\nx\nm\nx\nx\n", &changes), [Ok(1), Ok(3), Ok(4)]);
}

#[test]
fn headings_narrow_one_after_the_other() {
    let file = "class A:\n  def run():\n    1\nclass B:\n  def run():\n    1\n";
    assert_eq!(
        kinds(file, &[(&["class B:", "def run():"], "-    1\n+    2\n")]),
        [Ok(5)]
    );
    let missing = MismatchKind::HeadingNotFound {
        heading: b"class C:".to_vec(),
        above: None,
    };
    assert_eq!(kinds(file, &[(&["class C:"], "-    1\n")]), [Err(missing)]);
    let above = MismatchKind::HeadingNotFound {
        heading: b"class A:".to_vec(),
        above: Some(0),
    };
    let changes: [(&[&str], &str); 2] = [(&["class B:"], "-    1\n"), (&["class A:"], "-    1\n")];
    assert_eq!(kinds(file, &changes), [Ok(5), Err(above)]);
}

#[test]
fn an_addition_goes_below_its_heading_or_to_the_end() {
    assert_eq!(
        kinds("a\nb\n", &[(&["a"], "+x\n"), (&[], "+y\n"), (&[], "-b\n")]),
        [Ok(1), Ok(2), Ok(1)]
    );
}

#[test]
fn a_blank_line_that_sets_chunks_apart_is_dropped() {
    assert_eq!(
        kinds("a\nb\nc\n", &[(&[], "-a\n+A\n\n"), (&[], "-c\n+C\n\n")]),
        [Ok(0), Ok(2)]
    );
}

#[test]
fn the_mark_does_not_hide_the_first_line() {
    assert_eq!(kinds("\u{feff}a\nb\n", &[(&[], "-a\n+A\n")]), [Ok(0)]);
}

#[test]
fn what_a_hunk_took_is_gone() {
    let chunks: [(&[&str], &str); 2] = [(&[], "-a\n-b\n+AB\n"), (&[], "-b\n-c\n+BC\n")];
    assert_eq!(
        kinds("a\nb\nc\n", &chunks),
        [Ok(0), Err(MismatchKind::Overlap)]
    );
}

#[test]
fn the_end_of_the_file_is_the_only_place_of_a_hunk_that_names_it() {
    let mut section = codex(&[(&[], "-a\n+A\n")]);
    section.hunks[0].anchor = Anchor::Headings {
        headings: Box::default(),
        at_end: true,
    };
    let placed = |file: &[u8]| {
        let placements = place(
            &LineOffsets::new(file),
            &section.text,
            &section.hunks,
            Direction::Forward,
            &MatchRules::default(),
        );
        placements
            .into_iter()
            .next()
            .unwrap()
            .map(|place| place.lines)
            .map_err(|error| error.kind)
    };
    assert_eq!(placed(b"a\nx\na\n"), Ok(2..3));
    assert_eq!(placed(b"a\nx\n"), Err(MismatchKind::NotFound));
}

#[test]
fn a_hunk_is_refused_where_its_depth_cannot_be_known() {
    let file = "def f():\n\tx\n";
    assert_eq!(
        kinds(file, &[(&[], " def f():\n     x\n+        y\n")]),
        [Err(MismatchKind::NotFound)]
    );
}
