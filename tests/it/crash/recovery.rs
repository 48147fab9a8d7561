//! Interrupted recovery, and panics during a commit.

use wpatch::transaction::{Durability, Options, recover};
use wpatch::workspace::memory::{DurableChanges, FaultInjection, FaultKind, Memory};

use super::{Reported, at_every_verb, case_lacks, cases_and_ways, sample, tree, verbs, visible};
use crate::changes::{Case, Tree};
use crate::world::takes_all;

#[test]
fn recovery_can_be_killed_and_run_again() {
    let (mut faults, mut turn) = (0, 0_usize);
    let step = if takes_all() { 1 } else { 20 };
    for (case, options) in cases_and_ways() {
        for lacks in case_lacks(&case).iter().take(2) {
            at_every_verb(
                &case,
                lacks,
                FaultKind::Killed,
                options,
                |memory, reported| {
                    turn += 1;
                    if turn.is_multiple_of(step) {
                        faults += in_recovery((&case, options), memory, reported);
                    }
                },
            );
        }
    }
    assert!(faults > 300, "{faults}");
}

/// Kills the recovery of what `memory` holds at each verb, in every way, and recovers again.
pub(super) fn in_recovery(
    (case, options): (&Case, Options),
    memory: &Memory,
    reported: Reported,
) -> usize {
    let mut faults = 0;
    for kind in [
        FaultKind::Killed,
        FaultKind::KilledAfter,
        FaultKind::TransientError,
        FaultKind::ErrorAfterSuccess,
    ] {
        for verb in 0.. {
            let next = memory.restart();
            next.inject(FaultInjection { verb, kind });
            let _ = recover(&next, options);
            if !next.has_failed() {
                break;
            }
            faults += 1;
            let what = format!(
                "{kind:?} at {} and in recovery at {verb}",
                memory.verb_count()
            );
            let without_power = (options.durability == Durability::Full)
                .then(|| next.after_power_loss_with(DurableChanges::Random(verb as u64)));
            for last in std::iter::once(next.restart()).chain(without_power) {
                recover(&last, options).expect("the disk is well again");
                reported.check(case, &tree(&last), &what);
            }
        }
    }
    faults
}

#[test]
fn a_panic_at_any_verb_leaves_the_tree_before_or_after() {
    let mut panics = 0;
    for (case, options) in cases_and_ways() {
        for verb in sample(0..verbs(&case, &[], options), case.name) {
            let memory = case.memory();
            memory.run_before_verb(verb, |_| panic!("at a verb"));
            let run = || case.run(&memory, options);
            let Err(_) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) else {
                continue;
            };
            panics += 1;
            let is_whole =
                |found: &Tree| *found == case.memory().entries() || *found == case.after();
            let next = memory.restart();
            let recovered = recover(&next, options).unwrap();
            let is_right = is_whole(&visible(&memory)) && is_whole(&tree(&next));
            assert!(
                is_right,
                "{} {options:?} {verb}: {:#?} {recovered:#?}",
                case.name,
                memory.entries()
            );
        }
    }
    assert!(panics > 120, "{panics}");
}
