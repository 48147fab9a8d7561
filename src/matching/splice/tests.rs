//! Tests for splicing.

use super::*;
use crate::matching::testing::{Section, codex};
use crate::matching::{MatchRules, WhitespaceCorrection, place_hunks, splice, splice_with_rules};
use crate::whitespace::WhitespaceRule;

fn applied(file: &str, section: &Section, rules: &MatchRules) -> String {
    let placements = place_hunks(
        &LineOffsets::new(file.as_bytes()),
        &section.text,
        &section.hunks,
        Direction::Forward,
        rules,
    );
    let placements: Vec<_> = placements.into_iter().map(Result::unwrap).collect();
    let after = splice(
        file.as_bytes(),
        &section.text,
        &section.hunks,
        Direction::Forward,
        &placements,
    );
    String::from_utf8(after).unwrap()
}

fn by_codex(file: &str, chunks: &[(&[&str], &str)]) -> String {
    applied(file, &codex(chunks), &MatchRules::default())
}

fn by_number(file: &str, body: &str, rules: &MatchRules) -> String {
    let mut section = Section::default();
    section.push(body, 1, 1);
    applied(file, &section, rules)
}

#[test]
fn a_raised_interrupt_leaves_no_new_file() {
    let mut section = Section::default();
    section.push("-a\n+b\n", 1, 1);
    let file = LineOffsets::new(b"a\n");
    let (text, hunks, direction) = (&section.text, &section.hunks, Direction::Forward);
    let rules = MatchRules::default();
    let placed = place_hunks(&file, text, hunks, direction, &rules);
    let placed: Vec<_> = placed
        .iter()
        .map(|placed| placed.as_ref().unwrap())
        .collect();
    let is_complete =
        || splice_with_rules(&file, text, hunks, direction, &placed, &rules).is_some();
    assert!(is_complete());
    rules.interrupt.raise(15);
    assert!(!is_complete());
}

#[test]
fn new_lines_end_as_the_lines_around_them() {
    assert_eq!(
        by_codex("a\r\nb\nc\r\n", &[(&[], " a\n-b\n+B\n")]),
        "a\r\nB\nc\r\n"
    );
    assert_eq!(by_codex("a\r\nb\r\n", &[(&[], "+c\n")]), "a\r\nb\r\nc\r\n");
    assert_eq!(
        by_codex("a\r\nb\nc\n", &[(&[], "-a\n-b\n+A\n+B\n+C\n")]),
        "A\r\nB\nC\nc\n"
    );
    assert_eq!(by_codex("", &[(&[], "+x\r\n")]), "x\n");
    let rules = MatchRules {
        ignore_whitespace: true,
        ..MatchRules::default()
    };
    assert_eq!(by_number("a\tb\r\n", " a b\n+c\n", &rules), "a\tb\r\nc\r\n");
}

#[test]
fn a_missing_last_newline_stays_missing_unless_the_line_is_replaced() {
    assert_eq!(by_codex("a\nb", &[(&[], "-a\n+A\n")]), "A\nb");
    assert_eq!(by_codex("a\nb", &[(&[], " b\n+c\n")]), "a\nb\nc\n");
    assert_eq!(by_codex("a\r\nb", &[(&[], "-b\n+B\n")]), "a\r\nB\r\n");
}

#[test]
fn the_mark_and_the_bytes_of_context_stay() {
    assert_eq!(
        by_codex("\u{feff}a\nb  \n", &[(&[], "-a\n+A\n b\n")]),
        "\u{feff}A\nb  \n"
    );
    assert_eq!(
        by_codex("\u{feff}a\n", &[(&[], "+x\n a\n")]),
        "\u{feff}x\na\n"
    );
}

#[test]
fn a_hunk_found_at_another_depth_is_moved_there() {
    let chunk = " if x:\n-    a\n+    b\n+\n+        c\n";
    assert_eq!(
        by_codex("\tif x:\n\t    a\n", &[(&[], chunk)]),
        "\tif x:\n\t    b\n\n\t        c\n"
    );
}

#[test]
fn lines_are_never_glued_together() {
    let rules = MatchRules {
        zero_context: true,
        ..MatchRules::default()
    };
    assert_eq!(
        by_number("a\r\nb\r\n", "-a\r\n+x\n\\ No newline\n", &rules),
        "x\r\nb\r\n"
    );
    let mut section = Section::default();
    section.push("+x\n", 1, 2);
    assert_eq!(applied("a", &section, &rules), "a\nx\n");
    let mut section = Section::default();
    section.push("-a\n+\n\\ No newline\n", 1, 1);
    section.push("-b\n+B\n", 2, 2);
    assert_eq!(applied("a\nb\nc\n", &section, &rules), "\nB\nc\n");
}

/// Splices a file whole and in halves. Returns whether it has two halves.
fn is_the_same_in_halves(text: &str, section: &Section, rules: &MatchRules) -> bool {
    let (file, direction) = (LineOffsets::new(text.as_bytes()), Direction::Forward);
    let placements = place_hunks(&file, &section.text, &section.hunks, direction, rules);
    // A hunk that matches nowhere beside the other is left out.
    let pairs = section.hunks.iter().zip(&placements);
    let mut hunks: Vec<_> = pairs
        .filter_map(|(hunk, placed)| Some((hunk, placed.as_ref().ok()?)))
        .collect();
    hunks.sort_by_key(|(_, placement)| (placement.lines.start, placement.lines.end));
    let splicer = Splicer {
        preimage: file.text(),
        text: &section.text,
        direction,
        rules,
    };
    let halves = splicer.split_halves(&hunks);
    let has_halves = halves.is_some();
    if let Some(halves) = halves {
        let whole = splicer.splice_whole(&hunks);
        assert_eq!(splicer.splice_halves(halves, &file), whole, "{text:?}");
    }
    has_halves
}

#[test]
fn halves_do_not_depend_on_each_other() {
    let bodies = [
        "-1\n+x\n",
        "+x \n 1\n",
        "-1\n+x\n\\ No newline\n",
        "-1\n",
        "+x\n",
        " 1\n",
        "-1\n+x\n 1\n\\ No newline\n",
    ];
    let files = [
        "0\n1\n2\r\n1\n1\n1",
        "0\n1\n1\n",
        "0\n1\n\u{feff}",
        "\u{feff}1\n1\n0\n1\n",
    ];
    let zero = MatchRules {
        zero_context: true,
        ..MatchRules::default()
    };
    let rules = [
        MatchRules {
            correction: Some(WhitespaceCorrection {
                rule: WhitespaceRule::default(),
                corrects_new_lines: true,
            }),
            ..zero.clone()
        },
        MatchRules {
            no_add: true,
            ..zero.clone()
        },
        MatchRules {
            inaccurate_eof: true,
            ..zero.clone()
        },
        zero,
    ];
    let pairs = bodies
        .iter()
        .flat_map(|first| bodies.map(|second| (*first, second)));
    let mut split = 0;
    for (first, second) in pairs {
        for line in 2..=6 {
            let mut section = Section::default();
            section.push(first, 2, 2);
            section.push(second, line, line);
            let cases = rules
                .iter()
                .flat_map(|rules| files.map(|file| (file, rules)));
            split += cases
                .filter(|(file, rules)| is_the_same_in_halves(file, &section, rules))
                .count();
        }
    }
    assert!(split > 300, "{split}");
}

#[test]
fn an_exact_hunk_is_written_byte_for_byte() {
    assert_eq!(
        by_number("a\r\n", "-a\r\n+b\n", &MatchRules::default()),
        "b\n"
    );
    assert_eq!(
        by_number("a\n", "-a\n+b\n\\ No newline\n", &MatchRules::default()),
        "b"
    );
}
