//! What git cannot tell never decides the bytes, and every interface converts files in the same
//! way.
#![cfg(unix)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mcp;
use crate::repository::git;
use crate::world;

const CODE: &str = "wpatch::git::conversion";
const CREATE: &str =
    "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n";
const MODIFY: &str = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+2\n";

/// A repository, the home of its user, and the only directory of the search path.
struct Scene(TempDir);

impl Scene {
    /// Makes a repository whose file `x` has this content, with these attributes.
    fn new(attributes: &str, content: &str) -> Self {
        let scene = Self(TempDir::new().unwrap());
        for directory in ["root", "home", "bin"] {
            fs::create_dir(scene.path(directory)).unwrap();
        }
        scene.git(&["init", "-q"]);
        if !attributes.is_empty() {
            fs::write(scene.path("root/.gitattributes"), attributes).unwrap();
        }
        fs::write(scene.path("root/x"), content).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn git(&self, arguments: &[&str]) {
        assert!(
            git(arguments)
                .current_dir(self.path("root"))
                .output()
                .unwrap()
                .status
                .success(),
            "{arguments:?}"
        );
    }

    /// Makes a program of this name that runs `script`, and all other commands of the real git.
    fn program(&self, name: &str, script: &str) {
        let path = std::env::var_os("PATH").unwrap();
        let real = std::env::split_paths(&path)
            .map(|directory| directory.join("git"))
            .find(|file| file.exists());
        let real = real.unwrap();
        let file = self.path("bin").join(name);
        fs::write(
            &file,
            format!("#!/bin/sh\n{script}\nexec {} \"$@\"\n", real.display()),
        )
        .unwrap();
        world::set_mode(&file, 0o755);
    }

    fn command(&self, directory: &str, has_git: bool) -> Command {
        let mut command = world::wpatch();
        command
            .current_dir(self.path(directory))
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .env_remove("GIT_CONFIG_GLOBAL");
        if !has_git {
            command.env("PATH", self.path("bin"));
        }
        command
    }

    /// Passes `patch` to one of [`INTERFACES`], and returns its document and its exit code.
    fn through(&self, interface: &str, has_git: bool, patch: &str) -> (Value, i32) {
        let json = |output: &Output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{interface} {error}: {text} {output:?}"))
        };
        let mut command = self.command("root", has_git);
        let is_tool = interface.ends_with("_patch");
        let (arguments, input) = match interface {
            "batch" => (
                vec!["check", "--batch", "--json"],
                json!({"id": 1, "patch": patch}).to_string() + "\n",
            ),
            name if is_tool => {
                let session = mcp::session(&[(name, json!({"patch": patch}))]);
                (vec!["mcp"], session)
            }
            "document" => (vec!["apply", "--json"], json!({"patch": patch}).to_string()),
            name => (vec![name, "--json"], patch.to_owned()),
        };
        command.args(arguments);
        let output = start(command, &input).wait_with_output().unwrap();
        if is_tool {
            // The result of a tool has no exit code.
            let result = mcp::results(&output, 1)[0].take();
            let code = if result["isError"] == true { 4 } else { 0 };
            return (json!({"error": mcp::problem(&result)}), code);
        }
        let document: Value = json(&output);
        let document = if interface == "batch" {
            document["report"].clone()
        } else {
            document
        };
        let code = document["exit_code"]
            .as_i64()
            .unwrap_or_else(|| panic!("{interface} {output:?}"));
        (document, i32::try_from(code).unwrap())
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path("root").join(name)).ok()
    }
}

/// Starts `command` with this input.
fn start(mut command: Command, input: &str) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child
}

/// Prepares a scene.
type Prepare<'p> = &'p dyn Fn(&Scene);

/// The ways to pass a patch, and whether they change the tree.
const INTERFACES: [(&str, bool); 6] = [
    ("apply", true),
    ("document", true),
    ("check", false),
    ("batch", false),
    ("apply_patch", true),
    ("check_patch", false),
];

#[test]
fn every_interface_converts_as_git_apply_does() {
    for (interface, changes) in INTERFACES {
        let scene = Scene::new("* text eol=crlf\n", "one\r\n");
        let (report, code) = scene.through(interface, true, &[MODIFY, CREATE].concat());
        assert_eq!(code, 0, "{interface} {report:#}");
        if changes {
            let found = ["x", "n"].map(|name| scene.read(name));
            assert_eq!(
                found,
                ["2\r\n", "n\r\n"].map(|text| Some(text.to_owned())),
                "{interface}"
            );
        }
    }
}

#[test]
fn a_file_whose_conversion_git_cannot_tell_is_refused() {
    let failing =
        "case \"$*\" in *check-attr*) echo 'fatal: no attributes today' >&2; exit 128;; esac";
    for (script, reason) in [
        (failing, "no attributes today"),
        ("", "git cannot be started"),
    ] {
        for (interface, _) in INTERFACES {
            for (patch, content, path) in [
                (CREATE, "one\n", "n"),
                (MODIFY, "one\n", "x"),
                (MODIFY, "one\r\n", "x"),
            ] {
                let scene = Scene::new("* text eol=crlf\n", content);
                if !script.is_empty() {
                    scene.program("git", script);
                }
                let (report, code) = scene.through(interface, false, patch);
                let error = &report["error"];
                assert_eq!(
                    (code, &error["code"], &error["path"]),
                    (4, &CODE.into(), &path.into()),
                    "{report:#}"
                );
                assert!(
                    error["message"].as_str().unwrap().contains(reason),
                    "{report:#}"
                );
                assert_eq!(
                    (scene.read("x").as_deref(), scene.read("n")),
                    (Some(content), None)
                );
            }
        }
    }
}

#[test]
fn files_are_changed_without_git_where_git_need_not_read_attributes() {
    let linked = |scene: &Scene| {
        scene.git(&["add", "-A"]);
        scene.git(&["commit", "-q", "-m", "files"]);
        scene.git(&["worktree", "add", "-q", "../linked"]);
    };
    let dangling = |scene: &Scene| {
        linked(scene);
        fs::remove_dir_all(scene.path("root/.git")).unwrap();
    };
    let bare = |scene: &Scene| fs::remove_dir_all(scene.path("root/.git")).unwrap();
    // For git, a directory without `HEAD` is no repository.
    let headless = |scene: &Scene| fs::remove_file(scene.path("root/.git/HEAD")).unwrap();
    let none = |_: &Scene| {};
    let convert = |scene: &Scene| {
        fs::write(scene.path("home/.gitconfig"), "[core]\n\tautocrlf = true\n").unwrap();
    };
    let shared = |scene: &Scene| {
        linked(scene);
        scene.git(&["config", "core.autocrlf", "true"]);
    };
    // wpatch reads the variables itself, and git reads the attributes.
    let included = |scene: &Scene| {
        convert(scene);
        scene.git(&["config", "include.path", "x"]);
    };
    let cases: [(&str, &str, Prepare<'_>, Option<&str>); 11] = [
        ("root", "", &none, Some("2\n")),
        ("root", "* text=auto\n*.sh eol=lf\n", &none, Some("2\n")),
        ("root", "", &bare, Some("2\n")),
        ("linked", "", &linked, Some("2\n")),
        ("linked", "", &dangling, Some("2\n")),
        ("root", "* text eol=crlf\n", &bare, Some("2\n")),
        ("root", "* text eol=crlf\n", &headless, Some("2\n")),
        ("root", "", &convert, Some("2\r\n")),
        ("linked", "", &shared, Some("2\r\n")),
        ("linked", "* eol=crlf\n", &linked, None),
        ("root", "", &included, None),
    ];
    apply_without_git(&cases);
}

#[test]
fn only_variables_count_without_git() {
    let subsection = |scene: &Scene| scene.git(&["config", "core.x.autocrlf", "true"]);
    // Words in values are no variables.
    let address = |scene: &Scene| {
        let url = "https://example.com/syntax-tree-include-whitespace-filter-autocrlf";
        scene.git(&["config", "remote.origin.url", url]);
        scene.git(&["config", "color.diff.whitespace", "red"]);
    };
    let of_submodule = |scene: &Scene| scene.git(&["config", "core.worktree", ".."]);
    let private = |scene: &Scene| {
        scene.git(&["config", "extensions.worktreeConfig", "true"]);
        scene.git(&["config", "--worktree", "core.autocrlf", "0x1"]);
    };
    let unused = |scene: &Scene| {
        private(scene);
        scene.git(&["config", "extensions.worktreeConfig", "false"]);
    };
    apply_without_git(&[
        ("root", "", &subsection, Some("2\n")),
        ("root", "", &address, Some("2\n")),
        ("root", "", &of_submodule, Some("2\n")),
        ("root", "", &private, Some("2\r\n")),
        ("root", "", &unused, Some("2\n")),
    ]);
}

/// Applies patches without git. Each case has the root, the attributes, the preparation, and the
/// new content, or `None` if the change is refused.
fn apply_without_git(cases: &[(&str, &str, Prepare<'_>, Option<&str>)]) {
    for (number, (directory, attributes, prepare, expected)) in cases.iter().enumerate() {
        let scene = Scene::new(attributes, "one\n");
        prepare(&scene);
        let before = fs::read_to_string(scene.path(directory).join("x")).unwrap();
        let mut command = scene.command(directory, false);
        command.args(["apply", "-"]);
        let output = start(command, &[MODIFY, CREATE].concat())
            .wait_with_output()
            .unwrap();
        let code = if expected.is_some() { 0 } else { 4 };
        assert_eq!(output.status.code(), Some(code), "{number} {output:?}");
        let content = fs::read_to_string(scene.path(directory).join("x")).unwrap();
        assert_eq!(content, expected.unwrap_or(&before), "{number}");
    }
}

#[test]
fn a_configuration_that_git_rejects_or_ignores_stops_the_change() {
    let invalid: Prepare<'_> = &|scene| scene.git(&["config", "core.autocrlf", "junk"]);
    // git reads every value, not only the last one.
    let overridden: Prepare<'_> = &|scene| {
        scene.git(&["config", "core.autocrlf", "junk"]);
        scene.git(&["config", "--add", "core.autocrlf", "false"]);
    };
    // git ignores the configuration of a repository that belongs to another user.
    let untrusted: Prepare<'_> = &|scene| {
        scene.git(&["config", "core.autocrlf", "true"]);
        let chown = Command::new("chown")
            .args(["-R", "1000:1000"])
            .arg(scene.path("root"))
            .status();
        assert!(chown.unwrap().success());
    };
    for (prepare, reason) in [
        (
            invalid,
            "bad boolean config value 'junk' for 'core.autocrlf'",
        ),
        (
            overridden,
            "bad boolean config value 'junk' for 'core.autocrlf'",
        ),
        (untrusted, "safe.directory"),
    ] {
        let scene = Scene::new("", "one\n");
        prepare(&scene);
        for command in ["check", "apply"] {
            let (report, code) = scene.through(command, true, MODIFY);
            assert_eq!(code, 4, "{report:#}");
            let message = report["error"]["message"].as_str().unwrap();
            assert!(message.contains(reason), "{report:#}");
            assert_eq!(scene.read("x").as_deref(), Some("one\n"));
        }
    }
}

#[test]
fn a_boolean_that_git_rejects_stops_a_change_of_links() {
    let scene = Scene::new("", "one\n");
    scene.git(&["config", "core.symlinks", "junk"]);
    let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n\
                +x\n\\ No newline at end of file\n";
    let (report, code) = scene.through("apply", true, link);
    assert_eq!(code, 4, "{report:#}");
    let message = report["error"]["message"].as_str().unwrap();
    let reason = "bad boolean config value 'junk' for 'core.symlinks'";
    assert!(message.contains(reason), "{report:#}");
    assert_eq!(scene.read("l"), None);
}

#[test]
fn a_signal_ends_the_wait_for_git_and_changes_nothing() {
    use rustix::process::{Pid, Signal, kill_process};

    let asked = "echo > \"${0%/*}/../begun\"; exec /bin/cat \"${0%/*}/../never\"";
    for place in ["check-attr", "config", "clean"] {
        let scene = Scene::new("* text eol=crlf filter=up\n", "one\n");
        for name in ["begun", "never"] {
            assert!(
                Command::new("mkfifo")
                    .arg(scene.path(name))
                    .status()
                    .unwrap()
                    .success()
            );
        }
        scene.program("git", &format!("case \"$*\" in *{place}*) {asked};; esac"));
        scene.program("slow", asked);
        let config = format!(
            "[filter \"up\"]\n\tclean = {}\n",
            scene.path("bin/slow").display()
        );
        fs::write(scene.path("home/.gitconfig"), config).unwrap();
        let mut command = scene.command("root", false);
        command.arg("apply");
        let child = start(command, MODIFY);
        // It returns when the program runs.
        fs::read(scene.path("begun")).unwrap();
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(143), "{place} {output:?}");
        assert_eq!(scene.read("x").as_deref(), Some("one\n"));
        assert!(Path::exists(&scene.path("never")));
    }
}
