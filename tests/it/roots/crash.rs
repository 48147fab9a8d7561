//! Stops a change of several roots at every verb, and recovers it from each root.

use wpatch::transaction::{
    Failure, JournalAdoption, MissingRoots, Options, RecoveryOutcome, recover,
};
use wpatch::workspace::memory::{DurableChanges, FaultInjection, FaultKind, Feature, Memory};

use super::{State, Tree, World, before_and_after, path};
use crate::crash::sample;
use crate::world::takes_all;

/// The states of a disk after a power loss. The disks of the roots lose different changes.
const POWER: [DurableChanges; 4] = [
    DurableChanges::Synced,
    DurableChanges::Names,
    DurableChanges::Data,
    DurableChanges::All,
];

/// The file systems: with all features, and without some.
const LACKS: [&[Feature]; 3] = [
    &[],
    &[
        Feature::Exchange,
        Feature::ExclusiveRename,
        Feature::SyncAll,
    ],
    &[Feature::SyncAll],
];

const OPTIONS: fn() -> Options = || Options {
    lock_timeout: std::time::Duration::ZERO,
    ..Options::default()
};

/// Checks that all trees are before the change, or all after it.
fn assert_whole(world: &World, (before, after): &(Vec<Tree>, Vec<Tree>), what: &str) {
    let trees = world.trees();
    assert!(trees == *before || trees == *after, "{what}: {trees:#?}");
}

/// Returns the trees after a kill, and after power losses.
fn next_worlds(world: &World, seed: u64) -> Vec<World> {
    let mut worlds = vec![world.restart()];
    for shift in 0..POWER.len() {
        let lost = |number: usize, tree: &Memory| {
            tree.after_power_loss_with(POWER[(number + shift) % POWER.len()])
        };
        worlds.push(world.next(lost));
    }
    for seed in seed..seed + 3 {
        let lost = |number: usize, tree: &Memory| {
            tree.after_power_loss_with(DurableChanges::Random(seed * 7 + number as u64))
        };
        worlds.push(world.next(lost));
    }
    worlds
}

/// Recovers from the root `starter`, then from all others, and checks the trees after each.
fn recover_from(world: &World, starter: usize, states: &(Vec<Tree>, Vec<Tree>), what: &str) {
    let count = world.0.len();
    for number in (starter..count).chain(0..starter) {
        let recovered = recover(&world.0[number], OPTIONS());
        let recovered = recovered.unwrap_or_else(|error| panic!("{what}: {error:?}"));
        assert!(
            recovered
                .iter()
                .all(|one| one.ending != RecoveryOutcome::Kept && one.left.is_empty()),
            "{what}: {recovered:?}"
        );
        assert_whole(world, states, &format!("{what}, recovered from {number}"));
    }
    for tree in &world.0 {
        let left: Vec<_> = tree
            .files()
            .into_keys()
            .filter(|path| path.to_string().contains("txn-"))
            .collect();
        assert!(left.is_empty(), "{what}: {left:?}");
    }
}

fn sweep(count: usize, state: State, lacks: &[Feature], kind: FaultKind) -> usize {
    let states = before_and_after(count, state);
    let verbs = {
        let world = World::new(count, state, lacks);
        assert!(world.apply().report.ok);
        world.0[0].verb_count()
    };
    let mut faults = 0;
    let title = format!("{count} {state:?} {lacks:?} {kind:?}");
    for verb in sample(0..verbs, &title) {
        let what = format!("{title} at {verb}");
        let world = World::new(count, state, lacks);
        world.0[0].inject(FaultInjection { verb, kind });
        let outcome = world.apply();
        if !world.0[0].has_failed() {
            // Threads stage the files, and can share a `stat`, so this change has fewer verbs.
            assert!(world.0[0].verb_count() <= verb, "{what}");
            assert!(outcome.report.ok && world.trees() == states.1, "{what}");
            continue;
        }
        faults += 1;
        let is_killed = matches!(kind, FaultKind::Killed | FaultKind::KilledAfter);
        let report = &outcome.report;
        if !is_killed && report.ok {
            assert_eq!(world.trees(), states.1, "{what}");
        } else if !is_killed && report.exit_code != 5 {
            assert_eq!(world.trees(), states.0, "{what}: {:?}", report.error);
        }
        for (number, next) in next_worlds(&world, verb as u64).iter().enumerate() {
            // A power loss during the command is a kill. After the report it must change nothing.
            if !is_killed && report.ok {
                let all = next.restart();
                recover_from(&all, verb % count, &states, &what);
                assert_eq!(all.trees(), states.1, "{what}, disk {number}");
            }
            let starters = if takes_all() {
                0..count
            } else {
                number % count..number % count + 1
            };
            for starter in starters {
                let next = next.restart();
                recover_from(&next, starter, &states, &format!("{what}, disk {number}"));
            }
        }
    }
    faults
}

#[test]
fn two_roots_are_before_or_after_the_change_after_any_fault() {
    let mut faults = 0;
    for state in State::ALL {
        for lacks in LACKS {
            // What a file system lacks has nothing to do with the place of the state.
            if state != State::Mixed && !lacks.is_empty() {
                continue;
            }
            for kind in FaultKind::ALL {
                faults += sweep(2, state, lacks, kind);
            }
        }
    }
    assert!(faults > 500, "{faults}");
}

#[test]
fn three_roots_are_before_or_after_the_change_after_any_fault() {
    let mut faults = 0;
    for state in State::ALL {
        for kind in FaultKind::ALL {
            faults += sweep(3, state, &[], kind);
        }
    }
    assert!(faults > 200, "{faults}");
}

#[test]
fn a_recovery_of_several_roots_can_be_stopped_and_continued_in_another_root() {
    let mut faults = 0;
    for state in State::ALL {
        let states = before_and_after(2, state);
        let verbs = {
            let world = World::new(2, state, &[]);
            assert!(world.apply().report.ok);
            world.0[0].verb_count()
        };
        for verb in sample(0..verbs, &format!("{state:?}")) {
            let world = World::new(2, state, &[]);
            let kind = FaultKind::Killed;
            world.0[0].inject(FaultInjection { verb, kind });
            let _ = world.apply();
            for starter in 0..2 {
                for at in 0.. {
                    let next = world.restart();
                    let kind = [FaultKind::Killed, FaultKind::KilledAfter][at % 2];
                    next.0[0].inject(FaultInjection { verb: at, kind });
                    let _ = recover(&next.0[starter], OPTIONS());
                    if !next.0[0].has_failed() {
                        break;
                    }
                    faults += 1;
                    let what = format!("{state:?} at {verb}, recovery from {starter} at {at}");
                    let all = next_worlds(&next, at as u64);
                    let step = if takes_all() { 1 } else { 4 };
                    for last in all.iter().skip(at % step).step_by(step) {
                        recover_from(last, 1 - starter, &states, &what);
                    }
                }
            }
        }
    }
    assert!(faults > 500, "{faults}");
}

/// Returns a world that was killed after the commit record of the coordinator, and one that was
/// killed before it.
fn killed_worlds() -> [World; 2] {
    let verbs = {
        let world = World::new(2, State::Git, &[]);
        assert!(world.apply().report.ok);
        world.0[0].verb_count()
    };
    let killed = |verb| {
        let world = World::new(2, State::Git, &[]);
        let kind = FaultKind::Killed;
        world.0[0].inject(FaultInjection { verb, kind });
        let _ = world.apply();
        world
    };
    let records = |world: &World| -> Vec<bool> {
        let is_done = |tree: &Memory| {
            let mut files = tree.files().into_keys();
            files.any(|path| path.name() == b"done" && path.to_string().contains("txn-"))
        };
        world.0.iter().map(is_done).collect()
    };
    let journals = |world: &World| -> usize {
        let has_journal = |tree: &&Memory| {
            let mut files = tree.files().into_keys();
            files.any(|path| path.name() == b"journal")
        };
        world.0.iter().filter(has_journal).count()
    };
    let mut worlds = (0..verbs).map(killed);
    let open = worlds
        .find(|world| journals(world) == 2 && visible_change(world))
        .unwrap();
    let decided = worlds
        .find(|world| records(world) == [true, false])
        .unwrap();
    [decided, open]
}

fn visible_change(world: &World) -> bool {
    let is_changed = |tree: &Memory| {
        tree.files()
            .get(&path("f"))
            .is_some_and(|it| it.contents == b"new\n")
    };
    world.0.iter().all(is_changed)
}

#[test]
fn a_missing_root_stops_the_recovery_until_it_is_back() {
    let states = before_and_after(2, State::Git);
    for (world, expected) in killed_worlds().iter().zip([&states.1, &states.0]) {
        for present in 0..2 {
            let trees = world.without(1 - present);
            let before: Vec<_> = trees.iter().map(Memory::entries).collect();
            for _ in 0..2 {
                let refused = recover(&trees[present], OPTIONS());
                let is_named = matches!(
                    &refused,
                    Err(Failure::MissingRoot { directory, .. })
                        if *directory == format!("/{}", super::NAMES[1 - present])
                );
                assert!(is_named, "{refused:?}");
                let after: Vec<_> = trees.iter().map(Memory::entries).collect();
                assert_eq!(before, after);
            }
            let back = world.restart();
            recover_from(&back, present, &states, "back");
            assert_eq!(back.trees(), *expected);
        }
    }
}

#[test]
fn a_recovery_on_request_decides_without_a_missing_root() {
    let states = before_and_after(2, State::Git);
    let [decided, open] = killed_worlds();
    let options = || Options {
        missing_roots: MissingRoots::Ignore,
        journals: JournalAdoption::Refuse,
        ..OPTIONS()
    };
    for (world, present, expected) in [
        // The coordinator has the decision.
        (&decided, 0, &states.1[0]),
        // Without the coordinator, the other member rolls back.
        (&decided, 1, &states.0[1]),
        (&open, 0, &states.0[0]),
        (&open, 1, &states.0[1]),
    ] {
        let trees = world.without(1 - present);
        recover(&trees[present], options()).unwrap();
        assert_eq!(super::visible(&trees[present]), *expected, "{present}");
    }
}

#[test]
fn another_directory_at_the_place_of_a_missing_root_is_not_changed() {
    let [_, open] = killed_worlds();
    let next = open.restart();
    let other = Memory::with_files([(path("f"), wpatch::workspace::memory::Entry::file("x\n"))])
        .mounted_again();
    let before = other.entries();
    Memory::connect(&[("/one", &other), ("/two", &next.0[1])]);
    let refused = recover(&next.0[1], OPTIONS());
    assert!(
        matches!(refused, Err(Failure::MissingRoot { .. })),
        "{refused:?}"
    );
    assert_eq!(other.entries(), before);
}

#[test]
fn a_file_that_changes_in_one_root_makes_the_change_stale_in_all() {
    let states = before_and_after(2, State::Git);
    let verbs = {
        let world = World::new(2, State::Git, &[]);
        assert!(world.apply().report.ok);
        world.0[0].verb_count()
    };
    let mut stale = 0;
    for verb in 0..verbs {
        let world = World::new(2, State::Git, &[]);
        world.0[0].run_before_verb(verb, |_| {});
        let other = world.0[1].second_handle();
        world.0[0].run_before_verb(verb, move |_| {
            other.put(
                &path("f"),
                &wpatch::workspace::memory::Entry::file("edited\n"),
            );
        });
        let outcome = world.apply();
        let edited = |tree: &Tree| tree[&path("f")].contents == b"edited\n";
        let trees = world.trees();
        if outcome.report.ok {
            assert_eq!(trees[0], states.1[0], "{verb}");
        } else {
            stale += 1;
            assert_eq!(trees[0], states.0[0], "{verb}: {:?}", outcome.report.error);
            assert!(edited(&trees[1]), "{verb}");
        }
    }
    assert!(stale > 20, "{stale}");
}

#[test]
fn a_panic_at_any_verb_leaves_all_roots_before_or_after_the_change() {
    let mut panics = 0;
    for state in State::ALL {
        let states = before_and_after(2, state);
        let verbs = {
            let world = World::new(2, state, &[]);
            assert!(world.apply().report.ok);
            world.0[0].verb_count()
        };
        for verb in sample(0..verbs, &format!("panic {state:?}")) {
            let world = World::new(2, state, &[]);
            world.0[0].run_before_verb(verb, |_| panic!("at a verb"));
            let run = std::panic::AssertUnwindSafe(|| world.apply());
            if std::panic::catch_unwind(run).is_ok() {
                continue;
            }
            panics += 1;
            let what = format!("{state:?}, panic at {verb}");
            // The process itself completes the rollback, without a later command.
            assert_whole(&world, &states, &what);
            let journals = world.0.iter().flat_map(Memory::files);
            let journals: Vec<_> = journals
                .filter(|(path, _)| path.name() == b"journal")
                .collect();
            assert!(journals.is_empty(), "{what}: {journals:?}");
            recover_from(&world.restart(), verb % 2, &states, &what);
        }
    }
    assert!(panics > 40, "{panics}");
}
