//! One conversation with a language server: what it is told, what it is asked, and what it says
//! unasked.

mod incoming;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::protocol::{Diagnostic, DocumentDiagnostics};
use super::trouble::Trouble;
use super::wire::Wire;
use crate::interrupt::Interrupt;

/// How often who waits looks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);
/// How often a server that is busy again meanwhile is asked anew.
const ROUNDS: usize = 5;
/// Most diagnostics of a file that are kept.
const MAX_DIAGNOSTICS: usize = 1000;
/// The request for the diagnostics of one document.
const DOCUMENT_DIAGNOSTIC: &str = "textDocument/diagnostic";
/// Error codes of a server that wants to be asked again: content modified, server cancelled.
const AGAIN: [i64; 2] = [-32801, -32802];

/// How long somebody waits.
#[derive(Clone, Copy)]
pub(super) struct Patience<'a> {
    /// When it ends.
    pub(super) until: Instant,
    /// How long a server has to be silent before it is taken to have said all.
    pub(super) quiet: Duration,
    /// The handle that ends the wait.
    pub(super) interrupt: &'a Interrupt,
}

/// What a server says of a file unasked.
#[derive(Debug, Default)]
struct Published {
    diagnostics: Vec<Diagnostic>,
    /// Whether it was said of the text that the server has now.
    is_current: bool,
}

/// What a server answers; else the code of its error and its words.
type Answer = Result<Value, (i64, String)>;

/// One conversation.
pub(super) struct Client {
    wire: Wire,
    settings: Value,
    last_request: i64,
    /// Answers to requests of ours, by their number; `None` for those that are not there yet.
    answers: HashMap<i64, Option<Answer>>,
    /// Versions of the documents that are open, by their URI.
    open: BTreeMap<String, i32>,
    /// By URI.
    published: BTreeMap<String, Published>,
    pulled: BTreeMap<String, Vec<Diagnostic>>,
    /// Whether it is asked for diagnostics; others say them unasked.
    pulls: bool,
    /// What it is at work on, as far as it says so.
    tasks: HashSet<String>,
    /// Whether it says that it is not ready yet.
    is_loading: bool,
    /// When it last said something that matters.
    heard: Instant,
    /// Whether it said that what it was asked has other answers now.
    is_outdated: bool,
}

impl Client {
    /// Returns a conversation that has not begun. `settings` is what the server is told of its
    /// configuration.
    pub(super) fn new(wire: Wire, settings: Value) -> Self {
        Self {
            wire,
            settings,
            last_request: 0,
            answers: HashMap::new(),
            open: BTreeMap::new(),
            published: BTreeMap::new(),
            pulled: BTreeMap::new(),
            pulls: false,
            tasks: HashSet::new(),
            is_loading: false,
            heard: Instant::now(),
            is_outdated: false,
        }
    }

    /// Begins the conversation and returns the version of the server, if it tells.
    pub(super) fn initialize(
        &mut self,
        params: Value,
        patience: Patience<'_>,
    ) -> Result<Option<String>, Trouble> {
        let number = self.ask("initialize", params);
        let answer = self.answer(number, "initialize", patience)?;
        self.pulls = !matches!(
            answer["capabilities"]["diagnosticProvider"],
            Value::Null | Value::Bool(false)
        );
        self.tell("initialized", json!({}));
        if !self.settings.is_null() {
            self.tell(
                "workspace/didChangeConfiguration",
                json!({ "settings": self.settings }),
            );
        }
        Ok(answer["serverInfo"]["version"].as_str().map(str::to_owned))
    }

    /// Says that the file at `uri` has this text, which may be another one than on the disk.
    pub(super) fn put(&mut self, uri: &str, language: &str, text: &str) {
        if let Some(version) = self.open.get_mut(uri) {
            *version += 1;
            let document = json!({ "uri": uri, "version": *version });
            let change = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
            self.tell("textDocument/didChange", change);
        } else {
            self.open.insert(uri.to_owned(), 0);
            let document =
                json!({ "uri": uri, "languageId": language, "version": 0, "text": text });
            self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        }
        if let Some(published) = self.published.get_mut(uri) {
            published.is_current = false;
        }
        self.heard = Instant::now();
    }

    /// Says that the file at `uri` has on the disk what the server was told.
    pub(super) fn saved(&mut self, uri: &str) {
        self.tell(
            "textDocument/didSave",
            json!({ "textDocument": { "uri": uri } }),
        );
    }

    /// Says that what is on the disk counts for the file at `uri`.
    pub(super) fn close(&mut self, uri: &str) {
        if self.open.remove(uri).is_some() {
            self.tell(
                "textDocument/didClose",
                json!({ "textDocument": { "uri": uri } }),
            );
            self.published.remove(uri);
            self.pulled.remove(uri);
        }
    }

    /// Says which files are other ones on the disk: their URIs, with 1 for made, 2 for changed, 3
    /// for gone.
    pub(super) fn moved(&mut self, changes: &[(String, u8)]) {
        let changes: Vec<_> = changes
            .iter()
            .map(|(uri, kind)| json!({ "uri": uri, "type": kind }))
            .collect();
        self.tell(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": changes }),
        );
        self.heard = Instant::now();
    }

    /// Returns all that the server has to say of the files that are open, and what it says unasked
    /// of others, by URI.
    ///
    /// # Errors
    ///
    /// Returns why it has not said all.
    pub(super) fn diagnostics(
        &mut self,
        patience: Patience<'_>,
    ) -> Result<BTreeMap<String, Vec<Diagnostic>>, Trouble> {
        self.rest(patience)?;
        if self.pulls {
            self.pull(patience)?;
        }
        let mut all: BTreeMap<_, _> = self.pulled.clone();
        for (uri, published) in &self.published {
            let known: &mut Vec<_> = all.entry(uri.clone()).or_default();
            // A server that does both says some of it twice.
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

    /// Ends the conversation.
    ///
    /// # Errors
    ///
    /// Returns why the server did not take leave.
    pub(super) fn leave(&mut self, patience: Patience<'_>) -> Result<(), Trouble> {
        let number = self.ask("shutdown", Value::Null);
        self.answer(number, "shutdown", patience)?;
        self.tell("exit", Value::Null);
        Ok(())
    }

    /// Waits until the server is at rest. The protocol has no word for it: it is at work on nothing
    /// that it told of, has said something of each text that it has, if it does so unasked, and
    /// then nothing for a while.
    fn rest(&mut self, patience: Patience<'_>) -> Result<(), Trouble> {
        loop {
            let is_silent = self.pulls || self.open.keys().all(|uri| self.is_current(uri));
            let is_ready = self.tasks.is_empty() && !self.is_loading && is_silent;
            let quiet_from = self.heard + patience.quiet;
            if is_ready && Instant::now() >= quiet_from {
                return Ok(());
            }
            self.listen(patience, is_ready.then_some(quiet_from))?;
        }
    }

    fn is_current(&self, uri: &str) -> bool {
        self.published
            .get(uri)
            .is_some_and(|published| published.is_current)
    }

    /// Asks for the diagnostics of each open file; anew if the server found out more meanwhile.
    fn pull(&mut self, patience: Patience<'_>) -> Result<(), Trouble> {
        for _ in 0..ROUNDS {
            self.is_outdated = false;
            let asked: Vec<_> = self.open.keys().cloned().collect();
            let asked: Vec<_> = asked
                .into_iter()
                .map(|uri| {
                    let params = json!({ "textDocument": { "uri": uri } });
                    (self.ask(DOCUMENT_DIAGNOSTIC, params), uri)
                })
                .collect();
            for (number, uri) in asked {
                match self.answered(number, patience)? {
                    Ok(answer) => self.take_pulled(uri, answer)?,
                    Err((code, _)) if AGAIN.contains(&code) => self.is_outdated = true,
                    Err((_, message)) => {
                        return Err(Trouble::Refused {
                            method: DOCUMENT_DIAGNOSTIC,
                            message,
                        });
                    }
                }
            }
            self.rest(patience)?;
            if !self.is_outdated {
                break;
            }
        }
        Ok(())
    }

    fn take_pulled(&mut self, uri: String, answer: Value) -> Result<(), Trouble> {
        if let DocumentDiagnostics::Full { mut items } = read(answer)? {
            items.truncate(MAX_DIAGNOSTICS);
            self.pulled.insert(uri, items);
        }
        Ok(())
    }

    fn ask(&mut self, method: &'static str, params: Value) -> i64 {
        self.last_request += 1;
        self.answers.insert(self.last_request, None);
        self.wire.send(&message(
            json!({ "id": self.last_request, "method": method }),
            params,
        ));
        self.last_request
    }

    fn tell(&self, method: &'static str, params: Value) {
        self.wire
            .send(&message(json!({ "method": method }), params));
    }

    fn answer(
        &mut self,
        number: i64,
        method: &'static str,
        patience: Patience<'_>,
    ) -> Result<Value, Trouble> {
        self.answered(number, patience)?
            .map_err(|(_, message)| Trouble::Refused { method, message })
    }

    fn answered(&mut self, number: i64, patience: Patience<'_>) -> Result<Answer, Trouble> {
        loop {
            if let Some(Some(_)) = self.answers.get(&number)
                && let Some(Some(answer)) = self.answers.remove(&number)
            {
                return Ok(answer);
            }
            self.listen(patience, None)?;
        }
    }

    /// Takes the next message, or returns when there is none until `until`.
    fn listen(&mut self, patience: Patience<'_>, until: Option<Instant>) -> Result<(), Trouble> {
        let now = Instant::now();
        if patience.interrupt.is_raised() {
            return Err(Trouble::Stopped);
        }
        if now >= patience.until {
            return Err(Trouble::Late);
        }
        let until = until
            .unwrap_or(patience.until)
            .min(patience.until)
            .min(now + LOOK);
        match self.wire.receive(until)? {
            Some(message) => self.take(message),
            None => Ok(()),
        }
    }
}

fn message(mut head: Value, params: Value) -> Value {
    head["jsonrpc"] = json!("2.0");
    if !params.is_null() {
        head["params"] = params;
    }
    head
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, Trouble> {
    serde_json::from_value(value)
        .map_err(|error| Trouble::Garbage(format!("what the protocol does not know: {error}")))
}
