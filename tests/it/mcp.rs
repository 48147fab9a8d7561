//! The server of the Model Context Protocol: its tools, the protocol, and hostile input.

mod approvals;
mod arguments;
mod concurrent;
mod failures;
mod protocol;
mod sessions;
mod tools;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::engine::ToolResult;

use crate::systems::Desk;

/// A client and its server.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

/// The capabilities of a client that has none.
const NO_CAPABILITIES: &str = "{}";

/// Returns the lines that start a session with a client of these capabilities, in JSON.
pub(crate) fn greeting(capabilities: &str) -> String {
    let client = r#"{"name": "test", "version": "1"}"#;
    format!(
        r#"{{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {{"protocolVersion": "2025-11-25", "capabilities": {capabilities}, "clientInfo": {client}}}}}
{{"jsonrpc": "2.0", "method": "notifications/initialized"}}
"#
    )
}

/// Returns the input of a server for a session with these calls of tools.
pub(crate) fn session(calls: &[(&str, Value)]) -> String {
    let call = |(id, (name, arguments)): (usize, &(&str, Value))| {
        let params = json!({"name": name, "arguments": arguments});
        format!("{}\n", request(id + 1, "tools/call", &params))
    };
    let calls = calls.iter().enumerate().map(call);
    greeting(NO_CAPABILITIES) + &calls.collect::<String>()
}

fn request(id: usize, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Returns the results of the calls of a [`session`], in their order.
pub(crate) fn results(output: &Output, count: usize) -> Vec<Value> {
    let lines = output.stdout.split(|&byte| byte == b'\n');
    let mut messages: Vec<Value> = lines
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(messages.len(), count + 1, "{output:?}");
    messages.sort_by_key(|message| message["id"].as_u64());
    messages
        .drain(1..)
        .map(|mut message| message["result"].take())
        .collect()
}

/// Returns the first problem in the result of a call.
pub(crate) fn problem(result: &Value) -> Value {
    result["structuredContent"]["problems"][0].clone()
}

impl Client {
    /// Starts a server, and a session with a client without capabilities.
    fn of(desk: &Desk, arguments: &[&str]) -> Self {
        Self::with(desk, arguments, NO_CAPABILITIES)
    }

    /// Starts a server, and a session with a client of these capabilities, in JSON.
    fn with(desk: &Desk, arguments: &[&str], capabilities: &str) -> Self {
        let mut client = Self::without_session(desk, arguments);
        client.says(greeting(capabilities).trim_end().as_bytes());
        assert_eq!(client.hears()["id"], 0);
        client
    }

    /// Starts a server in the root, without the option that names it, and a session.
    fn in_directory(desk: &Desk, arguments: &[&str], capabilities: &str) -> Self {
        let mut command = crate::world::wpatch();
        command.arg("mcp").args(arguments).current_dir(desk.root());
        let mut client = Self::started(command);
        client.says(greeting(capabilities).trim_end().as_bytes());
        assert_eq!(client.hears()["id"], 0);
        client
    }

    /// Starts a server.
    fn without_session(desk: &Desk, arguments: &[&str]) -> Self {
        let mut command = crate::world::wpatch();
        command
            .args(["mcp", "--durability", "none", "--root"])
            .arg(desk.root())
            .args(arguments);
        Self::started(command)
    }

    fn started(mut command: Command) -> Self {
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

    /// Sends a request.
    fn sends(&mut self, method: &str, params: &Value) {
        self.last += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.says(request.to_string().as_bytes());
    }

    /// Returns the answer to a request, with the id of the request.
    fn asks(&mut self, method: &str, params: &Value) -> Value {
        self.sends(method, params);
        let answer = self.hears();
        assert_eq!(answer["id"], self.last);
        answer
    }

    /// Returns the result of a tool: its text, its document, and whether it is a refusal.
    fn calls(&mut self, name: &str, arguments: &Value) -> (String, Value, bool) {
        let answer = self.asks("tools/call", &json!({"name": name, "arguments": arguments}));
        read_result(&answer)
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
        assert_eq!(document["problems"][0]["kind"], kind, "{document:#}");
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

/// Returns the text and the document of a result, and whether it is a refusal.
fn read_result(answer: &Value) -> (String, Value, bool) {
    let result = &answer["result"];
    let is_error = result["isError"]
        .as_bool()
        .unwrap_or_else(|| panic!("{answer:#}"));
    let document = result["structuredContent"].clone();
    let schema = serde_json::from_str(&ToolResult::schema().to_string()).unwrap();
    assert!(jsonschema::is_valid(&schema, &document), "{document:#}");
    assert_eq!(
        (&result["content"][0]["type"], &result["content"][1]),
        (&json!("text"), &Value::Null)
    );
    let text = result["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(
        (&document["ok"], &document["message"]),
        (&json!(!is_error), &json!(text))
    );
    (text, document, is_error)
}
