//! What a single job asks for.

use std::path::Path;
use std::process::Stdio;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{answers, directory, lines, many, patch, ran, sample, wpatch};
use crate::objects::{before_all, fake_git};
use crate::repository::{Repository, git};
use crate::tree;
use crate::world;

/// Returns a patch of one file with one hunk.
fn change(name: &str, hunk: &str) -> String {
    format!("--- a/{name}\n+++ b/{name}\n{hunk}")
}

/// Patches that apply with their options alone, and the exit code without them.
fn options_that_are_needed() -> Vec<(String, Value, u64)> {
    let one = patch("one", "1");
    let two = one.clone() + &change("b/c", "@@ -1 +1 @@\n-no\n+yes\n");
    let unstripped = "--- b/c\n+++ b/c\n@@ -1 +1 @@\n-c\n+C\n".to_owned();
    let below = change("c", "@@ -1 +1 @@\n-c\n+C\n");
    let loose = change("n", "@@ -2,5 +2,5 @@\n other\n 3\n-4\n+four\n 5\n other\n");
    let added = change("n", "@@ -4,0 +5 @@\n+more\n");
    let miscounted = one.replace("-1 +1", "-1,3 +1,0");
    let unmarked = change("n", "@@ -1,3 +1,3 @@\n1\n-2\n+two\n3\n");
    let blanks = change("blanks", "@@ -1 +1 @@\n-a b\n+c\n");
    let created = change("a.txt", "@@ -0,0 +1 @@\n+new\n").replace("a/a.txt", "/dev/null");
    vec![
        (unstripped, json!({"strip": 0}), 1),
        (below, json!({"directory": "b"}), 1),
        (two.clone(), json!({"exclude": ["b/*"]}), 1),
        (two, json!({"include": ["a.txt"]}), 1),
        (patch("1", "one"), json!({"reverse": true}), 1),
        (loose.clone(), json!({"context": 1}), 1),
        (loose, json!({"fuzz": 1}), 1),
        (added, json!({"unidiff_zero": true}), 1),
        (miscounted, json!({"recount": true}), 2),
        (unmarked, json!({"lenient": true}), 2),
        (blanks, json!({"ignore_whitespace": true}), 1),
        (created, json!({"overwrite": true}), 1),
        (patch("zero", "one"), json!({"idempotent": true}), 1),
    ]
}

/// Patches that apply without their options, and the exit code with them.
fn options_that_refuse() -> Vec<(String, Value, u64)> {
    let one = patch("one", "1");
    let middle = "@@ -4,7 +4,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
    let approval = format!("sha256:{}", "0".repeat(64));
    vec![
        (one.clone(), json!({"format": "codex"}), 2),
        (one.clone(), json!({"max_file": 1}), 1),
        (one.clone(), json!({"file": "b/c", "strip": null}), 1),
        (one.clone(), json!({"whitespace": "fix", "max_hunks": 0}), 1),
        (change("twice", middle), json!({"unique": true}), 1),
        (
            change("j.json", "@@ -1 +1 @@\n-{}\n+{\n"),
            json!({"guard": ["syntax"]}),
            3,
        ),
        (one, json!({"approve": approval}), 1),
    ]
}

#[test]
fn each_option_of_a_job_means_what_it_means_on_the_command_line() {
    let directory = directory();
    let numbers = "1\n2\n3\n4\n5\n6\n7\n8\n9\n".to_owned();
    for (name, text) in [
        ("n", numbers.clone()),
        ("twice", numbers.repeat(2)),
        ("blanks", "a  b\n".to_owned()),
        ("j.json", "{}\n".to_owned()),
    ] {
        fs::write(directory.path().join("tree").join(name), text).unwrap();
    }
    let needed = options_that_are_needed().into_iter();
    let refusing = options_that_refuse().into_iter();
    let cases: Vec<_> = needed
        .map(|(patch, options, without)| (patch, options, (without, 0)))
        .chain(refusing.map(|(patch, options, with)| (patch, options, (0, with))))
        .collect();
    let jobs = cases.iter().flat_map(|(patch, options, _)| {
        [json!({}), options.clone()]
            .map(|options| json!({"root": "tree", "patch": patch, "options": options}))
    });
    let plain = json!({"root": "tree", "patch": patch("one", "1"), "options": {}});
    let described = json!({"root": "tree", "patch": patch("one", "1"), "options": {"describe": true, "diff": true}});
    let jobs: Vec<_> = jobs.chain([plain, described]).collect();
    let answers = answers(&ran(&mut wpatch(directory.path(), &[]), &lines(&jobs)));
    let report = |index: usize| &answers[&(index as u64)]["report"];
    let code = |index: usize| report(index)["exit_code"].as_u64().unwrap();
    for (index, (_, options, codes)) in cases.iter().enumerate() {
        assert_eq!((code(2 * index), code(2 * index + 1)), *codes, "{options}");
    }
    let told = |index: usize| {
        (
            report(index)["plan_id"].is_string(),
            report(index)["files"][0]["diff"].is_string(),
        )
    };
    let last = 2 * cases.len();
    assert_eq!((told(last), told(last + 1)), ((false, false), (true, true)));
}

#[test]
fn a_job_has_one_patch_of_the_size_that_is_allowed() {
    let directory = directory();
    let fits = patch("one", "1");
    fs::write(directory.path().join("change.diff"), &fits).unwrap();
    let jobs = [
        json!({"root": "tree", "patch": fits, "patch_file": "change.diff"}),
        json!({"root": "tree", "patch": fits, "patch_base64": STANDARD.encode(&fits)}),
        json!({"root": "tree", "patch_file": "change.diff"}),
    ];
    let codes = |arguments: &[&str]| -> Vec<_> {
        let output = ran(&mut wpatch(directory.path(), arguments), &lines(&jobs));
        answers(&output)
            .values()
            .map(|answer| answer["report"]["exit_code"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(codes(&[]), [2, 2, 0]);
    assert_eq!(codes(&["--max-patch", "10"]), [2, 2, 1]);
}

#[test]
fn the_root_of_a_job_decides_what_is_secret_and_which_absolute_names_lead_below_it() {
    let directory = directory();
    let home = world::real(directory.path()).join("home");
    fs::create_dir_all(home.join(".aws")).unwrap();
    fs::write(home.join(".aws/a.txt"), "one\n").unwrap();
    fs::write(home.join("a.txt"), "one\n").unwrap();
    let name = home.join("a.txt");
    let absolute = format!(
        "*** Begin Patch\n*** Update File: {}\n@@\n-one\n+1\n*** End Patch\n",
        name.display()
    );
    let jobs = [
        json!({"root": "home", "patch": patch("one", "1").replace("a.txt", ".aws/a.txt")}),
        json!({"root": "home/.aws", "patch": patch("one", "1")}),
        json!({"root": "home", "patch": absolute}),
    ];
    let mut command = wpatch(directory.path(), &["--root", "tree"]);
    let answers = answers(&ran(command.env("HOME", &home), &lines(&jobs)));
    let kinds: Vec<_> = answers
        .values()
        .map(|answer| &answer["report"]["error"]["kind"])
        .collect();
    assert_eq!(kinds, [&json!("denied"), &json!("denied"), &Value::Null]);
}

#[cfg(unix)]
#[test]
fn what_a_job_says_of_white_space_goes_by_the_root_of_the_job() {
    let directory = directory();
    tree::write(&sample(), &directory.path().join("strict"));
    let strict = |git_dir: &Path| {
        let set = git(&[
            "--git-dir",
            &git_dir.display().to_string(),
            "config",
            "apply.whitespace",
            "error",
        ])
        .status();
        assert!(set.unwrap().success());
    };
    for root in [".", "strict"] {
        let root = directory.path().join(root);
        assert!(
            git(&["init", "-q", &root.display().to_string()])
                .status()
                .unwrap()
                .success()
        );
        strict(&root.join(".git"));
    }
    let repository = Repository::of(&sample());
    strict(&repository.path());
    let blank = patch("one", "1 ");
    let outside = TempDir::new().unwrap();
    tree::write(&sample(), outside.path());
    let input = lines(&[
        json!({"root": outside.path(), "patch": blank}),
        json!({"root": "strict", "patch": blank}),
        json!({"git_dir": repository.path(), "rev": "main", "patch": blank}),
    ]);
    for root in ["strict", outside.path().to_str().unwrap()] {
        let answers = answers(&ran(
            &mut wpatch(directory.path(), &["--root", root]),
            &input,
        ));
        let codes: Vec<_> = answers
            .values()
            .map(|answer| answer["report"]["exit_code"].as_u64().unwrap())
            .collect();
        assert_eq!(codes, [0, 3, 0], "{root}");
    }
}

#[cfg(unix)]
#[test]
fn for_many_jobs_git_is_started_once_for_each_thing_that_is_asked() {
    let (directory, repository) = (TempDir::new().unwrap(), Repository::of(&sample()));
    let real = String::from_utf8(world::sh("command -v git").output().unwrap().stdout).unwrap();
    let log = directory.path().join("log");
    fake_git(
        directory.path(),
        &format!(
            "echo \"$*\" >>{}\nexec {} \"$@\"",
            log.display(),
            real.trim_end()
        ),
    );
    let root = TempDir::new().unwrap();
    let mut command = wpatch(root.path(), &["--jobs", "1"]);
    // As in a hook, where git alone knows what is configured.
    command
        .env("PATH", before_all(&directory.path().display().to_string()))
        .env("GIT_DIR", repository.path());
    let of_root = lines(&vec![
        json!({"rev": "main", "patch": patch("one", "1")});
        20
    ]);
    let answers = answers(&ran(
        &mut command,
        &[many(&repository, 20), of_root].concat(),
    ));
    assert_eq!(
        answers
            .values()
            .filter(|answer| answer["report"]["ok"] == true)
            .count(),
        14 + 20
    );
    let starts = fs::read_to_string(log).unwrap();
    let count = |word: &str| starts.lines().filter(|line| line.contains(word)).count();
    // The repository that is named, and the one that is found, which is asked how it is configured
    // besides.
    assert_eq!(
        (
            count("cat-file"),
            count("config --list"),
            starts.lines().count()
        ),
        (2, 1, 3),
        "{starts}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn answers_that_cannot_be_written_are_an_error() {
    let directory = directory();
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let jobs = directory.path().join("jobs");
    fs::write(
        &jobs,
        lines(&[json!({"root": "tree", "patch": patch("one", "1")})]),
    )
    .unwrap();
    let mut command = wpatch(directory.path(), &["jobs"]);
    let output = command
        .stdout(full.into_file())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write the reports"));
}

#[test]
fn a_job_whose_file_is_missing_names_the_file_that_matches() {
    let directory = directory();
    let job = json!({"root": "tree", "patch": "--- a/x/b/c\n+++ b/x/b/c\n@@ -1 +1 @@\n-c\n+C\n"});
    let output = ran(&mut wpatch(directory.path(), &[]), &lines(&[job]));
    let answer = &answers(&output)[&0];
    let help = answer["report"]["problems"][0]["help"].as_str().unwrap();
    assert!(help.contains("`b/c`") && !help.contains("--"), "{help}");
}
