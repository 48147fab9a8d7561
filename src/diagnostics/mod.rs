//! Compares the diagnostics of language servers before and after a change. This module is a small
//! client of the Language Server Protocol.
//!
//! Input: the files with their text before and after the change, and the servers to ask. Unchanged
//! files that depend on the change can be among them. Output: [`Findings`] with the new diagnostics
//! and the number of fixed diagnostics.
//!
//! Each server runs once and is queried twice: with the current files and with the changed files. A
//! diagnostic is new if only the second response contains it. A server that fails never fails the
//! request; its findings are ignored and its problem is reported.
//!
//! Read this file first. `session` controls one server and `client` implements the protocol.
//! `difference` compares the two responses.

mod client;
mod difference;
mod document;
mod findings;
mod program;
mod protocol;
mod server_error;
mod session;
mod uri;
mod wire;

use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::interrupt::Interrupt;
use crate::mutex::lock_unpoisoned;
use crate::path::{PathPattern, RelPath};
use crate::text::json::Json;

pub use document::{Document, DocumentRole, MAX_TEXT, Text};

pub use findings::{DiagnosticSeverity, Findings, NewDiagnostic, PathFilter, ServerFindings};

use client::ServerTimeout;
use session::Session;

/// The default time limit for all servers together.
pub const TIMEOUT: Duration = Duration::from_secs(20);
/// The default time without messages after which the diagnostics of a server count as complete.
pub const QUIET: Duration = Duration::from_millis(500);
/// The maximum time limit. `Instant` may be unable to represent a later time.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// A language server that the user configured.
#[derive(Clone, Debug)]
pub struct Server {
    /// The name of the server in reports.
    pub name: String,
    /// The paths below the root that the server handles.
    pub files: Vec<PathPattern>,
    /// The command: a program, by name in `PATH` or by absolute path, and its arguments.
    ///
    /// # Security
    ///
    /// The server runs with all permissions of the user. Read the command from the user's
    /// configuration, never from a patch or from the patched tree.
    pub command: Vec<String>,
    /// The protocol's language identifier. Without one, the extension of the file determines it.
    pub language: Option<String>,
    /// The `initializationOptions` of the protocol.
    pub initialization: Json,
    /// The configuration that the server can request.
    pub settings: Json,
    /// The effect of new errors of this server, and of its failure, if
    /// [`DiagnosticsOptions::new_errors`] denies new errors. Several servers can handle one file, such
    /// as a type checker and a linter.
    pub new_errors: NewErrors,
}

/// The servers to query, and the limits.
#[derive(Clone, Debug)]
pub struct DiagnosticsOptions {
    /// The absolute path of the root.
    pub root: PathBuf,
    /// The servers. Every server that handles a changed file is queried, also if several servers
    /// handle the same file.
    pub servers: Vec<Server>,
    /// The unchanged files that the servers open, too, such as files that depend on the changed ones.
    pub also: Vec<PathPattern>,
    /// The time limit for the start and both queries.
    pub timeout: Duration,
    /// The time without messages after which the diagnostics of a server count as complete.
    pub quiet: Duration,
    /// The effect of new errors.
    pub new_errors: NewErrors,
}

/// The effect of new errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewErrors {
    /// The report lists them.
    Reported,
    /// The change is refused. It is also refused if a queried server fails.
    Denied,
}

/// The location of the changed files at the second query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileLocation {
    /// In memory. The server receives the text of its changed files. All other files on the disk
    /// are unchanged.
    Memory,
    /// On the disk.
    Disk,
}

/// Running servers that have received the first query and wait for the second.
///
/// Dropping this value kills the servers.
pub struct DiagnosticsSession {
    options: DiagnosticsOptions,
    documents: Vec<Document>,
    sessions: Vec<Session>,
    until: Instant,
}

impl DiagnosticsSession {
    /// Starts the servers that handle any of `documents` and queries the current files.
    ///
    /// A server that fails is not an error: see [`ServerFindings::problem`].
    #[must_use]
    pub fn start(
        options: DiagnosticsOptions,
        documents: Vec<Document>,
        interrupt: &Interrupt,
    ) -> Self {
        let begun = Instant::now();
        let sessions = options
            .servers
            .iter()
            .filter_map(|server| Session::of(server, &documents))
            .collect();
        let timeout = options.timeout.min(MAX_TIMEOUT);
        let mut diagnosis = Self {
            options,
            documents,
            sessions,
            until: begun + timeout,
        };
        // The rest of the time is for the second query. A server answers it sooner, because it has
        // already read the files.
        let patience = ServerTimeout {
            until: begun + timeout / 4 * 3,
            ..diagnosis.server_timeout(interrupt)
        };
        diagnosis.for_each_server(|session, options, documents| {
            session.query_before(options, documents, patience);
        });
        diagnosis
    }

    /// Returns whether no server handles any of the files.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Returns whether a server has already failed whose errors deny the change.
    #[must_use]
    pub fn has_failed_server(&self) -> bool {
        let denies = |session: &Session| session.server.new_errors == NewErrors::Denied;
        self.sessions
            .iter()
            .any(|session| session.problem.is_some() && denies(session))
    }

    /// Queries the changed files, which are located at `place`.
    pub fn query_changed(&mut self, place: FileLocation, interrupt: &Interrupt) {
        let patience = self.server_timeout(interrupt);
        self.for_each_server(|session, options, documents| {
            session.query_after(options, documents, place, patience);
        });
    }

    /// Stops the servers and returns their findings.
    ///
    /// # Security
    ///
    /// A server can read any file below the root and quote it. Diagnostics of an unchanged file,
    /// and diagnostics that refer to an unchanged file, are omitted unless `may_tell` permits that
    /// file. Diagnostics of files outside the root are always omitted.
    #[must_use]
    pub fn finish(mut self, may_tell: PathFilter<'_>) -> Findings {
        let never = Interrupt::new();
        let patience = ServerTimeout {
            until: Instant::now() + session::SHUTDOWN_TIMEOUT,
            ..self.server_timeout(&never)
        };
        self.for_each_server(|session, _, _| session.shut_down(patience));
        let Self {
            options,
            documents,
            sessions,
            ..
        } = self;
        Findings::of(&options.root, &documents, sessions, may_tell)
    }

    fn server_timeout<'a>(&self, interrupt: &'a Interrupt) -> ServerTimeout<'a> {
        ServerTimeout {
            until: self.until,
            quiet: self.options.quiet,
            interrupt,
        }
    }

    /// Calls `work` for all servers in parallel.
    fn for_each_server(
        &mut self,
        work: impl Fn(&mut Session, &DiagnosticsOptions, &[Document]) + Sync,
    ) {
        let Self {
            options,
            documents,
            sessions,
            ..
        } = self;
        let (options, documents, work) = (&*options, documents.as_slice(), &work);
        match sessions.as_mut_slice() {
            [only] => work(only, options, documents),
            several => {
                let several: Vec<_> = several.iter_mut().map(Mutex::new).collect();
                thread::scope(|scope| {
                    for session in &several {
                        let work = move || work(&mut lock_unpoisoned(session), options, documents);
                        if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                            work();
                        }
                    }
                });
            }
        }
    }
}

impl Server {
    /// Returns whether the server handles the file at `path`.
    #[must_use]
    pub fn is_for(&self, path: &RelPath) -> bool {
        self.files
            .iter()
            .any(|pattern| pattern.is_match(path.as_bytes()))
    }
}
