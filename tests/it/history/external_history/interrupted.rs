//! Changes and `init` that are interrupted at any verb, with a history outside of the directory.

use wpatch::engine::{self, UndoTarget};
use wpatch::report::Coverage;
use wpatch::transaction::Interrupt;
use wpatch::workspace::DirectoryPermissions::Private;
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind};
use wpatch::workspace::{EXTERNAL_HISTORY_NAME, Workspace};

use super::{entries, home, memory};
use crate::changes::Step;
use crate::history::{OPTIONS, done, put, undo};
use crate::tree::path;

#[test]
fn an_init_that_is_cut_off_anywhere_hides_nothing() {
    for mount in [false, true] {
        for (verb, kind) in (0..).flat_map(|verb| FaultKind::ALL.map(|kind| (verb, kind))) {
            let memory = memory();
            if mount {
                memory
                    .make_dir(&path(EXTERNAL_HISTORY_NAME), Private)
                    .unwrap();
                memory.mount(&path(EXTERNAL_HISTORY_NAME));
            }
            put(&memory, &[Step::Put("a", Entry::file("2"))]);
            put(&memory, &[Step::Put("a", Entry::file("3"))]);
            let start = memory.verb_count();
            memory.inject(FaultInjection {
                verb: start + verb,
                kind,
            });
            let outcome = engine::init(&memory, OPTIONS, &Interrupt::new());
            if !memory.has_failed() {
                assert!(outcome.report.ok && verb > 15);
                break;
            }
            let what = format!("{kind:?} at {verb}, {mount}");
            let next = memory.restart();
            assert!(entries(&next) >= 2, "{what}");
            assert!(done(&undo(&next, UndoTarget::Last(1))), "{what}");
            assert_eq!(next.files()[&path("a")].contents, b"2", "{what}");
            assert!(done(&undo(&next, UndoTarget::Last(1))), "{what}");
            assert!(
                engine::init(&next, OPTIONS, &Interrupt::new()).report.ok,
                "{what}"
            );
            let log = engine::log(&next, &std::sync::Arc::default())
                .unwrap()
                .entries;
            let ids: std::collections::BTreeSet<_> = log.iter().map(|entry| &entry.id).collect();
            assert_eq!((log.len(), ids.len()), (4, 4), "{what}");
            assert_eq!(next.list(Some(&home())).unwrap(), [[0; 0]; 0], "{what}");
        }
    }
}

#[test]
fn a_transaction_that_was_made_without_it_is_no_entry() {
    for verb in 0.. {
        let memory = memory().without_external_history();
        memory.inject(FaultInjection {
            verb: memory.verb_count() + verb,
            kind: FaultKind::Killed,
        });
        let steps = [Step::Put("a", Entry::file("2"))];
        let _ = crate::changes::run(&memory, &steps, OPTIONS, &Interrupt::new());
        if !memory.has_failed() {
            assert!(verb > 20);
            break;
        }
        let next = memory.restart().with_external_history();
        let _ = wpatch::transaction::recover(&next, OPTIONS).unwrap();
        assert_eq!(entries(&next), 0, "{verb}");
        assert!(!next.entries().contains_key(&path(".wpatch")), "{verb}");
    }
}

#[test]
fn what_is_cut_off_on_the_way_to_it_is_finished() {
    for mount in [false, true] {
        let faults = (0..).flat_map(|verb| FaultKind::ALL.map(|kind| (verb, kind)));
        for (met, (verb, kind)) in faults.enumerate() {
            let memory = memory();
            if mount {
                memory
                    .make_dir(&path(EXTERNAL_HISTORY_NAME), Private)
                    .unwrap();
                memory.mount(&path(EXTERNAL_HISTORY_NAME));
            }
            let start = memory.verb_count();
            memory.inject(FaultInjection {
                verb: start + verb,
                kind,
            });
            let steps = [Step::Put("a", Entry::file("2"))];
            let applied = crate::changes::run(&memory, &steps, OPTIONS, &Interrupt::new());
            if !memory.has_failed() {
                assert!(applied.is_ok_and(|receipt| receipt.warnings.is_empty()) && met > 100);
                break;
            }
            let what = format!("{kind:?} at {verb}, {mount}");
            let next = memory.restart();
            let _ = wpatch::transaction::recover(&next, OPTIONS).unwrap();
            assert!(!next.entries().contains_key(&path(".wpatch")), "{what}");
            put(&next, &[Step::Put("b", Entry::file("b"))]);
            let litter = next
                .entries()
                .into_keys()
                .filter(|path| path.to_string().contains("dead-"))
                .count();
            assert_eq!(litter, 0, "{what}");
            assert!(done(&undo(&next, UndoTarget::Last(1))), "{what}");
            let log = engine::log(&next, &std::sync::Arc::default()).unwrap();
            let ids: std::collections::BTreeSet<_> =
                log.entries.iter().map(|entry| &entry.id).collect();
            assert_eq!(ids.len(), log.entries.len(), "{what}");
            let is_whole = log
                .entries
                .iter()
                .all(|entry| entry.coverage == Coverage::Full);
            assert!(is_whole, "{what}");
            let text = next.files()[&path("a")].contents.clone();
            let is_undone = text == b"2" && undo(&next, UndoTarget::Last(1)).report.ok;
            // A fault may keep the entry out of the history, but not the change of another from
            // being one.
            assert_eq!(is_undone, text == b"2" && ids.len() > 2, "{what}");
        }
    }
}
