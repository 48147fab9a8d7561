//! Changes that the file system refuses although the user may write: no space, a quota, or the sticky bit of a directory.

use std::io::ErrorKind::{QuotaExceeded, StorageFull};

use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::preflight::Problem;
use crate::workspace::{StickyBit, WorkspaceError};

/// Names the file that the user wanted to change, the directory and the reason in `problem`, if `error` has such a reason.
pub(super) fn name_refusal(problem: &mut Problem, error: &WorkspaceError, plan: &Plan) {
    let sticky = error.source.get_ref().and_then(|source| source.downcast_ref::<StickyBit>());
    // The state directory has scratch files in directories of their own, or right in it.
    let place = error.path.split("/txn-").next().unwrap_or_default();
    let place = if place == error.path { place.rsplit_once('/').map_or(".", |(parent, _)| parent) } else { place };
    let directory = if place == "." { "the root directory".to_owned() } else { format!("the directory {place}") };
    let (reason, help) = match (sticky, error.source.kind()) {
        (Some(StickyBit { owner }), _) => {
            let reason = format!("{directory} has the sticky bit, and the file belongs to another user (uid {owner})");
            (reason, "apply the patch as that user, or as the owner of the directory".to_owned())
        }
        (None, StorageFull) => {
            (format!("the file system of {directory} has no space left"), "free space there and try again".to_owned())
        }
        (None, QuotaExceeded) => {
            let reason = format!("the disk quota for {directory} is exceeded");
            (reason, "free space there, or get a larger quota, and try again".to_owned())
        }
        _ => return,
    };
    let named = RelPath::new(error.path.as_bytes()).ok();
    let is_meant = |operation: &&Operation| {
        let is = |path: &RelPath| named.as_ref() == Some(path);
        is(&operation.path) || operation.from.as_ref().is_some_and(is)
    };
    let operation = plan.operations.iter().find(is_meant).or(plan.operations.first());
    if let Some(operation) = operation {
        problem.path = Some(operation.path.clone());
        problem.message = format!("cannot change the file: {reason}");
    } else {
        problem.message = format!("no change can be made: {reason}");
    }
    problem.help = Some(format!("{help}; nothing was changed"));
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::preflight::code;
    use crate::workspace::Fault;

    #[test]
    fn each_reason_names_the_directory_and_a_remedy() {
        let sticky = || io::Error::new(io::ErrorKind::PermissionDenied, StickyBit { owner: 7 });
        for (source, path, expected, help) in [
            (
                io::Error::from_raw_os_error(28),
                ".git/wpatch/txn-1/journal.tmp",
                "the file system of the directory .git/wpatch has no space left",
                "free space",
            ),
            (
                io::Error::from_raw_os_error(28),
                ".wpatch",
                "the file system of the root directory has no space left",
                "free space",
            ),
            (
                io::Error::from_raw_os_error(122),
                "d/f",
                "the disk quota for the directory d is exceeded",
                "larger quota",
            ),
            (
                sticky(),
                "f",
                "the root directory has the sticky bit, and the file belongs to another user (uid 7)",
                "as that user",
            ),
        ] {
            let error = WorkspaceError { verb: "create", path: path.to_owned(), fault: Fault::Other, source };
            let mut problem = Problem::new(&code::IO, "as it was");
            name_refusal(&mut problem, &error, &Plan { inputs: Vec::new(), operations: Vec::new() });
            assert_eq!(problem.message, format!("no change can be made: {expected}"));
            assert!(problem.help.is_some_and(|text| text.contains(help)), "{expected}");
        }
        let other = WorkspaceError {
            verb: "read",
            path: "f".to_owned(),
            fault: Fault::Denied,
            source: io::Error::from_raw_os_error(13),
        };
        let mut problem = Problem::new(&code::IO, "as it was");
        name_refusal(&mut problem, &other, &Plan { inputs: Vec::new(), operations: Vec::new() });
        assert_eq!(problem.message, "as it was");
    }
}
