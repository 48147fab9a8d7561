//! A git directory on another file system than its work tree.
#![cfg(target_os = "linux")]

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use crate::history::places::{DEEPER, DIRECTORIES, dies, done, in_git, repository};

/// A mount that goes with the value.
pub(super) struct Mount(PathBuf);

impl Mount {
    /// Mounts a file system of its own at `directory`; `None` where this process may not.
    pub(super) fn at(directory: &Path) -> Option<Self> {
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "none"])
            .arg(directory)
            .output()
            .ok()?;
        mount.status.success().then(|| Self(directory.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

const PATCH: &str = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\ndiff --git a/deeper/a b/moved/b\n\
            similarity index 100%\nrename from deeper/a\nrename to moved/b\n\
            diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n";

/// Applies `patch` in the work tree `top`, and undoes it, from each of its directories.
fn undo_from_each_directory(top: &Path, patch: &Path) {
    let what = top.display().to_string();
    for directory in DIRECTORIES {
        done(
            &what,
            &top.join("sub"),
            &["apply", &patch.display().to_string()],
        );
        assert_eq!(
            fs::read_to_string(top.join("sub/moved/b")).unwrap(),
            "one\n"
        );
        assert!(!top.join(DEEPER).exists());
        // The directory itself went with its file.
        let from = if directory == DEEPER {
            "sub"
        } else {
            directory
        };
        done(&what, &top.join(from), &["undo"]);
        assert_eq!(in_git(top, &["status", "--porcelain"]), "");
        done(&what, top, &["redo"]);
        done(&what, top, &["undo"]);
        dies(&top.join(directory));
        done(&what, top, &["recover"]);
        assert_eq!(in_git(top, &["status", "--porcelain"]), "");
    }
}

#[test]
fn a_git_directory_on_another_file_system_keeps_the_history() {
    let base = TempDir::new().unwrap();
    let base = base.path().canonicalize().unwrap();
    let other = base.join("other");
    fs::create_dir(&other).unwrap();
    let Some(_mount) = Mount::at(&other) else {
        return;
    };
    let git = other.join("apart.git").display().to_string();
    let separate = repository(&base.join("separate"), &["--separate-git-dir", &git]);
    let main = repository(&other.join("main"), &[]);
    in_git(
        &main,
        &[
            "worktree",
            "add",
            "-q",
            &base.join("linked").display().to_string(),
        ],
    );
    for top in [separate, base.join("linked")] {
        assert_ne!(
            top.metadata().unwrap().dev(),
            other.metadata().unwrap().dev()
        );
        let patch = other.join("p");
        fs::write(&patch, PATCH).unwrap();
        undo_from_each_directory(&top, &patch);
        let names: Vec<_> = fs::read_dir(&top)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert!(
            names
                .iter()
                .all(|name| !name.to_string_lossy().starts_with(".wpatch")),
            "{names:?}"
        );
    }
}
