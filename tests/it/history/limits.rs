//! Entries that are gone, damaged, or too large.

use std::collections::BTreeMap;

use wpatch::engine::options::{HistoryLimits, Interrupt, TransactionOptions};
use wpatch::engine::{self, UndoTarget};
use wpatch::preflight::ProblemKind;
use wpatch::report::{Coverage, State};
use wpatch::transaction::{Options, recover};
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind};

use super::{OPTIONS, done, memory, put, request, tree, undo};
use crate::changes::Step;
use crate::systems::Desk;
use crate::tree::path;

#[test]
fn the_history_is_bounded_and_says_so() {
    let memory = memory(&[("a", Entry::file("0"))]);
    let options = |history| TransactionOptions { history, ..OPTIONS };
    let limits = HistoryLimits {
        entries: 3,
        ..OPTIONS.history
    };
    let texts: Vec<&'static str> = (0..5)
        .map(|number| &*format!("text {number}").leak())
        .collect();
    let mut pruned = BTreeMap::new();
    for (number, text) in texts.iter().enumerate() {
        let steps = [Step::Put("a", Entry::file(*text))];
        let receipt =
            crate::changes::run(&memory, &steps, options(limits), &Interrupt::new()).unwrap();
        pruned.insert(number, receipt.pruned);
    }
    assert_eq!(pruned.into_values().collect::<Vec<_>>(), [0, 0, 0, 1, 1]);
    let listed = || {
        let log = engine::log(&memory, &std::sync::Arc::default()).unwrap();
        log.entries.len()
    };
    assert_eq!(listed(), 3);
    let small = HistoryLimits {
        bytes: 12,
        ..OPTIONS.history
    };
    assert!(
        engine::gc(&memory, options(small), &Interrupt::new())
            .report
            .ok
    );
    assert_eq!(listed(), 2);
    assert!(
        engine::gc(&memory, options(HistoryLimits::NOTHING), &Interrupt::new())
            .report
            .ok
    );
    assert_eq!(listed(), 0);
    assert_eq!(
        undo(&memory, UndoTarget::Last(1))
            .report
            .error
            .unwrap()
            .kind,
        ProblemKind::NothingToUndo
    );
}

#[test]
fn a_record_that_cannot_be_read_is_not_passed_over() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    put(&memory, &[Step::Put("b", Entry::file("2"))]);
    let records: Vec<_> = memory
        .files()
        .into_keys()
        .filter(|path| path.name() == b"done")
        .collect();
    memory.put(&records[1], &Entry::file("nothing"));
    let log = engine::log(&memory, &std::sync::Arc::default())
        .unwrap()
        .entries;
    assert_eq!(
        log.iter().map(|entry| entry.state).collect::<Vec<_>>(),
        [State::Damaged, State::Committed]
    );
    let before = tree(&memory);
    for target in [
        UndoTarget::Last(1),
        UndoTarget::Last(2),
        UndoTarget::Undo,
        UndoTarget::Entry(log[0].id.clone()),
    ] {
        let error = undo(&memory, target).report.error.unwrap();
        assert!(
            error.kind == ProblemKind::NothingToUndo && error.message.contains(&log[0].id),
            "{}",
            error.message
        );
        assert_eq!(tree(&memory), before);
    }
    assert!(done(&undo(&memory, UndoTarget::Entry(log[1].id.clone()))));
    assert_eq!(memory.files()[&path("a")].contents, b"1");
}

/// What force displaced is nowhere else, so it is kept whatever its size, until the next change.
#[test]
fn an_entry_that_is_too_large_alone_stays_for_a_while_and_takes_no_other_with_it() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("1"))]);
    let transaction = TransactionOptions {
        history: HistoryLimits {
            bytes: 8,
            ..OPTIONS.history
        },
        ..OPTIONS
    };
    let run = |steps: &[Step]| {
        crate::changes::run(&memory, steps, transaction, &Interrupt::new())
            .unwrap()
            .warnings
    };
    assert_eq!(run(&[Step::Put("a", Entry::file("2"))]), [""; 0]);
    assert_eq!(run(&[Step::Put("b", Entry::file("2"))]), [""; 0]);
    memory.put(&path("b"), &Entry::file("somebody's work"));
    let mut forced = request(UndoTarget::Last(1), true);
    forced.commit.transaction = transaction;
    assert!(done(&engine::apply(forced, &memory, &Interrupt::new())));
    let listed = || {
        let log = engine::log(&memory, &std::sync::Arc::default()).unwrap();
        log.entries.len()
    };
    assert_eq!(listed(), 3);
    assert!(done(&undo(&memory, UndoTarget::Undo)));
    assert_eq!(memory.files()[&path("b")].contents, b"somebody's work");
    let warnings = run(&[Step::Put("c", Entry::file("x"))]);
    assert_eq!(warnings, [""; 0], "its old file is in the tree again");
    let id = engine::log(&memory, &std::sync::Arc::default())
        .unwrap()
        .entries
        .pop()
        .unwrap()
        .id;
    assert!(done(&undo(&memory, UndoTarget::Entry(id))));
    assert_eq!(memory.files()[&path("a")].contents, b"1");
}

/// A record without its old files says that there was a change, and `undo` does not take an older
/// one for it.
#[test]
fn an_entry_that_lost_its_old_files_is_not_passed_over() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("123456789"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    put(&memory, &[Step::Put("b", Entry::file("x"))]);
    let history = HistoryLimits {
        bytes: 8,
        ..OPTIONS.history
    };
    assert!(
        engine::gc(&memory, Options { history, ..OPTIONS }, &Interrupt::new())
            .report
            .ok
    );
    let log = engine::log(&memory, &std::sync::Arc::default())
        .unwrap()
        .entries;
    assert_eq!(
        log.iter().map(|entry| entry.coverage).collect::<Vec<_>>(),
        [Coverage::Partial, Coverage::Full]
    );
    let error = undo(&memory, UndoTarget::Last(1)).report.error.unwrap();
    assert_eq!(
        (error.kind, error.path.as_deref()),
        (ProblemKind::NothingToUndo, Some("b"))
    );
    assert!(done(&undo(&memory, UndoTarget::Entry(log[1].id.clone()))));
}

/// Which entry makes a change is written in it: those before it may be gone.
#[test]
fn what_a_redo_made_is_no_undo_when_older_entries_are_gone() {
    let memory = memory(&[("a", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    assert!(done(&undo(&memory, UndoTarget::Last(1))) && done(&undo(&memory, UndoTarget::Undo)));
    let two = HistoryLimits {
        entries: 1,
        ..OPTIONS.history
    };
    assert!(
        engine::gc(
            &memory,
            Options {
                history: two,
                ..OPTIONS
            },
            &Interrupt::new()
        )
        .report
        .ok
    );
    assert_eq!(
        engine::log(&memory, &std::sync::Arc::default())
            .unwrap()
            .entries
            .len(),
        1
    );
    assert!(!undo(&memory, UndoTarget::Undo).report.ok);
    assert!(done(&undo(&memory, UndoTarget::Last(1))));
    assert_eq!(memory.files()[&path("a")].contents, b"1");
}

#[test]
fn pruning_that_is_cut_off_anywhere_is_finished_without_a_word() {
    let steps = [
        Step::Put("a", Entry::file("1")),
        Step::Put("b", Entry::file("1")),
    ];
    let options = TransactionOptions {
        history: HistoryLimits::NOTHING,
        ..OPTIONS
    };
    for verb in 0.. {
        let memory = memory(&[("a", Entry::file("0")), ("b", Entry::file("0"))]);
        put(&memory, &steps);
        let start = memory.verb_count();
        memory.inject(FaultInjection {
            verb: start + verb,
            kind: FaultKind::Killed,
        });
        let _ = engine::gc(&memory, options, &Interrupt::new());
        if !memory.has_failed() {
            assert!(verb > 5);
            break;
        }
        let next = memory.restart();
        assert_eq!(recover(&next, OPTIONS).unwrap(), [], "{verb}");
        let entries = engine::log(&next, &std::sync::Arc::default())
            .unwrap()
            .entries;
        let coverage: Vec<_> = entries.iter().map(|entry| entry.coverage).collect();
        assert!(
            coverage.is_empty() || coverage == [Coverage::Full],
            "{verb}: {coverage:?}"
        );
        let left = next
            .entries()
            .into_keys()
            .filter(|path| path.as_bytes().starts_with(b".wpatch/dead"))
            .count();
        assert_eq!(left, 0, "{verb}");
    }
}

#[test]
fn old_contents_that_somebody_wrote_to_are_not_brought_back() {
    let memory = memory(&[("a", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    let old = memory
        .files()
        .into_keys()
        .find(|path| path.name() == b"n0")
        .unwrap();
    memory.put(&old, &Entry::file("late"));
    assert_eq!(
        undo(&memory, UndoTarget::Last(1))
            .report
            .error
            .unwrap()
            .kind,
        ProblemKind::Conflict
    );
    assert_eq!(memory.files()[&path("a")].contents, b"2");
    memory.remove(&old).unwrap();
    assert_eq!(
        engine::log(&memory, &std::sync::Arc::default())
            .unwrap()
            .entries[0]
            .coverage,
        Coverage::Partial
    );
    assert!(!undo(&memory, UndoTarget::Last(1)).report.ok);
}

#[test]
fn the_removal_of_old_entries_is_only_printed_on_request() {
    let desk = Desk::with(&[("a", b"0\n")]);
    desk.does(&["init"], b"");
    let run = |number: usize, arguments: &[&str]| {
        let content = format!("{number}\n");
        let base = [
            "write",
            "a",
            "--overwrite",
            "--durability",
            "none",
            "--content",
            &content,
        ];
        desk.runs(&[&base, arguments].concat(), b"")
    };
    let limit = OPTIONS.history.entries;
    for number in 1..=limit {
        run(number, &[]);
    }
    let quiet = run(limit + 1, &[]);
    assert_eq!(String::from_utf8_lossy(&quiet.stderr), "");
    let message = "the oldest history entry was removed";
    let verbose = run(limit + 2, &["--verbose"]);
    assert!(String::from_utf8_lossy(&verbose.stderr).contains(message));
    let report = String::from_utf8(run(limit + 3, &["--json"]).stdout).unwrap();
    assert!(report.contains("wpatch::history::pruned") && report.contains(message));
}
