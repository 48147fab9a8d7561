//! What a transaction refuses, what it leaves behind, and whom it believes.

mod damage;
mod disk;
mod kept;
mod recovery;
mod state_directory;
mod users;

use std::collections::BTreeSet;

use wpatch::change::Sink;
use wpatch::transaction::{Failure, Interrupt, Options, Transaction, recover};
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind, Memory};
use wpatch::workspace::{DirectoryPermissions, RenameMode, Workspace};

use crate::case::Settings;
use crate::changes::{Step, run};
use crate::tree::path;

fn memory(files: &[(&str, Entry)]) -> Memory {
    Memory::with_files(
        files
            .iter()
            .map(|(name, entry)| (path(name), entry.clone())),
    )
}

fn update(memory: &Memory) -> Result<(), Failure> {
    let steps = [Step::Put("a", Entry::file("new"))];
    run(memory, &steps, Options::default(), &Interrupt::new()).map(|_receipt| ())
}

/// Kills an update behind its swap.
fn killed(files: &[(&str, Entry)]) -> Memory {
    let at = (0..1000).find(|&verb| {
        let memory = memory(files);
        memory.inject(FaultInjection {
            verb,
            kind: FaultKind::KilledAfter,
        });
        let _ = update(&memory);
        memory.files()[&path("a")].contents == b"new"
    });
    let memory = memory(files);
    memory.inject(FaultInjection {
        verb: at.expect("the swap is one of the verbs"),
        kind: FaultKind::KilledAfter,
    });
    let _ = update(&memory);
    memory.restart()
}

#[test]
fn what_is_dropped_leaves_nothing() {
    let memory = memory(&[("a", Entry::file("old"))]);
    let before = memory.entries();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let (transaction, _) =
            Transaction::begin(&memory, Options::default(), &Interrupt::new()).unwrap();
        transaction
            .receive(Step::Put("a", Entry::file("new")).change(&memory).unwrap())
            .unwrap();
        panic!("the caller failed");
    }));
    assert!(result.is_err());
    assert_eq!(memory.entries(), before);
    update(&memory).unwrap();
}

#[test]
fn a_history_from_before_the_root_became_a_work_tree_of_git_stays_where_it_is() {
    let memory = memory(&[("a", Entry::file("old"))]);
    memory
        .make_dir(&path(".wpatch"), DirectoryPermissions::Private)
        .unwrap();
    update(&memory).unwrap();
    memory
        .make_dir(&path(".git"), DirectoryPermissions::Shared)
        .unwrap();
    let before = memory.entries();
    assert_eq!(recover(&memory, Options::default()).unwrap(), []);
    assert_eq!(memory.entries(), before);
}

#[test]
fn two_at_once_are_refused() {
    let memory = memory(&[("a", Entry::file("old"))]);
    let (first, _) = Transaction::begin(&memory, Options::default(), &Interrupt::new()).unwrap();
    assert!(matches!(update(&memory), Err(Failure::Locked)));
    first.abandon();
    update(&memory).unwrap();
}

#[test]
fn a_signal_ends_the_waiting_for_the_lock() {
    let memory = memory(&[("a", Entry::file("old"))]);
    let (first, _) = Transaction::begin(&memory, Options::default(), &Interrupt::new()).unwrap();
    let interrupt = std::sync::Arc::new(Interrupt::new());
    let signal = std::sync::Arc::clone(&interrupt);
    memory.run_before_verb(memory.verb_count() + 20, move |_| signal.raise(2));
    let options = Options {
        lock_timeout: std::time::Duration::from_secs(3600),
        ..Options::default()
    };
    let second = Transaction::begin(&memory, options, &interrupt).map(drop);
    assert!(matches!(second, Err(Failure::Interrupted(2))), "{second:?}");
    first.abandon();
}

#[test]
fn a_file_that_changed_since_it_was_read_is_stale() {
    let memory = memory(&[("a", Entry::file("old")), ("b", Entry::file("b"))]);
    let (transaction, _) =
        Transaction::begin(&memory, Options::default(), &Interrupt::new()).unwrap();
    for step in [
        Step::Put("b", Entry::file("B")),
        Step::Put("a", Entry::file("new")),
    ] {
        transaction.receive(step.change(&memory).unwrap()).unwrap();
    }
    memory.put(&path("a"), &Entry::file("oLd"));
    let failure = transaction.commit(&Interrupt::new()).map(|_receipt| ());
    assert!(matches!(failure, Err(Failure::Stale(paths)) if paths == [path("a")]));
    assert_eq!(
        memory.entries().into_values().collect::<Vec<_>>(),
        [Entry::file("oLd"), Entry::file("b")]
    );
}

#[test]
fn what_two_edits_leave_no_place_for_is_kept_and_named() {
    let files = [("a", Entry::file("old"))];
    let verbs = {
        let memory = memory(&files);
        update(&memory).unwrap();
        memory.verb_count()
    };
    let mut kept_files = 0;
    for (first, second) in
        (0..verbs).flat_map(|first| (first + 1..verbs + 20).map(move |second| (first, second)))
    {
        let memory = memory(&files);
        for (verb, text) in [(first, "one edit"), (second, "another")] {
            memory.run_before_verb(verb, move |memory| {
                let edit = path("a.tmp");
                memory.put(&edit, &Entry::file(text));
                memory
                    .rename(&edit, &path("a"), RenameMode::Replace)
                    .unwrap();
            });
        }
        let Err(Failure::Incomplete { left, kept, .. }) = update(&memory) else {
            continue;
        };
        assert_eq!((left, kept.len()), (vec![path("a")], 1), "{first} {second}");
        assert_eq!(memory.files()[&path("a")], Entry::file("another"));
        assert_eq!(
            memory.files()[&kept[0].copy[..]],
            Entry::file("one edit"),
            "{first} {second}"
        );
        kept_files += 1;
    }
    assert!(kept_files > 0);
}

#[test]
fn a_link_in_the_place_of_a_directory_is_never_a_failing_disk() {
    let patch = b"--- a/d/e\n+++ b/d/e\n@@ -1 +1 @@\n-one\n+two\n";
    let mut codes = BTreeSet::new();
    for verb in 0..100 {
        let memory = memory(&[("d/e", Entry::file("one\n"))]);
        memory.run_before_verb(verb, |memory| {
            memory
                .rename(&path("d"), &path("theirs"), RenameMode::Exclusive)
                .unwrap();
            memory
                .symlink(b"theirs", &path("d"), &path("d"), None)
                .unwrap();
        });
        let report = crate::run::apply(&memory, patch, &Settings::default());
        codes.insert(report["exit_code"].as_i64());
    }
    // The link came too late; the change is stale; preflight refuses it.
    assert_eq!(codes, [0, 1, 3].map(Some).into());
}
