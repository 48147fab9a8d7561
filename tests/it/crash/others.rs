//! Somebody else changes the tree at every verb.

use wpatch::change::Sink;
use wpatch::path::RelPath;
use wpatch::transaction::{Failure, Interrupt, Options, Single, Transaction, recover};
use wpatch::workspace::memory::{Entry, FaultKind, Feature, Memory};

use super::{at_every_verb, case_lacks, cases_and_ways, memory};
use crate::changes::{Case, Step, path};

/// What somebody else does to a file.
#[derive(Clone, Copy, Debug)]
enum Edit {
    InPlace,
    Replaced,
    Deleted,
}

impl Edit {
    /// Does it, and returns whether there was anything to do.
    fn act(self, memory: &Memory, path: &RelPath) -> bool {
        use wpatch::workspace::{Rename, Workspace};
        let theirs = Entry::file("theirs");
        match self {
            Self::InPlace => memory.put(path, &theirs),
            Self::Replaced => {
                memory.put(&self::path("theirs.tmp"), &theirs);
                let _ = memory.rename(&self::path("theirs.tmp"), path, Rename::Replace);
                let _ = memory.remove(&self::path("theirs.tmp"));
            }
            Self::Deleted => return memory.remove(path).is_ok(),
        }
        memory.entries().get(path).is_some_and(|entry| entry.contents == theirs.contents)
    }
}

/// Returns how many verbs a case takes until everything is read and staged.
fn verbs_of_staging(case: &Case, lacks: &[Feature], options: Options) -> usize {
    let memory = memory(case, lacks);
    if let [step @ Step::Put(..)] = &case.steps[..]
        && let Some(single) = Single::begin(&memory, options)
    {
        single.take(step.change(&memory).unwrap()).unwrap();
        let verbs = memory.verbs();
        if single.commit(&Interrupt::new()).unwrap().is_some() {
            return verbs;
        }
    }
    let (transaction, _) = Transaction::begin(&memory, options, &Interrupt::new()).unwrap();
    for step in &case.steps {
        transaction.take(step.change(&memory).unwrap()).unwrap();
    }
    let verbs = memory.verbs();
    transaction.abandon();
    verbs
}

#[test]
fn what_somebody_else_writes_meanwhile_stays() {
    let mut edits = 0;
    for (case, options) in cases_and_ways() {
        for lacks in case_lacks(&case).iter().take(3) {
            let start = verbs_of_staging(&case, lacks, options);
            let end = at_every_verb(&case, lacks, FaultKind::Killed, options, |_, _| {});
            let before = case.memory().entries();
            let after = case.after();
            let files = before.iter().chain(&after).filter(|(_, entry)| !entry.contents.is_empty());
            let targets: std::collections::BTreeSet<_> = files.map(|(path, _)| path.clone()).collect();
            for (target, verb) in targets.iter().flat_map(|target| (start..end).map(move |verb| (target, verb))) {
                for edit in [Edit::InPlace, Edit::Replaced, Edit::Deleted] {
                    let memory = memory(&case, lacks);
                    let place = target.clone();
                    let seen = std::sync::Arc::new(std::sync::Mutex::new(None));
                    let note = std::sync::Arc::clone(&seen);
                    memory.before_verb(verb, move |memory| {
                        if edit.act(memory, &place) {
                            *note.lock().unwrap() = Some(memory.entries().get(&place).cloned());
                        }
                    });
                    let outcome = case.run(&memory, options);
                    let Some(theirs) = seen.lock().unwrap().take() else { continue };
                    edits += 1;
                    // A mode may be set on what they wrote; what they wrote stays.
                    let contents = |entry: Option<Entry>| entry.map(|entry| (entry.kind, entry.contents));
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
    assert!(edits > 1000, "{edits}");
}

#[test]
fn what_somebody_else_writes_after_a_crash_stays() {
    let mut edits = 0;
    for (case, options) in cases_and_ways() {
        for lacks in case_lacks(&case).iter().take(2) {
            at_every_verb(&case, lacks, FaultKind::Killed, options, |memory, _| {
                for target in
                    case.after().keys().filter(|path| case.after()[*path].kind == wpatch::mode::FileKind::Regular)
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
                        memory.verbs()
                    );
                }
            });
        }
    }
    assert!(edits > 1000, "{edits}");
}

#[test]
fn a_directory_that_became_a_link_meanwhile_is_stale() {
    use wpatch::workspace::{Fault, Rename, Workspace};
    let mut links = 0;
    for (case, options) in cases_and_ways() {
        let start = verbs_of_staging(&case, &[], options);
        let end = at_every_verb(&case, &[], FaultKind::Killed, options, |_, _| {});
        for verb in start..end {
            let memory = case.memory();
            let mut names =
                case.before.iter().map(|(name, _)| path(name)).filter(|name| !name.as_bytes().starts_with(b".git/"));
            let directory = names.find_map(|name| name.ancestors().last());
            let Some(directory) = directory else { continue };
            memory.before_verb(verb, move |memory| {
                if memory.rename(&directory, &path("theirs"), Rename::Exclusive).is_ok() {
                    memory.symlink(b"theirs", &directory).unwrap();
                }
            });
            let outcome = case.run(&memory, options);
            links += usize::from(outcome.is_err());
            let is_stale = match &outcome {
                Ok(_) | Err(Failure::Stale(_)) => true,
                Err(Failure::Workspace(error)) => error.fault == Fault::ThroughLink,
                // What was changed before the directory went cannot be reached any more.
                Err(Failure::Incomplete { left, .. }) => !left.is_empty(),
                Err(_) => false,
            };
            assert!(is_stale, "{} {verb}: {outcome:?}", case.name);
            assert_eq!(recover(&memory.restart(), options).unwrap(), [], "{} {verb}: {outcome:?}", case.name);
        }
    }
    assert!(links > 20, "{links}");
}
