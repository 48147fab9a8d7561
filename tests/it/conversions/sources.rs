//! Attributes and configurations in all places where git reads them, and merges with the blobs of a
//! patch.
#![cfg(unix)]

use fs_err as fs;

use super::{INTEND, Pair, attributes, files, patch, random};
use crate::dice::Dice;
use crate::oracle::beside::runs;
use crate::repository::{git, run};

const SOURCE: &str = "refs/attributes";

/// Changes both copies.
fn configure(pair: &Pair, key: &str, value: &str) {
    for copy in ["git", "wpatch"] {
        assert!(
            git(&["config", key, value])
                .current_dir(pair.root(copy))
                .status()
                .unwrap()
                .success()
        );
    }
}

/// Makes a tree with attributes, in both copies, and names it [`SOURCE`].
fn source(pair: &Pair, dice: &mut Dice) {
    let files = [attributes(dice), attributes(dice)];
    for copy in ["git", "wpatch"] {
        let ask = |arguments: &[&str], input: &[u8]| {
            let printed = run(git(arguments).current_dir(pair.root(copy)), input);
            String::from_utf8(printed).unwrap().trim_end().to_owned()
        };
        let [top, sub] =
            [0, 1].map(|file| ask(&["hash-object", "-w", "--stdin"], files[file].as_bytes()));
        let entry = |kind: &str, id: &str, name: &str| format!("{kind} {id}\t{name}\n");
        let sub = ask(
            &["mktree"],
            entry("100644 blob", &sub, ".gitattributes").as_bytes(),
        );
        let top = entry("100644 blob", &top, ".gitattributes") + &entry("040000 tree", &sub, "sub");
        let tree = ask(&["mktree"], top.as_bytes());
        ask(&["update-ref", SOURCE, &tree], b"");
    }
}

/// Puts attributes where git reads them in addition to the work tree.
fn spread(pair: &mut Pair, dice: &mut Dice) {
    if dice.once_in(3) {
        fs::write(pair.directory.path().join("attributes"), attributes(dice)).unwrap();
        configure(pair, "core.attributesFile", "../attributes");
    }
    if dice.once_in(3) {
        source(pair, dice);
        pair.has_source = true;
        match dice.below(3) {
            0 => configure(pair, "attr.tree", SOURCE),
            1 => configure(pair, "attr.tree", "refs/missing"),
            _ => pair.variables.push(("GIT_ATTR_SOURCE", SOURCE)),
        }
    }
    if dice.once_in(2) {
        configure(pair, "core.safecrlf", dice.one(&["warn", "false"]));
    }
    for copy in ["git", "wpatch"] {
        runs(&pair.root(copy), &["rm", "-q", "-r", "--cached", "."]);
        for name in files(&pair.root(copy)).keys() {
            let mut add = git(&["add", "--"]);
            add.arg(name)
                .envs(pair.variables.iter().copied())
                .current_dir(pair.root(copy));
            let _ = add.output().unwrap();
        }
    }
    pair.refresh();
}

#[test]
fn attributes_count_wherever_git_reads_them() {
    let counts = random(&spread, &|pair, dice| {
        // git 2.47 crashes where it has to read a tree without an index.
        let first = if pair.has_source { 3 } else { 0 };
        let reach = dice.one(&[&[][..], &[], &[INTEND], &["--index"], &["--cached"]][first..]);
        (reach, patch(pair, dice))
    });
    assert!(counts[0] > 40 && counts[1] > 5, "{counts:?}");
}

/// Returns `patch` with the blobs of the first file that it changes by hunks; both copies have
/// them.
fn with_blobs(pair: &Pair, patch: Vec<u8>) -> Vec<u8> {
    let text = |sign: u8| -> Vec<u8> {
        let body = patch
            .split_inclusive(|&byte| byte == b'\n')
            .skip_while(|line| !line.starts_with(b"@@"))
            .skip(1);
        let mut text: Vec<u8> = Vec::new();
        let mut is_taken = false;
        for line in body {
            if line.starts_with(b"\\") && is_taken {
                text.pop();
            }
            is_taken = line[0] == sign || line[0] == b' ';
            text.extend_from_slice(if is_taken { &line[1..] } else { b"" });
        }
        text
    };
    let is_about_two = !patch.windows(10).any(|line| line == b"/dev/null\n");
    let at = patch
        .windows(5)
        .position(|line| line == b"\n--- ")
        .filter(|_| is_about_two);
    let Some(at) = at else { return patch };
    let ids = [b'-', b'+'].map(|sign| {
        let ids = ["git", "wpatch"].map(|copy| {
            let printed = run(
                git(&["hash-object", "-w", "--stdin"]).current_dir(pair.root(copy)),
                &text(sign),
            );
            String::from_utf8(printed).unwrap().trim_end().to_owned()
        });
        ids[0].clone()
    });
    let line = format!("index {}..{}\n", ids[0], ids[1]);
    [&patch[..=at], line.as_bytes(), &patch[at + 1..]].concat()
}

#[test]
fn merges_give_the_bytes_of_git_apply() {
    let counts = random(&|_, _| {}, &|pair, dice| {
        let reach = dice.one(&[&["--3way"][..], &["--3way", "--cached"]]);
        let patch = patch(pair, dice);
        let patch = if dice.once_in(3) {
            patch
        } else {
            with_blobs(pair, patch)
        };
        (reach, patch)
    });
    assert!(counts[0] > 10 && counts[1] > 10, "{counts:?}");
}
