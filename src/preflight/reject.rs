//! `--reject`: skips the hunks that do not match, and writes them to a file next to their target.

use std::collections::BTreeSet;

use super::approval_gate::{approval_problem, denial_problem};
use super::codes::{ProblemKind, code};
use super::findings::Findings;
use super::options::{ApprovalGate, Options, RejectTo};
use super::problem::{Problem, Severity};
use crate::digest::Sha256;
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, Hunk, Operation, Plan};
use crate::policy::{Access, Verdict};
use crate::text::{Span, lines};

/// The rejected hunks of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedHunks {
    /// The file for the rejected hunks, if they are written.
    pub path: Option<RelPath>,
    /// The indexes of the rejected hunks, in order.
    pub hunks: Vec<usize>,
    /// The digest of the written file, if a description was requested.
    pub sha256: Option<Sha256>,
    /// The mode and digest of the overwritten file, if one exists and a description was requested.
    pub replaced: Option<(FileMode, Sha256)>,
    /// The text that is written to the file.
    pub(super) text: Vec<u8>,
}

/// Returns the files to which rejected hunks of `plan` may be written, except files that the plan
/// itself names.
#[must_use]
pub fn reject_files(plan: &Plan) -> BTreeSet<RelPath> {
    let beside = |path| RejectTo::Beside.path(path).ok().flatten();
    let mut files: BTreeSet<_> = plan
        .operations
        .iter()
        .filter_map(|it| beside(&it.path))
        .collect();
    for path in plan
        .operations
        .iter()
        .flat_map(|operation| operation.from.iter().chain([&operation.path]))
    {
        files.remove(path);
    }
    files
}

/// Records the rejected hunks, and returns whether the other hunks may be applied. A deletion is
/// never applied in part.
pub(super) fn record_rejects(
    operation: &Operation,
    (text, hunks): (&[u8], &[Hunk]),
    (rejected, options): (Vec<usize>, &Options),
    findings: &mut Findings,
) -> bool {
    if matches!(operation.action, Action::Delete | Action::RemoveCopy) {
        return false;
    }
    let Ok(path) = options.reject_to.path(&operation.path) else {
        findings.error(
            &code::PATH_TOO_LONG,
            "the name of the file for the rejected hunks cannot be formed",
        );
        return false;
    };
    let spans = rejected
        .iter()
        .filter_map(|&hunk| Some(hunks.get(hunk)?.span));
    // GNU patch repeats the lines before the first hunk that name the file. git writes a header of
    // its own.
    let head = hunks
        .first()
        .map(|first| Span::new(operation.span.start, first.span.start));
    let text = match head.filter(|_| options.rules.is_gnu) {
        Some(head) => [gnu_header(head.slice(text)), join_hunks(text, spans)].concat(),
        None => [git_header(&operation.path), join_hunks(text, spans)].concat(),
    };
    findings.outcome.rejects = Some(Box::new(RejectedHunks {
        path,
        hunks: rejected,
        sha256: None,
        replaced: None,
        text,
    }));
    // Errors of other kinds, for example a denied path, still refuse the whole plan.
    downgrade_errors(findings);
    let is_soft = findings
        .problems
        .iter()
        .all(|problem| problem.severity != Severity::Error);
    if is_soft {
        findings.outcome.failed = None;
    }
    is_soft
}

/// Returns the header that git writes; see `write_out_one_reject` in git's apply.c. Names are not
/// quoted.
fn git_header(path: &RelPath) -> Vec<u8> {
    let name = path.as_bytes();
    [b"diff a/", name, b" b/", name, b"\t(rejected hunks)\n"].concat()
}

/// Returns the lines of the patch that name the file, as GNU patch writes them.
fn gnu_header(head: &[u8]) -> Vec<u8> {
    let is_name = |line: &&[u8]| {
        [b"--- ", b"+++ ", b"*** "]
            .iter()
            .any(|marker| line.starts_with(*marker))
    };
    lines(head)
        .map(|(_, line)| line)
        .filter(is_name)
        .collect::<Vec<_>>()
        .concat()
}

fn join_hunks(text: &[u8], hunks: impl Iterator<Item = Span>) -> Vec<u8> {
    let mut out = Vec::new();
    for hunk in hunks {
        out.extend_from_slice(hunk.slice(text));
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
    out
}

/// Changes the severity of problems with non-matching parts, so that the rest is applied. Denied
/// changes stay errors.
pub(super) fn downgrade_errors(findings: &mut Findings) {
    for problem in findings
        .problems
        .iter_mut()
        .filter(|problem| problem.severity == Severity::Error)
    {
        problem.downgrade();
    }
}

impl Problem {
    /// Sets the severity to [`Severity::Reject`] if only the affected part cannot be applied.
    pub(crate) fn downgrade(&mut self) {
        if can_reject(self) {
            self.severity = Severity::Reject;
        }
    }
}

fn can_reject(problem: &Problem) -> bool {
    matches!(
        problem.code.kind,
        ProblemKind::Missing
            | ProblemKind::Exists
            | ProblemKind::NotAFile
            | ProblemKind::NotADirectory
            | ProblemKind::NotFound
            | ProblemKind::Ambiguous
            | ProblemKind::Overlap
            | ProblemKind::NoChange
            | ProblemKind::Stale
            | ProblemKind::Binary
    )
}

/// Reports the rules by which policy refuses `access` to `path`, and returns whether there are any.
pub(super) fn is_refused(
    path: &RelPath,
    access: Access,
    options: &Options,
    findings: &mut Findings,
) -> bool {
    let ruling = options.policy.judge(path, access);
    let refused =
        ruling
            .matches
            .iter()
            .filter_map(|hit| match (hit.verdict, options.approval_gate) {
                (Verdict::Deny, _) => Some(denial_problem(hit)),
                (Verdict::Ask, ApprovalGate::Everything) => Some(approval_problem(hit)),
                _ => None,
            });
    let refused = refused.collect::<Vec<_>>();
    for problem in &refused {
        findings.outcome.failed.get_or_insert(problem.code);
    }
    let is_refused = !refused.is_empty();
    findings.problems.extend(refused);
    is_refused
}
