//! What a transaction refuses, what it leaves behind, and whom it believes.

mod damage;
mod disk;
mod kept;
mod users;

use std::collections::BTreeSet;

use wpatch::change::Sink;
use wpatch::mode::Permissions;
use wpatch::transaction::{
    Durability, Ending, Failure, Interrupt, Options, Transaction, examine, recover,
};
use wpatch::workspace::memory::{Entry, FaultKind, Injection, Memory};
use wpatch::workspace::{Privacy, Rename, Workspace};

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
        memory.inject(Injection {
            verb,
            kind: FaultKind::KilledAfter,
        });
        let _ = update(&memory);
        memory.files()[&path("a")].contents == b"new"
    });
    let memory = memory(files);
    memory.inject(Injection {
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
            .take(Step::Put("a", Entry::file("new")).change(&memory).unwrap())
            .unwrap();
        panic!("the caller failed");
    }));
    assert!(result.is_err());
    assert_eq!(memory.entries(), before);
    update(&memory).unwrap();
}

#[test]
fn recovery_makes_nothing_where_nothing_is() {
    let memory = memory(&[("a", Entry::file("old"))]);
    let before = memory.fingerprint();
    assert_eq!(recover(&memory, Options::default()).unwrap(), []);
    assert_eq!(memory.fingerprint(), before);
}

#[test]
fn the_next_command_says_what_it_recovered() {
    let memory = killed(&[("a", Entry::file("old"))]);
    let (transaction, recovered) =
        Transaction::begin(&memory, Options::default(), &Interrupt::new()).unwrap();
    assert_eq!(
        recovered
            .iter()
            .map(|one| (one.ending, &one.left[..]))
            .collect::<Vec<_>>(),
        [(Ending::RolledBack, &[][..])]
    );
    transaction.abandon();
    assert_eq!(
        memory.files().into_values().collect::<Vec<_>>(),
        [Entry::file("old")]
    );
}

#[test]
fn what_was_left_before_the_root_became_a_work_tree_of_git_is_found() {
    for options in [
        Options::default(),
        Options {
            durability: Durability::None,
            ..Options::default()
        },
    ] {
        let swap = |at: usize| {
            let memory = memory(&[("a", Entry::file("old"))]);
            memory.inject(Injection {
                verb: at,
                kind: FaultKind::KilledAfter,
            });
            let _ = run(
                &memory,
                &[Step::Put("a", Entry::file("new"))],
                options,
                &Interrupt::new(),
            );
            memory
        };
        let at = (0..1000)
            .find(|&at| swap(at).files()[&path("a")] == Entry::file("new"))
            .unwrap();
        let memory = swap(at).restart();
        memory.make_dir(&path(".git"), Privacy::Shared).unwrap();
        examine(&memory).unwrap();
        let recovered = recover(&memory, options).unwrap();
        assert_eq!(
            recovered.iter().map(|one| one.ending).collect::<Vec<_>>(),
            [Ending::RolledBack],
            "{options:?}"
        );
        let names: Vec<_> = memory
            .entries()
            .into_keys()
            .map(|path| path.to_string())
            .collect();
        assert_eq!(names, [".git", "a"], "{options:?}");
        assert_eq!(
            memory.files()[&path("a")],
            Entry::file("old"),
            "{options:?}"
        );
    }
}

#[test]
fn a_directory_that_was_emptied_comes_back_itself() {
    let steps = [
        Step::Delete("d/e/gone"),
        Step::Put("made", Entry::file("made")),
    ];
    let mut stopped = 0;
    for verb in 0..80 {
        let memory = memory(&[("d/e/gone", Entry::file("gone"))]);
        memory
            .set_permissions(&path("d/e"), Permissions::Exact(0o700))
            .unwrap();
        let look = || {
            ["d", "d/e"].map(|name| {
                memory
                    .stat(&path(name))
                    .unwrap()
                    .map(|stat| (stat.inode, stat.permissions))
            })
        };
        let before = look();
        let interrupt = std::sync::Arc::new(Interrupt::new());
        let signal = std::sync::Arc::clone(&interrupt);
        memory.before_verb(memory.verbs() + verb, move |_| signal.raise(15));
        if run(&memory, &steps, Options::default(), &interrupt).is_err() {
            stopped += 1;
            assert_eq!(look(), before, "{verb}");
        } else {
            assert_eq!(look(), [None, None], "{verb}");
        }
    }
    assert!(stopped > 20, "{stopped}");
}

#[test]
fn what_somebody_finished_by_hand_after_a_kill_is_not_taken_away() {
    let steps = [
        Step::Put("a", Entry::file("new")),
        Step::Put("made", Entry::file("made")),
    ];
    let mut kills = 0;
    for verb in 0.. {
        let memory = memory(&[("a", Entry::file("old"))]);
        memory.inject(Injection {
            verb,
            kind: FaultKind::Killed,
        });
        let _ = run(&memory, &steps, Options::default(), &Interrupt::new());
        if !memory.has_met_fault() {
            break;
        }
        let next = memory.restart();
        let has_come = |name: &str| {
            next.files()
                .get(&path(name))
                .is_some_and(|file| *file != Entry::file("old"))
        };
        if has_come("a") || has_come("made") {
            continue;
        }
        kills += 1;
        let theirs =
            ["a", "made"].map(|name| Entry::file(if name == "a" { "new" } else { "made" }));
        next.put(&path("a"), &theirs[0]);
        next.put(&path("made"), &theirs[1]);
        let _ = recover(&next, Options::default()).unwrap();
        let found = ["a", "made"].map(|name| next.files().get(&path(name)).cloned());
        assert_eq!(found, theirs.map(Some), "{verb}");
    }
    assert!(kills > 10, "{kills}");
}

#[test]
fn a_history_from_before_the_root_became_a_work_tree_of_git_stays_where_it_is() {
    let memory = memory(&[("a", Entry::file("old"))]);
    memory.make_dir(&path(".wpatch"), Privacy::Private).unwrap();
    update(&memory).unwrap();
    memory.make_dir(&path(".git"), Privacy::Shared).unwrap();
    let before = memory.entries();
    assert_eq!(recover(&memory, Options::default()).unwrap(), []);
    assert_eq!(memory.entries(), before);
}

/// What somebody wrote after the mode was changed stays as they left it.
#[test]
fn a_mode_is_not_put_back_on_other_contents() {
    for contents in ["old", "theirs"] {
        let memory = memory(&[("a", Entry::file("old")), ("b", Entry::file("old"))]);
        let steps = [Step::Mode("a", 0o755), Step::Mode("b", 0o755)];
        for verb in 0.. {
            let memory = memory.restart();
            memory.inject(Injection {
                verb,
                kind: FaultKind::Killed,
            });
            let _ = run(&memory, &steps, Options::default(), &Interrupt::new());
            let next = memory.restart();
            if next.files()[&path("a")].mode != 0o755 {
                continue;
            }
            next.put(
                &path("a"),
                &Entry {
                    mode: 0o755,
                    ..Entry::file(contents)
                },
            );
            let left = recover(&next, Options::default()).unwrap().remove(0).left;
            let found = next.files().remove(&path("a")).unwrap();
            let is_theirs = contents == "theirs";
            assert_eq!(
                (found.mode, left.len()),
                if is_theirs { (0o755, 1) } else { (0o644, 0) }
            );
            break;
        }
    }
}

#[test]
fn a_check_and_a_recovery_agree_on_what_has_the_place_of_the_lock() {
    for (state, is_refused) in [(".git/wpatch", true), (".wpatch", false)] {
        let memory = memory(&[("a", Entry::file("old"))]);
        let privacy = if is_refused {
            Privacy::Private
        } else {
            Privacy::Passing
        };
        if is_refused {
            memory.make_dir(&path(".git"), Privacy::Shared).unwrap();
        }
        memory.make_dir(&path(state), privacy).unwrap();
        memory
            .make_dir(&path(&format!("{state}/lock")), Privacy::Private)
            .unwrap();
        assert_eq!(
            (
                examine(&memory).is_err(),
                recover(&memory, Options::default()).is_err()
            ),
            (is_refused, is_refused)
        );
    }
    // Where the state was before, a history is nobody's business any more.
    let memory = memory(&[(".git/HEAD", Entry::file("ref"))]);
    for directory in [".wpatch", ".wpatch/lock"] {
        memory.make_dir(&path(directory), Privacy::Private).unwrap();
    }
    assert!(examine(&memory).is_ok() && recover(&memory, Options::default()).is_ok());
}

#[test]
fn what_has_the_place_of_a_scratch_directory_stops_no_recovery() {
    let memory = killed(&[("a", Entry::file("old"))]);
    let journal = memory
        .files()
        .into_keys()
        .find(|path| path.name().ends_with(b".journal"))
        .unwrap();
    let name = journal.to_string();
    let other = path(name.strip_suffix(".journal").unwrap());
    memory.put(&other, &Entry::file("not a directory"));
    assert!(examine(&memory).unwrap());
    assert_eq!(recover(&memory, Options::default()).unwrap().len(), 1);
    assert!(recover(&memory, Options::default()).unwrap().is_empty());
    let mut files: Vec<_> = memory
        .files()
        .into_iter()
        .map(|(path, entry)| (path, entry.contents))
        .collect();
    files.retain(|(path, _)| path.name() != b".gitignore");
    assert_eq!(
        files,
        [
            (other, b"not a directory".to_vec()),
            (path("a"), b"old".to_vec())
        ]
    );
}

#[test]
fn an_edit_after_a_crash_keeps_the_old_file_too() {
    let memory = killed(&[("a", Entry::file("old"))]);
    memory.put(&path("a"), &Entry::file("theirs"));
    let recovered = recover(&memory, Options::default()).unwrap();
    assert_eq!(recovered[0].left, [path("a")]);
    let contents: Vec<_> = memory
        .files()
        .into_iter()
        .map(|(path, entry)| (path.to_string(), entry.contents))
        .collect();
    let kept = format!(".wpatch/txn-{}.kept-o0", recovered[0].id);
    assert!(contents.contains(&("a".to_owned(), b"theirs".to_vec())));
    assert!(contents.contains(&(kept, b"old".to_vec())), "{contents:?}");
    let again = recover(&memory, Options::default()).unwrap();
    assert_eq!(
        (again[0].ending, &again[0].kept),
        (Ending::Kept, &recovered[0].kept)
    );
    assert!(
        memory
            .files()
            .into_values()
            .any(|entry| entry.contents == b"old")
    );
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
    memory.before_verb(memory.verbs() + 20, move |_| signal.raise(2));
    let options = Options {
        patience: std::time::Duration::from_secs(3600),
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
        transaction.take(step.change(&memory).unwrap()).unwrap();
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
        memory.verbs()
    };
    let mut kept_files = 0;
    for (first, second) in
        (0..verbs).flat_map(|first| (first + 1..verbs + 20).map(move |second| (first, second)))
    {
        let memory = memory(&files);
        for (verb, text) in [(first, "one edit"), (second, "another")] {
            memory.before_verb(verb, move |memory| {
                let edit = path("a.tmp");
                memory.put(&edit, &Entry::file(text));
                memory.rename(&edit, &path("a"), Rename::Replace).unwrap();
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
        memory.before_verb(verb, |memory| {
            memory
                .rename(&path("d"), &path("theirs"), Rename::Exclusive)
                .unwrap();
            memory.symlink(b"theirs", &path("d"), None).unwrap();
        });
        let report = crate::run::apply(&memory, patch, &Settings::default());
        codes.insert(report["exit_code"].as_i64());
    }
    // The link came too late; the change is stale; preflight refuses it.
    assert_eq!(codes, [0, 1, 3].map(Some).into());
}

#[test]
fn a_state_directory_that_others_can_write_to_is_refused() {
    for mode in [0o770, 0o707, 0o777] {
        let memory = memory(&[("a", Entry::file("old"))]);
        memory.put(&path(".wpatch"), &Entry::directory());
        memory
            .set_permissions(&path(".wpatch"), Permissions::Exact(mode))
            .unwrap();
        let before = memory.entries();
        assert!(
            matches!(update(&memory), Err(Failure::State { .. })),
            "{mode:o}"
        );
        assert_eq!(memory.entries(), before, "{mode:o}");
    }
}

#[test]
fn a_state_directory_that_is_none_is_refused() {
    for entry in [Entry::link("elsewhere"), Entry::file("x"), Entry::special()] {
        let memory = memory(&[
            ("a", Entry::file("old")),
            (".wpatch", entry),
            ("elsewhere/txn-x/journal", Entry::file("x")),
        ]);
        let before = memory.entries();
        assert!(matches!(examine(&memory), Err(Failure::State { .. })));
        assert!(matches!(update(&memory), Err(Failure::State { .. })));
        assert!(matches!(
            recover(&memory, Options::default()),
            Err(Failure::State { .. })
        ));
        assert_eq!(memory.entries(), before);
    }
}

#[test]
fn what_beginning_would_refuse_is_refused_by_looking() {
    let odd = [
        Entry::link("a"),
        Entry::link("none"),
        Entry::special(),
        Entry::directory(),
    ];
    for name in [".wpatch/lock", ".wpatch/txn-1/journal", ".git/wpatch/lock"] {
        for entry in &odd {
            let memory = memory(&[("a", Entry::file("old")), (name, entry.clone())]);
            for directory in path(name).ancestors() {
                memory
                    .set_permissions(&directory, Permissions::Exact(0o700))
                    .unwrap();
            }
            let before = memory.fingerprint();
            assert!(
                matches!(examine(&memory), Err(Failure::State { .. })),
                "{name} {entry:?}"
            );
            assert_eq!(memory.fingerprint(), before, "{name} {entry:?}");
            assert!(
                matches!(update(&memory), Err(Failure::State { .. })),
                "{name} {entry:?}"
            );
            assert_eq!(
                memory.files()[&path("a")],
                Entry::file("old"),
                "{name} {entry:?}"
            );
        }
    }
}

#[test]
fn a_git_directory_keeps_the_state_and_a_link_to_one_does_not() {
    let memory = memory(&[("a", Entry::file("old")), (".git/HEAD", Entry::file("x"))]);
    update(&memory).unwrap();
    let names: Vec<_> = memory
        .entries()
        .into_keys()
        .map(|path| path.to_string())
        .collect();
    let history = names
        .iter()
        .filter(|name| name.starts_with(".git/wpatch/entry-"))
        .count();
    assert_eq!((names.len(), history), (5 + 3, 3), "{names:?}");
    assert!(names.contains(&".git/wpatch/lock".to_owned()));
    let memory = self::memory(&[
        ("a", Entry::file("old")),
        (".git", Entry::link("b")),
        ("b/c", Entry::file("c")),
    ]);
    update(&memory).unwrap();
    let names: Vec<_> = memory
        .entries()
        .into_keys()
        .map(|path| path.to_string())
        .collect();
    assert_eq!(names, [".git", "a", "b", "b/c"]);
}

#[test]
fn a_state_directory_that_was_made_to_stay_stays() {
    let memory = memory(&[("a", Entry::file("old"))]);
    memory.make_dir(&path(".wpatch"), Privacy::Shared).unwrap();
    update(&memory).unwrap();
    assert!(memory.entries().contains_key(&path(".wpatch")));
}
