//! The result of a tool call.

use std::fmt::Write;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

use super::arguments::strict_schema;
use crate::engine::Outcome;
use crate::path::RelPath;
use crate::preflight::code;
use crate::report::{self, FileReport, Op, ProblemKind, ProblemReport, Report, Severity};
use crate::text::json::Json;

/// The limit on the number of files in a result.
const MAX_FILES: usize = 100;
/// The limit on the total length of the paths of the files in a result, in bytes.
const MAX_PATHS: usize = 8 << 10;
/// The limit on the size of all diffs in a result, in bytes.
pub(super) const MAX_DIFFS: usize = 12 << 10;
/// The limit on the number of problems in a result.
const MAX_PROBLEMS: usize = 5;
/// The limit on the length of a message of a problem, in characters.
const MAX_MESSAGE: usize = 600;

/// The result of a tool call. It is small enough for the context of a model: lists and texts have
/// limits, and it states how many entries are left out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[must_use]
#[non_exhaustive]
pub struct ToolResult {
    /// Whether the call succeeded. If it did not, no file was changed.
    pub ok: bool,
    /// The whole result as text: the requested lines, the changes, or the reason and the next step.
    pub message: String,
    /// The identifier of the change: the value of `approve`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// The changed files. For a check, and for a change that needs approval: the files that the
    /// change would change.
    pub files: Vec<ToolFile>,
    /// The number of changed files that `files` leaves out.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_files: usize,
    /// The problems, the decisive one first.
    pub problems: Vec<ToolProblem>,
    /// The number of problems that `problems` leaves out.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_problems: usize,
}

/// A file in the result of a tool call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolFile {
    /// The path below the root.
    pub path: String,
    /// The source of a rename or a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The operation.
    pub op: Op,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

/// A problem in the result of a tool call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolProblem {
    /// An `error` is the reason why the call did not succeed.
    #[schemars(with = "String")]
    pub severity: Severity,
    /// The kind, such as `not_found`.
    #[schemars(with = "String")]
    pub kind: ProblemKind,
    /// The stable code, as in reports.
    pub code: &'static str,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of the patch, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The fault.
    pub message: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl ToolResult {
    /// Returns the result of a successful call with `message`.
    pub(super) fn of_text(message: String) -> Self {
        Self {
            ok: true,
            message,
            plan_id: None,
            files: Vec::new(),
            omitted_files: 0,
            problems: Vec::new(),
            omitted_problems: 0,
        }
    }

    /// Returns the result that describes `outcome`.
    pub fn of(outcome: &Outcome) -> Self {
        Self::from_report(&outcome.report, "")
    }

    /// Returns the result that describes `report`. After a success, `more` is added to the message.
    pub(super) fn from_report(report: &Report, more: &str) -> Self {
        let mut report = report.clone().for_model();
        let all = report.files.len();
        report.files.truncate(fitting(&report.files));
        let is_asked = report
            .error
            .as_ref()
            .is_some_and(|error| error.kind == ProblemKind::ApprovalRequired);
        if !report.ok && !is_asked {
            report.files.clear();
        }
        let omitted_files = match report.files.len() {
            0 => 0,
            listed => all - listed,
        };
        let message = if report.ok {
            let mut text = report::success(&report);
            if omitted_files > 0 {
                let _ = writeln!(text, "{omitted_files} more files are not listed");
            }
            text + more
        } else {
            report::refusal(&report)
        };
        // The decisive problem comes first.
        let decisive = report.error.as_ref();
        let others = report
            .problems
            .iter()
            .filter(|problem| decisive.is_none_or(|decisive| decisive.index != problem.index));
        let all = decisive.into_iter().chain(others);
        let omitted_problems = all.clone().count().saturating_sub(MAX_PROBLEMS);
        let problems: Vec<_> = all.take(MAX_PROBLEMS).map(ToolProblem::of).collect();
        Self {
            ok: report.ok,
            message,
            files: report.files.iter().map(ToolFile::of).collect(),
            omitted_files,
            problems,
            omitted_problems: omitted_problems + report.omitted.problems,
            plan_id: report.plan_id,
        }
    }

    /// Returns whether the call was refused because a person must approve the change. A rejected
    /// change cannot be approved.
    #[must_use]
    pub fn needs_approval(&self) -> bool {
        self.problems.first().is_some_and(|problem| {
            problem.kind == ProblemKind::ApprovalRequired && problem.code != code::REJECTED.name
        })
    }

    /// Returns the JSON Schema of a result.
    #[must_use]
    pub fn schema() -> Json {
        Json(strict_schema::<Self>(
            SchemaSettings::draft2020_12().for_serialize(),
        ))
    }
}

fn text(path: &RelPath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}

/// Returns the diffs of `report`, up to the limit.
pub(super) fn diffs(report: &Report) -> String {
    let mut text = String::new();
    let all = report.files.iter().filter_map(|file| file.diff.as_deref());
    for (index, diff) in all.clone().enumerate() {
        if text.len() + diff.len() > MAX_DIFFS {
            let more = all.count() - index;
            let noun = if more == 1 { "diff is" } else { "diffs are" };
            let _ = writeln!(text, "{more} more {noun} not shown");
            break;
        }
        text.push_str(diff);
    }
    text
}

/// Returns the number of files that a result lists.
fn fitting(files: &[FileReport]) -> usize {
    let length = |file: &FileReport| {
        let from = file.from.as_ref();
        file.path.as_bytes().len() + from.map_or(0, |from| from.as_bytes().len())
    };
    let mut room = MAX_PATHS;
    let fits = |file: &&FileReport| {
        let fits = length(file) <= room;
        room = room.saturating_sub(length(file));
        fits
    };
    files.iter().take(MAX_FILES).take_while(fits).count()
}

impl ToolFile {
    fn of(file: &FileReport) -> Self {
        Self {
            path: text(&file.path),
            from: file.from.as_ref().map(text),
            op: file.op,
            added: file.added,
            removed: file.removed,
        }
    }
}

impl ToolProblem {
    fn of(problem: &ProblemReport) -> Self {
        let clip = |text: &str| match text.char_indices().nth(MAX_MESSAGE) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        Self {
            severity: problem.severity,
            kind: problem.kind,
            code: problem.code,
            path: problem.path.clone(),
            line: problem.span.map(|span| span.line),
            message: clip(&problem.message),
            help: problem.help.as_deref().map(clip),
        }
    }
}
