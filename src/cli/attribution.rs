//! The options of every command that leaves an audit record: who makes the change, and the command
//! that signs the record.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::args::Global;
use super::root::canonical_root;
use crate::engine::{Attribution, SignCommand};

/// The time limit of the command that signs a record. It can wait for a person who confirms.
const SIGN_LIMIT: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, Default, Args)]
pub(super) struct AttributionOptions {
    /// Record NAME as the author of the change
    ///
    /// The prefix `ai:`, `human:` or `mixed:` states the kind of author, as in
    /// `ai:anthropic/claude-opus-4-5`.
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Audit",
        hide_short_help = true
    )]
    actor: Option<String>,
    /// Record NAME as the person who is responsible for the command
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Audit",
        hide_short_help = true
    )]
    by: Option<String>,
    /// Record ID as the caller's identifier of the request
    #[arg(
        long,
        value_name = "ID",
        help_heading = "Audit",
        hide_short_help = true
    )]
    request_id: Option<String>,
    /// Sign the audit record with CMD, and refuse the change unless it exits with 0
    ///
    /// sh runs CMD in the root before the tree changes. CMD receives the record on standard input
    /// and prints the signature, as `ssh-keygen -Y sign -n wpatch -f KEY` does.
    #[arg(
        long,
        value_name = "CMD",
        help_heading = "Audit",
        hide_short_help = true
    )]
    sign_with: Option<OsString>,
}

impl AttributionOptions {
    /// Returns who makes the change. `TRACEPARENT` supplies the trace context.
    pub(super) fn attribution(&self, global: &Global) -> Attribution {
        let sign_with = self.sign_with.clone().map(|command| SignCommand {
            command,
            directory: PathBuf::from(canonical_root(global)),
            limit: SIGN_LIMIT,
        });
        Attribution {
            actor: self.actor.clone(),
            by: self.by.clone(),
            request_id: self.request_id.clone(),
            traceparent: env::var("TRACEPARENT").ok(),
            approval: None,
            sign_with,
        }
    }
}
