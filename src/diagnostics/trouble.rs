//! Why a language server says nothing that can be used.

use std::io;

/// Why a language server says nothing that can be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    /// Its program cannot be started.
    #[error("cannot be started: {0}")]
    Start(io::Error),
    /// Its output cannot be read.
    #[error("cannot be listened to: {0}")]
    Stream(io::Error),
    /// Its output has come to an end.
    #[error("ended")]
    Ended,
    /// It does not speak the protocol.
    #[error("said {0}")]
    Garbage(String),
    /// It sends more than anybody would.
    #[error("sent a message of {size} bytes, over the limit of {limit}")]
    TooLarge {
        /// What it says it sends, in bytes.
        size: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// It does not want to.
    #[error("refused {method}: {message}")]
    Refused {
        /// What it was asked for.
        method: &'static str,
        /// What it said.
        message: String,
    },
    /// It did not answer in time.
    #[error("did not answer in time")]
    Late,
    /// Somebody asked to stop.
    #[error("was stopped")]
    Stopped,
}
