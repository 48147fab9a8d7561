//! Where a root is in a work tree of git. All roots in one work tree share its transactions, its
//! lock and its history.

use std::path::Path;

use super::{Result, Workspace};
use crate::path::RelPath;

/// The name below the top of a work tree under which verbs find git's directory, if that is not
/// `.git` below the top.
pub const GIT: &str = ".wpatch-git";

/// The file of the state directory that records the top whose history is in it. It is needed where
/// git's directory does not record its work tree.
pub const TOP: &str = "top";

/// The work tree that contains a root below its top.
#[derive(Clone, Copy)]
pub struct WorkTree<'w> {
    /// The workspace whose root is the top.
    pub top: &'w dyn Workspace,
    /// The path of the root from the top.
    pub prefix: &'w RelPath,
    /// The absolute name of the top.
    pub directory: &'w Path,
}

/// Git's directory of the work tree whose top a root is: the per-worktree one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GitDirectory {
    /// Verbs find it at `directory`.
    At {
        /// The path.
        directory: RelPath,
        /// What the state directory has to record in [`TOP`], after its own inode number and a
        /// space.
        binding: Option<Vec<u8>>,
    },
    /// The root is in no work tree.
    Missing,
    /// The root is in a git directory, and in no work tree.
    Inside {
        /// The same in words.
        why: String,
    },
    /// There seems to be one, and it cannot keep the state.
    Unusable {
        /// Why not.
        why: String,
        /// Where verbs find it, if it belongs to another user.
        theirs: Option<RelPath>,
        /// Whether `why` names what helps.
        has_remedy: bool,
    },
}

/// Returns the workspace of the top of the work tree that `workspace` is in, or `workspace` itself.
///
/// # Errors
///
/// Returns an error if the work tree cannot be located, which proves nothing: another command may
/// locate it.
pub fn top(workspace: &dyn Workspace) -> Result<&dyn Workspace> {
    Ok(workspace.work_tree()?.map_or(workspace, |tree| tree.top))
}

/// Returns what `path`, from the top of a work tree, is called below `prefix`; `None` if it is not
/// below that.
#[must_use]
pub fn below(path: &RelPath, prefix: &RelPath) -> Option<RelPath> {
    let rest = path
        .as_bytes()
        .strip_prefix(prefix.as_bytes())?
        .strip_prefix(b"/")?;
    RelPath::new(rest).ok()
}
