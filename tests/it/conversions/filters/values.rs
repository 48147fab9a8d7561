//! The last value of each variable of a driver is valid, as in git.
#![cfg(unix)]

use fs_err as fs;

use super::Scene;
use crate::index::tree::asked;

const PATCH: &str = "diff --git a/a.u b/a.u\n--- a/a.u\n+++ b/a.u\n@@ -1 +1,2 @@\n one\n+two\n";
const USER: &str = "[filter \"up\"]\n\tclean = tr A-Z a-z\n\tsmudge = tr a-z A-Z\n";
const REQUIRED: &str =
    "[filter \"up\"]\n\tclean = tr A-Z a-z\n\tsmudge = tr a-z A-Z\n\trequired = true\n";
const SMUDGE: &str = "[filter \"up\"]\n\tsmudge = tr a-z A-Z\n";
const OFF: &[&str] = &["process", ""];

/// The variables of a driver, and what a patch makes of a file that has it.
struct Case {
    /// The configuration of the user.
    user: &'static str,
    /// Variables in the configuration of the repository, each with its value.
    repository: &'static [&'static str],
    /// A variable in the environment with its value, or nothing.
    environment: &'static [&'static str],
    /// The new content; empty if the patch is refused.
    expected: &'static str,
}

const fn case(
    user: &'static str,
    repository: &'static [&'static str],
    environment: &'static [&'static str],
    expected: &'static str,
) -> Case {
    Case {
        user,
        repository,
        environment,
        expected,
    }
}

const CASES: [Case; 11] = [
    case(USER, &["clean", ""], &[], "ONE\nTWO\n"),
    case(USER, &["smudge", ""], &[], "one\ntwo\n"),
    case(USER, &["clean", "", "smudge", ""], &[], "one\ntwo\n"),
    case(USER, OFF, &[], "one\ntwo\n"),
    case(REQUIRED, OFF, &[], ""),
    case(REQUIRED, &["clean", ""], &[], ""),
    case(
        REQUIRED,
        &["clean", "", "required", "false"],
        &[],
        "ONE\nTWO\n",
    ),
    case(SMUDGE, &["required", "true"], &[], ""),
    case("", &["required", "true"], &[], ""),
    case(
        USER,
        &["smudge", "evil"],
        &["smudge", "tr a-z A-Z"],
        "ONE\nTWO\n",
    ),
    case(USER, &["smudge", "evil"], &["smudge", ""], "one\ntwo\n"),
];

/// What a program leaves.
struct Ending {
    is_applied: bool,
    content: String,
    index: String,
    stderr: String,
}

impl Case {
    /// Returns a repository with the variables.
    fn scene(&self) -> Scene {
        let scene = Scene::new();
        fs::write(scene.directory.path().join("patch"), PATCH).unwrap();
        fs::write(scene.home().join(".gitconfig"), self.user).unwrap();
        for setting in self.repository.chunks(2) {
            let run = format!("touch '{}'; cat", scene.mark().display());
            let value = if setting[1] == "evil" {
                &run
            } else {
                setting[1]
            };
            scene.git(&["config", &format!("filter.up.{}", setting[0]), value]);
        }
        scene
    }

    /// Applies the patch with `program`.
    fn apply(&self, program: &str, options: &[&str]) -> Ending {
        let scene = self.scene();
        let mut command = scene.command(program, ".");
        if let [variable, value] = self.environment {
            command
                .env("GIT_CONFIG_COUNT", "1")
                .env("GIT_CONFIG_VALUE_0", value);
            command.env("GIT_CONFIG_KEY_0", format!("filter.up.{variable}"));
        }
        let output = command
            .arg("apply")
            .args(options)
            .arg("../patch")
            .output()
            .unwrap();
        assert!(!scene.mark().exists(), "{:?} {options:?}", self.repository);
        Ending {
            is_applied: output.status.success(),
            content: fs::read_to_string(scene.root().join("a.u")).unwrap(),
            index: asked(&scene.root(), &["ls-files", "-s"]),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

#[test]
fn the_last_value_of_each_variable_of_a_driver_counts_as_in_git() {
    for (number, case) in CASES.iter().enumerate() {
        let is_applied = !case.expected.is_empty();
        // With --index, git cleans a file only if the second of its last change is that of the
        // index.
        let ways: &[&[&str]] = if is_applied {
            &[&[], &["--index"]]
        } else {
            &[&[]]
        };
        for &options in ways {
            let [by_git, ours] =
                ["git", env!("CARGO_BIN_EXE_wpatch")].map(|program| case.apply(program, options));
            assert_eq!(
                by_git.is_applied, is_applied,
                "{number} {options:?} {}",
                by_git.stderr
            );
            assert_eq!(
                (ours.is_applied, &ours.content, &ours.index),
                (by_git.is_applied, &by_git.content, &by_git.index),
                "{number} {options:?} {}",
                ours.stderr
            );
            let expected = if is_applied { case.expected } else { "one\n" };
            assert_eq!(ours.content, expected, "{number} {options:?}");
        }
    }
}
