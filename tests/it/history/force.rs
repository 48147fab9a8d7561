//! What somebody did since, and what force does with it.

use wpatch::engine::options::Interrupt;
use wpatch::engine::{self, Outcome, Request, UndoTarget};
use wpatch::preflight::ProblemKind;
use wpatch::transaction::{RecoveryOutcome, recover};
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind, Memory};
use wpatch::workspace::{DirectoryPermissions, EXTERNAL_HISTORY_NAME, RenameMode, Workspace};

use super::{OPTIONS, done, memory, put, request, tree, undo};
use crate::changes::Step;
use crate::tree::path;

fn checked_or_applied(request: Request, is_check: bool, memory: &Memory) -> Outcome {
    if is_check {
        engine::check(request, memory)
    } else {
        engine::apply(request, memory, &Interrupt::new())
    }
}

#[test]
fn what_somebody_changed_since_stops_the_whole_undo_and_force_goes_over_it() {
    let start = [
        ("a", Entry::file("1")),
        ("b", Entry::file("2")),
        ("gone", Entry::file("g")),
    ];
    let steps = [
        Step::Put("a", Entry::file("one")),
        Step::Put("b", Entry::file("two")),
        Step::Delete("gone"),
        Step::Put("new", Entry::file("n")),
    ];
    let edits: [(&str, Option<&str>); 4] = [
        ("b", Some("mine")),
        ("gone", Some("mine")),
        ("new", Some("mine")),
        ("new", None),
    ];
    for (name, edit) in edits {
        let memory = memory(&start);
        let before = tree(&memory);
        put(&memory, &steps);
        match edit {
            Some(text) => memory.put(&path(name), &Entry::file(text)),
            None => memory.remove(&path(name)).unwrap(),
        }
        let edited = tree(&memory);
        let outcome = undo(&memory, UndoTarget::Last(1));
        let error = outcome.report.error.unwrap();
        assert_eq!(
            (error.kind, error.path.as_deref()),
            (ProblemKind::Conflict, Some(name))
        );
        assert_eq!(tree(&memory), edited);
        assert!(
            done(&engine::apply(
                request(UndoTarget::Last(1), true),
                &memory,
                &Interrupt::new()
            )),
            "{name}"
        );
        assert_eq!(tree(&memory), before, "{name}");
        assert!(done(&undo(&memory, UndoTarget::Undo)), "{name}");
        assert_eq!(tree(&memory), edited, "{name}");
    }
}

#[test]
fn force_does_not_go_over_a_directory_with_something_in_it() {
    for steps in [
        &[Step::Put("a", Entry::file("1"))][..],
        &[Step::Put("old", Entry::file("2"))],
        &[Step::Delete("old")],
    ] {
        let memory = memory(&[("old", Entry::file("1"))]);
        put(&memory, steps);
        let [Step::Put(name, _) | Step::Delete(name)] = steps else {
            unreachable!("one step each")
        };
        let _ = memory.remove(&path(name));
        memory.put(&path(&format!("{name}/mine")), &Entry::file("mine"));
        let before = tree(&memory);
        for is_dry_run in [true, false] {
            let forced = request(UndoTarget::Last(1), true);
            let error = checked_or_applied(forced, is_dry_run, &memory)
                .report
                .error
                .unwrap();
            assert_eq!(
                (error.kind, error.path.as_deref()),
                (ProblemKind::Conflict, Some(*name))
            );
            assert_eq!(tree(&memory), before);
        }
    }
}

/// What several steps leave is what the next one sees, also for force.
#[test]
fn force_does_the_same_to_a_tree_that_nobody_touched() {
    let all: [&[Step]; 4] = [
        &[Step::Put("a", Entry::file("1")), Step::Delete("a")],
        &[
            Step::Put("a", Entry::file("1")),
            Step::Delete("a"),
            Step::Put("a", Entry::file("2")),
        ],
        &[
            Step::Put("d/x", Entry::file("1")),
            Step::Put("d/y", Entry::file("1")),
        ],
        &[
            Step::Put("d/x", Entry::file("1")),
            Step::Move("d/x", "e/x"),
            Step::Put("d", Entry::file("file")),
        ],
    ];
    for steps in all {
        for force in [false, true] {
            let memory = memory(&[("d", Entry::directory()), ("old", Entry::file("old"))]);
            let before = tree(&memory);
            for step in steps {
                put(&memory, std::slice::from_ref(step));
            }
            let request = request(UndoTarget::Last(steps.len()), force);
            assert!(
                engine::apply(request, &memory, &Interrupt::new()).report.ok,
                "{steps:?} {force}"
            );
            assert_eq!(tree(&memory), before, "{steps:?} {force}");
        }
    }
}

#[test]
fn what_force_displaces_is_somewhere_whatever_fails() {
    let setups: [(&str, &[&str]); 3] = [
        (".git/HEAD", &[]),
        (".git/HEAD", &["d"]),
        ("other", &[EXTERNAL_HISTORY_NAME]),
    ];
    for (setup, mounts) in setups {
        for (verb, kind) in (0..).flat_map(|verb| FaultKind::ALL.map(|kind| (verb, kind))) {
            let files = [
                (path("d/a"), Entry::file("1")),
                (path(setup), Entry::file("x")),
            ];
            let memory = Memory::with_files(files).with_external_history();
            if mounts.contains(&EXTERNAL_HISTORY_NAME) {
                memory
                    .make_dir(&path(EXTERNAL_HISTORY_NAME), DirectoryPermissions::Private)
                    .unwrap();
            }
            for mount in mounts {
                memory.mount(&path(mount));
            }
            put(&memory, &[Step::Put("d/a", Entry::file("2"))]);
            memory.put(&path("d/a"), &Entry::file("mine"));
            let start = memory.verb_count();
            memory.inject(FaultInjection {
                verb: start + verb,
                kind,
            });
            let forced = request(UndoTarget::Last(1), true);
            let outcome = engine::apply(forced, &memory, &Interrupt::new());
            if !memory.has_failed() {
                assert!(outcome.report.ok && verb > 30, "{setup} {verb}");
                break;
            }
            let what = format!("{setup} {mounts:?} {kind:?} at {verb}");
            let next = memory.restart();
            let _ = recover(&next, OPTIONS);
            assert!(
                next.files().values().any(|entry| entry.contents == b"mine"),
                "{what}"
            );
            if next.files()[&path("d/a")].contents == b"1" {
                let _ = recover(&next, OPTIONS).unwrap();
                assert!(done(&undo(&next, UndoTarget::Undo)), "{what}");
                assert_eq!(next.files()[&path("d/a")].contents, b"mine", "{what}");
            }
        }
    }
}

/// Also where the next command knows of no history.
#[test]
fn what_force_displaced_waits_for_a_command_that_has_the_attic() {
    for verb in 0.. {
        let memory = Memory::with_files([(path("a"), Entry::file("1"))]).with_external_history();
        put(&memory, &[Step::Put("a", Entry::file("2"))]);
        memory.put(&path("a"), &Entry::file("mine"));
        let start = memory.verb_count();
        memory.inject(FaultInjection {
            verb: start + verb,
            kind: FaultKind::Killed,
        });
        let forced = request(UndoTarget::Last(1), true);
        let _ = engine::apply(forced, &memory, &Interrupt::new());
        if !memory.has_failed() {
            assert!(verb > 30);
            break;
        }
        let next = memory.restart().without_external_history();
        let recovered = recover(&next, OPTIONS).unwrap();
        let is_undone = next.files()[&path("a")].contents == b"1";
        assert!(
            next.files().values().any(|entry| entry.contents == b"mine"),
            "{verb}"
        );
        let waits = recovered
            .iter()
            .any(|one| one.ending == RecoveryOutcome::HistoryPending);
        let last = next.with_external_history();
        assert!(
            !waits
                || is_undone
                    && recover(&last, OPTIONS).unwrap()[0].ending == RecoveryOutcome::Committed,
            "{verb}"
        );
        assert!(!is_undone || done(&undo(&last, UndoTarget::Undo)), "{verb}");
        assert_eq!(last.files()[&path("a")].contents, b"mine", "{verb}");
    }
}

#[test]
fn a_link_in_the_place_of_a_directory_is_a_conflict() {
    for force in [false, true] {
        let memory = memory(&[("d/x", Entry::file("1"))]);
        put(
            &memory,
            &[
                Step::Put("d/x", Entry::file("2")),
                Step::Put("d/e/y", Entry::file("y")),
            ],
        );
        memory
            .rename(&path("d"), &path("elsewhere"), RenameMode::Exclusive)
            .unwrap();
        memory
            .symlink(b"elsewhere", &path("d"), &path("d"), None)
            .unwrap();
        let before = tree(&memory);
        let said = [true, false].map(|is_dry_run| {
            checked_or_applied(request(UndoTarget::Last(1), force), is_dry_run, &memory)
                .report
                .error
                .map(|error| error.kind)
        });
        assert!(said[0].is_some() && said[0] == said[1], "{said:?}");
        assert_eq!(tree(&memory), before);
    }
}
