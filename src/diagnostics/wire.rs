//! Messages of the Language Server Protocol on a stream: a header with the length, then JSON.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use serde_json::Value;

use super::server_error::ServerError;

/// The maximum sizes of a header and of a message body, in bytes.
const MAX_HEADER: u64 = 4 << 10;
const MAX_MESSAGE: u64 = 32 << 20;
/// The maximum number of unread messages. The reading thread stops at this number, so the server
/// blocks on its output.
const MAX_UNREAD: usize = 4;
/// The maximum number of bytes of an invalid header in an error message.
const MAX_SHOWN: usize = 80;

/// Both directions of a connection.
///
/// Two threads read and write, so that a server that blocks never blocks the caller. Each thread
/// ends when its stream ends.
pub(super) struct Wire {
    outgoing: Sender<Vec<u8>>,
    incoming: Receiver<Result<Value, ServerError>>,
}

impl Wire {
    /// Starts the two threads.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot start a thread.
    pub(super) fn new(
        from: impl Read + Send + 'static,
        to: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let (outgoing, waiting) = mpsc::channel::<Vec<u8>>();
        let (found, incoming) = mpsc::sync_channel(MAX_UNREAD);
        let mut to = to;
        let write = move || {
            waiting
                .iter()
                .try_for_each(|message| to.write_all(&message).and_then(|()| to.flush()))
        };
        thread::Builder::new()
            .name("to server".to_owned())
            .spawn(write)?;
        let mut from = BufReader::new(from);
        let read = move || {
            loop {
                let message = read_message(&mut from);
                let is_last = message.is_err();
                if found.send(message).is_err() || is_last {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("from server".to_owned())
            .spawn(read)?;
        Ok(Self { outgoing, incoming })
    }

    /// Queues `message` for the server. If the server has exited, only [`Self::receive`] reports
    /// it.
    pub(super) fn send(&self, message: &Value) {
        let body = message.to_string();
        let _ = self
            .outgoing
            .send(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes());
    }

    /// Returns the next message, or `None` if none arrives before `until`.
    ///
    /// # Errors
    ///
    /// Returns the fault of the next message, or [`ServerError::Ended`] at the end of the stream.
    /// No message follows an error.
    pub(super) fn receive(&self, until: Instant) -> Result<Option<Value>, ServerError> {
        match self
            .incoming
            .recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            Ok(message) => message.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(ServerError::Ended),
        }
    }
}

/// Reads one message, which must be a JSON object.
///
/// Memory use is limited by [`MAX_MESSAGE`], even if the header announces more.
fn read_message(stream: &mut impl BufRead) -> Result<Value, ServerError> {
    let length = read_length(stream)?;
    if length > MAX_MESSAGE {
        return Err(ServerError::TooLarge {
            size: length,
            limit: MAX_MESSAGE,
        });
    }
    let mut body = Vec::new();
    stream
        .take(length)
        .read_to_end(&mut body)
        .map_err(ServerError::Stream)?;
    if u64::try_from(body.len()).is_ok_and(|read| read < length) {
        return Err(ServerError::Ended);
    }
    match serde_json::from_slice(&body) {
        Ok(message @ Value::Object(_)) => Ok(message),
        Ok(_) => Err(ServerError::InvalidMessage(
            "a message that is not an object".to_owned(),
        )),
        Err(error) => Err(ServerError::InvalidMessage(format!(
            "a message that is not valid JSON: {error}"
        ))),
    }
}

/// Reads a header and returns the length of the body that follows, in bytes.
fn read_length(stream: &mut impl BufRead) -> Result<u64, ServerError> {
    let mut stream = stream.take(MAX_HEADER);
    let mut length = None;
    loop {
        let mut line = Vec::new();
        stream
            .read_until(b'\n', &mut line)
            .map_err(ServerError::Stream)?;
        let Some(field) = line.strip_suffix(b"\n") else {
            let is_end = line.is_empty() && length.is_none() && stream.limit() == MAX_HEADER;
            return Err(if is_end {
                ServerError::Ended
            } else {
                header_error(&line)
            });
        };
        let field = field.strip_suffix(b"\r").unwrap_or(field);
        if field.is_empty() {
            return length.ok_or_else(|| header_error(b"a header without Content-Length"));
        }
        let (name, value) = std::str::from_utf8(field)
            .ok()
            .and_then(|field| field.split_once(':'))
            .unzip();
        match (name, value) {
            (Some(name), Some(value)) if name.eq_ignore_ascii_case("content-length") => {
                length = Some(value.trim().parse().map_err(|_| header_error(field))?);
            }
            (Some(name), _) if name.eq_ignore_ascii_case("content-type") => {}
            _ => return Err(header_error(field)),
        }
    }
}

fn header_error(header: &[u8]) -> ServerError {
    let shown = String::from_utf8_lossy(&header[..header.len().min(MAX_SHOWN)]);
    ServerError::InvalidMessage(format!("`{shown}` instead of a header"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(stream: &[u8]) -> Result<Value, String> {
        read_message(&mut &*stream).map_err(|error| error.to_string())
    }

    #[test]
    fn a_message_is_read_by_its_length() {
        let two = b"Content-Length: 2\r\n\r\n{}Content-Type: x\r\ncontent-length:3\r\n\r\n{ }";
        let mut stream = &two[..];
        assert_eq!(read_message(&mut stream).unwrap(), serde_json::json!({}));
        assert_eq!(read_message(&mut stream).unwrap(), serde_json::json!({}));
        assert!(matches!(read_message(&mut stream), Err(ServerError::Ended)));
    }

    #[test]
    fn what_is_no_message_is_named() {
        let cases: [(&[u8], &str); 7] = [
            (
                b"warning: \x1b[1m\n",
                "sent `warning: \x1b[1m` instead of a header",
            ),
            (
                b"\n",
                "sent `a header without Content-Length` instead of a header",
            ),
            (
                b"Content-Length: x\n",
                "sent `Content-Length: x` instead of a header",
            ),
            (
                b"Content-Length: 2\n\n{x",
                "sent a message that is not valid JSON: key must be a string at line 1 column 2",
            ),
            (
                b"Content-Length: 3\n\n[1]",
                "sent a message that is not an object",
            ),
            (b"Content-Length: 4\n\n{}", "ended"),
            (
                b"Content-Length: 99999999999\n\n",
                "sent a message of 99999999999 bytes, which exceeds the limit of 33554432",
            ),
        ];
        for (stream, words) in cases {
            assert_eq!(found(stream).unwrap_err(), words);
        }
    }

    #[test]
    fn an_endless_header_is_not_kept() {
        let endless = io::repeat(b'x');
        let error = read_message(&mut BufReader::new(endless))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            format!("sent `{}` instead of a header", "x".repeat(MAX_SHOWN))
        );
    }
}
