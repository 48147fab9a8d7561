//! What users of Reasonix find here, statement by statement.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::digest::Sha256;

use super::{Desk, fields};
use crate::tree;

/// Returns a block for `path`.
fn block(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
}

/// Returns a root with a history.
fn kept(files: &[(&str, &[u8])]) -> Desk {
    let desk = Desk::with(files);
    desk.does(&["init"], b"");
    desk
}

#[test]
fn s01_a_block_begins_and_ends_at_markers_of_seven() {
    let desk = Desk::with(&[("a", b"one\ntwo\nthree\n")]);
    let new = "<<<<<<<< SEARCH\n========\n======\n>>>>>>>> REPLACE\n>>>>>> REPLACE\n ======= \n";
    desk.does(&["apply"], block("a", "two\n", new).as_bytes());
    assert_eq!(desk.bytes("a"), format!("one\n{new}three\n").into_bytes());
    desk.does(&["apply"], block("a", new, "two\n").as_bytes());
    assert_eq!(desk.bytes("a"), b"one\ntwo\nthree\n");
}

#[test]
fn s02_an_empty_search_makes_a_file_and_an_empty_replace_takes_lines() {
    let desk = Desk::with(&[("a", b"one\ntwo\n")]);
    let report = desk.does(&["apply"], block("d/new", "", "hi\n").as_bytes());
    assert_eq!(
        (
            fields(&report["files"][0], &["path", "op"]),
            desk.bytes("d/new")
        ),
        (json!(["d/new", "create"]), b"hi\n".to_vec())
    );
    let error = desk.refuses("exists", &["apply"], block("a", "", "hi\n").as_bytes());
    assert_eq!(error["path"], "a");
    desk.does(&["apply"], block("a", "one\n", "").as_bytes());
    assert_eq!(desk.bytes("a"), b"two\n");
}

#[test]
fn s03_blocks_are_whole_lines_and_take_the_line_ends_of_the_file() {
    let desk = Desk::with(&[("a", b"one\r\ntwo \r\nthree"), ("lf", b"xtwo\ntwo\n")]);
    for old in ["two\n", "wo \n", " two \n", "TWO \n"] {
        desk.refuses("not_found", &["apply"], block("a", old, "2\n").as_bytes());
    }
    desk.does(&["apply"], block("a", "two \n", "2\n2b\n").as_bytes());
    assert_eq!(desk.bytes("a"), b"one\r\n2\r\n2b\r\nthree");
    desk.does(&["apply"], block("lf", "two\n", "2\n").as_bytes());
    assert_eq!(desk.bytes("lf"), b"xtwo\n2\n", "part of a line is no line");
}

#[test]
fn s04_a_block_sees_what_the_one_before_it_left() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let patch = block("a", "one\n", "two\n") + &block("a", "two\n", "three\n");
    let report = desk.does(&["apply"], patch.as_bytes());
    assert_eq!(desk.bytes("a"), b"three\n");
    let files = report["files"].as_array().unwrap().iter();
    let statuses: Value = files
        .map(|file| json!([file["path"], file["status"]]))
        .collect();
    assert_eq!(statuses, json!([["a", "ok"], ["a", "ok"]]));
    desk.refuses(
        "not_found",
        &["apply"],
        (block("a", "three\n", "4\n") + &block("a", "three\n", "5\n")).as_bytes(),
    );
}

/// A block that could be applied is `ok`; one that leads out of the root is among the problems
/// alone.
#[test]
fn s05_of_blocks_that_fail_each_is_named_with_its_status() {
    let desk = Desk::with(&[("kept", b"one\ntwo\n"), ("bad", b"one\n")]);
    let patch = [
        block("kept", "one\n", "1\n"),
        block("kept", "nowhere\n", "x\n"),
        block("new", "", "hi\n"),
        block("bad", "nowhere\n", "x\n"),
        block("none", "one\n", "1\n"),
        block("../out", "one\n", "1\n"),
    ];
    let arguments = ["apply", "-"];
    let error = desk.refuses("outside_root", &arguments, patch.concat().as_bytes());
    assert_eq!(
        fields(&error, &["path", "message"]),
        json!(["../out", "the path leads out of the root"])
    );
    let report = desk.says(&arguments, patch.concat().as_bytes());
    let told = |file: &Value| {
        let hunks: Value = file["hunks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hunk| hunk["status"].clone())
            .collect();
        json!([file["path"], file["op"], file["status"], hunks])
    };
    let files: Value = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(told)
        .collect();
    let expected = json!([
        ["kept", "modify", "ok", ["clean"]],
        ["kept", "modify", "not_found", ["not_found"]],
        ["new", "create", "ok", ["clean"]],
        ["bad", "modify", "not_found", ["not_found"]],
        ["none", "modify", "missing", ["unplaced"]],
    ]);
    assert_eq!(files, expected);
    let problems = report["problems"].as_array().unwrap().iter();
    let problems: Value = problems
        .map(|problem| json!([problem["kind"], problem["path"], problem["span"]["line"]]))
        .collect();
    let expected = json!([
        ["outside_root", "../out", 30],
        ["not_found", "kept", 8],
        ["not_found", "bad", 19],
        ["missing", "none", 25]
    ]);
    assert_eq!(problems, expected);
}

#[test]
fn s05_a_block_that_fits_twice_is_refused() {
    let desk = Desk::with(&[("a", b"x\ny\nx\n")]);
    let error = desk.refuses("ambiguous", &["apply"], block("a", "x\n", "z\n").as_bytes());
    assert_eq!(
        fields(&error, &["path", "lines", "count"]),
        json!(["a", [1, 3], 2])
    );
}

#[test]
fn s06_entries_are_applied_by_the_numbers_that_a_check_shows() {
    let desk = Desk::with(&[("a", b"1\n2\n3\n")]);
    let patch =
        block("a", "1\n", "one\n") + &block("a", "2\n", "two\n") + &block("a", "3\n", "three\n");
    let report = desk.does(&["apply", "--only", "1,3"], patch.as_bytes());
    assert_eq!(desk.bytes("a"), b"one\n2\nthree\n");
    assert_eq!(report["left_out"], json!([{"id": "f2", "path": "a"}]));
    // A step that needs one that was left out is matched as it stands.
    let chained = block("a", "2\n", "two\n") + &block("a", "two\n", "zwei\n");
    desk.refuses("not_found", &["apply", "--only", "2"], chained.as_bytes());
}

#[test]
fn s07_an_approval_is_one_of_the_chosen_entries_alone() {
    let desk = Desk::with(&[("a", b"1\n2\n3\n")]);
    let patch =
        block("a", "1\n", "one\n") + &block("a", "2\n", "two\n") + &block("a", "3\n", "three\n");
    let checked = desk.does(&["check"], patch.as_bytes());
    let shown = |file: &Value| json!([file["id"], file["diff"].as_str().unwrap().lines().last()]);
    let entries: Value = checked["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(shown)
        .collect();
    assert_eq!(
        entries,
        json!([["f1", " 3"], ["f2", " 3"], ["f3", "+three"]])
    );
    let id = |list: &[&str]| {
        desk.does(&[&["check"], list].concat(), patch.as_bytes())["plan_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (whole, some) = (id(&[]), id(&["--only", "1,3"]));
    desk.refuses(
        "stale",
        &["apply", "--approve", &whole, "--only", "1,3"],
        patch.as_bytes(),
    );
    desk.refuses("stale", &["apply", "--approve", &some], patch.as_bytes());
    desk.refuses(
        "stale",
        &["apply", "--approve", &some, "--only", "1-2"],
        patch.as_bytes(),
    );
    desk.does(
        &["apply", "--approve", &some, "--only", "f3,f1"],
        patch.as_bytes(),
    );
    assert_eq!(desk.bytes("a"), b"one\n2\nthree\n");
}

#[test]
fn s07_a_refusal_has_its_reason_in_the_log() {
    let desk = kept(&[("a", b"1\n")]);
    let id = desk.does(&["check"], block("a", "1\n", "one\n").as_bytes())["plan_id"]
        .as_str()
        .unwrap()
        .to_owned();
    desk.does(&["reject", &id, "--reason", "not now"], b"");
    let entry = desk.does(&["log"], b"")["entries"][0].clone();
    assert_eq!(
        fields(&entry, &["state", "plan_id", "reason"]),
        json!(["rejected", id, "not now"])
    );
    desk.refuses(
        "approval_required",
        &["apply", "--approve", &id],
        block("a", "1\n", "one\n").as_bytes(),
    );
}

#[test]
fn s19_a_plan_that_was_saved_is_stale_when_the_tree_moved() {
    let desk = kept(&[("a", b"1\n2\n")]);
    let report = desk.does(&["check", "--save"], block("a", "1\n", "one\n").as_bytes());
    let id = report["saved"]["id"].as_str().unwrap();
    fs::write(desk.path("a"), "1\n3\n").unwrap();
    desk.refuses("stale", &["apply", "--plan", id], b"");
    fs::write(desk.path("a"), "1\n2\n").unwrap();
    desk.does(&["apply", "--plan", id], b"");
    assert_eq!(desk.bytes("a"), b"one\n2\n");
}

#[test]
fn s08_the_nearest_place_and_ambiguous_lines_are_short() {
    let long = format!("start\n{} = tail\n{}", "x".repeat(5000), "k\n".repeat(20));
    let desk = Desk::with(&[
        ("calc.py", b"def f():\n    result = 0\n    return result\n"),
        ("long", long.as_bytes()),
    ]);
    let edit = |file, old| ["edit", file, "--old", old, "--new", "n"];
    let error = desk.refuses("not_found", &edit("calc.py", "    result = 42\n"), b"");
    assert_eq!(
        fields(&error["nearest"], &["line", "text"]),
        json!([2, ["    result = 0"]])
    );
    let error = desk.refuses("not_found", &edit("long", "y = tail"), b"");
    let text = error["nearest"]["text"][0].as_str().unwrap();
    assert_eq!(
        (&error["nearest"]["line"], text.chars().count() <= 200),
        (&json!(2), true),
        "{text}"
    );
    let error = desk.refuses("ambiguous", &edit("long", "k"), b"");
    assert_eq!(
        fields(&error, &["count", "lines"]),
        json!([20, [3, 4, 5, 6, 7, 8, 9, 10]])
    );
}

#[test]
fn s09_of_edits_in_turn_all_are_made_or_none() {
    let desk = Desk::with(&[("a", b"one\ntwo\ntwo\n")]);
    let run = ["edit", "a", "--edits", "-", "--sequential"];
    let good = r#"[{"old":"one","new":"two"},{"old":"two","new":"2","all":true},{"old":"2\n2\n2","new":"3"}]"#;
    let error = desk.refuses("not_found", &run, good.replace("2\\n2\\n2", "4").as_bytes());
    assert_eq!(error["index"], 2);
    let error = desk.refuses(
        "ambiguous",
        &run,
        good.replace(r#","all":true"#, "").as_bytes(),
    );
    assert_eq!(fields(&error, &["index", "count"]), json!([1, 3]));
    desk.does(&run, good.as_bytes());
    assert_eq!(desk.bytes("a"), b"3\n");
}

#[test]
fn s10_a_file_that_is_not_the_expected_one_is_stale() {
    let desk = Desk::with(&[("a", b"one\n"), ("b", b"one\n")]);
    let (right, wrong) = (
        Sha256::of(b"one\n").to_string(),
        Sha256::of(b"two\n").to_string(),
    );
    let edit = |hash| {
        [
            "edit",
            "a",
            "--old",
            "nowhere",
            "--new",
            "n",
            "--expect-hash",
            hash,
        ]
    };
    let error = desk.refuses("stale", &edit(&wrong), b"");
    assert_eq!(
        fields(&error, &["path", "expected", "actual"]),
        json!(["a", wrong, right])
    );
    desk.refuses("not_found", &edit(&right), b"");
    let entries = |expected: &str| {
        let entry = |path| json!({"path": path, "old": "one", "new": "1", "expected": expected});
        json!({"edits": [entry("a"), entry("b")]}).to_string()
    };
    let error = desk.refuses("stale", &["apply"], entries("two\n").as_bytes());
    assert_eq!(
        fields(&error, &["path", "expected", "actual"]),
        json!(["a", wrong, right])
    );
    desk.does(&["apply"], entries("one\n").as_bytes());
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"1\n".to_vec(), b"1\n".to_vec())
    );
    let whole =
        json!({"replace": [{"path": "a", "content": "x", "expected": "one\n"}]}).to_string();
    desk.refuses("stale", &["apply"], whole.as_bytes());
}

#[test]
fn s11_a_text_in_another_encoding_is_replaced_in_it() {
    // 名称 and 名字, and a byte that is neither text nor in the way.
    let desk = Desk::with(&[
        ("a", b"\xc3\xfb\xb3\xc6 = 1\n\xff\n"),
        ("l", b"caf\xe9\n"),
        ("u", "名称\n".as_bytes()),
    ]);
    let edit = |file, encoding, old, new| {
        [
            "edit",
            file,
            "--encoding",
            encoding,
            "--old",
            old,
            "--new",
            new,
        ]
    };
    let report = desk.does(&edit("a", "gb18030", "名称", "名字"), b"");
    assert_eq!(desk.bytes("a"), b"\xc3\xfb\xd7\xd6 = 1\n\xff\n");
    assert_eq!(report["files"][0]["encoding"], "gb18030");
    let report = desk.does(&edit("u", "auto", "名称", "名字"), b"");
    assert_eq!(
        (&report["files"][0]["encoding"], desk.bytes("u")),
        (&json!("utf-8"), "名字\n".as_bytes().to_vec())
    );
    let error = desk.refuses("encoding", &edit("l", "latin1", "f", "名"), b"");
    assert_eq!(
        fields(&error, &["path", "message"]),
        json!(["l", "windows-1252 cannot hold a text of the edit"])
    );
    desk.refuses("encoding", &edit("l", "klingon", "f", "g"), b"");
}

#[test]
fn s12_of_a_notebook_nothing_changes_but_the_cell() {
    let other = r#"{"cell_type": "raw","own":[1.50E+00, -0.0,NaN],
  "id":"b", "sou\u0072ce" : "caf\u00e9\/", "metadata":{ }}"#;
    let text = format!(
        "{{\"z\":1e400,\"cells\":[{{\"cell_type\":\"raw\",\"id\":\"a\",\"metadata\":{{}},\"source\":[]}},\r\n{other}],\"nbformat_minor\":5,\"nbformat\":4, \"a\":0}}"
    );
    let desk = Desk::with(&[("n.ipynb", text.as_bytes())]);
    desk.does(
        &[
            "notebook", "replace", "n.ipynb", "--cell", "a", "--source", "x",
        ],
        b"",
    );
    assert_eq!(
        desk.bytes("n.ipynb"),
        text.replacen("[]", "[\"x\"]", 1).into_bytes()
    );
}

#[test]
fn s13_a_rename_takes_no_file_away() {
    let desk = Desk::with(&[("A", b"1\n"), ("b", b"2\n")]);
    let rename = |to| {
        format!("diff --git a/A b/{to}\nsimilarity index 100%\nrename from A\nrename to {to}\n")
    };
    let error = desk.refuses("exists", &["apply"], rename("b").as_bytes());
    assert_eq!(error["path"], "b");
    let report = desk.does(&["apply"], rename("a").as_bytes());
    assert_eq!(
        fields(&report["files"][0], &["op", "from", "path"]),
        json!(["rename", "A", "a"])
    );
    let names: Vec<_> = tree::read(&desk.root())
        .into_keys()
        .map(|path| path.to_string())
        .collect();
    assert_eq!(
        (names, desk.bytes("a")),
        (vec!["a".to_owned(), "b".to_owned()], b"1\n".to_vec())
    );
}

#[test]
fn s14_a_span_goes_from_one_text_to_another() {
    let desk = Desk::with(&[("a", b"x <b>\nmid\n</b> y <i>\n")]);
    let span = |from, to| ["edit", "a", "--from", from, "--to", to, "--new", ""];
    desk.refuses("ambiguous", &span("<", "</b>"), b"");
    desk.refuses("not_found", &span("<b>", "</c>"), b"");
    desk.does(&span("<b>", "</b>"), b"");
    assert_eq!(desk.bytes("a"), b"x  y <i>\n");
}

#[test]
fn s16_a_change_is_taken_back_with_all_that_it_did() {
    let desk = kept(&[
        ("a", b"one\r\n"),
        ("run", b"#!/bin/sh\n"),
        ("gone", b"gone"),
    ]);
    let before = tree::read(&desk.root());
    let patch = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n\
                 diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\\ No newline at end of file\n\
                 diff --git a/d/e/new b/d/e/new\nnew file mode 100644\n--- /dev/null\n+++ b/d/e/new\n@@ -0,0 +1 @@\n+new\n\
                 --- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\r\n+1\r\n";
    desk.does(&["apply"], patch.as_bytes());
    assert_eq!(
        (
            desk.bytes("a"),
            desk.path("gone").exists(),
            desk.bytes("d/e/new")
        ),
        (b"1\r\n".to_vec(), false, b"new\n".to_vec())
    );
    let report = desk.does(&["undo"], b"");
    assert_eq!(
        (
            report["changed"].clone(),
            tree::read(&desk.root()) == before
        ),
        (json!(true), true)
    );
    assert!(
        !desk.path("d").exists()
            && fs::metadata(desk.path("run")).unwrap().permissions().mode() & 0o111 == 0
    );
}

#[test]
fn s16_a_file_that_was_changed_since_stops_the_undo() {
    let desk = kept(&[("a", b"one\n"), ("b", b"one\n")]);
    let entry = |path| json!({"path": path, "old": "one", "new": "two"});
    desk.does(
        &["apply"],
        json!({"edits": [entry("a"), entry("b")]})
            .to_string()
            .as_bytes(),
    );
    desk.refuses(
        "not_found",
        &["edit", "a", "--old", "nowhere", "--new", "x"],
        b"",
    );
    let entries = |desk: &Desk| {
        desk.does(&["log"], b"")["entries"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(entries(&desk), 1, "a change that is refused is none");
    fs::write(desk.path("b"), "mine\n").unwrap();
    assert_eq!(desk.refuses("conflict", &["undo"], b"")["path"], "b");
    desk.does(&["undo", "--force"], b"");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b"), entries(&desk)),
        (b"one\n".to_vec(), b"one\n".to_vec(), 2)
    );
}

#[test]
fn s17_what_was_killed_is_rolled_back_by_the_next_command() {
    let desk = kept(&[("a", b"one\n"), ("b", b"one\n")]);
    let entry = |path| json!({"path": path, "old": "one", "new": "two"});
    fs::write(
        desk.path("../p"),
        json!({"edits": [entry("a"), entry("b")]}).to_string(),
    )
    .unwrap();
    let mut strace = Command::new("strace");
    // The second file is what the kill keeps from coming.
    strace.args([
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "inject=renameat2:signal=KILL:when=2",
    ]);
    let killed = strace
        .arg(env!("CARGO_BIN_EXE_wpatch"))
        .args(["apply", "../p"])
        .current_dir(desk.root())
        .status()
        .unwrap();
    assert!(
        !killed.success() && desk.bytes("a") != desk.bytes("b"),
        "half of it is done"
    );
    let report = desk.does(&["edit", "b", "--old", "one", "--new", "1"], b"");
    assert_eq!(
        report["transaction"]["recovered"][0]["ending"],
        "rolled_back"
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"one\n".to_vec(), b"1\n".to_vec())
    );
    desk.does(&["undo"], b"");
    let log = desk.does(&["log"], b"");
    let states: Value = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| fields(entry, &["command", "state"]))
        .collect();
    assert_eq!(
        states,
        json!([
            ["undo", "committed"],
            ["edit", "undone"],
            ["apply", "aborted"]
        ])
    );
    let aborted = log["entries"][2]["id"].as_str().unwrap();
    desk.refuses("nothing_to_undo", &["undo", aborted], b"");
    assert_eq!(desk.runs(&["show", aborted], b"").status.code(), Some(0));
    desk.does(&["redo"], b"");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"one\n".to_vec(), b"1\n".to_vec())
    );
}

#[test]
fn s18_the_log_says_what_was_done_and_show_how() {
    let desk = kept(&[("a", b"one\ntwo\n")]);
    desk.does(&["edit", "a", "--old", "two", "--new", "three"], b"");
    desk.does(&["write", "b", "--content", "b\n"], b"");
    let log = desk.does(&["log"], b"");
    let entry = |entry: &Value| {
        let file = &entry["files"][0];
        let versions =
            [&file["before"], &file["after"]].map(|version| fields(version, &["size", "mode"]));
        json!([
            entry["command"],
            entry["coverage"],
            entry["state"],
            file["path"],
            file["op"],
            versions
        ])
    };
    let entries: Value = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(entry)
        .collect();
    let none = json!([null, null]);
    let expected = json!([
        [
            "write",
            "full",
            "committed",
            "b",
            "create",
            [none, [2, null]]
        ],
        [
            "edit",
            "full",
            "committed",
            "a",
            "modify",
            [[8, "0644"], [10, "0644"]]
        ],
    ]);
    assert_eq!(entries, expected);
    let newest = &log["entries"][1];
    let hash = |bytes: &[u8]| wpatch::digest::Digest::of(bytes).to_string();
    let hashes = json!([
        newest["files"][0]["before"]["xxh3"],
        newest["files"][0]["after"]["xxh3"]
    ]);
    assert_eq!(hashes, json!([hash(b"one\ntwo\n"), hash(b"one\nthree\n")]));
    let (id, time) = (
        newest["id"].as_str().unwrap(),
        newest["time"].as_str().unwrap(),
    );
    assert!(
        time.len() == 20 && time.ends_with('Z') && id.is_ascii(),
        "{id} {time}"
    );
    let shown = String::from_utf8(desk.runs(&["show", id], b"").stdout).unwrap();
    let expected = format!(
        "{id} {time} edit\n  modify a\ndiff --git a/a b/a\nindex 814f4a422927..4c7442bcf5ac 100644\n--- a/a\n+++ b/a\n\
         @@ -1,2 +1,2 @@\n one\n-two\n+three\n"
    );
    assert_eq!(shown, expected);
}

#[test]
fn s15_the_strict_set_closes_keys_and_settings_for_reading() {
    let desk = Desk::with(&[
        ("wpatch.toml", b"[policy]\nsecrets = 'strict'\n"),
        ("a.txt", b"1\n"),
        (".env.example", b"A=\n"),
    ]);
    for name in [
        ".env",
        "d/server.pem",
        "tls.key",
        "d/e/x.p12",
        "x.pfx",
        ".git-credentials",
    ] {
        fs::create_dir_all(desk.path(name).parent().unwrap()).unwrap();
        fs::write(desk.path(name), "A=1\n").unwrap();
        desk.refuses("denied", &["read", name], b"");
        desk.refuses("denied", &["edit", name, "--old", "1", "--new", "2"], b"");
    }
    for name in ["a.txt", ".env.example"] {
        assert!(desk.runs(&["read", name], b"").status.success(), "{name}");
    }
}
