//! More files than stand in one directory of scratch.

use wpatch::transaction::recover;
use wpatch::workspace::memory::{Entry, FaultKind, Injection, Memory, Survivors};

use super::{FULL, Reported, at_every_verb, case_lacks, in_recovery, takes_all, tree, visible};
use crate::changes::{Case, Step};

/// The files are all in one directory, so that few directories are to be synced.
fn case() -> Case {
    let name = |number: usize| -> &'static str { format!("d/{number}").leak() };
    let (numbers, file) = (0..34, |text: &str| Entry::file(text));
    let mut before: Vec<_> = numbers.clone().map(|number| (name(number), file("old"))).collect();
    before.extend([("d/from", file("moved")), ("d/gone", file("gone"))]);
    let mut after: Vec<_> = numbers.clone().map(|number| (name(number), file("new"))).collect();
    after.extend([("d/made", file("made")), ("d/to", file("moved"))]);
    let mut steps: Vec<_> = numbers.map(|number| Step::Put(name(number), file("new"))).collect();
    steps.extend([Step::Delete("d/gone"), Step::Put("d/made", file("made")), Step::Move("d/from", "d/to")]);
    steps.push(Step::Delete("d/from"));
    Case { name: "buckets", before, links: vec![], mounts: vec![], steps, after }
}

/// Also where the files are on another file system than their history, and where the history is on another one than they.
fn cases() -> [Case; 4] {
    let with_mount = |mount| Case { mounts: vec![mount], ..case().in_git() };
    [case(), case().in_git(), with_mount("d"), with_mount(".git")]
}

/// Returns whether there is a bucket.
fn has_buckets(memory: &Memory) -> bool {
    memory.entries().keys().any(|path| path.to_string().ends_with("files0"))
}

#[test]
fn a_fault_at_any_verb_leaves_all_files_before_or_after() {
    for case in cases() {
        for lacks in case_lacks(&case).iter().take(2) {
            let mut buckets = 0;
            for kind in FaultKind::ALL {
                let faults = at_every_verb(&case, lacks, kind, FULL, |memory, reported| {
                    let what = format!("{kind:?} {lacks:?} at {}", memory.verbs());
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
        for survivors in [Survivors::Synced, Survivors::Names, Survivors::Data, Survivors::Dice(1)] {
            let faults = at_every_verb(&case, &[], FaultKind::Killed, FULL, |memory, reported| {
                let next = memory.after_power_loss_with(survivors);
                recover(&next, FULL).unwrap();
                reported.check(&case, &tree(&next), &format!("{survivors:?} at {}", memory.verbs()));
            });
            assert!(faults > 200, "{}: {faults}", case.name);
        }
        let memory = case.memory();
        let _receipt = case.run(&memory, FULL).unwrap();
        let next = memory.after_power_loss_with(Survivors::Synced);
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
            memory.inject(Injection { verb: 20, kind: FaultKind::Killed });
            let _ = case.run(&memory, FULL);
            let next = memory.restart();
            let files: Vec<_> = next.entries().into_keys().map(|path| path.to_string()).collect();
            let staged = files.iter().find(|name| name.ends_with("n0")).expect("something is staged");
            let place = crate::tree::path(&format!("{}files7", staged.strip_suffix("n0").unwrap()));
            next.put(&place, &entry);
            recover(&next, FULL).unwrap();
            assert_eq!(tree(&next), case.memory().entries(), "{} {entry:?}", case.name);
        }
    }
}
