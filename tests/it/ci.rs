//! What runs in a pipeline: the script of the action, and the entries for pre-commit, each in a
//! repository of its own.
#![cfg(unix)]

mod install;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fs_err as fs;
use saphyr_parser::{Event, Parser};

use crate::systems::Desk;
use crate::world;

const HOUSE: &str = env!("CARGO_MANIFEST_DIR");
const GOOD: &str = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
const WRONG: &str = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-two\n+2\n";

/// Returns the values that `key` has in a file of YAML.
fn values(file: &str, key: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(HOUSE).join(file)).unwrap();
    let scalars = Parser::new_from_str(&text).filter_map(|event| match event.unwrap().0 {
        Event::Scalar(text, ..) => Some(text.into_owned()),
        _ => None,
    });
    let scalars: Vec<_> = scalars.collect();
    scalars
        .windows(2)
        .filter(|pair| pair[0] == key)
        .map(|pair| pair[1].clone())
        .collect()
}

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_wpatch"))
}

/// Runs the last script of the action.
fn action(desk: &Desk, inputs: &[(&str, &str)]) -> Output {
    let mut command = Command::new("bash");
    command
        .args(["-c", values("action.yml", "run").last().unwrap()])
        .current_dir(desk.root());
    for name in ["PATCHES", "RANGE", "POLICY", "OUTPUT"] {
        command.env(format!("WPATCH_{name}"), "");
    }
    command
        .env("WPATCH_ROOT", ".")
        .env("WPATCH_BINARY", program())
        .env("GITHUB_ACTION_PATH", HOUSE);
    command
        .envs(
            inputs
                .iter()
                .map(|(name, value)| (format!("WPATCH_{name}"), value)),
        )
        .output()
        .unwrap()
}

fn git(desk: &Desk, arguments: &[&str]) {
    let user = [
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@x",
        "-c",
        "commit.gpgsign=false",
    ];
    let output = Command::new("git")
        .args(user)
        .args(arguments)
        .current_dir(desk.root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Returns a repository whose last commit but one writes where nobody may.
fn repository() -> Desk {
    let desk = Desk::with(&[("a", b"one\r\n"), ("d/b", b"b\n")]);
    git(&desk, &["init", "-q", "-b", "main"]);
    commit(&desk, "first");
    fs::write(desk.path("a"), "1\r\n").unwrap();
    git(&desk, &["mv", "d/b", "moved"]);
    commit(&desk, "good");
    fs::create_dir(desk.path(".wpatch")).unwrap();
    fs::write(desk.path(".wpatch/x"), "x\n").unwrap();
    commit(&desk, "closed");
    fs::write(desk.path("a"), "2\r\n").unwrap();
    commit(&desk, "last");
    desk
}

fn said(output: &Output) -> (Option<i32>, String) {
    (
        output.status.code(),
        String::from_utf8(output.stdout.clone()).unwrap(),
    )
}

#[test]
fn the_action_annotates_patch_files() {
    let desk = Desk::with(&[
        ("a", b"one\n"),
        ("p/1 good.patch", GOOD.as_bytes()),
        ("p/2.patch", WRONG.as_bytes()),
    ]);
    let (code, text) = said(&action(&desk, &[("PATCHES", "p/*.patch")]));
    assert!(
        code == Some(1) && text.starts_with("::error file=p/2.patch,line=4,"),
        "{code:?} {text}"
    );
    let (code, text) = said(&action(&desk, &[("PATCHES", "p/1 *.patch\np/none*")]));
    assert_eq!(
        (code, text.as_str()),
        (
            Some(0),
            "would apply: 1 file changed, 1 insertion(+), 1 deletion(-)\n"
        )
    );
    for inputs in [&[("PATCHES", "none*")][..], &[]] {
        let (code, text) = said(&action(&desk, inputs));
        assert!(
            code == Some(2) && text.starts_with("::error title=wpatch::"),
            "{code:?} {text}"
        );
    }
}

#[test]
fn the_action_takes_inputs_for_nothing_but_names() {
    let desk = Desk::with(&[("a", b"one\n"), ("p", GOOD.as_bytes())]);
    let hostile = "$(touch mine) `touch mine`; touch mine #";
    for name in ["PATCHES", "RANGE", "OUTPUT", "ROOT"] {
        action(&desk, &[("PATCHES", "p"), (name, hostile)]);
        assert!(!desk.path("mine").exists(), "{name}");
    }
    for script in values("action.yml", "run") {
        assert!(!script.contains("${{"), "{script}");
    }
}

#[test]
fn every_commit_of_a_range_is_checked_against_its_parent() {
    let desk = repository();
    assert_eq!(said(&action(&desk, &[("RANGE", "first..good")])).0, Some(0));
    let (code, text) = said(&action(&desk, &[("RANGE", "first..last")]));
    let errors: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("::error"))
        .collect();
    assert!(
        code == Some(3) && errors.len() == 1 && errors[0].starts_with("::error file=.wpatch/x,"),
        "{text}"
    );
    // The first commit has no parent.
    assert_eq!(said(&action(&desk, &[("RANGE", "good")])).0, Some(0));
    assert_ne!(said(&action(&desk, &[("RANGE", "--all")])).0, Some(0));
}

/// Commits everything that is there and names the commit.
fn commit(desk: &Desk, name: &str) {
    git(desk, &["add", "-A", "-f"]);
    git(desk, &["commit", "-q", "-m", name]);
    git(desk, &["tag", name]);
}

#[test]
fn no_commit_loosens_the_policy_that_it_is_checked_by() {
    const DENY: &str = "[[rule]]\npaths = ['vendor/**']\nops = ['write']\nverdict = 'deny'\n";
    let desk = Desk::with(&[
        ("a", b"one\n"),
        ("vendor/v", b"v\n"),
        ("wpatch.toml", DENY.as_bytes()),
    ]);
    git(&desk, &["init", "-q", "-b", "main"]);
    commit(&desk, "first");
    fs::write(desk.path("a"), "1\n").unwrap();
    commit(&desk, "harmless");
    fs::write(desk.path("wpatch.toml"), "").unwrap();
    commit(&desk, "loosened");
    git(&desk, &["checkout", "-q", "harmless"]);
    fs::write(desk.path("wpatch.toml"), "").unwrap();
    fs::write(desk.path("vendor/v"), "w\n").unwrap();
    commit(&desk, "at_once");
    git(&desk, &["checkout", "-q", "harmless"]);
    git(&desk, &["rm", "-q", "wpatch.toml"]);
    commit(&desk, "removed");
    let denied = |range: &str| {
        let (code, text) = said(&action(&desk, &[("RANGE", range)]));
        let files = text.lines().filter_map(|line| {
            Some(
                line.strip_prefix("::error file=")?
                    .split(',')
                    .next()?
                    .to_owned(),
            )
        });
        (code, files.collect::<Vec<_>>())
    };
    assert_eq!(denied("first..harmless"), (Some(0), vec![]));
    assert_eq!(
        denied("first..loosened"),
        (Some(3), vec!["wpatch.toml".to_owned()])
    );
    assert_eq!(denied("harmless..at_once").0, Some(3));
    assert!(
        denied("harmless..at_once")
            .1
            .contains(&"vendor/v".to_owned())
    );
    assert_eq!(
        denied("harmless..removed"),
        (Some(3), vec!["wpatch.toml".to_owned()])
    );
    // What stands in the checkout counts for nothing, and a given file comes on top.
    let strict = desk.path("../strict.toml");
    fs::write(&strict, "[policy]\nmode = 'read-only'\n").unwrap();
    let (code, _) = said(&action(
        &desk,
        &[
            ("RANGE", "first..harmless"),
            ("POLICY", strict.to_str().unwrap()),
        ],
    ));
    assert_eq!(code, Some(3));
}

/// Returns a repository with binary changes, renames, links, an empty commit and a merge.
fn history_of_every_shape() -> Desk {
    let binary: Vec<u8> = (0..2000_u32)
        .map(|at| u8::try_from(at * 7 % 256).unwrap())
        .collect();
    let desk = Desk::with(&[
        ("a", b"one\n"),
        ("b.bin", &binary),
        ("long", &b"line\n".repeat(40)),
        ("d/e", b""),
    ]);
    git(&desk, &["init", "-q", "-b", "main"]);
    commit(&desk, "root");
    fs::write(
        desk.path("b.bin"),
        binary.iter().rev().copied().collect::<Vec<_>>(),
    )
    .unwrap();
    commit(&desk, "binary");
    git(&desk, &["mv", "long", "d/moved"]);
    fs::write(
        desk.path("d/moved"),
        [b"line\n".repeat(39), b"last".to_vec()].concat(),
    )
    .unwrap();
    git(&desk, &["mv", "d/e", "x"]);
    commit(&desk, "renamed");
    fs::remove_file(desk.path("a")).unwrap();
    world::link("x", desk.path("a")).unwrap();
    commit(&desk, "link");
    git(&desk, &["commit", "-q", "--allow-empty", "-m", "empty"]);
    git(&desk, &["checkout", "-q", "-b", "topic", "binary"]);
    fs::write(desk.path("new"), "new\n").unwrap();
    commit(&desk, "topic_1");
    git(&desk, &["checkout", "-q", "main"]);
    git(&desk, &["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    git(&desk, &["tag", "merged"]);
    desk
}

#[test]
fn commits_of_every_shape_are_checked() {
    let desk = history_of_every_shape();
    let (code, text) = said(&action(&desk, &[("RANGE", "merged")]));
    assert_eq!((code, text.lines().count()), (Some(0), 5), "{text}");
    assert!(
        text.lines().all(|line| line.starts_with("would apply: ")),
        "{text}"
    );
    // The commit that a submodule is at.
    git(
        &desk,
        &[
            "update-index",
            "--add",
            "--cacheinfo",
            "160000,1111111111111111111111111111111111111111,sub",
        ],
    );
    git(&desk, &["commit", "-q", "-m", "submodule"]);
    git(
        &desk,
        &[
            "update-index",
            "--cacheinfo",
            "160000,2222222222222222222222222222222222222222,sub",
        ],
    );
    git(&desk, &["commit", "-q", "-m", "moved"]);
    let (code, text) = said(&action(&desk, &[("RANGE", "merged..main")]));
    let lines: Vec<_> = text.lines().collect();
    let added = "would apply: 1 file changed, 1 insertion(+)";
    assert_eq!(
        (code, lines),
        (Some(0), vec![added, &format!("{added}, 1 deletion(-)")])
    );
}

#[test]
fn pre_commit_finds_what_it_runs() {
    let desk = repository();
    let entries = values(".pre-commit-hooks.yaml", "entry");
    fs::write(desk.path("wrong.patch"), WRONG).unwrap();
    let words: Vec<_> = entries[0].split(' ').collect();
    assert_eq!(words[0], "wpatch");
    let checked = desk.runs(&[&words[1..], &["wrong.patch"]].concat(), b"");
    assert_eq!(checked.status.code(), Some(1));
    let pushed = |from: &str| {
        let mut script = Command::new(Path::new(HOUSE).join(&entries[1]));
        script.current_dir(desk.root()).env("WPATCH", program());
        script
            .env("PRE_COMMIT_FROM_REF", from)
            .env("PRE_COMMIT_TO_REF", "last")
            .output()
            .unwrap()
    };
    assert_eq!(
        [pushed("first"), pushed("closed")].map(|output| output.status.code()),
        [Some(3), Some(0)]
    );
}
