//! Messages from a language server: responses, requests and notifications.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Client, PublishedDiagnostics, check_count, parse};
use crate::diagnostics::protocol::PublishDiagnostics;
use crate::diagnostics::server_error::ServerError;
use crate::diagnostics::uri;

/// The maximum number of files with published diagnostics, and of tasks in progress.
const MAX_FILES: usize = 10_000;

impl Client {
    /// Handles one message from the server.
    pub(super) fn accept(&mut self, mut message: Value) -> Result<(), ServerError> {
        let params = message["params"].take();
        match (message["method"].as_str(), message.get("id")) {
            (Some(method), Some(id)) => {
                let answer = self.reply(method, &params);
                self.wire.send(&match answer {
                    Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
                });
                Ok(())
            }
            (Some(method), None) => self.accept_notification(method, params),
            // A response without a matching request is ignored.
            (None, Some(id)) => {
                let answer = id
                    .as_i64()
                    .and_then(|number| self.responses.get_mut(&number));
                if let Some(answer) = answer {
                    let error = message.get("error").map(|error| {
                        let words = error["message"].as_str().unwrap_or_default().to_owned();
                        (error["code"].as_i64().unwrap_or_default(), words)
                    });
                    *answer = Some(error.map_or_else(|| Ok(message["result"].take()), Err));
                }
                Ok(())
            }
            (None, None) => Err(ServerError::InvalidMessage(
                "a message that is neither a request nor a response".to_owned(),
            )),
        }
    }

    /// Returns the response to a request of the server.
    fn reply(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        match method {
            "workspace/configuration" => {
                let items = params["items"]
                    .as_array()
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                Ok(items
                    .iter()
                    .map(|item| find_setting(&self.settings, item["section"].as_str()))
                    .collect())
            }
            "workspace/diagnostic/refresh" => {
                self.is_outdated = true;
                self.last_message = Instant::now();
                Ok(Value::Null)
            }
            "client/registerCapability"
            | "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "workspace/workspaceFolders"
            | "window/showMessageRequest" => Ok(Value::Null),
            // Only the patch may change the tree.
            "workspace/applyEdit" => Ok(json!({ "applied": false })),
            _ => Err(json!({ "code": -32601, "message": "method not found" })),
        }
    }

    /// Handles a notification of the server.
    fn accept_notification(&mut self, method: &str, params: Value) -> Result<(), ServerError> {
        match method {
            "textDocument/publishDiagnostics" => self.store_published(parse(params)?)?,
            "$/progress" => {
                let token = params["token"].to_string();
                match params["value"]["kind"].as_str() {
                    Some("begin") if self.tasks.len() < MAX_FILES => {
                        self.tasks.insert(token);
                    }
                    Some("end") => {
                        self.tasks.remove(&token);
                    }
                    _ => {}
                }
                self.last_message = Instant::now();
            }
            // rust-analyzer first publishes empty diagnostics for all files. This notification
            // reports when it is ready.
            "experimental/serverStatus" => {
                self.is_loading = params["quiescent"] == Value::Bool(false);
                self.last_message = Instant::now();
            }
            _ => {}
        }
        Ok(())
    }

    fn store_published(&mut self, params: PublishDiagnostics) -> Result<(), ServerError> {
        let uri = self
            .open
            .keys()
            .find(|uri| is_same_file(uri, &params.uri))
            .cloned();
        let version = uri.as_ref().and_then(|uri| self.open.get(uri).copied());
        // Diagnostics of an earlier version of the document are outdated.
        if params
            .version
            .is_some_and(|said| version.is_some_and(|version| said < version))
        {
            return Ok(());
        }
        check_count(&params.diagnostics)?;
        self.last_message = Instant::now();
        // Some servers publish empty diagnostics for each file of the tree.
        if uri.is_none() && params.diagnostics.is_empty() {
            self.published.remove(&params.uri);
            return Ok(());
        }
        let uri = uri.unwrap_or(params.uri);
        if self.published.len() >= MAX_FILES && !self.published.contains_key(&uri) {
            return Err(ServerError::TooManyFiles(MAX_FILES));
        }
        self.published.insert(
            uri,
            PublishedDiagnostics {
                diagnostics: params.diagnostics,
                is_current: true,
            },
        );
        Ok(())
    }
}

/// Returns whether two URIs name the same file. Servers can escape other characters than the
/// client.
fn is_same_file(ours: &str, theirs: &str) -> bool {
    ours == theirs || uri::to_path(ours).is_some_and(|path| Some(path) == uri::to_path(theirs))
}

/// Returns the settings at the dotted path `name`, for example `python.analysis`.
fn find_setting(settings: &Value, name: Option<&str>) -> Value {
    let mut names = name
        .unwrap_or_default()
        .split('.')
        .filter(|name| !name.is_empty());
    names
        .try_fold(settings, |settings, name| settings.get(name))
        .cloned()
        .unwrap_or(Value::Null)
}
