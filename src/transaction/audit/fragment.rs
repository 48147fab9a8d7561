//! Removes an incomplete record from the end of the audit file.

use super::names::AUDIT_FILE;
use super::tail::Tail;
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::transaction::history::sync;
use crate::transaction::scratch::join;
use crate::transaction::{Durability, Failure};
use crate::workspace::{ErrorKind, NewFile, RenameMode, Workspace};

/// The name of an audit file that replaces the previous one.
const NEW_FILE: &str = "audit.jsonl.new";

/// Writes the audit file again without the torn end. A system that lost its power can have filled
/// the end with NUL bytes, so it cannot be completed in place.
pub(super) fn remove_fragment(
    workspace: &dyn Workspace,
    home: &RelPath,
    tail: &Tail,
    durability: Durability,
) -> Result<(), Failure> {
    let (path, new) = (join(home, AUDIT_FILE)?, join(home, NEW_FILE)?);
    let (bytes, _) = workspace.read(&path, u64::MAX)?;
    let kept = &bytes[..bytes.len() - tail.fragment.len()];
    match workspace.remove(&new) {
        Err(error) if error.kind != ErrorKind::Missing => return Err(error.into()),
        _ => {}
    }
    workspace.create(&new, NewFile::new(&[kept], Permissions::Exact(0o600), None))?;
    sync(workspace, &new, durability)?;
    workspace.rename(&new, &path, RenameMode::Replace)?;
    sync(workspace, home, durability)
}
