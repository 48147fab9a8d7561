//! The program stopped at any call, for somebody else to save a file there; then it goes on, or is
//! killed.
//!
//! What was saved has to stand there in the end, and the other files have to be before or after as
//! a whole.

use std::path::Path;

use fs_err as fs;
use rustix::process::Signal;

use super::apply;
use crate::faults::CALLS;
use crate::faults::scene::{Scene, Tree, is_scratch, names, tree};
use crate::world;
use crate::world::takes_all;

/// What is saved.
const SAVED: &str = "saved by somebody else\n";
/// Files that are updated, deleted, moved, moved with a change, given a mode, and made.
const TARGETS: &[&str] = &[
    "update",
    "old/gone",
    "plain",
    "edited",
    "script",
    "new/dir/file",
];
/// One stop in so many is in the sample.
const SAMPLE: usize = 67;

/// How somebody saves a file.
#[derive(Clone, Copy, Debug)]
enum Save {
    /// Cuts it and writes it again.
    InPlace,
    /// Puts another in its place.
    ByRename,
}

impl Save {
    fn carry_out(self, path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match self {
            Self::InPlace => fs::write(path, SAVED).unwrap(),
            Self::ByRename => {
                let aside = path.with_extension("aside");
                fs::write(&aside, SAVED).unwrap();
                fs::rename(aside, path).unwrap();
            }
        }
    }
}

/// Returns every stop of an apply, or a sample of them, with a way to save and which of `targets`
/// is saved.
fn stops(
    scene: &Scene,
    targets: &'static [&'static str],
) -> Vec<((&'static str, usize), Save, &'static str)> {
    scene.lay();
    let stops = scene
        .calls("apply", CALLS)
        .into_iter()
        .flat_map(|(call, count)| (1..=count).map(move |n| (call, n)));
    let sample = if targets.len() > 1 { SAMPLE } else { 5 };
    let targets = |stop| targets.iter().map(move |target| (stop, *target));
    let all = stops.flat_map(targets).flat_map(|(stop, target)| {
        [Save::InPlace, Save::ByRename]
            .into_iter()
            .map(move |save| (stop, save, target))
    });
    all.step_by(if takes_all() { 1 } else { sample }).collect()
}

/// Returns where what was saved at `target` may be in the end: a file that moves may be saved
/// before it is read.
fn places(target: &'static str) -> [&'static str; 2] {
    [
        target,
        if target == "plain" {
            "sub/plain"
        } else {
            target
        },
    ]
}

/// Returns the files and links of `tree` but `target` and scratch.
fn others(tree: &Tree, target: &'static str) -> Tree {
    let is_target = |path: &Path| places(target).iter().any(|place| path == Path::new(place));
    let is_other = |path: &Path| !is_target(path) && !is_scratch(path);
    let is_directory = |mode: u32| mode & 0o170_000 == 0o040_000;
    let kept = tree
        .iter()
        .filter(|(path, (mode, _))| is_other(path) && !is_directory(*mode));
    kept.map(|(path, found)| (path.clone(), found.clone()))
        .collect()
}

/// Makes the runs, each going on from its stop with `fate`, and returns how many ended with the
/// exit codes 0, 1 and 5, and how many were killed.
fn run(scene: &Scene, targets: &'static [&'static str], fate: Signal) -> [usize; 4] {
    let mut endings = [0; 4];
    for (stop, save, target) in stops(scene, targets) {
        scene.lay();
        let path = scene.root.join(target);
        let Some(output) = scene.halt(stop, || save.carry_out(&path), fate) else {
            continue;
        };
        let directly = tree(&scene.root);
        let recover = scene.run(&[], "recover");
        let finally = tree(&scene.root);
        let sides = [&scene.before, &scene.after].map(|side| others(side, target));
        let is_side = |number: usize| others(&finally, target) == sides[number];
        // The code of a killed run is that of strace, which may miss what it was to wait for.
        let code = output.status.code().filter(|_| fate != Signal::KILL);
        let (is_right, ending) = match code {
            Some(0) => (is_side(1), 0),
            Some(1) => (is_side(0) && others(&directly, target) == sides[0], 1),
            Some(5) => (is_side(0), 2),
            Some(_) => (false, 2),
            None => (is_side(0) || is_side(1), 3),
        };
        endings[ending] += 1;
        // A file that was saved in the meantime stays, and `recover` names it.
        let names_target = String::from_utf8_lossy(&recover.stderr).contains(target);
        let is_recovered =
            recover.status.success() || recover.status.code() == Some(5) && names_target;
        let is_saved =
            |place| fs::read_to_string(scene.root.join(place)).is_ok_and(|found| found == SAVED);
        assert!(
            is_right && places(target).into_iter().any(is_saved) && is_recovered,
            "{stop:?} {save:?} {target}: {output:?}\n{recover:?}\n{:#?}",
            names(&finally)
        );
    }
    endings
}

/// Another run of the program, from its beginning to its end, at any call of the first one.
#[test]
fn two_runs_at_any_call_do_both_or_one_waits() {
    for another in ["--durability=full", "--durability=none"] {
        two_runs(&Scene::new(), 3, another);
        two_runs(&Scene::single(), 1, another);
    }
}

fn two_runs(scene: &Scene, sample: usize, durability: &str) {
    scene.lay();
    let patch = scene.patch().with_file_name("another");
    fs::write(
        &patch,
        "--- /dev/null\n+++ b/another\n@@ -0,0 +1 @@\n+another\n",
    )
    .unwrap();
    let stops = scene
        .calls("apply", CALLS)
        .into_iter()
        .flat_map(|(call, count)| (1..=count).map(move |n| (call, n)));
    let mut endings = [0; 2];
    for stop in stops.step_by(if takes_all() { 1 } else { sample }) {
        scene.lay();
        let mut code = None;
        let another = || {
            code = apply(&scene.root, &patch, &["--lock-timeout=0s", durability])
                .status
                .code();
        };
        let Some(output) = scene.halt(stop, another, Signal::CONT) else {
            continue;
        };
        let mut finally = tree(&scene.root);
        let is_made = finally.remove(Path::new("another")).is_some();
        assert!(
            output.status.success() && finally == scene.after,
            "{stop:?}: {output:?} {:#?}",
            names(&finally)
        );
        assert!(
            (code, is_made) == (Some(0), true) || (code, is_made) == (Some(6), false),
            "{stop:?}: {code:?}"
        );
        endings[usize::from(is_made)] += 1;
    }
    assert!(endings.iter().all(|count| *count > 2), "{endings:?}");
}

/// What another process does that was there in between, and is done.
#[test]
fn a_state_directory_that_was_taken_away_is_made_again() {
    let scene = Scene::new();
    scene.lay();
    let state = scene.root.join(".wpatch");
    let output = scene
        .halt(
            ("mkdirat", 1),
            || fs::remove_dir(&state).unwrap(),
            Signal::CONT,
        )
        .unwrap();
    assert!(
        output.status.success() && tree(&scene.root) == scene.after,
        "{output:?}"
    );
}

/// What looks like the directory that was just made may be another, which is to stay.
#[test]
fn a_state_directory_that_another_process_puts_in_the_place_keeps_its_mode() {
    let scene = Scene::new();
    scene.lay();
    let state = scene.root.join(".wpatch");
    let init = || {
        fs::remove_dir(&state).unwrap();
        assert!(scene.run(&[], "init").status.success());
    };
    let output = scene.halt(("mkdirat", 1), init, Signal::CONT).unwrap();
    assert!(output.status.success(), "{output:?}");
    let mode = world::mode(&state);
    assert_eq!(mode & 0o7777, 0o700);
    assert!(scene.run(&[], "undo").status.success());
}

#[test]
fn what_is_saved_at_any_call_survives() {
    let [done, refused, left, killed] = run(&Scene::new(), TARGETS, Signal::CONT);
    assert!(
        done > 5 && refused > 5 && killed == 0,
        "{done} {refused} {left}"
    );
    let [done, refused, _, killed] = run(&Scene::single(), &["d/update"], Signal::CONT);
    assert!(done > 1 && refused > 1 && killed == 0, "{done} {refused}");
}

#[test]
fn what_is_saved_before_a_kill_survives_the_recovery() {
    let [.., killed] = run(&Scene::new(), TARGETS, Signal::KILL);
    assert!(killed > 10, "{killed}");
    let [.., killed] = run(&Scene::single(), &["d/update"], Signal::KILL);
    assert!(killed > 5, "{killed}");
}
