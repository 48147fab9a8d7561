//! State directories that are refused, and which one is used.

use wpatch::mode::Permissions;
use wpatch::transaction::{Failure, Options, has_unfinished_changes, recover};
use wpatch::workspace::memory::Entry;
use wpatch::workspace::{DirectoryPermissions, Workspace};

use super::{memory, update};
use crate::tree::path;

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
        assert!(matches!(
            has_unfinished_changes(&memory),
            Err(Failure::State { .. })
        ));
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
                matches!(has_unfinished_changes(&memory), Err(Failure::State { .. })),
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
    assert_eq!((names.len(), history), (6 + 3, 3), "{names:?}");
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
    memory
        .make_dir(&path(".wpatch"), DirectoryPermissions::Shared)
        .unwrap();
    update(&memory).unwrap();
    assert!(memory.entries().contains_key(&path(".wpatch")));
}
