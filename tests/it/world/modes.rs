//! File systems that keep no permission bits: NTFS and exFAT.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use fs_err as fs;
use tempfile::TempDir;

use super::images::{Mounted, SHARED, ends, is, names, says, text};
use super::{Scene, survives_kills};
use crate::alone::may_mount;
use crate::repository::git;
use crate::systems::{fed, program};

const PATCH: &str =
    "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n--- /dev/null\n+++ b/new/g\n@@ -0,0 +1 @@\n+g\n";

/// Everything that a user does: changes in a plain directory and in a work tree, undone again, and
/// recovered after a kill.
fn works(mounted: &Mounted) {
    let root = mounted.root(&[("f", "one\n")]);
    assert_eq!(ends(&root, &["check"], PATCH), is(0, &["f"]));
    assert_eq!(ends(&root, &["apply"], PATCH), is(0, &["f", "new"]));
    assert_eq!(text(&root, "f"), "two\n");
    assert_eq!(
        ends(&root, &["apply", "-R", "--durability", "none"], PATCH),
        is(0, &["f"])
    );
    let killed = fed(
        &mut program(&root, &["apply", "--verify", "kill -9 $PPID"]),
        PATCH.as_bytes(),
    );
    assert!(!killed.status.success() && text(&root, "f") == "two\n");
    let checked = says(&root, &["check"], PATCH);
    assert_eq!(
        checked["problems"][0]["code"], "wpatch::io::half_made",
        "{checked:#}"
    );
    assert_eq!(
        (ends(&root, &["recover"], ""), text(&root, "f")),
        (is(0, &["f"]), "one\n".to_owned())
    );
    for directory in [".git", ".wpatch"] {
        if directory == ".git" {
            fs::create_dir(root.join(".git")).unwrap();
        } else {
            fs::remove_dir_all(root.join(".git")).unwrap();
            assert_eq!(ends(&root, &["init"], ""), is(0, &[".wpatch", "f"]));
        }
        for reverse in [&[][..], &["-R"]] {
            assert_eq!(ends(&root, &[&["apply"], reverse].concat(), PATCH).0, 0);
        }
        assert_eq!(ends(&root, &["undo"], ""), is(0, &[directory, "f", "new"]));
        assert_eq!(ends(&root, &["undo"], ""), is(0, &[directory, "f"]));
        assert_eq!(text(&root, "f"), "one\n");
        let log = says(&root, &["log"], "");
        assert_eq!(log["entries"].as_array().unwrap().len(), 4, "{log:#}");
    }
}

#[test]
fn a_file_system_without_modes_is_enough() {
    if may_mount("world::modes::a_file_system_without_modes_is_enough") {
        let all = [
            Mounted::ntfs(SHARED),
            Mounted::ntfs("umask=022"),
            Mounted::ntfs("umask=077"),
            // It keeps the permission bits, and no sticky bit.
            Mounted::ntfs("permissions"),
            Mounted::folding_ntfs(),
            Mounted::exfat(),
        ];
        all.iter().for_each(works);
    }
}

/// The driver for exFAT numbers the inodes anew at each mount.
#[test]
fn a_change_is_recovered_and_undone_after_a_new_mount() {
    if may_mount("world::modes::a_change_is_recovered_and_undone_after_a_new_mount") {
        let mounted = Mounted::exfat();
        let root = mounted.root(&[("f", "one\n")]);
        let state = TempDir::new().unwrap();
        let run = |arguments: &[&str]| {
            let mut command = program(&root, arguments);
            fed(
                command.env("XDG_STATE_HOME", state.path()),
                PATCH.as_bytes(),
            )
        };
        assert!(run(&["apply"]).status.success());
        // The numbers follow the order in which files are found.
        let remount = |number: usize| {
            let inode = fs::metadata(&root).unwrap().ino();
            mounted.mount_again();
            let above = root.parent().unwrap();
            (0..=number).for_each(|other| fs::write(above.join(other.to_string()), "").unwrap());
            assert_ne!(fs::metadata(&root).unwrap().ino(), inode);
        };
        remount(0);
        let undone = run(&["undo"]);
        assert!(undone.status.success(), "{undone:?}");
        assert_eq!(text(&root, "f"), "one\n");
        assert!(
            !run(&["apply", "--verify", "kill -9 $PPID"])
                .status
                .success()
        );
        remount(1);
        let refused = run(&["recover"]);
        assert_eq!(refused.status.code(), Some(4), "{refused:?}");
        assert_eq!(text(&root, "f"), "two\n");
        let recovered = run(&["recover", "--adopt"]);
        assert!(recovered.status.success(), "{recovered:?}");
        assert_eq!(
            (text(&root, "f"), names(&root)),
            ("one\n".to_owned(), vec!["f".to_owned()])
        );
    }
}

/// Other users can write to the state there, but not to the tree.
#[test]
fn a_state_without_owners_is_refused_for_a_tree_with_owners() {
    if may_mount("world::modes::a_state_without_owners_is_refused_for_a_tree_with_owners") {
        let mounted = Mounted::exfat_with("umask=0");
        let elsewhere = mounted.root(&[]).join("repository");
        let root = TempDir::new().unwrap();
        let separate = format!("--separate-git-dir={}", elsewhere.display());
        let made = git(&["init", "-q", &separate])
            .current_dir(root.path())
            .status();
        assert!(made.unwrap().success());
        fs::write(root.path().join("f"), "one\n").unwrap();
        let refused = says(root.path(), &["apply"], PATCH);
        assert_eq!(refused["error"]["code"], "wpatch::io::state", "{refused:#}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("umask=077"), "{message}");
        assert_eq!(text(root.path(), "f"), "one\n");
    }
}

/// They are what the mount says, and a patch that changes them alone is a success, as it is for
/// git.
#[test]
fn a_change_of_a_mode_is_ignored_where_there_are_none() {
    if may_mount("world::modes::a_change_of_a_mode_is_ignored_where_there_are_none") {
        let patch = |old, new| format!("diff --git a/f b/f\nold mode {old}\nnew mode {new}\n");
        for mounted in [
            Mounted::ntfs("umask=022"),
            Mounted::ntfs("fmask=0177,dmask=077"),
            Mounted::exfat(),
        ] {
            let root = mounted.root(&[("f", "one\n"), (".git/HEAD", "ref\n")]);
            let mode = || fs::metadata(root.join("f")).unwrap().permissions().mode();
            let before = mode();
            for patch in [patch("100644", "100755"), patch("100755", "100644")] {
                assert_eq!(says(&root, &["apply"], &patch)["exit_code"], 0);
                assert_eq!(mode(), before);
            }
            if before % 0o100 == 0 {
                // Nothing here tells it from a file system with bits, until a mode is set.
                continue;
            }
            let both = [
                &patch("100644", "100755"),
                PATCH.split_once("--- /dev").unwrap().0,
            ]
            .concat();
            assert_eq!(says(&root, &["apply"], &both)["exit_code"], 0);
            assert_eq!(says(&root, &["undo"], "")["exit_code"], 0);
            assert_eq!((text(&root, "f"), mode()), ("one\n".to_owned(), before));
        }
    }
}

#[test]
fn a_link_is_refused_where_there_are_none() {
    if may_mount("world::modes::a_link_is_refused_where_there_are_none") {
        let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+f\n\\ No newline at end of file\n";
        let mounted = Mounted::exfat();
        let root = mounted.root(&[("f", "one\n")]);
        let report = says(&root, &["apply"], &[PATCH, link].concat());
        assert_eq!(
            (&report["exit_code"], &report["changed"]),
            (&4.into(), &false.into()),
            "{report:#}"
        );
        assert!(
            report["error"]["message"]
                .as_str()
                .unwrap()
                .contains("does not support symbolic links"),
            "{report:#}"
        );
        assert_eq!(
            (names(&root), text(&root, "f")),
            (vec!["f".to_owned()], "one\n".to_owned())
        );
        // git sets core.symlinks in a new repository.
        assert!(
            git(&["init", "-q"])
                .current_dir(&root)
                .status()
                .unwrap()
                .success()
        );
        let report = says(&root, &["apply"], link);
        assert_eq!(
            (&report["exit_code"], &report["changed"]),
            (&0.into(), &true.into()),
            "{report:#}"
        );
        assert_eq!(text(&root, "l"), "f");
        assert_eq!(says(&root, &["undo"], "")["exit_code"], 0);
        assert!(!names(&root).contains(&"l".to_owned()));
    }
}

#[test]
fn a_file_system_without_modes_survives_kills() {
    if may_mount("world::modes::a_file_system_without_modes_survives_kills") {
        let mounted = Mounted::ntfs("umask=022");
        survives_kills(&Scene::at(&mounted.root(&[])), 10);
    }
}

/// What others can write to is refused where permission bits mean something, whatever is in the
/// directory.
#[test]
fn bits_count_where_they_are_kept() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    for (name, mode) in [
        (".wpatch", 0o777),
        (".git/wpatch", 0o777),
        (".git/wpatch", 0o720),
    ] {
        fs::create_dir_all(root.join(name)).unwrap();
        fs::write(root.join("f"), "one\n").unwrap();
        fs::set_permissions(root.join(name), PermissionsExt::from_mode(mode)).unwrap();
        for command in ["check", "apply"] {
            let report = says(&root, &[command], PATCH);
            assert_eq!(
                (&report["exit_code"], &report["error"]["code"]),
                (&4.into(), &"wpatch::io::state".into())
            );
        }
        assert_eq!(names(&root.join(name)), Vec::<String>::new());
        fs::remove_dir_all(&root).unwrap();
    }
}
