//! Lists all files below the root, and what cannot be examined.

use std::collections::{BTreeMap, BTreeSet};

use super::snapshot::{is_git, join};
use crate::digest::Digest;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::policy::{GIT_DIRECTORY_RULE, protecting_rule};
use crate::transaction::{Failure, Interrupt};
use crate::workspace::{ErrorKind, Stat, Timestamp, Workspace};

/// The name of the state directory of wpatch in a git directory.
const STATE: &[u8] = b"wpatch";

/// All files below the root, except those in state directories.
#[derive(Debug, Default)]
pub(super) struct TreeScan {
    /// The files and directories that a transaction can record.
    pub(super) entries: BTreeMap<RelPath, CopiedEntry>,
    /// The directories that cannot be listed or contain paths that are too long, and other files
    /// that cannot be examined.
    pub(super) unread: BTreeSet<RelPath>,
    /// The files with protected names, such as those of git, which are never recorded.
    pub(super) protected: BTreeMap<RelPath, CopiedEntry>,
}

/// A file or directory at the time of a scan.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopiedEntry {
    pub(super) stat: Stat,
    /// The content of a regular file, or the target of a link. `None` for other files, and if it
    /// was not copied.
    pub(super) content: Option<CopiedContent>,
}

/// The copy of a content.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopiedContent {
    pub(super) digest: Digest,
    /// The size in bytes.
    pub(super) size: u64,
    /// The position of the first byte among the contents.
    pub(super) start: u64,
}

/// The attributes by which a change of a file is noticed without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileIdentity {
    kind: FileKind,
    permissions: u32,
    size: u64,
    modified: Timestamp,
    inode: u64,
}

impl From<Stat> for FileIdentity {
    fn from(stat: Stat) -> Self {
        let Stat {
            kind,
            permissions,
            size,
            modified,
            inode,
            ..
        } = stat;
        Self {
            kind,
            permissions,
            size,
            modified,
            inode,
        }
    }
}

impl TreeScan {
    /// Lists the tree. A file that is removed in the meantime may be left out.
    ///
    /// # Errors
    ///
    /// Returns the error of listing the root itself, and [`Failure::Interrupted`].
    pub(super) fn of(workspace: &dyn Workspace, interrupt: &Interrupt) -> Result<Self, Failure> {
        let mut scan = Self::default();
        let mut rest: Vec<Option<RelPath>> = vec![None];
        while let Some(directory) = rest.pop() {
            if let Some(signal) = interrupt.signal() {
                return Err(Failure::Interrupted(signal));
            }
            let names = match (workspace.list(directory.as_ref()), &directory) {
                (Ok(names), _) => names,
                (Err(error), Some(_)) if error.kind == ErrorKind::Missing => continue,
                (Err(_), Some(directory)) => {
                    scan.unread.insert(directory.clone());
                    continue;
                }
                (Err(error), None) => return Err(error.into()),
            };
            for name in &names {
                match (join(directory.as_ref(), name), &directory) {
                    (Some(path), _) if is_state(&path) => {}
                    (Some(path), _) => rest.extend(scan.add(workspace, path).map(Some)),
                    // The path is too long or too deep for a transaction.
                    (None, Some(directory)) => {
                        scan.unread.insert(directory.clone());
                    }
                    (None, None) => {}
                }
            }
        }
        Ok(scan)
    }

    /// Adds a file. Returns its path if it is a directory.
    fn add(&mut self, workspace: &dyn Workspace, path: RelPath) -> Option<RelPath> {
        let Ok(stat) = workspace.stat(&path) else {
            self.unread.insert(path);
            return None;
        };
        let stat = stat?;
        let is_directory = stat.kind == FileKind::Directory;
        let content = None;
        let entry = CopiedEntry { stat, content };
        if protecting_rule(&path).is_none() {
            self.entries.insert(path.clone(), entry);
        } else if !is_directory {
            self.protected.insert(path.clone(), entry);
        }
        is_directory.then_some(path)
    }
}

/// Returns whether the path is a state directory of wpatch.
fn is_state(path: &RelPath) -> bool {
    let is_in_git = || path.parent().is_some_and(|parent| is_git(parent.name()));
    match protecting_rule(path) {
        None => false,
        Some(rule) if rule.name == GIT_DIRECTORY_RULE => path.name() == STATE && is_in_git(),
        Some(_) => path.name().starts_with(b".wpatch"),
    }
}
