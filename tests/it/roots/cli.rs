//! The command line with several roots.

use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

/// Two directories with histories.
pub(super) struct Directories(TempDir);

impl Directories {
    pub(super) fn new() -> Self {
        let directories = Self(TempDir::new().unwrap());
        for name in ["api", "web"] {
            fs::create_dir(directories.path(name)).unwrap();
            fs::write(directories.path(name).join("f"), "old\n").unwrap();
            let init = directories.run(&["init", "-q", "--root", name]);
            assert!(init.status.success(), "{init:?}");
        }
        fs::write(directories.path("patch"), PATCH).unwrap();
        directories
    }

    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_wpatch"))
            .args(words)
            .current_dir(self.0.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env_remove("XDG_STATE_HOME")
            .output()
            .unwrap()
    }

    /// Runs the program with `--json`. Returns the exit code and the report.
    fn json(&self, words: &[&str]) -> (i32, Value) {
        let output = self.run(&[words, &["--json"]].concat());
        let report = serde_json::from_slice(&output.stdout);
        let report = report.unwrap_or_else(|error| panic!("{error}: {output:?}"));
        (output.status.code().unwrap(), report)
    }

    fn texts(&self) -> [String; 2] {
        ["api/f", "web/f"].map(|name| fs::read_to_string(self.path(name)).unwrap())
    }
}

const PATCH: &str = "--- a/api/f\n+++ b/api/f\n@@ -1 +1 @@\n-old\n+new\n\
                     --- a/web/f\n+++ b/web/f\n@@ -1 +1 @@\n-old\n+new\n";
const BOTH: [&str; 4] = ["--root", "api", "--root", "web"];

fn with<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [words, &BOTH].concat()
}

#[cfg(unix)]
#[test]
fn an_undo_in_a_copy_of_a_root_does_not_change_the_roots() {
    let directories = Directories::new();
    let applied = directories.run(&with(&["apply", "patch"]));
    assert!(applied.status.success(), "{applied:?}");
    let copied = Command::new("cp")
        .arg("-a")
        .args(["api", "copy"].map(|name| directories.path(name)))
        .status();
    assert!(copied.unwrap().success());
    for roots in [
        &["--root", "copy"][..],
        &["--root", "copy", "--root", "web"],
    ] {
        let (code, report) = directories.json(&[&["undo"], roots].concat());
        assert_eq!(code, 1, "{report}");
        let message = report["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("was made in other directories"),
            "{message}"
        );
    }
    assert_eq!(directories.texts(), ["new\n", "new\n"]);
}

#[test]
fn a_patch_of_two_roots_is_checked_approved_applied_and_undone() {
    let all = Directories::new();
    let (code, checked) = all.json(&with(&["check", "patch"]));
    assert_eq!(
        (code, &checked["summary"]["files"]),
        (0, &2.into()),
        "{checked}"
    );
    let real = |name: &str| {
        let path = fs::canonicalize(all.path(name)).unwrap();
        let path = path.to_str().unwrap();
        path.trim_start_matches(r"\\?\").to_owned()
    };
    assert_eq!(checked["roots"][0]["name"], "api");
    assert_eq!(checked["roots"][1]["path"], real("web"));
    assert_eq!(checked["files"][1]["path"], "web/f");
    let plan = checked["plan_id"].as_str().unwrap();
    let (code, applied) = all.json(&with(&["apply", "patch", "--approve", plan]));
    assert_eq!(code, 0, "{applied}");
    assert_eq!(all.texts(), ["new\n", "new\n"]);
    let log = all.run(&["log", "--root", "web"]);
    let text = String::from_utf8_lossy(&log.stdout);
    assert!(
        text.contains("root api: ") && text.contains("root web: "),
        "{text}"
    );
    let (code, undone) = all.json(&["undo", "--root", "web"]);
    assert_eq!(code, 0, "{undone}");
    assert_eq!(all.texts(), ["old\n", "old\n"]);
    let (code, redone) = all.json(&with(&["redo"]));
    assert_eq!(code, 0, "{redone}");
    assert_eq!(all.texts(), ["new\n", "new\n"]);
}

#[test]
fn a_refused_file_in_one_root_leaves_both_unchanged() {
    let all = Directories::new();
    fs::write(all.path("web/f"), "other\n").unwrap();
    let (code, report) = all.json(&with(&["apply", "patch"]));
    assert_eq!(code, 1, "{report}");
    assert_eq!(report["problems"][0]["path"], "web/f", "{report}");
    assert_eq!(all.texts(), ["old\n", "other\n"]);
}

#[test]
fn each_root_has_its_own_policy() {
    let all = Directories::new();
    let rule = "[[rule]]\nname = \"locked\"\npaths = [\"f\"]\nverdict = \"deny\"\n";
    fs::write(all.path("web/wpatch.toml"), rule).unwrap();
    let (code, report) = all.json(&with(&["apply", "patch"]));
    assert_eq!(code, 3, "{report}");
    assert_eq!(all.texts(), ["old\n", "old\n"]);
    let only = ["edit", "api/f", "--old", "old", "--new", "1"];
    assert_eq!(all.json(&with(&only)).0, 0);
    assert_eq!(all.texts(), ["1\n", "old\n"]);
}

#[test]
fn files_are_edited_read_and_listed_below_the_names_of_the_roots() {
    let all = Directories::new();
    let roots = ["--root", "x=api", "-d", "y=web"];
    let run = |words: &[&str]| all.run(&[words, &roots].concat());
    let read = run(&["read", "y/f"]);
    assert_eq!(read.stdout, b"old\n", "{read:?}");
    let listed = run(&["list", "--plain"]);
    let listed = if listed.status.success() {
        listed
    } else {
        run(&["list"])
    };
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(text.contains('x') && text.contains('y'), "{listed:?}");
    assert!(
        run(&["write", "x/new", "--content", "1\n"])
            .status
            .success()
    );
    assert_eq!(fs::read(all.path("api/new")).unwrap(), b"1\n");
    let one = all.run(&["read", "z/f", "--root", "z=web"]);
    assert_eq!(one.stdout, b"old\n", "{one:?}");
}

#[test]
fn roots_and_options_that_cannot_work_together_are_usage_errors() {
    let all = Directories::new();
    fs::create_dir_all(all.path("other/api")).unwrap();
    for (words, part) in [
        (
            vec!["apply", "patch", "-d", "api", "-d", "other/api"],
            "the same name: api",
        ),
        (
            vec!["apply", "patch", "-d", "a=other", "-d", "b=other/api"],
            "contains the root",
        ),
        (
            with(&["apply", "patch", "--index"]),
            "--index cannot be used with several roots",
        ),
        (
            with(&["apply", "patch", "--3way"]),
            "--3way cannot be used with several roots",
        ),
        (
            with(&["check", "patch", "--save"]),
            "--save cannot be used with several roots",
        ),
        (
            with(&["gc"]),
            "`wpatch gc` cannot be used with several roots",
        ),
        (
            with(&["begin"]),
            "`wpatch begin` cannot be used with several roots: an edit session has one root",
        ),
        (
            with(&["commit", "1"]),
            "`wpatch commit` cannot be used with several roots",
        ),
        (
            with(&["apply", "patch", "--in", "1"]),
            "--in cannot be used with several roots: an edit session has one root",
        ),
        (
            with(&["log", "--verify"]),
            "--verify cannot be used with several roots: each root has its own audit file",
        ),
        (
            vec!["run", "--json", "-d", "api", "-d", "web", "--", "true"],
            "`wpatch run` cannot be used with several roots: the overlay has one root",
        ),
        (
            with(&["reject", "1"]),
            "`wpatch reject` cannot be used with several roots",
        ),
    ] {
        let (code, report) = all.json(&words);
        let message = report["error"]["message"].as_str().unwrap_or_default();
        assert!(code == 2 && message.contains(part), "{words:?}: {report}");
    }
    assert_eq!(all.texts(), ["old\n", "old\n"]);
}

#[test]
fn a_directory_whose_name_contains_an_equals_sign_is_written_with_a_slash() {
    let all = Directories::new();
    fs::create_dir(all.path("a=b")).unwrap();
    fs::write(all.path("a=b/f"), "equals\n").unwrap();
    let read = all.run(&["read", "f", "--root", "./a=b"]);
    assert_eq!(read.stdout, b"equals\n", "{read:?}");
}

#[test]
fn two_roots_in_one_work_tree_share_one_transaction() {
    let all = Directories::new();
    let tree = all.path("tree");
    for name in [".git/objects", ".git/refs", "one", "two"] {
        fs::create_dir_all(tree.join(name)).unwrap();
    }
    fs::write(tree.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    for name in ["one/f", "two/f"] {
        fs::write(tree.join(name), "old\n").unwrap();
    }
    let patch = PATCH.replace("api", "one").replace("web", "two");
    fs::write(all.path("patch"), patch).unwrap();
    let roots = ["--root", "tree/one", "--root", "tree/two"];
    let (code, report) = all.json(&[&["apply", "patch"][..], &roots].concat());
    assert_eq!(code, 0, "{report}");
    let (code, log) = all.json(&["log", "--root", "tree"]);
    assert_eq!(code, 0);
    assert_eq!(log["entries"].as_array().unwrap().len(), 1, "{log}");
    assert_eq!(
        log["entries"][0]["files"].as_array().unwrap().len(),
        2,
        "{log}"
    );
    let (code, undone) = all.json(&[&["undo"][..], &roots].concat());
    assert_eq!(code, 0, "{undone}");
    for name in ["one/f", "two/f"] {
        assert_eq!(fs::read(tree.join(name)).unwrap(), b"old\n");
    }
}

#[test]
fn an_approval_of_one_change_is_refused_for_another() {
    let all = Directories::new();
    let (_, checked) = all.json(&with(&["check", "patch"]));
    let plan = checked["plan_id"].as_str().unwrap().to_owned();
    fs::write(all.path("web/f"), "old\nmore\n").unwrap();
    let (code, report) = all.json(&with(&["apply", "patch", "--approve", &plan]));
    assert_ne!(code, 0, "{report}");
    assert_eq!(fs::read_to_string(all.path("api/f")).unwrap(), "old\n");
}

#[test]
fn two_processes_with_the_roots_in_opposite_order_do_not_block_each_other() {
    let all = Directories::new();
    let add = |root: &str, number: usize| {
        format!("--- /dev/null\n+++ b/{root}/{number}\n@@ -0,0 +1 @@\n+{number}\n")
    };
    let count = 12;
    let children: Vec<_> = (0..count)
        .map(|number| {
            let name = format!("patch{number}");
            fs::write(all.path(&name), add("api", number) + &add("web", number)).unwrap();
            let roots = if number % 2 == 0 {
                ["api", "web"]
            } else {
                ["web", "api"]
            };
            Command::new(env!("CARGO_BIN_EXE_wpatch"))
                .args(["apply", "-q", &name, "--lock-timeout", "60s"])
                .args(["--root", roots[0], "--root", roots[1]])
                .current_dir(all.0.path())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let exists = |root: &str, number: usize| Path::exists(&all.path(root).join(number.to_string()));
    assert!((0..count).all(|number| exists("api", number) && exists("web", number)));
}

#[test]
fn a_command_of_a_running_change_cannot_change_one_of_its_roots() {
    let all = Directories::new();
    let program = env!("CARGO_BIN_EXE_wpatch");
    let verify = format!("{program} edit f --old new --new x --root web");
    let words = ["apply", "patch", "--verify", &verify];
    let (code, report) = all.json(&with(&words));
    assert_ne!(code, 0, "{report}");
    assert_eq!(all.texts(), ["old\n", "old\n"]);
}
