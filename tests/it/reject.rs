//! `--reject`: what fits is done, hunks that do not are written beside their file.

use std::process::Command;

use fs_err as fs;
use serde_json::{Value, json};

use crate::oracle::quiet;
use crate::repository::git;
use crate::systems::Desk;
use crate::tree::{self, Tree};
use crate::world;
use index::repository;

mod index;
mod plans;
mod series;

/// Ten lines.
pub(crate) const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

/// Of three hunks the first and the last fit; those of the second file do not.
pub(crate) const MIXED: &str = "\
diff --git a/a b/a
--- a/a
+++ b/a
@@ -1,2 +1,3 @@
-1
+one
+more
 2
@@ -4,3 +5,3 @@ section
 4
-FIVE
+V
 6
@@ -9,2 +10,2 @@
 9
-10
+ten
\\ No newline at end of file
diff --git a/b b/sub/moved
old mode 100644
new mode 100755
rename from b
rename to sub/moved
--- a/b
+++ b/sub/moved
@@ -1 +1 @@
-no
+yes
diff --git a/new b/new
new file mode 100644
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+new
";

fn desk() -> Desk {
    Desk::with(&[
        ("a", LINES.as_bytes()),
        ("b", b"text\n"),
        ("../patch", MIXED.as_bytes()),
    ])
}

/// Lets git and the program apply `patch` and reject what does not fit, and compares what is left.
fn alike(files: &[(&str, &[u8])], options: &[&str], patch: &str) -> Tree {
    let trees = [(); 2].map(|()| Desk::with(&[files, &[("../patch", patch.as_bytes())]].concat()));
    let programs = ["git", env!("CARGO_BIN_EXE_wpatch")];
    let codes = [0, 1].map(|index| {
        let mut command = Command::new(programs[index]);
        command
            .args(["apply", "--reject"])
            .args(options)
            .arg("../patch");
        let root = trees[index].root();
        quiet(command, &root, root.parent().unwrap()).status.code()
    });
    let [theirs, ours] = [0, 1].map(|index| tree::read(&trees[index].root()));
    assert_eq!(
        (codes[1], &ours),
        (codes[0], &theirs),
        "{options:?} {patch}"
    );
    ours
}

#[cfg(unix)]
#[test]
fn what_git_rejects_is_rejected_with_its_words() {
    let files: &[(&str, &[u8])] = &[
        ("a", LINES.as_bytes()),
        ("b", b"text\n"),
        ("gone", b"more\nthan that\n"),
    ];
    let left = alike(files, &[], MIXED);
    assert_eq!(
        left.keys().map(ToString::to_string).collect::<Vec<_>>(),
        ["a", "a.rej", "gone", "new", "sub/moved", "sub/moved.rej"]
    );
    alike(files, &[], &MIXED.replace("-FIVE", "-5"));
    alike(
        files,
        &[],
        &MIXED.replace("-text", "-no").replace("-10", "-ten"),
    );
    let missing =
        "diff --git a/missing b/missing\n--- a/missing\n+++ b/missing\n@@ -1 +1 @@\n-1\n+2\n";
    alike(files, &[], &format!("{missing}{MIXED}"));
    let deletion = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-more\n";
    alike(files, &[], &format!("{MIXED}{deletion}"));
    alike(files, &[], missing);
    let exists = "diff --git a/gone b/gone\nnew file mode 100644\n--- /dev/null\n+++ b/gone\n@@ -0,0 +1 @@\n+x\n";
    alike(files, &[], &format!("{exists}{MIXED}"));
    alike(
        &[
            ("d/a", LINES.as_bytes()),
            ("d/b", b"text\n"),
            ("d/a.rej", b"old\n"),
        ],
        &["--directory=d"],
        MIXED,
    );
    let backward =
        "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+1\n 2\n@@ -9,2 +9,2 @@\n 9\n-TEN\n+X\n";
    alike(files, &["-R"], backward);
}

#[test]
fn the_report_says_what_was_rejected_and_where_it_is() {
    let desk = desk();
    let report = desk.says(&["apply", "--reject", "../patch"], b"");
    let told = (
        &report["ok"],
        &report["changed"],
        &report["outcome"],
        &report["exit_code"],
        &report["error"]["kind"],
    );
    assert_eq!(
        told,
        (
            &json!(false),
            &json!(true),
            &json!("partial"),
            &json!(1),
            &json!("not_found")
        )
    );
    let file = &report["files"][0];
    let sha256 = wpatch::digest::Sha256::of(&desk.bytes("a.rej")).to_string();
    assert_eq!(
        file["rejects"],
        json!({"path": "a.rej", "hunks": ["f1h2"], "sha256": sha256})
    );
    let statuses: Vec<_> = file["hunks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hunk| &hunk["status"])
        .collect();
    assert_eq!(statuses, ["clean", "not_found", "clean"]);
    let of_all = |name: &str| {
        report["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| file[name].clone())
            .collect::<Value>()
    };
    assert_eq!(of_all("status"), json!(["partial", "partial", "ok"]));
    assert_eq!(
        (of_all("added"), of_all("removed")),
        (json!([3, 0, 1]), json!([2, 0, 0]))
    );
    let output = self::desk().runs(&["apply", "--reject", "-v", "../patch"], b"");
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(
        said.contains("a +3 -2, 1 hunk rejected to a.rej\n") && said.contains("partly applied:"),
        "{said}"
    );
}

#[test]
fn a_look_says_the_same_and_writes_nothing() {
    let desk = desk();
    let before = tree::read(&desk.root());
    let report = desk.says(&["check", "--reject", "../patch"], b"");
    assert_eq!(
        (&report["outcome"], &report["changed"], &report["exit_code"]),
        (&json!("would_be_partial"), &json!(false), &json!(1))
    );
    assert_eq!(report["files"][1]["rejects"]["path"], "sub/moved.rej");
    assert_eq!(tree::read(&desk.root()), before);
    let report = desk.does(
        &["check", "--reject"],
        MIXED
            .replace("-FIVE", "-5")
            .replace("-no", "-text")
            .as_bytes(),
    );
    assert_eq!(report["files"][0].get("rejects"), None);
}

#[test]
fn the_text_of_a_saved_partial_plan_has_its_id() {
    let desk = desk();
    desk.does(&["init"], b"");
    let output = desk.runs(&["check", "--save", "--reject", "../patch"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    let plan_id = desk.says(&["check", "--reject", "../patch"], b"")["plan_id"].clone();
    let (_, saved) = text.split_once("saved until ").unwrap();
    assert!(
        saved.trim_end().ends_with(plan_id.as_str().unwrap()),
        "{text}"
    );
}

#[test]
fn the_file_for_rejects_may_be_named() {
    let [named, nowhere] = [desk(), desk()];
    let report = named.says(&["apply", "--reject", "-r", "sub/all", "../patch"], b"");
    let rejects = &report["files"][0]["rejects"];
    assert_eq!(
        (&rejects["path"], &rejects["hunks"]),
        (&json!("sub/all"), &json!(["f1h2"]))
    );
    let text = String::from_utf8(named.bytes("sub/all")).unwrap();
    assert_eq!(text.matches("(rejected hunks)").count(), 2, "{text}");
    let report = nowhere.says(&["apply", "--reject", "--reject-file=-", "../patch"], b"");
    assert_eq!(report["files"][0]["rejects"], json!({"hunks": ["f1h2"]}));
    let listed = |desk: &Desk| {
        tree::read(&desk.root())
            .keys()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(&named), ["a", "new", "sub/all", "sub/moved"]);
    assert_eq!(listed(&nowhere), ["a", "new", "sub/moved"]);
    for (kind, file) in [
        ("usage", "a"),
        ("outside_root", "../all"),
        ("outside_root", "/all"),
    ] {
        desk().refuses(kind, &["apply", "--reject", "-r", file], MIXED.as_bytes());
    }
    desk().refuses("usage", &["apply", "-r", "all"], MIXED.as_bytes());
}

#[test]
fn it_is_undone_as_one_with_what_was_there_before() {
    let desk = Desk::with(&[
        ("a", LINES.as_bytes()),
        ("b", b"text\n"),
        ("a.rej", b"mine\n"),
        (".git/HEAD", b""),
    ]);
    let files = |desk: &Desk| {
        let mut files = tree::read(&desk.root());
        files.retain(|path, _| !path.as_bytes().starts_with(b".git"));
        files
    };
    let before = files(&desk);
    desk.says(&["apply", "--reject"], MIXED.as_bytes());
    assert!(
        desk.bytes("a.rej")
            .starts_with(b"diff a/a b/a\t(rejected hunks)\n@@ -4,3")
    );
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

#[test]
fn what_is_forbidden_is_never_done_in_part() {
    let outside = MIXED
        .replace("b/new", "b/../new")
        .replace("a/new", "a/../new");
    let cases = [
        ("outside_root", outside),
        ("denied", MIXED.replace("new", ".git/x")),
        ("parse", MIXED.replace("-9,2", "-9,3")),
    ];
    for (kind, patch) in cases {
        desk().refuses(kind, &["apply", "--reject"], patch.as_bytes());
    }
    let rule = b"[[rule]]\npaths = ['*.rej']\nops = ['write']\nverdict = 'deny'\nreason = 'no'\n";
    let closed = Desk::with(&[
        ("a", LINES.as_bytes()),
        ("b", b"text\n"),
        ("wpatch.toml", rule),
    ]);
    closed.refuses("denied", &["apply", "--reject"], MIXED.as_bytes());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_or_over_a_directory() {
    let desk = Desk::with(&[
        ("a", LINES.as_bytes()),
        ("b", b"text\n"),
        ("kept", b"kept\n"),
        ("sub/moved.rej/x", b"x\n"),
    ]);
    world::link("kept", desk.path("a.rej")).unwrap();
    let report = desk.says(&["apply", "--reject"], MIXED.as_bytes());
    assert_eq!(report["files"][1]["status"], "not_a_file");
    assert_eq!(
        (desk.bytes("kept"), desk.bytes("b")),
        (b"kept\n".to_vec(), b"text\n".to_vec())
    );
    assert!(fs::symlink_metadata(desk.path("a.rej")).unwrap().is_file());
}

#[test]
fn a_file_that_could_not_go_is_not_overwritten() {
    let swap = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-other\n\
                diff --git a/gone b/gone\nnew file mode 120000\n--- /dev/null\n+++ b/gone\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n";
    let desk = Desk::with(&[("gone", b"work\n"), ("a", b"1\n")]);
    desk.says(&["apply", "--reject"], swap.as_bytes());
    assert_eq!(desk.bytes("gone"), b"work\n");
}

#[cfg(unix)]
#[test]
fn it_stands_beside_no_merge_as_with_git() {
    let desk = repository(MIXED, &[]);
    let output = git(&["apply", "--reject", "--3way", "../patch"])
        .current_dir(desk.root())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(128));
    let error = desk.refuses("usage", &["apply", "--reject", "--3way", "../patch"], b"");
    let said = error["message"].as_str().unwrap();
    assert!(
        said.contains("--reject") && said.contains("--3way"),
        "{said}"
    );
}
