//! Losses of power on a real disk: what the program does is recorded under strace and played to a
//! model of a file system, which is asked after each call what a loss of power may leave; each such
//! tree is laid and recovered.
//!
//! A sample runs always; `WPATCH_POWER=all` looks at many more states of each moment, all of them
//! where they are no more than two thousand. Mounts below the root are left to the memory
//! workspace.
#![cfg(target_os = "linux")]

mod drafts;
mod model;
mod scene;
mod states;
mod trace;

use drafts::{Draft, drafts, few, many, renames, two_roots};
use scene::{Place, Scene};
use states::Bound;

use crate::ways::{rejects, series, ways};

const PLACES: [Place; 2] = [Place::Plain, Place::Git];

/// Returns how many states of each moment are looked at.
fn bound() -> Bound {
    let is_all = std::env::var_os("WPATCH_POWER").is_some_and(|value| value == "all");
    if is_all {
        Bound {
            all: 2_000,
            dice: 200,
        }
    } else {
        Bound { all: 40, dice: 8 }
    }
}

/// Says what was tried: that is a result too.
#[allow(clippy::print_stdout, reason = "read by people, with --no-capture")]
fn say(text: &str) {
    println!("{text}");
}

/// Cuts the power after each step of `scene`.
///
/// # Panics
///
/// If one of the trees that are left is recovered wrong.
fn survives(scene: &Scene) -> usize {
    let findings = scene.check(&scene.steps, bound());
    say(&format!(
        "{}: {} steps, {} of them syncs, {} states, {}, {} different",
        scene.name,
        scene.steps.len(),
        syncs(scene).len(),
        findings.states,
        if findings.is_complete {
            "all"
        } else {
            "a sample"
        },
        scene.recovered()
    ));
    assert_eq!(findings.bad, None);
    findings.states
}

fn syncs(scene: &Scene) -> Vec<usize> {
    (0..scene.steps.len())
        .filter(|&at| scene.steps[at].is_sync())
        .collect()
}

/// Returns the syncs of `scene` without which no bad state is found.
fn needless(scene: &Scene) -> Vec<String> {
    let is_needless = |at: &usize| {
        let mut steps = scene.steps.clone();
        let sync = steps.remove(*at);
        let bad = scene.check(&steps, bound()).bad;
        say(&format!(
            "{}, without {sync}: {}",
            scene.name,
            bad.as_deref()
                .and_then(|bad| bad.lines().next())
                .unwrap_or("nothing")
        ));
        bad.is_none()
    };
    syncs(scene)
        .into_iter()
        .filter(is_needless)
        .map(|at| scene.steps[at].to_string())
        .collect()
}

/// Applies each of `drafts` in `place`, and cuts the power; returns how many states were looked at.
fn applying(drafts: &[Draft], place: Place) -> usize {
    drafts
        .iter()
        .map(|draft| survives(&Scene::apply(draft, place, &[])))
        .sum()
}

#[test]
fn an_apply_survives_the_power_at_any_call() {
    let states = applying(&drafts(), Place::Plain);
    assert!(states > 8_000, "{states}");
}

#[test]
fn an_apply_in_a_repository_survives_the_power_at_any_call() {
    let states = applying(&drafts(), Place::Git);
    assert!(states > 8_000, "{states}");
}

#[test]
fn every_way_to_write_survives_the_power_at_any_call() {
    let plain = applying(&ways().map(Draft::from), Place::Plain);
    // A merge wants a whole repository there.
    let in_git = applying(&[rejects(), series()].map(Draft::from), Place::Git);
    assert!(plain > 4_000 && in_git > 2_000, "{plain} {in_git}");
}

#[test]
fn a_commit_of_a_session_survives_the_power_at_any_call() {
    let scenes = [few(), renames()].map(|draft| survives(&Scene::session(&draft)));
    assert!(scenes.iter().sum::<usize>() > 500, "{scenes:?}");
}

#[test]
fn a_recovery_survives_the_power_at_any_call() {
    let mut scenes = 0;
    for place in PLACES {
        for draft in [few(), renames()] {
            for call in ["renameat2", "renameat", "linkat", "mkdirat", "unlinkat"] {
                let kills =
                    (1..).map_while(|number| Scene::recovery(&draft, place, (call, number)));
                scenes += kills
                    .map(|scene| survives(&scene))
                    .filter(|&states| states > 0)
                    .count();
            }
        }
    }
    assert!(scenes > 40, "{scenes}");
}

#[test]
fn a_change_of_two_roots_survives_the_power_at_any_call() {
    let states = applying(&[two_roots()], Place::Roots);
    assert!(states > 1_000, "{states}");
}

#[test]
fn a_recovery_of_two_roots_survives_the_power_at_any_call() {
    let mut scenes = 0;
    for call in ["renameat2", "renameat", "linkat", "mkdirat", "unlinkat"] {
        let kills =
            (1..).map_while(|number| Scene::recovery(&two_roots(), Place::Roots, (call, number)));
        scenes += kills
            .map(|scene| survives(&scene))
            .filter(|&states| states > 0)
            .count();
    }
    assert!(scenes > 10, "{scenes}");
}

#[test]
fn a_failed_sync_of_one_of_two_roots_is_survived() {
    let failures = (1..)
        .map_while(|number| Scene::with_failed_sync(&two_roots(), Place::Roots, ("fsync", number)));
    let scenes = failures
        .map(|scene| survives(&scene))
        .filter(|&states| states > 0)
        .count();
    assert!(scenes > 8, "{scenes}");
}

#[test]
fn each_sync_of_two_roots_is_missed() {
    let scene = Scene::apply(&two_roots(), Place::Roots, &[]);
    assert_eq!(needless(&scene), Vec::<String>::new());
}

#[test]
fn a_failed_sync_is_survived() {
    let mut scenes = 0;
    for (draft, place) in [(few(), Place::Git), (renames(), Place::Plain)] {
        for call in ["fsync", "syncfs"] {
            let failures =
                (1..).map_while(|number| Scene::with_failed_sync(&draft, place, (call, number)));
            scenes += failures
                .map(|scene| survives(&scene))
                .filter(|&states| states > 0)
                .count();
        }
    }
    assert!(scenes > 12, "{scenes}");
}

#[test]
fn each_sync_is_missed() {
    for place in PLACES {
        for draft in [few(), renames()] {
            assert_eq!(
                needless(&Scene::apply(&draft, place, &[])),
                Vec::<String>::new()
            );
        }
    }
}

/// A sync of all makes the state directory durable with what is staged; only the journal gets its
/// name behind it. POSIX has no such call.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn each_sync_of_all_is_missed() {
    assert_eq!(
        needless(&Scene::apply(&many(), Place::Plain, &[])),
        ["sync ."]
    );
    assert_eq!(
        needless(&Scene::apply(&many(), Place::Git, &[])),
        ["sync .git/wpatch", "sync .git"]
    );
}

#[test]
fn without_any_sync_it_does_not_survive() {
    for place in PLACES {
        for draft in [few(), renames()] {
            let scene = Scene::apply(&draft, place, &["--durability", "none"]);
            assert!(syncs(&scene).is_empty(), "{}", scene.name);
            assert!(
                scene.check(&scene.steps, bound()).bad.is_some(),
                "{}",
                scene.name
            );
        }
    }
}
