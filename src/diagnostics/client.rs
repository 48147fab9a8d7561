//! The client side of one connection to a language server.

mod incoming;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::protocol::{Diagnostic, DocumentDiagnostics};
use super::server_error::ServerError;
use super::wire::Wire;
use crate::interrupt::Interrupt;

/// The interval at which a wait checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The maximum number of times that the diagnostics are requested again because the server has new
/// ones.
const MAX_PULLS: usize = 5;
/// The maximum number of diagnostics per file.
const MAX_DIAGNOSTICS: usize = 10_000;
/// The request for the diagnostics of one document.
const DOCUMENT_DIAGNOSTIC: &str = "textDocument/diagnostic";
/// The error codes after which a request is repeated: `ContentModified` and `ServerCancelled`.
const RETRY_CODES: [i64; 2] = [-32801, -32802];

/// The limits of a wait.
#[derive(Clone, Copy)]
pub(super) struct ServerTimeout<'a> {
    /// The end of the wait.
    pub(super) until: Instant,
    /// The time without messages after which the diagnostics of a server count as complete.
    pub(super) quiet: Duration,
    /// The handle that cancels the wait.
    pub(super) interrupt: &'a Interrupt,
}

/// The diagnostics that a server published for one file.
#[derive(Debug, Default)]
struct PublishedDiagnostics {
    diagnostics: Vec<Diagnostic>,
    /// Whether the diagnostics belong to the latest text that the server received.
    is_current: bool,
}

/// The result of a request, or the code and message of its error.
type Response = Result<Value, (i64, String)>;

/// The client side of one connection.
pub(super) struct Client {
    wire: Wire,
    settings: Value,
    last_request: i64,
    /// The responses by request number; `None` while a response is outstanding.
    responses: HashMap<i64, Option<Response>>,
    /// The version of each open document, by URI.
    open: BTreeMap<String, i32>,
    /// The published diagnostics, by URI.
    published: BTreeMap<String, PublishedDiagnostics>,
    /// The diagnostics that the client requested for open documents, by URI.
    pulled: BTreeMap<String, Vec<Diagnostic>>,
    /// Whether the client requests diagnostics. Without this capability the server publishes them.
    is_pulling: bool,
    /// The tokens of the server's tasks in progress.
    tasks: HashSet<String>,
    /// Whether the server reports that it is not ready.
    is_loading: bool,
    /// The time of the last relevant message.
    last_message: Instant,
    /// Whether the server has invalidated its earlier diagnostics.
    is_outdated: bool,
}

impl Client {
    /// Returns a connection that is not initialized. `settings` is the configuration for the
    /// server.
    pub(super) fn new(wire: Wire, settings: Value) -> Self {
        Self {
            wire,
            settings,
            last_request: 0,
            responses: HashMap::new(),
            open: BTreeMap::new(),
            published: BTreeMap::new(),
            pulled: BTreeMap::new(),
            is_pulling: false,
            tasks: HashSet::new(),
            is_loading: false,
            last_message: Instant::now(),
            is_outdated: false,
        }
    }

    /// Initializes the connection. Returns the version of the server, if it reports one.
    pub(super) fn initialize(
        &mut self,
        params: Value,
        patience: ServerTimeout<'_>,
    ) -> Result<Option<String>, ServerError> {
        let number = self.send_request("initialize", params);
        let answer = self.wait_result(number, "initialize", patience)?;
        self.is_pulling = !matches!(
            answer["capabilities"]["diagnosticProvider"],
            Value::Null | Value::Bool(false)
        );
        self.notify("initialized", json!({}));
        if !self.settings.is_null() {
            self.notify(
                "workspace/didChangeConfiguration",
                json!({ "settings": self.settings }),
            );
        }
        Ok(answer["serverInfo"]["version"].as_str().map(str::to_owned))
    }

    /// Sends the text of the file at `uri`. The text can differ from the file on the disk.
    pub(super) fn send_text(&mut self, uri: &str, language: &str, text: &str) {
        if let Some(version) = self.open.get_mut(uri) {
            *version += 1;
            let document = json!({ "uri": uri, "version": *version });
            let change = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
            self.notify("textDocument/didChange", change);
        } else {
            self.open.insert(uri.to_owned(), 0);
            let document =
                json!({ "uri": uri, "languageId": language, "version": 0, "text": text });
            self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        }
        if let Some(published) = self.published.get_mut(uri) {
            published.is_current = false;
        }
        self.last_message = Instant::now();
    }

    /// Notifies the server that the file on the disk has the text that it received.
    pub(super) fn notify_saved(&mut self, uri: &str) {
        self.notify(
            "textDocument/didSave",
            json!({ "textDocument": { "uri": uri } }),
        );
    }

    /// Closes the document, so that the server uses the file on the disk.
    pub(super) fn close(&mut self, uri: &str) {
        if self.open.remove(uri).is_some() {
            self.notify(
                "textDocument/didClose",
                json!({ "textDocument": { "uri": uri } }),
            );
            self.published.remove(uri);
            self.pulled.remove(uri);
        }
    }

    /// Notifies the server of changed files on the disk. Each URI has the protocol's
    /// `FileChangeType`: 1 created, 2 changed, 3 deleted.
    pub(super) fn notify_changed(&mut self, changes: &[(String, u8)]) {
        let changes: Vec<_> = changes
            .iter()
            .map(|(uri, kind)| json!({ "uri": uri, "type": kind }))
            .collect();
        self.notify(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": changes }),
        );
        self.last_message = Instant::now();
    }

    /// Returns the diagnostics of the open files, and the published diagnostics of other files, by
    /// URI.
    ///
    /// # Errors
    ///
    /// Returns a [`ServerError`] if the diagnostics are incomplete.
    pub(super) fn diagnostics(
        &mut self,
        patience: ServerTimeout<'_>,
    ) -> Result<BTreeMap<String, Vec<Diagnostic>>, ServerError> {
        self.wait_idle(patience)?;
        if self.is_pulling {
            self.pull(patience)?;
        }
        let mut all: BTreeMap<_, _> = self.pulled.clone();
        for (uri, published) in &self.published {
            let known: &mut Vec<_> = all.entry(uri.clone()).or_default();
            // A server that supports both methods reports some diagnostics twice.
            let more: Vec<_> = published
                .diagnostics
                .iter()
                .filter(|it| !known.contains(it))
                .cloned()
                .collect();
            known.extend(more);
        }
        Ok(all)
    }

    /// Shuts the server down and ends the connection.
    ///
    /// # Errors
    ///
    /// Returns a [`ServerError`] if the server does not confirm the shutdown.
    pub(super) fn shut_down(&mut self, patience: ServerTimeout<'_>) -> Result<(), ServerError> {
        let number = self.send_request("shutdown", Value::Null);
        self.wait_result(number, "shutdown", patience)?;
        self.notify("exit", Value::Null);
        Ok(())
    }

    /// Waits until the server is idle.
    ///
    /// The protocol has no message for this state. A server counts as idle if it has no task in
    /// progress, has published diagnostics for each open text (unless the client requests them),
    /// and then has sent nothing for [`ServerTimeout::quiet`].
    fn wait_idle(&mut self, patience: ServerTimeout<'_>) -> Result<(), ServerError> {
        loop {
            // Without pull requests, each open text needs a publication for its latest version.
            let is_silent = self.is_pulling || self.open.keys().all(|uri| self.is_current(uri));
            let is_ready = self.tasks.is_empty() && !self.is_loading && is_silent;
            let quiet_from = self.last_message + patience.quiet;
            if is_ready && Instant::now() >= quiet_from {
                return Ok(());
            }
            self.receive_message(patience, is_ready.then_some(quiet_from))?;
        }
    }

    fn is_current(&self, uri: &str) -> bool {
        self.published
            .get(uri)
            .is_some_and(|published| published.is_current)
    }

    /// Requests the diagnostics of each open file. Repeats the requests up to [`MAX_PULLS`] times if
    /// the server invalidates the diagnostics, and fails if the last ones are invalidated, too.
    fn pull(&mut self, patience: ServerTimeout<'_>) -> Result<(), ServerError> {
        for _ in 0..MAX_PULLS {
            self.is_outdated = false;
            // Send all requests before the first wait, so that the server can work in parallel.
            let asked: Vec<_> = self.open.keys().cloned().collect();
            let asked: Vec<_> = asked
                .into_iter()
                .map(|uri| {
                    let params = json!({ "textDocument": { "uri": uri } });
                    (self.send_request(DOCUMENT_DIAGNOSTIC, params), uri)
                })
                .collect();
            for (number, uri) in asked {
                match self.wait_response(number, patience)? {
                    Ok(answer) => self.store_pulled(uri, answer)?,
                    Err((code, _)) if RETRY_CODES.contains(&code) => {
                        // The next round starts after a quiet interval.
                        (self.is_outdated, self.last_message) = (true, Instant::now());
                    }
                    Err((_, message)) => {
                        return Err(ServerError::Refused {
                            method: DOCUMENT_DIAGNOSTIC,
                            message,
                        });
                    }
                }
            }
            self.wait_idle(patience)?;
            if !self.is_outdated {
                return Ok(());
            }
        }
        Err(ServerError::Outdated)
    }

    fn store_pulled(&mut self, uri: String, answer: Value) -> Result<(), ServerError> {
        if let DocumentDiagnostics::Full { items } = parse(answer)? {
            check_count(&items)?;
            self.pulled.insert(uri, items);
        }
        Ok(())
    }

    fn send_request(&mut self, method: &'static str, params: Value) -> i64 {
        self.last_request += 1;
        self.responses.insert(self.last_request, None);
        self.wire.send(&build_message(
            json!({ "id": self.last_request, "method": method }),
            params,
        ));
        self.last_request
    }

    fn notify(&self, method: &'static str, params: Value) {
        self.wire
            .send(&build_message(json!({ "method": method }), params));
    }

    fn wait_result(
        &mut self,
        number: i64,
        method: &'static str,
        patience: ServerTimeout<'_>,
    ) -> Result<Value, ServerError> {
        self.wait_response(number, patience)?
            .map_err(|(_, message)| ServerError::Refused { method, message })
    }

    fn wait_response(
        &mut self,
        number: i64,
        patience: ServerTimeout<'_>,
    ) -> Result<Response, ServerError> {
        loop {
            if let Some(Some(_)) = self.responses.get(&number)
                && let Some(Some(answer)) = self.responses.remove(&number)
            {
                return Ok(answer);
            }
            self.receive_message(patience, None)?;
        }
    }

    /// Handles the next message. Returns without one at `until`, and after [`POLL_INTERVAL`] at the latest,
    /// so that callers notice an interrupt.
    fn receive_message(
        &mut self,
        patience: ServerTimeout<'_>,
        until: Option<Instant>,
    ) -> Result<(), ServerError> {
        let now = Instant::now();
        if patience.interrupt.is_raised() {
            return Err(ServerError::Interrupted);
        }
        if now >= patience.until {
            return Err(ServerError::TimedOut);
        }
        let until = until
            .unwrap_or(patience.until)
            .min(patience.until)
            .min(now + POLL_INTERVAL);
        match self.wire.receive(until)? {
            Some(message) => self.accept(message),
            None => Ok(()),
        }
    }
}

fn build_message(mut head: Value, params: Value) -> Value {
    head["jsonrpc"] = json!("2.0");
    if !params.is_null() {
        head["params"] = params;
    }
    head
}

/// Checks the number of diagnostics of one file. A part of them would hide new errors.
fn check_count(diagnostics: &[Diagnostic]) -> Result<(), ServerError> {
    if diagnostics.len() > MAX_DIAGNOSTICS {
        return Err(ServerError::TooManyDiagnostics(MAX_DIAGNOSTICS));
    }
    Ok(())
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, ServerError> {
    serde_json::from_value(value)
        .map_err(|error| ServerError::InvalidMessage(format!("an invalid message: {error}")))
}
