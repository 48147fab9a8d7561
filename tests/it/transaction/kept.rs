//! Files that a rollback cannot put back, because another process has changed their paths: every
//! report names them until the user has decided what becomes of them.

use serde_json::Value;
use wpatch::engine::{self, UndoTarget};
use wpatch::path::RelPath;
use wpatch::report::State;
use wpatch::transaction::{HistoryLimits, Interrupt, KeptFile, Options};
use wpatch::transaction::{RecoveredTransaction, RecoveryOutcome, init, recover};
use wpatch::workspace::DirectoryPermissions::Shared;
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind, Feature, Memory};

use crate::changes::{Step, run};
use crate::crash::sample;
use crate::systems::Desk;
use crate::tree::path;

const PATCH: &[u8] =
    b"--- a/f1\n+++ b/f1\n@@ -1 +1 @@\n-one\n+1\n--- a/f2\n+++ b/f2\n@@ -1 +1 @@\n-two\n+2\n";

fn steps() -> Vec<Step> {
    vec![
        Step::Put("a", Entry::file("new")),
        Step::Put("b", Entry::file("new")),
        Step::Delete("c"),
    ]
}

fn files() -> Memory {
    let files = [("a", "old"), ("b", "other"), ("c", "gone")];
    Memory::with_files(files.map(|(name, text)| (path(name), Entry::file(text))))
}

/// A place in which the state of a tree can be, and a tree that has it there.
type Place = (&'static str, fn() -> Memory);

/// All of them.
const PLACES: [Place; 4] = [
    ("a temporary directory", files),
    ("an external history", || files().with_external_history()),
    (".wpatch", || {
        let memory = files();
        let _ = init(&memory, Options::default(), &Interrupt::new()).unwrap();
        memory
    }),
    (".git", || {
        let memory = files();
        memory.make_dir(&path(".git"), Shared).unwrap();
        memory
    }),
];

/// Kills the change of `memory` after its last swap, then changes `a` and makes `c` again.
fn edited(memory: impl Fn() -> Memory) -> Memory {
    let killed = |verb: usize| {
        let memory = memory();
        memory.inject(FaultInjection {
            verb: memory.verb_count() + verb,
            kind: FaultKind::KilledAfter,
        });
        let _ = run(&memory, &steps(), Options::default(), &Interrupt::new());
        memory.restart()
    };
    let is_swapped = |memory: &Memory| {
        let files = memory.files();
        ["a", "b"]
            .iter()
            .all(|name| files.get(&path(name)) == Some(&Entry::file("new")))
            && !files.contains_key(&path("c"))
    };
    let memory = (0..1000)
        .map(killed)
        .find(is_swapped)
        .expect("the swap is one of the verbs");
    for name in ["a", "c"] {
        memory.put(&path(name), &Entry::file("theirs"));
    }
    memory
}

/// Returns the paths and the contents of what is kept.
fn contents(memory: &Memory, kept: &[KeptFile]) -> Vec<(Option<RelPath>, Vec<u8>)> {
    let read = |kept: &KeptFile| {
        (
            kept.path.clone(),
            memory.files()[&kept.copy[..]].contents.clone(),
        )
    };
    kept.iter().map(read).collect()
}

fn expected() -> Vec<(Option<RelPath>, Vec<u8>)> {
    vec![
        (Some(path("a")), b"old".to_vec()),
        (Some(path("c")), b"gone".to_vec()),
    ]
}

/// Returns what `recover` reports of the only transaction.
fn only(memory: &Memory) -> RecoveredTransaction {
    let mut recovered = recover(memory, Options::default()).unwrap();
    assert_eq!(recovered.len(), 1, "{recovered:?}");
    recovered.remove(0)
}

#[test]
fn kept_files_are_reported_until_they_are_gone() {
    for (name, memory) in PLACES {
        let memory = edited(memory);
        let first = only(&memory);
        assert_eq!(
            (first.ending, &first.left[..]),
            (RecoveryOutcome::RolledBack, &[path("a"), path("c")][..]),
            "{name}"
        );
        assert_eq!(memory.files()[&path("b")], Entry::file("other"), "{name}");
        for _ in 0..2 {
            let again = only(&memory);
            assert_eq!(
                (again.ending, &again.left),
                (RecoveryOutcome::Kept, &first.left),
                "{name}"
            );
            assert_eq!(contents(&memory, &again.kept), expected(), "{name}");
        }
        // Another change neither removes nor reports them.
        let _ = run(
            &memory,
            &[Step::Put("d", Entry::file("d"))],
            Options::default(),
            &Interrupt::new(),
        )
        .unwrap();
        let kept = only(&memory).kept;
        assert_eq!(contents(&memory, &kept), expected(), "{name}");
        for KeptFile { copy, .. } in kept {
            memory.remove(&RelPath::new(&copy).unwrap()).unwrap();
        }
        let finally = recover(&memory, Options::default()).unwrap();
        assert!(
            finally
                .iter()
                .all(|one| one.left.is_empty() && one.kept.is_empty()),
            "{name}: {finally:?}"
        );
        assert_eq!(recover(&memory, Options::default()).unwrap(), [], "{name}");
    }
}

#[test]
fn a_rollback_in_part_is_an_aborted_entry_that_the_limits_remove() {
    for (name, memory) in &PLACES[1..] {
        let memory = edited(*memory);
        let report = engine::recover(&memory, Options::default()).report;
        assert_eq!(
            (report.exit_code, report.outcome),
            (5, wpatch::report::Outcome::Incomplete),
            "{name}"
        );
        let log = engine::log(&memory, &std::sync::Arc::default()).unwrap();
        let [entry] = &log.entries[..] else {
            panic!("{name}: {log:?}")
        };
        let kept: Vec<_> = entry
            .kept
            .iter()
            .map(|kept| kept.path.clone().unwrap())
            .collect();
        assert_eq!(
            (entry.state, &kept[..]),
            (State::Aborted, &["a".to_owned(), "c".to_owned()][..]),
            "{name}"
        );
        let gc = |history| {
            engine::gc(
                &memory,
                Options {
                    history,
                    ..Options::default()
                },
                &Interrupt::new(),
            )
            .report
        };
        // The size of a file that exists nowhere else is no reason to remove it.
        assert!(
            gc(HistoryLimits {
                bytes: 0,
                ..HistoryLimits::default()
            })
            .ok
        );
        assert_eq!(contents(&memory, &only(&memory).kept), expected(), "{name}");
        assert!(gc(HistoryLimits::NOTHING).ok);
        let gone = memory
            .files()
            .into_values()
            .all(|file| ![b"old".to_vec(), b"gone".to_vec()].contains(&file.contents));
        assert!(
            gone && recover(&memory, Options::default()).unwrap().is_empty(),
            "{name}: {:?}",
            memory.files()
        );
    }
}

/// A recovery that dies at any verb reports what is kept when it comes to its end.
#[test]
fn a_recovery_that_is_cut_off_forgets_nothing() {
    let mut deaths = 0;
    for (name, memory) in PLACES {
        for lacks in [&[][..], &[Feature::ExclusiveRename, Feature::Exchange]] {
            let lacking = || {
                edited(|| {
                    lacks
                        .iter()
                        .fold(memory(), |memory, &feature| memory.without_feature(feature))
                })
            };
            let verbs = {
                let memory = lacking();
                let before = memory.verb_count();
                only(&memory);
                memory.verb_count() - before
            };
            for verb in sample(0..verbs, name) {
                let memory = lacking();
                memory.inject(FaultInjection {
                    verb: memory.verb_count() + verb,
                    kind: FaultKind::Killed,
                });
                let _ = recover(&memory, Options::default());
                deaths += usize::from(memory.has_failed());
                let next = memory.restart();
                assert_eq!(
                    contents(&next, &only(&next).kept),
                    expected(),
                    "{name} {lacks:?} {verb}"
                );
                assert_eq!(
                    next.files()[&path("a")],
                    Entry::file("theirs"),
                    "{name} {lacks:?} {verb}"
                );
            }
        }
    }
    assert!(deaths > 30, "{deaths}");
}

#[test]
fn other_commands_warn_of_what_they_could_not_put_back() {
    let patch = "--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+d\n";
    for (name, memory) in PLACES {
        let begins: [fn(&Memory, &str) -> engine::Outcome; 4] = [
            |memory, patch| engine::apply(engine::Request::of(patch), memory, &Interrupt::new()),
            |memory, _| engine::init(memory, Options::default(), &Interrupt::new()),
            |memory, _| engine::gc(memory, Options::default(), &Interrupt::new()),
            |memory, _| {
                engine::apply(
                    engine::Request::undo(UndoTarget::Last(1)),
                    memory,
                    &Interrupt::new(),
                )
            },
        ];
        for begin in begins {
            let memory = edited(memory);
            let outcome = begin(&memory, patch);
            let problem = outcome
                .problems
                .iter()
                .find(|problem| problem.code.name == "wpatch::io::incomplete");
            let problem = problem.unwrap_or_else(|| panic!("{name}: {:?}", outcome.problems));
            assert_eq!(
                problem.severity,
                wpatch::preflight::Severity::Warning,
                "{name}"
            );
            let kept = &outcome.report.transaction.unwrap().recovered[0].kept;
            assert!(
                problem.message.contains("a, c")
                    && problem.help.as_ref().unwrap().contains(&kept[0].copy)
            );
        }
    }
}

/// A change of one file without durability needs no directory: what is kept is next to its file.
#[test]
fn a_single_change_keeps_the_file_next_to_it() {
    let options = Options {
        durability: wpatch::transaction::Durability::None,
        ..Options::default()
    };
    let killed = |verb: usize| {
        let memory = Memory::with_files([(path("d/a"), Entry::file("old"))]);
        memory.inject(FaultInjection {
            verb,
            kind: FaultKind::KilledAfter,
        });
        let _ = run(
            &memory,
            &[Step::Put("d/a", Entry::file("new"))],
            options,
            &Interrupt::new(),
        );
        memory.restart()
    };
    let is_swapped = |memory: &Memory| memory.files()[&path("d/a")] == Entry::file("new");
    let memory = (0..1000).map(killed).find(is_swapped).unwrap();
    memory.put(&path("d/a"), &Entry::file("theirs"));
    let recovered = only(&memory);
    assert_eq!(
        (&recovered.left[..], recovered.kept.len()),
        (&[path("d/a")][..], 1)
    );
    assert_eq!(
        contents(&memory, &recovered.kept),
        [(Some(path("d/a")), b"old".to_vec())]
    );
}

fn desk() -> Desk {
    let desk = Desk::with(&[("f1", b"one\n"), ("f2", b"two\n")]);
    desk.does(&["init"], b"");
    desk
}

/// Returns the only kept file of `kept`, which has to be at the place that it names.
fn kept(desk: &Desk, kept: &Value) -> Vec<u8> {
    let [kept] = &kept.as_array().unwrap()[..] else {
        panic!("{kept:#}")
    };
    assert_eq!(kept["path"], "f1");
    desk.bytes(kept["copy"].as_str().unwrap())
}

#[cfg(unix)]
#[test]
fn recover_exits_5_and_says_where_the_file_is() {
    let desk = desk();
    let killed = desk.runs(&["apply", "--verify", "kill -9 $PPID"], PATCH);
    assert!(!killed.status.success() && desk.bytes("f1") == b"1\n");
    fs_err::write(desk.path("f1"), "1\nedit\n").unwrap();
    for ending in ["rolled_back", "kept"] {
        let report = desk.says(&["recover"], b"");
        let recovered = &report["transaction"]["recovered"][0];
        assert_eq!(
            (&report["exit_code"], &recovered["ending"]),
            (&5.into(), &ending.into()),
            "{report:#}"
        );
        assert_eq!(
            (&recovered["left"], kept(&desk, &recovered["kept"])),
            (&serde_json::json!(["f1"]), b"one\n".to_vec())
        );
        assert_eq!(
            (desk.bytes("f1"), desk.bytes("f2")),
            (b"1\nedit\n".to_vec(), b"two\n".to_vec())
        );
    }
    let text = desk.runs(&["recover"], b"");
    let copy = desk.says(&["log"], b"")["entries"][0]["kept"][0]["copy"]
        .as_str()
        .unwrap()
        .to_owned();
    let [out, err] = [text.stdout, text.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(
        out.contains(&copy) && err.contains(&copy) && err.contains("f1"),
        "{out}{err}"
    );
    fs_err::rename(desk.path(&copy), desk.path("f1")).unwrap();
    assert_eq!(desk.does(&["recover"], b"")["transaction"], Value::Null);
}

#[cfg(unix)]
#[test]
fn a_verification_that_cannot_be_rolled_back_is_an_aborted_entry() {
    let desk = desk();
    let report = desk.says(&["apply", "--verify", "echo edit >>f1; exit 1"], PATCH);
    assert_eq!(
        (&report["exit_code"], &report["changed"]),
        (&5.into(), &true.into()),
        "{report:#}"
    );
    assert_eq!(report["transaction"]["left"], serde_json::json!(["f1"]));
    assert_eq!(kept(&desk, &report["transaction"]["kept"]), b"one\n");
    assert_eq!(
        (desk.bytes("f1"), desk.bytes("f2")),
        (b"1\nedit\n".to_vec(), b"two\n".to_vec())
    );
    let log = desk.says(&["log"], b"");
    assert_eq!(
        (&log["entries"][0]["state"], &log["entries"][1]),
        (&"aborted".into(), &Value::Null),
        "{log:#}"
    );
    assert_eq!(kept(&desk, &log["entries"][0]["kept"]), b"one\n");
    assert_eq!(desk.says(&["recover"], b"")["exit_code"], 5);
}
