//! Undo, redo and the history, on every set of changes of the transaction tests.

mod directories;
mod discovery;
mod external_history;
mod force;
mod home;
mod limits;
mod patches;
mod places;
mod scratch;
mod sequences;

use fs_err as fs;
use wpatch::engine::options::{HistoryLimits, Interrupt};
use wpatch::engine::{self, Outcome, Request, UndoTarget, What};
use wpatch::path::RelPath;
use wpatch::preflight::ProblemKind;
use wpatch::report::State;
use wpatch::transaction::{
    Durability, HardLinkMode, JournalAdoption, MissingRoots, Options, recover,
};
use wpatch::workspace::memory::{
    DurableChanges, Entry, FaultInjection, FaultKind, Feature, Memory,
};
use wpatch::workspace::{DirectoryPermissions, EXTERNAL_HISTORY_NAME, Workspace};

use crate::changes::{Case, Step, Tree, cases};
use crate::crash::sample;
use crate::systems::Desk;
use crate::tree::path;

const OPTIONS: Options = Options {
    durability: Durability::Full,
    lock_timeout: std::time::Duration::ZERO,
    history: HistoryLimits {
        entries: 100,
        age: std::time::Duration::from_secs(3600),
        bytes: 1 << 30,
    },
    links: HardLinkMode::Separate,
    journals: JournalAdoption::Refuse,
    missing_roots: MissingRoots::Refuse,
};

fn request(target: UndoTarget, force: bool) -> Request {
    let mut request = Request::undo(target);
    if let What::Undo(undo) = &mut request.what {
        undo.force = force;
    }
    request.commit.transaction = OPTIONS;
    request
}

fn undo(memory: &Memory, target: UndoTarget) -> Outcome {
    engine::apply(request(target, false), memory, &Interrupt::new())
}

fn done(outcome: &Outcome) -> bool {
    assert!(
        outcome.report.ok,
        "{:?} {:#?}",
        outcome.problems,
        outcome
            .report
            .files
            .iter()
            .map(|f| (f.op, &f.path, &f.from))
            .collect::<Vec<_>>()
    );
    outcome.report.changed
}

/// Returns the tree without the state directories.
fn tree(memory: &Memory) -> Tree {
    let states = [".git/wpatch", ".wpatch", EXTERNAL_HISTORY_NAME].map(path);
    let is_state = |path: &RelPath| {
        states
            .iter()
            .any(|state| path == state || path.is_below(state))
    };
    memory
        .entries()
        .into_iter()
        .filter(|(path, _)| !is_state(path))
        .collect()
}

/// Does a case, whose history is kept in the work tree of git or in the attic.
fn applied(case: &Case, lacks: &[Feature]) -> Memory {
    let memory = lacks
        .iter()
        .fold(case.memory().with_external_history(), |memory, &feature| {
            memory.without_feature(feature)
        });
    let _receipt = case.run(&memory, OPTIONS).expect("nothing fails");
    memory
}

fn memory(files: &[(&str, Entry)]) -> Memory {
    let files = files
        .iter()
        .map(|(name, entry)| (path(name), entry.clone()));
    let memory = Memory::with_files(files);
    memory
        .make_dir(&path(".wpatch"), DirectoryPermissions::Private)
        .unwrap();
    memory
}

fn put(memory: &Memory, steps: &[Step]) {
    let _receipt =
        crate::changes::run(memory, steps, OPTIONS, &Interrupt::new()).expect("nothing fails");
}

#[test]
fn undo_brings_every_tree_back_and_redo_brings_it_again() {
    for lacks in [
        &[][..],
        &[Feature::Exchange],
        &[Feature::ExclusiveRename, Feature::Exchange],
        &[Feature::HardLinks],
        &[
            Feature::ExclusiveRename,
            Feature::Exchange,
            Feature::HardLinks,
        ],
    ] {
        // Of an index the entries are taken back, by the program of git.
        for case in cases().into_iter().filter(|case| !case.has_annex()) {
            let memory = applied(&case, lacks);
            for turn in 0..2 {
                let what = format!("{} {lacks:?} turn {turn}", case.name);
                assert!(done(&undo(&memory, UndoTarget::Last(1))), "{what}");
                assert_eq!(tree(&memory), case.memory().entries(), "{what}");
                assert!(done(&undo(&memory, UndoTarget::Undo)), "{what}");
                assert_eq!(tree(&memory), case.after(), "{what}");
            }
        }
    }
}

#[test]
fn a_fault_at_any_verb_of_an_undo_leaves_the_tree_before_or_after() {
    let mut faults = 0;
    for case in cases().into_iter().filter(|case| !case.has_annex()) {
        for kind in FaultKind::ALL {
            let calm = applied(&case, &[]).restart();
            assert!(undo(&calm, UndoTarget::Last(1)).report.ok, "{}", case.name);
            for verb in sample(0..calm.verb_count(), &format!("{}{kind:?}", case.name)) {
                let memory = applied(&case, &[]).restart();
                memory.inject(FaultInjection { verb, kind });
                let outcome = undo(&memory, UndoTarget::Last(1));
                faults += usize::from(memory.has_failed());
                let ends = [
                    memory.restart(),
                    memory.after_power_loss_with(DurableChanges::Random(verb as u64)),
                ];
                for next in ends {
                    recover(&next, OPTIONS).unwrap();
                    let (found, before, after) =
                        (tree(&next), case.memory().entries(), case.after());
                    let is_dead = matches!(kind, FaultKind::Killed | FaultKind::KilledAfter);
                    let is_right = match (outcome.report.ok && !is_dead, outcome.report.exit_code) {
                        (true, _) => found == before,
                        (_, 5) => found == before || found == after,
                        _ if is_dead => found == before || found == after,
                        _ => found == after,
                    };
                    assert!(
                        is_right,
                        "{} {kind:?} at {verb}: {:?} {found:#?}",
                        case.name, outcome.problems
                    );
                    let is_litter = |path: &RelPath| {
                        ["txn-", "dead-"]
                            .iter()
                            .any(|word| path.to_string().contains(word))
                    };
                    let litter: Vec<_> = next.entries().into_keys().filter(is_litter).collect();
                    assert_eq!(litter, [], "{} {kind:?} at {verb}", case.name);
                }
            }
        }
    }
    assert!(faults > 300, "{faults}");
}

#[test]
fn two_changes_and_two_undos_lead_to_the_first_tree() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("2"))]);
    let before = tree(&memory);
    put(&memory, &[Step::Put("a", Entry::file("one"))]);
    put(
        &memory,
        &[
            Step::Put("a", Entry::file("uno")),
            Step::Put("b", Entry::file("due")),
            Step::Put("n/x", Entry::file("n")),
        ],
    );
    let after = tree(&memory);
    let twice = memory.restart();
    assert!(done(&undo(&memory, UndoTarget::Last(1))) && done(&undo(&memory, UndoTarget::Last(1))));
    assert_eq!(tree(&memory), before);
    assert_eq!(
        undo(&memory, UndoTarget::Last(1))
            .report
            .error
            .unwrap()
            .kind,
        ProblemKind::NothingToUndo
    );
    assert!(done(&undo(&memory, UndoTarget::Undo)) && done(&undo(&memory, UndoTarget::Undo)));
    assert_eq!(tree(&memory), after);
    assert!(!undo(&memory, UndoTarget::Undo).report.ok);
    assert!(done(&undo(&twice, UndoTarget::Last(2))));
    assert_eq!(tree(&twice), before);
    assert!(done(&undo(&twice, UndoTarget::Undo)));
    assert_eq!(tree(&twice), after);
}

#[test]
fn a_tree_that_is_as_before_already_is_not_changed_and_the_undo_is_known() {
    let memory = memory(&[("a", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    memory.put(&path("a"), &Entry::file("1"));
    let forced = request(UndoTarget::Last(1), true);
    assert!(!done(&engine::apply(forced, &memory, &Interrupt::new())));
    assert_eq!(
        undo(&memory, UndoTarget::Last(1))
            .report
            .error
            .unwrap()
            .kind,
        ProblemKind::NothingToUndo
    );
}

#[test]
fn an_undo_states_that_the_tree_already_has_the_state() {
    let desk = Desk::with(&[("a", b"1\n")]);
    desk.does(&["init"], b"");
    desk.does(&["write", "a", "--content", "2\n", "--overwrite"], b"");
    fs::write(desk.path("a"), "1\n").unwrap();
    let text = "undone: 0 files changed, because the tree already has this state\n";
    assert_eq!(
        String::from_utf8_lossy(&desk.runs(&["undo"], b"").stdout),
        text
    );
}

#[test]
fn a_dry_run_says_the_same_and_writes_nothing() {
    for case in cases() {
        let memory = applied(&case, &[]);
        let before = memory.fingerprint();
        let said = engine::check(request(UndoTarget::Last(1), false), &memory).report;
        assert_eq!(memory.fingerprint(), before, "{}", case.name);
        let done = undo(&memory, UndoTarget::Last(1)).report;
        let files = |report: &wpatch::report::Report| {
            report
                .files
                .iter()
                .map(|file| (file.path.clone(), file.op))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (said.ok, files(&said)),
            (done.ok, files(&done)),
            "{}",
            case.name
        );
    }
}

#[test]
fn any_change_can_be_named_by_the_beginning_of_its_name() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    put(&memory, &[Step::Put("b", Entry::file("2"))]);
    let log = engine::log(&memory, &std::sync::Arc::default()).unwrap();
    let first = log.entries[1].id.clone();
    assert!(done(&undo(&memory, UndoTarget::Entry(first.clone()))));
    let contents = |name: &str| memory.files()[&path(name)].contents.clone();
    assert_eq!(
        (contents("a"), contents("b")),
        (b"1".to_vec(), b"2".to_vec())
    );
    assert!(!undo(&memory, UndoTarget::Entry(first)).report.ok);
    assert!(!undo(&memory, UndoTarget::Entry(String::new())).report.ok);
    let states: Vec<_> = engine::log(&memory, &std::sync::Arc::default())
        .unwrap()
        .entries
        .iter()
        .map(|entry| entry.state)
        .collect();
    assert_eq!(states, [State::Committed, State::Committed, State::Undone]);
}

#[test]
fn an_undo_counts_the_lines_of_the_way_back() {
    let start = [
        ("a", Entry::file("1\n2\n3\n")),
        ("b", Entry::file("b\n")),
        ("z", Entry::file("\0")),
    ];
    let memory = memory(&start);
    put(
        &memory,
        &[
            Step::Put("a", Entry::file("1\nzwei\n")),
            Step::Delete("b"),
            Step::Put("z", Entry::file("\0\0\n")),
        ],
    );
    put(&memory, &[Step::Put("c", Entry::file("c\nc\n"))]);
    let report = undo(&memory, UndoTarget::Last(2)).report;
    assert_eq!((report.summary.added, report.summary.removed), (3, 3));
}

#[test]
fn a_change_that_was_made_again_with_others_is_not_taken_back_with_them() {
    let memory = memory(&[("a", Entry::file("1")), ("b", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    put(&memory, &[Step::Put("b", Entry::file("2"))]);
    let first = engine::log(&memory, &std::sync::Arc::default())
        .unwrap()
        .entries[1]
        .id
        .clone();
    assert!(done(&undo(&memory, UndoTarget::Last(2))) && done(&undo(&memory, UndoTarget::Undo)));
    let after = tree(&memory);
    let error = undo(&memory, UndoTarget::Entry(first))
        .report
        .error
        .unwrap();
    assert!(
        error.message.contains("together with other changes"),
        "{}",
        error.message
    );
    assert_eq!(tree(&memory), after);
    assert!(done(&undo(&memory, UndoTarget::Last(1))));
}

#[test]
fn a_pure_rename_is_shown() {
    let memory = memory(&[("a", Entry::file("1\n"))]);
    put(&memory, &[Step::Move("a", "b")]);
    let id = engine::log(&memory, &std::sync::Arc::default())
        .unwrap()
        .entries[0]
        .id
        .clone();
    let shown = engine::show(&memory, &id, &std::sync::Arc::default()).unwrap();
    let diff = String::from_utf8(shown.entries[0].files[0].diff.clone().unwrap()).unwrap();
    assert!(diff.contains("rename from a\nrename to b\n"), "{diff}");
}

#[test]
fn a_mode_that_somebody_changed_since_is_a_conflict() {
    let memory = memory(&[("a", Entry::file("1"))]);
    put(&memory, &[Step::Put("a", Entry::file("2"))]);
    memory
        .set_permissions(&path("a"), wpatch::mode::Permissions::Exact(0o600))
        .unwrap();
    assert_eq!(
        undo(&memory, UndoTarget::Last(1))
            .report
            .error
            .unwrap()
            .kind,
        ProblemKind::Conflict
    );
    assert_eq!(memory.files()[&path("a")].contents, b"2");
}
