//! Undo, redo and the history, on every set of changes of the transaction tests.

mod attic;
mod home;

use std::collections::BTreeMap;

use wpatch::engine::options::{Interrupt, Limits, TransactionOptions};
use wpatch::engine::{self, Outcome, Target, UndoRequest};
use wpatch::path::RelPath;
use wpatch::preflight::Kind;
use wpatch::report::{Coverage, State};
use wpatch::transaction::{Durability, Ending, Options, recover};
use wpatch::workspace::memory::{Entry, FaultKind, Feature, Injection, Memory, Survivors};
use wpatch::workspace::{ATTIC, Privacy, Workspace};

use crate::changes::{Case, Step, Tree, cases, path};

const OPTIONS: Options = Options {
    durability: Durability::Full,
    patience: std::time::Duration::ZERO,
    history: Limits { entries: 100, age: std::time::Duration::from_secs(3600), bytes: 1 << 30 },
};

fn request(target: Target) -> UndoRequest {
    UndoRequest { transaction: OPTIONS, ..UndoRequest::of(target) }
}

fn undo(memory: &Memory, target: Target) -> Outcome {
    engine::undo(&request(target), memory, &Interrupt::new())
}

fn done(outcome: &Outcome) -> bool {
    assert!(
        outcome.report.ok,
        "{:?} {:#?}",
        outcome.problems,
        outcome.report.files.iter().map(|f| (f.op, &f.path, &f.from)).collect::<Vec<_>>()
    );
    outcome.report.changed
}

/// Returns the tree without the state directories.
fn tree(memory: &Memory) -> Tree {
    let states = [".git/wpatch", ".wpatch", ATTIC].map(path);
    let is_state = |path: &RelPath| states.iter().any(|state| path == state || path.is_below(state));
    memory.entries().into_iter().filter(|(path, _)| !is_state(path)).collect()
}

/// Does a case, whose history is kept in the work tree of git or in the attic.
fn applied(case: &Case, lacks: &[Feature]) -> Memory {
    let memory = lacks.iter().fold(case.memory().with_attic(), |memory, &feature| memory.without(feature));
    let _receipt = case.run(&memory, OPTIONS).expect("nothing fails");
    memory
}

fn memory(files: &[(&str, Entry)]) -> Memory {
    let files = files.iter().map(|(name, entry)| (path(name), entry.clone()));
    let memory = Memory::with_files(files);
    memory.make_dir(&path(".wpatch"), Privacy::Private).unwrap();
    memory
}

fn put(memory: &Memory, steps: &[Step]) {
    let _receipt = crate::changes::run(memory, steps, OPTIONS, &Interrupt::new()).expect("nothing fails");
}

#[test]
fn undo_brings_every_tree_back_and_redo_brings_it_again() {
    for lacks in [&[][..], &[Feature::RenameFlags], &[Feature::HardLinks], &[Feature::RenameFlags, Feature::HardLinks]]
    {
        for case in cases() {
            let memory = applied(&case, lacks);
            for turn in 0..2 {
                let what = format!("{} {lacks:?} turn {turn}", case.name);
                assert!(done(&undo(&memory, Target::Last(1))), "{what}");
                assert_eq!(tree(&memory), case.memory().entries(), "{what}");
                assert!(done(&undo(&memory, Target::Undo)), "{what}");
                assert_eq!(tree(&memory), case.after(), "{what}");
            }
        }
    }
}

#[test]
fn a_fault_at_any_verb_of_an_undo_leaves_the_tree_before_or_after() {
    let mut faults = 0;
    for case in cases() {
        for kind in FaultKind::ALL {
            for verb in 0.. {
                let memory = applied(&case, &[]).restart();
                memory.inject(Injection { verb, kind });
                let outcome = undo(&memory, Target::Last(1));
                if !memory.has_met_fault() {
                    assert!(outcome.report.ok, "{}", case.name);
                    break;
                }
                faults += 1;
                let ends = [memory.restart(), memory.after_power_loss_with(Survivors::Dice(verb as u64))];
                for next in ends {
                    recover(&next, OPTIONS).unwrap();
                    let (found, before, after) = (tree(&next), case.memory().entries(), case.after());
                    let is_dead = matches!(kind, FaultKind::Killed | FaultKind::KilledAfter);
                    let is_right = match (outcome.report.ok && !is_dead, outcome.report.exit_code) {
                        (true, _) => found == before,
                        (_, 5) => found == before || found == after,
                        _ if is_dead => found == before || found == after,
                        _ => found == after,
                    };
                    assert!(is_right, "{} {kind:?} at {verb}: {:?} {found:#?}", case.name, outcome.problems);
                    let is_litter =
                        |path: &RelPath| ["txn-", "dead-"].iter().any(|word| path.to_string().contains(word));
                    let litter: Vec<_> = next.entries().into_keys().filter(is_litter).collect();
                    assert_eq!(litter, [], "{} {kind:?} at {verb}", case.name);
                }
            }
        }
    }
    assert!(faults > 1000, "{faults}");
}

#[test]
fn two_changes_and_two_undos_lead_to_the_first_tree() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("2"))]);
    let before = tree(&memory);
    put(&memory, &[Step::Put("a", Entry::file("one"))]);
    put(
        &memory,
        &[Step::Put("a", Entry::file("uno")), Step::Put("b", Entry::file("due")), Step::Put("n/x", Entry::file("n"))],
    );
    let after = tree(&memory);
    let twice = memory.restart();
    assert!(done(&undo(&memory, Target::Last(1))) && done(&undo(&memory, Target::Last(1))));
    assert_eq!(tree(&memory), before);
    assert_eq!(undo(&memory, Target::Last(1)).report.error.unwrap().kind, Kind::NothingToUndo.name());
    assert!(done(&undo(&memory, Target::Undo)) && done(&undo(&memory, Target::Undo)));
    assert_eq!(tree(&memory), after);
    assert!(!undo(&memory, Target::Undo).report.ok);
    assert!(done(&undo(&twice, Target::Last(2))));
    assert_eq!(tree(&twice), before);
    assert!(done(&undo(&twice, Target::Undo)));
    assert_eq!(tree(&twice), after);
}

#[test]
fn what_somebody_changed_since_stops_the_whole_undo_and_force_goes_over_it() {
    let start = [("a", Entry::file("1")), ("b", Entry::file("2")), ("gone", Entry::file("g"))];
    let steps = [
        Step::Put("a", Entry::file("one")),
        Step::Put("b", Entry::file("two")),
        Step::Delete("gone"),
        Step::Put("new", Entry::file("n")),
    ];
    let edits: [(&str, Option<&str>); 4] =
        [("b", Some("mine")), ("gone", Some("mine")), ("new", Some("mine")), ("new", None)];
    for (name, edit) in edits {
        let memory = memory(&start);
        let before = tree(&memory);
        put(&memory, &steps);
        match edit {
            Some(text) => memory.put(&path(name), &Entry::file(text)),
            None => memory.remove(&path(name)).unwrap(),
        }
        let edited = tree(&memory);
        let outcome = undo(&memory, Target::Last(1));
        let error = outcome.report.error.unwrap();
        assert_eq!((error.kind, error.path.as_deref()), (Kind::Conflict.name(), Some(name)));
        assert_eq!(tree(&memory), edited);
        let forced = UndoRequest { force: true, ..request(Target::Last(1)) };
        assert!(done(&engine::undo(&forced, &memory, &Interrupt::new())), "{name}");
        assert_eq!(tree(&memory), before, "{name}");
        assert!(done(&undo(&memory, Target::Undo)), "{name}");
        assert_eq!(tree(&memory), edited, "{name}");
    }
}

#[test]
fn force_does_not_go_over_a_directory_with_something_in_it() {
    for steps in
        [&[Step::Put("a", Entry::file("1"))][..], &[Step::Put("old", Entry::file("2"))], &[Step::Delete("old")]]
    {
        let memory = memory(&[("old", Entry::file("1"))]);
        put(&memory, steps);
        let [Step::Put(name, _) | Step::Delete(name)] = steps else { unreachable!("one step each") };
        let _ = memory.remove(&path(name));
        memory.put(&path(&format!("{name}/mine")), &Entry::file("mine"));
        let before = tree(&memory);
        for is_dry_run in [true, false] {
            let forced = UndoRequest { force: true, is_dry_run, ..request(Target::Last(1)) };
            let error = engine::undo(&forced, &memory, &Interrupt::new()).report.error.unwrap();
            assert_eq!((error.kind, error.path.as_deref()), (Kind::Conflict.name(), Some(*name)));
            assert_eq!(tree(&memory), before);
        }
    }
}

#[test]
fn a_tree_that_is_as_before_already_is_not_changed_and_the_undo_is_known() {
    let memory = memory(&[("a", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    memory.put(&path("a"), &Entry::file("1"));
    let forced = UndoRequest { force: true, ..request(Target::Last(1)) };
    assert!(!done(&engine::undo(&forced, &memory, &Interrupt::new())));
    assert_eq!(undo(&memory, Target::Last(1)).report.error.unwrap().kind, Kind::NothingToUndo.name());
}

#[test]
fn a_dry_run_says_the_same_and_writes_nothing() {
    for case in cases() {
        let memory = applied(&case, &[]);
        let before = memory.fingerprint();
        let dry = UndoRequest { is_dry_run: true, ..request(Target::Last(1)) };
        let said = engine::undo(&dry, &memory, &Interrupt::new()).report;
        assert_eq!(memory.fingerprint(), before, "{}", case.name);
        let done = undo(&memory, Target::Last(1)).report;
        let files = |report: &wpatch::report::Report| {
            report.files.iter().map(|file| (file.path.clone(), file.op)).collect::<Vec<_>>()
        };
        assert_eq!((said.ok, files(&said)), (done.ok, files(&done)), "{}", case.name);
    }
}

#[test]
fn a_directory_that_was_empty_before_stays() {
    let memory = memory(&[("d/e", Entry::directory())]);
    let before = tree(&memory);
    put(&memory, &[Step::Put("d/e/x", Entry::file("x"))]);
    assert!(done(&undo(&memory, Target::Last(1))));
    assert_eq!(tree(&memory), before);
}

#[test]
fn any_change_can_be_named_by_the_beginning_of_its_name() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    put(&memory, &[Step::Put("b", Entry::file("2"))]);
    let log = engine::log(&memory).unwrap();
    let first = log.entries[1].id.clone();
    assert!(done(&undo(&memory, Target::Entry(first.clone()))));
    let contents = |name: &str| memory.files()[&path(name)].contents.clone();
    assert_eq!((contents("a"), contents("b")), (b"1".to_vec(), b"2".to_vec()));
    assert!(!undo(&memory, Target::Entry(first)).report.ok);
    assert!(!undo(&memory, Target::Entry(String::new())).report.ok);
    let states: Vec<_> = engine::log(&memory).unwrap().entries.iter().map(|entry| entry.state).collect();
    assert_eq!(states, [State::Committed, State::Committed, State::Undone]);
}

#[test]
fn the_history_is_bounded_and_says_so() {
    let memory = memory(&[("a", Entry::file("0"))]);
    let options = |history| TransactionOptions { history, ..OPTIONS };
    let limits = Limits { entries: 3, ..OPTIONS.history };
    let texts: Vec<&'static str> = (0..5).map(|number| &*format!("text {number}").leak()).collect();
    let mut warnings = BTreeMap::new();
    for (number, text) in texts.iter().enumerate() {
        let steps = [Step::Put("a", Entry::file(*text))];
        let receipt = crate::changes::run(&memory, &steps, options(limits), &Interrupt::new()).unwrap();
        warnings.insert(number, receipt.warnings.len());
    }
    assert_eq!(warnings.into_values().collect::<Vec<_>>(), [0, 0, 0, 1, 1]);
    assert_eq!(engine::log(&memory).unwrap().entries.len(), 3);
    let small = Limits { bytes: 12, ..OPTIONS.history };
    assert!(engine::gc(&memory, options(small), &Interrupt::new()).report.ok);
    assert_eq!(engine::log(&memory).unwrap().entries.len(), 2);
    assert!(engine::gc(&memory, options(Limits::NOTHING), &Interrupt::new()).report.ok);
    assert_eq!(engine::log(&memory).unwrap().entries.len(), 0);
    assert_eq!(undo(&memory, Target::Last(1)).report.error.unwrap().kind, Kind::NothingToUndo.name());
}

#[test]
fn a_directory_that_comes_back_has_the_mode_that_it_had() {
    let memory = memory(&[("d", Entry { mode: 0o2750, ..Entry::directory() }), ("d/x", Entry::file("x"))]);
    let before = tree(&memory);
    put(&memory, &[Step::Delete("d/x")]);
    let after = tree(&memory);
    assert!(!after.contains_key(&path("d")));
    for _ in 0..2 {
        assert!(done(&undo(&memory, Target::Last(1))));
        assert_eq!(tree(&memory), before);
        assert!(done(&undo(&memory, Target::Undo)));
        assert_eq!(tree(&memory), after);
    }
}

#[test]
fn an_undo_counts_the_lines_of_the_way_back() {
    let start = [("a", Entry::file("1\n2\n3\n")), ("b", Entry::file("b\n")), ("z", Entry::file("\0"))];
    let memory = memory(&start);
    put(&memory, &[Step::Put("a", Entry::file("1\nzwei\n")), Step::Delete("b"), Step::Put("z", Entry::file("\0\0\n"))]);
    put(&memory, &[Step::Put("c", Entry::file("c\nc\n"))]);
    let report = undo(&memory, Target::Last(2)).report;
    assert_eq!((report.summary.added, report.summary.removed), (3, 3));
}

/// What several steps leave is what the next one sees, also for force.
#[test]
fn force_does_the_same_to_a_tree_that_nobody_touched() {
    let all: [&[Step]; 4] = [
        &[Step::Put("a", Entry::file("1")), Step::Delete("a")],
        &[Step::Put("a", Entry::file("1")), Step::Delete("a"), Step::Put("a", Entry::file("2"))],
        &[Step::Put("d/x", Entry::file("1")), Step::Put("d/y", Entry::file("1"))],
        &[Step::Put("d/x", Entry::file("1")), Step::Move("d/x", "e/x"), Step::Put("d", Entry::file("file"))],
    ];
    for steps in all {
        for force in [false, true] {
            let memory = memory(&[("d", Entry::directory()), ("old", Entry::file("old"))]);
            let before = tree(&memory);
            for step in steps {
                put(&memory, std::slice::from_ref(step));
            }
            let request = UndoRequest { force, ..request(Target::Last(steps.len())) };
            assert!(engine::undo(&request, &memory, &Interrupt::new()).report.ok, "{steps:?} {force}");
            assert_eq!(tree(&memory), before, "{steps:?} {force}");
        }
    }
}

#[test]
fn a_record_that_cannot_be_read_is_not_passed_over() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    put(&memory, &[Step::Put("b", Entry::file("2"))]);
    let records: Vec<_> = memory.files().into_keys().filter(|path| path.name() == b"done").collect();
    memory.put(&records[1], &Entry::file("nothing"));
    let log = engine::log(&memory).unwrap().entries;
    assert_eq!(log.iter().map(|entry| entry.state).collect::<Vec<_>>(), [State::Damaged, State::Committed]);
    let before = tree(&memory);
    for target in [Target::Last(1), Target::Last(2), Target::Undo, Target::Entry(log[0].id.clone())] {
        let error = undo(&memory, target).report.error.unwrap();
        assert!(error.kind == Kind::NothingToUndo.name() && error.message.contains(&log[0].id), "{}", error.message);
        assert_eq!(tree(&memory), before);
    }
    assert!(done(&undo(&memory, Target::Entry(log[1].id.clone()))));
    assert_eq!(memory.files()[&path("a")].contents, b"1");
}

#[test]
fn a_change_that_was_made_again_with_others_is_not_taken_back_with_them() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    put(&memory, &[Step::Put("b", Entry::file("2"))]);
    let first = engine::log(&memory).unwrap().entries[1].id.clone();
    assert!(done(&undo(&memory, Target::Last(2))) && done(&undo(&memory, Target::Undo)));
    let after = tree(&memory);
    let error = undo(&memory, Target::Entry(first)).report.error.unwrap();
    assert!(error.message.contains("together with others"), "{}", error.message);
    assert_eq!(tree(&memory), after);
    assert!(done(&undo(&memory, Target::Last(1))));
}

/// What force displaced is nowhere else, so it is kept whatever its size, until the next change.
#[test]
fn an_entry_that_is_too_large_alone_stays_for_a_while_and_takes_no_other_with_it() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("1"))]);
    let transaction = TransactionOptions { history: Limits { bytes: 8, ..OPTIONS.history }, ..OPTIONS };
    let run = |steps: &[Step]| crate::changes::run(&memory, steps, transaction, &Interrupt::new()).unwrap().warnings;
    assert_eq!(run(&[Step::Put("a", Entry::file("2"))]), [""; 0]);
    assert_eq!(run(&[Step::Put("b", Entry::file("2"))]), [""; 0]);
    memory.put(&path("b"), &Entry::file("somebody's work"));
    let forced = UndoRequest { force: true, transaction, ..request(Target::Last(1)) };
    assert!(done(&engine::undo(&forced, &memory, &Interrupt::new())));
    assert_eq!(engine::log(&memory).unwrap().entries.len(), 3);
    assert!(done(&undo(&memory, Target::Undo)));
    assert_eq!(memory.files()[&path("b")].contents, b"somebody's work");
    let warnings = run(&[Step::Put("c", Entry::file("x"))]);
    assert_eq!(warnings, [""; 0], "its old file is in the tree again");
    let id = engine::log(&memory).unwrap().entries.pop().unwrap().id;
    assert!(done(&undo(&memory, Target::Entry(id))));
    assert_eq!(memory.files()[&path("a")].contents, b"1");
}

#[test]
fn what_force_displaces_is_somewhere_whatever_fails() {
    let setups: [(&str, &[&str]); 3] = [(".git/HEAD", &[]), (".git/HEAD", &["d"]), ("other", &[ATTIC])];
    for (setup, mounts) in setups {
        for (verb, kind) in (0..).flat_map(|verb| FaultKind::ALL.map(|kind| (verb, kind))) {
            let files = [(path("d/a"), Entry::file("1")), (path(setup), Entry::file("x"))];
            let memory = Memory::with_files(files).with_attic();
            if mounts.contains(&ATTIC) {
                memory.make_dir(&path(ATTIC), Privacy::Private).unwrap();
            }
            for mount in mounts {
                memory.mount(&path(mount));
            }
            put(&memory, &[Step::Put("d/a", Entry::file("2"))]);
            memory.put(&path("d/a"), &Entry::file("mine"));
            let start = memory.verbs();
            memory.inject(Injection { verb: start + verb, kind });
            let forced = UndoRequest { force: true, ..request(Target::Last(1)) };
            let outcome = engine::undo(&forced, &memory, &Interrupt::new());
            if !memory.has_met_fault() {
                assert!(outcome.report.ok && verb > 30, "{setup} {verb}");
                break;
            }
            let what = format!("{setup} {mounts:?} {kind:?} at {verb}");
            let next = memory.restart();
            let _ = recover(&next, OPTIONS);
            assert!(next.files().values().any(|entry| entry.contents == b"mine"), "{what}");
            if next.files()[&path("d/a")].contents == b"1" {
                let _ = recover(&next, OPTIONS).unwrap();
                assert!(done(&undo(&next, Target::Undo)), "{what}");
                assert_eq!(next.files()[&path("d/a")].contents, b"mine", "{what}");
            }
        }
    }
}

/// Also where the next command knows of no history.
#[test]
fn what_force_displaced_waits_for_a_command_that_has_the_attic() {
    for verb in 0.. {
        let memory = Memory::with_files([(path("a"), Entry::file("1"))]).with_attic();
        put(&memory, &[Step::Put("a", Entry::file("2"))]);
        memory.put(&path("a"), &Entry::file("mine"));
        let start = memory.verbs();
        memory.inject(Injection { verb: start + verb, kind: FaultKind::Killed });
        let forced = UndoRequest { force: true, ..request(Target::Last(1)) };
        let _ = engine::undo(&forced, &memory, &Interrupt::new());
        if !memory.has_met_fault() {
            assert!(verb > 30);
            break;
        }
        let next = memory.restart().without_attic();
        let recovered = recover(&next, OPTIONS).unwrap();
        let is_undone = next.files()[&path("a")].contents == b"1";
        assert!(next.files().values().any(|entry| entry.contents == b"mine"), "{verb}");
        let waits = recovered.iter().any(|one| one.ending == Ending::Waiting);
        let last = next.with_attic();
        assert!(!waits || is_undone && recover(&last, OPTIONS).unwrap()[0].ending == Ending::Committed, "{verb}");
        assert!(!is_undone || done(&undo(&last, Target::Undo)), "{verb}");
        assert_eq!(last.files()[&path("a")].contents, b"mine", "{verb}");
    }
}

/// A record without its old files says that there was a change, and `undo` does not take an older one for it.
#[test]
fn an_entry_that_lost_its_old_files_is_not_passed_over() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("123456789"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    put(&memory, &[Step::Put("b", Entry::file("x"))]);
    let history = Limits { bytes: 8, ..OPTIONS.history };
    assert!(engine::gc(&memory, Options { history, ..OPTIONS }, &Interrupt::new()).report.ok);
    let log = engine::log(&memory).unwrap().entries;
    assert_eq!(log.iter().map(|entry| entry.coverage).collect::<Vec<_>>(), [Coverage::Partial, Coverage::Full]);
    let error = undo(&memory, Target::Last(1)).report.error.unwrap();
    assert_eq!((error.kind, error.path.as_deref()), (Kind::NothingToUndo.name(), Some("b")));
    assert!(done(&undo(&memory, Target::Entry(log[1].id.clone()))));
}

/// Which entry makes a change is written in it: those before it may be gone.
#[test]
fn what_a_redo_made_is_no_undo_when_older_entries_are_gone() {
    let memory = memory(&[("a", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    assert!(done(&undo(&memory, Target::Last(1))) && done(&undo(&memory, Target::Undo)));
    let two = Limits { entries: 1, ..OPTIONS.history };
    assert!(engine::gc(&memory, Options { history: two, ..OPTIONS }, &Interrupt::new()).report.ok);
    assert_eq!(engine::log(&memory).unwrap().entries.len(), 1);
    assert!(!undo(&memory, Target::Undo).report.ok);
    assert!(done(&undo(&memory, Target::Last(1))));
    assert_eq!(memory.files()[&path("a")].contents, b"1");
}

#[test]
fn an_empty_directory_stays_however_deep_the_file_was_that_came() {
    let memory = memory(&[("a/b", Entry::directory())]);
    let before = tree(&memory);
    put(&memory, &[Step::Put("a/b/c/d/e", Entry::file("x"))]);
    assert!(done(&undo(&memory, Target::Last(1))));
    assert_eq!(tree(&memory), before);
}

#[test]
fn a_directory_that_became_a_link_comes_back() {
    for steps in [
        &[&[Step::Delete("d/f"), Step::Put("d", Entry::link("e"))][..]][..],
        &[&[Step::Delete("d/f")], &[Step::Put("d", Entry::link("e"))]],
    ] {
        let memory = memory(&[("d/f", Entry::file("x"))]);
        let before = tree(&memory);
        for step in steps {
            put(&memory, step);
        }
        assert!(done(&undo(&memory, Target::Last(steps.len()))));
        assert_eq!(tree(&memory), before);
    }
}

#[test]
fn a_link_in_the_place_of_a_directory_is_a_conflict() {
    for force in [false, true] {
        let memory = memory(&[("d/x", Entry::file("1"))]);
        put(&memory, &[Step::Put("d/x", Entry::file("2")), Step::Put("d/e/y", Entry::file("y"))]);
        memory.rename(&path("d"), &path("elsewhere"), wpatch::workspace::Rename::Exclusive).unwrap();
        memory.symlink(b"elsewhere", &path("d"), None).unwrap();
        let before = tree(&memory);
        let said = [true, false].map(|is_dry_run| {
            let request = UndoRequest { force, is_dry_run, ..request(Target::Last(1)) };
            engine::undo(&request, &memory, &Interrupt::new()).report.error.map(|error| error.kind)
        });
        assert!(said[0].is_some() && said[0] == said[1], "{said:?}");
        assert_eq!(tree(&memory), before);
    }
}

#[test]
fn a_pure_rename_is_shown() {
    let memory = memory(&[("a", Entry::file("1\n"))]);
    put(&memory, &[Step::Move("a", "b")]);
    let id = engine::log(&memory).unwrap().entries[0].id.clone();
    let shown = engine::show(&memory, &id).unwrap();
    let diff = shown.entries[0].files[0].diff.clone().unwrap();
    assert!(diff.contains("rename from a\nrename to b\n"), "{diff}");
}

#[test]
fn a_mode_that_somebody_changed_since_is_a_conflict() {
    let memory = memory(&[("a", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    memory.set_permissions(&path("a"), wpatch::mode::Permissions::Exact(0o600)).unwrap();
    assert_eq!(undo(&memory, Target::Last(1)).report.error.unwrap().kind, Kind::Conflict.name());
    assert_eq!(memory.files()[&path("a")].contents, b"2");
}

#[test]
fn pruning_that_is_cut_off_anywhere_is_finished_without_a_word() {
    let steps = [Step::Put("a", Entry::file("1")), Step::Put("b", Entry::file("1"))];
    let options = TransactionOptions { history: Limits::NOTHING, ..OPTIONS };
    for verb in 0.. {
        let memory = memory(&[("a", Entry::file("0")), ("b", Entry::file("0"))]);
        put(&memory, &steps);
        let start = memory.verbs();
        memory.inject(Injection { verb: start + verb, kind: FaultKind::Killed });
        let _ = engine::gc(&memory, options, &Interrupt::new());
        if !memory.has_met_fault() {
            assert!(verb > 5);
            break;
        }
        let next = memory.restart();
        assert_eq!(recover(&next, OPTIONS).unwrap(), [], "{verb}");
        let entries = engine::log(&next).unwrap().entries;
        let coverage: Vec<_> = entries.iter().map(|entry| entry.coverage).collect();
        assert!(coverage.is_empty() || coverage == [Coverage::Full], "{verb}: {coverage:?}");
        let left = next.entries().into_keys().filter(|path| path.as_bytes().starts_with(b".wpatch/dead")).count();
        assert_eq!(left, 0, "{verb}");
    }
}

#[test]
fn old_contents_that_somebody_wrote_to_are_not_brought_back() {
    let memory = memory(&[("a", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    let old = memory.files().into_keys().find(|path| path.name() == b"n0").unwrap();
    memory.put(&old, &Entry::file("late"));
    assert_eq!(undo(&memory, Target::Last(1)).report.error.unwrap().kind, Kind::Conflict.name());
    assert_eq!(memory.files()[&path("a")].contents, b"2");
    memory.remove(&old).unwrap();
    assert_eq!(engine::log(&memory).unwrap().entries[0].coverage, Coverage::Partial);
    assert!(!undo(&memory, Target::Last(1)).report.ok);
}

#[test]
fn a_plain_directory_keeps_a_history_only_when_asked() {
    let memory = Memory::with_files([(path("a"), Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    assert_eq!(undo(&memory, Target::Last(1)).report.error.unwrap().kind, Kind::NothingToUndo.name());
    assert_eq!(memory.entries().len(), 1);
    assert!(engine::init(&memory, OPTIONS, &Interrupt::new()).report.ok);
    put(&memory, &[Step::Put("a", Entry::file("3"))]);
    assert!(done(&undo(&memory, Target::Last(1))));
    assert_eq!(memory.files()[&path("a")].contents, b"2");
}
