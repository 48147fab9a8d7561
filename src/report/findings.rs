//! Findings for checker formats: problems, required approvals and diagnostics of language servers.
//!
//! A finding can have a position in the patch, in the file, or in both.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::words::text;
use super::{
    DiagnosticReport, FileReport, HunkReport, InputReport, NearestPlace, Outcome, ProblemReport,
    Report, RuleHit,
};
use crate::diagnostics::DiagnosticSeverity;
use crate::digest::Sha256;
use crate::policy::Verdict;
use crate::preflight::{Severity, code};
use crate::syntax::{Syntax, find_syntax};
use crate::text::printable;

/// One finding.
pub(super) struct Finding {
    /// The stable code.
    pub(super) code: String,
    /// The severity.
    pub(super) level: FindingLevel,
    /// A message of one line. Control characters are escaped.
    pub(super) message: String,
    /// The next step, in one line. Control characters are escaped.
    pub(super) help: Option<String>,
    /// The position in the patch, if the patch has a file name.
    pub(super) patch: Option<FindingLocation>,
    /// The position in the file below the root.
    pub(super) target: Option<FindingLocation>,
    /// The corrected line of the patch, if one line prevents the match.
    pub(super) suggested_fix: Option<SuggestedFix>,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FindingLevel {
    /// Policy or a safety rule forbids the change.
    Refused,
    /// The change does not apply.
    Error,
    /// The change applies, but should be reviewed.
    Warning,
    /// The change applies; the finding is information only.
    Notice,
}

/// A range of lines in a file.
#[derive(Clone, Debug)]
pub(super) struct FindingLocation {
    /// The path of the file, as the caller names it.
    pub(super) path: String,
    /// The path below the root; `None` for a patch.
    pub(super) path_below_root: Option<String>,
    /// The first line, counted from 1, if the position has a line.
    pub(super) line: Option<usize>,
    /// The last line.
    pub(super) last_line: Option<usize>,
    /// The column in bytes, counted from 1.
    pub(super) column: Option<usize>,
}

/// A replacement for one line of the patch.
pub(super) struct SuggestedFix {
    /// The line of the patch, counted from 1.
    pub(super) line: usize,
    /// The current text after the sign column.
    pub(super) old: String,
    /// The text of the file.
    pub(super) new: String,
}

impl Finding {
    /// Returns the main position: in the patch if the patch is a named file, else in the file of
    /// the finding.
    pub(super) fn main_location(&self) -> Option<&FindingLocation> {
        self.patch.as_ref().or(self.target.as_ref())
    }

    /// Returns the second position.
    pub(super) fn second_location(&self) -> Option<&FindingLocation> {
        self.patch.as_ref().and(self.target.as_ref())
    }

    /// Returns message and help, each as one line. The message begins with the path of the file if
    /// the main position is in the patch.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut first = String::new();
        if let Some(target) = self.second_location() {
            let _ = write!(first, "{}: ", printable(target.path.as_bytes()));
        }
        first.push_str(&self.message);
        std::iter::once(first)
            .chain(self.help.as_ref().map(|help| format!("help: {help}")))
            .collect()
    }
}

/// Returns the findings of `report`, in order.
pub(super) fn findings(report: &Report) -> Vec<Finding> {
    let files: HashMap<_, _> = report
        .files
        .iter()
        .map(|file| (file.id.as_str(), file))
        .collect();
    let file = |problem: &ProblemReport| {
        problem
            .file
            .as_deref()
            .and_then(|id| files.get(id).copied())
    };
    let problems = report
        .problems
        .iter()
        .map(|problem| problem_finding(report, file(problem), problem));
    // After an applied change the approval was already given.
    let would = report.files.iter().filter(|_| report.outcome.is_dry_run());
    let asked = would.flat_map(|file| approval_findings(report, file));
    let told = report
        .diagnostics
        .iter()
        .flat_map(|told| &told.new)
        .map(|told| diagnostic_finding(report, told));
    problems.chain(asked).chain(told).collect()
}

/// Returns an identifier for each of `findings` that does not change if lines move.
///
/// The identifier is a digest of the code, the paths, and the number of equal findings before it.
pub(super) fn fingerprints(findings: &[Finding]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::with_capacity(findings.len());
    let mut counts = HashMap::new();
    for finding in findings {
        let path = |place: &Option<FindingLocation>| {
            place
                .as_ref()
                .map_or(String::new(), |place| place.path.clone())
        };
        let key = format!(
            "{}\0{}\0{}",
            finding.code,
            path(&finding.patch),
            path(&finding.target)
        );
        let count: &mut usize = counts.entry(key.clone()).or_default();
        let digest = Sha256::of(format!("{key}\0{count}").as_bytes()).to_string();
        keys.push(digest.trim_start_matches("sha256:").to_owned());
        *count += 1;
    }
    keys
}

/// Returns the finding for `problem`, which belongs to `file`.
fn problem_finding(report: &Report, file: Option<&FileReport>, problem: &ProblemReport) -> Finding {
    let hunk = problem.hunk.as_ref().zip(file);
    let hunk = hunk.and_then(|(id, file)| file.hunks.iter().find(|hunk| hunk.id == *id));
    let nearest = problem
        .nearest
        .as_deref()
        .or_else(|| hunk?.nearest.as_deref());
    let patch = patch_location(report, problem, hunk.or_else(|| file?.hunks.first()));
    let target = problem.path.as_ref().map(|path| FindingLocation {
        line: problem
            .lines
            .first()
            .copied()
            .or_else(|| nearest.map(NearestPlace::first_differing_line)),
        ..tree_location(report, path)
    });
    Finding {
        code: problem.code.to_owned(),
        level: match problem.severity {
            Severity::Warning => FindingLevel::Warning,
            _ if Outcome::of_kind(problem.kind) == Outcome::Refused => FindingLevel::Refused,
            _ => FindingLevel::Error,
        },
        message: printable(problem.message.as_bytes()).to_string(),
        help: problem
            .help
            .as_ref()
            .map(|help| printable(help.as_bytes()).to_string()),
        suggested_fix: patch
            .as_ref()
            .and(nearest)
            .and_then(|nearest| suggest_fix(report, problem, nearest)),
        patch,
        target,
    }
}

/// Returns a finding for each rule that requires an approval of the file.
fn approval_findings(report: &Report, file: &FileReport) -> impl Iterator<Item = Finding> {
    let asked = file.policy.iter().filter(|_| file.verdict == Verdict::Ask);
    asked.map(
        |RuleHit {
             rule,
             message,
             source,
             ..
         }| {
            let said = source
                .as_ref()
                .map_or_else(String::new, |source| format!(" of {source}"));
            let message = format!("this change needs approval: {message} (rule {rule}{said})");
            let help = report.plan_id.as_ref().map_or_else(
                || "run `wpatch check --json` to get the plan_id, then `wpatch apply --approve PLAN_ID`".to_owned(),
                |plan| format!("run `wpatch apply --approve {plan}` to apply the change"),
            );
            Finding {
                code: code::APPROVAL_REQUIRED.name.to_owned(),
                level: FindingLevel::Notice,
                message: printable(message.as_bytes()).to_string(),
                help: Some(help),
                patch: None,
                target: Some(tree_location(report, &text(file.path.as_bytes()))),
                suggested_fix: None,
            }
        },
    )
}

/// Returns the finding for a diagnostic of the changed file.
fn diagnostic_finding(report: &Report, told: &DiagnosticReport) -> Finding {
    let words = [
        Some("diagnostic"),
        told.source.as_deref(),
        told.code.as_deref(),
    ];
    let code = words.into_iter().flatten().collect::<Vec<_>>().join("::");
    let message = told
        .message
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let target = FindingLocation {
        line: Some(told.line),
        last_line: Some(told.end_line).filter(|&last| last > told.line),
        column: Some(told.column),
        ..tree_location(report, &told.path)
    };
    Finding {
        code: printable(code.as_bytes()).to_string(),
        level: match told.severity {
            DiagnosticSeverity::Error => FindingLevel::Error,
            DiagnosticSeverity::Warning => FindingLevel::Warning,
            DiagnosticSeverity::Information | DiagnosticSeverity::Hint => FindingLevel::Notice,
        },
        message: printable(message.as_bytes()).to_string(),
        help: None,
        patch: None,
        target: Some(target),
        suggested_fix: None,
    }
}

/// Returns the position of the file at `path`, without a line.
fn tree_location(report: &Report, path: &str) -> FindingLocation {
    let named = report
        .base
        .as_ref()
        .map_or_else(|| path.to_owned(), |base| format!("{base}/{path}"));
    FindingLocation {
        path: named,
        path_below_root: Some(path.to_owned()),
        line: None,
        last_line: None,
        column: None,
    }
}

/// Returns the patch with this index, if it has a file name.
fn named_input(report: &Report, input: usize) -> Option<&InputReport> {
    report
        .inputs
        .get(input)
        .filter(|input| input.name != "-" && !input.name.is_empty())
}

/// Returns the position of the problem in a patch. A problem without a span has the position of its
/// `hunk`.
fn patch_location(
    report: &Report,
    problem: &ProblemReport,
    hunk: Option<&HunkReport>,
) -> Option<FindingLocation> {
    let source = hunk.map(|hunk| hunk.source);
    let input = problem
        .span
        .map(|span| span.input)
        .or(source.map(|source| source.input))?;
    // A span inside a hunk covers only its own line.
    let is_whole = |line: usize| problem.span.is_none_or(|span| span.line == line);
    let last = source.filter(|source| problem.hunk.is_some() && is_whole(source.line_start));
    Some(FindingLocation {
        path: named_input(report, input)?.name.clone(),
        path_below_root: None,
        line: problem
            .span
            .map(|span| span.line)
            .or(source.map(|source| source.line_start)),
        last_line: last.map(|source| source.line_end),
        column: problem.span.map(|span| span.column),
    })
}

/// Returns the corrected line of the patch. All other lines of the hunk must match, and the grammar
/// must have a sign column.
fn suggest_fix(
    report: &Report,
    problem: &ProblemReport,
    nearest: &NearestPlace,
) -> Option<SuggestedFix> {
    let format = report.inputs.get(problem.span?.input)?.format.as_deref()?;
    let difference = nearest
        .first_difference
        .as_ref()
        .filter(|_| nearest.matched + 1 == nearest.of)?;
    let found = difference.found.as_ref()?;
    // Only a line that the report shows unchanged can replace a line of the patch.
    let is_whole = |line: &str| !line.ends_with('\u{2026}') && !line.chars().any(char::is_control);
    let is_certain = find_syntax(format).is_some_and(Syntax::has_sign_column)
        && difference.is_verbatim
        && is_whole(&difference.expected)
        && is_whole(found);
    is_certain.then(|| SuggestedFix {
        line: difference.patch_line,
        old: difference.expected.clone(),
        new: found.clone(),
    })
}
