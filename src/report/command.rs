//! The results of the user's commands.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::process::{CommandOutput, ExitReason};

/// The result of a command of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct CommandReport {
    /// The command, as the user gave it.
    pub command: String,
    /// The exit code; null if there is none.
    pub exit_code: Option<i32>,
    /// The signal that ended the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Whether the command was ended by the time limit.
    #[serde(skip_serializing_if = "super::file::is_false")]
    pub timed_out: bool,
    /// The duration in milliseconds.
    pub duration_ms: u64,
    /// The last 16 KiB of standard output and standard error. Bytes that are not UTF-8 are
    /// replaced.
    pub output: String,
    /// Whether the command wrote more output.
    pub truncated: bool,
}

impl CommandReport {
    /// Returns the result `ran` of `command`.
    #[must_use]
    pub fn of(command: &[u8], ran: &CommandOutput) -> Self {
        Self {
            command: String::from_utf8_lossy(command).into_owned(),
            exit_code: if let ExitReason::Exited(code) = ran.reason {
                Some(code)
            } else {
                None
            },
            signal: if let ExitReason::Signalled(signal) = ran.reason {
                Some(signal)
            } else {
                None
            },
            timed_out: ran.reason == ExitReason::TimedOut,
            duration_ms: u64::try_from(ran.time.as_millis()).unwrap_or(u64::MAX),
            output: String::from_utf8_lossy(&ran.output).into_owned(),
            truncated: ran.is_cut,
        }
    }
}
