//! Large files with few different lines.
#![cfg(unix)]

use fs_err as fs;

use super::both;
use super::pairs::forked;
use crate::dice::Dice;
use crate::index::Tree;

/// Returns `count` lines, of which `different` are different.
fn lines(dice: &mut Dice, count: usize, different: usize) -> Vec<String> {
    (0..count)
        .map(|_| format!("w{}\n", dice.below(different)))
        .collect()
}

/// Returns a tree with a file `x` and a patch that replaces a line of `base`.
fn replaced(base: &[String], line: usize, ours: &[String]) -> Tree {
    let fork = forked(&|_| {}, &|root| {
        fs::write(root.join("x"), ours.concat()).unwrap();
    });
    fs::write(fork.root().join("../base"), base.concat()).unwrap();
    let patch = format!(
        "--- a/x\n+++ b/x\n@@ -{line},3 +{line},3 @@\n {}-{}+new\n {}",
        base[line - 1],
        base[line],
        base[line + 1]
    );
    fs::write(fork.patch(), patch).unwrap();
    fork
}

#[test]
fn a_patch_changes_the_place_for_which_it_was_made() {
    let base = lines(&mut Dice::new(1), 51_475, 49);
    let without = |lines: &[String]| [&lines[17..25_776], &lines[45_776..]].concat();
    let mut theirs = base.clone();
    theirs[20_000] = "new\n".to_owned();
    for favour in ["--theirs", "--ours", "--union"] {
        let fork = replaced(&base, 20_000, &without(&base));
        let (code, report) = fork.report(&["apply", "--3way", favour, "--base", "../base"]);
        assert_eq!(code, 0, "{report:#}");
        let found = fs::read_to_string(fork.root().join("x")).unwrap();
        assert!(found == without(&theirs).concat(), "{favour}");
    }
}

#[test]
fn no_side_resolves_a_conflict_with_lines_that_were_not_compared() {
    let mut dice = Dice::new(2);
    let (base, ours) = (lines(&mut dice, 90_000, 2), lines(&mut dice, 90_000, 2));
    let fork = replaced(&base, 45_000, &ours);
    let before = both(&fork);
    let (code, report) = fork.report(&["apply", "--3way", "--theirs", "--base", "../base"]);
    let error = &report["error"];
    assert_eq!(
        (code, &error["code"]),
        (1, &"wpatch::merge::conflict".into()),
        "{report:#}"
    );
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("differs too much"), "{message}");
    assert_eq!(both(&fork), before);
}
