//! The documents of commands as values, which a binding converts to objects of its language.

use serde::Serialize;

use crate::report::{
    AgentTrace, AuditReport, Difference, Explanation, Extract, Listing, Log, Report, SymbolListing,
    print_json,
};

/// The document that a command prints with `--json`.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Document {
    /// The report of `apply`, `check` and all commands that change a tree, or of a failed command.
    Report(Box<Report>),
    /// The history, from `log`.
    Log(Log),
    /// The result of `log --verify`.
    Audit(AuditReport),
    /// The result of `log --format agent-trace`.
    Traces(Vec<AgentTrace>),
    /// The result of `diff`.
    Difference(Difference),
    /// The result of `list`.
    Listing(Listing),
    /// The result of `list --symbols`.
    Symbols(SymbolListing),
    /// The result of `read`.
    Extract(Extract),
    /// The result of `policy explain`.
    Explanation(Explanation),
}

impl Document {
    /// Returns whether this is the report of a cancelled command. Its exit code is 128 plus the
    /// number of the signal.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Report(report) if report.exit_code >= 128)
    }

    /// Returns the JSON document in one line.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        let _ = print_json(self, &mut text);
        text
    }
}
