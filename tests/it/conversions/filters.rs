//! Filter drivers run only if the user's own configuration or an option allows it; nothing else of
//! a repository runs.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use super::files;
use crate::index::tree::asked;
use crate::repository::git;

mod failing;
mod programs;
mod values;

const PATCH: &str = "diff --git a/a.u b/a.u\n--- a/a.u\n+++ b/a.u\n@@ -1 +1 @@\n-one\n+2\n";
const OTHER: &str = "diff --git a/plain b/plain\n--- a/plain\n+++ b/plain\n@@ -1 +1 @@\n-one\n+2\n";
/// The commands that convert files of the work tree.
const CONVERTING: [&[&str]; 5] = [
    &["apply"],
    &["check"],
    &["apply", "--index"],
    &["apply", "--intent-to-add"],
    &["apply", "--3way"],
];

/// A repository, and the home of its user.
struct Scene {
    directory: TempDir,
}

impl Scene {
    /// Makes a repository with files that have the filter `up`, which nothing defines yet.
    fn new() -> Self {
        let scene = Self {
            directory: TempDir::new().unwrap(),
        };
        fs::create_dir_all(scene.root().join("sub")).unwrap();
        fs::create_dir_all(scene.home()).unwrap();
        scene.git(&["init", "-q"]);
        fs::write(scene.root().join(".gitattributes"), "*.u filter=up\n").unwrap();
        for name in ["a.u", "b.u", "plain", "sub/a.u"] {
            fs::write(scene.root().join(name), "one\n").unwrap();
        }
        scene.git(&["add", "-A"]);
        scene.git(&["commit", "-q", "-m", "files"]);
        for (name, patch) in [("patch", PATCH), ("other", OTHER)] {
            fs::write(scene.directory.path().join(name), patch).unwrap();
        }
        scene
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// Returns the file that a program creates which must not run.
    fn mark(&self) -> PathBuf {
        self.directory.path().join("ran")
    }

    fn git(&self, arguments: &[&str]) {
        assert!(
            git(arguments)
                .current_dir(self.root())
                .output()
                .unwrap()
                .status
                .success(),
            "{arguments:?}"
        );
    }

    /// Returns `program` as the user runs it.
    fn command(&self, program: &str, directory: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.root().join(directory))
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .env_remove("GIT_CONFIG_GLOBAL");
        command
    }

    fn wpatch(&self, arguments: &[&str], patch: &str) -> (Output, Value) {
        let mut command = self.command(env!("CARGO_BIN_EXE_wpatch"), ".");
        let output = command
            .args(arguments)
            .arg("--json")
            .arg(self.directory.path().join(patch))
            .output()
            .unwrap();
        let report = serde_json::from_slice(&output.stdout).unwrap();
        (output, report)
    }

    /// Changes the times of a file, so that git reads it again.
    fn touch(&self, name: &str) {
        let file = self.root().join(name);
        let content = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        fs::write(&file, content).unwrap();
    }
}

/// Returns the settings of a driver all of whose commands leave the mark.
fn settings(mark: &Path) -> Vec<(String, String)> {
    let run = format!("touch '{}'; cat", mark.display());
    ["clean", "smudge", "process"]
        .map(|command| (format!("filter.up.{command}"), run.clone()))
        .to_vec()
}

/// A way to define a driver in a repository, with its name.
type Definition = (&'static str, fn(&Scene));

/// The ways to define a driver in a repository.
fn definitions() -> [Definition; 4] {
    fn set(scene: &Scene, option: &[&str]) {
        for (key, value) in settings(&scene.mark()) {
            scene.git(&[&["config"], option, &[&key, &value]].concat());
        }
    }
    [
        ("config", |scene| set(scene, &[])),
        ("config.worktree", |scene| {
            scene.git(&["config", "extensions.worktreeConfig", "true"]);
            set(scene, &["--worktree"]);
        }),
        ("an included file", |scene| {
            set(scene, &["--file", "drivers"]);
            scene.git(&["config", "include.path", "../drivers"]);
        }),
        ("another command for a driver of the user", |scene| {
            fs::write(
                scene.home().join(".gitconfig"),
                "[filter \"up\"]\n\tclean = cat\n\tsmudge = cat\n",
            )
            .unwrap();
            scene.git(&["config", "filter.up.smudge", &settings(&scene.mark())[0].1]);
        }),
    ]
}

#[test]
fn a_driver_of_the_repository_does_not_run_and_its_files_are_refused() {
    for (place, define) in definitions() {
        for command in CONVERTING {
            let scene = Scene::new();
            define(&scene);
            for name in ["a.u", "b.u"] {
                scene.touch(name);
            }
            let before = files(&scene.root());
            let (output, report) = scene.wpatch(command, "patch");
            assert_eq!(
                output.status.code(),
                Some(3),
                "{place} {command:?} {report:#}"
            );
            let error = &report["error"];
            let text = format!("{} {}", error["message"], error["help"]);
            assert_eq!(error["code"], "wpatch::git::filter", "{place} {command:?}");
            let has = |word: &str| text.contains(word);
            assert!(
                has("`up`") && has(".gitattributes") && has("--allow-filter up"),
                "{text}"
            );
            assert_eq!(files(&scene.root()), before);
            assert!(!scene.mark().exists(), "{place} {command:?}");
        }
    }
}

#[test]
fn no_driver_runs_for_files_that_the_patch_does_not_name() {
    for (place, define) in definitions() {
        for command in [
            &["apply"][..],
            &["apply", "--index"],
            &["apply", "--cached"],
            &["apply", "-N"],
        ] {
            let scene = Scene::new();
            define(&scene);
            for name in ["a.u", "b.u"] {
                scene.touch(name);
            }
            // The index alone has no content of a work tree.
            let patch = if command.contains(&"--cached") {
                "patch"
            } else {
                "other"
            };
            let (output, report) = scene.wpatch(command, patch);
            assert!(output.status.success(), "{place} {command:?} {report:#}");
            let undone = scene
                .command(env!("CARGO_BIN_EXE_wpatch"), ".")
                .arg("undo")
                .output()
                .unwrap();
            assert!(undone.status.success(), "{place} {command:?} {undone:?}");
            assert!(!scene.mark().exists(), "{place} {command:?}");
        }
    }
}

#[test]
fn a_driver_that_is_allowed_runs_as_in_git() {
    let shout = [
        ("filter.up.clean", "printf x%f >&2; tr A-Z a-z"),
        ("filter.up.smudge", "tr a-z A-Z"),
    ];
    let patch = "diff --git a/a.u b/a.u\n--- a/a.u\n+++ b/a.u\n@@ -1 +1,2 @@\n one\n+two\n\
                 diff --git a/new.u b/new.u\nnew file mode 100644\n--- /dev/null\n+++ b/new.u\n@@ -0,0 +1 @@\n+new\n";
    for (is_of_user, options) in [
        (true, &[][..]),
        (true, &["--index"]),
        (false, &[]),
        (false, &["--index"]),
    ] {
        let found = ["git", env!("CARGO_BIN_EXE_wpatch")].map(|program| {
            let scene = Scene::new();
            fs::write(scene.directory.path().join("patch"), patch).unwrap();
            for (key, value) in shout {
                let global = scene.home().join(".gitconfig").display().to_string();
                let place: &[&str] = if is_of_user {
                    &["--file", &global]
                } else {
                    &[]
                };
                scene.git(&[&["config"], place, &[key, value]].concat());
            }
            fs::write(scene.root().join("a.u"), "ONE\n").unwrap();
            scene
                .command("git", ".")
                .args(["update-index", "-q", "--refresh"])
                .output()
                .unwrap();
            let mut command = scene.command(program, ".");
            command.arg("apply").args(options).arg("../patch");
            let is_ours = program != "git" && !is_of_user;
            let output = command
                .args(is_ours.then_some("--allow-filter=up"))
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{is_of_user} {options:?} {output:?}"
            );
            (
                files(&scene.root()),
                asked(&scene.root(), &["ls-files", "-s"]),
            )
        });
        assert_eq!(found[0], found[1]);
        assert_eq!(found[1].0[Path::new("a.u")].0, b"ONE\nTWO\n");
        assert_eq!(found[1].0[Path::new("new.u")].0, b"NEW\n");
    }
}

#[test]
fn a_driver_gets_the_name_below_the_top_of_the_work_tree() {
    let scene = Scene::new();
    let config = "[filter \"up\"]\n\tclean = cat\n\tsmudge = \"echo %f; cat\"\n";
    fs::write(scene.home().join(".gitconfig"), config).unwrap();
    let output = scene
        .command(env!("CARGO_BIN_EXE_wpatch"), "sub")
        .args(["apply", "../../patch"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        fs::read_to_string(scene.root().join("sub/a.u")).unwrap(),
        "sub/a.u\n2\n"
    );
}

#[test]
fn a_driver_name_that_is_not_utf_8_concerns_its_files_alone() {
    let attributes = b"a.u filter=\xff\nb.u eol=crlf\nplain filter=up\n";
    let settings = |mark: &Path, name: &[u8]| {
        let run = format!(
            "\tclean = \"touch '{0}'; cat\"\n\tsmudge = \"touch '{0}'; cat\"\n",
            mark.display()
        );
        [b"[filter \"", name, b"\"]\n", run.as_bytes()].concat()
    };
    let all = ["a.u", "b.u", "plain"]
        .map(|name| PATCH.replace("a.u", name))
        .concat();
    let some = ["a.u", "b.u"]
        .map(|name| PATCH.replace("a.u", name))
        .concat();
    for (defined, patch, denied) in [
        (&b"up"[..], all, Some("plain")),
        (b"up", some.clone(), None),
        (b"\xff", some, Some("a.u")),
    ] {
        let scene = Scene::new();
        fs::write(scene.root().join(".gitattributes"), attributes).unwrap();
        let config = [
            fs::read(scene.root().join(".git/config")).unwrap(),
            settings(&scene.mark(), defined),
        ]
        .concat();
        fs::write(scene.root().join(".git/config"), config).unwrap();
        fs::write(scene.directory.path().join("patch"), patch).unwrap();
        let (output, report) = scene.wpatch(&["apply"], "patch");
        assert!(!scene.mark().exists());
        let found = (output.status.code(), report["error"]["path"].as_str());
        assert_eq!(
            found,
            (Some(if denied.is_some() { 3 } else { 0 }), denied),
            "{report:#}"
        );
        if denied.is_none() {
            assert_eq!(
                fs::read_to_string(scene.root().join("b.u")).unwrap(),
                "2\r\n"
            );
        }
    }
}

#[test]
fn an_attribute_without_a_driver_converts_nothing() {
    for command in CONVERTING {
        let scene = Scene::new();
        let (output, report) = scene.wpatch(command, "patch");
        assert!(output.status.success(), "{command:?} {report:#}");
    }
}
