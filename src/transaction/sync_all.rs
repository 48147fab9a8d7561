//! Makes a whole file system durable.

use super::Failure;
use crate::workspace::{ErrorKind, Workspace};

/// Makes all files on the file system of the root durable. If the system cannot do this in one
/// call, calls `sync_each`. Returns whether one call did it.
pub(super) fn sync_all_or(
    workspace: &dyn Workspace,
    sync_each: impl FnOnce() -> Result<(), Failure>,
) -> Result<bool, Failure> {
    match workspace.sync_all() {
        Err(error) if error.kind == ErrorKind::Unsupported => sync_each().map(|()| false),
        synced => Ok(synced.map(|()| true)?),
    }
}
