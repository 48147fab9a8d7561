//! The history of a work tree of git from any directory in it, wherever git keeps its directory.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use crate::repository::{git, run as run_git};
use crate::world;

mod directories;

/// A work tree, and two directories in it.
pub(super) struct Place {
    name: &'static str,
    base: TempDir,
    pub(super) top: PathBuf,
}

/// Makes a work tree in a directory, and returns its top.
pub(super) type Make = fn(&Path) -> PathBuf;

pub(super) const DEEPER: &str = "sub/deeper";

impl Place {
    /// Makes every kind of work tree.
    fn all() -> Vec<Self> {
        let kinds: [(&'static str, Make); 6] = [
            ("plain", |base| repository(&base.join("plain"), &[])),
            ("separate git directory", |base| {
                let git = base.join("apart.git").display().to_string();
                repository(&base.join("tree"), &["--separate-git-dir", &git])
            }),
            ("linked work tree", |base| {
                let main = repository(&base.join("main"), &[]);
                let linked = base.join("linked");
                in_git(
                    &main,
                    &["worktree", "add", "-q", &linked.display().to_string()],
                );
                linked
            }),
            ("linked work tree below the main one", |base| {
                let main = repository(&base.join("main"), &[]);
                in_git(&main, &["worktree", "add", "-q", "inner/linked"]);
                main.join("inner/linked")
            }),
            ("submodule", |base| {
                let (main, module) = (
                    repository(&base.join("main"), &[]),
                    repository(&base.join("module"), &[]),
                );
                let from = module.display().to_string();
                in_git(
                    &main,
                    &[
                        "-c",
                        "protocol.file.allow=always",
                        "submodule",
                        "--quiet",
                        "add",
                        &from,
                        "module",
                    ],
                );
                main.join("module")
            }),
            ("link to a git directory", |base| {
                let tree = repository(&base.join("tree"), &[]);
                fs::rename(tree.join(".git"), base.join("elsewhere.git")).unwrap();
                world::link("../elsewhere.git", tree.join(".git")).unwrap();
                tree
            }),
        ];
        kinds
            .into_iter()
            .map(|(name, make)| Self::of(name, make))
            .collect()
    }

    pub(super) fn of(name: &'static str, make: impl Fn(&Path) -> PathBuf) -> Self {
        let base = TempDir::new().unwrap();
        let top = make(&base.path().canonicalize().unwrap());
        Self { name, base, top }
    }

    pub(super) fn at(&self, directory: &str) -> PathBuf {
        self.top.join(directory)
    }

    /// Returns where git keeps what is of this work tree alone.
    fn git_dir(&self) -> PathBuf {
        PathBuf::from(in_git(&self.top, &["rev-parse", "--absolute-git-dir"]))
    }

    fn file(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }
}

/// Makes a repository with a commit, and returns its work tree.
pub(super) fn repository(tree: &Path, options: &[&str]) -> PathBuf {
    fs::create_dir_all(tree.join(DEEPER)).unwrap();
    run_git(
        git(&["init", "-q", "-b", "main"]).args(options).arg(tree),
        b"",
    );
    for path in ["a", "sub/a", "sub/deeper/a"] {
        fs::write(tree.join(path), "one\n").unwrap();
    }
    in_git(tree, &["add", "-A"]);
    in_git(tree, &["commit", "-q", "-m", "1"]);
    tree.to_owned()
}

pub(super) fn in_git(directory: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-C"];
    let printed = run_git(git(&identity).arg(directory).args(arguments), b"");
    String::from_utf8(printed).unwrap().trim_end().to_owned()
}

/// Returns the command of the program in `directory`, without a place of the user's for state.
pub(super) fn wpatch(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = world::wpatch();
    command
        .current_dir(directory)
        .env_remove("XDG_STATE_HOME")
        .args(arguments)
        .stdin(Stdio::null());
    command
}

pub(super) fn run(directory: &Path, arguments: &[&str]) -> Output {
    wpatch(directory, arguments).output().unwrap()
}

pub(super) fn done(what: &str, directory: &Path, arguments: &[&str]) -> Value {
    let output = run(directory, &[arguments, &["--json"]].concat());
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{what} {arguments:?}: {told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_str(&told).unwrap()
}

pub(super) const WRITE: &[&str] = &["write", "a", "--overwrite", "--content", "two\n"];
pub(super) const DIRECTORIES: [&str; 3] = [".", "sub", DEEPER];

#[cfg(unix)]
#[test]
fn a_change_made_in_any_directory_can_be_undone_from_any_other() {
    for place in Place::all() {
        for made in DIRECTORIES {
            for undone in DIRECTORIES {
                let what = format!("{}: {made}, {undone}", place.name);
                let file = format!("{made}/a");
                let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n";
                let name = place.base.path().join("p").display().to_string();
                fs::write(&name, patch).unwrap();
                let report = done(&what, &place.at(made), &["apply", &name]);
                assert_eq!(
                    report["history"],
                    serde_json::json!({"kept": true}),
                    "{what}"
                );
                assert_eq!(report["files"][0]["path"], "a", "{what}");
                let id = report["transaction"]["id"].as_str().unwrap();
                let shown = done(&what, &place.at(undone), &["show", id]);
                let from_top = file.trim_start_matches("./");
                assert_eq!(shown["entries"][0]["files"][0]["path"], from_top, "{what}");
                let report = done(&what, &place.at(undone), &["undo"]);
                assert_eq!(
                    (place.file(&file).as_str(), &report["files"][0]["path"]),
                    ("one\n", &from_top.into()),
                    "{what}"
                );
                assert_eq!(report["root"], place.top.display().to_string(), "{what}");
                done(&what, &place.at(made), &["redo"]);
                assert_eq!(place.file(&file), "two\n", "{what}");
                done(&what, &place.at(undone), &["undo", id]);
                assert_eq!(in_git(&place.top, &["status", "--porcelain"]), "", "{what}");
            }
        }
        let log = done(place.name, &place.at(DEEPER), &["log"]);
        assert_eq!(
            log["entries"].as_array().unwrap().len(),
            4 * 9,
            "{}",
            place.name
        );
        // Nothing but git's directory has anything of it.
        assert!(place.git_dir().join("wpatch").is_dir(), "{}", place.name);
        assert!(
            !place.at(".wpatch").exists() && !place.at("sub/.wpatch").exists(),
            "{}",
            place.name
        );
    }
}

#[cfg(unix)]
#[test]
fn a_change_of_the_whole_tree_is_undone_from_below_and_one_from_below_by_force() {
    for place in Place::all() {
        done(place.name, &place.top, WRITE);
        done(
            place.name,
            &place.at("sub"),
            &["edit", "deeper/a", "--old", "one", "--new", "three"],
        );
        done(place.name, &place.at(DEEPER), &["undo", "--last", "2"]);
        assert_eq!(
            (place.file("a"), place.file("sub/deeper/a")),
            ("one\n".into(), "one\n".into()),
            "{}",
            place.name
        );
        done(place.name, &place.at("sub"), WRITE);
        fs::write(place.at("sub/a"), "another\n").unwrap();
        assert_eq!(
            run(&place.top, &["undo"]).status.code(),
            Some(1),
            "{}",
            place.name
        );
        done(place.name, &place.top, &["undo", "--force"]);
        assert_eq!(place.file("sub/a"), "one\n", "{}", place.name);
    }
}

/// A process that dies while its change is half made, which kills itself through the command of its
/// user.
pub(super) fn dies(directory: &Path) {
    let arguments = [WRITE, &["--verify", "kill -9 $PPID"]].concat();
    assert_eq!(run(directory, &arguments).status.code(), None);
}

#[cfg(unix)]
#[test]
fn what_died_in_one_directory_is_recovered_from_another() {
    for place in Place::all() {
        for (died, recovered) in [(".", DEEPER), ("sub", "."), (DEEPER, "sub"), ("sub", "sub")] {
            let what = format!("{}: {died}, {recovered}", place.name);
            let file = format!("{died}/a");
            dies(&place.at(died));
            assert_eq!(place.file(&file), "two\n", "{what}");
            let report = done(&what, &place.at(recovered), &["recover"]);
            assert_eq!(
                report["transaction"]["recovered"][0]["ending"], "rolled_back",
                "{what}"
            );
            assert_eq!(place.file(&file), "one\n", "{what}");
            // The next command does the same.
            dies(&place.at(died));
            done(
                &what,
                &place.at(recovered),
                &["write", "other", "--content", "x"],
            );
            assert_eq!(place.file(&file), "one\n", "{what}");
            done(&what, &place.at(died), &["undo"]);
            assert_eq!(in_git(&place.top, &["status", "--porcelain"]), "", "{what}");
        }
    }
}

#[cfg(unix)]
#[test]
fn one_lock_is_shared_by_all_directories() {
    for place in Place::all() {
        for (holds, waits) in [(".", DEEPER), ("sub", "."), (DEEPER, "sub")] {
            let what = format!("{}: {holds}, {waits}", place.name);
            let other = place.at(waits).display().to_string();
            let command = format!(
                "env -u WPATCH_TRANSACTION '{}' --root '{other}' --lock-timeout 0 write new --content x; test $? = 6",
                env!("CARGO_BIN_EXE_wpatch")
            );
            done(
                &what,
                &place.at(holds),
                &[WRITE, &["--verify", &command]].concat(),
            );
            // A change that runs within another one would wait for itself.
            let command = format!(
                "'{}' --root '{other}' write new --content x; test $? = 6",
                env!("CARGO_BIN_EXE_wpatch")
            );
            done(
                &what,
                &place.at(holds),
                &[
                    "edit", "a", "--old", "two", "--new", "three", "--verify", &command,
                ],
            );
            assert!(!place.at(waits).join("new").exists(), "{what}");
            done(&what, &place.at(waits), &["undo", "--last", "2"]);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_nested_repository_has_a_history_of_its_own() {
    let place = Place::of("nested", |base| repository(&base.join("outer"), &[]));
    repository(&place.at("sub/inner"), &[]);
    done("outer", &place.at("sub"), WRITE);
    assert_eq!(
        run(&place.at("sub/inner/sub"), &["undo"]).status.code(),
        Some(1)
    );
    done("inner", &place.at("sub/inner/sub"), WRITE);
    done("outer", &place.at(DEEPER), &["undo"]);
    assert_eq!(
        (place.file("sub/a"), place.file("sub/inner/sub/a")),
        ("one\n".into(), "two\n".into())
    );
}

#[cfg(unix)]
#[test]
fn a_policy_file_of_the_root_that_made_a_change_holds_for_its_undo() {
    let place = Place::of("policy", |base| repository(&base.join("tree"), &[]));
    done("made", &place.at("sub"), WRITE);
    fs::write(
        place.at("sub/wpatch.toml"),
        "[[rule]]\nname = \"mine\"\npaths = [\"a\"]\nverdict = \"deny\"\n",
    )
    .unwrap();
    for directory in DIRECTORIES {
        let output = run(&place.at(directory), &["undo"]);
        assert_eq!(
            output.status.code(),
            Some(3),
            "{directory}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(place.file("sub/a"), "two\n");
    }
    fs::write(
        place.at("sub/wpatch.toml"),
        "[[rule]]\nname = \"other\"\npaths = [\"b\"]\nverdict = \"deny\"\n",
    )
    .unwrap();
    done("undone", &place.at(DEEPER), &["undo"]);
    // The file itself stays closed, from everywhere.
    assert_eq!(
        run(
            &place.at("sub"),
            &["write", "wpatch.toml", "--overwrite", "--content", ""]
        )
        .status
        .code(),
        Some(3)
    );
}
