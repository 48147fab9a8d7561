//! Rejects of several patches.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::process::Command;

use super::LINES;
use crate::oracle::quiet;
use crate::systems::Desk;

/// The number of the line that a hunk changes, and whether the hunk fits.
type Hunk = (usize, bool);

fn hunk((number, fits): Hunk) -> String {
    let old = if fits {
        number.to_string()
    } else {
        "no".to_owned()
    };
    format!("@@ -{number},1 +{number},1 @@\n-{old}\n+<{number}>\n")
}

/// Returns the file for the rejects of each of `patches` that has some. A change that is made
/// already is rejected too.
fn rejected(patches: &[&[Hunk]]) -> Vec<String> {
    let mut done = BTreeSet::new();
    patches
        .iter()
        .map(|hunks| {
            let left = hunks
                .iter()
                .filter(|(number, fits)| !fits || !done.insert(*number));
            left.copied().map(hunk).collect::<String>()
        })
        .filter(|hunks| !hunks.is_empty())
        .map(|hunks| format!("diff a/a b/a\t(rejected hunks)\n{hunks}"))
        .collect()
}

/// A difference to git, which keeps the hunks of the last patch alone.
#[test]
fn hunks_of_several_patches_for_one_file_are_all_kept() {
    let cases: [&[&[Hunk]]; 5] = [
        &[&[(3, false)], &[(7, false)]],
        &[&[(3, true)], &[(7, false)]],
        &[&[(3, false)], &[(7, true)]],
        &[
            &[(1, true), (3, false)],
            &[(2, true)],
            &[(5, false), (7, true), (9, false)],
        ],
        &[&[(3, true)], &[(3, true)], &[(4, true)]],
    ];
    for patches in cases {
        let text = |hunks: &&[Hunk]| {
            format!(
                "--- a/a\n+++ b/a\n{}",
                hunks.iter().copied().map(hunk).collect::<String>()
            )
        };
        let patch: String = patches.iter().map(text).collect();
        let files: &[(&str, &[u8])] = &[
            ("a", LINES.as_bytes()),
            ("a.rej", b"old\n"),
            ("../patch", patch.as_bytes()),
        ];
        let trees = [(); 2].map(|()| Desk::with(files));
        let codes = ["git", env!("CARGO_BIN_EXE_wpatch")]
            .into_iter()
            .zip(&trees)
            .map(|(program, desk)| {
                let mut command = Command::new(program);
                command.args(["apply", "--reject", "--unidiff-zero", "../patch"]);
                quiet(command, &desk.root(), desk.root().parent().unwrap())
                    .status
                    .code()
            });
        let codes: Vec<_> = codes.collect();
        let [theirs, ours] = &trees;
        assert_eq!(
            (codes[1], ours.bytes("a")),
            (codes[0], theirs.bytes("a")),
            "{patch}"
        );
        let rejected = rejected(patches);
        let found = [theirs, ours].map(|desk| String::from_utf8(desk.bytes("a.rej")).unwrap());
        assert_eq!(
            found,
            [rejected.last().unwrap().clone(), rejected.concat()],
            "{patch}"
        );
    }
}

/// A difference to git, which ends with the first patch file of which something is rejected.
#[test]
fn what_follows_a_patch_with_rejects_is_done() {
    let change = |number: usize, old: &str| {
        format!("--- a/a\n+++ b/a\n@@ -{number} +{number} @@\n-{old}\n+x\n")
    };
    let patches = (change(3, "no"), change(7, "7"));
    let files: &[(&str, &[u8])] = &[
        ("a", LINES.as_bytes()),
        ("../one", patches.0.as_bytes()),
        ("../two", patches.1.as_bytes()),
    ];
    let left = ["git", env!("CARGO_BIN_EXE_wpatch")].map(|program| {
        let desk = Desk::with(files);
        let mut command = Command::new(program);
        command.args(["apply", "--reject", "--unidiff-zero", "../one", "../two"]);
        assert_eq!(
            quiet(command, &desk.root(), desk.root().parent().unwrap())
                .status
                .code(),
            Some(1)
        );
        String::from_utf8(desk.bytes("a")).unwrap()
    });
    let lines = LINES.to_owned();
    assert_eq!(left, [lines.clone(), lines.replace('7', "x")]);
}
