//! The editing commands on a disk: what they leave, and what they say.

use std::path::Path;

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::run::valid;
use crate::systems::fed;
use crate::tree;
use crate::world;

mod refusals;

/// Returns a directory with files, and one beside it that nothing may touch.
fn root() -> (TempDir, std::path::PathBuf) {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    fs::create_dir_all(root.join("d")).unwrap();
    fs::create_dir(directory.path().join("outside")).unwrap();
    fs::write(directory.path().join("outside/file"), "a\n").unwrap();
    fs::write(root.join("a.txt"), "one\r\ntwo\r\nthree").unwrap();
    fs::write(root.join("run.sh"), "x = 1\ny\nx = 1\ny\nx = 1\n").unwrap();
    world::set_mode(root.join("run.sh"), 0o755);
    fs::write(root.join("d/bin"), b"a\0b").unwrap();
    world::link_on_unix("../run.sh", root.join("d/link"));
    world::link_on_unix("../../outside/file", root.join("d/out"));
    world::link_on_unix("circle", root.join("circle"));
    (directory, root)
}

pub(crate) fn run(root: &Path, arguments: &[&str], input: &str) -> Value {
    let mut command = world::wpatch();
    command
        .current_dir(root)
        .args(arguments)
        .args(["--json", "--durability", "none"]);
    let output = fed(&mut command, input.as_bytes());
    let report = valid(serde_json::from_slice(&output.stdout).unwrap());
    assert_eq!(
        report["exit_code"].as_i64(),
        output.status.code().map(i64::from)
    );
    report
}

/// Returns the contents of a file, escaped.
pub(crate) fn text(root: &Path, name: &str) -> String {
    fs::read(root.join(name))
        .unwrap()
        .escape_ascii()
        .to_string()
}

#[test]
fn a_text_is_replaced_and_nothing_else() {
    let (_directory, root) = root();
    let report = run(
        &root,
        &["edit", "a.txt", "--old", "two\n", "--new", "2\n2\n"],
        "",
    );
    assert_eq!(text(&root, "a.txt"), r"one\r\n2\r\n2\r\nthree");
    let file = &report["files"][0];
    let told = json!([
        report["changed"],
        file["op"],
        file["replacements"],
        file["match"],
        file["added"],
        file["removed"]
    ]);
    assert_eq!(told, json!([true, "modify", 1, "exact", 2, 1]));
    assert_eq!(
        file["hunks"][0]["applied"],
        json!({ "old_start": 2, "old_lines": 1, "new_start": 2, "new_lines": 2 })
    );
    let absolute = root.join("a.txt");
    run(
        &root,
        &[
            "edit",
            absolute.to_str().unwrap(),
            "--insert-after",
            "0",
            "--new",
            "zero",
        ],
        "",
    );
    assert_eq!(text(&root, "a.txt"), r"zero\r\none\r\n2\r\n2\r\nthree");
}

#[cfg(unix)]
#[test]
fn a_text_is_replaced_through_a_link_and_link_and_mode_stay() {
    let (_directory, root) = root();
    let report = run(
        &root,
        &[
            "edit", "d/link", "--old", "x = 1", "--new", "x = 2", "--all",
        ],
        "",
    );
    assert_eq!(
        (
            report["files"][0]["replacements"].as_u64(),
            text(&root, "run.sh")
        ),
        (Some(3), r"x = 2\ny\nx = 2\ny\nx = 2\n".into())
    );
    assert!(
        fs::symlink_metadata(root.join("d/link"))
            .unwrap()
            .is_symlink()
    );
    if cfg!(unix) {
        assert_eq!(world::mode(root.join("run.sh")), 0o755);
    }
}

#[test]
fn an_empty_directory_gives_way_only_to_a_patch_that_git_apply_reads() {
    let (_directory, root) = root();
    fs::create_dir(root.join("e")).unwrap();
    let plain = "--- /dev/null\n+++ b/e\n@@ -0,0 +1 @@\n+x\n";
    let git = format!("diff --git a/e b/e\nnew file mode 100644\n{plain}");
    let context = "*** /dev/null\n--- b/e\n***************\n*** 0 ****\n--- 1 ----\n+ x\n";
    let quoted = json!({ "patch": plain }).to_string();
    let cases: [(&[&str], &str); 10] = [
        (&["write", "e", "--content", "x"], ""),
        (&["write", "e", "--content", "x", "--overwrite"], ""),
        (&["append", "e", "--content", "x"], ""),
        (
            &["apply"],
            r#"{"replace": [{"path": "e", "content": "x"}]}"#,
        ),
        (
            &["apply"],
            r#"{"type": "create_file", "path": "e", "diff": "+x"}"#,
        ),
        (&["apply"], &quoted),
        (
            &["apply"],
            "*** Begin Patch\n*** Add File: e\n+x\n*** End Patch\n",
        ),
        (
            &["apply"],
            "*** Begin Patch\n*** Update File: run.sh\n*** Move to: e\n@@\n-x = 1\n+x\n*** End Patch\n",
        ),
        (
            &["apply"],
            "e\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
        ),
        (&["apply"], context),
    ];
    let before = tree::read(&root);
    for (arguments, input) in cases {
        let report = run(&root, arguments, input);
        assert_eq!(
            report["error"]["kind"], "not_a_file",
            "{arguments:?} {input}"
        );
        assert_eq!(tree::read(&root), before, "{arguments:?} {input}");
    }
    for patch in [plain, &git] {
        assert_eq!(run(&root, &["apply"], patch)["ok"], true, "{patch}");
        assert_eq!(text(&root, "e"), r"x\n");
        assert_eq!(run(&root, &["apply", "-R"], patch)["ok"], true, "{patch}");
        fs::create_dir(root.join("e")).unwrap();
    }
}

#[test]
fn a_dry_run_says_what_would_change() {
    let (_directory, root) = root();
    let before = tree::read(&root);
    let report = run(
        &root,
        &[
            "edit",
            "run.sh",
            "--from",
            "y\nx",
            "--to",
            "x = 1\ny",
            "--new",
            "z",
            "--dry-run",
        ],
        "",
    );
    assert_eq!(report["error"]["kind"], "ambiguous");
    let report = run(
        &root,
        &["edit", "a.txt", "--old", "two", "--new", "2", "--dry-run"],
        "",
    );
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n+2\r\n three\n\\ No newline at end of file\n";
    let told = json!([
        report["ok"],
        report["changed"],
        report["dry_run"],
        report["outcome"],
        report["files"][0]["diff"]
    ]);
    assert_eq!(told, json!([true, true, true, "would_apply", diff]));
    assert_eq!(tree::read(&root), before);
}

#[test]
fn a_file_is_written() {
    let (_directory, root) = root();
    let report = run(
        &root,
        &["write", "n/m/x", "--mode", "0755"],
        "@echo off\r\n",
    );
    assert_eq!(
        (report["files"][0]["op"].as_str(), text(&root, "n/m/x")),
        (Some("create"), r"@echo off\r\n".into())
    );
    if cfg!(unix) {
        assert_eq!(world::mode(root.join("n/m/x")) & 0o100, 0o100);
    }
    let report = run(
        &root,
        &[
            "write",
            "n/m/x",
            "--overwrite",
            "--content",
            "@echo off\r\n",
        ],
        "",
    );
    assert_eq!(
        (&report["ok"], &report["changed"]),
        (&json!(true), &json!(false))
    );
    let report = run(
        &root,
        &["write", "run.sh", "--overwrite", "--content", ""],
        "",
    );
    assert_eq!(
        (report["files"][0]["op"].as_str(), text(&root, "run.sh")),
        (Some("modify"), String::new())
    );
    if cfg!(unix) {
        assert_eq!(world::mode(root.join("run.sh")), 0o755);
    }
}

#[test]
fn a_file_is_appended_to() {
    let (_directory, root) = root();
    run(
        &root,
        &["append", "a.txt", "--line", "--content", "four"],
        "",
    );
    run(&root, &["append", "a.txt"], "5");
    assert_eq!(text(&root, "a.txt"), r"one\r\ntwo\r\nthree\r\nfour\r\n5");
    let report = run(&root, &["append", "log", "--content", "-a\n"], "");
    assert_eq!(
        (report["files"][0]["op"].as_str(), text(&root, "log")),
        (Some("create"), r"-a\n".into())
    );
    assert_eq!(
        run(&root, &["append", "log", "--content", ""], "")["changed"],
        false
    );
}
