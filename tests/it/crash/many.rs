//! So many files that two threads share the swap.

use std::sync::{Arc, Mutex};

use wpatch::transaction::{Failure, Interrupt, Options, recover};
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{
    DurableChanges, Entry, FaultInjection, FaultKind, Feature, Memory,
};

use super::others::{Edit, verbs_of_staging};
use super::{FULL, NONE, memory, tree, verbs};
use crate::changes::{Case, Step, run};
use crate::tree::path;

/// More than a thread is started for.
const COUNT: usize = 300;
/// At so many verbs something happens.
const MOMENTS: usize = 8;

fn case() -> Case {
    case_of(COUNT)
}

/// Returns a case with `count` files in each directory.
fn case_of(count: usize) -> Case {
    let names = |directory: &'static str| {
        (0..count).map(move |number| -> &'static str { format!("{directory}/{number}").leak() })
    };
    let files = |directory: &'static str, text: &'static str| {
        names(directory).map(move |name| (name, Entry::file(text)))
    };
    let puts = ["changed", "made", "made/below"]
        .into_iter()
        .flat_map(names);
    let steps = puts
        .map(|name| Step::Put(name, Entry::file("new")))
        .chain(names("gone").map(Step::Delete));
    Case {
        name: "many",
        before: files("changed", "old")
            .chain(files("gone", "old"))
            .collect(),
        links: vec![],
        mounts: vec![],
        steps: steps.collect(),
        after: ["changed", "made", "made/below"]
            .into_iter()
            .flat_map(|directory| files(directory, "new"))
            .collect(),
    }
}

/// Returns some verbs of a case behind its staging.
fn moments(case: &Case, options: Options) -> impl Iterator<Item = usize> + use<> {
    let (start, end) = (
        verbs_of_staging(case, &[], options),
        verbs(case, &[], options),
    );
    (0..MOMENTS).map(move |moment| start + (end - start) * moment / MOMENTS)
}

/// Recovers what was left, and returns whether all is as before; else all is as after.
fn is_back(case: &Case, left: &Memory, options: Options) -> bool {
    recover(left, options).unwrap();
    let (found, before) = (tree(left), case.memory().entries());
    assert!(found == before || found == case.after());
    found == before
}

#[test]
fn what_somebody_else_writes_is_seen_behind_the_swap() {
    let case = case();
    let (before, after) = (case.memory().entries(), case.after());
    let (mut refused, mut done) = (0, 0);
    for (moment, verb) in moments(&case, NONE).enumerate() {
        for name in ["changed/200", "gone/200"] {
            let (memory, target) = (memory(&case, &[]), path(name));
            let edit = [Edit::InPlace, Edit::Replaced][moment % 2];
            let seen = Arc::new(Mutex::new(false));
            let (note, place) = (Arc::clone(&seen), target.clone());
            memory.run_before_verb(verb, move |memory| {
                *note.lock().unwrap() = memory.entries().contains_key(&place.parent().unwrap());
                // The swap goes on meanwhile, so that what was written may have been taken out
                // already.
                edit.act(memory, &place);
            });
            let outcome = case.run(&memory, NONE);
            // There was no such directory any more.
            if !*seen.lock().unwrap() {
                assert!(outcome.is_ok() && name.starts_with("gone"), "{name} {verb}");
                continue;
            }
            let mut found = tree(&memory);
            assert_eq!(
                found.remove(&target).map(|entry| entry.contents),
                Some(b"theirs".to_vec()),
                "{name} {verb}"
            );
            let mut rest = if outcome.is_ok() {
                after.clone()
            } else {
                before.clone()
            };
            rest.remove(&target);
            if name.starts_with("gone") {
                found.remove(&path("gone"));
                rest.remove(&path("gone"));
            }
            assert!(found == rest, "{name} {verb} {outcome:?}");
            if outcome.is_ok() {
                done += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(refused > 0 && done > 0, "{refused} {done}");
}

#[test]
fn what_somebody_else_makes_is_not_replaced() {
    let case = case();
    let (before, after) = (case.memory().entries(), case.after());
    let (target, directory) = (path("made/below/200"), path("made/below"));
    let (mut refused, mut done) = (0, 0);
    for verb in moments(&case, NONE) {
        let (memory, place) = (memory(&case, &[]), target.clone());
        memory.run_before_verb(verb, move |memory| _ = Edit::InPlace.act(memory, &place));
        let outcome = case.run(&memory, NONE);
        let mut found = tree(&memory);
        assert_eq!(
            found.remove(&target).map(|entry| entry.contents),
            Some(b"theirs".to_vec()),
            "{verb} {outcome:?}"
        );
        let mut rest = if outcome.is_ok() {
            after.clone()
        } else {
            before.clone()
        };
        rest.remove(&target);
        if outcome.is_err() {
            let above =
                [&directory, &directory.parent().unwrap()].map(|path| found.remove(path).is_some());
            assert_eq!(above, [true; 2], "{verb}");
        }
        assert!(found == rest, "{verb} {outcome:?}");
        if outcome.is_ok() {
            done += 1;
        } else {
            refused += 1;
        }
    }
    assert!(refused > 0 && done > 0, "{refused} {done}");
}

#[test]
fn new_files_come_in_without_second_names_or_by_them() {
    let case = case();
    for lacks in [
        &[][..],
        &[Feature::HardLinks],
        &[Feature::ExclusiveRename, Feature::Exchange],
    ] {
        let memory = memory(&case, lacks);
        let _ = case.run(&memory, NONE).unwrap();
        assert!(tree(&memory) == case.after(), "{lacks:?}");
        let links = |name: &str| memory.stat(&path(name)).unwrap().unwrap().links;
        assert_eq!(
            ["made/0", "made/below/299", "changed/7"].map(links),
            [1; 3],
            "{lacks:?}"
        );
    }
}

#[test]
fn whatever_fails_one_of_two_threads_leaves_all_files_before_or_after() {
    let case = case();
    for kind in FaultKind::ALL {
        let few = if kind == FaultKind::Killed { 1 } else { 2 };
        let mut back = 0;
        for verb in moments(&case, NONE).step_by(few) {
            let memory = memory(&case, &[]);
            memory.inject(FaultInjection { verb, kind });
            let _ = case.run(&memory, NONE);
            assert!(memory.has_failed(), "{verb}");
            back += usize::from(is_back(&case, &memory.restart(), NONE));
        }
        assert!(back > 2 / few, "{kind:?} {back}");
    }
}

#[test]
fn a_loss_of_power_leaves_all_files_before_or_after() {
    let case = case();
    let mut back = 0;
    for (moment, verb) in moments(&case, FULL).enumerate() {
        let memory = memory(&case, &[]);
        memory.inject(FaultInjection {
            verb,
            kind: FaultKind::Killed,
        });
        let _ = case.run(&memory, FULL);
        for survivors in [
            DurableChanges::Synced,
            DurableChanges::Names,
            DurableChanges::Random(moment as u64),
        ] {
            back += usize::from(is_back(
                &case,
                &memory.after_power_loss_with(survivors),
                FULL,
            ));
        }
    }
    assert!(back > 2, "{back}");
}

#[test]
fn a_signal_is_heeded_while_another_thread_looks() {
    let case = case();
    let before = case.memory().entries();
    let mut stopped = 0;
    for verb in moments(&case, NONE) {
        let memory = memory(&case, &[]);
        let interrupt = Arc::new(Interrupt::new());
        let signal = Arc::clone(&interrupt);
        memory.run_before_verb(verb, move |_| signal.raise(15));
        match run(&memory, &case.steps, NONE, &interrupt) {
            Ok(_) => assert_eq!(tree(&memory), case.after(), "{verb}"),
            Err(Failure::Interrupted(15)) => {
                stopped += 1;
                assert_eq!(tree(&memory), before, "{verb}");
            }
            Err(failure) => panic!("{verb}: {failure:?}"),
        }
    }
    assert!(stopped > 2, "{stopped}");
}

#[test]
fn a_signal_after_the_commit_ends_a_long_sweep() {
    for (count, is_long) in [(COUNT, false), (2500, true)] {
        let case = case_of(count);
        let memory = memory(&case, &[]);
        let interrupt = Arc::new(Interrupt::new());
        let signal = Arc::clone(&interrupt);
        let last = verbs(&case, &[], NONE) - 100;
        memory.run_before_verb(last, move |_| signal.raise(15));
        let receipt = run(&memory, &case.steps, NONE, &interrupt).unwrap();
        assert_eq!(
            receipt
                .warnings
                .concat()
                .contains("the next command removes them"),
            is_long,
            "{:?}",
            receipt.warnings
        );
        assert_eq!(tree(&memory) == case.after(), !is_long, "{count}");
        recover(&memory, NONE).unwrap();
        assert!(tree(&memory) == case.after(), "{count}");
    }
}
