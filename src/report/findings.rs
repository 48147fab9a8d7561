//! Problems as checkers tell them, and what policy asks and language servers say: each with the
//! place that it is shown at, in the patch and in the file.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::words::text;
use super::{
    DiagnosticReport, FileReport, HunkReport, InputReport, NearestPlace, Outcome, ProblemReport,
    Report, RuleHit,
};
use crate::diagnostics::Graveness;
use crate::digest::Sha256;
use crate::policy::Verdict;
use crate::preflight::{Severity, code};
use crate::syntax::{Syntax, find_syntax};
use crate::text::printable;

/// One thing to be told at a place.
pub(super) struct Finding {
    /// Its stable name.
    pub(super) code: String,
    /// How grave it is.
    pub(super) level: Level,
    /// One line, harmless to print.
    pub(super) message: String,
    /// What to do about it: one line, harmless to print.
    pub(super) help: Option<String>,
    /// The place in a patch that has a name.
    pub(super) patch: Option<Place>,
    /// The place in the file that it is about, below the root.
    pub(super) target: Option<Place>,
    /// How the patch would fit, where one line of it decides.
    pub(super) mending: Option<Mending>,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Policy or safety forbids the change.
    Refused,
    /// The change cannot be made.
    Error,
    /// It can be made, and somebody should look at it.
    Warning,
    /// It can be made, and there is something to know.
    Notice,
}

/// Lines of a file.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The file, as the caller would name it.
    pub(super) path: String,
    /// Its path below the root, if it is no patch.
    pub(super) below: Option<String>,
    /// First line, counted from 1, where one is meant.
    pub(super) line: Option<usize>,
    /// Last line.
    pub(super) last: Option<usize>,
    /// Column in bytes, counted from 1.
    pub(super) column: Option<usize>,
}

/// A line of the patch as the file has it.
pub(super) struct Mending {
    /// Line of the patch, counted from 1.
    pub(super) line: usize,
    /// What stands there behind the sign.
    pub(super) old: String,
    /// What the file has.
    pub(super) new: String,
}

impl Finding {
    /// Returns where it is shown: in the patch, if that is a file that somebody can open, and else
    /// in the file that it is about.
    pub(super) fn shown_at(&self) -> Option<&Place> {
        self.patch.as_ref().or(self.target.as_ref())
    }

    /// Returns the other place.
    pub(super) fn also_at(&self) -> Option<&Place> {
        self.patch.as_ref().and(self.target.as_ref())
    }

    /// Returns message and help in one line each, after the file's name if it is not shown there.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut first = String::new();
        if let Some(target) = self.also_at() {
            let _ = write!(first, "{}: ", printable(target.path.as_bytes()));
        }
        first.push_str(&self.message);
        std::iter::once(first)
            .chain(self.help.as_ref().map(|help| format!("help: {help}")))
            .collect()
    }
}

/// Returns what there is to tell of `report`, in order.
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
        .map(|problem| of_problem(report, file(problem), problem));
    // A change that is made was approved.
    let would = report
        .files
        .iter()
        .filter(|_| report.outcome == Outcome::WouldApply);
    let asked = would.flat_map(|file| of_questions(report, file));
    let told = report
        .diagnostics
        .iter()
        .flat_map(|told| &told.new)
        .map(|told| of_diagnostic(report, told));
    problems.chain(asked).chain(told).collect()
}

/// Returns a name for each of `findings` that stays the same while lines move: of what it is and
/// where, and of how many such there are before it.
pub(super) fn fingerprints(findings: &[Finding]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::with_capacity(findings.len());
    let mut counts = HashMap::new();
    for finding in findings {
        let path = |place: &Option<Place>| {
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

/// Returns what there is to tell of `problem`, which is one of `file`.
fn of_problem(report: &Report, file: Option<&FileReport>, problem: &ProblemReport) -> Finding {
    let hunk = problem.hunk.as_ref().zip(file);
    let hunk = hunk.and_then(|(id, file)| file.hunks.iter().find(|hunk| hunk.id == *id));
    let nearest = problem
        .nearest
        .as_deref()
        .or_else(|| hunk?.nearest.as_deref());
    let patch = in_patch(report, problem, hunk.or_else(|| file?.hunks.first()));
    let target = problem.path.as_ref().map(|path| Place {
        line: problem
            .lines
            .first()
            .copied()
            .or_else(|| nearest.map(NearestPlace::differs_at)),
        ..in_tree(report, path)
    });
    Finding {
        code: problem.code.to_owned(),
        level: match problem.severity {
            Severity::Warning => Level::Warning,
            _ if Outcome::of_kind(problem.kind) == Outcome::Refused => Level::Refused,
            _ => Level::Error,
        },
        message: printable(problem.message.as_bytes()).to_string(),
        help: problem
            .help
            .as_ref()
            .map(|help| printable(help.as_bytes()).to_string()),
        mending: patch
            .as_ref()
            .and(nearest)
            .and_then(|nearest| mending(report, problem, nearest)),
        patch,
        target,
    }
}

/// Returns what has to be approved before the file is changed.
fn of_questions(report: &Report, file: &FileReport) -> impl Iterator<Item = Finding> {
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
                || "check --json has the plan_id, and apply --approve takes it".to_owned(),
                |plan| format!("apply --approve {plan} makes the change"),
            );
            Finding {
                code: code::APPROVAL_REQUIRED.name.to_owned(),
                level: Level::Notice,
                message: printable(message.as_bytes()).to_string(),
                help: Some(help),
                patch: None,
                target: Some(in_tree(report, &text(file.path.as_bytes()))),
                mending: None,
            }
        },
    )
}

/// Returns what a language server says of the file as it is afterwards.
fn of_diagnostic(report: &Report, told: &DiagnosticReport) -> Finding {
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
    let target = Place {
        line: Some(told.line),
        last: Some(told.end_line).filter(|&last| last > told.line),
        column: Some(told.column),
        ..in_tree(report, &told.path)
    };
    Finding {
        code: printable(code.as_bytes()).to_string(),
        level: match told.severity {
            Graveness::Error => Level::Error,
            Graveness::Warning => Level::Warning,
            Graveness::Information | Graveness::Hint => Level::Notice,
        },
        message: printable(message.as_bytes()).to_string(),
        help: None,
        patch: None,
        target: Some(target),
        mending: None,
    }
}

/// Returns the file at `path` as a place, without a line.
fn in_tree(report: &Report, path: &str) -> Place {
    let named = report
        .base
        .as_ref()
        .map_or_else(|| path.to_owned(), |base| format!("{base}/{path}"));
    Place {
        path: named,
        below: Some(path.to_owned()),
        line: None,
        last: None,
        column: None,
    }
}

/// Returns the patch with this index, if it has a name.
fn named(report: &Report, input: usize) -> Option<&InputReport> {
    report
        .inputs
        .get(input)
        .filter(|input| input.name != "-" && !input.name.is_empty())
}

/// Returns where in a patch the problem is; without a place of its own, where its `hunk` is.
fn in_patch(report: &Report, problem: &ProblemReport, hunk: Option<&HunkReport>) -> Option<Place> {
    let source = hunk.map(|hunk| hunk.source);
    let input = problem
        .span
        .map(|span| span.input)
        .or(source.map(|source| source.input))?;
    // A span inside of a hunk is about its own line.
    let is_whole = |line: usize| problem.span.is_none_or(|span| span.line == line);
    let last = source.filter(|source| problem.hunk.is_some() && is_whole(source.line_start));
    Some(Place {
        path: named(report, input)?.name.clone(),
        below: None,
        line: problem
            .span
            .map(|span| span.line)
            .or(source.map(|source| source.line_start)),
        last: last.map(|source| source.line_end),
        column: problem.span.map(|span| span.column),
    })
}

/// Returns the line to mend, if all others of the hunk fit there, and the grammar has a sign of one
/// column before lines.
fn mending(report: &Report, problem: &ProblemReport, nearest: &NearestPlace) -> Option<Mending> {
    let format = report.inputs.get(problem.span?.input)?.format.as_deref()?;
    let difference = nearest
        .first_difference
        .as_ref()
        .filter(|_| nearest.matched + 1 == nearest.of)?;
    let found = difference.found.as_ref()?;
    let is_whole = |line: &str| !line.ends_with('\u{2026}') && !line.chars().any(char::is_control);
    let is_certain = find_syntax(format).is_some_and(Syntax::has_sign_column)
        && is_whole(&difference.expected)
        && is_whole(found);
    is_certain.then(|| Mending {
        line: difference.patch_line,
        old: difference.expected.clone(),
        new: found.clone(),
    })
}
