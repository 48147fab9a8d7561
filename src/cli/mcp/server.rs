//! Answers the requests of a client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ServerCapabilities, ServerConfig, Tool as ToolDescription, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::{Mutex, Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::interval;

use super::approval::{Answer, ask, can_ask, given_answer};
use super::caller::CallerNames;
use super::target::{Target, file_path};
use super::{MAX_CALLS, McpOptions};
use crate::cli::progress::describe_state;
use crate::cli::{EarlyExit, signals};
use crate::engine::options::{Interrupt, Progress, ProgressState};
use crate::engine::{self, EDITOR_NAMES, TOOLS, Tool, ToolEffect, ToolOptions, ToolResult};

/// The instructions about all tools, for the model.
const INSTRUCTIONS: &str = "Paths are relative to the root, or absolute. A change is applied completely or not at \
     all: after an error no file is changed.";
/// The signal number of a cancelled call.
const CANCELLED: i32 = 15;
/// The limit on the length of a name that an error repeats, in characters.
const MAX_NAME: usize = 100;
/// The interval between two progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// The server.
pub(super) struct Server {
    /// The root of the command line.
    target: Arc<Target>,
    /// The root that the client names, after the first call that needs it.
    client_target: Mutex<Option<Arc<Target>>>,
    options: McpOptions,
    calls: Calls,
    signals: Signals,
}

/// The events that end calls or the session.
pub(super) struct Signals {
    /// Raised by a signal. Cancels all calls.
    pub(super) interrupt: Interrupt,
    /// Ends the session.
    pub(super) stop: Arc<Notify>,
    /// Becomes true at the end of the input. The client then answers no questions.
    pub(super) input_ended: watch::Receiver<bool>,
}

/// The calls in progress. They have the effect of their order: the semaphore is fair, and a call
/// that changes files takes all permits.
#[derive(Clone)]
pub(super) struct Calls(Arc<Semaphore>);

impl Calls {
    /// Waits until a call with `effect` can run. It ends when the permits are dropped.
    async fn enter(&self, effect: ToolEffect) -> Option<OwnedSemaphorePermit> {
        let permits = match effect {
            ToolEffect::Reads => 1,
            _ => MAX_CALLS,
        };
        // This fails only if the semaphore is closed, which never happens.
        Arc::clone(&self.0).acquire_many_owned(permits).await.ok()
    }

    /// Waits until no call runs.
    pub(super) async fn wait(&self) {
        let _ = self.enter(ToolEffect::Changes).await;
    }
}

/// A call of a tool.
#[derive(Clone)]
struct Call {
    name: String,
    /// A JSON object.
    arguments: String,
    effect: ToolEffect,
    /// Whether the call only checks the change.
    check_only: bool,
    approved_plan: Option<String>,
    caller: CallerNames,
    progress_token: Option<ProgressToken>,
}

impl Server {
    pub(super) fn new(target: Target, options: McpOptions, signals: Signals) -> Self {
        Self {
            target: Arc::new(target),
            client_target: Mutex::default(),
            options,
            calls: Calls(Arc::new(Semaphore::new(MAX_CALLS as usize))),
            signals,
        }
    }

    pub(super) fn calls(&self) -> Calls {
        self.calls.clone()
    }

    /// Returns the selected tools.
    fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        let selected = &self.options.tools;
        let is_selected =
            |tool: &&Tool| selected.is_empty() || selected.iter().any(|name| name == tool.name);
        TOOLS.iter().filter(is_selected)
    }

    /// Returns the effect of a call, or `None` if there is no such tool.
    fn effect(&self, name: &str, arguments: &JsonObject) -> Option<ToolEffect> {
        if !EDITOR_NAMES.contains(&name) {
            return self
                .tools()
                .find(|tool| tool.name == name)
                .map(|tool| tool.effect);
        }
        let command = arguments.get("command").and_then(Value::as_str);
        match command.filter(|command| TOOLS.iter().any(|tool| tool.name == *command)) {
            Some(command) => self.effect(command, &JsonObject::new()),
            // The result of the call explains the fault.
            None => Some(ToolEffect::Reads),
        }
    }

    /// Returns the root of the call. If the command line names none and the client has roots, it
    /// is the first root of the client.
    async fn target(&self, context: &RequestContext<RoleServer>) -> Result<Arc<Target>, EarlyExit> {
        let client = context.peer.peer_info();
        let has_roots = client.is_some_and(|client| client.capabilities.roots.is_some());
        if self.target.is_named() || !has_roots {
            return Ok(Arc::clone(&self.target));
        }
        let mut known = self.client_target.lock().await;
        if let Some(target) = &*known {
            return Ok(Arc::clone(target));
        }
        let target = match first_root(context).await {
            Some(root) => Arc::new(self.target.with_root(root, &self.options)?),
            None => Arc::clone(&self.target),
        };
        *known = Some(Arc::clone(&target));
        Ok(target)
    }

    /// Waits for `answer`, which needs the client.
    ///
    /// # Errors
    ///
    /// Returns an error if the input ends.
    async fn wait_for_client<T>(&self, answer: impl Future<Output = T>) -> Result<T, ErrorData> {
        let mut input_ended = self.signals.input_ended.clone();
        tokio::select! {
            // An answer that needs no message of the client is there at once.
            biased;
            answer = answer => Ok(answer),
            _ = input_ended.wait_for(|ended| *ended) => Err(cancelled_error()),
        }
    }

    /// Runs `call`, and sends its progress.
    async fn run(
        &self,
        call: Call,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolResult, ErrorData> {
        let target = tokio::select! {
            biased;
            target = self.wait_for_client(self.target(context)) => target?,
            () = context.ct.cancelled() => return Err(cancelled_error()),
        };
        let target = match target {
            Ok(target) => target,
            Err(stop) => return Ok(ToolResult::of(&stop.into_outcome("mcp"))),
        };
        let interrupt = self.signals.interrupt.child();
        let progress = Progress::with_state();
        let token = call.progress_token.clone();
        let options = target.options(&interrupt);
        let options = ToolOptions {
            check_only: call.check_only,
            approved_plan: call.approved_plan.clone(),
            attribution: call.caller.complete(&options.attribution),
            progress: progress.clone(),
            ..options
        };
        let permits = self.calls.enter(call.effect).await;
        if context.ct.is_cancelled() {
            return Err(cancelled_error());
        }
        let handle = interrupt.clone();
        let mut work = spawn_blocking(move || {
            // The call holds its permits until it ends, also if its response is no longer wanted.
            let _permits = permits;
            signals::defer_signals(|| run_tool(&call, &target, &options, &interrupt))
        });
        let mut reporter = ProgressReporter::default();
        let mut ticks = interval(PROGRESS_INTERVAL);
        let result = loop {
            tokio::select! {
                result = &mut work => break result,
                () = context.ct.cancelled(), if !handle.is_raised() => handle.raise(CANCELLED),
                _ = ticks.tick(), if token.is_some() && !handle.is_raised() => {
                    let message = reporter.next(progress.state(), token.as_ref());
                    if let Some(message) = message {
                        // A closed connection ends the service.
                        let _ = context.peer.notify_progress(message).await;
                    }
                }
            }
        };
        if self.signals.interrupt.is_raised() {
            self.signals.stop.notify_one();
        }
        result.map_err(|_| panic_error())?
    }

    /// Asks the user whether the change that was refused with `refused` is allowed. Returns the
    /// result of the change, or the question if the client asks it.
    async fn approve(
        &self,
        call: Call,
        refused: ToolResult,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let check = Call {
            check_only: true,
            ..call.clone()
        };
        let checked = self.run(check, context).await?;
        let question = ask(&checked, &refused, context);
        match self.wait_for_client(question).await? {
            Answer::Question(question) => Ok(question.into()),
            Answer::Approved(plan) => {
                let approved_plan = Some(plan);
                let call = Call {
                    approved_plan,
                    ..call
                };
                self.run(call, context).await.map(|result| respond(&result))
            }
            Answer::Refused => Ok(respond(&refused)),
            Answer::Cancelled => Err(cancelled_error()),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("wpatch", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools().map(describe_tool).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let effect = self.effect(&request.name, &arguments).ok_or_else(|| {
            let name: String = request.name.chars().take(MAX_NAME).collect();
            ErrorData::invalid_params(format!("unknown tool {name}"), None)
        })?;
        let answer = given_answer(request.input_responses.as_ref(), request.request_state);
        let call = Call {
            name: request.name.into_owned(),
            arguments: Value::Object(arguments).to_string(),
            effect,
            check_only: false,
            approved_plan: answer.approved_plan,
            caller: CallerNames::of(&context),
            progress_token: context.meta.get_progress_token(),
        };
        let result = self.run(call.clone(), &context).await?;
        let is_model = !self.options.approvals;
        let is_new = is_model && !answer.is_given;
        if is_new && result.needs_approval() && can_ask(&context) {
            return self.approve(call, result, &context).await;
        }
        Ok(respond(&result))
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.client_target.lock().await = None;
    }
}

/// Returns the path of the first root of the client.
#[expect(
    deprecated,
    reason = "clients of the protocol versions up to 2025-11-25 have roots"
)]
async fn first_root(context: &RequestContext<RoleServer>) -> Option<PathBuf> {
    let listed = context.peer.list_roots().await.ok()?;
    listed.roots.iter().find_map(|root| file_path(&root.uri))
}

fn run_tool(
    call: &Call,
    target: &Target,
    options: &ToolOptions,
    interrupt: &Interrupt,
) -> Result<ToolResult, ErrorData> {
    let workspace = match target.workspace() {
        Ok(workspace) => workspace,
        Err(stop) => return Ok(ToolResult::of(&stop.into_outcome("mcp"))),
    };
    let result = engine::tool(&call.name, &call.arguments, options, &*workspace, interrupt);
    result.ok_or_else(|| ErrorData::invalid_params("unknown tool", None))
}

/// Returns the error of a cancelled call. The SDK does not send it.
fn cancelled_error() -> ErrorData {
    ErrorData::internal_error("the call is cancelled", None)
}

/// Returns the error of a call that has panicked. Standard error has the message of the panic.
fn panic_error() -> ErrorData {
    let message = "internal error of wpatch; tell the user to report it";
    ErrorData::internal_error(message, None)
}

/// Returns the response with `result`: its text, and the same as a document.
fn respond(result: &ToolResult) -> CallToolResponse {
    let content = vec![ContentBlock::text(result.message.clone())];
    // This cannot fail: all keys are strings.
    let document = serde_json::to_value(result).unwrap_or_default();
    let mut response = if result.ok {
        CallToolResult::success(content)
    } else {
        CallToolResult::error(content)
    };
    response.structured_content = Some(document);
    response.into()
}

fn describe_tool(tool: &Tool) -> ToolDescription {
    let object = |schema: Value| match schema {
        Value::Object(members) => Arc::new(members),
        _ => Arc::default(),
    };
    let annotations = ToolAnnotations::new()
        .read_only(tool.effect == ToolEffect::Reads)
        .destructive(tool.effect == ToolEffect::Changes)
        .open_world(false);
    ToolDescription::new(tool.name, tool.description, object(tool.schema().0))
        .with_raw_output_schema(object(ToolResult::schema().0))
        .with_annotations(annotations)
}

/// Converts the state of a call to progress, which only increases.
#[derive(Default)]
struct ProgressReporter {
    /// The number of items of the finished phases.
    finished: usize,
    last: ProgressState,
    sent: Option<usize>,
}

impl ProgressReporter {
    fn next(
        &mut self,
        state: ProgressState,
        token: Option<&ProgressToken>,
    ) -> Option<ProgressNotificationParam> {
        if state.phase != self.last.phase {
            // A phase without items counts as one.
            self.finished += self.last.done.max(1);
        }
        self.last = state;
        let done = self.finished + state.done;
        if self.sent.is_some_and(|sent| done <= sent) {
            return None;
        }
        let message = describe_state(state)?;
        self.sent = Some(done);
        #[expect(clippy::cast_precision_loss, reason = "the protocol has no integers")]
        let progress = ProgressNotificationParam::new(token?.clone(), done as f64);
        Some(progress.with_message(message))
    }
}
