//! The server of the Model Context Protocol: a conversation, what its tools do, and what hostile lines cannot.

mod arguments;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use fs_err as fs;
use serde_json::{Value, json};

use crate::run::valid;
use crate::systems::Desk;
use crate::tree;

/// A client and its server.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn of(desk: &Desk, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wpatch"));
        command.args(["mcp", "--durability", "none", "--root"]).arg(desk.root()).args(arguments);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (input, output) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        Self { server, input, output, last: 0 }
    }

    fn says(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).and_then(|()| input.write_all(b"\n")).unwrap();
    }

    /// Returns the next message; it waits for nothing but that.
    fn hears(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    /// Returns the answer to a request, with the id of the request.
    fn asks(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.says(request.to_string().as_bytes());
        let answer = self.hears();
        assert_eq!(answer["id"], self.last);
        answer
    }

    /// Returns the result of a tool: its words, its document, and whether it is a refusal.
    fn calls(&mut self, name: &str, arguments: &Value) -> (String, Value, bool) {
        let answer = self.asks("tools/call", &json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        let is_error = result["isError"].as_bool().unwrap_or_else(|| panic!("{answer:#}"));
        let document = result["structuredContent"].clone();
        if document["schema"] == "wpatch.report/1" {
            assert_eq!(valid(document.clone())["ok"], !is_error);
        }
        assert_eq!((&result["content"][0]["type"], &result["content"][1]), (&json!("text"), &Value::Null));
        (result["content"][0]["text"].as_str().unwrap().to_owned(), document, is_error)
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
        assert_eq!((&document["error"]["kind"], &document["changed"]), (&json!(kind), &json!(false)), "{document:#}");
        assert!(text.starts_with(&format!("error ({kind}): ")), "{text}");
        text
    }

    /// Returns the most memory that the server ever had, in kB.
    fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak.unwrap().parse().unwrap()
    }

    /// Ends the conversation, and asserts that nothing more was said, on either stream.
    fn ends(mut self) {
        self.input = None;
        let mut rest = String::new();
        self.output.read_line(&mut rest).unwrap();
        let output = self.server.wait_with_output().unwrap();
        assert_eq!((rest.as_str(), output.stderr.as_slice(), output.status.code()), ("", &b""[..], Some(0)));
    }
}

#[test]
fn a_conversation_goes_from_hello_to_the_end_of_input() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let mut client = Client::of(&desk, &[]);
    let hello =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "0"}});
    let result = client.asks("initialize", &hello)["result"].clone();
    assert_eq!((&result["protocolVersion"], &result["capabilities"]), (&json!("2025-06-18"), &json!({"tools": {}})));
    assert_eq!(result["serverInfo"], json!({"name": "wpatch", "version": env!("CARGO_PKG_VERSION")}));
    client.says(br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    assert_eq!(client.asks("ping", &json!({}))["result"], json!({}));
    let tools = client.asks("tools/list", &json!({}))["result"]["tools"].clone();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["view", "str_replace", "insert", "create", "apply_patch", "check_patch"]);
    for tool in tools.as_array().unwrap() {
        let schema = &tool["inputSchema"];
        assert!(jsonschema::meta::is_valid(schema) && schema["type"] == "object", "{schema:#}");
    }
    let takes = |tool: usize, arguments: Value| jsonschema::is_valid(&tools[tool]["inputSchema"], &arguments);
    assert!(
        takes(0, json!({"path": "a", "view_range": [1, -1]})) && !takes(0, json!({"path": "a", "view_range": [1]}))
    );
    assert!(takes(2, json!({"path": "a", "insert_line": 0, "insert_text": ""})) && !takes(2, json!({"path": "a"})));
    client.does("str_replace", &json!({"path": "a", "old_str": "one", "new_str": "1"}));
    client.ends();
    assert_eq!(desk.bytes("a"), b"1\n");
}

#[test]
fn the_version_is_one_that_both_speak() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &[]);
    for (theirs, ours) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2024-11-05"),
        ("2024-11-05", "2024-11-05"),
        ("2099-01-01", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        assert_eq!(client.asks("initialize", &json!({"protocolVersion": theirs}))["result"]["protocolVersion"], ours);
    }
    client.ends();
}

#[test]
fn the_commands_of_the_text_editor_tool_do_what_they_say() {
    let desk = Desk::with(&[("a", b"one\r\ntwo\r\nthree\r\n"), ("d/b", b""), (".hidden", b"")]);
    let mut client = Client::of(&desk, &[]);
    assert_eq!(client.does("view", &json!({"path": "a"})), "     1\tone\r\n     2\ttwo\r\n     3\tthree\r\n");
    let last = client.does("view", &json!({"path": "a", "view_range": [2, -1]}));
    assert_eq!(last, "     2\ttwo\r\n     3\tthree\r\n");
    let first = client.does("view", &json!({"path": "a", "view_range": [1, 1]}));
    assert_eq!(first, "     1\tone\r\n(the file continues at line 2 of 3)\n");
    let behind = client.does("view", &json!({"path": "a", "view_range": [7, 9]}));
    assert_eq!(behind, "(no such lines: the file has 3 lines)\n");
    for root in ["", ".", desk.root().to_str().unwrap()] {
        assert_eq!(client.does("view", &json!({"path": root})), "a\nd/\n", "{root}");
    }
    assert_eq!(client.does("view", &json!({"path": desk.path("d")})), "b\n");

    let text = client.does("str_replace", &json!({"path": desk.path("a"), "old_str": "two\n", "new_str": "2\n2\n"}));
    assert!(text.contains("\n-two\r\n+2\r\n+2\r\n"), "{text}");
    client.does("str_replace", &json!({"path": "a", "old_str": "three\n"}));
    client.does("insert", &json!({"path": "a", "insert_line": 0, "insert_text": "0"}));
    client.does("insert", &json!({"path": "a", "insert_line": 4, "new_str": "end\n"}));
    client.does("create", &json!({"path": "n/m/c", "file_text": "new\n"}));
    assert_eq!(desk.bytes("a"), b"0\r\none\r\n2\r\n2\r\nend\r\n");
    assert_eq!(desk.bytes("n/m/c"), b"new\n");

    let editor = "str_replace_based_edit_tool";
    let whole = client.does(editor, &json!({"command": "view", "path": "n/m/c"}));
    assert_eq!(whole, "     1\tnew\n");
    client.does(editor, &json!({"command": "insert", "path": "n/m/c", "insert_line": 1, "insert_text": "x"}));
    client.does("str_replace_editor", &json!({"command": "create", "path": "e", "file_text": ""}));
    assert_eq!((desk.bytes("n/m/c"), desk.bytes("e")), (b"new\nx\n".to_vec(), Vec::new()));
    client.ends();
}

#[test]
fn what_a_model_can_mend_is_an_error_of_the_tool_and_leaves_the_tree() {
    let desk = Desk::with(&[("a", b"x\ny\nx\n"), ("bin", b"a\0b"), ("../b", b"x\n"), (".git/config", b"x\n")]);
    let before = tree::read(&desk.root());
    let mut client = Client::of(&desk, &[]);
    let text = client.is_refused("not_found", "str_replace", &json!({"path": "a", "old_str": "y \n", "new_str": ""}));
    assert!(text.contains("\nthe file has:\n     1\tx\n     2\ty\n     3\tx\n"), "{text}");
    let text = client.is_refused("ambiguous", "str_replace", &json!({"path": "a", "old_str": "x"}));
    assert!(text.contains("lines 1 and 3"), "{text}");
    for (kind, name, arguments) in [
        ("usage", "str_replace", json!({"path": "a", "old_str": ""})),
        ("no_change", "str_replace", json!({"path": "a", "old_str": "y", "new_str": "y"})),
        ("missing", "str_replace", json!({"path": "b", "old_str": "y"})),
        ("not_found", "insert", json!({"path": "a", "insert_line": 4, "insert_text": "z"})),
        ("exists", "create", json!({"path": "a", "file_text": "z"})),
        ("outside_root", "create", json!({"path": "../c", "file_text": "z"})),
        ("outside_root", "str_replace", json!({"path": desk.path("../b"), "old_str": "x"})),
        ("outside_root", "view", json!({"path": "/etc/hosts"})),
        ("outside_root", "view", json!({"path": "d/../../b"})),
        ("denied", "create", json!({"path": ".git/hooks/x", "file_text": "z"})),
        ("denied", "view", json!({"path": ".git/config"})),
        ("missing", "view", json!({"path": "b"})),
        ("binary", "view", json!({"path": "bin"})),
        ("usage", "view", json!({"path": "a", "view_range": [0, 1]})),
        ("usage", "view", json!({"path": "a", "view_range": [2, 1]})),
        ("usage", "view", json!({"path": "a", "view_range": [1, -2]})),
        ("usage", "view", json!({"path": ".", "view_range": [1, 2]})),
        ("usage", "view", json!({"pth": "a"})),
        ("usage", "view", json!({"path": "a", "more": 1})),
        ("usage", "view", json!({"path": 1})),
        ("usage", "insert", json!({"path": "a", "insert_line": -1, "insert_text": "z"})),
        ("usage", "insert", json!({"path": "a", "insert_line": 1, "insert_text": "z", "new_str": "z"})),
        ("usage", "str_replace_based_edit_tool", json!({"path": "a"})),
        ("usage", "str_replace_based_edit_tool", json!({"command": "undo_edit", "path": "a"})),
        ("usage", "str_replace_based_edit_tool", json!({"command": "apply_patch", "patch": ""})),
        ("parse", "apply_patch", json!({"patch": "no patch\n"})),
        ("usage", "apply_patch", json!({"patch": "no patch\n", "format": "x"})),
    ] {
        client.is_refused(kind, name, &arguments);
    }
    client.ends();
    assert_eq!(tree::read(&desk.root()), before);
}

#[test]
fn patches_of_every_grammar_are_checked_approved_and_applied() {
    let desk = Desk::with(&[("a", b"one\n"), ("b", b"one\n")]);
    let mut client = Client::of(&desk, &[]);
    let both = "--- a\n+++ a\n@@ -1 +1 @@\n-one\n+1\n--- b\n+++ b\n@@ -1 +1 @@\n-one\n+1\n";
    let (text, document, _) = client.calls("check_patch", &json!({"patch": both, "strip": 0}));
    let plan = document["plan_id"].as_str().unwrap();
    assert!(text.ends_with(&format!("\nplan_id: {plan}\n")), "{text}");
    assert_eq!(desk.bytes("a"), b"one\n");
    fs::write(desk.path("b"), "one\ntwo\n").unwrap();
    client.is_refused("not_found", "apply_patch", &json!({"patch": both, "strip": 0, "approve": plan}));
    fs::write(desk.path("b"), "one\n").unwrap();
    client.is_refused(
        "stale",
        "apply_patch",
        &json!({"patch": both, "strip": 0, "approve": format!("sha256:{}", "0".repeat(64))}),
    );
    assert_eq!((desk.bytes("a"), desk.bytes("b")), (b"one\n".to_vec(), b"one\n".to_vec()));
    let text = client.does("apply_patch", &json!({"patch": both, "strip": 0, "approve": plan}));
    assert!(text.starts_with("modify a +1 -1\nmodify b +1 -1\napplied: 2 files changed"), "{text}");
    for (patch, left) in [
        ("*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** End Patch\n", "2\n"),
        ("a\n<<<<<<< SEARCH\n2\n=======\n3\n>>>>>>> REPLACE\n", "3\n"),
        (r#"{"edits": [{"path": "a", "old": "3", "new": "4"}]}"#, "4\n"),
        (
            &format!("*** Begin Patch\n*** Update File: {}\n@@\n-4\n+5\n*** End Patch\n", desk.path("a").display()),
            "5\n",
        ),
    ] {
        client.does("apply_patch", &json!({"patch": patch}));
        assert_eq!(desk.bytes("a"), left.as_bytes());
    }
    let miscounted = "--- a/a\n+++ b/a\n@@ -1,5 +1,0 @@\n-5\n+6\n";
    client.is_refused("parse", "apply_patch", &json!({"patch": miscounted}));
    let text = client.does("apply_patch", &json!({"patch": miscounted, "lenient": true}));
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
        (&[][..], "apply_patch refuses this patch: ask the user to approve the change and to make it"),
        (&["--approvals"], "ask the user to approve the change, then call apply_patch with approve"),
    ] {
        let mut client = Client::of(&desk, arguments);
        let (text, document, _) = client.calls("check_patch", &json!({"patch": patch}));
        let plan = document["plan_id"].as_str().unwrap();
        let end = format!("\nneeds approval: CLAUDE.md: it controls Claude Code\nhelp: {help}\nplan_id: {plan}\n");
        assert!(text.ends_with(&end) && !text.contains("needs approval: a"), "{text}");
        client.is_refused("approval_required", "apply_patch", &json!({"patch": patch}));
        let text = client.does("check_patch", &json!({"patch": of("a")}));
        assert!(!text.contains("approv"), "{text}");
        client.ends();
    }
}

#[test]
fn a_patch_that_ends_too_early_is_to_be_sent_again_complete() {
    let desk = Desk::with(&[("a", b"one\ntwo\nthree\n")]);
    let mut client = Client::of(&desk, &[]);
    for (patch, lenient) in [
        ("--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n", false),
        ("--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n", false),
        ("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n", false),
        ("*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+2\n", true),
        ("1,2c1\n< one\n", false),
    ] {
        for name in ["check_patch", "apply_patch"] {
            let (text, ..) = client.calls(name, &json!({"patch": patch, "lenient": lenient}));
            assert!(text.contains("send the complete patch") && !text.contains("count the lines"), "{patch}{text}");
        }
    }
    let wrong = "--- a/a\n+++ b/a\n@@ -1,3 +1,1 @@\n one\n-two\n+2\n three\n";
    let text = client.is_refused("parse", "apply_patch", &json!({"patch": wrong}));
    assert!(!text.contains("send the complete patch"), "{text}");
    client.ends();
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
    let ours = client.calls("str_replace", &json!({"path": "a", "old_str": "x", "new_str": "z"})).1;
    assert_eq!(spoken(ours), spoken(desk.says(&["edit", "a", "--old", "x", "--new", "z"], b"")));
    let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n x\n-q\n+z\n";
    let ours = client.calls("check_patch", &json!({"patch": patch})).1;
    assert_eq!(spoken(ours), spoken(desk.says(&["check"], patch.as_bytes())));
    let ours = client.calls("view", &json!({"path": "a"})).1;
    assert_eq!(ours, desk.says(&["read", "a", "--number"], b""));
    client.ends();
}

#[test]
fn what_breaks_the_protocol_gets_the_code_that_says_so() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &["--max-message", "1000"]);
    let long = [br#"{"jsonrpc": "2.0", "id": 1, "method": ""#.as_slice(), &[b'x'; 1000], b"\"}"].concat();
    let deep = [b"[".repeat(900), Vec::new()].concat();
    let nested = [
        br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"#.as_slice(),
        &b"[".repeat(400),
        &b"]".repeat(400),
        b"}}",
    ]
    .concat();
    for (line, code, id) in [
        (&b"{"[..], -32700, json!(null)),
        (b"x", -32700, json!(null)),
        (b"\xff\xfe", -32700, json!(null)),
        (b"{\"a\": \"\xff\"}", -32700, json!(null)),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"} {}"#, -32700, json!(null)),
        (&deep, -32700, json!(null)),
        (&long, -32600, json!(null)),
        (b"[]", -32600, json!(null)),
        (br#"["2.0", "ping"]"#, -32600, json!(null)),
        (br#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#, -32600, json!(null)),
        (b"1", -32600, json!(null)),
        (b"{}", -32600, json!(null)),
        (br#"{"id": 1, "method": "ping"}"#, -32600, json!(1)),
        (br#"{"jsonrpc": "1.0", "id": "x", "method": "ping"}"#, -32600, json!("x")),
        (br#"{"jsonrpc": "2.0", "id": 1}"#, -32600, json!(1)),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": 1}"#, -32600, json!(1)),
        (br#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, -32600, json!(null)),
        (br#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#, -32600, json!(null)),
        (br#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, -32600, json!(null)),
        (br#"{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}"#, -32600, json!(null)),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "ping"}"#, -32600, json!(1)),
        (br#"{"jsonrpc": "2.0", "id": 1, "id": 1, "method": "ping"}"#, -32600, json!(null)),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}"#, -32601, json!(1)),
        (br#"{"jsonrpc": "2.0", "id": "\u0000", "method": ""}"#, -32601, json!("\0")),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": "initialize"}"#, -32602, json!(1)),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}"#, -32602, json!(1)),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}"#, -32602, json!(1)),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["view", {}]}"#, -32602, json!(1)),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}}"#, -32602, json!(1)),
        (
            br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "view", "arguments": []}}"#,
            -32602,
            json!(1),
        ),
    ] {
        client.says(line);
        let answer = client.hears();
        let told = (answer["error"]["code"].as_i64(), &answer["id"], &answer["result"]);
        assert_eq!(told, (Some(code), &id, &Value::Null), "{} {answer}", line.escape_ascii());
    }
    for line in [
        &b""[..],
        b" \t\r",
        br#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}"#,
        br#"{"jsonrpc": "2.0", "method": "no/such"}"#,
        br#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#,
        br#"{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": ""}}"#,
    ] {
        client.says(line);
    }
    client.says(&nested);
    assert_eq!(client.hears()["result"], json!({}));
    client.ends();
}

#[test]
fn a_line_over_the_limit_takes_no_memory() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &["--max-message", "1000000"]);
    let piece = vec![b'['; 1 << 20];
    for _ in 0..200 {
        client.input.as_mut().unwrap().write_all(&piece).unwrap();
    }
    client.says(b"");
    assert_eq!(client.hears()["error"]["code"], -32600);
    let peak = client.peak();
    assert!(peak < 100_000, "{peak} kB");
    assert_eq!(client.asks("ping", &json!({}))["result"], json!({}));
    client.ends();
}

#[test]
fn a_message_takes_little_more_memory_than_its_length() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &[]);
    let list = format!("[{}0]", "0,".repeat(2_000_000));
    let call = format!(r#"{{"name": "view", "arguments": {{"path": {list}}}}}"#);
    for line in [
        format!(r#"{{"jsonrpc": "2.0", "id": {list}, "method": "ping"}}"#),
        format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {list}}}"#),
        format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {call}}}"#),
    ] {
        client.says(line.as_bytes());
        client.hears();
    }
    let peak = client.peak();
    assert!(peak < 50_000, "{peak} kB");
    client.ends();
}

#[test]
fn a_last_message_needs_no_line_end() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let call = json!({"name": "create", "arguments": {"path": "b", "file_text": "x"}});
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).to_string();
    let output = desk.runs(&["mcp"], line.as_bytes());
    assert_eq!((output.status.code(), desk.bytes("b")), (Some(0), b"x".to_vec()));
    assert_eq!(output.stdout.split(|&byte| byte == b'\n').count(), 2);
}

#[test]
fn a_root_that_is_not_there_ends_it_without_a_word_on_standard_output() {
    let desk = Desk::with(&[]);
    let output = desk.runs(&["mcp", "--root", "gone", "--json"], b"");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
    assert!(output.stderr.starts_with(b"wpatch: cannot open the root gone"), "{output:?}");
}

#[test]
fn a_server_that_waits_is_ended_by_a_signal() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &[]);
    client.asks("ping", &json!({}));
    assert!(Command::new("kill").arg(client.server.id().to_string()).status().unwrap().success());
    assert_eq!(client.server.wait().unwrap().signal(), Some(15));
}
