//! The editing commands on a disk: what they leave, and what they say.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;
use wpatch::engine::options::{CellEdit, Interrupt, Replacement, Replacements, Target};
use wpatch::engine::{self, Request};
use wpatch::workspace::memory::{Entry, Memory};

use crate::run::valid;
use crate::systems::fed;
use crate::tree;

/// Returns a directory with files, and one beside it that nothing may touch.
fn root() -> (TempDir, std::path::PathBuf) {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    fs::create_dir_all(root.join("d")).unwrap();
    fs::create_dir(directory.path().join("outside")).unwrap();
    fs::write(directory.path().join("outside/file"), "a\n").unwrap();
    fs::write(root.join("a.txt"), "one\r\ntwo\r\nthree").unwrap();
    fs::write(root.join("run.sh"), "x = 1\ny\nx = 1\ny\nx = 1\n").unwrap();
    fs::set_permissions(root.join("run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(root.join("d/bin"), b"a\0b").unwrap();
    symlink("../run.sh", root.join("d/link")).unwrap();
    symlink("../../outside/file", root.join("d/out")).unwrap();
    symlink("circle", root.join("circle")).unwrap();
    (directory, root)
}

pub(crate) fn run(root: &Path, arguments: &[&str], input: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wpatch"));
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
    assert_eq!(
        fs::metadata(root.join("run.sh"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o755
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

#[test]
fn what_cannot_be_done_leaves_the_tree_and_says_why() {
    let (directory, root) = root();
    let stale = format!("sha256:{}", "0".repeat(64));
    let cases: [(&[&str], &str); 19] = [
        (
            &["edit", "a.txt", "--old", "four", "--new", "x"],
            "not_found",
        ),
        (
            &["edit", "a.txt", "--insert-before", "4", "--new", "x"],
            "not_found",
        ),
        (
            &["edit", "run.sh", "--old", "x = 1", "--new", "x"],
            "ambiguous",
        ),
        (
            &["edit", "a.txt", "--old", "one", "--new", "one"],
            "no_change",
        ),
        (
            &["edit", "a.txt", "--old", "", "--new", "x", "--all"],
            "usage",
        ),
        (
            &[
                "edit",
                "a.txt",
                "--old",
                "one",
                "--insert-after",
                "1",
                "--new",
                "x",
            ],
            "usage",
        ),
        (
            &[
                "edit",
                "a.txt",
                "--old",
                "four",
                "--new",
                "x",
                "--expect-hash",
                &stale,
            ],
            "stale",
        ),
        (&["edit", "no.txt", "--old", "a", "--new", "b"], "missing"),
        (&["edit", "d", "--old", "a", "--new", "b"], "not_a_file"),
        (&["edit", "d/bin", "--old", "a", "--new", "b"], "binary"),
        (
            &["edit", "d/out", "--old", "a", "--new", "b"],
            "outside_root",
        ),
        (
            &["edit", "circle", "--old", "a", "--new", "b"],
            "outside_root",
        ),
        (
            &["edit", "../outside/file", "--old", "a", "--new", "b"],
            "outside_root",
        ),
        (&["write", "a.txt", "--content", "x"], "exists"),
        (
            &["write", "n/x", "--content", "x", "--no-mkdirs"],
            "missing",
        ),
        (
            &["write", "a.txt/x", "--content", "x", "--overwrite"],
            "not_a_directory",
        ),
        (
            &["write", "n", "--content", "0123", "--max-bytes", "3"],
            "too_large",
        ),
        (
            &[
                "write",
                "n",
                "--content",
                "x",
                "--overwrite",
                "--expect-hash",
                &stale,
            ],
            "stale",
        ),
        (&["write", ".git/x", "--content", "x"], "denied"),
    ];
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".git/HEAD"), "").unwrap();
    let before = tree::read(&root);
    for (arguments, kind) in cases {
        let report = run(&root, arguments, "");
        let told = json!([
            report["ok"],
            report["changed"],
            report["error"]["kind"],
            report["command"]
        ]);
        assert_eq!(
            told,
            json!([false, false, kind, arguments[0]]),
            "{arguments:?}"
        );
        assert_eq!(tree::read(&root), before, "{arguments:?}");
    }
    assert_eq!(
        fs::read_to_string(directory.path().join("outside/file")).unwrap(),
        "a\n"
    );
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
fn a_refusal_has_its_facts() {
    let (_directory, root) = root();
    let error = |arguments: &[&str]| run(&root, arguments, "")["error"].clone();
    let ambiguous = error(&["edit", "run.sh", "--old", "x = 1", "--new", "x"]);
    assert_eq!(
        json!([ambiguous["count"], ambiguous["lines"]]),
        json!([3, [1, 3, 5]])
    );
    let lost = error(&["edit", "run.sh", "--old", "x = 3", "--new", "x"]);
    assert_eq!(
        json!([
            lost["nearest"]["line"],
            lost["nearest"]["text"],
            lost["expected"]
        ]),
        json!([1, ["x = 1"], ["x = 3"]])
    );
    let large = error(&["write", "n", "--content", "0123", "--max-bytes", "3"]);
    assert_eq!(json!([large["limit"], large["size"]]), json!([3, 4]));
    fs::write(
        root.join("edits"),
        r#"[{"old": "y", "new": "z", "all": true}, {"old": "w", "new": ""}]"#,
    )
    .unwrap();
    assert_eq!(error(&["edit", "run.sh", "--edits", "edits"])["index"], 1);
    let edit_list = |contents: &str| {
        json!([{"old": "x = 1\n", "new": "y", "all": true, "expected": contents}]).to_string()
    };
    fs::write(root.join("edits"), edit_list("other")).unwrap();
    assert_eq!(
        error(&["edit", "run.sh", "--edits", "edits"])["kind"],
        "stale"
    );
    fs::write(
        root.join("edits"),
        edit_list(&fs::read_to_string(root.join("run.sh")).unwrap()),
    )
    .unwrap();
    assert_eq!(
        error(&["edit", "run.sh", "--edits", "edits", "--dry-run"]),
        Value::Null
    );
    let closed = tree::read(&root);
    fs::create_dir(root.join(".git")).unwrap();
    error(&["write", ".git/x", "--content", "x"]);
    assert_eq!(
        fs::read_dir(root.join(".git")).unwrap().count(),
        0,
        "a refusal by policy leaves no state"
    );
    fs::remove_dir(root.join(".git")).unwrap();
    assert_eq!(tree::read(&root), closed);
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
fn a_file_is_written_or_appended_to() {
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
    assert_eq!(
        fs::metadata(root.join("n/m/x"))
            .unwrap()
            .permissions()
            .mode()
            & 0o100,
        0o100
    );
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
    assert_eq!(
        fs::metadata(root.join("run.sh"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o755
    );
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

#[test]
fn the_library_refuses_what_the_program_refuses() {
    let path = wpatch::path::RelPath::new(b"a").unwrap();
    let workspace = Memory::with_files([(path.clone(), Entry::file("one\n"))]);
    let refused = |request: Request| {
        let report = engine::apply(request, &workspace, &Interrupt::new()).report;
        assert_eq!((report.ok, report.changed), (false, false));
        (report.exit_code, report.error.unwrap().kind)
    };
    let nothing = Replacements::of(Vec::new());
    let lines = Replacements::of(vec![Replacement::of(Target::Lines(Vec::new()), "x")]);
    for change in [
        Request::edit("a", "", "x"),
        Request::edit_all("a", "", "x"),
        Request::edit_range("a", "one", "", "x"),
        Request::edit_range("a", "", "one", "x"),
        Request::edits("a", nothing),
        Request::edits("a", lines),
        Request::notebook(
            "a",
            CellEdit::Delete {
                cell: "cell-0".to_owned(),
            },
        ),
        Request::notebook(
            "d/.ipynb",
            CellEdit::Delete {
                cell: "cell-0".to_owned(),
            },
        ),
    ] {
        assert_eq!(refused(change), (2, wpatch::report::ProblemKind::Usage));
    }
    assert_eq!(
        refused(Request::overwrite("a", vec![b'x'; (10 << 20) + 1])),
        (1, wpatch::report::ProblemKind::TooLarge)
    );
    assert_eq!(workspace.files()[&path].contents, b"one\n");
    let report = engine::check(Request::edit("a", "", "x"), &workspace).report;
    assert_eq!(
        (report.exit_code, report.error.unwrap().kind),
        (2, wpatch::report::ProblemKind::Usage)
    );
}
