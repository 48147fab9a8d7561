//! `mcp`: a server for the Model Context Protocol (MCP) on standard input and output.
//!
//! `rmcp`, the SDK of the protocol, reads requests and sends results. [`server`] answers them with
//! the tools of the engine, [`target`] opens the root, [`approval`] asks the user, and
//! [`transport`] has the standard streams. Read [`server`] first.
//!
//! Invariants: standard output contains only messages. A message over the limit is not stored. A
//! cancelled call changes nothing. No thread or runtime exists in any other command.

mod approval;
mod caller;
mod json;
mod server;
mod target;
mod transport;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::runtime;
use tokio::sync::{Notify, watch};

use super::args::Global;
use super::attribution::AttributionOptions;
use super::commands::CommandOptions;
use super::early_exit::system_message;
use super::{EarlyExit, output, signals};
use crate::engine::TOOLS;
use crate::engine::options::code;
use server::{Server, Signals};
use target::Target;
use transport::{StdioThreads, StdioTransport};

/// The default limit on the length of a message, in bytes.
const MAX_MESSAGE: usize = 64 << 20;
/// The limit on the number of calls that run at the same time. Others wait.
const MAX_CALLS: u32 = 16;

/// The options of `mcp`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct McpOptions {
    /// Offer only these tools, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = tool_names())]
    tools: Vec<String>,
    /// Limit the length of a message, in bytes [default: 67108864]
    #[arg(long, value_name = "BYTES")]
    max_message: Option<usize>,
    /// Accept `approve` as an approval by a person
    ///
    /// Use this option only if a person examines each call. Without it, `approve` is the model's.
    /// A change for which policy asks is then shown to the user if the client supports
    /// elicitation, and refused otherwise.
    #[arg(long)]
    approvals: bool,
    #[command(flatten)]
    commands: CommandOptions,
    #[command(flatten)]
    attribution: AttributionOptions,
}

fn tool_names() -> PossibleValuesParser {
    TOOLS
        .iter()
        .map(|tool| tool.name)
        .collect::<Vec<_>>()
        .into()
}

/// Serves until standard input ends.
pub(in crate::cli) fn serve(options: &McpOptions, global: &Global) -> ExitCode {
    match run(options, global) {
        Ok(code) => code,
        Err(stop) => {
            // Standard output is reserved for messages.
            output::print_to_stderr(&stop.to_line());
            ExitCode::from(stop.into_outcome("mcp").report.exit_code)
        }
    }
}

fn run(options: &McpOptions, global: &Global) -> Result<ExitCode, EarlyExit> {
    // Fail now if the root cannot be opened, and not at the first call.
    let target = Target::open(global.clone(), options)?;
    let failed = |what: &str, error: &io::Error| {
        EarlyExit::new(&code::IO, format!("{what}: {}", system_message(error)))
    };
    let interrupt = signals::install_deferred_interrupt()
        .map_err(|error| failed("cannot install the signal handlers", &error))?;
    let runtime = runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(MAX_CALLS as usize)
        .build()
        .map_err(|error| failed("cannot start the server", &error))?;
    let stop = Arc::new(Notify::new());
    let (has_ended, input_ended) = watch::channel(false);
    let limit = options.max_message.unwrap_or(MAX_MESSAGE);
    let (transport, threads) = StdioTransport::start(limit, Arc::clone(&stop), has_ended)
        .map_err(|error| failed("cannot start the server", &error))?;
    let signals = Signals {
        interrupt: interrupt.clone(),
        stop,
        input_ended,
    };
    let server = Server::new(target, options.clone(), signals);
    let calls = server.calls();
    runtime.block_on(async {
        match server.serve(transport).await {
            Ok(service) => {
                // The reason is the end of the input or a signal.
                let _ = service.waiting().await;
            }
            // The input has ended before the first request.
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => output::print_to_stderr(&format!("the connection failed: {error}")),
        }
        // A call that the end of the input has cancelled may still be rolled back.
        calls.wait().await;
    });
    drop(runtime);
    Ok(exit_code(threads, interrupt.signal()))
}

/// Returns the exit code: 0 at the end of the input, 128+n after signal n, 4 if a stream has failed.
fn exit_code(threads: StdioThreads, signal: Option<i32>) -> ExitCode {
    if let Some(signal) = signal.and_then(|signal| u8::try_from(signal).ok()) {
        threads.wait_after_signal();
        return ExitCode::from(128 + signal);
    }
    match threads.join() {
        Ok(()) => ExitCode::SUCCESS,
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
