//! The reasons why a file system refuses a change, with a remedy for each.

use std::error::Error;
use std::io::ErrorKind;

use crate::text::without_error_number;
use crate::workspace::disk::advice;
use crate::workspace::{OwnerError, ProtectedError, StickyBitError, WorkspaceError};

/// The verbs that need write permission for a directory.
const DIRECTORY_VERBS: [&str; 8] = [
    "create",
    "create directory",
    "create link",
    "link",
    "rename",
    "remove",
    "remove directory",
    "lock",
];

/// Returns the reason why `directory` refuses a change, and the help. Returns `None` if `error` has
/// another cause.
pub(crate) fn refusal(error: &WorkspaceError, directory: &str) -> Option<(String, String)> {
    if let Some(refused) = known_refusal(error, directory) {
        return Some(refused);
    }
    let (reason, help) = match error.source.kind() {
        ErrorKind::StorageFull => (
            format!("the file system of {directory} has no space left"),
            "free some space there and try again",
        ),
        ErrorKind::QuotaExceeded => {
            let help = "free some space there or raise the quota, and try again";
            (format!("the disk quota for {directory} is exceeded"), help)
        }
        ErrorKind::ReadOnlyFilesystem => (
            format!("{directory} is on a read-only file system"),
            "remount the file system read-write",
        ),
        ErrorKind::PermissionDenied if DIRECTORY_VERBS.contains(&error.verb) => {
            let words = error.source.to_string();
            let words = without_error_number(&words);
            if error.is_not_permitted() {
                let help = "run `lsattr` to check whether the file or the directory is immutable";
                (
                    format!("{directory} does not allow this change ({words})"),
                    help,
                )
            } else {
                (
                    format!("{directory} is not writable ({words})"),
                    "make this directory writable for the current user",
                )
            }
        }
        _ => return None,
    };
    Some((reason, help.to_owned()))
}

/// Returns the reason and the help for an error whose cause the workspace has determined.
fn known_refusal(error: &WorkspaceError, directory: &str) -> Option<(String, String)> {
    let cause: &(dyn Error + 'static) = error.source.get_ref()?;
    if let Some(StickyBitError { owner }) = cause.downcast_ref() {
        return Some((
            format!(
                "{directory} has the sticky bit, and the file belongs to another user (uid {owner})"
            ),
            "run the command as that user or as the owner of the directory".to_owned(),
        ));
    }
    if let Some(OwnerError { owner }) = cause.downcast_ref() {
        return Some((
            format!(
                "the file belongs to another user (uid {owner}), so its mode cannot be changed"
            ),
            "run the command as that user".to_owned(),
        ));
    }
    let ProtectedError(protection) = cause.downcast_ref()?;
    Some((
        format!("{directory} is {protection}"),
        format!(
            "{} on the directory",
            advice::remove_protection(*protection)
        ),
    ))
}
