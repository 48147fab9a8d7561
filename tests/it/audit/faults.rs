//! Faults at every verb: after the next command, every change has exactly one record.

use wpatch::engine::{self, Request, UndoTarget};
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{DurableChanges, FaultInjection, FaultKind, Memory};

use crate::world::takes_all;

use super::{OPTIONS, assert_intact, change, events, memory, run, verify};

/// Returns the distance between the verbs of a sample; 1 with `WPATCH_FAULTS=all`.
fn step() -> usize {
    if takes_all() { 1 } else { 3 }
}

/// The content of the file `a`.
fn content(memory: &Memory) -> Vec<u8> {
    memory.files()[&super::path("a")].contents.clone()
}

/// Returns a root with two changes, the last one undone.
fn prepared() -> Memory {
    let memory = memory();
    assert!(change(&memory, 0, 1).report.ok);
    assert!(change(&memory, 1, 2).report.ok);
    memory
}

/// The commands that leave records, and the content of the file after each.
fn commands() -> [(&'static str, Request, &'static [u8]); 3] {
    [
        ("change", Request::edit("a", "2\n", "3\n"), b"3\n"),
        ("undo", Request::undo(UndoTarget::Last(1)), b"1\n"),
        (
            "patch",
            Request::of(
                "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-2\n+4\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+b\n",
            ),
            b"4\n",
        ),
    ]
}

/// Asserts that the next commands find or complete one record for each change.
fn assert_recovers(next: &Memory, context: &str) {
    let recovered = engine::recover(next, OPTIONS).report;
    assert!(recovered.ok, "{context}: {:?}", recovered.error);
    assert_intact(next, context);
    // The chain continues.
    let text = content(next);
    let old = std::str::from_utf8(&text).unwrap().to_owned();
    let outcome = run(next, Request::edit("a", old, "9\n"));
    assert!(outcome.report.ok, "{context}: {:?}", outcome.report.error);
    assert_intact(next, &format!("{context}, then a change"));
}

#[test]
fn a_fault_at_any_verb_leaves_one_record_for_each_change() {
    for (name, request, after) in commands() {
        for kind in FaultKind::ALL {
            let mut faults = 0;
            for verb in (0..).step_by(step()) {
                let memory = prepared();
                let context = format!("{name} {kind:?} {verb}");
                memory.inject(FaultInjection {
                    verb: memory.verb_count() + verb,
                    kind,
                });
                let report = run(&memory, request.clone()).report;
                if !memory.has_failed() {
                    break;
                }
                faults += 1;
                let restarted = memory.restart();
                assert_recovers(&restarted, &context);
                let seed = verb as u64;
                for survivors in [
                    DurableChanges::Synced,
                    DurableChanges::Names,
                    DurableChanges::Data,
                    DurableChanges::All,
                    DurableChanges::Random(seed),
                    DurableChanges::Random(seed + 1000),
                ] {
                    let context = format!("{context} {survivors:?}");
                    let next = memory.after_power_loss_with(survivors);
                    assert_recovers(&next, &context);
                }
                if report.ok && kind != FaultKind::Killed {
                    assert_eq!(content(&memory), after, "{context}");
                }
            }
            assert!(faults * step() > 10, "{name} {kind:?}: {faults}");
        }
    }
}

#[test]
fn a_fault_during_recovery_leaves_one_record_for_each_change() {
    let request = || Request::edit("a", "2\n", "3\n");
    let mut faults = 0;
    let mut verb = 0;
    loop {
        let memory = prepared();
        let first = memory.verb_count() + verb;
        memory.inject(FaultInjection {
            verb: first,
            kind: FaultKind::Killed,
        });
        let _ = run(&memory, request());
        if !memory.has_failed() {
            break;
        }
        for kind in [FaultKind::Killed, FaultKind::KilledAfter] {
            for second in 0.. {
                let next = memory.restart();
                next.inject(FaultInjection {
                    verb: next.verb_count() + second,
                    kind,
                });
                let _ = engine::recover(&next, OPTIONS);
                if !next.has_failed() {
                    break;
                }
                faults += 1;
                assert_recovers(&next.restart(), &format!("{verb} {kind:?} {second}"));
                let lost = next.after_power_loss_with(DurableChanges::Random(second as u64));
                assert_recovers(&lost, &format!("{verb} {kind:?} {second}, power loss"));
            }
        }
        // Neighbouring verbs lead to the same states.
        verb += 3 * step();
    }
    assert!(faults * step() > 50, "{faults}");
}

#[test]
fn a_removal_of_entries_at_any_verb_keeps_the_chain() {
    let limits = wpatch::transaction::Options {
        history: wpatch::transaction::HistoryLimits::NOTHING,
        ..OPTIONS
    };
    for kind in FaultKind::ALL {
        let mut faults = 0;
        for verb in 0.. {
            let memory = prepared();
            memory.inject(FaultInjection {
                verb: memory.verb_count() + verb,
                kind,
            });
            let _ = engine::gc(&memory, limits, &Interrupt::new());
            if !memory.has_failed() {
                break;
            }
            faults += 1;
            for next in [
                memory.restart(),
                memory.after_power_loss_with(DurableChanges::Random(verb as u64)),
                memory.after_power_loss_with(DurableChanges::Synced),
            ] {
                assert!(engine::recover(&next, OPTIONS).report.ok, "{kind:?} {verb}");
                let report = verify(&next);
                assert!(report.ok, "{kind:?} {verb}: {:?}", report.files);
                // A power loss can tear the end, and the repair has a record.
                let is_repair = |event: &String| event == "repaired";
                let changes = events(&next).into_iter().filter(|event| !is_repair(event));
                assert_eq!(changes.count(), 2, "{kind:?} {verb}");
            }
        }
        assert!(faults > 5, "{kind:?}: {faults}");
    }
}
