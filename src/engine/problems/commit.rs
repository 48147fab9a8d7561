//! The problems of a transaction: a failed commit, rollback or recovery.

use std::error::Error;

use super::MOST_NAMED;
use crate::path::RelPath;
use crate::preflight::{Problem, Severity, code};
use crate::text::printable;
use crate::transaction::{Failure, KeptFile, Recovered};
use crate::workspace::ErrorKind;

/// The help if another process changes the tree at the same time.
const AGAIN: &str = "nothing was written; try again";

/// Returns the problems of a transaction that was not committed.
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
        // The commit hook that rejected the change adds its own problem.
        Failure::Rejected => Vec::new(),
        Failure::State { .. } => vec![Problem::new(&code::STATE, failure.to_string())],
        Failure::Foreign { .. } => vec![foreign(failure, Severity::Error)],
        // Preflight refuses existing links, so this link appeared after preflight.
        Failure::Workspace(error) if error.fault == ErrorKind::ThroughLink => {
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

/// Returns the problem of a lock that another process holds.
fn locked(failure: &Failure, help: String) -> Problem {
    Problem {
        help: Some(help),
        ..Problem::new(&code::LOCKED, failure.to_string())
    }
}

/// Returns the problem of a directory that was replaced by a link while the patch was being
/// applied.
fn replaced_by_link(path: &str) -> Problem {
    let message = format!("{path}: a link took the place of a directory meanwhile");
    Problem {
        help: Some(AGAIN.to_owned()),
        ..Problem::new(&code::STALE, message)
    }
}

/// Returns the problem of a rollback that did not restore every file. If `goes_on` is set, `wpatch
/// recover` can finish the rollback.
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

/// Returns the problem of an interrupted change that recovery rolled back only in part; `None` if
/// the rollback is complete.
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

/// Returns the help for an incomplete rollback. It names the copies in `kept`.
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

/// Returns the first names and the number of the remaining ones.
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

/// Returns the problem of a state directory that belongs to another user. Commands that only read
/// continue with a warning.
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

/// Returns the warning about a change that another process has not finished.
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

/// Returns the warning about a file that changed while the change was verified.
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

/// Returns the warning about files that the sweep of a committed transaction did not remove.
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
