//! The audit file of each root after a change of several roots.

use std::sync::Arc;

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::engine::{self, Request, UndoTarget};
use wpatch::transaction::{Interrupt, Options, RecoveryOutcome, recover};
use wpatch::workspace::memory::{FaultInjection, FaultKind, Memory};

use super::cli::Directories;
use super::{NAMES, State, World, before_and_after};
use crate::crash::sample;

fn parse(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|&byte| byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// Returns the records in the audit file of `memory`.
fn records(memory: &Memory) -> Vec<Value> {
    let files = memory.files();
    let file = files
        .iter()
        .find(|(path, _)| path.as_bytes().ends_with(b"wpatch/audit.jsonl"));
    file.map_or_else(Vec::new, |(_, file)| parse(&file.contents))
}

/// Asserts that the audit file of one root is intact, and that each entry of its history has one
/// record, and each record an entry.
#[track_caller]
fn assert_intact(memory: &Memory, context: &str) {
    let report = engine::verify_audit(memory, Options::default()).unwrap();
    assert!(report.ok, "{context}: {:?}", report.files);
    let log = engine::log(memory, &Arc::default()).unwrap();
    let mut in_log: Vec<_> = log.entries.iter().map(|entry| entry.id.clone()).collect();
    in_log.sort();
    let all = records(memory).into_iter();
    let mut in_file: Vec<_> = all
        .map(|record| record["id"].as_str().unwrap().to_owned())
        .collect();
    in_file.sort();
    assert_eq!(in_file, in_log, "{context}");
}

#[test]
fn each_root_has_a_record_of_its_own_files_and_is_verified_alone() {
    let all = Directories::new();
    let both = ["--root", "api", "--root", "web"];
    let run = |words: &[&str]| {
        let output = all.run(&[words, &both].concat());
        assert!(output.status.success(), "{words:?}: {output:?}");
    };
    run(&["apply", "patch", "--actor", "a model"]);
    run(&["undo"]);
    let file = |name: &str| all.path(name).join(".wpatch/audit.jsonl");
    let [api, web] = ["api", "web"].map(|name| parse(&fs::read(file(name)).unwrap()));
    for records in [&api, &web] {
        let events: Vec<_> = records.iter().map(|it| it["event"].clone()).collect();
        assert_eq!(events, ["applied", "undone"]);
        assert_eq!(records[0]["actor"], "a model");
        assert_eq!(records[1]["undoes"], json!([records[0]["id"]]));
        for record in records {
            let paths: Vec<_> = record["files"].as_array().unwrap().iter().collect();
            let [changed] = &paths[..] else {
                panic!("{record}")
            };
            assert_eq!(changed["path"], "f");
            for side in ["before", "after"] {
                assert!(changed[side]["sha256"].is_string(), "{record}");
            }
            let real = |name: &str| {
                let path = fs::canonicalize(all.path(name)).unwrap();
                let path = path.to_str().unwrap().trim_start_matches(r"\\?\");
                path.replace('\\', "/")
            };
            let roots = json!(["api", "web"].map(|name| json!({"name": name, "path": real(name)})));
            assert_eq!(record["roots"], roots);
        }
    }
    let of_record = |record: &Value| (record["id"].clone(), record["plan_id"].clone());
    assert_eq!(of_record(&api[0]), of_record(&web[0]));
    // Each file can be verified while the other root is missing, and a fault concerns one root.
    fs::rename(all.path("web"), all.path("elsewhere")).unwrap();
    let verified = all.run(&["log", "--verify", "--root", "api"]);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    let text = fs::read_to_string(file("elsewhere")).unwrap();
    fs::write(file("elsewhere"), text.replace("a model", "a person")).unwrap();
    for (root, code) in [("api", 0), ("elsewhere", 1)] {
        let verified = all.run(&["log", "--verify", "--root", root]);
        assert_eq!(verified.status.code(), Some(code), "{root}: {verified:?}");
    }
}

#[test]
fn a_recovery_from_any_root_completes_the_record_in_each() {
    let states = before_and_after(3, State::Git);
    let verbs = {
        let world = World::new(3, State::Git, &[]);
        assert!(world.apply().report.ok);
        world.0[0].verb_count()
    };
    let (mut committed, mut completed, mut rolled_back) = (0, 0, 0);
    for verb in sample(0..verbs, "audit of roots") {
        let world = World::new(3, State::Git, &[]);
        let kind = FaultKind::Killed;
        world.0[0].inject(FaultInjection { verb, kind });
        let _ = world.apply();
        for starter in 0..3 {
            let next = world.restart();
            let recovered = recover(&next.0[starter], Options::default()).unwrap();
            // Without a record there, the dead process had finished with this root.
            let is_complete = recovered
                .iter()
                .any(|it| it.ending != RecoveryOutcome::Kept);
            let is_committed = next.trees() == states.1;
            for (number, tree) in next.0.iter().enumerate() {
                let what = format!("{verb}, from {starter}, in {number}");
                let is_applied = || records(tree).iter().any(|it| it["event"] == "applied");
                // The recovery from one root is enough: nothing opens the others before this.
                assert!(!is_complete || is_applied() == is_committed, "{what}");
                completed += usize::from(is_complete && is_committed);
                recover(tree, Options::default()).unwrap();
                assert_eq!(is_applied(), is_committed, "{what}");
                assert_intact(tree, &what);
            }
            committed += usize::from(is_committed);
            rolled_back += usize::from(!is_committed);
        }
    }
    assert!(
        committed > 5 && completed > 5 && rolled_back > 40,
        "{committed} {completed} {rolled_back}"
    );
}

#[test]
fn records_of_changes_of_one_root_and_of_several_are_one_chain() {
    let world = World::new(2, State::Git, &[]);
    assert!(world.apply().report.ok);
    let patch = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-new\n+newer\n";
    let single = engine::apply(Request::of(patch), &world.0[0], &Interrupt::new());
    assert!(single.report.ok, "{:?}", single.report.error);
    let undo = Request::undo(UndoTarget::Last(1));
    assert!(
        engine::apply(undo, &world.0[0], &Interrupt::new())
            .report
            .ok
    );
    let undo = Request::undo(UndoTarget::Last(1));
    let undone = engine::apply(undo, &world.roots(), &Interrupt::new());
    assert!(undone.report.ok, "{:?}", undone.report.error);
    let numbers = |tree: &Memory| -> Vec<Value> {
        let records = records(tree).into_iter();
        records
            .map(|record| json!([record["seq"], record["event"]]))
            .collect()
    };
    assert_eq!(
        numbers(&world.0[0]),
        [
            json!([1, "applied"]),
            json!([2, "applied"]),
            json!([3, "undone"]),
            json!([4, "undone"])
        ]
    );
    assert_eq!(
        numbers(&world.0[1]),
        [json!([1, "applied"]), json!([2, "undone"])]
    );
    for (tree, name) in world.0.iter().zip(NAMES) {
        assert_intact(tree, name);
    }
}
