//! Files and directories that the system does not let the user change.

use std::io;

use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::preflight::Problem;
use crate::workspace::WorkspaceError;

/// Verbs that need write permission for a directory.
const DIRECTORY_VERBS: [&str; 8] =
    ["create", "make directory", "make link", "link", "rename", "remove", "remove directory", "lock"];

/// Names the file that the user wanted to change and the directory that is not writable, where the system names a path of the
/// state directory or one end of a rename.
pub(super) fn name_unwritable(problem: &mut Problem, error: &WorkspaceError, plan: &Plan) {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let kind = error.source.kind();
    if kind != ReadOnlyFilesystem && (kind != PermissionDenied || !DIRECTORY_VERBS.contains(&error.verb)) {
        return;
    }
    let named = RelPath::new(error.path.as_bytes()).ok();
    let is_meant = |operation: &&Operation| {
        let is = |path: &RelPath| named.as_ref().is_some_and(|named| path == named || path.is_below(named));
        is(&operation.path) || operation.from.as_ref().is_some_and(is)
    };
    let operation = plan.operations.iter().find(is_meant);
    // Below the state directory, the directory that it is in lacks the permission, or it itself.
    let name = match error.path.rsplit_once('/') {
        None => "the root directory".to_owned(),
        Some(("", _)) => "the directory /".to_owned(),
        Some((parent, _)) => format!("the directory {parent}"),
    };
    problem.path = operation.or(plan.operations.first()).map(|operation| operation.path.clone());
    let what = if plan.operations.is_empty() { "no change can be made" } else { "cannot change the file" };
    let reason = system_words(&error.source);
    let kept = match (operation, error.path.split("/txn-").next()) {
        (None, Some(state)) => {
            format!("; wpatch keeps a change in {} until it is complete", state.trim_end_matches("/lock"))
        }
        _ => String::new(),
    };
    let (message, help) = if kind == ReadOnlyFilesystem {
        (format!("{name} is on a read-only file system"), "mount the file system with write permission")
    } else if error.is_not_permitted() {
        (
            format!("{name} does not permit it ({reason})"),
            "the file or the directory may be immutable; `lsattr` shows that",
        )
    } else {
        (format!("{name} is not writable ({reason})"), "get write permission for this directory")
    };
    problem.message = format!("{what}: {message}");
    problem.help = Some(format!("{help}{kept}"));
}

/// Returns the words of the system for `error`, without its number.
fn system_words(error: &io::Error) -> String {
    let words = error.to_string();
    words.split(" (os error ").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preflight::code;
    use crate::workspace::Fault;

    fn unwritable(number: i32, verb: &'static str, path: &str) -> (String, Option<String>) {
        let source = io::Error::from_raw_os_error(number);
        let error = WorkspaceError { verb, path: path.to_owned(), fault: Fault::Denied, source };
        let mut problem = Problem::new(&code::IO, "as it was");
        name_unwritable(&mut problem, &error, &Plan { inputs: Vec::new(), operations: Vec::new() });
        (problem.message, problem.help)
    }

    #[test]
    fn each_reason_has_its_own_remedy() {
        let (message, help) = unwritable(13, "make directory", ".git/wpatch/txn-1");
        assert_eq!(message, "no change can be made: the directory .git/wpatch is not writable (Permission denied)");
        let kept = "; wpatch keeps a change in .git/wpatch until it is complete";
        assert_eq!(help.unwrap(), format!("get write permission for this directory{kept}"));
        let (message, help) = unwritable(1, "rename", "d/f");
        assert_eq!(message, "no change can be made: the directory d does not permit it (Operation not permitted)");
        assert!(help.unwrap().starts_with("the file or the directory may be immutable"));
        let (message, help) = unwritable(30, "lock", ".wpatch/lock");
        assert_eq!(message, "no change can be made: the directory .wpatch is on a read-only file system");
        assert!(help.unwrap().ends_with("in .wpatch until it is complete"));
        // To read needs other permissions.
        assert_eq!(unwritable(13, "read", "d/f"), ("as it was".to_owned(), None));
    }
}
