//! What ends a job, or the whole run.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use ::fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{answers, directory, lines, many, patch, ran, sample, wpatch};
use crate::objects::damage::{loose, unpacked};
use crate::objects::{before_all, fake_git};
use crate::repository::Repository;
use crate::world;

#[cfg(unix)]
#[test]
fn a_git_that_dies_takes_one_job_with_it() {
    let (directory, root, repository) = (
        TempDir::new().unwrap(),
        TempDir::new().unwrap(),
        Repository::of(&sample()),
    );
    let real = world::sh("command -v git").output().unwrap().stdout;
    let real = String::from_utf8(real).unwrap();
    let script = format!(
        "if mkdir {0}/was 2>/dev/null; then read line; echo 'fatal: struck by lightning' >&2; exit 1; fi\nexec {real}",
        directory.path().display()
    );
    let script = format!("{} \"$@\"\n", script.trim_end());
    fake_git(directory.path(), &script);
    let path = before_all(&directory.path().display().to_string());
    let output = ran(
        wpatch(root.path(), &["--jobs", "1"]).env("PATH", path),
        &many(&repository, 5),
    );
    let answers = answers(&output);
    let codes: Vec<_> = answers
        .values()
        .map(|answer| answer["report"]["exit_code"].as_u64().unwrap())
        .collect();
    assert_eq!(codes, [4, 0, 1, 0, 0]);
    let message = answers[&0]["report"]["error"]["message"].as_str().unwrap();
    assert!(message.contains("struck by lightning"), "{message}");
}

#[cfg(unix)]
#[test]
fn who_stops_reading_stops_the_run_without_a_word() {
    let (directory, repository) = (TempDir::new().unwrap(), Repository::of(&sample()));
    let jobs = directory.path().join("jobs.jsonl");
    fs::write(&jobs, many(&repository, 3000)).unwrap();
    let mut child = wpatch(directory.path(), &["jobs.jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap()
        ),
        (Some(141), String::new())
    );
}

#[cfg(unix)]
#[test]
fn a_signal_between_jobs_ends_the_run_though_more_may_come() {
    let directory = directory();
    let job = lines(&[json!({"id": 1, "root": "tree", "patch": patch("one", "1")})]);
    for (options, jobs) in [(&[][..], 1), (&["--deterministic", "--jobs", "2"], 3)] {
        let mut child = wpatch(directory.path(), options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        for _ in 0..jobs {
            input.write_all(&job).unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert!(line.contains("would_apply"), "{line}");
        }
        let pid = child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &pid])
                .status()
                .unwrap()
                .success()
        );
        // Its input is still open.
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(output.lines().count(), 0);
    }
}

#[cfg(unix)]
#[test]
fn a_repository_that_hangs_takes_its_own_jobs_with_it_alone() {
    let (directory, repository, good) = (directory(), unpacked(), Repository::of(&sample()));
    let file = loose(&repository, &repository.git(&["rev-parse", "main:a.txt"]));
    fs::remove_file(&file).unwrap();
    world::fifo(&file);
    let fits = patch("one", "1");
    let other = "--- a/b/c\n+++ b/b/c\n@@ -1 +1 @@\n-c\n+C\n";
    let sick = unpacked_job(&repository, &fits);
    let jobs = [
        sick.clone(),
        json!({"root": "tree", "patch": fits}),
        sick,
        json!({"git_dir": good.path(), "rev": "main", "patch": other}),
    ];
    let output = ran(
        &mut wpatch(directory.path(), &["--jobs", "2", "--git-timeout", "300ms"]),
        &lines(&jobs),
    );
    let codes: Vec<_> = answers(&output)
        .values()
        .map(|it| it["report"]["exit_code"].as_u64().unwrap())
        .collect();
    assert_eq!(codes, [4, 0, 4, 0]);
}

fn unpacked_job(repository: &Repository, patch: &str) -> Value {
    json!({"git_dir": repository.path(), "rev": "main", "patch": patch})
}

#[test]
fn a_root_that_disappears_fails_its_own_jobs_alone() {
    let directory = directory();
    fs::create_dir(directory.path().join("gone")).unwrap();
    fs::write(directory.path().join("gone/a.txt"), "one\n").unwrap();
    let [gone, tree] =
        ["gone", "tree"].map(|root| lines(&[json!({"root": root, "patch": patch("one", "1")})]));
    let mut child = wpatch(directory.path(), &["--jobs=2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (
        child.stdin.take().unwrap(),
        BufReader::new(child.stdout.take().unwrap()),
    );
    let mut answer = |job: &[u8]| {
        input.write_all(job).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()["report"]["exit_code"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(answer(&gone), 0);
    fs::remove_dir_all(directory.path().join("gone")).unwrap();
    assert_eq!([answer(&gone), answer(&tree)], [2, 0]);
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[cfg(unix)]
#[test]
fn after_a_signal_every_job_that_was_begun_is_answered_and_their_number_is_told() {
    let (directory, repository) = (directory(), Repository::of(&sample()));
    fs::write(directory.path().join("jobs"), many(&repository, 3000)).unwrap();
    for read in [0, 1, 7, 40, 90] {
        let mut program = wpatch(directory.path(), &["--deterministic", "--jobs=3", "jobs"]);
        let mut child = program
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut told: Vec<_> = lines.by_ref().take(read.max(1)).collect();
        assert!(
            Command::new("kill")
                .args(["-TERM", &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        told.extend(lines);
        let said = child.wait_with_output().unwrap();
        let indexes: Vec<_> = told
            .into_iter()
            .map(|line| {
                serde_json::from_str::<Value>(&line.unwrap()).unwrap()["index"]
                    .as_u64()
                    .unwrap()
            })
            .collect();
        let count = u64::try_from(indexes.len()).unwrap();
        assert_eq!(indexes, (0..count).collect::<Vec<_>>());
        assert_eq!(said.status.code(), Some(143));
        let words =
            format!("stopped by signal 15: {count} jobs completed, the others were not started\n");
        assert!(
            String::from_utf8(said.stderr).unwrap().ends_with(&words),
            "{words}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_job_that_waits_for_git() {
    let (directory, elsewhere, repository) = (
        directory(),
        TempDir::new().unwrap(),
        Repository::of(&sample()),
    );
    let fifo = directory.path().join("fifo");
    world::fifo(&fifo);
    fake_git(
        elsewhere.path(),
        &format!("echo > {}; sleep 1000", fifo.display()),
    );
    let mut program = wpatch(directory.path(), &["--git-timeout=10m"]);
    program.env("PATH", before_all(&elsewhere.path().display().to_string()));
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&many(&repository, 1)).unwrap();
    fs::read(&fifo).unwrap();
    assert!(
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let answer = &answers(&output)[&0]["report"];
    assert_eq!(
        (&answer["outcome"], &answer["exit_code"]),
        (&json!("interrupted"), &json!(130))
    );
}

#[test]
fn deterministic_reports_contain_no_directory_of_a_denying_policy() {
    let directory = directory();
    let policy = directory.path().join("policy.toml");
    let text = "[[rule]]\npaths = ['**']\nverdict = 'deny'\nreason = 'see REASON'\n";
    let reason = directory.path().to_str().unwrap();
    fs::write(&policy, text.replace("REASON", policy.to_str().unwrap())).unwrap();
    let job = json!({"root": directory.path().join("tree"), "patch": patch("one", "1")});
    let mut command = wpatch(directory.path(), &["--deterministic"]);
    let output = ran(command.arg("--policy").arg(&policy), &lines(&[job]));
    let answers = answers(&output);
    let report = &answers[&0]["report"];
    assert_eq!(report["error"]["kind"], "denied", "{report:#}");
    assert_eq!(report["error"]["help"], report["problems"][0]["help"]);
    assert!(!report.to_string().contains(reason), "{report:#}");
}
