//! Faults while a plan or a rejection is saved: the record is complete or does not exist.

use wpatch::engine::options::HistoryLimits;
use wpatch::engine::{self, RejectRequest, Request};
use wpatch::path::RelPath;
use wpatch::transaction::{Durability, Interrupt, Options};
use wpatch::workspace::memory::{DurableChanges, Entry, FaultInjection, FaultKind, Memory};

use super::PATCH;

/// Returns a root in memory, with a place for plans.
fn memory() -> Memory {
    let path = |name: &str| RelPath::new(name.as_bytes()).unwrap();
    let memory = Memory::with_files([
        (path("a"), Entry::file("one\ntwo\n")),
        (path("b"), Entry::file("three\n")),
    ]);
    assert!(
        engine::init(&memory, Options::default(), &Interrupt::new())
            .report
            .ok
    );
    memory
}

fn request() -> Request {
    let transaction = Options {
        durability: Durability::Full,
        lock_timeout: std::time::Duration::ZERO,
        ..Options::default()
    };
    let mut request = Request::of(PATCH);
    request.commit.transaction = transaction;
    request
}

/// Says whether the plan `id` is there, by carrying it out.
fn is_whole(memory: &Memory, id: &str) -> bool {
    match engine::load_plan(request(), memory, id) {
        Ok(request) => {
            let outcome = engine::apply(request, memory, &Interrupt::new());
            assert!(outcome.report.changed, "{:?}", outcome.report.error);
            true
        }
        Err(outcome) => {
            assert_eq!(
                outcome.report.error.unwrap().kind,
                wpatch::report::ProblemKind::Missing
            );
            false
        }
    }
}

#[test]
fn a_fault_at_any_verb_leaves_a_plan_whole_or_none() {
    let id = engine::save(request(), &memory(), &Interrupt::new())
        .report
        .saved
        .unwrap()
        .id;
    for kind in FaultKind::ALL {
        let mut faults = 0;
        for verb in 0.. {
            let memory = memory();
            memory.inject(FaultInjection { verb, kind });
            let report = engine::save(request(), &memory, &Interrupt::new()).report;
            if !memory.has_failed() {
                break;
            }
            faults += 1;
            let is_killed = matches!(kind, FaultKind::Killed | FaultKind::KilledAfter);
            for next in [
                memory.restart(),
                memory.after_power_loss_with(DurableChanges::Random(verb as u64)),
            ] {
                let recovered = engine::recover(&next, Options::default()).report;
                assert!(recovered.ok, "{kind:?} {verb}: {:?}", recovered.error);
                let names: Vec<_> = next.entries().keys().map(ToString::to_string).collect();
                assert!(
                    !names.iter().any(|name| name.contains("txn-")),
                    "{kind:?} {verb}: {names:?}"
                );
                let is_there = is_whole(&next, &id);
                assert!(
                    is_there || is_killed || report.saved.is_none(),
                    "{kind:?} {verb}"
                );
            }
            if kind == FaultKind::TransientError {
                assert_eq!(
                    is_whole(&memory.restart(), &id),
                    report.saved.is_some(),
                    "{verb}: {:?}",
                    report.problems
                );
            }
        }
        assert!(faults > 10, "{kind:?}: {faults}");
    }
}

#[test]
fn a_plan_that_is_kept_is_told_though_older_ones_stay() {
    let one = HistoryLimits {
        entries: 1,
        ..HistoryLimits::default()
    };
    let limited = |patch: &str| {
        let mut request = Request {
            what: Request::of(patch).what,
            ..request()
        };
        request.commit.transaction.history = one;
        request
    };
    let mut warned = 0;
    for verb in 0.. {
        let memory = memory();
        let other = limited(&PATCH.replace("+2", "+II"));
        assert!(
            engine::save(other, &memory, &Interrupt::new())
                .report
                .saved
                .is_some()
        );
        let verb = memory.verb_count() + verb;
        memory.inject(FaultInjection {
            verb,
            kind: FaultKind::PersistentError,
        });
        let report = engine::save(limited(PATCH), &memory, &Interrupt::new()).report;
        if !memory.has_failed() {
            break;
        }
        let codes: Vec<_> = report
            .problems
            .iter()
            .map(|problem| (problem.severity, problem.code))
            .collect();
        if let Some(saved) = &report.saved {
            assert_eq!(
                (report.ok, codes),
                (
                    true,
                    vec![(wpatch::report::Severity::Warning, "wpatch::io::not_swept")]
                ),
                "{verb}"
            );
            assert!(is_whole(&memory.restart(), &saved.id), "{verb}");
            warned += 1;
        }
    }
    assert!(warned > 1, "{warned}");
}

#[test]
fn a_fault_at_any_verb_leaves_a_refusal_whole_or_none() {
    let id = format!("sha256:{}", "5".repeat(64));
    let reject = |memory: &Memory| {
        engine::reject(
            &id,
            &RejectRequest {
                reason: Some("why".to_owned()),
                transaction: request().commit.transaction,
                ..RejectRequest::default()
            },
            memory,
            &Interrupt::new(),
        )
    };
    for kind in FaultKind::ALL {
        let mut faults = 0;
        for verb in 0.. {
            let memory = memory();
            memory.inject(FaultInjection { verb, kind });
            let is_told = reject(&memory).report.ok;
            if !memory.has_failed() {
                break;
            }
            faults += 1;
            let is_killed = matches!(kind, FaultKind::Killed | FaultKind::KilledAfter);
            for next in [
                memory.restart(),
                memory.after_power_loss_with(DurableChanges::Random(verb as u64)),
            ] {
                assert!(
                    engine::recover(&next, Options::default()).report.ok,
                    "{kind:?} {verb}"
                );
                let log = engine::log(&next, &std::sync::Arc::default()).unwrap();
                let reasons: Vec<_> = log
                    .entries
                    .iter()
                    .map(|entry| entry.reason.as_deref())
                    .collect();
                assert!(
                    reasons == [Some("why")] || reasons.is_empty() && (is_killed || !is_told),
                    "{kind:?} {verb}"
                );
            }
        }
        assert!(faults > 10, "{kind:?}: {faults}");
    }
}
