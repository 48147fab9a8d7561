//! The server of the Model Context Protocol: a conversation, what its tools do, and what hostile
//! lines cannot.

mod arguments;
mod failures;
mod protocol;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use fs_err as fs;
use serde_json::{Value, json};

use crate::run::valid;
use crate::systems::Desk;

/// A client and its server.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn of(desk: &Desk, arguments: &[&str]) -> Self {
        let mut command = crate::world::wpatch();
        command
            .args(["mcp", "--durability", "none", "--root"])
            .arg(desk.root())
            .args(arguments);
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (
            server.stdin.take(),
            BufReader::new(server.stdout.take().unwrap()),
        );
        Self {
            server,
            input,
            output,
            last: 0,
        }
    }

    fn says(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input
            .write_all(line)
            .and_then(|()| input.write_all(b"\n"))
            .unwrap();
    }

    /// Returns the next message; it waits for nothing but that.
    fn hears(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    /// Returns the answer to a request, with the id of the request.
    fn asks(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.says(request.to_string().as_bytes());
        let answer = self.hears();
        assert_eq!(answer["id"], self.last);
        answer
    }

    /// Returns the result of a tool: its words, its document, and whether it is a refusal.
    fn calls(&mut self, name: &str, arguments: &Value) -> (String, Value, bool) {
        let answer = self.asks("tools/call", &json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        let is_error = result["isError"]
            .as_bool()
            .unwrap_or_else(|| panic!("{answer:#}"));
        let document = result["structuredContent"].clone();
        if document["schema"] == "wpatch.report/1" {
            assert_eq!(valid(document.clone())["ok"], !is_error);
        }
        assert_eq!(
            (&result["content"][0]["type"], &result["content"][1]),
            (&json!("text"), &Value::Null)
        );
        (
            result["content"][0]["text"].as_str().unwrap().to_owned(),
            document,
            is_error,
        )
    }

    /// Returns the words of a success.
    fn does(&mut self, name: &str, arguments: &Value) -> String {
        let (text, document, is_error) = self.calls(name, arguments);
        assert!(!is_error, "{name} {arguments}: {text} {document:#}");
        text
    }

    /// Returns the words of a refusal of this kind.
    fn is_refused(&mut self, kind: &str, name: &str, arguments: &Value) -> String {
        let (text, document, is_error) = self.calls(name, arguments);
        assert!(is_error, "{name} {arguments}: {text}");
        assert_eq!(
            (&document["error"]["kind"], &document["changed"]),
            (&json!(kind), &json!(false)),
            "{document:#}"
        );
        assert!(text.starts_with(&format!("error ({kind}): ")), "{text}");
        text
    }

    /// Returns the most memory that the server ever had, in kB.
    fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.id())).unwrap();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak.unwrap().parse().unwrap()
    }

    /// Ends the conversation, and asserts that nothing more was said, on either stream.
    fn ends(mut self) {
        self.input = None;
        let mut rest = String::new();
        self.output.read_line(&mut rest).unwrap();
        let output = self.server.wait_with_output().unwrap();
        assert_eq!(
            (
                rest.as_str(),
                output.stderr.as_slice(),
                output.status.code()
            ),
            ("", &b""[..], Some(0))
        );
    }
}

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
    assert!(text.ends_with(&format!("\nplan_id: {plan}\n")), "{text}");
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
fn a_model_does_not_approve_its_own_change() {
    let rule = b"[[rule]]\npaths = [\"**\"]\nops = [\"write\"]\nverdict = \"ask\"\n";
    let desk = Desk::with(&[("a", b"one\n"), ("wpatch.toml", rule)]);
    let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
    let mut client = Client::of(&desk, &[]);
    let (_, document, _) = client.calls("check_patch", &json!({"patch": patch}));
    let approved = json!({"patch": patch, "approve": document["plan_id"]});
    client.is_refused("approval_required", "apply_patch", &json!({"patch": patch}));
    client.is_refused("approval_required", "apply_patch", &approved);
    client.ends();
    assert_eq!(desk.bytes("a"), b"one\n");

    let mut client = Client::of(&desk, &["--approvals"]);
    client.is_refused("approval_required", "apply_patch", &json!({"patch": patch}));
    client.does("apply_patch", &approved);
    client.ends();
    assert_eq!(desk.bytes("a"), b"1\n");
}

#[test]
fn a_check_says_which_files_need_approval_and_why() {
    let desk = Desk::with(&[("a", b"one\n"), ("CLAUDE.md", b"one\n")]);
    let of = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-one\n+1\n");
    let patch = of("a") + &of("CLAUDE.md");
    for (arguments, help) in [
        (
            &[][..],
            "apply_patch cannot apply this patch; ask the user to approve and apply the change",
        ),
        (
            &["--approvals"],
            "ask the user to approve the change, then call apply_patch with approve",
        ),
    ] {
        let mut client = Client::of(&desk, arguments);
        let (text, document, _) = client.calls("check_patch", &json!({"patch": patch}));
        let plan = document["plan_id"].as_str().unwrap();
        let end = format!(
            "\nneeds approval: CLAUDE.md: the path controls Claude Code\nhelp: {help}\nplan_id: {plan}\n"
        );
        assert!(
            text.ends_with(&end) && !text.contains("needs approval: a"),
            "{text}"
        );
        client.is_refused("approval_required", "apply_patch", &json!({"patch": patch}));
        let text = client.does("check_patch", &json!({"patch": of("a")}));
        assert!(!text.contains("approv"), "{text}");
        client.ends();
    }
}

#[test]
fn a_tool_says_what_the_program_says() {
    let desk = Desk::with(&[("a", b"x\ny\nx\n")]);
    let mut client = Client::of(&desk, &[]);
    // The help is for the command line, and so is the name of an option.
    let spoken = |mut document: Value| {
        for problem in document["problems"].as_array_mut().unwrap() {
            problem["help"] = Value::Null;
        }
        (document["error"]["help"], document["inputs"][0]["name"]) = (Value::Null, Value::Null);
        document
    };
    let ours = client
        .calls(
            "str_replace",
            &json!({"path": "a", "old_str": "x", "new_str": "z"}),
        )
        .1;
    assert_eq!(
        spoken(ours),
        spoken(desk.says(&["edit", "a", "--old", "x", "--new", "z"], b""))
    );
    let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n x\n-q\n+z\n";
    let ours = client.calls("check_patch", &json!({"patch": patch})).1;
    assert_eq!(
        spoken(ours),
        spoken(desk.says(&["check"], patch.as_bytes()))
    );
    let ours = client.calls("view", &json!({"path": "a"})).1;
    assert_eq!(ours, desk.says(&["read", "a", "--number"], b""));
    client.ends();
}
