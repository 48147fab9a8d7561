//! The head of the chain: the number and the digest of the last record.
//!
//! Usually the newest history entry contains the last record, so a removed end of the file is
//! visible. The head file replaces it before entries are removed. It contains a record that has no
//! entry before the record is appended.

use serde::{Deserialize, Serialize};

use super::chain::{LineFields, RecordKey};
use super::names::{AUDIT_FILE, HEAD_FILE};
use super::record::line_digest;
use super::tail::{read_tail, sync_file};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::transaction::Failure;
use crate::transaction::checksummed::{parse_checksummed, to_checksummed};
use crate::transaction::failure::is_unreachable;
use crate::transaction::scratch::join;
use crate::workspace::{ErrorKind, NewFile, RenameMode, Workspace};

/// The maximum size of a head file in bytes.
const MAX_HEAD: u64 = 1 << 20;
const NEW_HEAD: &str = "audit.head.new";

/// The number and the digest of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) seq: u64,
    pub(super) digest: String,
    /// The last record, and its signature, if no history entry contains them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) lines: Vec<String>,
}

impl Head {
    /// Returns the key of the record. `id` is the ID of a record before it.
    pub(super) fn key(self, id: &str) -> RecordKey {
        RecordKey {
            seq: self.seq,
            digest: Some(self.digest),
            id: id.to_owned(),
            ..RecordKey::default()
        }
    }
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
    let head = Head {
        seq: last.seq,
        digest,
        lines: Vec::new(),
    };
    write_head(workspace, home, &head)
}

/// Saves `lines`, which are not in the audit file yet and in no history entry, as the head. After a
/// crash, the next command appends them.
pub(super) fn announce_lines(
    workspace: &dyn Workspace,
    home: &RelPath,
    lines: &[String],
) -> Result<(), Failure> {
    let Some(last) = lines.last() else {
        return Ok(());
    };
    let head = Head {
        seq: LineFields::seq_of(last),
        digest: line_digest(last.as_bytes()),
        lines: lines.to_vec(),
    };
    write_head(workspace, home, &head)
}

/// Makes the audit file durable, and replaces the head unless it is newer than `head`.
fn write_head(workspace: &dyn Workspace, home: &RelPath, head: &Head) -> Result<(), Failure> {
    // The end of the file may have been removed, so an older head never replaces a newer one.
    if read_head(workspace, home)?.is_some_and(|saved| saved.seq >= head.seq) {
        return Ok(());
    }
    sync_file(workspace, home)?;
    let (path, new) = (join(home, HEAD_FILE)?, join(home, NEW_HEAD)?);
    match workspace.remove(&new) {
        Err(error) if error.kind != ErrorKind::Missing => return Err(error.into()),
        _ => {}
    }
    let text = to_checksummed(head)?;
    workspace.create(
        &new,
        NewFile::new(&[&text], Permissions::Exact(0o600), None),
    )?;
    workspace.sync(Some(&new))?;
    workspace.rename(&new, &path, RenameMode::Replace)?;
    // The name must be durable before an entry is removed or a record is appended.
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
