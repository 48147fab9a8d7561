//! `check --batch`: no job is lost, and none spoils another.

mod ends;
mod jobs;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
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
    let mut command = Command::new(env!("CARGO_BIN_EXE_wpatch"));
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

#[test]
fn bad_jobs_are_answered_and_spoil_none_of_the_good_ones() {
    let directory = directory();
    let repository = Repository::of(&sample());
    let git_dir = repository.path();
    fs::write(directory.path().join("change.diff"), patch("one", "1")).unwrap();
    let fits = patch("one", "1");
    let mut input = lines(&[
        json!({"id": "root", "root": "tree", "patch": fits}),
        json!({"id": 7, "git_dir": git_dir, "rev": "main", "patch_file": "change.diff"}),
        json!({"id": "x", "root": "tree", "patch_base64": STANDARD.encode(&fits), "options": {"strip": 1, "describe": true}}),
        json!({"id": "r", "root": "tree", "patch": patch("1", "one"), "options": {"reverse": true}}),
        json!({"id": "misfit", "root": "tree", "patch": patch("two", "2")}),
        json!({"id": "no root", "root": "nowhere", "patch": fits}),
        json!({"id": "no rev", "git_dir": git_dir, "rev": "no", "patch": fits}),
        json!({"id": "no repository", "git_dir": "tree", "rev": "main", "patch": fits}),
        json!({"id": "both", "root": "tree", "git_dir": git_dir, "rev": "main", "patch": fits}),
        json!({"id": "which", "git_dir": git_dir, "patch": fits}),
        json!({"id": "no patch", "root": "tree"}),
        json!({"id": "no file", "root": "tree", "patch_file": "nowhere"}),
        json!({"id": "base64", "root": "tree", "patch_base64": "!"}),
        json!({"id": "key", "root": "tree", "patch": fits, "more": 1}),
        json!({"id": "option", "root": "tree", "patch": fits, "options": {"more": 1}}),
        json!({"id": "guard", "root": "tree", "patch": fits, "options": {"guard": ["more"]}}),
        json!({"id": ["list"], "root": "tree", "patch": fits}),
        json!({"id": "broken", "root": "tree", "patch": "no patch"}),
        json!({"id": "outside", "root": "tree", "patch": fits.replace("b/a.txt", "b/../../x").replace("a/a.txt", "a/../../x")}),
    ]);
    input.extend(b"{\"id\": \"open\"\n\n  \n\xff\xfe\n{\"id\":\"n\0l\"}\n[]\n");
    input.extend(
        format!(
            "{{\"id\":12345678901234567890123,\"root\":\"tree\",\"patch\":{}}}",
            json!(fits)
        )
        .into_bytes(),
    );
    let output = ran(&mut wpatch(directory.path(), &["--jobs", "3"]), &input);
    let found: Vec<_> = answers(&output)
        .into_iter()
        .map(|(index, answer)| {
            (
                index,
                answer["id"].to_string(),
                answer["report"]["exit_code"].as_u64().unwrap(),
            )
        })
        .collect();
    let ids = [
        "\"root\"",
        "7",
        "\"x\"",
        "\"r\"",
        "\"misfit\"",
        "\"no root\"",
        "\"no rev\"",
        "\"no repository\"",
        "\"both\"",
    ];
    let more = [
        "\"which\"",
        "\"no patch\"",
        "\"no file\"",
        "\"base64\"",
        "\"key\"",
        "\"option\"",
        "\"guard\"",
        "null",
    ];
    let last = ["\"broken\"", "\"outside\""];
    let codes = [0, 0, 0, 0, 1, 2, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3];
    let mut expected: Vec<_> = [&ids[..], &more, &last]
        .concat()
        .into_iter()
        .zip(codes)
        .zip(0..)
        .map(|((id, code), index)| (index, id.to_owned(), code))
        .collect();
    expected.extend([
        (19, "null".into(), 2),
        (22, "null".into(), 2),
        (23, "null".into(), 2),
        (24, "null".into(), 2),
    ]);
    let shown: Vec<_> = found
        .iter()
        .filter(|(index, ..)| *index != 25)
        .cloned()
        .collect();
    assert_eq!(shown, expected);
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .contains("\"index\":25,\"id\":12345678901234567890123,")
    );
    assert_eq!(output.status.code(), Some(1));
}

/// Returns jobs on a tree of a repository, every third of which does not fit.
fn many(repository: &Repository, count: usize) -> Vec<u8> {
    let job = |index: usize| {
        let old = if index % 3 == 2 { "two" } else { "one" };
        json!({"id": index, "git_dir": repository.path(), "rev": "main", "patch": patch(old, &index.to_string())})
    };
    lines(&(0..count).map(job).collect::<Vec<_>>())
}

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

#[test]
fn the_exit_code_tells_a_bad_job_from_a_bad_batch() {
    let (directory, repository) = (TempDir::new().unwrap(), Repository::of(&sample()));
    let code = |arguments: &[&str], input: &[u8]| {
        ran(&mut wpatch(directory.path(), arguments), input)
            .status
            .code()
    };
    assert_eq!(code(&[], &many(&repository, 2)), Some(0));
    assert_eq!(code(&[], &many(&repository, 3)), Some(1));
    assert_eq!(code(&[], b""), Some(0));
    assert_eq!(code(&["nowhere.jsonl"], b""), Some(2));
    assert_eq!(code(&["one.jsonl", "two.jsonl"], b""), Some(2));
    assert_eq!(code(&["--shard", "3/2"], b""), Some(2));
    assert_eq!(code(&["--jobs", "0"], b""), Some(2));
    assert_eq!(code(&["."], b""), Some(2));
}

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
fn a_patch_that_is_no_file_is_not_waited_for() {
    let directory = directory();
    fs::write(directory.path().join("-"), patch("one", "1")).unwrap();
    let jobs =
        ["-", "/dev/null", "tree", "./-"].map(|name| json!({"root": "tree", "patch_file": name}));
    let answers = answers(&ran(&mut wpatch(directory.path(), &[]), &lines(&jobs)));
    let codes: Vec<_> = answers
        .values()
        .map(|answer| answer["report"]["exit_code"].as_u64().unwrap())
        .collect();
    assert_eq!(codes, [2, 4, 4, 0]);
}

#[test]
fn a_job_over_the_limit_is_answered_and_the_next_one_too() {
    let directory = directory();
    let mut input = format!(
        "{{\"id\": \"long\", \"patch\": \"{}\"}}\n",
        "x".repeat(64 << 20)
    )
    .into_bytes();
    input.extend(lines(&[
        json!({"id": "short", "root": "tree", "patch": patch("one", "1")}),
    ]));
    let answers = answers(&ran(
        &mut wpatch(directory.path(), &["--jobs", "1"]),
        &input,
    ));
    let told: Vec<_> = answers
        .values()
        .map(|answer| (&answer["id"], &answer["report"]["outcome"]))
        .collect();
    assert_eq!(
        told,
        [
            (&Value::Null, &json!("usage")),
            (&json!("short"), &json!("would_apply"))
        ]
    );
    let message = answers[&0]["report"]["error"]["message"].as_str().unwrap();
    assert_eq!(message, "the job has more than 67108864 bytes");
}

#[test]
fn other_formats_than_its_own_are_refused() {
    let directory = directory();
    for arguments in [["--output", "sarif"], ["--output", "acp"]] {
        let output = ran(&mut wpatch(directory.path(), &arguments), b"{}\n");
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()));
        assert!(String::from_utf8_lossy(&output.stderr).contains("JSON Lines"));
    }
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
