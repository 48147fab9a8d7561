//! Reports of many failures: a limited number is listed, and the others are counted.

mod edits;
mod interfaces;
mod texts;

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::Value;
use wpatch::engine::{self, GitIndex, Outcome, Request, UpdateScope};
use wpatch::path::RelPath;
use wpatch::report::{
    self, MAX_APPLYING_HUNKS, MAX_FAILED_FILES, MAX_FAILED_HUNKS, MAX_FAILED_HUNKS_PER_FILE,
    MAX_PROBLEMS,
};
use wpatch::transaction::Interrupt;
use wpatch::workspace::disk::Disk;
use wpatch::workspace::memory::{Entry, Memory};

use crate::repository::git;
use crate::run::valid;
use crate::systems::Desk;

/// Most bytes of the JSON of one file that has any number of failing hunks.
const ONE_FILE: usize = 150_000;
/// Most bytes of the JSON of any number of failing files with any number of hunks.
const MANY_FILES: usize = 12_000_000;

/// A file with the lines `line 0` to `line {lines - 1}`.
fn memory(names: &[String], lines: usize) -> Memory {
    let text = (0..lines)
        .map(|line| format!("line {line}\n"))
        .collect::<Vec<_>>()
        .concat();
    Memory::with_files(names.iter().map(|name| {
        (
            RelPath::new(name.as_bytes()).unwrap(),
            Entry::file(text.as_bytes()),
        )
    }))
}

fn header(name: &str) -> String {
    format!("--- a/{name}\n+++ b/{name}\n")
}

/// A hunk for line `line`, counted from 0, which every file of [`memory`] has if `fits`.
fn hunk(line: usize, fits: bool) -> String {
    let old = if fits {
        format!("line {line}")
    } else {
        format!("absent {line}")
    };
    format!("@@ -{0} +{0} @@\n-{old}\n+new {line}\n", line + 1)
}

fn request(patch: &str) -> Request {
    let mut request = Request::of(patch);
    request.decide.unidiff_zero = true;
    request.look.describe = true;
    request
}

fn json(outcome: &Outcome) -> (usize, Value) {
    let mut out = Vec::new();
    report::find_format("json")
        .unwrap()
        .print(&outcome.report, &mut out)
        .unwrap();
    (out.len(), valid(serde_json::from_slice(&out).unwrap()))
}

fn count(value: &Value) -> usize {
    value.as_array().unwrap().len()
}

fn omitted(value: &Value, what: &str) -> usize {
    value["omitted"][what]
        .as_u64()
        .unwrap_or_default()
        .try_into()
        .unwrap()
}

/// Asserts that what is listed and what is omitted are all, and returns the numbers of hunks and
/// problems.
fn adds_up(report: &Value) -> (usize, usize) {
    let files = report["files"].as_array().unwrap();
    let listed: usize = files.iter().map(|file| count(&file["hunks"])).sum();
    let of_files: usize = files.iter().map(|file| omitted(file, "hunks")).sum();
    assert_eq!(
        report["summary"]["files"],
        files.len() + omitted(report, "files")
    );
    assert_eq!(
        report["summary"]["hunks"],
        listed + omitted(report, "hunks")
    );
    assert!(of_files <= omitted(report, "hunks"));
    (
        listed,
        count(&report["problems"]) + omitted(report, "problems"),
    )
}

#[test]
fn a_file_of_many_failing_hunks_has_a_short_report() {
    const HUNKS: usize = 5000;
    let patch: String = std::iter::once(header("a"))
        .chain((0..HUNKS).map(|line| hunk(line, false)))
        .collect();
    let outcome = engine::check(request(&patch), &memory(&["a".to_owned()], 50));
    let (size, report) = json(&outcome);
    assert!(size < ONE_FILE, "{size}");
    assert_eq!(adds_up(&report), (MAX_FAILED_HUNKS_PER_FILE, HUNKS));
    assert_eq!(
        (&report["exit_code"], &report["error"]["kind"]),
        (&1.into(), &"not_found".into())
    );
    assert_eq!(
        omitted(&report["files"][0], "hunks"),
        HUNKS - MAX_FAILED_HUNKS_PER_FILE
    );
    let ids: Vec<_> = report["files"][0]["hunks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hunk| &hunk["id"])
        .collect();
    assert!(
        ids.iter()
            .enumerate()
            .all(|(nth, id)| **id == format!("f1h{}", nth + 1)),
        "{ids:?}"
    );
    // The details are not built and thrown away.
    assert!(
        outcome.problems.len() == MAX_FAILED_HUNKS_PER_FILE
            && report["files"][0]["hunks"][99]["expected"][0].is_string()
    );
}

#[test]
fn many_failing_files_have_a_short_report_that_states_all_of_policy() {
    const FILES: usize = MAX_FAILED_FILES + 500;
    let names: Vec<_> = (0..FILES)
        .map(|file| format!("d{}/f{file}", file / 100))
        .collect();
    let mut patch: String = names
        .iter()
        .map(|name| header(name) + &hunk(1, true) + &hunk(2, false))
        .collect();
    patch += &(header(".git/config") + &hunk(1, true));
    let outcome = engine::check(request(&patch), &memory(&names, 3));
    let (size, report) = json(&outcome);
    assert!(size < MANY_FILES, "{size}");
    let (listed, problems) = adds_up(&report);
    assert_eq!(
        (listed, problems),
        (MAX_APPLYING_HUNKS + MAX_FAILED_HUNKS, FILES + 1)
    );
    // As many are kept of each code: those of the files, and that of policy.
    assert_eq!(
        (outcome.problems.len(), outcome.omitted_problems()),
        (MAX_PROBLEMS + 1, FILES - MAX_PROBLEMS)
    );
    assert_eq!(count(&report["problems"]), MAX_PROBLEMS);
    assert_eq!(
        (omitted(&report, "files"), count(&report["files"])),
        (501, MAX_FAILED_FILES)
    );
    // The protected file is the last one.
    let names = [
        &report["policy"]["verdict"],
        &report["error"]["kind"],
        &report["exit_code"],
    ];
    assert_eq!(names, [&Value::from("deny"), &"denied".into(), &3.into()]);
    assert_eq!(
        report["policy"]["rules_hit"],
        serde_json::json!(["git-directory"])
    );
}

#[cfg(unix)]
#[test]
fn files_that_are_not_as_indexed_are_counted_where_no_report_lists_them() {
    const FILES: usize = MAX_PROBLEMS + 200;
    let names: Vec<_> = (0..FILES).map(|file| format!("f{file:04}")).collect();
    let files: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), &b"line 0\nline 1\n"[..]))
        .collect();
    let desk = Desk::with(&files);
    for words in [&["init", "-q"][..], &["add", "."]] {
        assert!(
            git(words)
                .current_dir(desk.root())
                .status()
                .unwrap()
                .success()
        );
    }
    // Another size, and the same: git compares the contents of the latter.
    for (nth, name) in names.iter().enumerate() {
        let text = if nth % 2 == 0 {
            "other\n"
        } else {
            "LINE 0\nline 1\n"
        };
        fs_err::write(desk.path(name), text).unwrap();
    }
    let index = GitIndex::find(&desk.root(), &Interrupt::new()).unwrap();
    let patch: String = names
        .iter()
        .map(|name| header(name) + &hunk(1, true))
        .collect();
    let mut request = request(&patch);
    (request.decide.index, request.context.index) =
        (Some(UpdateScope::Both), Some(Arc::new(index)));
    let outcome = engine::check(request, &Disk::open(&desk.root()).unwrap());
    let (_, report) = json(&outcome);
    assert_eq!(
        (outcome.problems.len(), outcome.omitted_problems()),
        (MAX_PROBLEMS, FILES - MAX_PROBLEMS)
    );
    assert_eq!(
        (adds_up(&report).1, &report["error"]["code"]),
        (FILES, &"wpatch::file::not_as_indexed".into())
    );
}

#[test]
fn files_that_are_missing_list_few_hunks() {
    let patch: String = (0..30)
        .map(|file| header(&format!("f{file}")) + &many(200))
        .collect();
    let (size, report) = json(&engine::check(request(&patch), &memory(&[], 0)));
    assert!(size < 1_000_000, "{size}");
    assert_eq!(adds_up(&report), (MAX_FAILED_HUNKS, 30));
    assert_eq!(
        (omitted(&report, "files"), count(&report["files"])),
        (0, 30)
    );
}

fn many(count: usize) -> String {
    (0..count).map(|line| hunk(line, false)).collect()
}

#[test]
fn hunks_that_fit_are_counted_where_they_are_not_listed() {
    let fitting = MAX_APPLYING_HUNKS + 70;
    let hunks = (0..=fitting).map(|line| hunk(line, line != 5));
    let patch: String = std::iter::once(header("a")).chain(hunks).collect();
    let patch = patch.replacen("@@ -10070 +10070 @@", "@@ -10069 +10069 @@", 1);
    let (_, report) = json(&engine::check(
        request(&patch),
        &memory(&["a".to_owned()], fitting + 1),
    ));
    assert_eq!(adds_up(&report), (MAX_APPLYING_HUNKS + 1, 1));
    assert_eq!(
        (
            omitted(&report, "hunks"),
            &report["summary"]["hunks_offset"]
        ),
        (70, &1.into())
    );
}

#[test]
fn a_change_that_can_be_made_lists_everything_that_is_approved() {
    let names: Vec<_> = (0..150).map(|file| format!("f{file:03}")).collect();
    let patch: String = names
        .iter()
        .map(|name| header(name) + &hunk(0, true) + &many(150))
        .collect();
    let mut request = request(&patch);
    request.decide.reject = true;
    let tree = memory(&names, 1);
    let outcome = engine::check(request.clone(), &tree);
    let (_, report) = json(&outcome);
    assert_eq!(
        (&report["outcome"], &report["ok"]),
        (&"would_be_partial".into(), &false.into())
    );
    assert_eq!(
        (count(&report["files"]), adds_up(&report)),
        (150, (MAX_FAILED_HUNKS + 150, 150 * 150))
    );
    let has_digests =
        |file: &Value| file["sha256_before"].is_string() && file["sha256_after"].is_string();
    assert!(report["files"].as_array().unwrap().iter().all(has_digests));
    // The approval holds for all of it.
    request.commit.approve = outcome.report.plan_id;
    let applied = engine::apply(request, &tree, &Interrupt::new());
    assert_eq!(
        applied.report.outcome,
        report::Outcome::Partial,
        "{:?}",
        applied.report.error
    );
    let rejects = tree.files()[&RelPath::new(b"f149.rej").unwrap()]
        .contents
        .clone();
    assert_eq!(
        String::from_utf8(rejects).unwrap().matches("@@ ").count(),
        150
    );
}

proptest! {
    #![proptest_config(Config { cases: 60, rng_seed: RngSeed::Fixed(28), failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_report_within_the_limits_omits_nothing(
        files in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..=MAX_FAILED_HUNKS_PER_FILE), 1..=8),
        reject in any::<bool>(),
    ) {
        let names: Vec<_> = (0..files.len()).map(|file| format!("f{file}")).collect();
        let mut patch = String::new();
        for (name, hunks) in names.iter().zip(&files) {
            patch += &header(name);
            hunks.iter().enumerate().for_each(|(line, &fits)| write!(patch, "{}", hunk(line, fits)).unwrap());
        }
        let mut request = request(&patch);
        request.decide.reject = reject;
        let tree = memory(&names, MAX_FAILED_HUNKS_PER_FILE);
        let (_, report) = json(&engine::check(request.clone(), &tree));
        let failing = files.iter().flatten().filter(|&&fits| !fits).count();
        prop_assert!(report.get("omitted").is_none());
        prop_assert_eq!(adds_up(&report), (files.iter().map(Vec::len).sum(), failing));
        let hunks = report["files"].as_array().unwrap().iter().map(|file| count(&file["hunks"]));
        prop_assert_eq!(hunks.collect::<Vec<_>>(), files.iter().map(Vec::len).collect::<Vec<_>>());
        prop_assert!(report["files"].as_array().unwrap().iter().all(|file| file.get("omitted").is_none()));
        prop_assert_eq!(report, json(&engine::check(request, &tree)).1);
    }
}
