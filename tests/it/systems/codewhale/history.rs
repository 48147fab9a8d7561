//! Statement 23: taking changes back.

use std::sync::Arc;

use fs_err as fs;
use serde_json::json;
use wpatch::engine::options::code;
use wpatch::engine::{self, FileEdit};
use wpatch::path::RelPath;
use wpatch::plan::Edit;
use wpatch::transaction::{Interrupt, Options};
use wpatch::workspace::memory::{Entry, Memory};

use super::super::Desk;
use crate::tree;
use crate::world;

fn desk() -> Desk {
    let desk = Desk::with(&[("a", b"1\n"), ("gone", b"gone\n"), ("d/old", b"old\n")]);
    desk.does(&["init"], b"");
    desk
}

/// Changes, deletes, renames and makes files.
const PATCH: &[u8] = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
    diff --git a/d/old b/e/name\nsimilarity index 100%\nrename from d/old\nrename to e/name\n\
    diff --git a/new/x b/new/x\nnew file mode 100644\n--- /dev/null\n+++ b/new/x\n@@ -0,0 +1 @@\n+x\n";

#[test]
fn s23_the_last_two_changes_are_taken_back_together() {
    let desk = desk();
    let before = tree::read(&desk.root());
    desk.does(&["apply"], PATCH);
    desk.does(&["edit", "a", "--old", "2", "--new", "3"], b"");
    let report = desk.does(&["undo", "--last", "2"], b"");
    assert_eq!(
        (&report["changed"], &report["exit_code"]),
        (&json!(true), &json!(0))
    );
    assert_eq!(tree::read(&desk.root()), before);
    assert_eq!(
        desk.says(&["undo", "--last", "1"], b"")["error"]["kind"],
        "nothing_to_undo"
    );
}

/// Takes [`PATCH`] back by hand.
fn by_hand(desk: &Desk) {
    fs::write(desk.path("a"), "1\n").unwrap();
    fs::write(desk.path("gone"), "gone\n").unwrap();
    fs::create_dir(desk.path("d")).unwrap();
    fs::rename(desk.path("e/name"), desk.path("d/old")).unwrap();
    fs::remove_dir(desk.path("e")).unwrap();
    fs::remove_dir_all(desk.path("new")).unwrap();
}

#[test]
fn s23_an_undo_to_the_tree_as_it_is_succeeds_and_changes_nothing() {
    for (more, arguments) in [(false, &["undo"][..]), (true, &["undo", "--last", "2"])] {
        let desk = desk();
        let before = tree::traces(&desk.path("d/old"));
        desk.does(&["apply"], PATCH);
        if more {
            desk.does(&["edit", "a", "--old", "2", "--new", "3"], b"");
        }
        by_hand(&desk);
        let tree = tree::read(&desk.root());
        let dry = desk.does(&[arguments, &["--dry-run"]].concat(), b"");
        let report = desk.does(arguments, b"");
        for report in [dry, report] {
            assert_eq!(
                (&report["changed"], &report["exit_code"]),
                (&json!(false), &json!(0)),
                "{report:#}"
            );
        }
        assert_eq!((tree::read(&desk.root()), before.len()), (tree, 1));
        // It is taken back, and known to be.
        let entries = desk.does(&["log"], b"")["entries"].clone();
        let states: Vec<_> = entries
            .as_array()
            .unwrap()
            .iter()
            .skip(1)
            .map(|entry| entry["state"].clone())
            .collect();
        assert!(
            states.iter().all(|state| state == "undone") && !states.is_empty(),
            "{entries:#}"
        );
    }
}

#[cfg(unix)]
#[test]
fn s23_a_tree_that_is_back_only_in_part_is_a_conflict() {
    let spoils: [fn(&Desk); 5] = [
        |desk| fs::write(desk.path("a"), "9\n").unwrap(),
        |desk| fs::write(desk.path("gone"), "Gone\n").unwrap(),
        |desk| fs::remove_file(desk.path("d/old")).unwrap(),
        |desk| world::link("a", desk.path("new")).unwrap(),
        |desk| world::set_mode(desk.path("a"), 0o600),
    ];
    for spoil in spoils {
        let desk = desk();
        desk.does(&["apply"], PATCH);
        by_hand(&desk);
        spoil(&desk);
        let tree = tree::read(&desk.root());
        assert_eq!(desk.says(&["undo"], b"")["error"]["kind"], "conflict");
        assert_eq!(tree::read(&desk.root()), tree);
    }
}

#[test]
fn s23_the_history_has_a_hundred_entries_of_thirty_days_and_says_what_goes() {
    let limits = Options::default().history;
    assert_eq!(
        (limits.entries, limits.age.as_secs(), limits.bytes),
        (100, 30 * 24 * 3600, 512 << 20)
    );
    let path = RelPath::new(b"a").unwrap();
    let memory = Memory::with_files([
        (path.clone(), Entry::file("")),
        (RelPath::new(b".git/HEAD").unwrap(), Entry::file("")),
    ]);
    let pruned = (0..103).filter(|number| {
        let edit = Edit::Whole(Arc::new(format!("{number}\n").into()));
        let outcome = engine::apply(FileEdit::of("a", edit).into(), &memory, &Interrupt::new());
        assert!(outcome.report.changed, "{:?}", outcome.problems);
        outcome.problems.iter().any(|problem| {
            *problem.code == code::HISTORY_PRUNED
                && problem
                    .message
                    .contains("the oldest history entry was removed")
        })
    });
    assert_eq!(pruned.collect::<Vec<_>>(), [100, 101, 102]);
    assert_eq!(
        engine::log(&memory, &Arc::default()).unwrap().entries.len(),
        100
    );
}
