//! The failures of a language server.

use std::io;

/// The reason why a language server gives no usable diagnostics.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServerError {
    /// The program cannot be started.
    #[error("cannot be started: {0}")]
    Start(io::Error),
    /// The output cannot be read.
    #[error("cannot be read: {0}")]
    Stream(io::Error),
    /// The output has ended.
    #[error("ended")]
    Ended,
    /// The server violates the protocol.
    #[error("sent {0}")]
    InvalidMessage(String),
    /// The server sends a message over the size limit.
    #[error("sent a message of {size} bytes, which exceeds the limit of {limit}")]
    TooLarge {
        /// The announced size, in bytes.
        size: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The server returns an error.
    #[error("rejected {method}: {message}")]
    Refused {
        /// The method of the request.
        method: &'static str,
        /// The error message of the server.
        message: String,
    },
    /// The server sends too many diagnostics for one file.
    #[error("sent more than {0} diagnostics for one file")]
    TooManyDiagnostics(usize),
    /// The server sends diagnostics for too many files.
    #[error("sent diagnostics for more than {0} files")]
    TooManyFiles(usize),
    /// The server has invalidated all diagnostics that it sent.
    #[error("sent only outdated diagnostics")]
    Outdated,
    /// The server did not answer in time.
    #[error("did not respond in time")]
    TimedOut,
    /// The request was interrupted.
    #[error("was stopped")]
    Interrupted,
}
