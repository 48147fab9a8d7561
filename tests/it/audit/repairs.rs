//! Torn and missing ends of the audit file, which the next command completes.

use serde_json::Value;
use wpatch::engine;
use wpatch::report::ProblemReport;
use wpatch::transaction::audit::AuditProblemKind;
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{FaultInjection, FaultKind, Memory};

use super::{
    FILE, OPTIONS, assert_intact, bytes, change, events, memory, path, records, verify, write,
};

/// Returns a root with two changes, and its audit file.
fn recorded() -> (Memory, Vec<u8>) {
    let memory = memory();
    assert!(change(&memory, 0, 1).report.ok);
    assert!(change(&memory, 1, 2).report.ok);
    let bytes = bytes(&memory);
    (memory, bytes)
}

/// Returns the records in `bytes`.
fn records_of(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// Returns the length of the first line.
pub(super) fn first(bytes: &[u8]) -> usize {
    1 + bytes.iter().position(|&byte| byte == b'\n').unwrap()
}

#[test]
fn a_torn_append_is_completed_and_the_repair_is_recorded() {
    for cut in [1, 20, 150] {
        for fill in [0, 5] {
            let (memory, whole) = recorded();
            let mut torn = whole[..first(&whole) + cut].to_vec();
            // A power loss can leave a longer file whose end was never written.
            torn.resize(torn.len() + fill, 0);
            write(&memory, &torn);
            let problem = verify(&memory).files[0].problem.clone().unwrap();
            assert_eq!(
                (problem.kind, problem.line, problem.seq),
                (AuditProblemKind::Incomplete, 2, Some(2)),
                "{cut} {fill}"
            );
            assert!(engine::recover(&memory, OPTIONS).report.ok);
            assert_eq!(events(&memory), ["applied", "applied", "repaired"]);
            assert!(bytes(&memory).starts_with(&whole), "{cut} {fill}");
            let repair = &records(&memory)[2];
            assert_eq!(repair["of"], 2);
            assert_eq!(repair["bytes"], cut + fill);
            assert_intact(&memory, "repaired");
        }
    }
}

#[test]
fn removed_records_are_restored_from_the_history_and_the_repair_is_recorded() {
    for kept in [Some(1), Some(0), None] {
        let (memory, whole) = recorded();
        match kept {
            Some(lines) => write(&memory, &whole[..lines * first(&whole)]),
            None => memory.remove(&path(FILE)).unwrap(),
        }
        assert!(!verify(&memory).ok);
        assert!(engine::recover(&memory, OPTIONS).report.ok);
        assert!(bytes(&memory).starts_with(&whole), "{kept:?}");
        let kept = kept.unwrap_or_default() as u64;
        let repair = records(&memory).pop().unwrap();
        let numbers = [&repair["of"], &repair["records"], &repair["bytes"]];
        assert_eq!(repair["event"], "repaired");
        assert_eq!(
            numbers,
            [&(kept + 1).into(), &(2 - kept).into(), &Value::Null]
        );
        assert_eq!(verify(&memory).files[0].repaired, 1);
        assert_intact(&memory, "restored");
        // The note about the repair cannot be removed either.
        write(&memory, &whole);
        assert!(!verify(&memory).ok);
        assert!(engine::recover(&memory, OPTIONS).report.ok);
        assert_eq!(
            records(&memory),
            [&records_of(&whole)[..], &[repair]].concat()
        );
    }
}

#[test]
fn the_record_of_a_killed_change_is_completed_without_a_repair() {
    let mut completed = 0;
    for verb in 0.. {
        let (memory, whole) = recorded();
        memory.inject(FaultInjection {
            verb: memory.verb_count() + verb,
            kind: FaultKind::Killed,
        });
        let _ = change(&memory, 2, 3);
        if !memory.has_failed() {
            break;
        }
        let next = memory.restart();
        let length = bytes(&next).len();
        assert!(engine::recover(&next, OPTIONS).report.ok);
        let all = records(&next);
        let has_restored = |record: &Value| record.get("records").is_some();
        assert!(!all.iter().any(has_restored), "{verb}: {all:?}");
        let is_committed = all.get(2).is_some_and(|third| third["event"] == "applied");
        completed += usize::from(is_committed && length == whole.len());
    }
    assert!(completed > 0, "{completed}");
}

#[test]
fn an_end_that_is_no_incomplete_record_stays_as_evidence() {
    let (memory, whole) = recorded();
    let mut forged = whole.clone();
    forged.extend_from_slice(b"{\"seq\":3,\"forged");
    write(&memory, &forged);
    assert!(change(&memory, 2, 3).report.ok);
    assert!(bytes(&memory).starts_with(&forged));
    let problem = verify(&memory).files[0].problem.clone().unwrap();
    assert_eq!((problem.kind, problem.line), (AuditProblemKind::Changed, 3));
}

#[test]
fn a_tampered_last_record_does_not_hide_behind_the_next_one() {
    let (memory, whole) = recorded();
    let changed = String::from_utf8(whole)
        .unwrap()
        .replace("\"command\":\"edit\"", "\"command\":\"else\"");
    write(&memory, changed.as_bytes());
    assert!(change(&memory, 2, 3).report.ok);
    let problem = verify(&memory).files[0].problem.clone().unwrap();
    assert_eq!((problem.kind, problem.line), (AuditProblemKind::Changed, 1));
}

#[test]
fn a_record_that_cannot_be_written_is_only_a_warning_and_is_added_later() {
    let mut warned = 0;
    for verb in 0.. {
        let (memory, _) = recorded();
        memory.inject(FaultInjection {
            verb: memory.verb_count() + verb,
            kind: FaultKind::TransientError,
        });
        let report = change(&memory, 2, 3).report;
        if !memory.has_failed() {
            break;
        }
        let is_warning = |problem: &&ProblemReport| problem.message.contains("audit record");
        if report.ok && report.problems.iter().any(|problem| is_warning(&problem)) {
            warned += 1;
            assert_eq!(records(&memory).len(), 2, "{verb}");
            assert!(change(&memory, 3, 4).report.ok);
            let expected = ["applied", "applied", "applied", "repaired", "applied"];
            assert_eq!(events(&memory), expected, "{verb}");
            assert_intact(&memory, "added");
        }
    }
    assert!(warned > 0, "{warned}");
}

#[test]
fn a_file_that_cannot_be_read_prevents_a_change() {
    let (memory, whole) = recorded();
    memory.remove(&path(FILE)).unwrap();
    let private = wpatch::workspace::DirectoryPermissions::Private;
    memory.make_dir(&path(FILE), private).unwrap();
    let report = change(&memory, 2, 3).report;
    assert!(!report.ok && !report.changed);
    let message = report.error.unwrap().message;
    assert!(message.contains("audit file"), "{message}");
    memory.remove_dir(&path(FILE)).unwrap();
    assert!(engine::recover(&memory, OPTIONS).report.ok);
    assert!(bytes(&memory).starts_with(&whole));
    assert_intact(&memory, "restored");
}

#[test]
fn an_interrupted_change_has_an_aborted_record() {
    let mut aborted = 0;
    for verb in 0.. {
        let (memory, _) = recorded();
        memory.inject(FaultInjection {
            verb: memory.verb_count() + verb,
            kind: FaultKind::Killed,
        });
        let _ = change(&memory, 2, 3);
        if !memory.has_failed() {
            break;
        }
        let next = memory.restart();
        assert!(engine::recover(&next, OPTIONS).report.ok);
        let last: Value = records(&next).pop().unwrap();
        if last["event"] == "aborted" {
            aborted += 1;
            assert_eq!(last["command"], "edit");
            assert_eq!(last["files"][0]["path"], "a");
            assert!(last["plan_id"].as_str().unwrap().starts_with("sha256:"));
        }
    }
    assert!(aborted > 3, "{aborted}");
}
