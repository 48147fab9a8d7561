//! The commands that change notebooks, on a disk.

use std::path::PathBuf;

use fs_err as fs;
use serde_json::json;
use tempfile::TempDir;
use wpatch::plan::{CellKind, CellPosition};

use super::{NOTEBOOK, after, changed, insert, replace};
use crate::{tree, verbs};

#[test]
fn a_report_shows_where_the_cell_changed() {
    let (report, _) = changed(NOTEBOOK, replace("intro", None, "x"));
    let file = &report["files"][0];
    let told = json!([
        file["op"],
        file["cell"],
        file["added"],
        file["removed"],
        file["match"],
        file["status"]
    ]);
    assert_eq!(
        told,
        json!(["modify", { "index": 0, "id": "intro" }, 1, 2, "exact", "ok"])
    );
    let lines = json!({ "old_start": 7, "old_lines": 4, "new_start": 7, "new_lines": 3 });
    assert_eq!(
        (
            &file["hunks"][0]["applied"],
            file["hunks"].as_array().unwrap().len()
        ),
        (&lines, 1)
    );
    assert!(
        file["diff"]
            .as_str()
            .unwrap()
            .contains("\n-    \"# Title\\n\",\n-    \"caf\\u00e9\"\n+    \"x\"\n")
    );
}

/// A hash that no notebook has.
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Commands that are refused, and the kind of the error.
const WRONG: &[(&[&str], &str)] = &[
    (&["replace", "n.ipynb", "--source", "x"], "usage"),
    (&["replace", "n.ipynb", "--cell", "intro"], "usage"),
    (
        &["replace", "n.json", "--cell", "intro", "--source", "x"],
        "usage",
    ),
    (
        &[
            "replace", "n.ipynb", "--cell", "intro", "--source", "x", "--type", "heading",
        ],
        "usage",
    ),
    (
        &["insert", "n.ipynb", "--cell", "intro", "--source", "x"],
        "usage",
    ),
    (
        &[
            "insert", "n.ipynb", "--type", "raw", "--source", "x", "--new-id", "a b",
        ],
        "usage",
    ),
    (
        &[
            "insert", "n.ipynb", "--type", "raw", "--source", "x", "--cell", "intro", "--at", "end",
        ],
        "usage",
    ),
    (&["delete", "n.ipynb"], "usage"),
    (&["delete", "../n.ipynb", "--cell", "intro"], "outside_root"),
    (&["delete", ".git/n.ipynb", "--cell", "intro"], "denied"),
    (&["delete", "no.ipynb", "--cell", "intro"], "missing"),
    (
        &["delete", "n.ipynb", "--cell", "intro", "--max-bytes", "9"],
        "too_large",
    ),
    (
        &[
            "delete",
            "n.ipynb",
            "--cell",
            "intro",
            "--expect-hash",
            ZEROS,
        ],
        "stale",
    ),
];

/// Returns a directory with a notebook, and the root in it with others.
fn notebooks() -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(root.join(".git/HEAD"), "").unwrap();
    fs::write(root.join(".git/n.ipynb"), NOTEBOOK).unwrap();
    fs::write(directory.path().join("n.ipynb"), NOTEBOOK).unwrap();
    fs::write(root.join("n.ipynb"), NOTEBOOK).unwrap();
    fs::write(root.join("n.json"), NOTEBOOK).unwrap();
    (directory, root)
}

// CheetahClaws 14, 15, 17; Claude Code 6: the rules for paths.
#[test]
fn a_wrong_command_changes_no_notebook_on_a_disk() {
    let (directory, root) = notebooks();
    let before = tree::read(&root);
    for (arguments, kind) in WRONG {
        let report = verbs::run(&root, &[&["notebook"], *arguments].concat(), "");
        let told = json!([
            report["ok"],
            report["changed"],
            report["error"]["kind"],
            report["command"]
        ]);
        assert_eq!(
            told,
            json!([false, false, kind, "notebook"]),
            "{arguments:?}"
        );
        assert_eq!(tree::read(&root), before, "{arguments:?}");
    }
    assert_eq!(
        fs::read_to_string(directory.path().join("n.ipynb")).unwrap(),
        NOTEBOOK
    );
}

// CheetahClaws 14, 15, 17; Claude Code 6: the commands.
#[test]
fn the_commands_do_it_on_a_disk() {
    let (_directory, root) = notebooks();
    let done = |arguments: &[&str], input: &str| {
        let report = verbs::run(&root, &[&["notebook"], arguments].concat(), input);
        assert_eq!(report["ok"], true, "{report:#}");
        fs::read_to_string(root.join("n.ipynb")).unwrap()
    };
    assert_eq!(
        done(&["delete", "n.ipynb", "--cell", "intro", "--dry-run"], ""),
        NOTEBOOK
    );
    let text = done(
        &[
            "insert",
            "n.ipynb",
            "--type",
            "markdown",
            "--source-file",
            "-",
            "--new-id",
            "-x",
            "--at",
            "end",
        ],
        "s",
    );
    let expected = insert(CellPosition::End, CellKind::Markdown, "s", Some("-x"));
    assert_eq!(text, after(NOTEBOOK, expected));
    assert_eq!(done(&["delete", "n.ipynb", "--cell", "-x"], ""), NOTEBOOK);
    let text = done(
        &[
            "replace", "n.ipynb", "--cell", "intro", "--type", "raw", "--source", "--x",
        ],
        "",
    );
    assert_eq!(
        text,
        after(NOTEBOOK, replace("intro", Some(CellKind::Raw), "--x"))
    );
}
