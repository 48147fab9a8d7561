//! What `diff` writes in its other forms says what a unified diff says: the same trees come of it.

use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use crate::case::Settings;
use crate::dice::Dice;
use crate::run;
use crate::tree::{self, Node, Tree};

/// Pairs of files that are compared in all forms.
const PAIRS: u64 = 150;

/// The forms by the option of `diff`, with whether hunks are without context.
const FORMS: &[(&str, bool)] = &[
    ("-U3", false),
    ("-c", false),
    ("-C1", false),
    ("-C0", true),
    ("--normal", false),
];

/// Some lines, a few of them alike, perhaps without newline at the end.
fn contents(dice: &mut Dice) -> Vec<String> {
    (0..dice.below(40))
        .map(|line| {
            if dice.once_in(3) {
                "}".into()
            } else {
                format!("line {line}")
            }
        })
        .collect()
}

/// Returns the lines with a change in about three of `rate` lines.
pub(crate) fn changed(lines: &[String], rate: usize, dice: &mut Dice) -> Vec<String> {
    let mut changed = Vec::new();
    for line in lines {
        match dice.below(rate) {
            0 => {}
            1 => changed.push(format!("{line} changed")),
            2 => changed.extend([line.clone(), "new".into(), String::new()]),
            _ => changed.push(line.clone()),
        }
    }
    changed
}

fn joined(lines: &[String], dice: &mut Dice) -> String {
    let text = lines.join("\n");
    if text.is_empty() || dice.once_in(4) {
        text
    } else {
        text + "\n"
    }
}

/// Returns what `diff` writes of both, below a line that names the file.
pub(crate) fn diff(option: &str, old: &str, new: &str) -> Vec<u8> {
    let directory = TempDir::new().unwrap();
    let (before, after) = (directory.path().join("old"), directory.path().join("new"));
    fs::write(&before, old).unwrap();
    fs::write(&after, new).unwrap();
    let mut command = Command::new("diff");
    command
        .args([option, "--label", "a/x", "--label", "b/x"])
        .args([before, after]);
    let written = command.env("LC_ALL", "C").output().unwrap().stdout;
    if option == "--normal" {
        [b"Index: a/x\n".to_vec(), written].concat()
    } else {
        written
    }
}

fn of(text: &str) -> Tree {
    Tree::from([(tree::path("x"), Node::file(text))])
}

#[cfg(unix)]
#[test]
fn every_form_of_a_diff_makes_the_same_tree_and_takes_it_back() {
    let (mut dice, mut count) = (Dice::new(7), 0);
    for _ in 0..PAIRS {
        let lines = contents(&mut dice);
        let more = changed(&lines, 12, &mut dice);
        let (old, new) = (joined(&lines, &mut dice), joined(&more, &mut dice));
        if old == new {
            continue;
        }
        for &(option, unidiff_zero) in FORMS {
            let patch = diff(option, &old, &new);
            for reverse in [false, true] {
                let (from, to) = if reverse { (&new, &old) } else { (&old, &new) };
                let settings = Settings {
                    reverse,
                    unidiff_zero,
                    ..Settings::default()
                };
                let memory = run::memory(&of(from));
                let report = run::apply(&memory, &patch, &settings);
                let text = String::from_utf8_lossy(&patch);
                assert_eq!(
                    report["ok"], true,
                    "{option} {reverse}: {}\n{text}",
                    report["error"]
                );
                assert_eq!(run::tree(&memory), of(to), "{option} {reverse}\n{text}");
                count += 1;
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[cfg(unix)]
#[test]
fn a_context_diff_goes_where_a_unified_one_goes() {
    let (mut dice, mut applied, mut refused) = (Dice::new(11), 0, 0);
    for _ in 0..PAIRS {
        let lines = contents(&mut dice);
        let more = changed(&lines, 30, &mut dice);
        let stale = changed(&lines, 60, &mut dice);
        let (old, new) = (lines.join("\n") + "\n", more.join("\n") + "\n");
        let stale = "above\n".repeat(dice.below(5)) + &stale.join("\n") + "\n";
        if old == new {
            continue;
        }
        let endings: Vec<_> = ["-U3", "-c"]
            .iter()
            .map(|option| {
                let memory = run::memory(&of(&stale));
                let report = run::apply(&memory, &diff(option, &old, &new), &Settings::default());
                (report["exit_code"].clone(), run::tree(&memory))
            })
            .collect();
        assert_eq!(endings[0], endings[1], "{old}\n{new}\n{stale}");
        if endings[0].0 == 0 {
            applied += 1;
        } else {
            refused += 1;
        }
    }
    assert!(
        applied > 20 && refused > 20,
        "{applied} applied, {refused} refused"
    );
}

#[cfg(unix)]
#[test]
fn damaged_forms_are_read_or_refused_in_little_time() {
    let mut dice = Dice::new(13);
    let line = |line| format!("line {line}\n");
    let old: String = (0..30).map(line).collect();
    let new = old
        .replace("line 5\n", "5\n")
        .replace("line 15\n", "")
        .replace("line 25\n", "line 25\nmore\n");
    let words: &[&[u8]] = &[
        b"*** 1,3 ****\n",
        b"--- 18446744073709551615 ----\n",
        b"***************\n",
        b"! x\n",
        b"9",
    ];
    let mut refused = 0;
    for option in ["-c", "-C0", "--normal"] {
        let patch = diff(option, &old, &new);
        for _ in 0..400 {
            let mut damaged = patch.clone();
            let (at, word) = (dice.below(damaged.len()), dice.one(words));
            let end = (at + dice.below(9)).min(damaged.len());
            damaged.splice(at..end, word.iter().copied());
            let memory = run::memory(&of(&old));
            let report = run::apply(
                &memory,
                &damaged,
                &Settings {
                    unidiff_zero: true,
                    ..Settings::default()
                },
            );
            if report["ok"] == false {
                assert_eq!(
                    run::tree(&memory),
                    of(&old),
                    "{}",
                    String::from_utf8_lossy(&damaged)
                );
                refused += 1;
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn many_halves_take_time_that_grows_with_them() {
    let hunk = |number: usize| {
        format!("***************\n*** {number} ****\n! old\n--- {number} ----\n! new\n")
    };
    let context: String = (1..3_000).map(hunk).collect();
    let command = |number: usize| format!("{number}c{number}\n< old\n---\n> new\n");
    let commands: String = (1..3_000).map(command).collect();
    let prose = "1c1\n< old\nprose\n".repeat(3_000);
    let (old, new) = ("old\n".repeat(3_000), "new\n".repeat(2_999) + "old\n");
    for (patch, is_taken) in [
        (format!("*** a/x\n--- b/x\n{context}"), true),
        (format!("Index: a/x\n{commands}"), true),
        (
            format!("{prose}--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"),
            false,
        ),
        ("5a\n".repeat(30_000), false),
    ] {
        let memory = run::memory(&of(&old));
        let settings = Settings {
            unidiff_zero: true,
            ..Settings::default()
        };
        let report = run::apply(&memory, patch.as_bytes(), &settings);
        assert_eq!(
            run::tree(&memory) == of(&new),
            is_taken,
            "{}",
            report["error"]
        );
    }
}
