//! What language servers say of files before and after a change: a small client of the Language
//! Server Protocol.
//!
//! A server is asked twice in one run: with the files as they are, and with the files as they
//! become. What it says the second time and did not say the first time is what the change brought.

mod client;
mod difference;
mod document;
mod findings;
mod program;
mod protocol;
mod session;
mod trouble;
mod uri;
mod wire;

use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::interrupt::Interrupt;
use crate::mutex::locked;
use crate::path::{PathPattern, RelPath};
use crate::text::json::Json;

pub use document::{Document, MAX_TEXT, Text};

pub use findings::{Findings, Found, Graveness, ServerFindings, Telling};

use client::Patience;
use session::Session;

/// How long all servers may take together unless something else is asked for.
pub const TIMEOUT: Duration = Duration::from_secs(20);
/// How long a server has to be silent before it is taken to have said all, unless something else is
/// asked for.
pub const QUIET: Duration = Duration::from_millis(500);
/// The clock of a system may know no later time.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A language server that the user has.
#[derive(Clone, Debug)]
pub struct Server {
    /// What it is called in reports.
    pub name: String,
    /// The paths below the root that the server is for.
    pub files: Vec<PathPattern>,
    /// Its program, as a name for the search path or an absolute path, and its arguments.
    ///
    /// # Security
    ///
    /// It runs with all that the user may do. Take it from the user, never from a patch or from the
    /// tree that is patched.
    pub command: Vec<String>,
    /// The name of the language in the protocol; without one it is known by the extension of a
    /// file.
    pub language: Option<String>,
    /// What it is told when it starts, as `initializationOptions`.
    pub initialization: Json,
    /// What it is told when it asks for its configuration.
    pub settings: Json,
}

/// What is asked of language servers.
#[derive(Clone, Debug)]
pub struct Options {
    /// The absolute name of the root.
    pub root: PathBuf,
    /// The servers, of which every one that is for a file is asked.
    pub servers: Vec<Server>,
    /// How long all of it may take, starting and both questions.
    pub timeout: Duration,
    /// How long a server has to be silent before it is taken to have said all.
    pub quiet: Duration,
    /// What new errors mean.
    pub new_errors: NewErrors,
}

/// What new errors mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewErrors {
    /// They are reported.
    Reported,
    /// The change is refused; so it is if a server that was asked did not answer.
    Denied,
}

/// Where the files are as they become when they are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// In memory: a server knows those that it was told of, and finds the others on the disk as
    /// they were.
    Memory,
    /// On the disk.
    Disk,
}

/// The servers that were asked about the files as they are, and wait for what becomes of them.
///
/// Dropped, it kills them.
pub struct Diagnosis {
    options: Options,
    documents: Vec<Document>,
    sessions: Vec<Session>,
    until: Instant,
}

impl Diagnosis {
    /// Starts the servers that are for any of `documents` and asks them about the files as they
    /// are.
    ///
    /// A server that says nothing that can be used is no error: see [`ServerFindings::problem`].
    #[must_use]
    pub fn begin(options: Options, documents: Vec<Document>, interrupt: &Interrupt) -> Self {
        let begun = Instant::now();
        let sessions = options
            .servers
            .iter()
            .filter_map(|server| Session::of(server, &documents))
            .collect();
        let timeout = options.timeout.min(LONGEST);
        let mut diagnosis = Self {
            options,
            documents,
            sessions,
            until: begun + timeout,
        };
        // What is left is for the second question, which a server that has read everything answers
        // sooner.
        let patience = Patience {
            until: begun + timeout / 4 * 3,
            ..diagnosis.patience(interrupt)
        };
        diagnosis
            .each(|session, options, documents| session.ask_before(options, documents, patience));
        diagnosis
    }

    /// Returns whether there is no server for any of the files.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Returns whether a server is of no use already.
    #[must_use]
    pub fn is_troubled(&self) -> bool {
        self.sessions
            .iter()
            .any(|session| session.problem.is_some())
    }

    /// Asks about the files as they become, which are at `place`.
    pub fn go_on(&mut self, place: Place, interrupt: &Interrupt) {
        let patience = self.patience(interrupt);
        self.each(|session, options, documents| {
            session.ask_after(options, documents, place, patience);
        });
    }

    /// Ends the servers and returns what they said.
    ///
    /// # Security
    ///
    /// Servers read what they like below the root and quote it. What is about a file that did not
    /// change, or points to one, is left out unless `may_tell` says that its contents may be told;
    /// what is about files outside the root always is.
    #[must_use]
    pub fn findings(mut self, may_tell: Telling<'_>) -> Findings {
        let never = Interrupt::new();
        let patience = Patience {
            until: Instant::now() + session::LEAVE,
            ..self.patience(&never)
        };
        self.each(|session, _, _| session.leave(patience));
        let Self {
            options,
            documents,
            sessions,
            ..
        } = self;
        Findings::of(&options.root, &documents, sessions, may_tell)
    }

    fn patience<'a>(&self, interrupt: &'a Interrupt) -> Patience<'a> {
        Patience {
            until: self.until,
            quiet: self.options.quiet,
            interrupt,
        }
    }

    /// Does `work` for each server, for all at the same time.
    fn each(&mut self, work: impl Fn(&mut Session, &Options, &[Document]) + Sync) {
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
                        let work = move || work(&mut locked(session), options, documents);
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
    /// Returns whether it is for the file at `path`.
    #[must_use]
    pub fn is_for(&self, path: &RelPath) -> bool {
        self.files
            .iter()
            .any(|pattern| pattern.is_match(path.as_bytes()))
    }
}
