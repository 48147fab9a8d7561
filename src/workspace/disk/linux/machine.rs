//! Reads the ID of the machine.

use std::io;

use crate::text::printable;

/// Returns the machine ID, see machine-id(5), or an empty text if the machine has none.
///
/// Any other read error is returned. An empty ID would make existing records look like those of
/// another directory.
pub(super) fn machine_id() -> io::Result<String> {
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
