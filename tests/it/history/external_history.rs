//! The history of a plain directory, which is kept outside of it.

mod interrupted;

use wpatch::engine::{self, UndoTarget};
use wpatch::mode::Permissions;
use wpatch::transaction::Interrupt;
use wpatch::workspace::DirectoryPermissions::Private;
use wpatch::workspace::memory::{Entry, Memory};
use wpatch::workspace::{EXTERNAL_HISTORY_NAME, Workspace};

use super::{OPTIONS, done, put, tree, undo};
use crate::changes::Step;
use crate::tree::path;

/// A plain directory with an attic, whose clock shows the same as at every start.
fn memory() -> Memory {
    Memory::with_files([(path("a"), Entry::file("1"))]).with_external_history()
}

fn home() -> wpatch::path::RelPath {
    path(&format!("{EXTERNAL_HISTORY_NAME}/1"))
}

fn entries(memory: &Memory) -> usize {
    engine::log(memory, &std::sync::Arc::default())
        .unwrap()
        .entries
        .len()
}

#[test]
fn it_is_all_that_stays_of_a_change() {
    let memory = memory();
    let before = tree(&memory);
    put(
        &memory,
        &[
            Step::Put("a", Entry::file("2")),
            Step::Put("d/b", Entry::file("b")),
        ],
    );
    assert!(!memory.entries().contains_key(&path(".wpatch")));
    assert_eq!(entries(&memory), 1);
    assert!(done(&undo(&memory, UndoTarget::Last(1))));
    assert_eq!(tree(&memory), before);
    assert!(!memory.entries().contains_key(&path(".wpatch")));
    assert_eq!(entries(&memory), 2);
}

#[test]
fn it_is_made_only_for_an_entry() {
    let memory = memory();
    assert_eq!(entries(&memory), 0);
    assert!(!undo(&memory, UndoTarget::Last(1)).report.ok);
    assert!(engine::gc(&memory, OPTIONS, &Interrupt::new()).report.ok);
    assert_eq!(memory.entries().len(), 1);
}

#[test]
fn files_are_copied_to_it_where_it_is_another_file_system() {
    let memory = memory();
    let before = tree(&memory);
    memory
        .make_dir(&path(EXTERNAL_HISTORY_NAME), Private)
        .unwrap();
    memory.make_dir(&home(), Private).unwrap();
    memory.mount(&path(EXTERNAL_HISTORY_NAME));
    memory.mount(&home());
    for _ in 0..2 {
        put(
            &memory,
            &[
                Step::Put("a", Entry::file("2")),
                Step::Put("b", Entry::link("a")),
            ],
        );
        assert!(!memory.entries().contains_key(&path(".wpatch")));
        assert!(done(&undo(&memory, UndoTarget::Last(1))));
        assert_eq!(tree(&memory), before);
    }
    assert!(engine::init(&memory, OPTIONS, &Interrupt::new()).report.ok);
    assert_eq!(
        (entries(&memory), memory.list(Some(&home())).unwrap().len()),
        (4, 0)
    );
}

#[test]
fn a_place_of_its_own_takes_over_what_it_has() {
    let memory = memory();
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    assert!(engine::init(&memory, OPTIONS, &Interrupt::new()).report.ok);
    put(&memory, &[Step::Put("a", Entry::file("3"))]);
    assert_eq!(entries(&memory), 2);
    assert!(done(&undo(&memory, UndoTarget::Last(2))));
    assert_eq!(memory.files()[&path("a")].contents, b"1");
    assert_eq!(memory.list(Some(&home())).unwrap().len(), 0);
}

#[test]
fn one_that_others_can_write_to_is_none() {
    let memory = memory();
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    memory
        .set_permissions(&path(EXTERNAL_HISTORY_NAME), Permissions::Exact(0o777))
        .unwrap();
    assert_eq!(entries(&memory), 0);
    let steps = [Step::Put("a", Entry::file("3"))];
    let receipt = crate::changes::run(&memory, &steps, OPTIONS, &Interrupt::new()).unwrap();
    assert!(
        receipt.warnings[0]
            .starts_with("this change cannot be undone: the directory of XDG_STATE_HOME must be")
    );
    assert!(!memory.entries().contains_key(&path(".wpatch")));
    memory
        .set_permissions(&path(EXTERNAL_HISTORY_NAME), Permissions::Exact(0o700))
        .unwrap();
    assert_eq!(entries(&memory), 1);
}

#[test]
fn many_files_are_copied_to_another_file_system_as_few_are() {
    let name = |number: usize| -> &'static str { format!("d/{number}").leak() };
    let memory = memory();
    put(
        &memory,
        &(0..70)
            .map(|number| Step::Put(name(number), Entry::file("1")))
            .collect::<Vec<_>>(),
    );
    let before = tree(&memory);
    memory.mount(&path(EXTERNAL_HISTORY_NAME));
    memory.mount(&home());
    let changes = (0..70).map(|number| match number {
        0..35 => Step::Put(name(number), Entry::file("2")),
        _ => Step::Delete(name(number)),
    });
    put(&memory, &changes.collect::<Vec<_>>());
    assert_ne!(tree(&memory), before);
    let in_bucket = |path: &wpatch::path::RelPath| {
        path.is_below(&home()) && path.to_string().contains("/files1/o")
    };
    assert!(memory.entries().keys().any(in_bucket));
    assert!(done(&undo(&memory, UndoTarget::Last(1))));
    assert_eq!(tree(&memory), before);
}

/// Whoever comes while the directory is made to stay has the lock, or does not.
#[test]
fn a_change_at_any_moment_of_an_init_comes_before_it_or_behind() {
    for verb in 0.. {
        let memory = memory();
        put(&memory, &[Step::Put("a", Entry::file("2"))]);
        let start = memory.verb_count();
        let changed = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let is_changed = std::sync::Arc::clone(&changed);
        memory.run_before_verb(start + verb, move |other| {
            let steps = [Step::Put("b", Entry::file("b"))];
            let applied = crate::changes::run(other, &steps, OPTIONS, &Interrupt::new());
            assert!(
                matches!(applied, Ok(_) | Err(wpatch::transaction::Failure::Locked)),
                "{applied:?}"
            );
            is_changed.store(applied.is_ok(), std::sync::atomic::Ordering::Relaxed);
        });
        assert!(
            engine::init(&memory, OPTIONS, &Interrupt::new()).report.ok,
            "{verb}"
        );
        let is_over = memory.verb_count() <= start + verb;
        let mode = memory.stat(&path(".wpatch")).unwrap().unwrap().permissions;
        assert_eq!(mode, 0o700, "{verb}");
        let is_changed = changed.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(
            memory.files().contains_key(&path("b")),
            is_changed,
            "{verb}"
        );
        assert_eq!(entries(&memory), 1 + usize::from(is_changed), "{verb}");
        if is_over {
            assert!(verb > 15);
            break;
        }
    }
}

#[test]
fn an_entry_that_is_in_both_places_is_one() {
    let memory = memory();
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    let files = memory.files();
    memory.make_dir(&path(".wpatch"), Private).unwrap();
    for (from, entry) in files.iter().filter(|(path, _)| path.is_below(&home())) {
        let name = from.to_string().replace(&home().to_string(), ".wpatch");
        memory.put(&path(&name), entry);
    }
    assert_eq!(entries(&memory), 1);
    assert!(done(&undo(&memory, UndoTarget::Last(1))));
    assert_eq!(
        (
            memory.files()[&path("a")].contents.as_slice(),
            entries(&memory)
        ),
        (&b"1"[..], 2)
    );
    assert_eq!(memory.list(Some(&home())).unwrap(), [[0; 0]; 0]);
}

/// One that is not believed is not acted on either.
#[test]
fn what_others_put_into_it_is_not_touched() {
    let memory = memory();
    let planted = home().join(b"dead-evil").unwrap();
    memory.put(
        &planted.join(b"b7").unwrap(),
        &Entry::file(".wpatch-evil-n7"),
    );
    memory.put(
        &home()
            .join(b"entry-ffffffff0000000000-00000000.1/done")
            .unwrap(),
        &Entry::file(""),
    );
    memory.put(&path(".wpatch-evil-o7"), &Entry::file("mine"));
    memory
        .set_permissions(&home(), Permissions::Exact(0o777))
        .unwrap();
    let before = memory.files();
    let steps = [Step::Put("a", Entry::file("3"))];
    let receipt = crate::changes::run(&memory, &steps, OPTIONS, &Interrupt::new()).unwrap();
    assert!(*receipt.id < *"f");
    let mut after = memory.files();
    after.insert(path("a"), Entry::file("1"));
    assert_eq!(after, before);
}

#[test]
fn it_is_brought_into_a_state_directory_that_somebody_makes() {
    for state in [".git", ".wpatch"] {
        let memory = memory();
        put(&memory, &[Step::Put("a", Entry::file("2"))]);
        put(&memory, &[Step::Put("a", Entry::file("3"))]);
        memory.make_dir(&path(state), Private).unwrap();
        assert_eq!(entries(&memory), 2, "{state}");
        assert!(done(&undo(&memory, UndoTarget::Last(1))), "{state}");
        assert_eq!(memory.list(Some(&home())).unwrap().len(), 0, "{state}");
        assert!(done(&undo(&memory, UndoTarget::Last(1))), "{state}");
        assert_eq!(memory.files()[&path("a")].contents, b"1", "{state}");
    }
}

#[test]
fn what_is_too_old_of_other_roots_goes() {
    let memory = memory();
    let day = 24 * 60 * 60;
    let now = u64::try_from(memory.now().seconds).unwrap();
    let other = |id: u64| {
        path(&format!(
            "{EXTERNAL_HISTORY_NAME}/2/entry-{id:010x}00000000-00000000.5/done"
        ))
    };
    let half = |id: u64| {
        path(&format!(
            "{EXTERNAL_HISTORY_NAME}/2/dead-{id:010x}00000000-00000001/n0"
        ))
    };
    for age in [29 * day, 31 * day] {
        memory.put(&other(now - age), &Entry::file("x"));
        memory.put(&half(now - age), &Entry::file("x"));
    }
    for directory in [
        path(EXTERNAL_HISTORY_NAME),
        path(&format!("{EXTERNAL_HISTORY_NAME}/2")),
    ] {
        memory
            .set_permissions(&directory, Permissions::Exact(0o700))
            .unwrap();
    }
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    let left = |path| memory.stat(&path).unwrap().is_some();
    assert_eq!(
        [29, 31].map(|age| left(other(now - age * day))),
        [true, false]
    );
    assert_eq!(
        [29, 31].map(|age| left(half(now - age * day))),
        [true, false]
    );
}
