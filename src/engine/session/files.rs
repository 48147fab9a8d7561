//! The versions of files in a session and in the tree.

use crate::digest::Digest;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::ExpectedFile;
use crate::text::Bytes;
use crate::transaction::Failure;
use crate::transaction::sessions::StoredFile;
use crate::workspace::{ErrorKind, Workspace};

/// The next step for a file that cannot be merged.
pub(super) const REDO: &str =
    "apply the change to the new version of the file, or abort the session";

/// Returns the state that a file must have to be the version `file`.
pub(super) fn expected(file: &StoredFile) -> ExpectedFile {
    ExpectedFile {
        kind: file.kind,
        digest: file.digest,
        permissions: file.permissions,
    }
}

/// Reads the content of a version that the session keeps.
///
/// # Errors
///
/// Returns [`Failure::State`] if the content was changed.
pub(super) fn read_content(workspace: &dyn Workspace, file: &StoredFile) -> Result<Bytes, Failure> {
    let (bytes, _) = workspace.read(&file.content, u64::MAX)?;
    if Digest::of(&bytes) == file.digest {
        return Ok(bytes);
    }
    Err(Failure::State {
        reason: format!(
            "{}: a content of the edit session is damaged; run `wpatch abort` to remove the session",
            file.content
        ),
    })
}

/// Reads the file or link at `path`; `None` if there is none.
pub(super) fn read_expected(
    workspace: &dyn Workspace,
    path: &RelPath,
) -> Result<Option<(ExpectedFile, Bytes)>, Failure> {
    let stat = match workspace.stat(path) {
        Err(error) if error.kind == ErrorKind::ThroughLink => None,
        stat => stat?,
    };
    let Some(stat) = stat else { return Ok(None) };
    let bytes = match stat.kind {
        FileKind::Regular => workspace.read(path, u64::MAX)?.0,
        FileKind::Symlink => workspace.read_link(path)?.into(),
        FileKind::Directory | FileKind::Special => return Ok(None),
    };
    let found = ExpectedFile {
        kind: stat.kind,
        digest: Digest::of(&bytes),
        permissions: (stat.kind == FileKind::Regular).then_some(stat.permissions),
    };
    Ok(Some((found, bytes)))
}

/// Returns whether `found` is the file `expected`, as far as its bits are known.
pub(super) fn is_same(found: Option<ExpectedFile>, expected: Option<ExpectedFile>) -> bool {
    match (found, expected) {
        (None, None) => true,
        (Some(found), Some(expected)) => {
            let bits = expected.permissions.or(found.permissions);
            found
                == ExpectedFile {
                    permissions: bits,
                    ..expected
                }
        }
        _ => false,
    }
}
