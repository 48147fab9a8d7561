//! Somebody else changes the tree at every verb.

use std::collections::BTreeSet;

use wpatch::change::Sink;
use wpatch::mode::FileKind;
use wpatch::path::RelPath;
use wpatch::transaction::{
    Failure, Interrupt, Options, RecoveredTransaction, RecoveryOutcome, Transaction, recover,
};
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind, Feature, Memory};

use super::{at_every_verb, case_lacks, cases_and_ways, memory, sample, verbs};
use crate::changes::{Case, Step, claim, run};
use crate::tree::path;

const FILE: FileKind = FileKind::Regular;

/// What somebody else does to a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edit {
    InPlace,
    Replaced,
    Deleted,
}

impl Edit {
    /// Does it, and returns whether there was anything to do.
    pub(super) fn act(self, memory: &Memory, path: &RelPath) -> bool {
        use wpatch::workspace::{RenameMode, Workspace};
        let theirs = Entry::file("theirs");
        match self {
            Self::InPlace => memory.put(path, &theirs),
            Self::Replaced => {
                memory.put(&self::path("theirs.tmp"), &theirs);
                let _ = memory.rename(&self::path("theirs.tmp"), path, RenameMode::Replace);
                let _ = memory.remove(&self::path("theirs.tmp"));
            }
            Self::Deleted => return memory.remove(path).is_ok(),
        }
        memory
            .entries()
            .get(path)
            .is_some_and(|entry| entry.contents == theirs.contents)
    }
}

/// Returns how many verbs a case takes until everything is read and staged.
pub(super) fn verbs_of_staging(case: &Case, lacks: &[Feature], options: Options) -> usize {
    let memory = memory(case, lacks);
    let (transaction, _) = Transaction::begin(&memory, options, &Interrupt::new()).unwrap();
    claim(&transaction, &case.steps).unwrap();
    for step in &case.steps {
        transaction.receive(step.change(&memory).unwrap()).unwrap();
    }
    let verbs = memory.verb_count();
    transaction.abandon();
    verbs
}

/// Whether a file has a part of each side before this verb: what somebody writes to it then is
/// lost, as is said of writing in place.
fn is_torn(case: &Case, lacks: &[Feature], options: Options, verb: usize) -> bool {
    let memory = memory(case, lacks);
    memory.inject(FaultInjection {
        verb,
        kind: FaultKind::Killed,
    });
    let _ = case.run(&memory, options);
    let (found, before, after) = (memory.entries(), case.memory().entries(), case.after());
    let is_whole = |entry: &Entry| {
        before
            .values()
            .chain(after.values())
            .any(|side| side == entry)
    };
    let is_torn = before
        .keys()
        .any(|path| found.get(path).is_some_and(|entry| !is_whole(entry)));
    let is_over = |step: &Step| matches!(step, Step::Overwrite(..));
    assert!(
        !is_torn || case.steps.iter().any(is_over),
        "{} {verb}",
        case.name
    );
    is_torn
}

#[test]
fn what_somebody_else_writes_meanwhile_stays() {
    let mut edits = 0;
    for (case, options) in cases_and_ways() {
        for lacks in case_lacks(&case).iter().take(3) {
            let start = verbs_of_staging(&case, lacks, options);
            let end = verbs(&case, lacks, options);
            let before = case.memory().entries();
            let after = case.after();
            let files = before
                .iter()
                .chain(&after)
                .filter(|(_, entry)| !entry.contents.is_empty());
            let targets: BTreeSet<_> = files.map(|(path, _)| path.clone()).collect();
            let verbs: Vec<_> = sample(start..end, &format!("{}{lacks:?}", case.name))
                .filter(|&verb| !is_torn(&case, lacks, options, verb))
                .collect();
            for (target, &verb) in targets
                .iter()
                .flat_map(|target| verbs.iter().map(move |verb| (target, verb)))
            {
                for edit in [Edit::InPlace, Edit::Replaced, Edit::Deleted] {
                    let memory = memory(&case, lacks);
                    let place = target.clone();
                    let seen = std::sync::Arc::new(std::sync::Mutex::new(None));
                    let note = std::sync::Arc::clone(&seen);
                    memory.run_before_verb(verb, move |memory| {
                        if edit.act(memory, &place) {
                            *note.lock().unwrap() = Some(memory.entries().get(&place).cloned());
                        }
                    });
                    let outcome = case.run(&memory, options);
                    let Some(theirs) = seen.lock().unwrap().take() else {
                        continue;
                    };
                    edits += 1;
                    // A mode may be set on what they wrote; what they wrote stays.
                    let contents =
                        |entry: Option<Entry>| entry.map(|entry| (entry.kind, entry.contents));
                    let found = contents(memory.entries().get(target).cloned());
                    assert_eq!(
                        found,
                        contents(theirs),
                        "{} {edit:?} {target} {verb} {lacks:?}: {outcome:?}",
                        case.name
                    );
                }
            }
        }
    }
    assert!(edits > 600, "{edits}");
}

/// Every verb of the way back, from a signal behind the last change on: a file is saved at one, and
/// at a later one the process dies. What is written over has moments when a save is lost, here too.
#[test]
fn what_somebody_else_writes_stays_also_when_the_way_back_is_cut_off() {
    let mut edits = 0;
    let is_meant =
        |case: &Case| matches!(case.steps[..], [ref step] if !matches!(step, Step::Overwrite(..)));
    for (case, options) in cases_and_ways()
        .into_iter()
        .filter(|(case, _)| is_meant(case))
    {
        for lacks in case_lacks(&case).iter().take(2) {
            let last = verbs(&case, lacks, options);
            let targets: Vec<_> = case
                .after()
                .into_keys()
                .filter(|path| case.after()[path].kind == FILE)
                .collect();
            for target in &targets {
                for signal in (last.saturating_sub(10)..last).step_by(2) {
                    edits += (signal..signal + 14)
                        .flat_map(|save| (save + 1..save + 5).map(move |death| (save, death)))
                        .filter(|&(save, death)| {
                            is_saved((&case, options, lacks), target, [signal, save, death])
                        })
                        .count();
                }
            }
        }
    }
    assert!(edits > 180, "{edits}");
}

/// Runs a case with a signal, a save of `target` and a death at these verbs, and recovers. Returns
/// whether it came to the save.
///
/// # Panics
///
/// If what was saved is neither where it was saved nor among what is kept.
fn is_saved(
    (case, options, lacks): (&Case, Options, &[Feature]),
    target: &RelPath,
    [signal, save, death]: [usize; 3],
) -> bool {
    use std::sync::atomic::{AtomicBool, Ordering};
    let memory = memory(case, lacks);
    let (interrupt, was_saved) = (
        std::sync::Arc::new(Interrupt::new()),
        std::sync::Arc::new(AtomicBool::new(false)),
    );
    let (raised, noted, place) = (
        std::sync::Arc::clone(&interrupt),
        std::sync::Arc::clone(&was_saved),
        target.clone(),
    );
    memory.run_before_verb(signal, move |_| raised.raise(15));
    memory.run_before_verb(save, move |memory| {
        let is_there = memory
            .entries()
            .get(&place)
            .is_some_and(|entry| entry.kind == FILE);
        noted.store(
            is_there && Edit::InPlace.act(memory, &place),
            Ordering::Relaxed,
        );
    });
    memory.inject(FaultInjection {
        verb: death,
        kind: FaultKind::Killed,
    });
    let _ = run(&memory, &case.steps, options, &interrupt);
    if !was_saved.load(Ordering::Relaxed) {
        return false;
    }
    let next = memory.restart();
    let recovered = recover(&next, options).unwrap();
    let is_theirs = next
        .files()
        .into_values()
        .any(|entry| entry.contents == b"theirs");
    let at = (signal, save, death);
    assert!(
        is_theirs,
        "{} {options:?} {lacks:?} {target} {at:?}: {recovered:?}\n{:#?}",
        case.name,
        next.files()
    );
    true
}

#[test]
fn what_somebody_else_writes_after_a_crash_stays() {
    let mut edits = 0;
    for (case, options) in cases_and_ways() {
        for lacks in case_lacks(&case).iter().take(2) {
            at_every_verb(&case, lacks, FaultKind::Killed, options, |memory, _| {
                for target in case
                    .after()
                    .keys()
                    .filter(|path| case.after()[*path].kind == FILE)
                {
                    let next = memory.restart();
                    Edit::InPlace.act(&next, target);
                    let theirs = next.entries().get(target).cloned();
                    recover(&next, options).unwrap();
                    edits += 1;
                    assert_eq!(
                        next.entries().get(target).cloned(),
                        theirs,
                        "{} {target} {}",
                        case.name,
                        memory.verb_count()
                    );
                }
            });
        }
    }
    assert!(edits > 600, "{edits}");
}

#[test]
fn a_directory_that_became_a_link_meanwhile_is_stale() {
    use wpatch::workspace::{ErrorKind, RenameMode, Workspace};
    let mut links = 0;
    for (case, options) in cases_and_ways() {
        let start = verbs_of_staging(&case, &[], options);
        for verb in sample(start..verbs(&case, &[], options), case.name) {
            let memory = case.memory();
            let mut names = case
                .before
                .iter()
                .map(|(name, _)| path(name))
                .filter(|name| !name.as_bytes().starts_with(b".git/"));
            let directory = names.find_map(|name| name.ancestors().last());
            let Some(directory) = directory else { continue };
            memory.run_before_verb(verb, move |memory| {
                if memory
                    .rename(&directory, &path("theirs"), RenameMode::Exclusive)
                    .is_ok()
                {
                    memory
                        .symlink(b"theirs", &directory, &directory, None)
                        .unwrap();
                }
            });
            let outcome = case.run(&memory, options);
            links += usize::from(outcome.is_err());
            let is_stale = match &outcome {
                Ok(_) | Err(Failure::Stale(_)) => true,
                Err(Failure::Workspace(error)) => error.kind == ErrorKind::ThroughLink,
                // What was changed before the directory went cannot be reached any more.
                Err(Failure::Incomplete { left, .. }) => !left.is_empty(),
                Err(_) => false,
            };
            assert!(is_stale, "{} {verb}: {outcome:?}", case.name);
            let recovered = recover(&memory.restart(), options).unwrap();
            let is_over =
                |recovered: &RecoveredTransaction| recovered.ending == RecoveryOutcome::Kept;
            assert!(
                recovered.iter().all(is_over),
                "{} {verb}: {outcome:?} {recovered:?}",
                case.name
            );
        }
    }
    assert!(links > 20, "{links}");
}
