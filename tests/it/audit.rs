//! The audit file: the content of its records, its crash safety, and its verification.

mod agent_trace;
mod faults;
mod places;
mod rejections;
mod repairs;
mod requests;
#[cfg(unix)]
mod signature_repairs;
#[cfg(unix)]
mod signatures;
mod tampering;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use wpatch::engine::{self, Outcome, Request, UndoTarget};
use wpatch::mode::Permissions;
use wpatch::path::RelPath;
use wpatch::report::AuditReport;
use wpatch::transaction::{
    Durability, HardLinkMode, HistoryLimits, Interrupt, JournalAdoption, MissingRoots, Options,
};
use wpatch::workspace::memory::{Entry, Memory};
use wpatch::workspace::{NewFile, Workspace};

/// The audit file of a root in memory.
const FILE: &str = ".wpatch/audit.jsonl";

const OPTIONS: Options = Options {
    durability: Durability::Full,
    lock_timeout: Duration::ZERO,
    history: HistoryLimits {
        entries: 100,
        age: Duration::from_secs(3600),
        bytes: 1 << 30,
    },
    links: HardLinkMode::Separate,
    journals: JournalAdoption::Refuse,
    missing_roots: MissingRoots::Refuse,
};

fn path(name: &str) -> RelPath {
    RelPath::new(name.as_bytes()).unwrap()
}

/// Returns a root in memory with a history and the file `a`.
fn memory() -> Memory {
    let memory = Memory::with_files([(path("a"), Entry::file("0\n"))]);
    assert!(engine::init(&memory, OPTIONS, &Interrupt::new()).report.ok);
    memory
}

fn run(memory: &Memory, mut request: Request) -> Outcome {
    request.commit.transaction = OPTIONS;
    engine::apply(request, memory, &Interrupt::new())
}

/// Changes the file `a` from `old` to `new`.
fn change(memory: &Memory, old: usize, new: usize) -> Outcome {
    run(
        memory,
        Request::edit("a", format!("{old}\n"), format!("{new}\n")),
    )
}

fn undo(memory: &Memory) -> Outcome {
    run(memory, Request::undo(UndoTarget::Last(1)))
}

fn redo(memory: &Memory) -> Outcome {
    run(memory, Request::undo(UndoTarget::Undo))
}

/// Returns the bytes of the audit file; none if it does not exist.
fn bytes(memory: &Memory) -> Vec<u8> {
    match memory.read(&path(FILE), u64::MAX) {
        Ok((bytes, _)) => bytes.into_vec(),
        Err(_) => Vec::new(),
    }
}

/// Replaces the audit file.
fn write(memory: &Memory, bytes: &[u8]) {
    let _ = memory.remove(&path(FILE));
    memory
        .create(
            &path(FILE),
            NewFile::new(&[bytes], Permissions::Exact(0o600), None),
        )
        .unwrap();
}

/// Returns the records as JSON.
fn records(memory: &Memory) -> Vec<Value> {
    let bytes = bytes(memory);
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// Returns the events of the records.
fn events(memory: &Memory) -> Vec<String> {
    let event = |record: &Value| record["event"].as_str().unwrap().to_owned();
    records(memory).iter().map(event).collect()
}

fn verify(memory: &Memory) -> AuditReport {
    engine::verify_audit(memory, OPTIONS).unwrap()
}

/// Asserts that the audit file is intact, and that each entry of the history has exactly one
/// record, and each record an entry.
#[track_caller]
fn assert_intact(memory: &Memory, context: &str) {
    let report = verify(memory);
    assert!(report.ok, "{context}: {:?}", report.files);
    let log = engine::log(memory, &Arc::default()).unwrap();
    let mut in_log: Vec<_> = log.entries.iter().map(|entry| entry.id.clone()).collect();
    in_log.sort();
    let own = ["applied", "undone", "redone", "aborted", "rejected"];
    let mut in_file: Vec<_> = records(memory)
        .iter()
        .filter(|record| own.contains(&record["event"].as_str().unwrap()))
        .map(|record| record["id"].as_str().unwrap().to_owned())
        .collect();
    in_file.sort();
    assert_eq!(in_file, in_log, "{context}");
}

#[test]
fn every_change_leaves_one_record_that_names_the_one_before_it() {
    let memory = memory();
    assert!(change(&memory, 0, 1).report.ok);
    assert!(undo(&memory).report.ok);
    assert!(redo(&memory).report.ok);
    assert!(change(&memory, 1, 2).report.ok);
    assert_eq!(events(&memory), ["applied", "undone", "redone", "applied"]);
    assert_intact(&memory, "");
    let all = records(&memory);
    assert_eq!(all[0]["prev"], Value::Null);
    let bytes = bytes(&memory);
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    for (number, record) in all.iter().enumerate() {
        assert_eq!(record["seq"], number + 1);
        let line = lines.next().unwrap();
        if let Some(next) = all.get(number + 1) {
            assert_eq!(next["prev"], wpatch::digest::Sha256::of(line).to_string());
        }
    }
    let file = &all[3]["files"][0];
    assert_eq!(
        (&file["path"], &file["op"]),
        (&"a".into(), &"modify".into())
    );
    let sha256 = |text: &str| wpatch::digest::Sha256::of(text.as_bytes()).to_string();
    assert_eq!(file["before"]["sha256"], sha256("1\n"));
    assert_eq!(file["after"]["sha256"], sha256("2\n"));
    assert_eq!(all[1]["undoes"], serde_json::json!([all[0]["id"]]));
}

#[test]
fn a_removed_history_leaves_its_records() {
    let memory = memory();
    for number in 0..5 {
        assert!(change(&memory, number, number + 1).report.ok);
    }
    let options = Options {
        history: HistoryLimits::NOTHING,
        ..OPTIONS
    };
    let before = bytes(&memory);
    assert!(engine::gc(&memory, options, &Interrupt::new()).report.ok);
    assert!(
        engine::log(&memory, &Arc::default())
            .unwrap()
            .entries
            .is_empty()
    );
    assert_eq!(bytes(&memory), before);
    assert!(verify(&memory).ok, "{:?}", verify(&memory));
    assert!(change(&memory, 5, 6).report.ok);
    assert!(verify(&memory).ok, "{:?}", verify(&memory));
    assert_eq!(records(&memory).len(), 6);
}

#[test]
fn the_limits_of_the_history_do_not_remove_records() {
    let memory = memory();
    for number in 0..6 {
        let mut request = Request::edit("a", format!("{number}\n"), format!("{}\n", number + 1));
        request.commit.transaction = OPTIONS;
        request.commit.transaction.history.entries = 2;
        assert!(engine::apply(request, &memory, &Interrupt::new()).report.ok);
    }
    assert_eq!(
        engine::log(&memory, &Arc::default()).unwrap().entries.len(),
        2
    );
    assert_eq!(records(&memory).len(), 6);
    assert!(verify(&memory).ok, "{:?}", verify(&memory));
}

#[test]
fn a_refused_change_leaves_no_record() {
    let memory = memory();
    assert!(!change(&memory, 7, 8).report.ok);
    assert_eq!(bytes(&memory), b"");
    assert!(verify(&memory).ok && verify(&memory).files.is_empty());
}
