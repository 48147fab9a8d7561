//! The configuration and the attributes that set the rules for white space.

use std::process::Command;

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;
use wpatch::text::printable;

use super::{PATCH, applied};

#[cfg(unix)]
#[test]
fn the_configuration_and_the_attributes_of_the_repository_hold() {
    let (report, file) = applied(
        "[apply]\n\twhitespace = fix\n",
        "",
        "one\ntwo\n",
        PATCH,
        &[],
    );
    assert_eq!(file, "one\n\tnew\ntwo\n");
    let line = &report["files"][0]["whitespace"];
    assert_eq!(
        (&line["action"], &line["corrected"]),
        (&"fix".into(), &1.into())
    );
    let told = (
        &line["lines"][0]["error"],
        &line["lines"][0]["corrected"],
        &line["lines"][0]["source"]["line_start"],
    );
    assert_eq!(
        told,
        (&"trailing whitespace".into(), &true.into(), &5.into())
    );
    let (report, file) = applied(
        "[core]\n\twhitespace = tab,-trailing\n",
        "",
        "one\ntwo\n",
        PATCH,
        &["--whitespace=fix"],
    );
    assert_eq!(
        (file.as_str(), &report["problems"][0]["severity"]),
        ("one\n        new \ntwo\n", &"warning".into())
    );
    let (report, file) = applied(
        "[apply]\n\twhitespace = error\n",
        "file -whitespace\n",
        "one\ntwo\n",
        PATCH,
        &[],
    );
    assert_eq!(
        (file.as_str(), &report["problems"]),
        ("one\n\tnew \ntwo\n", &Value::Array(Vec::new()))
    );
    let (report, file) = applied(
        "[apply]\n\twhitespace = error\n",
        "",
        "one\ntwo\n",
        PATCH,
        &[],
    );
    assert_eq!(
        (file.as_str(), &report["exit_code"]),
        ("one\ntwo\n", &3.into())
    );
}

#[cfg(unix)]
#[test]
fn white_space_that_the_configuration_ignores_is_ignored() {
    let (report, file) = applied(
        "[apply]\n\tignorewhitespace = change\n",
        "",
        "one\nt\n",
        "--- a/file\n+++ b/file\n@@ -1,2 +1,2 @@\n one \n-t\n+u\n",
        &[],
    );
    assert_eq!(
        (file.as_str(), &report["ok"]),
        ("one\nt\n", &false.into()),
        "blanks at the end of one line only differ"
    );
    let (_, file) = applied(
        "[apply]\n\tignorewhitespace = change\n",
        "",
        "a  b\nt\n",
        "--- a/file\n+++ b/file\n@@ -1,2 +1,2 @@\n a b\n-t\n+u\n",
        &[],
    );
    assert_eq!(file, "a  b\nu\n");
}

const NOTHING: (&str, &str) = ("GIT_CONFIG_GLOBAL", "/dev/null");

/// Variables of the environment, and whether the patch is applied: no configuration with errors is
/// in force.
const VARIABLES: &[(&[(&str, &str)], bool)] = &[
    (&[], false),
    (&[NOTHING], true),
    (&[("GIT_CONFIG_GLOBAL", "")], true),
    (&[("GIT_CONFIG_GLOBAL", "../named")], false),
    (&[NOTHING, ("GIT_CONFIG_SYSTEM", "../named")], false),
    (
        &[
            NOTHING,
            ("GIT_CONFIG_SYSTEM", "../named"),
            ("GIT_CONFIG_NOSYSTEM", "0"),
        ],
        false,
    ),
    (
        &[
            NOTHING,
            ("GIT_CONFIG_SYSTEM", "../named"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
        ],
        true,
    ),
];

#[cfg(unix)]
#[test]
fn variables_say_which_configuration_holds_as_for_git() {
    let directory = TempDir::new().unwrap();
    let home = directory.path();
    for name in [".gitconfig", "named"] {
        fs::write(home.join(name), "[apply]\n\twhitespace = error\n").unwrap();
    }
    for (number, (variables, fits)) in VARIABLES.iter().enumerate() {
        for program in ["git", env!("CARGO_BIN_EXE_wpatch")] {
            let root = home.join(format!("{number}{}", program == "git"));
            fs::create_dir(&root).unwrap();
            fs::write(root.join("file"), "one\ntwo\n").unwrap();
            fs::write(root.join("patch"), PATCH).unwrap();
            let mut command = Command::new(program);
            for name in [
                "GIT_CONFIG_GLOBAL",
                "GIT_CONFIG_SYSTEM",
                "GIT_CONFIG_NOSYSTEM",
            ] {
                command.env_remove(name);
            }
            command
                .env("HOME", home)
                .env_remove("XDG_CONFIG_HOME")
                .envs(variables.iter().copied());
            let output = command
                .args(["apply", "patch"])
                .current_dir(&root)
                .output()
                .unwrap();
            assert_eq!(
                output.status.success(),
                *fits,
                "{program} {variables:?} {}",
                printable(&output.stderr)
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_configuration_that_means_nothing_is_refused() {
    for (config, words) in [
        (
            "[apply]\n\twhitespace = sometimes\n",
            "unrecognized whitespace option 'sometimes'",
        ),
        (
            "[apply]\n\tignorewhitespace = some\n",
            "unrecognized whitespace ignore option 'some'",
        ),
        (
            "[core]\n\twhitespace = tab,indent\n",
            "cannot enforce both tab-in-indent and indent-with-non-tab",
        ),
    ] {
        let (report, file) = applied(config, "", "one\ntwo\n", PATCH, &[]);
        assert_eq!(
            (&report["problems"][0]["message"], &report["exit_code"]),
            (&words.into(), &2.into())
        );
        assert_eq!(file, "one\ntwo\n");
    }
}

#[cfg(unix)]
#[test]
fn a_configuration_that_git_cannot_read_is_refused_unless_the_command_line_decides() {
    let config = "[apply\n\twhitespace = error\n";
    for options in [&[][..], &["--whitespace=fix"], &["--whitespace=error"]] {
        let (report, file) = applied(config, "", "one\ntwo\n", PATCH, options);
        let found = (&report["exit_code"], &report["error"]["code"]);
        assert_eq!(
            found,
            (&4.into(), &"wpatch::git::config".into()),
            "{options:?}"
        );
        assert_eq!(file, "one\ntwo\n");
    }
    let (report, file) = applied(config, "", "one\ntwo\n", PATCH, &["--whitespace=warn"]);
    // The rules decide only about warnings.
    let codes = [0, 1].map(|nth| {
        report["problems"][nth]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    });
    assert_eq!(codes, ["wpatch::git::config", "wpatch::whitespace::errors"]);
    assert_eq!(file, "one\n\tnew \ntwo\n");
}
