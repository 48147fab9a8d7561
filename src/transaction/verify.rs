//! Identifies the file at a path, and checks whether it has changed since it was read.

use super::change::FileIdentity;
use super::{Failure, Interrupt};
use crate::change::FileState;
use crate::digest::Digest;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::text::Bytes;
use crate::workspace::{ErrorKind, Stat, Timestamp, Workspace, WorkspaceError};

/// Returns the `Stat` of `path`. If a link has replaced a directory above it, no file of the
/// transaction is there.
pub(super) fn stat_in_tree(
    workspace: &dyn Workspace,
    path: &RelPath,
) -> Result<Option<Stat>, Failure> {
    match workspace.stat(path) {
        Err(error) if error.kind == ErrorKind::ThroughLink => Ok(None),
        stat => Ok(stat?),
    }
}

/// Returns the identity of the file at `path`.
pub(super) fn identify(
    workspace: &dyn Workspace,
    path: &RelPath,
) -> Result<Option<FileIdentity>, Failure> {
    let Some(stat) = stat_in_tree(workspace, path)? else {
        return Ok(None);
    };
    let (_, digest) = match read_content(workspace, path, stat.kind, Interrupt::never()) {
        // The file was removed, or FUSE had cached it under another spelling of its name.
        Err(error) if error.kind == ErrorKind::Missing => return Ok(None),
        read => read?,
    };
    Ok(Some(FileIdentity::from(&FileState { stat, digest })))
}

/// Returns the content of the file or link at `path`, and its digest. A directory and a special file
/// have no content. Returns an error soon after `interrupt` is raised.
pub(super) fn read_content(
    workspace: &dyn Workspace,
    path: &RelPath,
    kind: FileKind,
    interrupt: &Interrupt,
) -> Result<(Bytes, Digest), WorkspaceError> {
    let bytes = match kind {
        FileKind::Regular => workspace.read_in_parts(path, u64::MAX, interrupt)?.0,
        FileKind::Symlink => workspace.read_link(path)?.into(),
        FileKind::Directory | FileKind::Special => Bytes::default(),
    };
    let digest = Digest::of_slices(&[&bytes], interrupt)
        .ok_or_else(|| WorkspaceError::interrupted("read", path))?;
    Ok((bytes, digest))
}

/// Returns whether the file at `path` is the file `found`, unchanged.
///
/// Size, inode and modification time prove this if the time is old enough. `since` is a time before
/// the file was read, and a later change sets a later time. Otherwise the contents are compared. This
/// fails soon after `interrupt` is raised.
pub(super) fn is_unchanged(
    workspace: &dyn Workspace,
    path: &RelPath,
    (found, since): (&FileState, Timestamp),
    interrupt: &Interrupt,
) -> Result<bool, Failure> {
    let Some(stat) = workspace.stat(path)? else {
        return Ok(false);
    };
    let old = &found.stat;
    // The permission bits of a symbolic link have no effect, see symlink(7).
    if stat.kind != old.kind
        || stat.size != old.size
        || stat.kind == FileKind::Regular && stat.permissions != old.permissions
        || (stat.uid, stat.gid) != (old.uid, old.gid)
    {
        return Ok(false);
    }
    if (stat.modified, stat.inode, stat.device) == (old.modified, old.inode, old.device)
        && is_settled(old.modified, since)
    {
        return Ok(true);
    }
    let (_, digest) = read_content(workspace, path, stat.kind, interrupt)?;
    Ok(digest == found.digest)
}

/// Returns whether a file that was `modified` before `since` would have a different time after a
/// later change.
///
/// Linux updates file times with a clock that ticks at least every 10 ms. File systems that store
/// whole seconds can round to two seconds (FAT).
fn is_settled(modified: Timestamp, since: Timestamp) -> bool {
    let tick = if modified.nanoseconds == 0 {
        2_000_000_000
    } else {
        20_000_000
    };
    let nanoseconds =
        |time: Timestamp| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds);
    nanoseconds(modified) + tick < nanoseconds(since)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_settled_when_a_later_change_would_show() {
        let time = |seconds, nanoseconds| Timestamp {
            seconds,
            nanoseconds,
        };
        assert!(is_settled(time(10, 5), time(10, 30_000_000)));
        assert!(!is_settled(time(10, 5), time(10, 20_000_000)));
        assert!(!is_settled(time(10, 0), time(12, 0)));
        assert!(!is_settled(time(11, 5), time(10, 0)));
    }
}
