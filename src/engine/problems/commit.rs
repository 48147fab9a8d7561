//! The problems of a transaction: a failed commit, rollback or recovery.

use std::error::Error;

use super::MAX_NAMED;
use crate::path::RelPath;
use crate::preflight::{Problem, ProblemFacts, Severity, code};
use crate::text::printable;
use crate::transaction::{Failure, KeptFile, RecoveredTransaction};
use crate::workspace::ErrorKind;

/// The help if another process changes the tree at the same time.
const RETRY_HELP: &str = "no file was changed; try again";

/// The problem of a file that another program has open and does not share.
pub(in crate::engine) const IN_USE: &str = "another program has the file open";

/// Returns the problems of a transaction that was not committed.
pub(in crate::engine) fn commit_problems(failure: &Failure) -> Vec<Problem> {
    match failure {
        Failure::Locked => vec![lock_problem(
            failure,
            "try again, or use --lock-timeout to wait longer".to_owned(),
        )],
        Failure::LockedByUser { directory, owner } => vec![lock_problem(
            failure,
            format!(
                "try again, or use --lock-timeout to wait longer; if no command is running, run `wpatch recover` as \
                 user {owner}, or remove {directory}"
            ),
        )],
        Failure::IndexLocked(_) => vec![lock_problem(
            failure,
            "wait until that process ends, or remove the file if no git process is running"
                .to_owned(),
        )],
        Failure::Stale(paths) => paths.iter().map(stale_problem).collect(),
        Failure::Interrupted(_) => vec![Problem::new(&code::INTERRUPTED, failure.to_string())],
        Failure::Unsigned { .. } => vec![Problem {
            help: Some("no file was changed; fix the command and try again".to_owned()),
            ..Problem::new(&code::IO, failure.to_string())
        }],
        Failure::Command { .. } => vec![Problem::new(&code::IO, failure.to_string())],
        // The commit hook that rejected the change adds its own problem.
        Failure::Rejected => Vec::new(),
        Failure::State { .. } => vec![Problem::new(&code::STATE, failure.to_string())],
        Failure::OtherRoot { .. } => vec![other_root_problem(failure)],
        Failure::MissingRoot { .. } => vec![missing_root_problem(failure)],
        Failure::Foreign { .. } => vec![foreign_state_problem(failure, Severity::Error)],
        // Preflight refuses existing links, so this link appeared after preflight.
        Failure::Workspace(error) if error.kind == ErrorKind::ThroughLink => {
            vec![link_problem(&error.path)]
        }
        Failure::Workspace(error) if error.kind == ErrorKind::Busy => {
            vec![use_problem(&error.path)]
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
            rollback_error: refused,
            cause,
        } => {
            // The incomplete rollback comes first, because the user must act on it.
            let reasons = [refused, cause]
                .into_iter()
                .flatten()
                .flat_map(|failure| commit_problems(failure));
            std::iter::once(incomplete_rollback_problem((left, kept), refused.is_some()))
                .chain(reasons)
                .collect()
        }
    }
}

/// Removes a statement that no file was changed from the help of `problem`. After an incomplete
/// rollback it is false.
pub(in crate::engine) fn remove_unchanged(problem: &mut Problem) {
    for statement in ["; no file was changed", "no file was changed; "] {
        if let Some(help) = problem.next_step().filter(|help| help.contains(statement)) {
            problem.help = Some(help.replace(statement, ""));
        }
    }
}

/// Returns the problem of a lock that another process holds.
fn lock_problem(failure: &Failure, help: String) -> Problem {
    Problem {
        help: Some(help),
        ..Problem::new(&code::LOCKED, failure.to_string())
    }
}

/// Returns the problem of a journal that names another root.
fn other_root_problem(failure: &Failure) -> Problem {
    let help = "run `wpatch recover --adopt` if the interrupted command ran in this directory, or in one from \
                which it was copied; otherwise remove the journal";
    let advice = Some("ask the user whether to run `wpatch recover --adopt`".to_owned());
    Problem {
        help: Some(help.to_owned()),
        facts: ProblemFacts {
            advice,
            ..ProblemFacts::default()
        },
        ..Problem::new(&code::STATE, failure.to_string())
    }
}

/// Returns the problem of an interrupted change of several roots, one of which cannot be opened.
fn missing_root_problem(failure: &Failure) -> Problem {
    let help = "no file was changed; mount or restore the directory and try again; if it is lost, run \
                `wpatch recover --without-missing-roots`, which decides with the other roots";
    let advice = "ask the user to mount or restore the directory".to_owned();
    Problem {
        help: Some(help.to_owned()),
        facts: ProblemFacts {
            advice: Some(advice),
            ..ProblemFacts::default()
        },
        ..Problem::new(&code::INCOMPLETE, failure.to_string())
    }
}

/// Returns the problem of a directory that was replaced by a link while the patch was being
/// applied.
fn link_problem(path: &str) -> Problem {
    let message =
        format!("{path}: a symbolic link replaced a directory while the patch was being applied");
    Problem {
        help: Some(RETRY_HELP.to_owned()),
        ..Problem::new(&code::STALE, message)
    }
}

/// Returns the problem of a file that another program has open.
fn use_problem(path: &str) -> Problem {
    Problem {
        help: Some("close the file in that program, and try again".to_owned()),
        ..Problem::new(&code::IO, format!("{path}: {IN_USE}"))
    }
}

/// Returns the problem of a rollback that did not restore every file. If `can_continue` is set, `wpatch
/// recover` can finish the rollback.
fn incomplete_rollback_problem(
    (left, kept): (&[RelPath], &[KeptFile]),
    can_continue: bool,
) -> Problem {
    let left = list_names(left.iter().map(ToString::to_string));
    let message = match left.as_str() {
        "" => "the rollback is incomplete".to_owned(),
        left => format!(
            "the rollback is incomplete: another process changed {left}, which was not restored"
        ),
    };
    let help = if can_continue {
        "run `wpatch recover` to finish the rollback".to_owned()
    } else {
        restore_help(kept)
    };
    Problem {
        help: Some(help),
        ..Problem::new(&code::INCOMPLETE, message)
    }
}

/// Returns the problem of an interrupted change that recovery rolled back only in part; `None` if
/// the rollback is complete.
pub(in crate::engine) fn rollback_problem(
    recovered: &RecoveredTransaction,
    severity: Severity,
) -> Option<Problem> {
    let RecoveredTransaction { id, left, kept, .. } = recovered;
    if left.is_empty() && kept.is_empty() {
        return None;
    }
    let unknown = kept
        .iter()
        .filter(|kept| kept.path.is_none())
        .map(|kept| printable(&kept.copy).to_string());
    let left = list_names(left.iter().map(ToString::to_string).chain(unknown));
    let place = recovered.root.as_ref();
    let place = place.map_or_else(String::new, |root| format!(" in the root {root}"));
    let message = format!(
        "the rollback of the interrupted change {id}{place} is incomplete: another process changed {left}, which was not \
         restored"
    );
    Some(Problem {
        severity,
        help: Some(restore_help(kept)),
        ..Problem::new(&code::INCOMPLETE, message)
    })
}

/// Returns the help for an incomplete rollback. It names the copies in `kept`.
fn restore_help(kept: &[KeptFile]) -> String {
    if kept.is_empty() {
        return "check the file; wpatch has no previous version of it".to_owned();
    }
    let copies = list_names(kept.iter().map(|KeptFile { path, copy }| match path {
        Some(path) => format!("the previous {path} is saved as {}", printable(copy)),
        None => format!("a previous version is saved as {}", printable(copy)),
    }));
    format!("{copies}; move it back to restore the file, or delete it to keep the current file")
}

/// Returns the first names and the number of the remaining ones.
fn list_names(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}

/// Returns the problem of a state directory that belongs to another user. Commands that only read
/// continue with a warning.
pub(in crate::engine) fn foreign_state_problem(failure: &Failure, severity: Severity) -> Problem {
    let (directory, owner) = match failure {
        Failure::Foreign { directory, owner } => (directory.as_str(), *owner),
        _ => ("", 0),
    };
    let help = format!(
        "run `wpatch recover` as user {owner}; if that user has no interrupted change here, remove {directory} or \
         change its owner with `chown -R`"
    );
    Problem {
        severity,
        help: Some(help),
        ..Problem::new(&code::STATE, failure.to_string())
    }
}

/// Returns the warning about a change that another process has not finished.
pub(in crate::engine) fn unfinished_warning() -> Problem {
    let message = "another wpatch process is changing this tree or was interrupted; this report describes the \
         current tree";
    let help = Some("run `wpatch recover` to roll back an interrupted change".to_owned());
    Problem {
        severity: Severity::Warning,
        help,
        ..Problem::new(&code::HALF_MADE, message)
    }
}

/// Returns the warning about a root that no user can change.
pub(in crate::engine) fn read_only_root_warning() -> Problem {
    let message = "the root is on a read-only file system, so `apply` would fail".to_owned();
    Problem {
        severity: Severity::Warning,
        help: Some("remount the file system read-write before the change".to_owned()),
        ..Problem::new(&code::IO, message)
    }
}

/// Returns the warning about a file that changed while the change was verified.
pub(in crate::engine) fn altered_warning(path: &RelPath) -> Problem {
    let message = "the file changed during --verify and keeps its new content".to_owned();
    let help = Some(
        "run formatters before applying the patch; use --force to undo this change".to_owned(),
    );
    let problem = Problem::new(&code::ALTERED, message);
    Problem {
        severity: Severity::Warning,
        path: Some(path.clone()),
        help,
        ..problem
    }
}

/// Returns the warning that a change has removed `pruned` old entries from the history, if any.
pub(in crate::engine) fn pruned_warning(pruned: usize) -> Option<Problem> {
    let message = match pruned {
        0 => return None,
        1 => "the oldest history entry was removed, because the history exceeded its limits"
            .to_owned(),
        _ => format!("{pruned} old history entries were removed, because they exceeded the limits"),
    };
    Some(Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::HISTORY_PRUNED, message)
    })
}

/// Returns the warning about files that the sweep of a committed transaction did not remove.
pub(in crate::engine) fn sweep_warning(warning: &str) -> Problem {
    Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::NOT_SWEPT, warning)
    }
}

fn stale_problem(path: &RelPath) -> Problem {
    let message = "the file changed while the patch was being applied".to_owned();
    let help = Some(RETRY_HELP.to_owned());
    Problem {
        path: Some(path.clone()),
        help,
        ..Problem::new(&code::STALE, message)
    }
}
