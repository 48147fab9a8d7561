//! The messages on standard input and output, one per line. Threads of their own read and write, so
//! that the server answers while a call runs.

use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::sync::mpsc as blocking_mpsc;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, watch};

use super::json;
use crate::cli::line_reader::{LineRead, read_line};
use crate::mutex::lock_unpoisoned;
use crate::report::print_json;

/// The number of lines that are read ahead, and of messages that wait to be written.
const QUEUE: usize = 64;
/// The time for the last messages after a signal.
const SIGNAL_GRACE: Duration = Duration::from_secs(1);

/// The requests that the server answers.
const METHODS: [&str; 5] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/call",
    "tools/list",
];

/// The standard streams as a transport.
pub(super) struct StdioTransport {
    lines: mpsc::Receiver<Line>,
    output: mpsc::Sender<ServerJsonRpcMessage>,
    open: Arc<OpenRequests>,
    /// Ends the input after a signal.
    stop: Arc<Notify>,
    /// Set at the end of the input, or after a signal.
    has_ended: watch::Sender<bool>,
    /// Whether the client has sent a request.
    has_started: bool,
}

/// A line of the input.
enum Line {
    Whole(Vec<u8>),
    /// The line has more bytes than this limit.
    TooLong(usize),
}

/// The threads that read and write.
pub(super) struct StdioThreads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
    /// Disconnected at the end of the writer.
    has_written: blocking_mpsc::Receiver<()>,
}

impl StdioThreads {
    /// Waits until all messages are written.
    ///
    /// # Errors
    ///
    /// Returns the error of a stream.
    pub(super) fn join(self) -> io::Result<()> {
        let panicked = || io::Error::other("a thread has panicked");
        self.writer.join().unwrap_or_else(|_| Err(panicked()))?;
        // After an error of the output the reader still waits for input.
        if self.reader.is_finished() {
            self.reader.join().unwrap_or_else(|_| Err(panicked()))?;
        }
        Ok(())
    }

    /// Waits until all messages are written, but only for [`SIGNAL_GRACE`]: a client that has sent a
    /// signal may not read them.
    pub(super) fn wait_after_signal(&self) {
        let _ = self.has_written.recv_timeout(SIGNAL_GRACE);
    }
}

/// The requests without a response.
struct OpenRequests {
    ids: Mutex<HashSet<RequestId>>,
    count: watch::Sender<usize>,
}

impl OpenRequests {
    fn change(&self, change: impl FnOnce(&mut HashSet<RequestId>)) {
        let mut ids = lock_unpoisoned(&self.ids);
        change(&mut ids);
        self.count.send_replace(ids.len());
    }

    async fn wait_until_none(&self) {
        // This fails only if the sender is dropped.
        let _ = self.count.subscribe().wait_for(|&count| count == 0).await;
    }
}

impl StdioTransport {
    /// Starts to read lines of at most `limit` bytes. `stop` ends the input. `has_ended` is set at
    /// its end.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if a thread cannot be started.
    pub(super) fn start(
        limit: usize,
        stop: Arc<Notify>,
        has_ended: watch::Sender<bool>,
    ) -> io::Result<(Self, StdioThreads)> {
        let (send_line, lines) = mpsc::channel(QUEUE);
        let (output, messages) = mpsc::channel(QUEUE);
        let reader = thread::Builder::new().spawn(move || read_lines(limit, &send_line))?;
        let (has_ended_writing, has_written) = blocking_mpsc::channel();
        let writer = thread::Builder::new().spawn(move || {
            let _has_ended_writing = has_ended_writing;
            write_messages(messages)
        })?;
        let open = Arc::new(OpenRequests {
            ids: Mutex::default(),
            count: watch::Sender::new(0),
        });
        let transport = Self {
            lines,
            output,
            open,
            stop,
            has_ended,
            has_started: false,
        };
        let threads = StdioThreads {
            reader,
            writer,
            has_written,
        };
        Ok((transport, threads))
    }

    /// Returns the message in `line`. A line that is not a valid message gets an error response.
    fn parse(&self, line: &Line) -> Option<ClientJsonRpcMessage> {
        let parsed = match line {
            Line::Whole(text) if text.trim_ascii().is_empty() => return None,
            Line::Whole(text) => parse(text),
            Line::TooLong(limit) => Err(LineError {
                code: ErrorCode::INVALID_REQUEST,
                message: format!("the message exceeds {limit} bytes"),
                id: None,
            }),
        };
        match parsed {
            Ok(message) => Some(message),
            Err(LineError { code, message, id }) => {
                let error = ErrorData::new(code, message, None);
                let response = ServerJsonRpcMessage::error(error, id);
                let output = self.output.clone();
                // A closed output also ends the input.
                tokio::spawn(async move { output.send(response).await });
                None
            }
        }
    }

    /// Records `message`. Returns it unless the server cannot use it.
    fn admit(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Request(request) => {
                self.has_started = true;
                self.open.change(|ids| {
                    ids.insert(request.id.clone());
                });
            }
            JsonRpcMessage::Notification(notification) => {
                // A cancelled request gets no response.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.change(|ids| {
                        ids.remove(id);
                    });
                }
            }
            _ => {}
        }
        // The SDK ends the connection if its first message is not a request.
        self.has_started.then_some(message)
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, open) = (self.output.clone(), Arc::clone(&self.open));
        async move {
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            let sent = output.send(message).await;
            if let Some(id) = answered {
                open.change(|ids| {
                    ids.remove(&id);
                });
            }
            sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    /// Is cancelled and called again when the server sends a message, so the end is kept in
    /// `has_ended`.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while !*self.has_ended.borrow() {
            let line = tokio::select! {
                line = self.lines.recv() => line,
                () = self.output.closed() => return None,
                () = self.stop.notified() => None,
            };
            let Some(line) = line else {
                self.has_ended.send_replace(true);
                break;
            };
            if let Some(message) = self.parse(&line)
                && let Some(message) = self.admit(message)
            {
                return Some(message);
            }
        }
        // The SDK cancels the calls some time after the end of the input.
        self.open.wait_until_none().await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn read_lines(limit: usize, lines: &mpsc::Sender<Line>) -> io::Result<()> {
    let mut input = io::stdin().lock();
    loop {
        let mut buffer = Vec::new();
        let line = match read_line(&mut input, &mut buffer, limit)? {
            LineRead::End => return Ok(()),
            LineRead::TooLong => Line::TooLong(limit),
            LineRead::Whole => Line::Whole(buffer),
        };
        if lines.blocking_send(line).is_err() {
            return Ok(());
        }
    }
}

fn write_messages(mut messages: mpsc::Receiver<ServerJsonRpcMessage>) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    while let Some(message) = messages.blocking_recv() {
        print_json(&message, &mut out)?;
        out.flush()?;
    }
    Ok(())
}

/// The reason why a line gets an error response.
struct LineError {
    code: ErrorCode,
    message: String,
    id: Option<RequestId>,
}

/// Parses one message.
///
/// # Errors
///
/// Returns the reason why `text` is not a message that the server can use.
fn parse(text: &[u8]) -> Result<ClientJsonRpcMessage, LineError> {
    let not_json = |why: &str| LineError {
        code: ErrorCode::PARSE_ERROR,
        message: format!("the message is not valid JSON: {why}"),
        id: None,
    };
    let invalid = |message: String| LineError {
        code: ErrorCode::INVALID_REQUEST,
        message,
        id: request_id(text),
    };
    let words = std::str::from_utf8(text).map_err(|_| not_json("it is not UTF-8"))?;
    json::check(words).map_err(|error| match error.classify() {
        Category::Data => invalid(format!("the message is invalid: {error}")),
        _ => not_json(&error.to_string()),
    })?;
    let message: ClientJsonRpcMessage = serde_json::from_str(words).map_err(|_| {
        invalid("the message is not a request, a notification or a response".to_owned())
    })?;
    // The SDK takes a known request with wrong parameters for a request of an extension.
    if let JsonRpcMessage::Request(request) = &message
        && let ClientRequest::CustomRequest(custom) = &request.request
        && METHODS.contains(&&*custom.method)
    {
        return Err(LineError {
            code: ErrorCode::INVALID_PARAMS,
            message: format!("the parameters of {} are invalid", custom.method),
            id: Some(request.id.clone()),
        });
    }
    Ok(message)
}

/// Returns the identifier in an invalid message.
fn request_id(text: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
    }
    let envelope: Envelope<'_> = serde_json::from_slice(text).ok()?;
    let id = envelope.id.get();
    // A list or an object is not an identifier, and can be large.
    let is_scalar = !id.starts_with(['[', '{']);
    is_scalar.then(|| serde_json::from_str(id).ok()).flatten()
}
