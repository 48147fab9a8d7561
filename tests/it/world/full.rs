//! Full file systems: a change is made as a whole or refused, and putting back takes no room.

use std::fmt::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use tempfile::TempDir;

use super::{Scene, is_refused_by_the_disk, mount_memory, must, reported};
use crate::alone::may_mount;
use crate::faults::scene::{Tree, program, tree};
use crate::faults::strace::Injection;

/// Bytes that a file takes at least.
const PAGE: usize = 4096;
const PAGES: usize = 128;
const NODES: usize = 64;

/// Makes files of several sizes in new directories, updates one, renames one and deletes one.
fn patch() -> String {
    let mut patch =
        "--- a/update\n+++ b/update\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n".to_owned();
    patch += "--- a/old/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
    for (name, lines) in [("new/small", 1), ("new/dir/large", 700), ("middle", 250)] {
        writeln!(patch, "--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,{lines} @@").unwrap();
        patch += &"+a line of thirty-two bytes or so\n".repeat(lines);
    }
    patch
        + "diff --git a/plain b/sub/plain\nsimilarity index 100%\nrename from plain\nrename to sub/plain\n"
}

const FILES: &[(&str, &str)] = &[
    ("update", "one\ntwo\nthree\n"),
    ("plain", "plain\n"),
    ("old/gone", "gone\n"),
    ("stays", "stays\n"),
];

/// A scene on a file system of its own, as large as `options` say.
fn scene(directory: &TempDir) -> Scene {
    let disk = directory.path().join("disk");
    mount_memory(
        &disk,
        &format!("size={},nr_inodes={NODES},mode=755", PAGES * PAGE),
    );
    Scene::with(&disk.join("root"), FILES, &patch())
}

/// Fills the file system beside the root until `free` pages are left.
fn leave_pages(scene: &Scene, free: usize) {
    fill(&scene.root, free);
}

fn fill(root: &Path, free: usize) {
    let ballast = root.with_file_name("ballast");
    let _ = fs::remove_file(&ballast);
    let used = usize::try_from(rustix::fs::statvfs(root).unwrap().f_bfree).unwrap() - free;
    fs::write(&ballast, vec![b'x'; used * PAGE]).unwrap();
    assert_eq!(rustix::fs::statvfs(root).unwrap().f_bfree, free as u64);
}

/// Fills it with empty files until `free` more can be made.
fn leave_nodes(scene: &Scene, free: usize) {
    let ballast = scene.root.with_file_name("files");
    let _ = fs::remove_dir_all(&ballast);
    fs::create_dir(&ballast).unwrap();
    let used = usize::try_from(rustix::fs::statvfs(&scene.root).unwrap().f_ffree).unwrap() - free;
    (0..used).for_each(|number| fs::write(ballast.join(number.to_string()), "").unwrap());
    assert_eq!(
        rustix::fs::statvfs(&scene.root).unwrap().f_ffree,
        free as u64
    );
}

/// Applies the patch with more and more room, until it has enough. Returns how much that is.
fn with_more_and_more(scene: &Scene, leave: impl Fn(&Scene, usize)) -> usize {
    for free in 0.. {
        scene.lay();
        leave(scene, free);
        let ending = reported(&[], "apply", &scene.root, &scene.patch());
        if ending.0 == 0 {
            assert!(tree(&scene.root) == scene.after, "{free}");
            return free;
        }
        is_refused_by_the_disk(scene, &ending);
    }
    unreachable!("a file system that has all of its room free")
}

#[test]
fn every_amount_of_free_space_is_enough_or_leaves_the_tree_as_it_was() {
    if may_mount("world::full::every_amount_of_free_space_is_enough_or_leaves_the_tree_as_it_was") {
        let directory = TempDir::new().unwrap();
        let scene = scene(&directory);
        let pages = with_more_and_more(&scene, leave_pages);
        let _ = fs::remove_file(scene.root.with_file_name("ballast"));
        let nodes = with_more_and_more(&scene, leave_nodes);
        assert!(pages >= 10 && nodes >= 5, "{pages} {nodes}");
    }
}

/// The calls that move files.
const MOVES: &[&str] = if cfg!(wpatch_plain_unix) {
    &["renameat", "linkat"]
} else {
    &["renameat2"]
};

/// Applies the patch with just the room that it needs and an error at each move, so that the
/// rollback happens on a full disk. Then kills it there, and fills up what was left.
#[test]
fn putting_back_takes_no_room() {
    if may_mount("world::full::putting_back_takes_no_room") {
        let directory = TempDir::new().unwrap();
        let scene = scene(&directory);
        let pages = with_more_and_more(&scene, leave_pages);
        puts_back(&scene, leave_pages, pages);
        let _ = fs::remove_file(scene.root.with_file_name("ballast"));
        let nodes = with_more_and_more(&scene, leave_nodes);
        puts_back(&scene, leave_nodes, nodes);
    }
}

/// Applies the patch with `enough` room, which `leave` leaves.
fn puts_back(scene: &Scene, leave: impl Fn(&Scene, usize), enough: usize) {
    scene.lay();
    let calls = scene.calls("apply", MOVES);
    let (mut failed, mut all) = (0, 0);
    for (&call, when) in calls
        .iter()
        .flat_map(|(call, &count)| (1..=count).map(move |number| (call, number.to_string())))
    {
        scene.lay();
        leave(scene, enough);
        let error = Injection {
            call,
            fault: "error=EIO",
            when: when.clone(),
        };
        let (was_met, output) = scene.strike("apply", &error);
        // A directory that cannot be moved is removed.
        let side = if output.status.success() {
            &scene.after
        } else {
            &scene.before
        };
        assert!(
            was_met && matches!(output.status.code(), Some(0 | 4)),
            "{call} {when}: {output:?}"
        );
        assert!(tree(&scene.root) == *side, "{call} {when}");
        failed += usize::from(!output.status.success());
        all += 1;

        scene.lay();
        leave(scene, enough);
        let (was_met, _) = scene.strike(
            "apply",
            &Injection {
                fault: "signal=KILL",
                ..error
            },
        );
        leave(scene, 0);
        let output = scene.run(&[], "recover");
        assert!(
            was_met && output.status.success(),
            "{call} {when}: {output:?}"
        );
        assert!(
            [&scene.before, &scene.after].contains(&&tree(&scene.root)),
            "{call} {when}"
        );
    }
    assert!(failed + 3 > all && failed > 2, "{failed} of {all}");
}

/// The words of a command.
type Words = &'static [&'static str];

/// Commands, the commands before each, and the exit code on a full file system.
const COMMANDS: &[(Words, &[Words], i32)] = &[
    (&["wpatch", "apply", "PATCH"], &[], 4),
    (&["wpatch", "apply", "--in-place", "PATCH"], &[], 4),
    (&["wpatch", "apply", "--index", "PATCH"], &[], 4),
    (&["patch", "-p1", "-b", "-i", "PATCH"], &[], 2),
    (
        &["wpatch", "edit", "update", "--old", "two", "--new", "2"],
        &[],
        4,
    ),
    (&["wpatch", "write", "new", "--content", "new"], &[], 4),
    (&["wpatch", "undo"], &[&["wpatch", "apply", "PATCH"]], 4),
    (
        &["wpatch", "redo"],
        &[&["wpatch", "apply", "PATCH"], &["wpatch", "undo"]],
        4,
    ),
];

/// Runs the program under the name and with the arguments `words` in the root of `scene`.
fn run(scene: &Scene, words: &[&str]) -> Output {
    let patch = scene.patch().into_os_string();
    let argument = |&word: &&str| {
        if word == "PATCH" {
            patch.clone()
        } else {
            word.into()
        }
    };
    let mut command = Command::new(program());
    command
        .arg0(words[0])
        .args(words[1..].iter().map(argument))
        .current_dir(&scene.root);
    command
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .output()
        .unwrap()
}

/// Returns all files below `root` but those that a failed command may leave: its lock, and objects
/// that git wrote.
fn files(root: &Path) -> Tree {
    let mut files = tree(root);
    let left = [".git/wpatch", ".git/wpatch/lock"].map(Path::new);
    files.retain(|path, _| !left.contains(&path.as_path()) && !path.starts_with(".git/objects"));
    files
}

/// Runs each command with more and more room, until it has enough.
#[test]
fn each_command_names_the_full_file_system_and_leaves_nothing() {
    if !may_mount("world::full::each_command_names_the_full_file_system_and_leaves_nothing") {
        return;
    }
    let directory = TempDir::new().unwrap();
    let scene = scene(&directory);
    for &(words, earlier, code) in COMMANDS {
        let mut refusals = 0;
        for free in 0.. {
            let _ = fs::remove_file(scene.root.with_file_name("ballast"));
            scene.lay();
            must(
                "git",
                &[
                    "init",
                    "-q",
                    "--template=",
                    &scene.root.display().to_string(),
                ],
            );
            must(
                "git",
                &["-C", &scene.root.display().to_string(), "add", "."],
            );
            assert!(
                earlier
                    .iter()
                    .all(|words| run(&scene, words).status.success())
            );
            fill(&scene.root, free);
            let before = files(&scene.root);
            let output = run(&scene, words);
            if output.status.success() {
                break;
            }
            let told = String::from_utf8_lossy(&output.stderr).to_lowercase();
            let of_git = words.contains(&"--index") && told.contains("out of diskspace");
            assert_eq!(output.status.code(), Some(code), "{words:?} {free}: {told}");
            assert!(
                told.contains("no space left") || of_git,
                "{words:?} {free}: {told}"
            );
            assert!(
                told.contains("director") || words.contains(&"--index"),
                "{words:?} {free}: {told}"
            );
            assert!(
                !told.contains(".wpatch-index") && !told.contains("txn-") || of_git,
                "{words:?} {free}: {told}"
            );
            assert!(files(&scene.root) == before, "{words:?} {free}");
            fs::remove_file(scene.root.with_file_name("ballast")).unwrap();
            let again = run(&scene, words);
            assert!(again.status.success(), "{words:?} {free}: {again:?}");
            refusals += 1;
        }
        assert!(refusals > 0, "{words:?}");
    }
}
