//! Stops a transaction at every verb, in every way, and looks at what the next command finds.

mod buckets;
mod many;
mod others;
mod recovery;
mod trial;
mod ways;

use std::ops::Range;
use std::time::Duration;

use wpatch::path::RelPath;
use wpatch::transaction::HistoryLimits;
use wpatch::transaction::{
    Durability, Failure, HardLinkMode, Interrupt, JournalAdoption, MissingRoots, Options, recover,
};
use wpatch::workspace::GIT_INDEX_DIRECTORY_NAME;
use wpatch::workspace::memory::{DurableChanges, FaultInjection, FaultKind, Feature, Memory};

use crate::changes::{Case, Step, Tree, cases, run};
use crate::world::takes_all;
use recovery::in_recovery;

/// The file systems that there are: with everything, and without.
const LACKS: [&[Feature]; 6] = [
    &[],
    &[Feature::Exchange, Feature::SyncAll],
    &[
        Feature::ExclusiveRename,
        Feature::Exchange,
        Feature::SyncAll,
    ],
    &[Feature::HardLinks],
    &[
        Feature::ExclusiveRename,
        Feature::Exchange,
        Feature::HardLinks,
    ],
    &[
        Feature::ExclusiveRename,
        Feature::Exchange,
        Feature::SharedInodes,
    ],
];

/// Returns the file systems that a case is tried on: what is lacking has nothing to do with git's
/// directory.
fn case_lacks(case: &Case) -> &'static [&'static [Feature]] {
    let is_in_git = case.before.iter().any(|(name, _)| *name == ".git/HEAD");
    if is_in_git { &LACKS[..1] } else { &LACKS }
}

const FULL: Options = options(Durability::Full);
const NONE: Options = options(Durability::None);

const fn options(durability: Durability) -> Options {
    let history = HistoryLimits {
        entries: 100,
        age: Duration::from_secs(3600),
        bytes: 1 << 30,
    };
    Options {
        durability,
        lock_timeout: Duration::ZERO,
        history,
        links: HardLinkMode::Separate,
        journals: JournalAdoption::Refuse,
        missing_roots: MissingRoots::Refuse,
    }
}

/// Returns the ways in which a case is carried out: changes of one file also without durability.
fn ways(case: &Case) -> &'static [Options] {
    let is_in_git = case.before.iter().any(|(name, _)| *name == ".git/HEAD");
    let is_single = !is_in_git && matches!(case.steps[..], [Step::Put(..)]);
    if is_single { &[FULL, NONE] } else { &[FULL] }
}

/// Returns every case with each way to carry it out.
fn cases_and_ways() -> Vec<(Case, Options)> {
    let with_ways = |case: Case| {
        ways(&case)
            .iter()
            .map(move |&options| (case.clone(), options))
            .collect::<Vec<_>>()
    };
    cases().into_iter().flat_map(with_ways).collect()
}

fn memory(case: &Case, lacks: &[Feature]) -> Memory {
    lacks.iter().fold(case.memory(), |memory, &feature| {
        memory.without_feature(feature)
    })
}

/// Returns the tree without what stays in git's directory: the lock and the history.
fn tree(memory: &Memory) -> Tree {
    let mut entries = memory.entries();
    let stays = |path: &RelPath| {
        [b".git/wpatch".as_slice(), b".git/wpatch/lock"].contains(&path.as_bytes())
            || path.as_bytes().starts_with(b".git/wpatch/entry-")
            || path.as_bytes().starts_with(b".git/wpatch/audit.")
    };
    entries.retain(|path, _| !stays(path));
    entries
}

/// Returns the tree without what belongs to the transaction.
fn visible(memory: &Memory) -> Tree {
    let mut entries = tree(memory);
    entries.retain(|path, _| !path.to_string().starts_with(".git/wpatch"));
    let is_ours = |part: &[u8]| {
        part.starts_with(b".wpatch") && part != GIT_INDEX_DIRECTORY_NAME.as_bytes()
            || part == b"index.lock"
    };
    entries.retain(|path, _| !path.components().any(is_ours));
    entries
}

/// Returns how many verbs a case takes where nothing fails.
fn verbs(case: &Case, lacks: &[Feature], options: Options) -> usize {
    let memory = memory(case, lacks);
    assert_eq!(
        Reported::of(&case.run(&memory, options), FaultKind::ErrorAfterSuccess),
        Reported::Success,
        "{}",
        case.name
    );
    memory.verb_count()
}

/// Returns one verb in five, all of them with `WPATCH_FAULTS=all`. Which of the five depends on
/// what they are taken for, so that another case, fault or file system has the others.
pub(crate) fn sample(verbs: Range<usize>, what: &str) -> impl Iterator<Item = usize> + Clone {
    let step = if takes_all() { 1 } else { 5 };
    let first = what.bytes().map(usize::from).sum::<usize>() % step;
    verbs.skip(first).step_by(step)
}

/// Runs a case with a failure at each verb in turn, or at a sample, and returns how many verbs
/// there are.
fn at_every_verb(
    case: &Case,
    lacks: &[Feature],
    kind: FaultKind,
    options: Options,
    mut look: impl FnMut(&Memory, Reported),
) -> usize {
    let verbs = verbs(case, lacks, options);
    for verb in sample(0..verbs, &format!("{}{kind:?}{lacks:?}", case.name)) {
        let memory = memory(case, lacks);
        memory.inject(FaultInjection { verb, kind });
        let reported = Reported::of(&case.run(&memory, options), kind);
        assert!(memory.has_failed(), "{} {verb}", case.name);
        look(&memory, reported);
    }
    verbs
}

/// What the caller was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reported {
    Success,
    Refused,
    /// That the tree is not back yet.
    Incomplete,
    /// Nothing: the process was dead.
    Nothing,
}

impl Reported {
    fn of<T>(outcome: &Result<T, Failure>, kind: FaultKind) -> Self {
        match outcome {
            Ok(_) => Self::Success,
            Err(_) if matches!(kind, FaultKind::Killed | FaultKind::KilledAfter) => Self::Nothing,
            Err(Failure::Incomplete { .. }) => Self::Incomplete,
            Err(_) => Self::Refused,
        }
    }

    /// Checks the tree that the next command leaves.
    fn check(self, case: &Case, tree: &Tree, what: &str) {
        let (before, after) = (case.memory().entries(), case.after());
        let is_right = match self {
            Self::Success => *tree == after,
            Self::Refused => *tree == before,
            Self::Incomplete | Self::Nothing => *tree == before || *tree == after,
        };
        assert!(is_right, "{}: {what}: {self:?}: {tree:#?}", case.name);
    }
}

#[test]
fn every_set_of_changes_becomes_true() {
    for lacks in LACKS {
        for options in [FULL, NONE] {
            for case in cases() {
                let memory = memory(&case, lacks);
                let receipt = case.run(&memory, options);
                assert_eq!(
                    receipt.map(|receipt| receipt.warnings).unwrap(),
                    Vec::<String>::new(),
                    "{}",
                    case.name
                );
                assert_eq!(tree(&memory), case.after(), "{} {lacks:?}", case.name);
            }
        }
    }
}

#[test]
fn any_fault_at_any_verb_leaves_the_tree_before_or_after() {
    for (case, options) in cases_and_ways() {
        for lacks in case_lacks(&case) {
            for kind in FaultKind::ALL {
                let faults = at_every_verb(&case, lacks, kind, options, |memory, reported| {
                    let what = format!("{kind:?} {lacks:?} at {}", memory.verb_count());
                    if reported != Reported::Nothing && reported != Reported::Incomplete {
                        reported.check(&case, &visible(memory), &what);
                    }
                    let next = memory.restart();
                    recover(&next, options).unwrap();
                    reported.check(&case, &tree(&next), &what);
                });
                assert!(faults > 6, "{}: {faults}", case.name);
            }
        }
    }
}

#[test]
fn a_fault_that_passes_is_rolled_back_at_once() {
    for (case, options) in cases_and_ways() {
        for kind in [FaultKind::TransientError, FaultKind::ErrorAfterSuccess] {
            at_every_verb(&case, &[], kind, options, |memory, reported| {
                assert_ne!(
                    reported,
                    Reported::Incomplete,
                    "{} {kind:?} {}",
                    case.name,
                    memory.verb_count()
                );
            });
        }
    }
}

#[test]
fn nothing_that_survives_the_power_is_a_mixture() {
    let dice = (0..if takes_all() { 6 } else { 1 }).map(DurableChanges::Random);
    let survivors: Vec<_> = [
        DurableChanges::Synced,
        DurableChanges::Names,
        DurableChanges::Data,
        DurableChanges::All,
    ]
    .into_iter()
    .chain(dice)
    .collect();
    for case in cases() {
        for lacks in case_lacks(&case) {
            for kind in [
                FaultKind::Killed,
                FaultKind::TransientError,
                FaultKind::ErrorAfterSuccess,
            ] {
                let faults = at_every_verb(&case, lacks, kind, FULL, |memory, reported| {
                    for &survivors in &survivors {
                        let next = memory.after_power_loss_with(survivors);
                        recover(&next, FULL).unwrap();
                        let what = format!(
                            "{kind:?} {lacks:?} {survivors:?} at {}",
                            memory.verb_count()
                        );
                        let mut found = tree(&next);
                        // Without both, a lock may come without its contents: then it is left, as
                        // git's is.
                        found.retain(|path, _| lacks.len() < 2 || path.name() != b"index.lock");
                        reported.check(&case, &found, &what);
                    }
                });
                assert!(faults > 12, "{}: {faults}", case.name);
            }
        }
    }
}

#[test]
fn an_acknowledged_commit_survives_the_power() {
    for case in cases() {
        let memory = case.memory();
        let _receipt = case.run(&memory, FULL).unwrap();
        for survivors in [
            DurableChanges::Synced,
            DurableChanges::Names,
            DurableChanges::Data,
        ]
        .into_iter()
        .chain((0..20).map(DurableChanges::Random))
        {
            let next = memory.after_power_loss_with(survivors);
            recover(&next, FULL).unwrap();
            assert_eq!(tree(&next), case.after(), "{} {survivors:?}", case.name);
        }
    }
}

#[test]
fn a_signal_before_the_commit_record_rolls_back() {
    for (case, options) in cases_and_ways() {
        let mut stopped = 0;
        for verb in sample(0..verbs(&case, &[], options), case.name) {
            let memory = case.memory();
            let interrupt = std::sync::Arc::new(Interrupt::new());
            let signal = std::sync::Arc::clone(&interrupt);
            memory.run_before_verb(verb, move |_| signal.raise(15));
            match run(&memory, &case.steps, options, &interrupt) {
                Ok(_) => assert_eq!(tree(&memory), case.after(), "{} {verb}", case.name),
                Err(Failure::Interrupted(15)) => {
                    stopped += 1;
                    assert_eq!(
                        tree(&memory),
                        case.memory().entries(),
                        "{} {verb}",
                        case.name
                    );
                }
                Err(failure) => panic!("{} {verb}: {failure:?}", case.name),
            }
        }
        assert!(stopped > 1, "{}: {stopped}", case.name);
    }
}

#[test]
fn an_error_names_no_scratch_file() {
    let is_scratch = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        let number = name.trim_start_matches(['n', 'o', 'r', 'b']);
        // The directory of this user is a state directory.
        name.starts_with(".wpatch-") && ![GIT_INDEX_DIRECTORY_NAME, ".wpatch-1000"].contains(&name)
            || number != name && number.parse::<usize>().is_ok()
    };
    let mut errors = 0;
    for (case, options) in cases_and_ways()
        .into_iter()
        .filter(|(case, _)| case.before.iter().all(|(name, _)| !is_scratch(name)))
    {
        for verb in sample(0..verbs(&case, &[], options), case.name) {
            let memory = case.memory();
            memory.inject(FaultInjection {
                verb,
                kind: FaultKind::TransientError,
            });
            if let Err(Failure::Workspace(error)) = case.run(&memory, options) {
                assert!(!is_scratch(&error.path), "{} {verb}: {error}", case.name);
                errors += 1;
            }
        }
    }
    assert!(errors > 60, "{errors}");
}
