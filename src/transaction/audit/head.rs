//! The head of the chain: the number and the digest of the last record.
//!
//! Usually the newest history entry contains the last record, so a removed end of the file is
//! visible. The head file replaces it before entries are removed, and after a record without an
//! entry.

use serde::{Deserialize, Serialize};

use super::names::{AUDIT_FILE, HEAD_FILE};
use super::tail::{read_tail, sync_file};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::transaction::Failure;
use crate::transaction::checksummed::{parse_checksummed, to_checksummed};
use crate::transaction::failure::is_unreachable;
use crate::transaction::scratch::join;
use crate::workspace::{ErrorKind, RenameMode, Workspace};

/// The maximum size of a head file in bytes.
const MAX_HEAD: u64 = 4096;
const NEW_HEAD: &str = "audit.head.new";

/// The number and the digest of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) seq: u64,
    pub(super) digest: String,
}

/// Makes the audit file in `home` durable and saves its head. Does nothing without records.
pub(in crate::transaction) fn save_head(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<(), Failure> {
    let last = read_tail(workspace, home)?.last;
    let Some(digest) = last.digest.filter(|_| !last.is_damaged) else {
        return Ok(());
    };
    let seq = last.seq;
    // Never replace a head by an older one: the end of the file may have been removed.
    if read_head(workspace, home)?.is_some_and(|head| head.seq >= seq) {
        return Ok(());
    }
    sync_file(workspace, home)?;
    let (path, new) = (join(home, HEAD_FILE)?, join(home, NEW_HEAD)?);
    match workspace.remove(&new) {
        Err(error) if error.kind != ErrorKind::Missing => return Err(error.into()),
        _ => {}
    }
    let text = to_checksummed(&Head { seq, digest })?;
    workspace.create(&new, &[&text], Permissions::Exact(0o600), None)?;
    workspace.sync(Some(&new))?;
    workspace.rename(&new, &path, RenameMode::Replace)?;
    // The name must be durable before an entry is removed.
    Ok(workspace.sync(Some(home))?)
}

/// Returns the saved head in `home`; `None` if there is none, or if it is damaged.
pub(super) fn read_head(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<Option<Head>, Failure> {
    let path = join(home, HEAD_FILE)?;
    match workspace.read(&path, MAX_HEAD) {
        Ok((text, _)) => Ok(parse_checksummed(&text, AUDIT_FILE).ok()),
        Err(error) if is_unreachable(error.kind) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
