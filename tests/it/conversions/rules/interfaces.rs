//! Converted files in reports, in formats that git does not have, and in the tools of the server.
#![cfg(unix)]

use std::path::Path;

use fs_err as fs;
use serde_json::{Value, json};

use super::{created, modified, pair};
use crate::mcp;
use crate::repository::{git, run};
use crate::systems;

#[test]
fn a_report_shows_the_diff_of_the_repository_which_git_applies() {
    let attributes = b"*.txt text eol=crlf ident\n*.rc working-tree-encoding=UTF-16LE-BOM\n";
    let files: [(&str, &[u8]); 3] = [
        (".gitattributes", attributes),
        ("a.txt", b"$Id: 01 $\r\none\r\n"),
        ("b.rc", b"\xff\xfeo\0n\0e\0\n\0"),
    ];
    let pair = pair(&files);
    let id = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n $Id$\n-one\n+2\n";
    let patch = [id, &modified("b.rc", "one", "2"), &created("c.rc", "new")].concat();
    fs::write(pair.directory.path().join("patch"), &patch).unwrap();
    let [mut show, mut command] = [(); 2].map(|()| crate::world::wpatch());
    show.args(["show", "../patch"])
        .current_dir(pair.root("wpatch"));
    let shown = show
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    command
        .args(["apply", "--json", "--with-diff", "../patch"])
        .current_dir(pair.root("wpatch"));
    let output = command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let diffs: String = (0..3)
        .map(|file| report["files"][file]["diff"].as_str().unwrap())
        .collect();
    assert!(
        !diffs.contains("Binary") && !diffs.contains('\r') && diffs.contains("+2\n"),
        "{diffs}"
    );
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), diffs);
    fs::write(pair.directory.path().join("diff"), &diffs).unwrap();
    let by_git = git(&["apply", "../diff"])
        .current_dir(pair.root("git"))
        .output()
        .unwrap();
    assert!(by_git.status.success(), "{by_git:?}\n{diffs}");
    assert_eq!(pair.state("wpatch"), pair.state("git"));
}

#[test]
fn formats_that_git_does_not_have_name_the_bytes_of_the_work_tree() {
    let pair = pair(&[
        (".gitattributes", b"* text=auto eol=crlf ident\n"),
        ("x", b"$Id$\none\r\ntwo\n"),
    ]);
    let patch = "x\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n";
    let [_, ours] = pair.apply(&[], patch.as_bytes());
    assert!(ours.status.success(), "{ours:?}");
    assert_eq!(
        fs::read(pair.root("wpatch").join("x")).unwrap(),
        b"$Id$\none\r\n2\n"
    );
}

/// A diff is converted as by `git apply`. All other tools name bytes of the work tree, as `wpatch
/// edit` and `write` do: an edit keeps the line endings of the file, and a new file has the bytes
/// that the tool receives.
#[test]
fn each_tool_of_a_server_converts_as_its_command_does() {
    for setting in ["eol=crlf", "core.autocrlf"] {
        let text = b"one\ntwo\n";
        let pair = pair(&[("a", text), ("b", text), ("c", text)]);
        let root = pair.root("wpatch");
        match setting {
            "eol=crlf" => fs::write(root.join(".gitattributes"), "* text eol=crlf\n").unwrap(),
            _ => drop(run(
                git(&["config", "core.autocrlf", "true"]).current_dir(&root),
                b"",
            )),
        }
        for name in ["a", "b", "c"] {
            fs::write(root.join(name), "one\r\ntwo\r\n").unwrap();
        }
        let codex =
            |name: &str| format!("*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch\n");
        let calls = [
            (
                "str_replace",
                json!({"path": "a", "old_str": "one\ntwo", "new_str": "1\n2"}),
            ),
            (
                "insert",
                json!({"path": "a", "insert_line": 0, "insert_text": "0\n"}),
            ),
            ("create", json!({"path": "created", "file_text": "x\n"})),
            (
                "edit",
                json!({"edits": [{"path": "c", "old_str": "one\ntwo", "new_str": "1\n2"}]}),
            ),
            ("apply_patch", json!({"patch": codex("added")})),
            ("apply_patch", json!({"patch": created("new", "x")})),
            (
                "apply_patch",
                json!({"patch": modified("b", "one", "1").replace("@@ -1 +1 @@", "@@ -1,2 +1,2 @@") + " two\n"}),
            ),
        ];
        for (name, arguments) in calls {
            let result = called(&root, name, &arguments);
            assert_eq!(result["isError"], false, "{setting}: {name}: {result:#}");
        }
        let found = ["a", "b", "c", "created", "added", "new"]
            .map(|name| fs::read_to_string(root.join(name)).unwrap());
        assert_eq!(
            found,
            [
                "0\r\n1\r\n2\r\n",
                "1\r\ntwo\r\n",
                "1\r\n2\r\n",
                "x\n",
                "x\n",
                "x\r\n"
            ],
            "{setting}"
        );
    }
}

/// Returns the answer of a server to one call.
fn called(root: &Path, name: &str, arguments: &Value) -> Value {
    let session = mcp::session(&[(name, arguments.clone())]);
    let output = systems::fed(&mut systems::program(root, &["mcp"]), session.as_bytes());
    mcp::results(&output, 1)[0].take()
}
