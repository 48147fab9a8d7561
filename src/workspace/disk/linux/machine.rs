//! The name of the machine.

use std::io;

use crate::text::printable;

/// Returns the machine's name for itself, or nothing if it has none; see machine-id(5). One that
/// could not be read just now is not taken for that: what was noted under it would look as if it
/// were about another directory.
pub(super) fn machine() -> io::Result<String> {
    match std::fs::read("/etc/machine-id") {
        Ok(id) => Ok(printable(id.trim_ascii()).to_string()),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(String::new())
        }
        Err(error) => Err(error),
    }
}
