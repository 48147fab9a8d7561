//! Bad jobs and bad command lines of a batch: each is reported, and no other job is affected.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{answers, directory, lines, many, patch, ran, sample, wpatch};
use crate::repository::Repository;

/// Good jobs for `directory`.
fn good_jobs(directory: &Path, repository: &Repository) -> Vec<Value> {
    fs::write(directory.join("change.diff"), patch("one", "1")).unwrap();
    let (git_dir, fits) = (repository.path(), patch("one", "1"));
    let encoded = STANDARD.encode(&fits);
    vec![
        json!({"id": "root", "root": "tree", "patch": fits}),
        json!({"id": 7, "git_dir": git_dir, "rev": "main", "patch_file": "change.diff"}),
        json!({"id": "x", "root": "tree", "patch_base64": encoded, "options": {"strip": 1, "describe": true}}),
        json!({"id": "r", "root": "tree", "patch": patch("1", "one"), "options": {"reverse": true}}),
    ]
}

/// Bad jobs, each with the exit code of its report.
fn bad_jobs(repository: &Repository) -> Vec<(Value, u64)> {
    let (git_dir, fits) = (repository.path(), patch("one", "1"));
    let outside = fits
        .replace("b/a.txt", "b/../../x")
        .replace("a/a.txt", "a/../../x");
    vec![
        (
            json!({"id": "misfit", "root": "tree", "patch": patch("two", "2")}),
            1,
        ),
        (
            json!({"id": "no root", "root": "nowhere", "patch": fits}),
            2,
        ),
        (
            json!({"id": "no rev", "git_dir": git_dir, "rev": "no", "patch": fits}),
            4,
        ),
        (
            json!({"id": "no repository", "git_dir": "tree", "rev": "main", "patch": fits}),
            4,
        ),
        (
            json!({"id": "both", "root": "tree", "git_dir": git_dir, "rev": "main", "patch": fits}),
            2,
        ),
        (json!({"id": "which", "git_dir": git_dir, "patch": fits}), 2),
        (json!({"id": "no patch", "root": "tree"}), 2),
        (
            json!({"id": "no file", "root": "tree", "patch_file": "nowhere"}),
            2,
        ),
        (
            json!({"id": "base64", "root": "tree", "patch_base64": "!"}),
            2,
        ),
        (
            json!({"id": "key", "root": "tree", "patch": fits, "more": 1}),
            2,
        ),
        (
            json!({"id": "option", "root": "tree", "patch": fits, "options": {"more": 1}}),
            2,
        ),
        (
            json!({"id": "guard", "root": "tree", "patch": fits, "options": {"guard": ["more"]}}),
            2,
        ),
        (json!({"id": ["list"], "root": "tree", "patch": fits}), 2),
        (
            json!({"id": "broken", "root": "tree", "patch": "no patch"}),
            2,
        ),
        (
            json!({"id": "outside", "root": "tree", "patch": outside}),
            3,
        ),
    ]
}

#[cfg(unix)]
#[test]
fn bad_jobs_are_answered_and_spoil_none_of_the_good_ones() {
    let directory = directory();
    let repository = Repository::of(&sample());
    let good = good_jobs(directory.path(), &repository).into_iter();
    let jobs: Vec<_> = good
        .map(|job| (job, 0))
        .chain(bad_jobs(&repository))
        .collect();
    let mut input = lines(&jobs.iter().map(|(job, _)| job.clone()).collect::<Vec<_>>());
    input.extend(b"{\"id\": \"open\"\n\n  \n\xff\xfe\n{\"id\":\"n\0l\"}\n[]\n");
    let fits = json!(patch("one", "1"));
    input.extend(
        format!("{{\"id\":12345678901234567890123,\"root\":\"tree\",\"patch\":{fits}}}")
            .into_bytes(),
    );
    let output = ran(&mut wpatch(directory.path(), &["--jobs", "3"]), &input);
    let mut found: Vec<_> = answers(&output)
        .into_iter()
        .map(|(index, answer)| {
            (
                index,
                answer["id"].to_string(),
                answer["report"]["exit_code"].as_u64().unwrap(),
            )
        })
        .collect();
    found.retain(|(index, ..)| *index != 25);
    // A list is no name of a job.
    let name = |job: &Value| match &job["id"] {
        Value::Array(_) => "null".to_owned(),
        id => id.to_string(),
    };
    let named = (0..)
        .zip(&jobs)
        .map(|(index, (job, code))| (index, name(job), *code));
    let unnamed = [19, 22, 23, 24].map(|index| (index, "null".to_owned(), 2));
    let expected: Vec<_> = named.chain(unnamed).collect();
    assert_eq!(found, expected);
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .contains("\"index\":25,\"id\":12345678901234567890123,")
    );
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(unix)]
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

#[cfg(unix)]
#[test]
fn a_huge_number_of_threads_is_reduced() {
    let (directory, repository) = (TempDir::new().unwrap(), Repository::of(&sample()));
    for jobs in ["18446744073709551615", "4611686018427387904"] {
        let mut command = wpatch(directory.path(), &["--deterministic", "--jobs", jobs]);
        let output = ran(&mut command, &many(&repository, 2));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(answers(&output).len(), 2);
    }
}

#[test]
fn the_help_for_an_invalid_job_describes_a_job() {
    let directory = directory();
    let jobs = b"{\n{\"patch\": \"\", \"patch_file\": \"\"}\n{\"id\": [], \"patch\": \"\"}\n";
    let answers = answers(&ran(&mut wpatch(directory.path(), &[]), jobs));
    assert_eq!(answers.len(), 3);
    for answer in answers.values() {
        let help = answer["report"]["error"]["help"].as_str().unwrap();
        assert!(help.contains("one JSON object per line"), "{answer:#}");
    }
}

#[cfg(unix)]
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
    assert_eq!(message, "the job exceeds 67108864 bytes");
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
