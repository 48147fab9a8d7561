//! `mcp`: a server for the Model Context Protocol (MCP) on standard input and output. The messages
//! are JSON-RPC 2.0, one per line.
//!
//! [`Server::run`] reads requests, runs the tools of the engine and prints the responses.
//! [`message`] parses requests.
//!
//! Invariants: standard output contains only messages. A message over the limit is not stored.
//! Parsing a message creates no value larger than its text.

mod message;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::args::Global;
use super::commands::CommandOptions;
use super::early_exit::system_message;
use super::line_reader::{LineRead, read_line};
use super::policy::load_policy;
use super::root::{absolute_paths, open};
use super::{EarlyExit, output, request, signals};
use crate::engine::options::{Interrupt, code};
use crate::engine::{self, Approver, Git, TOOLS, Tool, ToolAnswer, ToolEffect, ToolOptions};
use crate::report::print_json;
use message::{Call, ErrorResponse, Message, Request};

/// The supported protocol versions, newest first. 2025-03-26 is missing, because only this version
/// allows batches of messages.
const VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2024-11-05"];
/// The default limit on the length of a message, in bytes.
const MAX_MESSAGE: usize = 64 << 20;
/// The instructions about all tools, for the model.
const INSTRUCTIONS: &str = "Paths are relative to the root, or absolute. A change is applied completely or not at \
     all: after an error no file is changed.";

/// The options of `mcp`.
#[derive(Clone, Debug, Args)]
pub(super) struct McpOptions {
    /// Limit the length of a message, in bytes [default: 67108864]
    #[arg(long, value_name = "BYTES")]
    max_message: Option<usize>,
    /// Accept `approve` as an approval by a person
    ///
    /// Use this option only if a person examines each call. Without it, `approve` is the model's,
    /// and a change for which policy asks is refused.
    #[arg(long)]
    approvals: bool,
    #[command(flatten)]
    commands: CommandOptions,
}

/// Serves until standard input ends.
pub(super) fn serve(options: &McpOptions, global: &Global) -> ExitCode {
    let server = match Server::new(options, global) {
        Ok(server) => server,
        Err(stop) => {
            // Standard output is reserved for messages.
            output::print_to_stderr(&stop.to_line());
            return ExitCode::from(stop.into_outcome("mcp").report.exit_code);
        }
    };
    let limit = options.max_message.unwrap_or(MAX_MESSAGE);
    match server.run(limit) {
        Ok(()) => server.exit_code(),
        // The client closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            output::print_to_stderr(&format!(
                "the connection failed: {}",
                system_message(&error)
            ));
            ExitCode::from(4)
        }
    }
}

struct Server<'a> {
    global: &'a Global,
    options: ToolOptions,
    interrupt: Interrupt,
}

impl<'a> Server<'a> {
    fn new(options: &McpOptions, global: &'a Global) -> Result<Self, EarlyExit> {
        // Fail now if the root cannot be opened, and not at the first call.
        open(global)?;
        let watched = signals::install_deferred_interrupt();
        let interrupt = watched.map_err(|error| {
            EarlyExit::new(
                &code::IO,
                format!(
                    "cannot install the signal handlers: {}",
                    system_message(&error)
                ),
            )
        })?;
        let options = ToolOptions {
            roots: absolute_paths(global.root()),
            transaction: request::transaction_options(global),
            commands: options.commands.commands(global),
            policy: load_policy(global)?,
            git: Some(Arc::new(
                Git::for_directory(global.root()).with_interrupt(&interrupt),
            )),
            approver: if options.approvals {
                Approver::Person
            } else {
                Approver::Model
            },
        };
        Ok(Self {
            global,
            options,
            interrupt,
        })
    }

    /// Responds to messages of at most `limit` bytes, until the input ends or a signal arrives.
    fn run(&self, limit: usize) -> io::Result<()> {
        let (mut input, mut out) = (io::stdin().lock(), BufWriter::new(io::stdout().lock()));
        let mut buffer = Vec::new();
        while self.interrupt.signal().is_none() {
            let answer = match read_line(&mut input, &mut buffer, limit)? {
                LineRead::End => break,
                LineRead::TooLong => Some(
                    ErrorResponse::invalid_request(format!("the message exceeds {limit} bytes"))
                        .into_json(),
                ),
                LineRead::Whole => self.respond(&buffer),
            };
            if let Some(answer) = answer {
                print_json(&answer, &mut out)?;
                out.flush()?;
            }
        }
        Ok(())
    }

    /// Returns the exit code: 0 at the end of the input, 128+n after signal n.
    fn exit_code(&self) -> ExitCode {
        let signal = self
            .interrupt
            .signal()
            .and_then(|signal| u8::try_from(signal).ok());
        signal.map_or(ExitCode::SUCCESS, |signal| ExitCode::from(128 + signal))
    }

    /// Returns the response to one message, if it needs one.
    fn respond(&self, text: &[u8]) -> Option<Value> {
        if text.trim_ascii().is_empty() {
            return None;
        }
        let request = match message::parse(text) {
            Ok(Message::Request(request)) => request,
            Ok(Message::Other) => return None,
            Err(failure) => return Some(failure.into_json()),
        };
        Some(match self.execute(&request) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": request.id, "result": result}),
            Err(failure) => failure.with_id(request.id).into_json(),
        })
    }

    fn execute(&self, request: &Request<'_>) -> Result<Value, ErrorResponse> {
        match request.method.as_ref() {
            "initialize" => Ok(describe_server(&request.version()?)),
            "ping" => Ok(json!({})),
            "tools/list" => {
                Ok(json!({"tools": TOOLS.iter().map(describe_tool).collect::<Vec<_>>()}))
            }
            "tools/call" => self.call(&request.call()?),
            method => Err(ErrorResponse::unknown_method(method)),
        }
    }

    fn call(&self, Call { name, arguments }: &Call<'_>) -> Result<Value, ErrorResponse> {
        let answer = match open(self.global) {
            Ok(workspace) => signals::defer_signals(|| {
                engine::tool(name, arguments, &self.options, &*workspace, &self.interrupt)
            }),
            Err(stop) => Some(ToolAnswer::of(&stop.into_outcome("mcp"))),
        };
        let ToolAnswer {
            text,
            document,
            is_error,
        } = answer.ok_or_else(|| ErrorResponse::unknown_tool(name))?;
        let content = [json!({"type": "text", "text": text})];
        Ok(json!({"content": content, "structuredContent": document, "isError": is_error}))
    }
}

/// Returns the description of the server, with the newest protocol version that is not newer than
/// the client's.
fn describe_server(wanted: &str) -> Value {
    let version = VERSIONS
        .iter()
        .find(|&&version| version <= wanted)
        .unwrap_or(&VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "wpatch", "version": env!("CARGO_PKG_VERSION")},
        "instructions": INSTRUCTIONS,
    })
}

fn describe_tool(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.schema().0,
        "annotations": {
            "readOnlyHint": tool.effect == ToolEffect::Reads,
            "destructiveHint": tool.effect == ToolEffect::Changes,
            "openWorldHint": false,
        },
    })
}
