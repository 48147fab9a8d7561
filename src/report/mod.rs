//! The outcome of a command as serde types, and the formats that print it.
//!
//! Input: the results of the steps of one command (`stages`). [`build()`] turns these into a
//! [`Report`], and a [`Format`] prints the report. JSON field names, problem codes and exit codes
//! are a stable interface. The same patch and tree always result in the same report.
//!
//! Read `stages`, `build` and this file first. `file`, `hunk` and `finding` contain the main parts
//! of a report. To add a format, write `report/<name>.rs` and add a row to [`FORMATS`].

mod acp;
mod advice;
mod agent_trace;
mod applied;
mod audit;
mod batch;
mod build;
mod cause;
mod cell;
mod codex;
mod command;
mod converted;
mod counts;
mod decisions;
mod diagnostics;
mod difference;
mod explanation;
mod file;
mod finding;
mod findings;
mod github;
mod gitlab;
#[cfg(feature = "html")]
mod html;
mod hunk;
mod index;
#[cfg(feature = "html")]
mod inline;
mod input;
mod json;
mod left_out;
mod listing;
mod log;
mod log_session;
mod log_text;
mod log_version;
mod look;
mod merge;
mod model_text;
mod nearest;
mod numstat;
mod omitted;
mod operation;
mod outcome;
mod plain;
mod plan_id;
mod rdjson;
mod refresh;
mod rejects;
mod root;
mod rule;
mod sarif;
mod saved;
#[cfg(feature = "schema")]
mod schema;
mod score;
mod session;
#[cfg(feature = "html")]
mod shown;
mod side;
mod stages;
mod stat;
mod status;
mod summary;
mod symbols;
#[cfg(feature = "html")]
mod syntax_colors;
#[cfg(feature = "cli")]
pub mod terminal;
mod text;
mod texts;
mod transaction;
mod tree;
mod whitespace;
mod words;
mod written;

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::path::RelPath;
use crate::syntax::Quoting;
use words::text;

pub use crate::diagnostics::DiagnosticSeverity;
pub use crate::matching::DifferenceReason;
pub use crate::policy::Verdict;
pub use crate::preflight::{ProblemKind, Severity};
pub use agent_trace::AgentTrace;
pub use applied::AppliedLines;
pub use audit::{AUDIT_REPORT_SCHEMA, AuditReport};
pub use batch::{BATCH_SCHEMA, BatchLine, JobId, make_deterministic};
pub use build::build;
pub use cause::{CauseKind, CauseReport};
pub use cell::CellReport;
pub use command::CommandReport;
pub use converted::ConvertedPatch;
pub use counts::Summary;
pub use decisions::{
    DECISIONS_SCHEMA, Decisions, FileDecisions, HunkDecision, PartDecision, ReviewResult,
};
pub use diagnostics::{DiagnosticReport, DiagnosticsReport, ServerReport};
pub use difference::{ChangedFile, Difference, DifferenceWarning};
pub use explanation::{AccessReport, Explanation, GrantReport, LimitsReport, RuleMatchReport};
pub use file::FileReport;
pub use finding::{Expected, NumberedText, ProblemDetails, ProblemReport, SourceSpan};
#[cfg(feature = "html")]
pub use html::{
    DecisionCommands, FilePreview, Operands, Page, PageKind, PreviewSource, print_change_html,
    print_html,
};
pub use hunk::{Candidate, HunkReport, Source, StatedLines};
pub use index::{IndexEntryReport, IndexReport, IndexStage, IndexVersion};
pub use input::{InputReport, NotIncludedReport, Repair, SeriesEntryReport};
pub use json::print as print_json;
pub use left_out::LeftOutReport;
pub use log::{Coverage, LOG_SCHEMA, Log, LogEntry, LogFile, State};
pub use log_session::{LogSession, LogSessionFile};
pub use log_version::LogVersion;
pub use look::{EntryType, Extract, Listing, ListingEntry};
pub use merge::{ConflictReport, MergeReport, MergedChange, MergedLines};
pub use model_text::{refusal, success};
pub use nearest::{FirstDifference, NearestPlace};
use numstat::{NameTerminator, Numstat};
pub use omitted::{
    MAX_APPLYING_HUNKS, MAX_CONFLICTS, MAX_FAILED_FILES, MAX_FAILED_HUNKS,
    MAX_FAILED_HUNKS_PER_FILE, MAX_NOTES, MAX_PROBLEMS, Omitted,
};
pub use operation::{FileType, Op};
pub use outcome::Outcome;
pub use refresh::{
    PatchStatus, RefreshReport, RefreshStatus, RefreshedFile, RefreshedHunk, RefreshedPatch,
    ShownHunks,
};
pub use rejects::RejectsReport;
pub use root::RootReport;
pub use rule::RuleHit;
pub use saved::SavedReport;
#[cfg(feature = "schema")]
pub use schema::{SCHEMAS, Schema};
pub use session::SessionReport;
pub use side::{ContentDigest, Contents, LineStats, Modes, OverwrittenFile, Review};
pub use stages::{Command, CommandReports, CommitResult, Resolved, Selected};
use stat::Stat;
pub use stat::{GraphStyle, StatRow, print_stat};
pub use status::{FileStatus, HunkStatus};
pub use summary::letter_summary;
pub use symbols::{ListedSymbol, NamedSymbol, SymbolListing};
pub use transaction::{HistoryReport, KeptFileReport, RecoveredReport, TransactionReport};
pub use tree::TreeReport;
pub use whitespace::{WhitespaceLine, WhitespaceReport};

/// The name and version of the JSON format of [`Report`].
pub const SCHEMA: &str = "wpatch.report/1";

/// The result of a command: its changes, or the reasons why it makes none.
///
/// Lines and columns count from 1, byte offsets from 0. Names and texts are copied from the patch
/// and can contain control characters. Every [`Format`] escapes these characters.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch report"))]
#[non_exhaustive]
pub struct Report {
    /// `wpatch.report/1`.
    pub schema: &'static str,
    /// The program that wrote the report.
    pub tool: Tool,
    /// The name of the command.
    pub command: &'static str,
    /// Whether the command succeeded. For a check: whether the change can be made.
    pub ok: bool,
    /// Whether the change of this command is in the tree. If `dry_run` is set: whether it would be.
    /// The rollback of an earlier, interrupted change counts only for `recover`. `recovered` lists
    /// it for every command.
    pub changed: bool,
    /// The outcome of the command.
    pub outcome: Outcome,
    /// The exit code.
    pub exit_code: u8,
    /// The identifier of the change, for its approval. Equal changes of equal file contents have
    /// equal identifiers. Null if it was not requested or cannot be computed.
    pub plan_id: Option<String>,
    /// The saved plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<SavedReport>,
    /// Whether the command was a dry run. `changed` then states whether the tree would change.
    #[serde(skip_serializing_if = "file::is_false")]
    pub dry_run: bool,
    /// The root directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The roots, if paths begin with the name of a root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<RootReport>,
    /// The prefix that turns a path below the root into a path for the caller. Formats that refer
    /// to files use it.
    #[serde(skip)]
    pub base: Option<String>,
    /// The files that filters excluded: the source name of a rename or copy, and the name.
    #[serde(skip)]
    pub skipped: Vec<(Option<RelPath>, RelPath)>,
    /// The names that git quotes in this repository (`core.quotePath`).
    #[serde(skip)]
    pub quoting: Quoting,
    /// The git tree that was compared with the patch instead of a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeReport>,
    /// The patches.
    pub inputs: Vec<InputReport>,
    /// Counts over all files.
    pub summary: Summary,
    /// The policy's verdict on the whole change.
    pub policy: PolicyReport,
    /// The files, one entry for each file section of the patches, in order. A directory that an
    /// undo restores or removes has an entry only if it is a submodule or if this fails. If
    /// nothing can be applied, `omitted` counts the files that do not apply and are not listed.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<FileReport>"))]
    pub files: Vec<FileReport>,
    /// The files and hunks that were not selected, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutReport>,
    /// The changes of git's index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexReport>,
    /// The findings of language servers, if any were queried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<DiagnosticsReport>,
    /// The numbers of entries that are not listed because there are too many failures.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
    /// The problems, in order.
    pub problems: Vec<ProblemReport>,
    /// The problem that determines the outcome; null after success.
    #[serde(serialize_with = "finding::as_error")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<finding::DecisiveProblem>")
    )]
    pub error: Option<ProblemReport>,
    /// The committed or recovered transactions; null if there are none.
    pub transaction: Option<TransactionReport>,
    /// Whether the change can be undone. Only commands that change files report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryReport>,
    /// The result of the command of `run`. Its output is not captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<CommandReport>,
    /// The edit session that the command began, changed, committed or aborted. If the command
    /// changed it, the listed files are changed in the session and not in the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionReport>,
    /// The patch in another format. Only `convert` reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converted: Option<Box<ConvertedPatch>>,
    /// What each patch and each hunk needed. Only `refresh` reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh: Option<Box<RefreshReport>>,
    /// The decisions of the reviewer. Only `review` reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Box<Decisions>>,
    /// The result of the user's command that ran before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<CommandReport>,
    /// The result of the user's command that verified the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<CommandReport>,
    /// The result of the user's command that ran after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<CommandReport>,
}

impl Report {
    /// Returns the entry for the operation with this index, if it is listed.
    #[must_use]
    pub fn find_file(&self, operation: usize) -> Option<&FileReport> {
        let place = self
            .files
            .binary_search_by_key(&operation, |file| file.index)
            .ok()?;
        self.files.get(place)
    }

    /// Returns the entry for the problem with this index among all problems, if it is listed.
    #[must_use]
    pub fn find_problem(&self, index: usize) -> Option<&ProblemReport> {
        let place = self
            .problems
            .binary_search_by_key(&index, |problem| problem.index)
            .ok()?;
        self.problems.get(place)
    }
}

/// Returns the total of a report in words, for example `1 file changed, 2 insertions(+)`.
#[cfg(feature = "review")]
pub(crate) fn change_summary(report: &Report) -> String {
    stat::changes(report).trim_start().to_owned()
}

/// Returns a path as text in the form that reports use.
pub(crate) fn path_text(path: &RelPath) -> String {
    text(path.as_bytes())
}

/// The program that wrote a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Tool {
    /// `wpatch`.
    pub name: &'static str,
    /// The version of the program.
    pub version: &'static str,
}

/// This program.
const TOOL: Tool = Tool {
    name: env!("CARGO_PKG_NAME"),
    version: env!("CARGO_PKG_VERSION"),
};

/// The policy's verdict on the whole change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct PolicyReport {
    /// `allow`, `ask` or `deny`: the strictest verdict of all rules.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub verdict: Verdict,
    /// The policy files in force, joined by `, `; null if there are none.
    pub source: Option<String>,
    /// The names of the rules that match a file.
    pub rules_hit: Vec<String>,
}

/// One output format of a report.
pub trait Format: Sync {
    /// Returns the name of the format.
    fn name(&self) -> &'static str;

    /// Prints `report`.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()>;
}

/// All formats.
pub const FORMATS: &[&dyn Format] = &[
    &json::Json,
    &text::Text,
    &Stat {
        name: "stat",
        style: GraphStyle::Plain,
    },
    &Stat {
        name: "stat-coloured",
        style: GraphStyle::Coloured,
    },
    &Numstat {
        name: "numstat",
        terminator: NameTerminator::Newline,
    },
    &Numstat {
        name: "numstat-z",
        terminator: NameTerminator::Nul,
    },
    &summary::Summary,
    &acp::Acp,
    &codex::Codex,
    &github::GitHub,
    &gitlab::GitLab,
    &rdjson::RdJson,
    &sarif::Sarif,
];

/// Returns the format with this name.
#[must_use]
pub fn find_format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().find(|format| format.name() == name).copied()
}
