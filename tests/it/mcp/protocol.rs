//! The protocol: versions, wrong messages, limits and the end.

use std::io::Write;
use std::process::Command;

use serde_json::{Value, json};

use super::Client;
use crate::systems::Desk;

/// The names of all tools.
const NAMES: [&str; 12] = [
    "view",
    "str_replace",
    "insert",
    "create",
    "edit",
    "notebook",
    "apply_patch",
    "check_patch",
    "list",
    "session",
    "log",
    "undo",
];

/// The metadata of a request in the protocol version 2026-07-28, which has no sessions.
pub(super) fn metadata(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

fn names(tools: &Value) -> Vec<&str> {
    let tools = tools.as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_session_starts_with_the_version_and_the_tools() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let mut client = Client::without_session(&desk, &[]);
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "0"}});
    let result = client.asks("initialize", &hello)["result"].clone();
    assert_eq!(
        (&result["protocolVersion"], &result["capabilities"]),
        (&json!("2025-06-18"), &json!({"tools": {}}))
    );
    assert_eq!(
        result["serverInfo"],
        json!({"name": "wpatch", "version": env!("CARGO_PKG_VERSION")})
    );
    client.says(br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    assert_eq!(client.asks("ping", &json!({}))["result"], json!({}));
    let tools = client.asks("tools/list", &json!({}))["result"]["tools"].clone();
    assert_eq!(names(&tools), NAMES);
    let takes = |tool: usize, arguments: Value| {
        jsonschema::is_valid(&tools[tool]["inputSchema"], &arguments)
    };
    assert!(
        takes(0, json!({"path": "a", "view_range": [1, -1]}))
            && !takes(0, json!({"path": "a", "view_range": [1]}))
    );
    assert!(
        takes(2, json!({"path": "a", "insert_line": 0, "insert_text": ""}))
            && !takes(2, json!({"path": "a"}))
    );
    client.does(
        "str_replace",
        &json!({"path": "a", "old_str": "one", "new_str": "1"}),
    );
    client.ends();
    assert_eq!(desk.bytes("a"), b"1\n");
}

/// Asserts that strict validators accept `schema`: no references, no lists of types, no formats of
/// numbers.
fn is_strict(schema: &Value) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                assert!(
                    name != "$ref" && !(name == "format" && value.is_string()),
                    "{schema:#}"
                );
                assert!(name != "type" || !value.is_array(), "{schema:#}");
                is_strict(value);
            }
        }
        Value::Array(items) => items.iter().for_each(is_strict),
        _ => {}
    }
}

#[test]
fn the_schemas_of_the_tools_are_strict() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &[]);
    let tools = client.asks("tools/list", &json!({}))["result"]["tools"].clone();
    for tool in tools.as_array().unwrap() {
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert!(
                jsonschema::meta::is_valid(schema) && schema["type"] == "object",
                "{schema:#}"
            );
            is_strict(schema);
        }
    }
    client.ends();
}

#[test]
fn the_option_tools_selects_the_tools() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let mut client = Client::of(&desk, &["--tools", "view,apply_patch"]);
    let tools = client.asks("tools/list", &json!({}))["result"]["tools"].clone();
    assert_eq!(names(&tools), ["view", "apply_patch"]);
    client.does("view", &json!({"path": "a"}));
    client.does(
        "str_replace_editor",
        &json!({"command": "view", "path": "a"}),
    );
    for (name, arguments) in [
        ("create", json!({"path": "b", "file_text": ""})),
        (
            "str_replace_editor",
            json!({"command": "create", "path": "b", "file_text": ""}),
        ),
    ] {
        let answer = client.asks("tools/call", &json!({"name": name, "arguments": arguments}));
        assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
    }
    client.ends();
    let output = desk.runs(&["mcp", "--tools", "view,rm"], b"");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn the_version_is_one_that_both_support() {
    let desk = Desk::with(&[]);
    for (theirs, ours) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        let mut client = Client::without_session(&desk, &[]);
        let hello = json!({"protocolVersion": theirs, "capabilities": {}, "clientInfo": {"name": "x", "version": "0"}});
        let result = client.asks("initialize", &hello)["result"].clone();
        assert_eq!(result["protocolVersion"], ours, "{theirs}");
        client.ends();
    }
}

#[test]
fn a_request_can_have_its_own_metadata_in_place_of_a_session() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let mut client = Client::without_session(&desk, &[]);
    let meta = metadata(&json!({}));
    let found = client.asks("server/discover", &json!({"_meta": meta}))["result"].clone();
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found:#}");
    let call = json!({"_meta": meta, "name": "view", "arguments": {"path": "a"}});
    let result = client.asks("tools/call", &call)["result"].clone();
    assert_eq!(
        (&result["resultType"], &result["content"][0]["text"]),
        (&json!("complete"), &json!("     1\tone\n"))
    );
    let without = client.asks(
        "tools/call",
        &json!({"name": "view", "arguments": {"path": "a"}}),
    );
    assert_eq!(without["error"]["code"], -32602, "{without:#}");
    client.ends();
}

/// Lines that break the protocol, with the code of the error and the id of the answer as JSON.
const BROKEN: &[(&[u8], i64, &str)] = &[
    (b"{", -32700, "null"),
    (b"x", -32700, "null"),
    (b"\xff\xfe", -32700, "null"),
    (b"{\"a\": \"\xff\"}", -32700, "null"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"} {}"#, -32700, "null"),
    (b"[]", -32600, "null"),
    (br#"["2.0", "ping"]"#, -32600, "null"),
    (br#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#, -32600, "null"),
    (b"1", -32600, "null"),
    (b"{}", -32600, "null"),
    (br#"{"id": 1, "method": "ping"}"#, -32600, "1"),
    (br#"{"jsonrpc": "1.0", "id": "x", "method": "ping"}"#, -32600, r#""x""#),
    (br#"{"jsonrpc": "2.0", "id": 1}"#, -32600, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": 1}"#, -32600, "1"),
    (br#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, -32600, "null"),
    (br#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#, -32600, "null"),
    (br#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, -32600, "null"),
    (br#"{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}"#, -32700, "null"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "ping"}"#, -32600, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "id": 1, "method": "ping"}"#, -32600, "null"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}"#, -32601, "1"),
    (br#"{"jsonrpc": "2.0", "id": "\u0000", "method": ""}"#, -32601, r#""\u0000""#),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "initialize"}"#, -32602, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}"#, -32602, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}"#, -32602, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["view", {}]}"#, -32600, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}}"#, -32602, "1"),
    (
        br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "view", "arguments": []}}"#,
        -32602,
        "1",
    ),
];

#[test]
fn what_breaks_the_protocol_gets_the_code_that_says_so() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &["--max-message", "1000"]);
    let long = [
        br#"{"jsonrpc": "2.0", "id": 1, "method": ""#.as_slice(),
        &[b'x'; 1000],
        b"\"}",
    ]
    .concat();
    let deep = [b"[".repeat(900), Vec::new()].concat();
    let nested = [
        br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"#.as_slice(),
        &b"[".repeat(400),
        &b"]".repeat(400),
        b"}}",
    ]
    .concat();
    let rows = BROKEN.iter().copied();
    let more = [
        (&deep[..], -32700, "null"),
        (&nested, -32700, "null"),
        (&long, -32600, "null"),
    ];
    for (line, code, id) in rows.chain(more) {
        client.says(line);
        let answer = client.hears();
        let told = (
            answer["error"]["code"].as_i64(),
            &answer["id"],
            &answer["result"],
        );
        let id: Value = serde_json::from_str(id).unwrap();
        assert_eq!(
            told,
            (Some(code), &id, &Value::Null),
            "{} {answer}",
            line.escape_ascii()
        );
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
    assert_eq!(client.asks("ping", &json!({}))["result"], json!({}));
    client.ends();
}

#[cfg(unix)]
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

#[cfg(target_os = "linux")]
#[cfg(unix)]
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
    let call = json!({"path": "b", "file_text": "x"});
    let session = super::session(&[("create", call)]);
    let output = desk.runs(&["mcp"], session.trim_end().as_bytes());
    assert_eq!(
        (output.status.code(), desk.bytes("b")),
        (Some(0), b"x".to_vec())
    );
    super::results(&output, 1);
}

#[test]
fn a_root_that_is_not_there_ends_it_without_a_word_on_standard_output() {
    let desk = Desk::with(&[]);
    let output = desk.runs(&["mcp", "--root", "gone", "--json"], b"");
    assert_eq!(
        (output.status.code(), output.stdout.as_slice()),
        (Some(2), &b""[..])
    );
    assert!(
        output
            .stderr
            .starts_with(b"wpatch: cannot open the root gone"),
        "{output:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_server_that_waits_is_ended_by_a_signal() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &[]);
    client.asks("ping", &json!({}));
    assert!(
        Command::new("kill")
            .arg(client.server.id().to_string())
            .status()
            .unwrap()
            .success()
    );
    let status = client.server.wait().unwrap();
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    assert_eq!(signal, Some(15));
}
