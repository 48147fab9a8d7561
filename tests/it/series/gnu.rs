//! A series next to GNU patch, which applies its patches one by one.

use std::path::Path;
use std::process::Command;

use fs_err as fs;
use serde_json::json;

use crate::dice::Dice;
use crate::systems::Desk;
use crate::tree::{self, Tree};

/// Some files, patches that lead from one version of them to the next, and a tree that is a little
/// different.
struct Told {
    tree: Vec<(String, String)>,
    patches: Vec<String>,
}

/// Returns lines of which no two are alike, and changes of them as `diff -u` writes these.
fn told(dice: &mut Dice, directory: &Path) -> Told {
    let mut fresh = 0;
    let mut line = || {
        fresh += 1;
        format!("line {fresh}\n")
    };
    let mut files: Vec<(String, Vec<String>)> = (0..2)
        .map(|number| (format!("f{number}"), (0..40).map(|_| line()).collect()))
        .collect();
    let first = files.clone();
    let mut patches = Vec::new();
    for number in 0..4 {
        let before = files.clone();
        for (_, lines) in &mut files {
            for _ in 0..dice.below(4) {
                let at = dice.below(lines.len());
                match dice.below(3) {
                    0 => lines.insert(at, line()),
                    1 if lines.len() > 12 => drop(lines.remove(at)),
                    _ => lines[at] = line(),
                }
            }
        }
        patches.push(diff(&before, &files, &directory.join(number.to_string())));
    }
    let mut tree = first;
    for (_, lines) in &mut tree {
        for _ in 0..dice.below(3) {
            let at = dice.below(lines.len());
            if dice.once_in(3) {
                lines[at] = line();
            } else {
                lines.insert(at, line());
            }
        }
    }
    Told {
        tree: tree
            .into_iter()
            .map(|(name, lines)| (name, lines.concat()))
            .collect(),
        patches,
    }
}

fn diff(
    before: &[(String, Vec<String>)],
    after: &[(String, Vec<String>)],
    directory: &Path,
) -> String {
    for (side, files) in [("a", before), ("b", after)] {
        fs::create_dir_all(directory.join(side)).unwrap();
        for (name, lines) in files {
            fs::write(directory.join(side).join(name), lines.concat()).unwrap();
        }
    }
    let output = Command::new("diff")
        .args(["-u", "-r", "a", "b"])
        .current_dir(directory)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Lets GNU patch apply the patches one by one; returns which one it fails at, and the tree if it
/// does at none.
fn one_by_one(desk: &Desk, count: usize, fuzz: usize) -> Result<Tree, usize> {
    for number in 0..count {
        let mut command = Command::new("patch");
        command.args([
            "-p1",
            "-s",
            "-f",
            "--no-backup-if-mismatch",
            "-r",
            "-",
            &format!("-F{fuzz}"),
            "-i",
        ]);
        let output = command
            .arg(format!("../patches/{number}"))
            .current_dir(desk.root())
            .output()
            .unwrap();
        if !output.status.success() {
            return Err(number);
        }
    }
    Ok(tree::read(&desk.root()))
}

/// Returns two roots with the files of `tree`, and the series of `patches` next to each.
fn desks(tree: &[(String, String)], patches: &[String]) -> [Desk; 2] {
    let names: Vec<_> = (0..patches.len())
        .map(|number| format!("../patches/{number}"))
        .collect();
    let mut files: Vec<(&str, &[u8])> = tree
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    files.extend(
        names
            .iter()
            .zip(patches)
            .map(|(name, text)| (name.as_str(), text.as_bytes())),
    );
    files.push(("../patches/series", b"0\n1\n2\n3\n"));
    [(); 2].map(|()| Desk::with(&files))
}

#[cfg(unix)]
#[test]
fn a_series_comes_to_what_gnu_patch_makes_of_its_patches() {
    let (mut taken, mut refused) = (0, 0);
    for seed in 1..=60 {
        let (mut dice, scratch) = (Dice::new(seed), Desk::with(&[]));
        let fuzz = dice.below(3);
        let Told { tree, patches } = told(&mut dice, &scratch.root());
        let [theirs, ours] = desks(&tree, &patches);
        let before = tree::read(&ours.root());
        let expected = one_by_one(&theirs, patches.len(), fuzz);
        let fuzz = format!("--fuzz={fuzz}");
        let report = ours.says(
            &[
                "apply",
                "--series",
                "../patches/series",
                "--durability=none",
                &fuzz,
            ],
            b"",
        );
        match expected {
            Ok(expected) => {
                assert_eq!(report["ok"], true, "{seed}: {report:#}");
                assert_eq!(tree::read(&ours.root()), expected, "{seed}");
                taken += 1;
            }
            Err(number) => {
                assert_eq!(
                    (&report["ok"], &report["changed"]),
                    (&json!(false), &json!(false)),
                    "{seed}"
                );
                let source = &report["problems"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|it| it["severity"] == "error")
                    .unwrap()["span"];
                assert_eq!(source["input"], number, "{seed}: {report:#}");
                assert_eq!(tree::read(&ours.root()), before, "{seed}");
                refused += 1;
            }
        }
    }
    assert!(
        taken >= 10 && refused >= 10,
        "{taken} taken, {refused} refused"
    );
}
