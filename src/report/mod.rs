//! The outcome as data, and the formats that print it.
//!
//! To add a format, write `report/<name>.rs` and a row of [`FORMATS`].

mod acp;
mod advice;
mod applied;
mod batch;
mod build;
mod cause;
mod cell;
mod codex;
mod counts;
mod diagnostics;
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
mod listing;
mod log;
mod look;
mod merge;
mod nearest;
mod numstat;
mod omitted;
mod operation;
mod outcome;
mod plain;
mod plan_id;
mod ran;
mod rdjson;
mod rejects;
mod rule;
mod sarif;
#[cfg(feature = "schema")]
mod schema;
mod score;
mod side;
mod spoken;
mod stages;
mod stat;
mod status;
mod summary;
#[cfg(feature = "cli")]
pub mod terminal;
mod text;
mod texts;
mod transaction;
mod whitespace;
mod words;
mod written;

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::path::RelPath;
use crate::plan::LeftOut;
use crate::syntax::Quoting;
use words::text;

pub use crate::diagnostics::Graveness;
pub use crate::matching::DifferenceReason;
pub use crate::policy::Verdict;
pub use crate::preflight::{ProblemKind, Severity};
pub use applied::AppliedLines;
pub use batch::{BATCH_SCHEMA, BatchLine, JobId, forget_place};
pub use build::build;
pub use cause::{CauseKind, CauseReport};
pub use cell::CellReport;
pub use counts::Summary;
pub use diagnostics::{DiagnosticReport, DiagnosticsReport, ServerReport};
pub use explanation::{AccessReport, Explanation, GrantReport, LimitsReport, RuleSaid};
pub use file::FileReport;
pub use finding::{Expected, NumberedText, ProblemDetails, ProblemReport, SourceSpan};
#[cfg(feature = "html")]
pub use html::{Exhibit, Exhibits, Page, print_change_html, print_html};
pub use hunk::{Candidate, HunkReport, Source, StatedLines};
pub use index::{IndexEntryReport, IndexReport, IndexStage, IndexVersion};
pub use input::{InputReport, ListedReport, NotIncludedReport, Repair};
pub use json::print as print_json;
pub use log::{Coverage, LOG_SCHEMA, Log, LogEntry, LogFile, LogVersion, State};
pub use look::{Difference, EntryType, Extract, Listing, ListingEntry};
pub use merge::{ConflictReport, MergeReport, MergedChange, MergedLines};
pub use nearest::{FirstDifference, NearestPlace};
use numstat::{End, Numstat};
pub use omitted::{
    CONFLICTS, FAILED_FILES, FAILED_HUNKS, FAILED_HUNKS_PER_FILE, FITTING_HUNKS, NOTES, Omitted,
    PROBLEMS,
};
pub use operation::{FileType, Op};
pub use outcome::Outcome;
pub use ran::CommandReport;
pub use rejects::RejectsReport;
pub use rule::RuleHit;
#[cfg(feature = "schema")]
pub use schema::{SCHEMAS, Schema};
pub use side::{Contents, Digested, LineStats, Modes, Replaced, Review};
pub use spoken::{refusal, success};
pub use stages::{Answers, Command, CommitResult, Resolved, Selected};
use stat::{Signs, Stat};
pub use status::{FileStatus, HunkStatus};
pub use summary::letters;
pub use transaction::{HistoryReport, KeptReport, RecoveredReport, TransactionReport};
pub use whitespace::{WhitespaceLine, WhitespaceReport};

/// The name and version of the shape of [`Report`].
pub const SCHEMA: &str = "wpatch.report/1";

/// What a command did, or would do, or why not.
///
/// Lines and columns are counted from 1, bytes from 0. Names and texts are as in the patch and may
/// hold control characters; every [`Format`] escapes them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch report"))]
#[non_exhaustive]
pub struct Report {
    /// `wpatch.report/1`.
    pub schema: &'static str,
    /// Who reports.
    pub tool: Tool,
    /// The command.
    pub command: &'static str,
    /// Whether what was asked for is done, or would be.
    pub ok: bool,
    /// Whether the tree is another than before.
    pub changed: bool,
    /// How the command ended.
    pub outcome: Outcome,
    /// The exit code.
    pub exit_code: u8,
    /// The name of the change, for `--approve`: the same for the same change of the same bytes.
    /// Null if it cannot be made, or if nobody asked.
    pub plan_id: Option<String>,
    /// The plan that was kept, for `apply --plan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<SavedReport>,
    /// Whether nothing was to be written; `changed` then says what would be.
    #[serde(skip_serializing_if = "file::is_false")]
    pub dry_run: bool,
    /// The directory that is patched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// What the caller puts before paths below the root to name them; of formats that point at
    /// files.
    #[serde(skip)]
    pub base: Option<String>,
    /// The files that filters left out, each with the name that it would have come from.
    #[serde(skip)]
    pub skipped: Vec<(Option<RelPath>, RelPath)>,
    /// Which names git quotes here (`core.quotePath`).
    #[serde(skip)]
    pub quoting: Quoting,
    /// The tree of a repository that was looked at, instead of a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeReport>,
    /// The patches.
    pub inputs: Vec<InputReport>,
    /// Counts over all files.
    pub summary: Summary,
    /// What policy says.
    pub policy: PolicyReport,
    /// One entry for each file section of the patches, in order. A directory that an undo restores
    /// or removes has an entry only if it is a submodule or if that fails. If nothing can be
    /// applied, `omitted` counts the files that do not apply and are not listed.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<FileReport>"))]
    pub files: Vec<FileReport>,
    /// What was left out of the patches (`--only`), in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutReport>,
    /// What becomes of git's index (`--index`, `--cached`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexReport>,
    /// What language servers said of the change, if they were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<DiagnosticsReport>,
    /// The numbers of entries that are not listed because there are too many failures.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
    /// The problems, in order.
    pub problems: Vec<ProblemReport>,
    /// The problem that decided; null after success.
    #[serde(serialize_with = "finding::as_error")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<finding::DecisiveProblem>")
    )]
    pub error: Option<ProblemReport>,
    /// What was committed or recovered; null if nothing was.
    pub transaction: Option<TransactionReport>,
    /// Whether the change can be undone later; of commands that change files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryReport>,
    /// What the command of `--before` came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<CommandReport>,
    /// What the command of `--verify` came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<CommandReport>,
    /// What the command of `--after` came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<CommandReport>,
}

/// A plan that was kept (`check --save`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct SavedReport {
    /// Its name, which is the `plan_id`; of its hex digits eight are enough where they are those of
    /// one plan only.
    pub id: String,
    /// When it goes at the latest, as in RFC 3339.
    pub expires: String,
}

impl Report {
    /// Returns the report on the file of the operation with this index, if it is listed.
    #[must_use]
    pub fn file_of(&self, operation: usize) -> Option<&FileReport> {
        let place = self
            .files
            .binary_search_by_key(&operation, |file| file.index)
            .ok()?;
        self.files.get(place)
    }

    /// Returns the report on the problem with this index among all problems, if it is listed.
    #[must_use]
    pub fn problem_at(&self, index: usize) -> Option<&ProblemReport> {
        let place = self
            .problems
            .binary_search_by_key(&index, |problem| problem.index)
            .ok()?;
        self.problems.get(place)
    }
}

/// Returns a path as reports have it.
pub(crate) fn path_text(path: &RelPath) -> String {
    text(path.as_bytes())
}

/// A file or hunk that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LeftOutReport {
    /// The name that it has in the report of a check that leaves nothing out, as in `f1` or `f1h2`.
    pub id: String,
    /// The file.
    pub path: String,
}

impl LeftOutReport {
    fn of(left_out: &LeftOut) -> Self {
        let file = file::file_id(left_out.file);
        Self {
            id: left_out
                .hunk
                .map_or(file.clone(), |hunk| hunk::hunk_id(&file, hunk)),
            path: text(left_out.path.as_bytes()),
        }
    }
}

/// Who reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Tool {
    /// `wpatch`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Who reports here.
const TOOL: Tool = Tool {
    name: env!("CARGO_PKG_NAME"),
    version: env!("CARGO_PKG_VERSION"),
};

/// A tree of a repository that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct TreeReport {
    /// The repository, or the directory that git found it from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The revision as it was named.
    pub revision: String,
    /// The commit that it is, if it is one.
    pub commit: Option<String>,
    /// The name of the tree.
    pub id: String,
}

/// What policy says of the whole change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct PolicyReport {
    /// `allow`, `ask` or `deny`: the strictest of all rules.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub verdict: Verdict,
    /// The policy files that are in force, joined by `, `; null if there is none.
    pub source: Option<String>,
    /// The names of the rules that speak of a file.
    pub rules_hit: Vec<String>,
}

/// One way to print a report.
pub trait Format: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Prints `report`.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()>;
}

/// Every format.
pub const FORMATS: &[&dyn Format] = &[
    &json::Json,
    &text::Text,
    &Stat {
        name: "stat",
        signs: Signs::Plain,
    },
    &Stat {
        name: "stat-coloured",
        signs: Signs::Coloured,
    },
    &Numstat {
        name: "numstat",
        end: End::Newline,
    },
    &Numstat {
        name: "numstat-z",
        end: End::Nul,
    },
    &summary::Summary,
    &acp::Acp,
    &codex::Codex,
    &github::GitHub,
    &gitlab::GitLab,
    &rdjson::RdJson,
    &sarif::Sarif,
];

/// Returns the format of this name.
#[must_use]
pub fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().find(|format| format.name() == name).copied()
}
