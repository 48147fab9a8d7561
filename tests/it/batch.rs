//! `check --batch`: no job is lost, and none spoils another.

mod ends;
mod jobs;
mod mistakes;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::objects::{before_all, fake_git};
use crate::repository::Repository;
use crate::run;
use crate::tree::{self, Node, Tree};

fn patch(old: &str, new: &str) -> String {
    format!("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-{old}\n+{new}\n")
}

fn sample() -> Tree {
    let path = |name: &str| wpatch::path::RelPath::new(name.as_bytes()).unwrap();
    [
        (path("a.txt"), Node::file("one\n")),
        (path("b/c"), Node::file("c\n")),
    ]
    .into()
}

fn wpatch(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = crate::world::wpatch();
    command
        .args(["check", "--batch"])
        .args(arguments)
        .current_dir(directory);
    command
}

fn ran(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut jobs = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || jobs.write_all(input));
        child.wait_with_output().unwrap()
    })
}

/// Returns the answers by their index, each after a look at its report.
fn answers(output: &Output) -> BTreeMap<u64, Value> {
    let lines = output.stdout.split_inclusive(|&byte| byte == b'\n');
    let mut answers = BTreeMap::new();
    for line in lines {
        let answer: Value = serde_json::from_slice(line).unwrap();
        run::valid(answer["report"].clone());
        assert_eq!(answer["schema"], "wpatch.batch/1");
        assert!(
            answers
                .insert(answer["index"].as_u64().unwrap(), answer)
                .is_none(),
            "an answer came twice"
        );
    }
    answers
}

fn lines(jobs: &[Value]) -> Vec<u8> {
    jobs.iter()
        .flat_map(|job| format!("{job}\n").into_bytes())
        .collect()
}

/// Returns a directory with the sample in `tree`.
fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    tree::write(&sample(), &directory.path().join("tree"));
    directory
}

/// Returns jobs on a tree of a repository, every third of which does not fit.
fn many(repository: &Repository, count: usize) -> Vec<u8> {
    let job = |index: usize| {
        let old = if index % 3 == 2 { "two" } else { "one" };
        json!({"id": index, "git_dir": repository.path(), "rev": "main", "patch": patch(old, &index.to_string())})
    };
    lines(&(0..count).map(job).collect::<Vec<_>>())
}

#[cfg(unix)]
#[test]
fn of_a_thousand_jobs_none_is_lost() {
    let (directory, repository) = (TempDir::new().unwrap(), Repository::of(&sample()));
    let output = ran(
        &mut wpatch(directory.path(), &["--jobs", "4"]),
        &many(&repository, 1000),
    );
    let answers = answers(&output);
    assert_eq!(answers.len(), 1000);
    for (index, answer) in answers {
        assert_eq!(
            (&answer["id"], &answer["report"]["ok"]),
            (&json!(index), &json!(index % 3 != 2))
        );
    }
}

#[cfg(unix)]
#[test]
fn deterministic_reports_are_the_same_bytes_in_every_run_and_elsewhere() {
    let run = |jobs: &str, options: &[&str]| {
        // Another place each time.
        let (directory, repository) = (directory(), Repository::of(&sample()));
        let mut input = many(&repository, 60);
        let here = |name: &str| directory.path().join(name);
        fs::write(here("change.diff"), patch("one", "1")).unwrap();
        fs::write(
            here("policy.toml"),
            "[[rule]]\npaths = [\"*.txt\"]\nverdict = \"ask\"\n",
        )
        .unwrap();
        input.extend(lines(&[
            json!({"root": here("tree"), "patch_file": here("change.diff")}),
            json!({"root": here("nowhere"), "patch_file": here("change.diff")}),
            json!({"root": here("tree"), "patch_file": here("nowhere.diff")}),
            json!({"root": here("tree"), "patch_file": here("tree")}),
            json!({"git_dir": here("tree"), "rev": "main", "patch_file": here("change.diff")}),
            json!({"rev": "main", "patch_file": here("change.diff")}),
        ]));
        let mut command = wpatch(directory.path(), &["--deterministic", "--jobs", jobs]);
        let output = ran(
            command
                .arg("--policy")
                .arg(here("policy.toml"))
                .args(options),
            &input,
        );
        let answers = answers(&output);
        assert_eq!(answers.len(), 66);
        assert_eq!(answers[&0]["report"]["policy"]["source"], "policy.toml");
        output.stdout
    };
    for options in [&[][..], &["--json"]] {
        let first = run("1", options);
        assert!(["4", "7"].iter().all(|jobs| run(jobs, options) == first));
    }
}

#[cfg(unix)]
#[test]
fn shards_have_every_job_once() {
    let (directory, repository) = (TempDir::new().unwrap(), Repository::of(&sample()));
    let input = many(&repository, 20);
    let mut all = BTreeMap::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let part = answers(&ran(
            &mut wpatch(directory.path(), &["--shard", shard]),
            &input,
        ));
        let first = shard[..1].parse::<u64>().unwrap() - 1;
        assert!(
            part.keys().all(|index| index % 3 == first),
            "{shard}: {:?}",
            part.keys()
        );
        all.extend(part);
    }
    assert_eq!(all.len(), 20);
}

#[cfg(unix)]
#[test]
fn neither_the_root_nor_a_work_tree_brings_the_git_of_a_job() {
    let (directory, repository) = (TempDir::new().unwrap(), Repository::of(&sample()));
    fake_git(directory.path(), "echo brought >&2; exit 1");
    let path = before_all(&directory.path().display().to_string());
    let output = ran(
        wpatch(directory.path(), &[]).env("PATH", &path),
        &many(&repository, 1),
    );
    assert_eq!(answers(&output)[&0]["report"]["exit_code"], 0);
}

#[cfg(unix)]
#[test]
fn every_tree_has_its_own_policy() {
    let directory = directory();
    let rule = "[[rule]]\npaths = [\"*.txt\"]\nverdict = \"deny\"\n";
    let path = |name: &str| wpatch::path::RelPath::new(name.as_bytes()).unwrap();
    let mut strict = sample();
    strict.insert(path("wpatch.toml"), Node::file(rule));
    tree::write(&strict, &directory.path().join("strict"));
    let mut broken = sample();
    broken.insert(path("wpatch.toml"), Node::file("[polity]\n"));
    tree::write(&broken, &directory.path().join("broken"));
    let (open, closed) = (Repository::of(&sample()), Repository::of(&strict));
    let fits = patch("one", "1");
    let input = lines(&[
        json!({"root": "tree", "patch": fits}),
        json!({"root": "strict", "patch": fits}),
        json!({"root": "broken", "patch": fits}),
        json!({"git_dir": open.path(), "rev": "main", "patch": fits}),
        json!({"git_dir": closed.path(), "rev": "main", "patch": fits}),
        json!({"root": "tree", "patch": fits}),
    ]);
    let codes = |arguments: &[&str]| -> Vec<_> {
        let output = ran(&mut wpatch(directory.path(), arguments), &input);
        answers(&output)
            .values()
            .map(|answer| answer["report"]["exit_code"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(codes(&["--root", "strict"]), [0, 3, 3, 0, 3, 0]);
    assert_eq!(codes(&["--policy", "strict/wpatch.toml"]), [3; 6]);
}

#[test]
fn a_job_can_take_a_part_of_its_patch() {
    let directory = directory();
    let both = patch("one", "1") + "--- a/b/c\n+++ b/b/c\n@@ -1 +1 @@\n-no\n+yes\n";
    let input = lines(&[
        json!({"root": "tree", "patch": both}),
        json!({"root": "tree", "patch": both, "options": {"only": "1"}}),
        json!({"root": "tree", "patch": both, "options": {"only": "9"}}),
        json!({"root": "tree", "patch": both, "options": {"only": "x-"}}),
    ]);
    let answers = answers(&ran(&mut wpatch(directory.path(), &[]), &input));
    let codes: Vec<_> = answers
        .values()
        .map(|answer| answer["report"]["exit_code"].as_u64().unwrap())
        .collect();
    assert_eq!(codes, [1, 0, 2, 2]);
    assert_eq!(
        answers[&1]["report"]["left_out"],
        json!([{"id": "f2", "path": "b/c"}])
    );
}

#[test]
fn jobs_of_one_name_or_of_none_are_told_apart_by_their_place() {
    let directory = directory();
    let (fits, misfits) = (patch("one", "1"), patch("two", "2"));
    let input = lines(&[
        json!({"id": "x", "root": "tree", "patch": fits}),
        json!({"id": "x", "root": "tree", "patch": misfits}),
        json!({"root": "tree", "patch": fits}),
        json!({"root": "tree", "patch": misfits}),
        json!({"id": null, "root": "tree", "patch": fits}),
    ]);
    let answers = answers(&ran(
        &mut wpatch(directory.path(), &["--jobs", "2"]),
        &input,
    ));
    let told: Vec<_> = answers
        .values()
        .map(|it| json!([it["id"], it["report"]["exit_code"]]))
        .collect();
    let expected = [
        json!(["x", 0]),
        json!(["x", 1]),
        json!([null, 0]),
        json!([null, 1]),
        json!([null, 0]),
    ];
    assert_eq!(told, expected);
}
