//! The tree that patches are repaired for.

use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::policy::{Access, Policy, Verdict};
use crate::repair::{FileVersion, RepairErrorKind, SectionAction};
use crate::text::is_binary;
use crate::workspace::{ErrorKind, Stat, Workspace, WorkspaceError};

/// The options that determine the path of a name, as in strict mode.
#[derive(Clone, Copy, Default)]
pub(super) struct NameOptions<'w> {
    /// The strip level (`-p`), or `None` if prefixes are recognised.
    pub(super) strip_level: Option<usize>,
    /// The directory to put before every name (`--directory`), or nothing.
    pub(super) directory: &'w [u8],
    /// The path of the root below the top of its repository (`--git-paths`).
    pub(super) below: Option<&'w [u8]>,
}

impl NameOptions<'_> {
    /// Returns whether an option determines the path, so that the name must be exact.
    pub(super) fn is_exact(&self) -> bool {
        self.strip_level.is_some() || self.below.is_some()
    }

    /// Returns whether the names in git's diffs, with their usual prefixes, are not paths below the
    /// root.
    pub(super) fn changes_git_names(&self) -> bool {
        self.strip_level.is_some_and(|level| level != 1)
            || self.below.is_some()
            || !self.directory.is_empty()
    }

    /// Returns `name` without its first `level` components; `None` if nothing is left.
    pub(super) fn strip(name: &[u8], level: usize) -> Option<&[u8]> {
        let mut rest = name;
        for _ in 0..level {
            rest = &rest[memchr::memchr(b'/', rest)? + 1..];
        }
        Some(rest).filter(|rest| !rest.is_empty())
    }

    /// Returns the path of a relative name without prefix. `is_enveloped` states whether the name
    /// is in an envelope, whose names start at the root.
    pub(super) fn locate(&self, name: &[u8], is_enveloped: bool) -> Option<RelPath> {
        let directory = self.directory.strip_suffix(b"/").unwrap_or(self.directory);
        let path = if directory.is_empty() {
            RelPath::new(name).ok()?
        } else {
            RelPath::new(&[directory, name].join(&b'/')).ok()?
        };
        match self.below.filter(|_| !is_enveloped) {
            None => Some(path),
            Some(below) => {
                let below = below.strip_suffix(b"/").unwrap_or(below);
                let rest = path.as_bytes().strip_prefix(below)?;
                if below.is_empty() {
                    return Some(path);
                }
                RelPath::new(rest.strip_prefix(b"/")?).ok()
            }
        }
    }
}

/// The tree that patches are repaired for, and the limits on reading its files.
pub(super) struct TargetTree<'w> {
    pub(super) workspace: &'w dyn Workspace,
    pub(super) policy: &'w Policy,
    /// The least verdict on reading a file that prevents wpatch from reading it. A denied file is
    /// never read.
    pub(super) min_unread_verdict: Verdict,
    /// The absolute path of the root.
    pub(super) root: &'w [u8],
    /// The options that determine the path of a name.
    pub(super) naming: NameOptions<'w>,
    /// The maximum size in bytes of a file that is read.
    pub(super) max_file: u64,
}

impl TargetTree<'_> {
    /// Returns the status of the entry at `path`. Returns `None` if a symbolic link is in the path,
    /// because a later stage reports that link.
    pub(super) fn stat(&self, path: &RelPath) -> Result<Option<Stat>, WorkspaceError> {
        match self.workspace.stat(path) {
            Err(error) if error.kind == ErrorKind::ThroughLink => Ok(None),
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
        // The size is checked here, because the error of `read` would end the command.
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
                    RepairErrorKind::Denied,
                    format!("policy denies this path: {reason}"),
                )),
                Verdict::Ask
                    if access == Access::Read && self.min_unread_verdict == Verdict::Ask =>
                {
                    Some((
                        RepairErrorKind::Unapproved,
                        format!("this change needs approval: {reason}"),
                    ))
                }
                _ => None,
            }
        })
    }
}
