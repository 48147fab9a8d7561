//! Diffs that the program writes: complete for every input, with the hunks that git chooses, and
//! within a budget of steps.
#![cfg(unix)]

use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;
use wpatch::path::RelPath;
use wpatch::syntax::WhitespaceComparison;
use wpatch::syntax::write::labelled_diff;

use crate::case::Settings;
use crate::dice::Dice;
use crate::run;
use crate::tree::{Node, Tree};

/// Lines of code, so that changes can slide and the indentation matters.
const LINES: [&str; 14] = [
    "fn one() {\n",
    "fn two(a) {\n",
    "    let a = 1;\n",
    "    if a {\n",
    "        a += 1;\n",
    "\tcall();\n",
    "    }\n",
    "}\n",
    "}\n",
    "\n",
    "\n",
    "   \n",
    "// note\n",
    "    // note\n",
];

fn lines(dice: &mut Dice, count: usize) -> Vec<String> {
    (0..count).map(|_| dice.one(&LINES).to_owned()).collect()
}

/// Returns `lines` after a few changes: insertions, deletions, and copies of whole parts.
fn changed(dice: &mut Dice, old: &[String]) -> Vec<String> {
    let mut new = old.to_vec();
    for _ in 0..=dice.below(3) {
        let start = dice.below(new.len() + 1);
        let end = (start + dice.below(6)).min(new.len());
        match dice.below(3) {
            0 => drop(new.drain(start..end)),
            1 => {
                let part = new[start..end].to_vec();
                new.splice(end..end, part);
            }
            _ => {
                let count = dice.below(4);
                let part = lines(dice, count);
                new.splice(start..start, part);
            }
        }
    }
    new
}

/// Returns the tree after `patch` was applied to a file with the content `old`.
fn applied(old: &str, patch: &[u8]) -> Vec<u8> {
    let name = RelPath::new(b"f").unwrap();
    let file = |text: &str| Node::File {
        bytes: text.as_bytes().to_vec(),
        is_executable: false,
    };
    let memory = run::memory(&Tree::from([(name.clone(), file(old))]));
    let report = run::apply(
        &memory,
        patch,
        &Settings {
            strip: Some(0),
            ..Settings::default()
        },
    );
    assert_eq!(report["ok"], true, "{report:#}");
    match &run::tree(&memory)[&name] {
        Node::File { bytes, .. } => bytes.clone(),
        other => panic!("{other:?}"),
    }
}

fn written(old: &str, new: &str, context: usize) -> Vec<u8> {
    labelled_diff(
        (b"f", old.as_bytes()),
        (b"f", new.as_bytes()),
        (context, WhitespaceComparison::Exact),
    )
    .text
}

#[test]
fn a_diff_nearly_always_has_the_hunks_that_git_writes() {
    let directory = TempDir::new().unwrap();
    let (mut dice, mut different, mut slid) = (Dice::new(29), Vec::new(), 0);
    for _ in 0..400 {
        let count = 5 + dice.below(30);
        let old = lines(&mut dice, count);
        let new = changed(&mut dice, &old).concat();
        let old = old.concat();
        fs::write(directory.path().join("old"), &old).unwrap();
        fs::write(directory.path().join("new"), &new).unwrap();
        let git = |options: &[&str]| {
            let mut git = Command::new("git");
            git.args([
                "diff",
                "--no-index",
                "--no-color",
                "-U3",
                "--diff-algorithm=myers",
            ]);
            let output = git
                .args(options)
                .args(["old", "new"])
                .current_dir(directory.path())
                .output()
                .unwrap()
                .stdout;
            let text = String::from_utf8(output).unwrap();
            text.split_inclusive('\n')
                .skip(4)
                .map(without_section)
                .collect::<String>()
        };
        let diff = written(&old, &new, 3);
        let found = String::from_utf8(diff.clone()).unwrap();
        let found: String = found.split_inclusive('\n').skip(2).collect();
        let expected = git(&["--indent-heuristic"]);
        slid += usize::from(expected != git(&["--no-indent-heuristic"]));
        if found != expected {
            different.push(format!("{expected}\n{found}"));
        }
        if old != new {
            assert_eq!(String::from_utf8(applied(&old, &diff)).unwrap(), new);
        }
    }
    assert!(slid > 20, "the indentation decided only {slid} times");
    assert!(
        different.len() <= 4,
        "{} differ: {}",
        different.len(),
        different.concat()
    );
}

/// Removes what git writes after the second `@@`.
fn without_section(line: &str) -> String {
    match line
        .strip_prefix("@@ ")
        .and_then(|rest| rest.split_once(" @@"))
    {
        Some((ranges, _)) => format!("@@ {ranges} @@\n"),
        None => line.to_owned(),
    }
}
