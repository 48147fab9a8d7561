//! Problems of a transaction: a commit, a rollback or a recovery that failed.

use std::error::Error;

use super::MOST_NAMED;
use crate::path::RelPath;
use crate::preflight::{Problem, Severity, code};
use crate::text::printable;
use crate::transaction::{Failure, KeptFile, Recovered};
use crate::workspace::Fault;

/// What helps against somebody else who changes the tree.
const AGAIN: &str = "nothing was written; try again";

/// A transaction that was not committed.
pub(in crate::engine) fn failed(failure: &Failure) -> Vec<Problem> {
    match failure {
        Failure::Locked => vec![locked(
            failure,
            "try again, or wait longer with --lock-timeout".to_owned(),
        )],
        Failure::LockedByUser { directory, owner } => vec![locked(
            failure,
            format!(
                "try again, or wait longer with --lock-timeout; if no command runs, run `wpatch recover` as user {owner}, \
                 or remove {directory}"
            ),
        )],
        Failure::IndexLocked(_) => vec![locked(
            failure,
            "wait until it is done; if it died, remove the file".to_owned(),
        )],
        Failure::Stale(paths) => paths.iter().map(stale).collect(),
        Failure::Interrupted(_) => vec![Problem::new(&code::INTERRUPTED, failure.to_string())],
        Failure::Command { .. } => vec![Problem::new(&code::IO, failure.to_string())],
        // Who sent it back says why.
        Failure::Rejected => Vec::new(),
        Failure::State { .. } => vec![Problem::new(&code::STATE, failure.to_string())],
        Failure::Foreign { .. } => vec![foreign(failure, Severity::Error)],
        // Preflight refuses a link that existed before.
        Failure::Workspace(error) if error.fault == Fault::ThroughLink => {
            vec![replaced_by_link(&error.path)]
        }
        Failure::Workspace(error) => {
            let cause = error
                .source()
                .map_or_else(String::new, |source| format!(": {source}"));
            vec![Problem::new(&code::IO, format!("{error}{cause}"))]
        }
        Failure::Incomplete {
            left,
            kept,
            refused,
            cause,
        } => {
            let reasons = [refused, cause]
                .into_iter()
                .flatten()
                .flat_map(|failure| failed(failure));
            std::iter::once(incomplete((left, kept), refused.is_some()))
                .chain(reasons)
                .collect()
        }
    }
}

/// A lock that another process holds.
fn locked(failure: &Failure, help: String) -> Problem {
    Problem {
        help: Some(help),
        ..Problem::new(&code::LOCKED, failure.to_string())
    }
}

/// A directory at `path` that became a link while the patch was being applied.
fn replaced_by_link(path: &str) -> Problem {
    let message = format!("{path}: a link took the place of a directory meanwhile");
    Problem {
        help: Some(AGAIN.to_owned()),
        ..Problem::new(&code::STALE, message)
    }
}

/// A rollback that could not put back everything.
fn incomplete((left, kept): (&[RelPath], &[KeptFile]), goes_on: bool) -> Problem {
    let left = listed(left.iter().map(ToString::to_string));
    let message = match left.as_str() {
        "" => "the rollback is incomplete".to_owned(),
        left => format!(
            "the rollback is incomplete: another process changed {left} meanwhile; left as it is"
        ),
    };
    let help = if goes_on {
        "`wpatch recover` finishes it".to_owned()
    } else {
        restore(kept)
    };
    Problem {
        help: Some(help),
        ..Problem::new(&code::INCOMPLETE, message)
    }
}

/// An interrupted change that recovery could not roll back as a whole; `None` if it could.
pub(in crate::engine) fn unrestored(recovered: &Recovered, severity: Severity) -> Option<Problem> {
    let Recovered { id, left, kept, .. } = recovered;
    if left.is_empty() && kept.is_empty() {
        return None;
    }
    let unknown = kept
        .iter()
        .filter(|kept| kept.path.is_none())
        .map(|kept| printable(&kept.copy).to_string());
    let left = listed(left.iter().map(ToString::to_string).chain(unknown));
    let message = format!(
        "the rollback of the interrupted change {id} is incomplete: {left} changed since; left as it is"
    );
    Some(Problem {
        severity,
        help: Some(restore(kept)),
        ..Problem::new(&code::INCOMPLETE, message)
    })
}

/// Returns how the user ends the state in which `kept` are kept.
fn restore(kept: &[KeptFile]) -> String {
    if kept.is_empty() {
        return "check the file; no previous version of it is kept".to_owned();
    }
    let copies = listed(kept.iter().map(|KeptFile { path, copy }| match path {
        Some(path) => format!("the previous {path} is kept as {}", printable(copy)),
        None => format!("a previous version is kept as {}", printable(copy)),
    }));
    format!("{copies}; move it back to restore the file, or delete it to keep the current one")
}

/// Returns the first of `names`, and how many more there are.
fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}

/// A state directory of another user. Reading commands go on.
pub(in crate::engine) fn foreign(failure: &Failure, severity: Severity) -> Problem {
    let (directory, owner) = match failure {
        Failure::Foreign { directory, owner } => (directory.as_str(), *owner),
        _ => ("", 0),
    };
    let help = format!(
        "run `wpatch recover` as user {owner}, who may have an interrupted change here; if there is none, remove \
         {directory}, or change its owner with `chown -R`"
    );
    Problem {
        severity,
        help: Some(help),
        ..Problem::new(&code::STATE, failure.to_string())
    }
}

/// A change of another process that is open.
pub(in crate::engine) fn half_made() -> Problem {
    let message = "another wpatch changes this tree, or was interrupted; this report describes the current tree";
    let help =
        Some("`wpatch recover`, or the next change, rolls back an interrupted change".to_owned());
    Problem {
        severity: Severity::Warning,
        help,
        ..Problem::new(&code::HALF_MADE, message)
    }
}

/// A file that changed while somebody had a say.
pub(in crate::engine) fn altered(path: &RelPath) -> Problem {
    let message =
        "the file changed while the change was verified, and stays as it is now".to_owned();
    let help = Some(
        "format files before the patch is applied; `undo` of this change needs --force".to_owned(),
    );
    let problem = Problem::new(&code::ALTERED, message);
    Problem {
        severity: Severity::Warning,
        path: Some(path.clone()),
        help,
        ..problem
    }
}

/// What a committed transaction could not clean up.
pub(in crate::engine) fn unswept(warning: &str) -> Problem {
    Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::NOT_SWEPT, warning)
    }
}

fn stale(path: &RelPath) -> Problem {
    let message = "the file changed while the patch was being applied".to_owned();
    let help = Some(AGAIN.to_owned());
    Problem {
        path: Some(path.clone()),
        help,
        ..Problem::new(&code::STALE, message)
    }
}
