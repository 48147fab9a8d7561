//! What users of Reasonix find here, statement by statement.

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::digest::Sha256;

use super::{Desk, fields};
use crate::tree;

mod blocks;
mod history;

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
        json!(["l", "windows-1252 cannot represent the text of the edit"])
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
