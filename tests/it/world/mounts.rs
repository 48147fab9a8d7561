//! Other file systems at and below the root.

use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use tempfile::TempDir;

use super::refusals::check_refuses;
use super::{Scene, is_refused_by_the_disk, mount_memory, must, reported, survives_kills};
use crate::alone::may_mount;
use crate::faults::scene::tree;
use crate::faults::strace::Injection;

/// Files on both sides of two mounts.
const FILES: &[(&str, &str)] = &[
    ("stays", "stays\n"),
    ("update", "one\ntwo\nthree\n"),
    ("out", "out\n"),
    ("memory/update", "one\ntwo\nthree\n"),
    ("memory/in", "in\n"),
    ("memory/old/gone", "gone\n"),
    ("bound/update", "one\ntwo\nthree\n"),
    ("bound/script", "#!/bin/sh\n"),
    ("bound/across", "first\nsecond\n"),
];

/// Updates on each side, moves from each to another with a change and without, deletes, creates,
/// changes a mode.
const PATCH: &str = "\
--- a/update
+++ b/update
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
--- a/memory/update
+++ b/memory/update
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
--- a/bound/update
+++ b/bound/update
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
diff --git a/out b/memory/out
similarity index 100%
rename from out
rename to memory/out
diff --git a/memory/in b/in
similarity index 100%
rename from memory/in
rename to in
diff --git a/memory/old/gone b/memory/old/gone
deleted file mode 100644
--- a/memory/old/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/bound/across b/memory/across
similarity index 50%
rename from bound/across
rename to memory/across
--- a/bound/across
+++ b/memory/across
@@ -1,2 +1,2 @@
 first
-second
+2nd
diff --git a/bound/script b/bound/script
old mode 100644
new mode 100755
diff --git a/memory/new/file b/memory/new/file
new file mode 100644
--- /dev/null
+++ b/memory/new/file
@@ -0,0 +1 @@
+new
";

/// Returns a scene with a file system in memory and a bound directory of the same disk below its
/// root.
fn mounted(directory: &Path) -> Scene {
    let root = directory.join("root");
    mount_memory(&root.join("memory"), "size=4m,mode=755");
    for name in ["root/bound", "elsewhere"] {
        fs_err::create_dir_all(directory.join(name)).unwrap();
    }
    let [from, to] =
        ["elsewhere", "root/bound"].map(|name| directory.join(name).display().to_string());
    must("mount", &["--bind", &from, &to]);
    Scene::with(&root, FILES, PATCH)
}

#[test]
fn mounts_below_the_root_are_no_borders() {
    if may_mount("world::mounts::mounts_below_the_root_are_no_borders") {
        let directory = TempDir::new().unwrap();
        let plain = Scene::with(&directory.path().join("plain"), FILES, PATCH);
        let scene = mounted(directory.path());
        let old = [
            rename(&scene.root, "update", "memory/x"),
            rename(&scene.root, "update", "bound/x"),
        ];
        assert_eq!(old, [Err(Errno::XDEV); 2]);
        assert!(
            scene.before == plain.before && scene.after == plain.after,
            "{:#?}",
            scene.after.keys()
        );
        survives_kills(&scene, 20);
    }
}

/// Empties a mounted file system, in which a file takes the place of a directory besides.
#[test]
fn an_emptied_mount_stays_and_what_was_in_it_goes() {
    const FILES: &[(&str, &str)] = &[
        ("stays", "stays\n"),
        ("memory/a/b/gone", "gone\n"),
        ("memory/c/d", "d\n"),
    ];
    const EMPTIES: &str = "--- a/memory/a/b/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
        --- a/memory/c/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n";
    const REPLACES: &str = "--- /dev/null\n+++ b/memory/c\n@@ -0,0 +1 @@\n+c\n";
    if may_mount("world::mounts::an_emptied_mount_stays_and_what_was_in_it_goes") {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("root");
        mount_memory(&root.join("memory"), "size=4m");
        let scene = Scene::with(&root, FILES, EMPTIES);
        let names = |scene: &Scene| {
            scene
                .after
                .keys()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&scene), ["memory", "other-link", "stays"]);
        let scene = Scene::with(&root, FILES, &[EMPTIES, REPLACES].concat());
        assert_eq!(names(&scene), ["memory", "memory/c", "other-link", "stays"]);
        survives_kills(&scene, 10);
    }
}

fn rename(root: &Path, from: &str, to: &str) -> rustix::io::Result<()> {
    renameat_with(
        CWD,
        root.join(from),
        CWD,
        root.join(to),
        RenameFlags::NOREPLACE,
    )
}

#[test]
fn a_mount_that_may_not_be_written_to_stops_the_whole() {
    if may_mount("world::mounts::a_mount_that_may_not_be_written_to_stops_the_whole") {
        let directory = TempDir::new().unwrap();
        let scene = mounted(directory.path());
        for place in ["memory", "bound", "."] {
            scene.lay();
            let place = scene.root.join(place).display().to_string();
            if place.ends_with('.') {
                must("mount", &["--rbind", &place, &place]);
            }
            must("mount", &["-o", "remount,bind,ro", &place]);
            let traces = crate::tree::traces(&scene.root);
            if place.ends_with('.') {
                // Whether the patch fits the files is a question of its own there.
                let (code, report) = reported(&[], "check", &scene.root, &scene.patch());
                assert_eq!(code, 0, "{report:#}");
                let warning = &report["problems"][0];
                assert_eq!(
                    (&warning["code"], &warning["severity"]),
                    (&"wpatch::io".into(), &"warning".into()),
                    "{report:#}"
                );
            } else {
                check_refuses(&[], &scene.root, &scene.patch());
            }
            assert!(crate::tree::traces(&scene.root) == traces, "{place}");
            is_refused_by_the_disk(&scene, &reported(&[], "apply", &scene.root, &scene.patch()));
            must("mount", &["-o", "remount,bind,rw", &place]);
            assert!(
                scene.run(&[], "apply").status.success() && tree(&scene.root) == scene.after,
                "{place}"
            );
        }
    }
}

/// A mount of which a process has to be told that it is over: it would live on with it.
pub(super) struct Served(pub(super) String);

impl Drop for Served {
    fn drop(&mut self) {
        must("umount", &["--lazy", &self.0]);
    }
}

/// Mounts ext4 by way of FUSE on `place`; the protocol that fuse2fs speaks has no flags of
/// rename(2).
fn mount_without_exchange(directory: &Path, place: &Path) -> Served {
    let [image, place] =
        [directory.join("image"), place.to_owned()].map(|path| path.display().to_string());
    fs_err::File::create(&image)
        .unwrap()
        .set_len(16 << 20)
        .unwrap();
    must("mkfs.ext4", &["-q", "-F", &image]);
    must("fuse2fs", &["-o", "fakeroot", &image, &place]);
    Served(place)
}

#[test]
fn a_file_system_that_cannot_exchange_is_enough() {
    if may_mount("world::mounts::a_file_system_that_cannot_exchange_is_enough") {
        let directory = TempDir::new().unwrap();
        let place = directory.path().join("place");
        fs_err::create_dir(&place).unwrap();
        let _served = mount_without_exchange(directory.path(), &place);
        let scene = Scene::at(&place.join("root"));
        scene.lay();
        assert_eq!(rename(&scene.root, "update", "x"), Err(Errno::INVAL));
        survives_kills(&scene, 10);
        let error = Injection {
            call: "renameat",
            fault: "error=EIO",
            when: "3".into(),
        };
        assert!(scene.apply(&error).problem.is_none());
    }
}
