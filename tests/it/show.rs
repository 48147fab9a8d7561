//! `show`: what a plan comes to, as a patch that others can apply.

use std::path::Path;
use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;
use wpatch::engine;

use crate::case::{Case, Settings, each, same};
use crate::oracle::quiet;
use crate::run;
use crate::tree::{self, Tree};

#[test]
fn what_is_shown_of_a_case_comes_to_its_tree() {
    let cases: Vec<_> = Case::all().into_iter().filter(|case| case.after.is_some()).collect();
    assert!(cases.len() > 200 || std::env::var("CASE").is_ok());
    each(&cases, |case| {
        let expected = case.after.clone().unwrap();
        let shown = shown(case)?;
        if shown.is_empty() {
            return same("nothing is shown, and something changes", &case.before, &expected);
        }
        let text = String::from_utf8_lossy(&shown);
        let memory = run::memory(&case.before);
        let report = run::apply(&memory, &shown, &Settings::default());
        if report["ok"] != true {
            return Err(format!("wpatch does not take it: {}\n{text}", report["error"]));
        }
        same(&format!("by wpatch\n{text}"), &run::tree(&memory), &expected)?;
        same(&format!("by git\n{text}"), &by_git(&case.before, &shown)?, &expected)
    });
}

#[test]
fn a_name_is_a_change_unless_a_file_has_it() {
    let root = TempDir::new().unwrap();
    let wpatch = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_wpatch")).current_dir(root.path()).args(arguments).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    fs::write(root.path().join("file"), "zero\na\none\nb\nc\n").unwrap();
    let (code, _, words) = wpatch(&["show", "0add"]);
    assert!(code == Some(1) && words.contains("no change, or more than one"), "{words}");
    fs::write(root.path().join("0add"), "--- a/file\n+++ b/file\n@@ -3,3 +3,3 @@\n a\n-one\n+two\n b\n").unwrap();
    let shown = "diff --git a/file b/file\nindex 8db6bebc35a7..1066d92a575d 100644\n--- a/file\n+++ b/file\n\
                 @@ -1,5 +1,5 @@\n zero\n a\n-one\n+two\n b\n c\n";
    let expected = (Some(0), shown.to_owned(), String::new());
    for name in ["0add", "./0add"] {
        assert_eq!(wpatch(&["show", name]), expected);
    }
    let (code, _, words) = wpatch(&["show", "./0"]);
    assert!(code == Some(4) && words.contains("cannot read the patch"), "{words}");
    let (code, shown, words) = wpatch(&["show", "-v", "-R", "0add"]);
    assert!((code, shown.as_str()) == (Some(1), "") && words.contains("file"), "{words}");
}

/// Returns the patch that is shown for the case.
fn shown(case: &Case) -> Result<Vec<u8>, String> {
    let preview = engine::preview(run::request(&case.patch, &case.settings), &run::memory(&case.before));
    let (files, diffs) = (preview.outcome.report.files.len(), preview.diffs.len());
    same("diffs and files", &diffs, &files)?;
    Ok(preview.diffs.concat())
}

/// Applies `patch` with git to a tree outside of any repository.
fn by_git(before: &Tree, patch: &[u8]) -> Result<Tree, String> {
    let directory = TempDir::new().unwrap();
    let (root, file) = (directory.path().join("tree"), directory.path().join("patch"));
    tree::write(before, &root);
    fs::write(&file, patch).unwrap();
    let output = quiet(git_apply(&file), &root, directory.path());
    if output.status.success() {
        Ok(tree::read(&root))
    } else {
        Err(format!("{}\n{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(patch)))
    }
}

fn git_apply(patch: &Path) -> Command {
    let mut command = Command::new("git");
    command.args(["-c", "core.fsmonitor=false", "apply", "--whitespace=nowarn"]).arg(patch);
    command
}
