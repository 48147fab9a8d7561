//! Explains changes that the file system refuses: no permission, no space, an exceeded quota, or
//! the sticky bit of a directory.

use super::problems::IN_USE;
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::preflight::{Problem, refusal};
use crate::workspace::{ErrorKind, GIT_INDEX_DIRECTORY_NAME, WorkspaceError};

/// Changes `problem` to name the file that the user wanted to change, and the reason why its
/// directory refuses the change. The system's error names a path in the state directory, or one end
/// of a rename.
pub(super) fn explain_refusal(problem: &mut Problem, error: &WorkspaceError, plan: &Plan) {
    let named = RelPath::new(error.path.as_bytes()).ok();
    let is_meant = |operation: &&Operation| {
        let is = |path: &RelPath| {
            named
                .as_ref()
                .is_some_and(|named| path == named || path.is_below(named))
        };
        is(&operation.path) || operation.from.as_ref().is_some_and(is)
    };
    let operation = plan.operations.iter().find(is_meant);
    if error.kind == ErrorKind::Busy {
        if operation.is_some() {
            problem.path = named;
            IN_USE.clone_into(&mut problem.message);
        }
        return;
    }
    // A path that no operation names can be in the state directory.
    let state = error
        .path
        // A transaction has the directory `txn-ID` in the state directory.
        .split_once("/txn-")
        .map(|(state, _)| state)
        .filter(|_| operation.is_none());
    let directory = match state.or(error.path.rsplit_once('/').map(|(parent, _)| parent)) {
        None => "the root directory".to_owned(),
        Some("") => "the directory /".to_owned(),
        Some(GIT_INDEX_DIRECTORY_NAME) => "the directory of git's index".to_owned(),
        Some(parent) => format!("the directory {parent}"),
    };
    let Some((reason, help)) = refusal(error, &directory) else {
        return;
    };
    problem.path = operation
        .or(plan.operations.first())
        .map(|operation| operation.path.clone());
    let what = if plan.operations.is_empty() {
        "cannot change the tree"
    } else {
        "cannot change the file"
    };
    problem.message = format!("{what}: {reason}");
    let state = state
        .or(error.path.strip_suffix("/lock"))
        .filter(|_| operation.is_none());
    let kept = state.map(|state| format!("; wpatch stores an unfinished change in {state}"));
    problem.help = Some(help + &kept.unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::preflight::code;
    use crate::workspace::StickyBitError;

    /// An error number, the verb and the path that it is about, and the expected reason and help.
    type Case = (i32, &'static str, &'static str, &'static str, &'static str);

    const CASES: [Case; 7] = [
        (
            13,
            "create directory",
            ".git/wpatch/txn-1",
            "the directory .git/wpatch is not writable (Permission denied)",
            "make this directory writable for the current user; wpatch stores an unfinished change in .git/wpatch",
        ),
        (
            1,
            "rename",
            "d/f",
            "the directory d does not allow this change (Operation not permitted)",
            "run `lsattr` to check whether the file or the directory is immutable",
        ),
        (
            30,
            "lock",
            ".wpatch/lock",
            "the directory .wpatch is on a read-only file system",
            "remount the file system read-write; wpatch stores an unfinished change in .wpatch",
        ),
        (
            28,
            "write",
            ".git/wpatch/txn-1/journal.tmp",
            "the file system of the directory .git/wpatch has no space left",
            "free some space there and try again; wpatch stores an unfinished change in .git/wpatch",
        ),
        (
            28,
            "create directory",
            ".wpatch",
            "the file system of the root directory has no space left",
            "free some space there and try again",
        ),
        (
            28,
            "write",
            ".wpatch-index/index.lock",
            "the file system of the directory of git's index has no space left",
            "free some space there and try again",
        ),
        (
            122,
            "write",
            "/f",
            "the disk quota for the directory / is exceeded",
            "free some space there or raise the quota, and try again",
        ),
    ];

    /// Returns the message and the help for a plan without operations.
    fn refused(source: io::Error, verb: &'static str, path: &str) -> (String, Option<String>) {
        let error = WorkspaceError {
            verb,
            path: path.to_owned(),
            kind: ErrorKind::Other,
            source,
        };
        let mut problem = Problem::new(&code::IO, "as it was");
        explain_refusal(&mut problem, &error, &Plan::default());
        (problem.message, problem.help)
    }

    #[test]
    fn each_reason_names_the_directory_and_a_remedy() {
        for (number, verb, path, reason, help) in CASES {
            let (message, given) = refused(io::Error::from_raw_os_error(number), verb, path);
            assert_eq!(message, format!("cannot change the tree: {reason}"));
            assert_eq!(given.as_deref(), Some(help));
        }
    }

    #[test]
    fn a_sticky_bit_names_the_owner_of_the_file_and_a_remedy() {
        let sticky = io::Error::new(io::ErrorKind::PermissionDenied, StickyBitError { owner: 7 });
        let (message, help) = refused(sticky, "rename", "f");
        assert_eq!(
            message,
            "cannot change the tree: the root directory has the sticky bit, and the file belongs to another user \
             (uid 7)"
        );
        assert_eq!(
            help.as_deref(),
            Some("run the command as that user or as the owner of the directory")
        );
    }

    #[test]
    fn reading_needs_other_permissions() {
        let source = io::Error::from_raw_os_error(13);
        let error = WorkspaceError {
            verb: "read",
            path: "d/f".to_owned(),
            kind: ErrorKind::Denied,
            source,
        };
        let mut problem = Problem::new(&code::IO, "as it was");
        explain_refusal(&mut problem, &error, &Plan::default());
        assert_eq!((&*problem.message, problem.help), ("as it was", None));
    }
}
