//! Directories that an undo restores or leaves.

use wpatch::engine::options::Interrupt;
use wpatch::engine::{self, UndoTarget};
use wpatch::preflight::ProblemKind;
use wpatch::workspace::memory::{Entry, Memory};

use super::{OPTIONS, done, memory, put, tree, undo};
use crate::changes::Step;
use crate::tree::path;

#[test]
fn a_directory_that_was_empty_before_stays() {
    let memory = memory(&[("d/e", Entry::directory())]);
    let before = tree(&memory);
    put(&memory, &[Step::Put("d/e/x", Entry::file("x"))]);
    assert!(done(&undo(&memory, UndoTarget::Last(1))));
    assert_eq!(tree(&memory), before);
}

#[test]
fn a_directory_that_comes_back_has_the_mode_that_it_had() {
    let memory = memory(&[
        (
            "d",
            Entry {
                mode: 0o2750,
                ..Entry::directory()
            },
        ),
        ("d/x", Entry::file("x")),
    ]);
    let before = tree(&memory);
    put(&memory, &[Step::Delete("d/x")]);
    let after = tree(&memory);
    assert!(!after.contains_key(&path("d")));
    for _ in 0..2 {
        assert!(done(&undo(&memory, UndoTarget::Last(1))));
        assert_eq!(tree(&memory), before);
        assert!(done(&undo(&memory, UndoTarget::Undo)));
        assert_eq!(tree(&memory), after);
    }
}

#[test]
fn an_empty_directory_stays_however_deep_the_file_was_that_came() {
    let memory = memory(&[("a/b", Entry::directory())]);
    let before = tree(&memory);
    put(&memory, &[Step::Put("a/b/c/d/e", Entry::file("x"))]);
    assert!(done(&undo(&memory, UndoTarget::Last(1))));
    assert_eq!(tree(&memory), before);
}

#[test]
fn a_directory_that_became_a_link_comes_back() {
    for file in ["d/f", "d/below/f", "d/below/deeper/f"] {
        for steps in [
            &[&[Step::Delete(file), Step::Put("d", Entry::link("e"))][..]][..],
            &[&[Step::Delete(file)], &[Step::Put("d", Entry::link("e"))]],
        ] {
            let memory = memory(&[(file, Entry::file("x")), ("e/other", Entry::file("y"))]);
            let before = tree(&memory);
            for step in steps {
                put(&memory, step);
            }
            let after = tree(&memory);
            assert!(
                done(&undo(&memory, UndoTarget::Last(steps.len()))),
                "{file}"
            );
            assert_eq!(tree(&memory), before, "{file}");
            assert!(done(&undo(&memory, UndoTarget::Undo)), "{file}");
            assert_eq!(tree(&memory), after, "{file}");
        }
    }
}

#[test]
fn a_plain_directory_keeps_a_history_only_when_asked() {
    let memory = Memory::with_files([(path("a"), Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    assert_eq!(
        undo(&memory, UndoTarget::Last(1))
            .report
            .error
            .unwrap()
            .kind,
        ProblemKind::NothingToUndo
    );
    assert_eq!(memory.entries().len(), 1);
    assert!(engine::init(&memory, OPTIONS, &Interrupt::new()).report.ok);
    put(&memory, &[Step::Put("a", Entry::file("3"))]);
    assert!(done(&undo(&memory, UndoTarget::Last(1))));
    assert_eq!(memory.files()[&path("a")].contents, b"2");
}
