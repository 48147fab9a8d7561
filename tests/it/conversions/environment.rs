//! Repositories and work trees that the environment names, next to `git apply`.
#![cfg(unix)]

use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use crate::repository::git;
use crate::systems;

/// What does not name a repository or a work tree, or another one; `@` is the directory above the
/// trees.
const SETTINGS: &[(&str, &[(&str, &str)])] = &[
    ("GIT_DIR", &[("GIT_DIR", "@/missing")]),
    ("an empty GIT_DIR", &[("GIT_DIR", "")]),
    ("a relative GIT_DIR", &[("GIT_DIR", "missing")]),
    ("a directory", &[("GIT_DIR", "@/plain")]),
    ("a file", &[("GIT_DIR", "@/file")]),
    ("a repository", &[("GIT_DIR", "@/repository/.git")]),
    (
        "a work tree elsewhere",
        &[
            ("GIT_DIR", "@/repository/.git"),
            ("GIT_WORK_TREE", "@/repository"),
        ],
    ),
    (
        "no work tree",
        &[
            ("GIT_DIR", "@/repository/.git"),
            ("GIT_WORK_TREE", "@/missing"),
        ],
    ),
    (
        "a work tree and no repository",
        &[("GIT_DIR", "@/missing"), ("GIT_WORK_TREE", ".")],
    ),
    ("GIT_WORK_TREE alone", &[("GIT_WORK_TREE", "@/plain")]),
    ("no work tree alone", &[("GIT_WORK_TREE", "@/missing")]),
    ("an empty GIT_WORK_TREE", &[("GIT_WORK_TREE", "")]),
    ("a shared directory", &[("GIT_COMMON_DIR", "@/missing")]),
    ("objects", &[("GIT_OBJECT_DIRECTORY", "@/missing")]),
    ("an index", &[("GIT_INDEX_FILE", "@/missing")]),
];

/// Returns whether `program` applies the patch in `directory`, and the file then.
fn applied_with(
    program: &str,
    directory: &str,
    variables: &[(&str, &str)],
    options: &[&str],
) -> (bool, Vec<u8>) {
    let base = TempDir::new().unwrap();
    let base = base.path();
    for name in ["plain", "repository", "repository/d"] {
        fs::create_dir_all(base.join(name)).unwrap();
        fs::write(base.join(name).join("x"), "one\n").unwrap();
    }
    fs::write(base.join("file"), "text\n").unwrap();
    assert!(
        git(&["init", "-q", base.join("repository").to_str().unwrap()])
            .status()
            .unwrap()
            .success()
    );
    fs::write(base.join("repository/.gitattributes"), "* text eol=crlf\n").unwrap();
    let mut command = Command::new(program);
    for (name, value) in variables {
        command.env(name, value.replace('@', base.to_str().unwrap()));
    }
    command
        .arg("apply")
        .args(options)
        .current_dir(base.join(directory))
        .env("HOME", base)
        .env_remove("XDG_CONFIG_HOME");
    // Names of a plain diff count from the directory.
    let output = systems::fed(&mut command, b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n");
    (
        output.status.success(),
        fs::read(base.join(directory).join("x")).unwrap(),
    )
}

/// Returns what git and the program do.
fn both(directory: &str, variables: &[(&str, &str)], options: &[&str]) -> [(bool, Vec<u8>); 2] {
    ["git", env!("CARGO_BIN_EXE_wpatch")]
        .map(|program| applied_with(program, directory, variables, options))
}

#[test]
fn a_repository_that_the_environment_names_is_the_one_of_git_apply() {
    for directory in ["plain", "repository", "repository/d"] {
        let is_different = |(_, variables): &&(&str, &[(&str, &str)])| {
            let [theirs, ours] = both(directory, variables, &[]);
            theirs != ours
        };
        let different = SETTINGS.iter().filter(is_different);
        let names: Vec<_> = different.map(|(name, _)| name).collect();
        assert!(names.is_empty(), "{directory}: {names:?}");
        let [theirs, ours] = both(directory, SETTINGS[0].1, &["--intent-to-add"]);
        assert_eq!((&ours, ours.0), (&theirs, true), "{directory}");
    }
}
