//! The tree that patches are repaired for.

use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::policy::{Access, Policy, Verdict};
use crate::repair::{FileVersion, RepairErrorKind, SectionAction};
use crate::text::is_binary;
use crate::workspace::{ErrorKind, Stat, Workspace, WorkspaceError};

/// The tree that patches are repaired for, and the limits on reading its files.
pub(super) struct TargetTree<'w> {
    pub(super) workspace: &'w dyn Workspace,
    pub(super) policy: &'w Policy,
    /// The least verdict on reading a file that prevents wpatch from reading it. A denied file is
    /// never read.
    pub(super) unread: Verdict,
    /// The absolute path of the root.
    pub(super) root: &'w [u8],
    /// The maximum size in bytes of a file that is read.
    pub(super) max_file: u64,
}

impl TargetTree<'_> {
    /// Returns the status of the entry at `path`. Returns `None` if a symbolic link is in the path,
    /// because a later stage reports that link.
    pub(super) fn stat(&self, path: &RelPath) -> Result<Option<Stat>, WorkspaceError> {
        match self.workspace.stat(path) {
            Err(error) if error.fault == ErrorKind::ThroughLink => Ok(None),
            stat => stat,
        }
    }

    /// Returns the file at `path`, or the reason why it cannot be read. The file is `None` if it
    /// does not exist.
    pub(super) fn read(
        &self,
        path: &RelPath,
    ) -> Result<Result<Option<FileVersion>, String>, WorkspaceError> {
        let Some(stat) = self.stat(path)? else {
            return Ok(Ok(None));
        };
        if stat.kind != FileKind::Regular {
            return Ok(Err(format!(
                "expected a regular file, found a {}",
                stat.kind
            )));
        }
        if stat.size > self.max_file {
            return Ok(Err("the file exceeds the size limit".into()));
        }
        let (content, stat) = self.workspace.read(path, self.max_file)?;
        if is_binary(&content) {
            return Ok(Err("the file is binary; --lenient repairs only text".into()));
        }
        let mode = if stat.permissions & 0o100 != 0 {
            FileMode::Executable
        } else {
            FileMode::Regular
        };
        Ok(Ok(Some(FileVersion { mode, content })))
    }

    /// Returns the reason why policy prevents wpatch from reading or changing `path`.
    pub(super) fn denial(
        &self,
        path: &RelPath,
        action: SectionAction,
    ) -> Option<(RepairErrorKind, String)> {
        let accesses: &[Access] = match action {
            SectionAction::Create => &[Access::Create],
            SectionAction::Update => &[Access::Read, Access::Modify],
            SectionAction::Delete => &[Access::Read, Access::Delete],
        };
        accesses.iter().find_map(|&access| {
            let ruling = self.policy.judge(path, access);
            let reason = ruling.reason()?;
            match ruling.verdict {
                Verdict::Deny => Some((
                    RepairErrorKind::Closed,
                    format!("policy denies this path: {reason}"),
                )),
                Verdict::Ask if access == Access::Read && self.unread == Verdict::Ask => Some((
                    RepairErrorKind::Unapproved,
                    format!("this change needs approval: {reason}"),
                )),
                _ => None,
            }
        })
    }
}
