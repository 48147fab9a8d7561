//! Somebody who puts a link that leads out in the place of a directory: nothing outside is ever
//! touched.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fs_err as fs;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::process::Signal;
use tempfile::TempDir;

use super::apply;
use crate::faults::CALLS;
use crate::faults::scene::{Scene, names, tree};
use crate::tree::traces;
use crate::world;
use crate::world::takes_all;

/// Files in the directory, and the same outside.
const FILES: &[(&str, &str)] = &[
    ("stays", "stays\n"),
    ("d/a", "a\n"),
    ("d/gone", "gone\n"),
    ("d/e/b", "b\n"),
];
const PATCH: &str = "\
--- a/d/a
+++ b/d/a
@@ -1 +1 @@
-a
+A
--- a/d/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
--- /dev/null
+++ b/d/new
@@ -0,0 +1 @@
+new
--- a/d/e/b
+++ b/d/e/b
@@ -1 +1 @@
-b
+B
";

/// Makes the directory outside, with all that the patch would change in the one below the root.
fn outside(directory: &Path) {
    fs::create_dir_all(directory.join("e")).unwrap();
    for (name, contents) in FILES
        .iter()
        .filter_map(|(name, contents)| Some((name.strip_prefix("d/")?, contents)))
    {
        fs::write(directory.join(name), contents).unwrap();
    }
}

/// Lets the directory and the link beside it trade places.
fn swap(root: &Path) {
    renameat_with(
        CWD,
        root.join("d"),
        CWD,
        root.join("other"),
        RenameFlags::EXCHANGE,
    )
    .unwrap();
}

#[test]
fn a_link_in_the_place_of_a_directory_leads_nowhere_at_any_call() {
    let directory = TempDir::new().unwrap();
    let [inside, out] = ["root", "outside"].map(|name| directory.path().join(name));
    let scene = Scene::with(&inside, FILES, PATCH);
    outside(&out);
    let before = traces(&out);
    scene.lay();
    let stops = scene
        .calls("apply", CALLS)
        .into_iter()
        .flat_map(|(call, count)| (1..=count).map(move |n| (call, n)));
    let (mut done, mut refused) = (0, 0);
    for stop in stops.step_by(if takes_all() { 1 } else { 5 }) {
        scene.lay();
        world::link(&out, inside.join("other")).unwrap();
        let Some(output) = scene.halt(stop, || swap(&inside), Signal::CONT) else {
            continue;
        };
        assert!(traces(&out) == before, "{stop:?}: {output:?}");
        swap(&inside);
        fs::remove_file(inside.join("other")).unwrap();
        let recover = scene.run(&[], "recover");
        let finally = tree(&inside);
        let is_right = match output.status.code() {
            Some(0) => finally == scene.after,
            Some(5) => true,
            Some(_) => finally == scene.before,
            None => false,
        };
        done += usize::from(output.status.success());
        refused += usize::from(!output.status.success());
        assert!(
            is_right && traces(&out) == before,
            "{stop:?}: {output:?}\n{recover:?}\n{:#?}",
            names(&finally)
        );
    }
    assert!(done > 0 && refused > 0, "{done} {refused}");
}

#[test]
fn links_in_the_place_of_a_directory_again_and_again_lead_nowhere() {
    let rounds = if takes_all() { 2000 } else { 150 };
    let directory = TempDir::new().unwrap();
    let [inside, out] = ["root", "outside"].map(|name| directory.path().join(name));
    let scene = Scene::with(&inside, FILES, PATCH);
    outside(&out);
    let before = traces(&out);
    scene.lay();
    world::link(&out, inside.join("other")).unwrap();
    let is_over = AtomicBool::new(false);
    let endings = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                swap(&inside);
                thread::yield_now();
                swap(&inside);
                (0..50).for_each(|_| thread::yield_now());
            }
        });
        let apply = |round: usize| {
            let options = ["--durability=none", "--reverse"];
            apply(&inside, &scene.patch(), &options[..=round % 2])
                .status
                .code()
        };
        let mut endings: Vec<_> = (0..rounds).map(apply).collect();
        // How often the link is there depends on the load: it goes on until both endings were seen.
        let seen = |endings: &[_], code| {
            endings
                .iter()
                .filter(|ending| **ending == Some(code))
                .count()
                > 2
        };
        while !(seen(&endings, 0) && seen(&endings, 1)) && endings.len() < 20 * rounds {
            endings.push(apply(endings.len()));
        }
        is_over.store(true, Ordering::SeqCst);
        endings
    });
    assert!(traces(&out) == before);
    let count = |code| {
        endings
            .iter()
            .filter(|ending| **ending == Some(code))
            .count()
    };
    assert!(
        count(0) > 2 && count(1) > 2 && endings.iter().all(Option::is_some),
        "{endings:?}"
    );
}
