//! More files than stand in one directory of scratch, and a journal that is written in pieces.

use std::fmt::Display;

use wpatch::transaction::recover;
use wpatch::workspace::memory::{DurableChanges, Entry, FaultInjection, FaultKind, Memory};

use super::{
    FULL, Reported, at_every_verb, case_lacks, in_recovery, memory, takes_all, tree, verbs, visible,
};
use crate::changes::{Case, Step};

/// The files are all in one directory, so that few directories are to be synced.
fn case() -> Case {
    case_in("d")
}

fn case_in(directory: &str) -> Case {
    let name = |name: &dyn Display| -> &'static str { format!("{directory}/{name}").leak() };
    let (numbers, file) = (0..34, |text: &str| Entry::file(text));
    let mut before: Vec<_> = numbers
        .clone()
        .map(|number| (name(&number), file("old")))
        .collect();
    let [from, to, gone, made] = ["from", "to", "gone", "made"].map(|file| name(&file));
    before.extend([(from, file("moved")), (gone, file("gone"))]);
    let mut after: Vec<_> = numbers
        .clone()
        .map(|number| (name(&number), file("new")))
        .collect();
    after.extend([(made, file("made")), (to, file("moved"))]);
    let mut steps: Vec<_> = numbers
        .map(|number| Step::Put(name(&number), file("new")))
        .collect();
    steps.extend([
        Step::Delete(gone),
        Step::Put(made, file("made")),
        Step::Move(from, to),
        Step::Delete(from),
    ]);
    Case {
        name: "buckets",
        before,
        links: vec![],
        mounts: vec![],
        steps,
        after,
    }
}

/// Also where the files are on another file system than their history, and where the history is on
/// another one than they.
fn cases() -> [Case; 4] {
    let with_mount = |mount| Case {
        mounts: vec![mount],
        ..case().in_git()
    };
    [case(), case().in_git(), with_mount("d"), with_mount(".git")]
}

/// Returns whether there is a bucket.
fn has_buckets(memory: &Memory) -> bool {
    memory
        .entries()
        .keys()
        .any(|path| path.to_string().ends_with("files0"))
}

#[test]
fn a_fault_at_any_verb_leaves_all_files_before_or_after() {
    for case in cases() {
        for lacks in case_lacks(&case).iter().take(2) {
            let mut buckets = 0;
            for kind in FaultKind::ALL {
                let faults = at_every_verb(&case, lacks, kind, FULL, |memory, reported| {
                    let what = format!("{kind:?} {lacks:?} at {}", memory.verb_count());
                    buckets += usize::from(has_buckets(memory));
                    if reported != Reported::Nothing && reported != Reported::Incomplete {
                        reported.check(&case, &visible(memory), &what);
                    }
                    let next = memory.restart();
                    recover(&next, FULL).unwrap();
                    reported.check(&case, &tree(&next), &what);
                });
                assert!(faults > 200, "{}: {faults}", case.name);
            }
            assert!(buckets > 50, "{}: {buckets}", case.name);
        }
    }
}

#[test]
fn a_loss_of_power_at_any_verb_leaves_all_files_before_or_after() {
    for case in cases() {
        for survivors in [
            DurableChanges::Synced,
            DurableChanges::Names,
            DurableChanges::Data,
            DurableChanges::Random(1),
        ] {
            let faults = at_every_verb(&case, &[], FaultKind::Killed, FULL, |memory, reported| {
                let next = memory.after_power_loss_with(survivors);
                recover(&next, FULL).unwrap();
                reported.check(
                    &case,
                    &tree(&next),
                    &format!("{survivors:?} at {}", memory.verb_count()),
                );
            });
            assert!(faults > 200, "{}: {faults}", case.name);
        }
        let memory = case.memory();
        let _receipt = case.run(&memory, FULL).unwrap();
        let next = memory.after_power_loss_with(DurableChanges::Synced);
        recover(&next, FULL).unwrap();
        assert_eq!(tree(&next), case.after(), "{}", case.name);
    }
}

#[test]
fn a_recovery_of_all_files_can_be_killed() {
    let (mut faults, mut turn) = (0, 0_usize);
    let step = if takes_all() { 5 } else { 25 };
    for case in &cases()[..2] {
        at_every_verb(case, &[], FaultKind::Killed, FULL, |memory, reported| {
            turn += 1;
            if turn.is_multiple_of(step) {
                faults += in_recovery((case, FULL), memory, reported);
            }
        });
    }
    assert!(faults > 300, "{faults}");
}

#[test]
fn what_somebody_put_in_the_place_of_a_bucket_is_swept() {
    for case in &cases()[..2] {
        for entry in [Entry::file("x"), Entry::link("/"), Entry::link("../../d")] {
            let memory = case.memory();
            memory.inject(FaultInjection {
                verb: 20,
                kind: FaultKind::Killed,
            });
            let _ = case.run(&memory, FULL);
            let next = memory.restart();
            let files: Vec<_> = next
                .entries()
                .into_keys()
                .map(|path| path.to_string())
                .collect();
            let staged = files
                .iter()
                .find(|name| name.ends_with("n0"))
                .expect("something is staged");
            let place = crate::tree::path(&format!("{}files7", staged.strip_suffix("n0").unwrap()));
            next.put(&place, &entry);
            recover(&next, FULL).unwrap();
            assert_eq!(
                tree(&next),
                case.memory().entries(),
                "{} {entry:?}",
                case.name
            );
        }
    }
}

#[test]
fn a_journal_in_pieces_is_there_as_a_whole_or_not_at_all() {
    // Names of 2 KB make it long.
    let case = case_in(&vec!["x".repeat(250); 8].join("/"));
    let mut pieces = 0;
    for kind in [FaultKind::TransientError, FaultKind::Killed] {
        for verb in 0..verbs(&case, &[], FULL) {
            let memory = memory(&case, &[]);
            memory.inject(FaultInjection { verb, kind });
            let reported = Reported::of(&case.run(&memory, FULL), kind);
            let begun = memory
                .files()
                .into_iter()
                .find(|(path, _)| path.to_string().ends_with("journal.tmp"));
            pieces += usize::from(begun.is_some_and(|(_, entry)| !entry.contents.ends_with(b"\n")));
            for next in [
                memory.restart(),
                memory.after_power_loss_with(DurableChanges::Synced),
            ] {
                recover(&next, FULL).unwrap();
                reported.check(&case, &tree(&next), &format!("{kind:?} at {verb}"));
            }
        }
    }
    assert!(pieces > 0, "{pieces}");
}
