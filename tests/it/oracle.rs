//! The same cases by the installed git and GNU patch: where they end otherwise, the case says so
//! and how.

pub(crate) mod beside;
pub(crate) mod differences;
mod index;
mod links;
mod rows;
mod same;
mod scripts;
mod types;
mod whitespace;

use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use tempfile::TempDir;

use crate::case::{Case, Declared, Settings, each, same};
use crate::tree::{self, Tree};

/// The directories of cases in the grammars that those tools know.
const GROUPS: &[&str] = &["git", "unified", "context", "normal"];

/// What a tool makes of a case.
#[derive(Debug, PartialEq, Eq)]
struct Ending {
    exit: i32,
    tree: Tree,
}

#[cfg(unix)]
#[test]
fn git_apply_ends_as_declared() {
    each(&cases(), |case| {
        let declared = declared(case)?;
        let expected = Expected {
            says: &declared.git,
            exit: declared.git_exit,
            tree: declared.git_tree.as_deref(),
        };
        expected.compare(case, &run(case, git))
    });
}

#[cfg(unix)]
#[test]
fn gnu_patch_ends_as_declared() {
    each(&cases(), |case| {
        let declared = declared(case)?;
        let expected = Expected {
            says: &declared.patch,
            exit: declared.patch_exit,
            tree: declared.patch_tree.as_deref(),
        };
        expected.compare(case, &run(case, gnu_patch))
    });
}

fn cases() -> Vec<Case> {
    GROUPS.iter().flat_map(|group| Case::of(group)).collect()
}

fn declared(case: &Case) -> Result<&Declared, String> {
    case.settings
        .oracle
        .as_ref()
        .ok_or_else(|| "does not declare what git and GNU patch do".into())
}

/// What a case says of one tool.
struct Expected<'a> {
    says: &'a str,
    exit: Option<i32>,
    tree: Option<&'a str>,
}

impl Expected<'_> {
    fn compare(&self, case: &Case, found: &Ending) -> Result<(), String> {
        let ours = Ending {
            exit: 0,
            tree: case.after.clone().unwrap_or_else(|| case.before.clone()),
        };
        let is_same = found.tree == ours.tree && (found.exit == 0) == case.after.is_some();
        if self.says == "same" {
            return if is_same {
                Ok(())
            } else {
                same("declared to be the same", found, &ours)
            };
        }
        let why = self
            .says
            .strip_prefix("differs: ")
            .ok_or("declares neither \"same\" nor \"differs: why\"")?;
        if is_same {
            return Err(format!("declared to differ ({why}) and does not"));
        }
        let tree = self.tree.map_or_else(
            || case.before.clone(),
            |name| tree::fixture(&case.directory.join(name)),
        );
        same(
            why,
            found,
            &Ending {
                exit: self.exit.unwrap_or(0),
                tree,
            },
        )
    }
}

/// Runs a tool on the tree of the case, in a directory that no repository holds.
fn run(case: &Case, tool: impl Fn(&Settings, &Path) -> Command) -> Ending {
    let directory = TempDir::new().unwrap();
    let (root, patch) = (
        directory.path().join("tree"),
        directory.path().join("patch"),
    );
    tree::write(&case.before, &root);
    fs::write(&patch, &case.patch).unwrap();
    let output = quiet(tool(&case.settings, &patch), &root, directory.path());
    Ending {
        exit: output.status.code().unwrap(),
        tree: tree::read(&root),
    }
}

/// Runs `command` in `root`, with no configuration and no repository around.
pub(crate) fn quiet(mut command: Command, root: &Path, above: &Path) -> Output {
    command
        .current_dir(root)
        .env("LC_ALL", "C")
        .env("HOME", above)
        .env("GIT_CEILING_DIRECTORIES", above)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap()
}

fn git(settings: &Settings, patch: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.fsmonitor=false", "apply"])
        .args(settings.arguments())
        .arg(patch);
    command
}

fn gnu_patch(settings: &Settings, patch: &Path) -> Command {
    let mut command = Command::new("patch");
    command.args([
        "--force",
        "--silent",
        "--no-backup-if-mismatch",
        "--reject-file=-",
    ]);
    command.arg(format!("--strip={}", settings.strip.unwrap_or(1)));
    command.arg(format!("--fuzz={}", settings.fuzz.unwrap_or(0)));
    command.args(settings.reverse.then_some("--reverse"));
    command.args(settings.ignore_whitespace.then_some("--ignore-whitespace"));
    command.args(
        settings
            .directory
            .as_ref()
            .map(|directory| format!("--directory={directory}")),
    );
    command.arg("--input").arg(patch);
    command
}
