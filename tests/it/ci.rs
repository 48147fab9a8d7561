//! What runs in a pipeline: the script of the action, and the entries for pre-commit, each in a repository of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fs_err as fs;
use saphyr_parser::{Event, Parser};

use crate::systems::Desk;

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
    scalars.windows(2).filter(|pair| pair[0] == key).map(|pair| pair[1].clone()).collect()
}

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_wpatch"))
}

/// Runs the last script of the action.
fn action(desk: &Desk, inputs: &[(&str, &str)]) -> Output {
    let mut command = Command::new("bash");
    command.args(["-c", values("action.yml", "run").last().unwrap()]).current_dir(desk.root());
    for name in ["PATCHES", "RANGE", "POLICY", "OUTPUT"] {
        command.env(format!("WPATCH_{name}"), "");
    }
    command.env("WPATCH_ROOT", ".").env("WPATCH_BINARY", program()).env("GITHUB_ACTION_PATH", HOUSE);
    command.envs(inputs.iter().map(|(name, value)| (format!("WPATCH_{name}"), value))).output().unwrap()
}

fn git(desk: &Desk, arguments: &[&str]) {
    let user = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(user).args(arguments).current_dir(desk.root()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Returns a repository whose last commit but one writes where nobody may.
fn repository() -> Desk {
    let desk = Desk::with(&[("a", b"one\r\n"), ("d/b", b"b\n")]);
    git(&desk, &["init", "-q", "-b", "main"]);
    let commit = |name: &str| {
        git(&desk, &["add", "-A", "-f"]);
        git(&desk, &["commit", "-q", "-m", name]);
        git(&desk, &["tag", name]);
    };
    commit("first");
    fs::write(desk.path("a"), "1\r\n").unwrap();
    git(&desk, &["mv", "d/b", "moved"]);
    commit("good");
    fs::create_dir(desk.path(".wpatch")).unwrap();
    fs::write(desk.path(".wpatch/x"), "x\n").unwrap();
    commit("closed");
    fs::write(desk.path("a"), "2\r\n").unwrap();
    commit("last");
    desk
}

fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8(output.stdout.clone()).unwrap())
}

#[test]
fn the_action_annotates_patch_files() {
    let desk = Desk::with(&[("a", b"one\n"), ("p/1 good.patch", GOOD.as_bytes()), ("p/2.patch", WRONG.as_bytes())]);
    let (code, text) = said(&action(&desk, &[("PATCHES", "p/*.patch")]));
    assert!(code == Some(1) && text.starts_with("::error file=p/2.patch,line=4,"), "{code:?} {text}");
    let (code, text) = said(&action(&desk, &[("PATCHES", "p/1 *.patch\np/none*")]));
    assert_eq!((code, text.as_str()), (Some(0), "would apply: 1 file changed, 1 insertion(+), 1 deletion(-)\n"));
    for inputs in [&[("PATCHES", "none*")][..], &[]] {
        let (code, text) = said(&action(&desk, inputs));
        assert!(code == Some(2) && text.starts_with("::error title=wpatch::"), "{code:?} {text}");
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
    let errors: Vec<_> = text.lines().filter(|line| line.starts_with("::error")).collect();
    assert!(code == Some(3) && errors.len() == 1 && errors[0].starts_with("::error file=.wpatch/x,"), "{text}");
    // The first commit has no parent.
    assert_eq!(said(&action(&desk, &[("RANGE", "good")])).0, Some(0));
    assert_ne!(said(&action(&desk, &[("RANGE", "--all")])).0, Some(0));
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
        script.env("PRE_COMMIT_FROM_REF", from).env("PRE_COMMIT_TO_REF", "last").output().unwrap()
    };
    assert_eq!([pushed("first"), pushed("closed")].map(|output| output.status.code()), [Some(3), Some(0)]);
}
