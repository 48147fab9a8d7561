//! Undo and redo of a change of several roots, from any of them.

use std::sync::Arc;

use wpatch::engine::{self, Request, UndoTarget};
use wpatch::transaction::{Interrupt, Options};
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind, Memory};

use super::{State, World, before_and_after, path};

fn revert(target: UndoTarget, workspace: &dyn Workspace) -> engine::Outcome {
    engine::apply(Request::undo(target), workspace, &Interrupt::new())
}

#[test]
fn an_undo_from_any_root_undoes_the_change_in_all_roots() {
    let (before, after) = before_and_after(3, State::Git);
    for from in 0..3 {
        let world = World::new(3, State::Git, &[]);
        assert!(world.apply().report.ok);
        let undone = revert(UndoTarget::Last(1), &world.0[from]);
        assert!(undone.report.ok, "{from}: {:?}", undone.report.error);
        assert_eq!(world.trees(), before, "{from}");
        let redone = revert(UndoTarget::Undo, &world.0[(from + 1) % 3]);
        assert!(redone.report.ok, "{from}: {:?}", redone.report.error);
        assert_eq!(world.trees(), after, "{from}");
        let undone = revert(UndoTarget::Last(1), &world.roots());
        assert!(undone.report.ok, "{from}: {:?}", undone.report.error);
        assert_eq!(world.trees(), before, "{from}");
    }
}

#[test]
fn the_log_of_each_root_names_all_roots_under_one_identifier() {
    let world = World::new(2, State::Git, &[]);
    assert!(world.apply().report.ok);
    let logs: Vec<_> = world
        .0
        .iter()
        .map(|tree| engine::log(tree, &Arc::default()).unwrap())
        .collect();
    assert_eq!(logs[0].entries[0].id, logs[1].entries[0].id);
    for log in &logs {
        let names: Vec<_> = log.entries[0]
            .roots
            .iter()
            .map(|root| &*root.path)
            .collect();
        assert_eq!(names, ["/one", "/two"]);
        assert_eq!(log.entries[0].files.len(), 3);
    }
    let all = engine::log(&world.roots(), &Arc::default()).unwrap();
    assert_eq!((all.entries.len(), all.entries[0].files.len()), (1, 6));
    let id = &all.entries[0].id;
    let shown = engine::show(&world.roots(), id, &Arc::default()).unwrap();
    let diff = shown.entries[0]
        .files
        .iter()
        .find(|file| file.path == "two/f");
    assert!(
        diff.unwrap()
            .diff
            .as_ref()
            .unwrap()
            .ends_with(b"-old\n+new\n")
    );
}

#[test]
fn an_undo_is_refused_in_all_roots_if_a_file_was_changed_in_one() {
    let (_, mut after) = before_and_after(2, State::Git);
    for edited in 0..2 {
        for from in 0..2 {
            let world = World::new(2, State::Git, &[]);
            assert!(world.apply().report.ok);
            world.0[edited].put(&path("f"), &Entry::file("edited\n"));
            let expected = world.trees();
            let undone = revert(UndoTarget::Last(1), &world.0[from]);
            assert_eq!(undone.report.exit_code, 1, "{:?}", undone.report.error);
            assert_eq!(world.trees(), expected);
        }
    }
    after.clear();
}

#[test]
fn an_undo_is_refused_if_a_root_cannot_be_opened() {
    let world = World::new(2, State::Git, &[]);
    assert!(world.apply().report.ok);
    for present in 0..2 {
        let trees = world.without(1 - present);
        let before: Vec<_> = trees.iter().map(Memory::entries).collect();
        let undone = revert(UndoTarget::Last(1), &trees[present]);
        let message = undone.report.error.unwrap().message;
        let missing = format!("/{}", super::NAMES[1 - present]);
        assert!(message.contains(&missing), "{message}");
        let after: Vec<_> = trees.iter().map(Memory::entries).collect();
        assert_eq!(before, after);
    }
}

#[test]
fn an_undo_that_is_killed_leaves_all_roots_before_or_after_it() {
    let (before, after) = before_and_after(2, State::Git);
    let mut faults = 0;
    for verb in 0.. {
        let world = World::new(2, State::Git, &[]);
        assert!(world.apply().report.ok);
        let world = world.restart();
        world.0[0].inject(FaultInjection {
            verb,
            kind: FaultKind::Killed,
        });
        let _ = revert(UndoTarget::Last(1), &world.0[1]);
        if !world.0[0].has_failed() {
            break;
        }
        faults += 1;
        for starter in 0..2 {
            let next = world.restart();
            wpatch::transaction::recover(&next.0[starter], Options::default()).unwrap();
            let trees = next.trees();
            assert!(
                trees == before || trees == after,
                "{verb} {starter}: {trees:#?}"
            );
        }
    }
    assert!(faults > 50, "{faults}");
}
