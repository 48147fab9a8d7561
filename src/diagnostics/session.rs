//! One language server and the files that it handles.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{mem, process};

use serde_json::{Value, json};

use super::client::{Client, ServerTimeout};
use super::document::{self, Document, DocumentRole};
use super::program::ServerProcess;
use super::protocol::Diagnostic;
use super::server_error::ServerError;
use super::uri;
use super::{DiagnosticsOptions, FileLocation, Server};
use crate::path::RelPath;

/// The time that a server has to shut down.
pub(super) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The diagnostics of one server, by URI.
pub(super) type DiagnosticsByUri = BTreeMap<String, Vec<Diagnostic>>;

/// One server and its state.
pub(super) struct Session {
    pub(super) server: Server,
    /// The version that the server reports.
    pub(super) version: Option<String>,
    /// The documents that the server handles, as indices into the list of all documents.
    pub(super) documents: Vec<usize>,
    /// The diagnostics of the current files.
    pub(super) before: DiagnosticsByUri,
    /// The diagnostics of the changed files.
    pub(super) after: DiagnosticsByUri,
    /// The reason why the server failed.
    pub(super) problem: Option<String>,
    /// The time of both queries.
    pub(super) duration: Duration,
    running: Option<(Client, ServerProcess)>,
}

impl Session {
    /// Returns a session that is not started; `None` if `server` handles none of `documents`.
    pub(super) fn of(server: &Server, documents: &[Document]) -> Option<Self> {
        let is_meant = |document: &Document| {
            document.is_known()
                && (server.is_for(&document.path) || server.is_for(document.old_path()))
        };
        let documents: Vec<_> = (0..documents.len())
            .filter(|&index| is_meant(&documents[index]))
            .collect();
        (!documents.is_empty()).then(|| Self {
            server: server.clone(),
            version: None,
            documents,
            before: DiagnosticsByUri::new(),
            after: DiagnosticsByUri::new(),
            problem: None,
            duration: Duration::ZERO,
            running: None,
        })
    }

    /// Starts the server and queries the current files.
    pub(super) fn query_before(
        &mut self,
        options: &DiagnosticsOptions,
        documents: &[Document],
        patience: ServerTimeout<'_>,
    ) {
        let begun = Instant::now();
        self.running = match ServerProcess::start(&self.server.command, &options.root) {
            Ok((program, wire)) => {
                Some((Client::new(wire, self.server.settings.0.clone()), program))
            }
            Err(error) => return self.fail(&error),
        };
        self.run_with_client(begun, |session, client| {
            session.version =
                client.initialize(session.initialize_params(&options.root), patience)?;
            for document in session.documents(documents) {
                session.send_text(
                    client,
                    &options.root,
                    document.old_path(),
                    document.texts()[0],
                );
            }
            session.before = client.diagnostics(patience)?;
            Ok(())
        });
    }

    /// Queries the changed files.
    pub(super) fn query_after(
        &mut self,
        options: &DiagnosticsOptions,
        documents: &[Document],
        place: FileLocation,
        patience: ServerTimeout<'_>,
    ) {
        self.run_with_client(Instant::now(), |session, client| {
            let root = &options.root;
            for document in session.documents(documents) {
                if document.after.is_none() || document.from.is_some() {
                    client.close(&document::uri(root, document.old_path()));
                }
            }
            // Unchanged texts are sent again, too: the server then publishes their diagnostics anew.
            for document in session.documents(documents) {
                session.send_text(client, root, &document.path, document.texts()[1]);
            }
            if place == FileLocation::Disk {
                // The files of this server can depend on changed files that the server does not
                // handle.
                let moves: Vec<_> = documents
                    .iter()
                    .flat_map(|document| document.file_changes(root))
                    .collect();
                client.notify_changed(&moves);
                let here = session
                    .documents(documents)
                    .filter(|document| document.role == DocumentRole::Changed)
                    .filter(|document| document.after.is_some());
                here.for_each(|document| client.notify_saved(&document::uri(root, &document.path)));
            }
            session.after = client.diagnostics(patience)?;
            Ok(())
        });
    }

    /// Stops the server, with the protocol's shutdown if possible.
    pub(super) fn shut_down(&mut self, patience: ServerTimeout<'_>) {
        if let Some((mut client, mut program)) = self.running.take()
            && client.shut_down(patience).is_ok()
        {
            // Dropping the client closes the server's standard input. This ends a server that
            // ignored the notification `exit`.
            drop(client);
            program.wait(patience.until);
        }
    }

    fn documents<'d>(&self, documents: &'d [Document]) -> impl Iterator<Item = &'d Document> {
        self.documents.iter().map(|&index| &documents[index])
    }

    fn send_text(&self, client: &mut Client, root: &Path, path: &RelPath, text: Option<&str>) {
        let Some(text) = text else { return };
        let language = self
            .server
            .language
            .clone()
            .unwrap_or_else(|| document::language_id(path));
        client.send_text(&document::uri(root, path), &language, text);
    }

    /// Calls `work` with the running server. Stops the server if `work` fails.
    fn run_with_client(
        &mut self,
        begun: Instant,
        work: impl FnOnce(&mut Self, &mut Client) -> Result<(), ServerError>,
    ) {
        let Some((mut client, program)) = mem::take(&mut self.running) else {
            return;
        };
        let worked = work(self, &mut client);
        self.duration += begun.elapsed();
        self.running = Some((client, program));
        if let Err(error) = worked {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &ServerError) {
        let complaint = self.running.take().and_then(|(_, program)| {
            // The last line on standard error can arrive after the end of the output.
            let patience = if matches!(error, ServerError::Ended) {
                SHUTDOWN_TIMEOUT
            } else {
                Duration::ZERO
            };
            program.failure_reason(Instant::now() + patience)
        });
        let words = complaint.map_or_else(String::new, |complaint| {
            format!("; its standard error: `{complaint}`")
        });
        self.problem = Some(format!("{} {error}{words}", self.server.name));
    }

    /// Returns the parameters of `initialize`.
    fn initialize_params(&self, root: &Path) -> Value {
        let uri = uri::from_path(root);
        let name = root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-16"] },
            "window": { "workDoneProgress": true },
            "workspace": {
                "configuration": true,
                "workspaceFolders": true,
                "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
                "diagnostic": { "refreshSupport": true },
            },
            "textDocument": {
                "synchronization": { "didSave": true },
                "publishDiagnostics": { "versionSupport": true },
                "diagnostic": { "dynamicRegistration": false, "relatedDocumentSupport": false },
            },
            "experimental": { "serverStatusNotification": true },
        });
        json!({
            "processId": process::id(),
            "clientInfo": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
            "rootUri": uri,
            "workspaceFolders": [{ "uri": uri, "name": name }],
            "capabilities": capabilities,
            "initializationOptions": self.server.initialization,
        })
    }
}
