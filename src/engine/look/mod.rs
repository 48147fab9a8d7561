//! The commands that only read: `wpatch read`, `list`, `diff` and `policy explain`.
//!
//! Each command takes a request with a path below the root and a policy. It returns the data, or an
//! outcome with the problem. Nothing is written. Links are followed only below the root, and policy
//! must allow every path on the way. Read [`follow_allowed_links`] first: it follows the links and applies the
//! policy.

mod difference;
mod explain;
mod list;
mod read;
mod search;
mod symbols;

use super::follow::resolve_links;
use super::refused_outcome;
use crate::mode::FileKind;
use crate::path::{PathError, RelPath};
use crate::policy::{Access, Policy, PolicyDecision, Verdict};
use crate::preflight::{self, Problem, ProblemCode, code};
use crate::text::Bytes;
use crate::workspace::{ErrorKind, Stat, Workspace, WorkspaceError};

pub use difference::{DiffRequest, diff};
pub use explain::{ExplainRequest, explain};
pub use list::{ListOrder, ListRequest, list};
pub use read::{ReadFormat, ReadRange, ReadRequest, may_read, read};
pub use search::{SearchTarget, may_list, may_search};
pub use symbols::{SymbolsRequest, list_symbols};

type LookResult<T> = Result<T, Box<Problem>>;

/// Returns the path of a readable file after its links were followed.
fn resolve_readable(
    workspace: &dyn Workspace,
    policy: &Policy,
    path: &[u8],
) -> LookResult<RelPath> {
    let path = RelPath::new(path).map_err(|error| path_problem(path, error))?;
    follow_allowed_links(workspace, policy, &path, |path| {
        judge_reading(workspace, policy, path)
    })
}

/// Returns whether policy allows revealing the contents of the file at `path`, and of the files to
/// which its links lead.
pub(super) fn is_readable(workspace: &dyn Workspace, policy: &Policy, path: &RelPath) -> bool {
    follow_allowed_links(workspace, policy, path, |path| {
        judge_reading(workspace, policy, path)
    })
    .is_ok()
}

/// Returns the ruling on reading the file at `path`.
fn judge_reading(workspace: &dyn Workspace, policy: &Policy, path: &RelPath) -> PolicyDecision {
    preflight::with_git_on_the_way([path].into_iter(), policy, workspace).judge(path, Access::Read)
}

/// Follows the links of `path`. `judge` must allow the path and every path on the way.
fn follow_allowed_links(
    workspace: &dyn Workspace,
    policy: &Policy,
    path: &RelPath,
    judge: impl Fn(&RelPath) -> PolicyDecision,
) -> LookResult<RelPath> {
    let allowed = |path: &RelPath| {
        let ruling = judge(path);
        match (ruling.verdict, ruling.matches.first()) {
            (Verdict::Deny, Some(hit)) => Err(Box::new(preflight::denial_problem(hit))),
            // There is no plan that could be approved.
            (Verdict::Ask, Some(hit)) => Err(Box::new(Problem {
                help: None,
                ..preflight::approval_problem(hit)
            })),
            _ => Ok(()),
        }
    };
    allowed(path)?;
    let mut names = resolve_links(workspace, policy, path)?;
    names.iter().try_for_each(allowed)?;
    Ok(names.pop().unwrap_or_else(|| path.clone()))
}

/// Returns the contents of the file at `path`. A file of more than `limit` bytes is a problem.
fn contents(workspace: &dyn Workspace, path: &RelPath, limit: u64) -> LookResult<Bytes> {
    match workspace
        .stat(path)
        .map_err(|error| workspace_problem(&error))?
    {
        None => return Err(missing_problem(path)),
        Some(stat) if stat.kind != FileKind::Regular => {
            return Err(not_a_file_problem(path, &stat));
        }
        Some(stat) if stat.size > limit => {
            return Err(too_large_problem(path, limit, Some(stat.size)));
        }
        Some(_) => {}
    }
    workspace
        .read(path, limit)
        .map(|(bytes, _)| bytes)
        .map_err(|error| match error.kind {
            ErrorKind::Missing | ErrorKind::NotDirectory => missing_problem(path),
            ErrorKind::TooLarge => too_large_problem(path, limit, None),
            _ => workspace_problem(&error),
        })
}

fn path_problem(path: &[u8], error: PathError) -> Box<Problem> {
    let code = match error {
        PathError::Outside | PathError::Absolute => &code::OUTSIDE_ROOT,
        PathError::Nul => &code::CLOSED,
        PathError::TooLong => &code::PATH_TOO_LONG,
        PathError::Directory | PathError::Empty | PathError::Root => &code::NOT_A_FILE,
    };
    Box::new(Problem {
        name: Some(path.to_vec()),
        ..Problem::new(code, error.to_string())
    })
}

fn file_problem(path: &RelPath, code: &'static ProblemCode, message: &str) -> Box<Problem> {
    Box::new(Problem {
        path: Some(path.clone()),
        ..Problem::new(code, message)
    })
}

fn missing_problem(path: &RelPath) -> Box<Problem> {
    file_problem(path, &code::MISSING, "the file or directory does not exist")
}

fn not_a_file_problem(path: &RelPath, stat: &Stat) -> Box<Problem> {
    file_problem(
        path,
        &code::NOT_A_FILE,
        &format!("is a {}, not a regular file", stat.kind),
    )
}

fn too_large_problem(path: &RelPath, limit: u64, size: Option<u64>) -> Box<Problem> {
    let mut problem = file_problem(
        path,
        &code::TOO_LARGE,
        &format!("the file exceeds the limit of {limit} bytes"),
    );
    (problem.facts.limit, problem.facts.size) = (Some(limit), size);
    problem
}

/// Returns the problem of a verb that failed. The message contains the path.
fn workspace_problem(error: &WorkspaceError) -> Box<Problem> {
    let message = format!("{error}: {}", error.source);
    let code = if error.kind == ErrorKind::ThroughLink {
        &code::STALE
    } else {
        &code::IO
    };
    Box::new(Problem::new(code, message))
}
