//! A trial between the swap and the commit record: whatever fails, and whatever it does to the tree
//! itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use wpatch::mode::FileKind;
use wpatch::transaction::{CommitHook, Failure, Interrupt, has_unfinished_changes, recover};
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind, Memory};

use super::{FULL, LACKS, NONE, Reported, memory, sample, tree, visible};
use crate::changes::{Case, Step, cases, tried};
use crate::tree::path;

/// Looks, and says what it is to say.
struct Look<'m> {
    memory: &'m Memory,
    after: crate::changes::Tree,
    verdict: fn() -> Result<(), Failure>,
    asked: AtomicUsize,
}

impl CommitHook for Look<'_> {
    fn check(&self, _: &Interrupt) -> Result<(), Failure> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        assert_eq!(visible(self.memory), self.after);
        (self.verdict)()
    }
}

fn look<'m>(case: &Case, memory: &'m Memory, verdict: fn() -> Result<(), Failure>) -> Look<'m> {
    Look {
        memory,
        after: case.after(),
        verdict,
        asked: AtomicUsize::new(0),
    }
}

#[test]
fn a_trial_sees_the_tree_as_it_is_going_to_be_and_decides() {
    for lacks in LACKS {
        for options in [FULL, NONE] {
            for case in cases() {
                let memory = memory(&case, lacks);
                let refuses = look(&case, &memory, || Err(Failure::Rejected));
                let failure = tried(&memory, &case.steps, options, &refuses).unwrap_err();
                assert!(
                    matches!(failure, Failure::Rejected),
                    "{}: {failure:?}",
                    case.name
                );
                assert_eq!(
                    visible(&memory),
                    case.memory().entries(),
                    "{} {lacks:?}",
                    case.name
                );
                let agrees = look(&case, &memory, || Ok(()));
                let receipt = tried(&memory, &case.steps, options, &agrees).unwrap();
                assert_eq!(
                    (receipt.warnings, receipt.altered),
                    (vec![], vec![]),
                    "{}",
                    case.name
                );
                assert_eq!(tree(&memory), case.after(), "{} {lacks:?}", case.name);
                assert_eq!(
                    [refuses, agrees].map(|it| it.asked.into_inner()),
                    [1, 1],
                    "{}",
                    case.name
                );
            }
        }
    }
}

#[test]
fn any_fault_around_a_trial_leaves_the_tree_before_or_after() {
    let verdicts: [fn() -> Result<(), Failure>; 2] = [|| Ok(()), || Err(Failure::Rejected)];
    for case in cases() {
        for (verdict, kind) in verdicts
            .into_iter()
            .flat_map(|verdict| FaultKind::ALL.map(|kind| (verdict, kind)))
        {
            let memory = case.memory();
            let _ = tried(&memory, &case.steps, FULL, &Agree(verdict));
            let verbs = memory.verb_count();
            assert!(verbs > 10, "{}: {verbs}", case.name);
            for verb in sample(0..verbs, &format!("{}{kind:?}", case.name)) {
                let memory = case.memory();
                memory.inject(FaultInjection { verb, kind });
                let outcome = tried(&memory, &case.steps, FULL, &Agree(verdict));
                assert!(memory.has_failed(), "{} {verb}", case.name);
                let reported = Reported::of(&outcome, kind);
                assert!(
                    verdict().is_ok() || reported != Reported::Success,
                    "{}",
                    case.name
                );
                let next = memory.restart();
                recover(&next, FULL).unwrap();
                reported.check(
                    &case,
                    &tree(&next),
                    &format!("{kind:?} at {}", memory.verb_count()),
                );
            }
        }
    }
}

/// Says what it is to say, also where a fault keeps it from looking.
struct Agree(fn() -> Result<(), Failure>);

impl CommitHook for Agree {
    fn check(&self, _: &Interrupt) -> Result<(), Failure> {
        (self.0)()
    }
}

/// Does something to the tree while it looks.
struct Meddle<'m> {
    memory: &'m Memory,
    deed: fn(&Memory),
    verdict: fn() -> Result<(), Failure>,
}

impl CommitHook for Meddle<'_> {
    fn check(&self, _: &Interrupt) -> Result<(), Failure> {
        assert!(
            has_unfinished_changes(self.memory).unwrap(),
            "the change is half made"
        );
        (self.deed)(self.memory);
        (self.verdict)()
    }
}

const BEFORE: [(&str, &str); 3] = [("a", "one\n"), ("b", "two\n"), ("c", "three\n")];

fn steps() -> Vec<Step> {
    vec![
        Step::Put("a", Entry::file("1\n")),
        Step::Delete("b"),
        Step::Put("new/d", Entry::file("4\n")),
    ]
}

fn meddled(
    deed: fn(&Memory),
    verdict: fn() -> Result<(), Failure>,
) -> (Memory, Result<Vec<String>, Failure>) {
    let memory = Memory::with_files(BEFORE.map(|(name, text)| (path(name), Entry::file(text))));
    let receipt = tried(
        &memory,
        &steps(),
        FULL,
        &Meddle {
            memory: &memory,
            deed,
            verdict,
        },
    );
    let altered = receipt.map(|receipt| receipt.altered.iter().map(ToString::to_string).collect());
    (memory, altered)
}

fn files(memory: &Memory) -> Vec<(String, String)> {
    let entries = memory.entries();
    let files = entries.iter().filter(|(path, entry)| {
        entry.kind == FileKind::Regular && !path.as_bytes().starts_with(b".wpatch")
    });
    files
        .map(|(path, entry)| {
            (
                path.to_string(),
                String::from_utf8(entry.contents.clone()).unwrap(),
            )
        })
        .collect()
}

fn owned(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

/// A deed, how the files are if the trial agrees, which are named then, and how they are if it does
/// not.
type Meddling = (
    fn(&Memory),
    [(&'static str, &'static str); 3],
    &'static [&'static str],
    &'static [(&'static str, &'static str)],
);

#[test]
fn what_changes_during_a_trial_stays_and_is_named() {
    let meddlings: [Meddling; 3] = [
        (
            |memory| memory.put(&path("a"), &Entry::file("formatted\n")),
            [("a", "formatted\n"), ("c", "three\n"), ("new/d", "4\n")],
            &["a"],
            &[("a", "formatted\n"), ("b", "two\n"), ("c", "three\n")],
        ),
        (
            |memory| memory.put(&path("new/d"), &Entry::file("formatted\n")),
            [("a", "1\n"), ("c", "three\n"), ("new/d", "formatted\n")],
            &["new/d"],
            &[
                ("a", "one\n"),
                ("b", "two\n"),
                ("c", "three\n"),
                ("new/d", "formatted\n"),
            ],
        ),
        (
            |memory| memory.put(&path("c"), &Entry::file("elsewhere\n")),
            [("a", "1\n"), ("c", "elsewhere\n"), ("new/d", "4\n")],
            &[],
            &[("a", "one\n"), ("b", "two\n"), ("c", "elsewhere\n")],
        ),
    ];
    for (deed, kept, named, put_back) in meddlings {
        let (memory, altered) = meddled(deed, || Ok(()));
        assert_eq!(
            (files(&memory), altered.unwrap()),
            (
                owned(&kept),
                named.iter().map(ToString::to_string).collect()
            )
        );
        let (memory, failure) = meddled(deed, || Err(Failure::Rejected));
        assert_eq!(files(&memory), owned(put_back));
        match failure.unwrap_err() {
            Failure::Rejected => assert!(named.is_empty()),
            Failure::Incomplete {
                left,
                rollback_error: refused,
                ..
            } => {
                let left: Vec<_> = left.iter().map(ToString::to_string).collect();
                assert!(left == named && refused.is_none(), "{left:?} {refused:?}");
            }
            failure => panic!("{failure:?}"),
        }
    }
}

#[test]
fn a_journal_that_is_taken_away_is_never_called_put_back() {
    let deed = |memory: &Memory| {
        let entries = memory.entries();
        let state: Vec<_> = entries
            .keys()
            .filter(|path| path.as_bytes().starts_with(b".wpatch"))
            .rev()
            .collect();
        assert!(!state.is_empty());
        for path in state {
            let removed = memory.remove(path).or_else(|_| memory.remove_dir(path));
            removed.unwrap();
        }
    };
    let verdicts: [fn() -> Result<(), Failure>; 2] = [|| Ok(()), || Err(Failure::Rejected)];
    for verdict in verdicts {
        let (memory, failure) = meddled(deed, verdict);
        let Err(Failure::Incomplete { left, .. }) = failure else {
            panic!("{failure:?}")
        };
        assert_eq!(left.len(), 3);
        assert_eq!(
            files(&memory),
            owned(&[("a", "1\n"), ("c", "three\n"), ("new/d", "4\n")])
        );
    }
}
