//! Who makes a change, for the history and the audit file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::transaction::audit::{ApprovalMethod, ChangeOrigin};

/// The maximum length of each text in bytes.
const MAX_TEXT: usize = 512;

/// Who makes a change and why, for the history and the audit file. Nothing is derived from it.
#[derive(Clone, Debug, Default)]
pub struct Attribution {
    /// The author of the change. The prefix `ai:`, `human:` or `mixed:` states its kind, such as
    /// `ai:anthropic/claude-opus-4-5`.
    pub actor: Option<String>,
    /// The person who is responsible for the command.
    pub by: Option<String>,
    /// The caller's identifier of the request.
    pub request_id: Option<String>,
    /// The trace context, as in the variable `TRACEPARENT` of W3C Trace Context. Any other text is
    /// left out.
    pub traceparent: Option<String>,
    /// How the plan in [`Commit::approve`](super::Commit::approve) was approved.
    pub approval: Option<ApprovalMethod>,
    /// The command that signs the audit record.
    pub sign_with: Option<SignCommand>,
}

/// The command that signs audit records. It runs with `sh -c`, receives the bytes of the record on
/// standard input, and prints the signature. If it fails, the change is refused.
///
/// # Security
///
/// The command has all rights of the user. It comes from the caller, never from a patch or from the
/// tree.
#[derive(Clone, Debug)]
pub struct SignCommand {
    /// The command.
    pub command: OsString,
    /// The directory in which the command runs: the root.
    pub directory: PathBuf,
    /// The time limit.
    pub limit: Duration,
}

impl Attribution {
    /// Returns an error message if one of the texts cannot be in a record.
    pub(in crate::engine) fn usage_error(&self) -> Option<String> {
        let named = [
            ("actor", &self.actor),
            ("by", &self.by),
            ("request-id", &self.request_id),
        ];
        let is_wrong = |text: &String| {
            text.trim().is_empty() || text.len() > MAX_TEXT || text.contains(char::is_control)
        };
        let wrong = named
            .into_iter()
            .find(|(_, text)| text.as_ref().is_some_and(is_wrong));
        if let Some((name, _)) = wrong {
            return Some(format!(
                "--{name} needs a text of 1 to {MAX_TEXT} bytes without control characters"
            ));
        }
        let command = self.sign_with.as_ref()?.command.as_encoded_bytes();
        let is_empty = command.trim_ascii().is_empty() || command.contains(&0);
        is_empty.then(|| {
            "--sign-with needs a command that is not empty and contains no NUL byte".to_owned()
        })
    }

    /// Returns the origin of a change without its plan.
    pub(in crate::engine) fn origin(&self) -> ChangeOrigin {
        let mut origin = ChangeOrigin::default();
        origin.actor.clone_from(&self.actor);
        origin.by.clone_from(&self.by);
        origin.request_id.clone_from(&self.request_id);
        let context = self.traceparent.as_ref();
        origin.traceparent = context.filter(|text| is_trace_context(text)).cloned();
        origin
    }
}

/// Returns whether `text` is a `traceparent` of W3C Trace Context: a version, the ID of the trace,
/// the ID of the parent, and flags. Later versions can add further fields.
fn is_trace_context(text: &str) -> bool {
    let mut fields = text.split('-');
    let mut digits = |length: usize| {
        let field = fields.next()?;
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (field.len() == length && field.bytes().all(is_hex)).then_some(field)
    };
    let (version, trace, parent, flags) = (digits(2), digits(32), digits(16), digits(2));
    let is_set = |id: Option<&str>| id.is_some_and(|id| id.bytes().any(|digit| digit != b'0'));
    let is_known_version = match version {
        Some("00") => fields.next().is_none(),
        Some(version) => version != "ff",
        None => false,
    };
    is_known_version && is_set(trace) && is_set(parent) && flags.is_some() && text.len() <= MAX_TEXT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_valid_trace_context_is_recorded() {
        let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert!(is_trace_context(valid));
        assert!(is_trace_context(&format!("01{}-more", &valid[2..])));
        for invalid in [
            String::new(),
            valid.to_uppercase(),
            format!("{valid}-more"),
            format!("ff{}", &valid[2..]),
            valid[..54].to_owned(),
            valid.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            valid.replace("00f067aa0ba902b7", &"0".repeat(16)),
            valid.replace('-', "_"),
            format!("01{}-{}", &valid[2..], "x".repeat(MAX_TEXT)),
        ] {
            assert!(!is_trace_context(&invalid), "{invalid}");
        }
    }
}
