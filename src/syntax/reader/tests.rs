//! Two readers of a large text find the same sections as one.

use super::*;
use crate::lines::run_sequentially;
use crate::syntax::SYNTAXES;

const HUNK: &str = "@@ -1 +1 @@\n-a\n+b\n";

fn git_section(number: usize) -> String {
    format!("diff --git a/f{number} b/f{number}\n--- a/f{number}\n+++ b/f{number}\n{HUNK}")
}

/// Returns what one reader finds, and what two readers find, in their debug format. Also returns
/// whether the second of two readers was used.
fn read_both_ways(text: &str, options: Options) -> (String, String, bool) {
    let text = text.as_bytes();
    let (mut one, mut two) = (Sections::default(), Sections::default());
    let mut reader = Reader::new(text, SYNTAXES, options);
    let read = reader
        .read_sections(text.len(), &mut one)
        .map(|()| (reader.formats, reader.count, reader.last_end));
    let alone = format!("{read:?} {one:?}");
    let mut reader = Reader::new(text, SYNTAXES, options);
    let read = reader.read_halves(&mut two);
    let is_used = reader.offset > text.len() * 3 / 4;
    let read = read
        .and_then(|()| reader.read_sections(text.len(), &mut two))
        .map(|()| (reader.formats, reader.count, reader.last_end));
    (alone, format!("{read:?} {two:?}"), is_used)
}

const CONTEXT: &str = "*** a\n--- b\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n";
const UNIFIED: &str = "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n";
const NORMAL: &str = "1c1\n< a\n---\n> b\n";
const BORDER: &str = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n\n";
const ONLY: &str = "Only in b: x\n";
const BROKEN: &str = "@@ -5 +5 @@\n-a\n";

/// A text after one of 2,000 sections, and whether the second reader is used.
const INSERTIONS: [(usize, &str, bool); 11] = [
    (1999, "", true),
    (1999, "some text\n", true),
    (10, CONTEXT, false),
    (1990, CONTEXT, false),
    (1990, UNIFIED, false),
    (1990, NORMAL, true),
    (10, BORDER, true),
    (1990, BORDER, true),
    (1990, ONLY, false),
    (10, BROKEN, false),
    (1990, BROKEN, false),
];

#[test]
fn two_readers_find_what_one_reader_finds() {
    let sections: Vec<_> = (0..2000).map(git_section).collect();
    let mut cases: Vec<_> = INSERTIONS
        .iter()
        .map(|&(place, text, is_expected)| {
            let mut sections = sections.clone();
            sections[place].push_str(text);
            (sections.concat(), is_expected)
        })
        .collect();
    cases.push((sections.concat().trim_end().to_owned(), false));
    let mut long = sections;
    long[1000].push_str(&"@@ -9 +9 @@\n-a\n+b\n".repeat(9000));
    cases.push((long.concat(), true));
    for (number, (text, is_expected)) in cases.iter().enumerate() {
        let (one, two, is_used) = read_both_ways(text, Options::default());
        assert!(one == two, "case {number}");
        assert_eq!(is_used, *is_expected, "case {number}");
    }
}

#[test]
fn the_limits_count_the_sections_of_both_readers() {
    let text: String = (0..2000).map(git_section).collect();
    for (max_files, max_hunks) in [(1999, 9999), (2000, 2000), (9999, 1999), (999, 9999)] {
        let options = Options {
            max_files,
            max_hunks,
            join: run_sequentially,
            ..Options::default()
        };
        let (one, two, _) = read_both_ways(&text, options);
        assert!(one == two, "{max_files} {max_hunks}");
    }
}
