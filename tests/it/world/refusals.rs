//! A check refuses each change that the file system would refuse, with the problem that apply
//! reports, and no other change.

mod git;

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

#[cfg(not(wpatch_plain_unix))]
use super::must;
use super::reported;
use crate::faults::scene::{self, program};
use crate::repository::init;

/// A user that owns the tree and is not root.
const USER: u32 = 12_345;

const MODIFY: &str = "--- a/d/f\n+++ b/d/f\n@@ -1 +1 @@\n-one\n+two\n";
const DELETE: &str = "diff --git a/d/f b/d/f\ndeleted file mode 100644\n--- a/d/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
const MODE: &str = "diff --git a/d/f b/d/f\nold mode 100644\nnew mode 100755\n";
const CREATE: &str = "--- /dev/null\n+++ b/d/n/x\n@@ -0,0 +1 @@\n+new\n";
const MOVE: &str = "diff --git a/d/f b/g\nsimilarity index 100%\nrename from d/f\nrename to g\n";

/// A tree with the file `d/f`, whose state is kept in `.git`.
struct Tree {
    directory: TempDir,
    root: PathBuf,
    /// The words before the program, which then runs as the owner of the tree.
    wrapper: Vec<String>,
}

impl Tree {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let root = directory.path().join("root");
        fs::create_dir_all(root.join("d")).unwrap();
        init(&root);
        let tree = Self {
            directory,
            root,
            wrapper: Vec::new(),
        };
        tree.lay();
        tree
    }

    /// Returns a tree of another user than root; `None` if this process cannot become that user.
    fn of_other_user() -> Option<Self> {
        let wrapper = [
            "setpriv",
            "--reuid=12345",
            "--regid=12345",
            "--clear-groups",
        ];
        let works = Command::new(wrapper[0])
            .args(&wrapper[1..])
            .arg("true")
            .status();
        if !works.is_ok_and(|status| status.success()) {
            return None;
        }
        let mut tree = Self::new();
        // The program that cargo built can be in a directory of root.
        fs::copy(program(), tree.directory.path().join("wpatch")).unwrap();
        for entry in walkdir::WalkDir::new(tree.directory.path()) {
            chown(entry.unwrap().path(), Some(USER), Some(USER)).unwrap();
        }
        tree.wrapper = wrapper.map(str::to_owned).to_vec();
        Some(tree)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn lay(&self) {
        fs::write(self.path("d/f"), "one\n").unwrap();
        fs::write(self.path("d/stays"), "stays\n").unwrap();
        self.set_mode("d/f", 0o644);
    }

    /// Returns the tree without the git directory, in which the state is.
    fn files(&self) -> scene::Tree {
        let mut files = scene::tree(&self.root);
        files.retain(|path, _| !path.starts_with(".git"));
        files
    }

    fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), PermissionsExt::from_mode(mode)).unwrap();
    }

    fn says(&self, command: &[&str], patch: &str) -> Value {
        let file = self.directory.path().join("patch");
        fs::write(&file, patch).unwrap();
        // Another test can change the umask of this process for a moment.
        fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
        let own = self.directory.path().join("wpatch");
        let program = if own.exists() { own } else { program().into() };
        let mut words = self.wrapper.clone();
        words.push(program.display().to_string());
        words.extend(command.iter().map(ToString::to_string));
        words.extend(["--json".to_owned(), file.display().to_string()]);
        let output = Command::new(&words[0])
            .args(&words[1..])
            .current_dir(&self.root)
            .env("HOME", self.directory.path())
            .env("XDG_CONFIG_HOME", self.directory.path().join("config"))
            .env_remove("XDG_STATE_HOME")
            .output()
            .unwrap();
        let report = serde_json::from_slice(&output.stdout);
        report.unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// Asserts that check and apply refuse `patch` with the same one problem, and change nothing.
    fn refuses(&self, options: &[&str], patch: &str, message: &str, help: &str) {
        let before = self.files();
        let [checked, applied] = ["check", "apply"].map(|command| {
            let report = self.says(&[&[command], options].concat(), patch);
            assert_eq!(report["exit_code"], 4, "{command} {report:#}");
            report["problems"].clone()
        });
        assert_eq!(checked, applied, "{patch}");
        let problem = &checked[0];
        assert_eq!(
            [&problem["code"], &problem["message"], &problem["help"]],
            ["wpatch::io", message, help],
            "{checked:#}"
        );
        assert_eq!(checked.as_array().unwrap().len(), 1, "{checked:#}");
        assert!(self.files() == before, "{patch}");
    }

    /// Asserts that check and apply accept `patch`.
    fn accepts(&self, options: &[&str], patch: &str) {
        for command in ["check", "apply"] {
            let report = self.says(&[&[command], options].concat(), patch);
            assert_eq!(report["exit_code"], 0, "{command} {report:#}");
        }
    }
}

/// Sets a flag of chattr(1), and clears it in the end.
#[cfg(not(wpatch_plain_unix))]
struct Flag(PathBuf, &'static str);

#[cfg(not(wpatch_plain_unix))]
impl Flag {
    fn new(path: PathBuf, letter: &'static str) -> Self {
        must("chattr", &[&format!("+{letter}"), path.to_str().unwrap()]);
        Self(path, letter)
    }
}

#[cfg(not(wpatch_plain_unix))]
impl Drop for Flag {
    fn drop(&mut self) {
        must(
            "chattr",
            &[&format!("-{}", self.1), self.0.to_str().unwrap()],
        );
    }
}

/// Only root can set these flags.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn a_protected_file_is_refused_with_the_command_that_removes_the_protection() {
    let tree = Tree::new();
    for (letter, protection) in [("i", "immutable"), ("a", "append-only")] {
        let _flag = Flag::new(tree.path("d/f"), letter);
        for patch in [MODIFY, DELETE, MODE, MOVE] {
            tree.refuses(
                &[],
                patch,
                &format!("cannot change the file: the file is {protection}"),
                &format!("run `chattr -{letter}` on the file"),
            );
        }
        let both = [MODIFY, CREATE].concat();
        let report = tree.says(&["check"], &both);
        let states = [0, 1].map(|file| report["files"][file]["status"].clone());
        assert_eq!(states, ["io", "ok"], "{report:#}");
        tree.accepts(&[], CREATE);
        fs::remove_dir_all(tree.path("d/n")).unwrap();
    }
}

/// Only root can set these flags.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn a_protected_directory_is_refused_unless_the_change_is_permitted() {
    let tree = Tree::new();
    let message = |protection| format!("cannot change the file: the directory d is {protection}");
    {
        let _flag = Flag::new(tree.path("d"), "i");
        for patch in [MODIFY, DELETE, CREATE, MOVE] {
            let help = "run `chattr -i` on the directory";
            tree.refuses(&[], patch, &message("immutable"), help);
        }
        tree.accepts(&[], MODE);
    }
    tree.lay();
    let _flag = Flag::new(tree.path("d"), "a");
    for patch in [MODIFY, DELETE, MOVE] {
        let help = "run `chattr -a` on the directory";
        tree.refuses(&[], patch, &message("append-only"), help);
    }
    tree.accepts(&[], CREATE);
    tree.accepts(&[], MODE);
}

#[test]
fn a_change_that_the_permissions_of_a_directory_forbid_is_refused() {
    let Some(tree) = Tree::of_other_user() else {
        return;
    };
    tree.set_mode("d", 0o555);
    let message = "cannot change the file: the directory d is not writable (Permission denied)";
    for patch in [MODIFY, DELETE, CREATE, MOVE] {
        let help = "make this directory writable for the current user";
        tree.refuses(&[], patch, message, help);
    }
    tree.accepts(&[], MODE);
    // The user can write to this directory but not list it, so it stays even if it becomes empty.
    // Without `O_PATH`, such a directory cannot be used.
    if cfg!(not(wpatch_plain_unix)) {
        tree.set_mode("d", 0o333);
        for patch in [DELETE, MOVE] {
            tree.accepts(&[], patch);
            tree.lay();
        }
        fs::remove_file(tree.path("g")).unwrap();
    }
    tree.set_mode("d", 0o755);
    // Only the directory of a file that is replaced must be writable.
    tree.set_mode("d/f", 0o444);
    tree.accepts(&[], MODIFY);
    tree.set_mode("d", 0o755);
    tree.set_mode(".git/wpatch", 0o555);
    tree.refuses(
        &[],
        CREATE,
        "cannot change the file: the directory .git/wpatch is not writable (Permission denied)",
        "make this directory writable for the current user; wpatch stores an unfinished change in .git/wpatch",
    );
}

#[test]
fn a_state_directory_that_cannot_be_created_is_refused() {
    let Some(tree) = Tree::of_other_user() else {
        return;
    };
    let message =
        |name| format!("cannot change the file: {name} is not writable (Permission denied)");
    let help = "make this directory writable for the current user";
    tree.set_mode(".git", 0o555);
    tree.refuses(&[], MODIFY, &message("the directory .git"), help);
    tree.set_mode(".git", 0o755);
    fs::remove_dir_all(tree.path(".git")).unwrap();
    tree.set_mode(".", 0o555);
    tree.refuses(&[], MODIFY, &message("the root directory"), help);
    tree.set_mode(".", 0o755);
    tree.accepts(&[], MODIFY);
}

#[test]
fn the_file_of_another_user_is_refused_where_only_its_owner_can_change_it() {
    let Some(tree) = Tree::of_other_user() else {
        return;
    };
    let owner = |name: &str, user: u32| chown(tree.path(name), Some(user), Some(user)).unwrap();
    owner("d/f", 0);
    tree.refuses(
        &[],
        MODE,
        "cannot change the file: the file belongs to another user (uid 0), so its mode cannot be changed",
        "run the command as that user",
    );
    // The sticky bit has no effect on the owner of the directory.
    tree.set_mode("d", 0o1777);
    tree.accepts(&[], MODIFY);
    tree.lay();
    owner("d/f", 0);
    owner("d", 0);
    for patch in [MODIFY, DELETE, MOVE] {
        let message = "cannot change the file: the directory d has the sticky bit, and the file belongs to another \
                       user (uid 0)";
        let help = "run the command as that user or as the owner of the directory";
        tree.refuses(&[], patch, message, help);
    }
    tree.accepts(&[], CREATE);
    owner("d/f", USER);
    tree.accepts(&[], MODIFY);
}

#[test]
fn a_file_that_is_overwritten_in_place_must_be_writable_itself() {
    let Some(tree) = Tree::of_other_user() else {
        return;
    };
    fs::hard_link(tree.path("d/f"), tree.path("other")).unwrap();
    tree.set_mode("d/f", 0o444);
    tree.refuses(
        &["--in-place"],
        MODIFY,
        "cannot overwrite the file: the file is not writable",
        "make the file writable for the current user",
    );
    tree.set_mode("d/f", 0o644);
    tree.set_mode("d", 0o555);
    tree.accepts(&["--in-place"], MODIFY);
    assert_eq!(fs::read(tree.path("other")).unwrap(), b"two\n");
    assert_eq!(fs::metadata(tree.path("other")).unwrap().nlink(), 2);

    // The user may write to the file of another user, but not change its mode.
    tree.lay();
    tree.set_mode("d/f", 0o666);
    chown(tree.path("d/f"), Some(0), Some(0)).unwrap();
    let both = format!("{MODE}{}", MODIFY.replace("two", "three"));
    tree.refuses(
        &["--in-place"],
        &both,
        "cannot change the file: the file belongs to another user (uid 0), so its mode cannot be changed",
        "run the command as that user",
    );
    tree.accepts(&["--in-place"], MODIFY);
    assert_eq!(fs::metadata(tree.path("other")).unwrap().nlink(), 2);
}

/// Asserts that a check refuses the patch at `patch` with an I/O error, as apply does.
pub(super) fn check_refuses(wrapper: &[&str], root: &Path, patch: &Path) {
    let (code, report) = reported(wrapper, "check", root, patch);
    assert_eq!(
        (code, &report["error"]["code"]),
        (4, &"wpatch::io".into()),
        "{report:#}"
    );
    assert_eq!(report["changed"], false, "{report:#}");
}
