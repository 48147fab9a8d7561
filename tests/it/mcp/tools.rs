//! The effects of the tools.

use fs_err as fs;
use serde_json::json;

use super::Client;
use crate::systems::Desk;

#[test]
fn a_view_shows_numbered_lines_or_the_names_in_a_directory() {
    let desk = Desk::with(&[
        ("a", b"one\r\ntwo\r\nthree\r\n"),
        ("d/b", b""),
        (".hidden", b""),
    ]);
    let mut client = Client::of(&desk, &[]);
    assert_eq!(
        client.does("view", &json!({"path": "a"})),
        "     1\tone\r\n     2\ttwo\r\n     3\tthree\r\n"
    );
    let last = client.does("view", &json!({"path": "a", "view_range": [2, -1]}));
    assert_eq!(last, "     2\ttwo\r\n     3\tthree\r\n");
    let first = client.does("view", &json!({"path": "a", "view_range": [1, 1]}));
    assert_eq!(
        first,
        "     1\tone\r\n(the file continues at line 2 of 3)\n"
    );
    let tagged = json!({"path": "a", "view_range": [1, 2], "hashline": true});
    let text = client.does("view", &tagged);
    assert!(
        text.starts_with("[a#") && text.ends_with("\n(the file continues at line 3 of 3)\n"),
        "{text}"
    );
    let behind = client.does("view", &json!({"path": "a", "view_range": [7, 9]}));
    assert_eq!(behind, "(no lines in this range: the file has 3 lines)\n");
    for root in ["", ".", desk.root().to_str().unwrap()] {
        assert_eq!(
            client.does("view", &json!({"path": root})),
            "a\nd/\n",
            "{root}"
        );
    }
    assert_eq!(client.does("view", &json!({"path": desk.path("d")})), "b\n");
    client.ends();
}

#[test]
fn the_commands_that_edit_do_what_they_say() {
    let desk = Desk::with(&[("a", b"one\r\ntwo\r\nthree\r\n")]);
    let mut client = Client::of(&desk, &[]);
    let text = client.does(
        "str_replace",
        &json!({"path": desk.path("a"), "old_str": "two\n", "new_str": "2\n2\n"}),
    );
    assert!(text.contains("\n-two\r\n+2\r\n+2\r\n"), "{text}");
    client.does("str_replace", &json!({"path": "a", "old_str": "three\n"}));
    client.does(
        "insert",
        &json!({"path": "a", "insert_line": 0, "insert_text": "0"}),
    );
    client.does(
        "insert",
        &json!({"path": "a", "insert_line": 4, "new_str": "end\n"}),
    );
    client.does("create", &json!({"path": "n/m/c", "file_text": "new\n"}));
    assert_eq!(desk.bytes("a"), b"0\r\none\r\n2\r\n2\r\nend\r\n");
    assert_eq!(desk.bytes("n/m/c"), b"new\n");

    let editor = "str_replace_based_edit_tool";
    let whole = client.does(editor, &json!({"command": "view", "path": "n/m/c"}));
    assert_eq!(whole, "     1\tnew\n");
    client.does(
        editor,
        &json!({"command": "insert", "path": "n/m/c", "insert_line": 1, "insert_text": "x"}),
    );
    client.does(
        "str_replace_editor",
        &json!({"command": "create", "path": "e", "file_text": ""}),
    );
    assert_eq!(
        (desk.bytes("n/m/c"), desk.bytes("e")),
        (b"new\nx\n".to_vec(), Vec::new())
    );
    client.ends();
}

#[test]
fn a_change_that_was_checked_is_applied_with_its_approval() {
    let desk = Desk::with(&[("a", b"one\n"), ("b", b"one\n")]);
    let mut client = Client::of(&desk, &[]);
    let both = "--- a\n+++ a\n@@ -1 +1 @@\n-one\n+1\n--- b\n+++ b\n@@ -1 +1 @@\n-one\n+1\n";
    let (text, document, _) = client.calls("check_patch", &json!({"patch": both, "strip": 0}));
    let plan = document["plan_id"].as_str().unwrap();
    assert!(text.contains(&format!("\nplan_id: {plan}\n")), "{text}");
    assert_eq!(desk.bytes("a"), b"one\n");
    fs::write(desk.path("b"), "one\ntwo\n").unwrap();
    client.is_refused(
        "not_found",
        "apply_patch",
        &json!({"patch": both, "strip": 0, "approve": plan}),
    );
    fs::write(desk.path("b"), "one\n").unwrap();
    client.is_refused(
        "stale",
        "apply_patch",
        &json!({"patch": both, "strip": 0, "approve": format!("sha256:{}", "0".repeat(64))}),
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"one\n".to_vec(), b"one\n".to_vec())
    );
    let text = client.does(
        "apply_patch",
        &json!({"patch": both, "strip": 0, "approve": plan}),
    );
    assert!(
        text.starts_with("modify a +1 -1\nmodify b +1 -1\napplied: 2 files changed"),
        "{text}"
    );
    client.ends();
}

#[test]
fn patches_of_every_grammar_are_applied() {
    let desk = Desk::with(&[("a", b"1\n")]);
    let mut client = Client::of(&desk, &[]);
    for (patch, left) in [
        (
            "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** End Patch\n",
            "2\n",
        ),
        ("a\n<<<<<<< SEARCH\n2\n=======\n3\n>>>>>>> REPLACE\n", "3\n"),
        (
            r#"{"edits": [{"path": "a", "old": "3", "new": "4"}]}"#,
            "4\n",
        ),
        (
            &format!(
                "*** Begin Patch\n*** Update File: {}\n@@\n-4\n+5\n*** End Patch\n",
                desk.path("a").display()
            ),
            "5\n",
        ),
    ] {
        client.does("apply_patch", &json!({"patch": patch}));
        assert_eq!(desk.bytes("a"), left.as_bytes());
    }
    let miscounted = "--- a/a\n+++ b/a\n@@ -1,5 +1,0 @@\n-5\n+6\n";
    client.is_refused("parse", "apply_patch", &json!({"patch": miscounted}));
    let text = client.does(
        "apply_patch",
        &json!({"patch": miscounted, "lenient": true}),
    );
    assert!(text.contains("warning"), "{text}");
    assert_eq!(desk.bytes("a"), b"6\n");
    let typed = json!({"path": "a", "old_str": "6  \n", "new_str": "7  \n"});
    client.is_refused("not_found", "str_replace", &typed);
    let lenient = json!({"command": "str_replace", "path": "a", "old_str": "6  \n", "new_str": "7\n", "lenient": true});
    for name in ["str_replace", "str_replace_based_edit_tool"] {
        let text = client.does(name, &lenient);
        assert!(text.contains("warning"), "{text}");
        assert_eq!(desk.bytes("a"), b"7\n");
        fs::write(desk.path("a"), "6\n").unwrap();
    }
    client.ends();
}

#[test]
fn a_tool_reports_the_same_fault_as_the_program() {
    let desk = Desk::with(&[("a", b"x\ny\nx\n")]);
    let mut client = Client::of(&desk, &[]);
    let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n x\n-q\n+z\n";
    let edit = ["edit", "a", "--old", "x", "--new", "z"];
    for (name, arguments, report) in [
        (
            "str_replace",
            json!({"path": "a", "old_str": "x", "new_str": "z"}),
            desk.says(&edit, b""),
        ),
        (
            "check_patch",
            json!({"patch": patch}),
            desk.says(&["check"], patch.as_bytes()),
        ),
    ] {
        let problem = client.calls(name, &arguments).1["problems"][0].clone();
        for field in ["kind", "path", "message"] {
            assert_eq!(problem[field], report["error"][field], "{name} {field}");
        }
    }
    let view = client.does("view", &json!({"path": "a"}));
    assert_eq!(view, desk.says(&["read", "a", "--number"], b"")["content"]);
    client.ends();
}

#[cfg(feature = "code-guard")]
#[test]
fn symbols_are_listed_shown_and_edited() {
    let text = b"class A:\n    def f(self):\n        pass\n\n    def g(self): pass\n";
    let desk = Desk::with(&[("a.py", text)]);
    let mut client = Client::of(&desk, &[]);
    assert_eq!(
        client.does("list", &json!({"path": "a.py", "symbols": true})),
        "1-5\tclass\tA\n2-3\tmethod\tA.f\n5-5\tmethod\tA.g\n"
    );
    let shown = client.does("view", &json!({"path": "a.py", "symbol": "A.f"}));
    assert!(
        shown.starts_with("     2\t    def f(self):\n     3\t"),
        "{shown}"
    );
    client.does(
        "edit",
        &json!({"edits": [
            {"path": "a.py", "symbol": "f", "new_str": "    f = 1\n"},
            {"path": "a.py", "symbol": "g", "place": "after", "new_str": "    h = 2"},
            {"path": "a.py", "symbol": "g", "delete": true},
        ]}),
    );
    assert_eq!(
        fs::read_to_string(desk.path("a.py")).unwrap(),
        "class A:\n    f = 1\n\n    h = 2\n"
    );
    let text = client.is_refused("not_found", "view", &json!({"path": "a.py", "symbol": "x"}));
    assert!(text.contains("the file has no symbol x"), "{text}");
    client.is_refused("usage", "list", &json!({"symbols": true}));
    client.is_refused(
        "usage",
        "edit",
        &json!({"edits": [{"path": "a.py", "new_str": "x"}]}),
    );
    client.ends();
}
