//! Torn and missing signatures, which the next command completes.

use std::time::Duration;

use serde_json::json;
use wpatch::engine::{self, Outcome, Request, SignCommand};
use wpatch::transaction::Interrupt;
use wpatch::transaction::audit::AuditProblemKind;
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::Memory;

use super::repairs::first;
use super::{OPTIONS, assert_intact, bytes, change, memory, path, records, run, verify, write};

/// Changes the file `a` from 0 to 1, with a signed record.
fn signed_change(memory: &Memory) -> Outcome {
    let mut request = Request::edit("a", "0\n", "1\n");
    request.commit.attribution.sign_with = Some(SignCommand {
        command: "echo S".into(),
        directory: std::env::temp_dir(),
        limit: Duration::from_secs(60),
    });
    run(memory, request)
}

#[test]
fn a_signature_that_is_torn_or_removed_is_restored_and_the_repair_is_recorded() {
    for (is_followed, kept) in [(false, 0), (false, 20), (false, usize::MAX), (true, 0)] {
        let memory = memory();
        assert!(signed_change(&memory).report.ok);
        if is_followed {
            assert!(change(&memory, 1, 2).report.ok);
        }
        let whole = bytes(&memory);
        let start = first(&whole);
        let end = start + kept.min(whole.len() - start - 1);
        write(&memory, &whole[..end]);
        let problem = verify(&memory).files[0].problem.clone().unwrap();
        assert_eq!((problem.line, problem.seq), (2, Some(2)), "{kept}");
        assert!(engine::recover(&memory, OPTIONS).report.ok);
        assert!(bytes(&memory).starts_with(&whole), "{kept} {is_followed}");
        let last = records(&memory).pop().unwrap();
        assert_eq!(
            (&last["event"], &last["of"]),
            (&json!("repaired"), &json!(2))
        );
        assert_intact(&memory, "repaired");
    }
}

#[test]
fn a_missing_signature_is_noticed_without_a_history() {
    let memory = memory();
    assert!(signed_change(&memory).report.ok);
    let whole = bytes(&memory);
    let mut nothing = OPTIONS;
    nothing.history.entries = 0;
    assert!(engine::gc(&memory, nothing, &Interrupt::new()).report.ok);
    memory.remove(&path(".wpatch/audit.head")).unwrap();
    write(&memory, &whole[..first(&whole)]);
    let problem = verify(&memory).files[0].problem.clone().unwrap();
    assert_eq!(
        (problem.kind, problem.seq),
        (AuditProblemKind::Truncated, Some(2))
    );
}
