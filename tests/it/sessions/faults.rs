//! A fault at any verb of a step or of a commit: the session, and the tree, are before or after.

use wpatch::transaction::recover;
use wpatch::workspace::memory::{DurableChanges, FaultInjection, FaultKind};

use super::*;
use crate::crash::sample;

/// Returns a session with the first of [`PATCHES`], in a tree that counts verbs from 0.
fn begun() -> (Memory, String) {
    let memory = memory();
    let id = begin(&memory);
    let outcome = step(&memory, &id, Request::of(PATCHES[0]));
    assert!(outcome.report.ok, "{:#?}", outcome.problems);
    (memory.restart(), id)
}

/// Returns the trees that a fault leaves: after a restart, and after power losses.
fn ends(memory: &Memory, seed: u64) -> Vec<Memory> {
    let changes = [
        DurableChanges::Random(seed),
        DurableChanges::Random(seed + 1000),
    ];
    let lost = changes.map(|changes| memory.after_power_loss_with(changes));
    [memory.restart()].into_iter().chain(lost).collect()
}

/// Returns the names of files that no command needs.
fn litter(memory: &Memory) -> Vec<RelPath> {
    let is_litter = |path: &RelPath| {
        let text = path.to_string();
        ["txn-", "dead-", ".tmp"]
            .iter()
            .any(|word| text.contains(word))
    };
    memory.entries().into_keys().filter(is_litter).collect()
}

#[test]
fn a_fault_at_any_verb_of_a_step_leaves_the_session_before_or_after() {
    let (calm, id) = begun();
    let (tree_before, before) = (tree(&calm), seen(&calm, &id));
    let calm = calm.restart();
    assert!(step(&calm, &id, Request::of(PATCHES[1])).report.ok);
    let (verbs, after) = (calm.verb_count(), seen(&calm, &id));
    let mut faults = 0;
    for kind in FaultKind::ALL {
        for verb in sample(0..verbs, &format!("step {kind:?}")) {
            let memory = begun().0;
            let id = &sessions(&memory)[0].clone();
            let memory = memory.restart();
            memory.inject(FaultInjection { verb, kind });
            let changed = engine::open_session(&memory, id).map(|session| {
                engine::apply(
                    request(Request::of(PATCHES[1])),
                    &session,
                    &Interrupt::new(),
                )
            });
            faults += usize::from(memory.has_failed());
            let is_ok = changed.is_ok_and(|outcome| outcome.report.ok);
            for next in ends(&memory, verb as u64) {
                let what = format!("{kind:?} at {verb}");
                recover(&next, OPTIONS).unwrap();
                let found = seen(&next, id);
                assert_eq!(tree(&next), tree_before, "{what}");
                assert!(
                    found == after || found == before && !is_ok,
                    "{what} {found:#?}"
                );
                // The next step removes the files that the fault left.
                assert!(
                    step(&next, id, Request::edit("same", "same", "x"))
                        .report
                        .ok,
                    "{what}"
                );
                assert_eq!(litter(&next), [], "{what}");
                assert!(commit(&next, id).report.ok, "{what}");
            }
        }
    }
    assert!(faults > 40, "{faults}");
}

#[test]
fn a_document_that_still_has_the_name_of_its_draft_is_usable() {
    let (memory, id) = begun();
    let before = seen(&memory, &id);
    let directory = format!(".wpatch/session-{id}");
    let [document, draft, other] =
        ["session", "session.tmp", "other"].map(|name| path(&format!("{directory}/{name}")));
    // A power loss between the two names of a rename.
    memory.link(&document, &draft).unwrap();
    assert_eq!(seen(&memory, &id), before);
    memory.link(&document, &other).unwrap();
    assert!(
        engine::open_session(&memory, &id).is_err(),
        "another user can have made this link"
    );
    memory.remove(&other).unwrap();
    assert!(step(&memory, &id, Request::of(PATCHES[1])).report.ok);
    assert_eq!(litter(&memory), []);
}

#[test]
fn a_fault_at_any_verb_of_a_commit_leaves_the_tree_before_or_after() {
    let (calm, id) = begun();
    let before = tree(&calm);
    let calm = calm.restart();
    assert!(commit(&calm, &id).report.ok);
    let (verbs, after) = (calm.verb_count(), tree(&calm));
    assert!(before != after);
    let mut faults = 0;
    for kind in FaultKind::ALL {
        for verb in sample(0..verbs, &format!("commit {kind:?}")) {
            let memory = begun().0;
            let id = &sessions(&memory)[0].clone();
            let memory = memory.restart();
            memory.inject(FaultInjection { verb, kind });
            let outcome = commit(&memory, id);
            faults += usize::from(memory.has_failed());
            let is_dead = matches!(kind, FaultKind::Killed | FaultKind::KilledAfter);
            for next in ends(&memory, verb as u64) {
                let what = format!("{kind:?} at {verb}: {:?}", outcome.problems);
                recover(&next, OPTIONS).unwrap();
                let found = tree(&next);
                let is_right = match (outcome.report.ok && !is_dead, outcome.report.exit_code) {
                    (true, _) => found == after,
                    (_, 5) => found == before || found == after,
                    _ if is_dead => found == before || found == after,
                    _ => found == before,
                };
                assert!(is_right, "{what} {found:#?}");
                assert_eq!(litter(&next), [], "{what}");
                // As long as the session exists, it can be committed. A second commit of the same
                // session changes nothing.
                let is_open = !sessions(&next).is_empty();
                assert!(is_open || found == after, "{what}");
                if is_open {
                    let again = commit(&next, id);
                    assert!(again.report.ok, "{what} {:#?}", again.problems);
                    assert_eq!(again.report.changed, found == before, "{what}");
                }
                assert_eq!(tree(&next), after, "{what}");
                assert!(sessions(&next).is_empty(), "{what}");
            }
        }
    }
    assert!(faults > 40, "{faults}");
}

#[test]
fn a_step_during_a_commit_is_never_lost() {
    let (calm, id) = begun();
    assert!(commit(&calm, &id).report.ok);
    let (mut before, mut refused) = (0, 0);
    for verb in 0..calm.verb_count() {
        let (memory, id) = begun();
        let (sender, receiver) = std::sync::mpsc::channel();
        let late = id.clone();
        memory.run_before_verb(verb, move |memory| {
            let other = memory.second_handle();
            let changed = engine::open_session(&other, &late).is_ok_and(|session| {
                let change = request(Request::write("late", "late\n"));
                engine::apply(change, &session, &Interrupt::new()).report.ok
            });
            let _ = sender.send(changed);
        });
        let outcome = commit(&memory, &id);
        let is_changed = receiver.try_recv().unwrap_or(false);
        if is_changed {
            before += 1;
            let is_kept =
                sessions(&memory) == [id.clone()] && seen(&memory, &id).contains_key(&path("late"));
            assert!(
                is_kept || tree(&memory).contains_key(&path("late")),
                "{verb}"
            );
            refused += usize::from(!outcome.report.ok);
        }
        assert!(
            outcome.report.ok || is_changed,
            "{verb}: {:#?}",
            outcome.problems
        );
    }
    // The step comes before the session is read, between that and the lock, or after the commit.
    assert!(
        before > 5 && refused > 0 && refused < before,
        "{before} {refused}"
    );
}
