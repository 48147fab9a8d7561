//! What the recovery of an interrupted transaction restores, and what it leaves.

use wpatch::mode::Permissions;
use wpatch::transaction::{
    Durability, Failure, Interrupt, JournalAdoption, Options, RecoveryOutcome, Transaction,
    has_unfinished_changes, recover,
};
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind, Feature};
use wpatch::workspace::{DirectoryPermissions, RenameMode, Workspace};

use super::{killed, memory};
use crate::changes::{Step, run};
use crate::tree::path;

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
        [(RecoveryOutcome::RolledBack, &[][..])]
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
            memory.inject(FaultInjection {
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
        memory
            .make_dir(&path(".git"), DirectoryPermissions::Shared)
            .unwrap();
        has_unfinished_changes(&memory).unwrap();
        let recovered = recover(&memory, options).unwrap();
        assert_eq!(
            recovered.iter().map(|one| one.ending).collect::<Vec<_>>(),
            [RecoveryOutcome::RolledBack],
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
        memory.run_before_verb(memory.verb_count() + verb, move |_| signal.raise(15));
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
        memory.inject(FaultInjection {
            verb,
            kind: FaultKind::Killed,
        });
        let _ = run(&memory, &steps, Options::default(), &Interrupt::new());
        if !memory.has_failed() {
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

/// What somebody wrote after the mode was changed stays as they left it.
#[test]
fn a_mode_is_not_put_back_on_other_contents() {
    for contents in ["old", "theirs"] {
        let memory = memory(&[("a", Entry::file("old")), ("b", Entry::file("old"))]);
        let steps = [Step::Mode("a", 0o755), Step::Mode("b", 0o755)];
        for verb in 0.. {
            let memory = memory.restart();
            memory.inject(FaultInjection {
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
            DirectoryPermissions::Private
        } else {
            DirectoryPermissions::Temporary
        };
        if is_refused {
            memory
                .make_dir(&path(".git"), DirectoryPermissions::Shared)
                .unwrap();
        }
        memory.make_dir(&path(state), privacy).unwrap();
        memory
            .make_dir(
                &path(&format!("{state}/lock")),
                DirectoryPermissions::Private,
            )
            .unwrap();
        assert_eq!(
            (
                has_unfinished_changes(&memory).is_err(),
                recover(&memory, Options::default()).is_err()
            ),
            (is_refused, is_refused)
        );
    }
    // Where the state was before, a history is nobody's business any more.
    let memory = memory(&[(".git/HEAD", Entry::file("ref"))]);
    for directory in [".wpatch", ".wpatch/lock"] {
        memory
            .make_dir(&path(directory), DirectoryPermissions::Private)
            .unwrap();
    }
    assert!(
        has_unfinished_changes(&memory).is_ok() && recover(&memory, Options::default()).is_ok()
    );
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
    assert!(has_unfinished_changes(&memory).unwrap());
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
        (RecoveryOutcome::Kept, &recovered[0].kept)
    );
    assert!(
        memory
            .files()
            .into_values()
            .any(|entry| entry.contents == b"old")
    );
}

/// On sshfs, mergerfs and unionfs-fuse, a file that was moved in by a hard link does not have the
/// inode of its scratch file.
#[test]
fn without_shared_inodes_recovery_removes_new_files_but_not_files_of_others() {
    let killed_at = |verb| {
        [
            Feature::ExclusiveRename,
            Feature::Exchange,
            Feature::SharedInodes,
        ]
        .into_iter()
        .fold(memory(&[("old", Entry::file("old"))]), |memory, feature| {
            let memory = memory.without_feature(feature);
            memory.inject(FaultInjection {
                verb,
                kind: FaultKind::KilledAfter,
            });
            memory
        })
    };
    let theirs = [
        None,
        Some(Entry::file("theirs")),
        Some(Entry::executable("new")),
        Some(Entry::link("new")),
    ];
    let mut removed = 0;
    for (verb, theirs) in (0..100).flat_map(|verb| theirs.iter().map(move |one| (verb, one))) {
        let memory = killed_at(verb);
        let steps = [Step::Put("new", Entry::file("new")), Step::Delete("old")];
        let is_done = run(&memory, &steps, Options::default(), &Interrupt::new()).is_ok();
        let next = memory.restart();
        let has_new = next.files().contains_key(&path("new"));
        if is_done || !has_new || next.files().contains_key(&path("old")) {
            continue;
        }
        let mut expected = vec![(path("old"), Entry::file("old"))];
        if let Some(theirs) = theirs {
            next.put(&path("saved"), theirs);
            next.rename(&path("saved"), &path("new"), RenameMode::Replace)
                .unwrap();
            expected.insert(0, (path("new"), theirs.clone()));
        }
        let outcomes = recover(&next, Options::default()).unwrap();
        if outcomes
            .iter()
            .all(|one| one.ending != RecoveryOutcome::RolledBack)
        {
            continue;
        }
        removed += usize::from(theirs.is_none());
        let mut found: Vec<_> = next.files().into_iter().collect();
        found.retain(|(path, _)| !path.to_string().starts_with(".wpatch"));
        assert_eq!(found, expected, "{verb}");
    }
    assert!(removed > 0);
}

/// A journal names the root. The name changes when some file systems are mounted again.
#[test]
fn a_journal_of_another_root_is_adopted_on_request_after_any_interruption() {
    let adopting = Options {
        journals: JournalAdoption::Adopt,
        ..Options::default()
    };
    let mut calls = 0;
    for (verb, kind) in (0..).flat_map(|verb| FaultKind::ALL.map(|kind| (verb, kind))) {
        let memory = killed(&[("a", Entry::file("old"))]).mounted_again();
        let before = memory.fingerprint();
        let refused = recover(&memory, Options::default());
        assert!(
            matches!(refused, Err(Failure::OtherRoot { .. })),
            "{refused:?}"
        );
        assert_eq!(memory.fingerprint(), before);
        memory.inject(FaultInjection {
            verb: memory.verb_count() + verb,
            kind,
        });
        let _ = recover(&memory, adopting);
        let was_met = memory.has_failed();
        let next = memory.restart();
        let recovered = recover(&next, adopting).unwrap();
        assert!(recovered.len() <= 1, "{kind:?} at {verb}: {recovered:?}");
        let files = next.files();
        let found: Vec<_> = files
            .iter()
            .map(|(path, it)| (path.as_bytes(), it))
            .collect();
        assert_eq!(
            found,
            [(&b"a"[..], &Entry::file("old"))],
            "{kind:?} at {verb}"
        );
        if !was_met {
            break;
        }
        calls += 1;
    }
    assert!(calls > 30, "{calls}");
}
