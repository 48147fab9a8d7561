//! Files and directories that may not be changed: the whole is refused, and goes once they may.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use super::refusals::check_refuses;
use super::{Scene, is_refused_by_the_disk, must, reported};
use crate::faults::scene::tree;
use crate::world;

/// An attribute of chattr(1) on a file, taken off again in the end.
struct Locked(PathBuf, &'static str);

impl Locked {
    fn new(path: &Path, letter: &'static str) -> Self {
        must(
            "chattr",
            &[&format!("+{letter}"), &path.display().to_string()],
        );
        Self(path.to_owned(), letter)
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        must(
            "chattr",
            &[&format!("-{}", self.1), &self.0.display().to_string()],
        );
    }
}

/// Asserts that a check refuses the patch. POSIX has no call that reads an attribute of chattr(1).
fn check_refuses_unless_plain(scene: &Scene) {
    if cfg!(not(wpatch_plain_unix)) {
        check_refuses(&[], &scene.root, &scene.patch());
    }
}

/// Of the usual scene one file after the other, and a directory, are made immutable, or such that
/// they only grow. It takes root to do so.
#[test]
fn a_locked_file_stops_the_whole() {
    let directory = TempDir::new().unwrap();
    let scene = Scene::at(&directory.path().join("root"));
    for letter in ["i", "a"] {
        for name in ["update", "old/gone", "plain", "edited", "old"] {
            scene.lay();
            let locked = Locked::new(&scene.root.join(name), letter);
            check_refuses_unless_plain(&scene);
            is_refused_by_the_disk(&scene, &reported(&[], "apply", &scene.root, &scene.patch()));
            drop(locked);
            assert!(
                scene.run(&[], "apply").status.success() && tree(&scene.root) == scene.after,
                "{letter} {name}"
            );
        }
    }
    scene.lay();
    let _locked = Locked::new(&scene.root.join("script"), "i");
    check_refuses_unless_plain(&scene);
    is_refused_by_the_disk(&scene, &reported(&[], "apply", &scene.root, &scene.patch()));
}

/// Returns what takes the rights away that root has over all files; nothing for others.
fn wrapper() -> &'static [&'static str] {
    let is_root = world::is_root();
    if is_root {
        &["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    } else {
        &["env"]
    }
}

#[test]
fn a_directory_that_may_not_be_written_to_stops_the_whole() {
    let directory = TempDir::new().unwrap();
    let scene = Scene::at(&directory.path().join("root"));
    for name in ["old", "."] {
        scene.lay();
        let closed = scene.root.join(name);
        let before = fs::metadata(&closed).unwrap().permissions();
        fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
        let closed_tree = tree(&scene.root);
        let touch = Command::new(wrapper()[0])
            .args(&wrapper()[1..])
            .arg("touch")
            .arg(closed.join("x"))
            .output();
        assert!(!touch.unwrap().status.success(), "{name} is open");
        check_refuses(wrapper(), &scene.root, &scene.patch());
        let (code, report) = reported(wrapper(), "apply", &scene.root, &scene.patch());
        assert_eq!(
            (code, &report["error"]["kind"]),
            (4, &"io".into()),
            "{report}"
        );
        assert!(tree(&scene.root) == closed_tree, "{name}: {report}");
        fs::set_permissions(&closed, before).unwrap();
        assert!(
            scene.run(&[], "apply").status.success() && tree(&scene.root) == scene.after,
            "{name}"
        );
    }
}
