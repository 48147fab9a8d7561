//! The position of a root in a git work tree, and the names of directories outside the root. All
//! roots in one work tree share transactions, lock and history.

use std::path::Path;

use super::{Result, Stat, Workspace};
use crate::mode::FileKind;
use crate::path::RelPath;

/// The name below a root under which verbs find the external history, which is outside the root.
/// See [`Workspace::external_history`].
pub const EXTERNAL_HISTORY_NAME: &str = ".wpatch-attic";

/// The name below a root under which verbs find the directory set by
/// [`Workspace::git_index_file`]. That directory contains the git index file.
pub const GIT_INDEX_DIRECTORY_NAME: &str = ".wpatch-index";

/// The name below the top of a work tree under which verbs find the git directory, if it is not
/// `.git` below the top.
pub const GIT_DIRECTORY_NAME: &str = ".wpatch-git";

/// The file of the state directory that records the top to which its history belongs. It is needed
/// if the git directory does not record its work tree.
pub const TOP_RECORD: &str = "top";

/// The work tree that contains a root below its top.
#[derive(Clone, Copy)]
pub struct WorkTree<'w> {
    /// The workspace whose root is the top.
    pub top: &'w dyn Workspace,
    /// The path from the top to the root.
    pub prefix: &'w RelPath,
    /// The absolute name of the top.
    pub directory: &'w Path,
}

/// The per-worktree git directory of a work tree whose top is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GitDirectory {
    /// Verbs find the git directory at `directory`.
    At {
        /// The path below the root.
        directory: RelPath,
        /// The record that must be written to [`TOP_RECORD`], after the inode number of the state
        /// directory and a space. `None` if no record is needed.
        binding: Option<Vec<u8>>,
    },
    /// The root is not in a work tree.
    Missing,
    /// The root is in a git directory and not in a work tree.
    Inside {
        /// A sentence that states this.
        why: String,
    },
    /// A git directory was found, but it cannot contain the state directory.
    Unusable {
        /// The reason.
        why: String,
        /// The path at which verbs find it, if it belongs to another user.
        foreign_path: Option<RelPath>,
        /// Whether `why` names a remedy.
        has_remedy: bool,
    },
}

impl GitDirectory {
    /// Returns the git directory at `directory`, which has the attributes `found`.
    pub(super) fn of_stat(directory: RelPath, found: Option<&Stat>) -> Self {
        match found {
            Some(stat) if stat.kind == FileKind::Directory => Self::At {
                directory,
                binding: None,
            },
            _ => Self::Missing,
        }
    }
}

/// Returns the workspace of the top of the work tree that contains `workspace`, or `workspace`
/// itself.
///
/// # Errors
///
/// Returns an error if the work tree cannot be located. The error can be temporary: another command
/// may succeed.
pub fn top(workspace: &dyn Workspace) -> Result<&dyn Workspace> {
    Ok(workspace.work_tree()?.map_or(workspace, |tree| tree.top))
}

/// Returns `.git` below the root of `workspace` if it is a directory.
pub(super) fn ordinary_git_directory<W: Workspace + ?Sized>(workspace: &W) -> Result<GitDirectory> {
    let directory = RelPath::new(b".git").expect("BUG: `.git` is a valid path");
    let found = workspace.stat(&directory)?;
    Ok(GitDirectory::of_stat(directory, found.as_ref()))
}

/// Returns `path`, which is relative to the top, as a path relative to `prefix`. Returns `None` if
/// it is not below `prefix`.
#[must_use]
pub fn path_relative_to(path: &RelPath, prefix: &RelPath) -> Option<RelPath> {
    let rest = path
        .as_bytes()
        .strip_prefix(prefix.as_bytes())?
        .strip_prefix(b"/")?;
    RelPath::new(rest).ok()
}
