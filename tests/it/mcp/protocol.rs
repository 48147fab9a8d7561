//! The protocol: versions, wrong messages, limits and the end.

use std::io::Write;
use std::process::Command;

use serde_json::{Value, json};

use super::Client;
use crate::systems::Desk;

#[test]
fn a_conversation_goes_from_hello_to_the_end_of_input() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let mut client = Client::of(&desk, &[]);
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
    let names: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "view",
            "str_replace",
            "insert",
            "create",
            "apply_patch",
            "check_patch"
        ]
    );
    for tool in tools.as_array().unwrap() {
        let schema = &tool["inputSchema"];
        assert!(
            jsonschema::meta::is_valid(schema) && schema["type"] == "object",
            "{schema:#}"
        );
    }
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
        assert_eq!(
            client.asks("initialize", &json!({"protocolVersion": theirs}))["result"]["protocolVersion"],
            ours
        );
    }
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
    (br#"{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}"#, -32600, "null"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "ping"}"#, -32600, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "id": 1, "method": "ping"}"#, -32600, "null"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}"#, -32601, "1"),
    (br#"{"jsonrpc": "2.0", "id": "\u0000", "method": ""}"#, -32601, r#""\u0000""#),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "initialize"}"#, -32602, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}"#, -32602, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}"#, -32602, "1"),
    (br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["view", {}]}"#, -32602, "1"),
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
    for (line, code, id) in rows.chain([(&deep[..], -32700, "null"), (&long, -32600, "null")]) {
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
    client.says(&nested);
    assert_eq!(client.hears()["result"], json!({}));
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
    let call = json!({"name": "create", "arguments": {"path": "b", "file_text": "x"}});
    let line =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).to_string();
    let output = desk.runs(&["mcp"], line.as_bytes());
    assert_eq!(
        (output.status.code(), desk.bytes("b")),
        (Some(0), b"x".to_vec())
    );
    assert_eq!(output.stdout.split(|&byte| byte == b'\n').count(), 2);
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
