//! Opens the trees on which commands work.

use std::path::Path;

use super::{Disk, Repository, RepositoryTree};
use crate::process::Timeout;
use crate::workspace::WorkspaceError;

/// Opens the directory `root` on disk.
///
/// # Errors
///
/// Returns an error if `root` is not a directory or cannot be opened.
///
/// # Examples
///
/// ```no_run
/// use std::path::Path;
///
/// use wpatch::engine::{self, Request};
/// use wpatch::transaction::Interrupt;
///
/// let workspace = engine::open(Path::new("/srv/project"))?;
/// let outcome = engine::apply(Request::edit("a.txt", "one", "two"), &workspace, &Interrupt::new());
/// assert!(outcome.report.ok, "{:?}", outcome.report.error);
/// # Ok::<(), wpatch::workspace::WorkspaceError>(())
/// ```
pub fn open(root: &Path) -> Result<Disk, WorkspaceError> {
    Disk::open(root)
}

/// Opens the directory `root` on disk, with an external history.
///
/// If there is no place for the history below the root, it is in `above/wpatch`. `above` need not
/// exist, and must not be below the root.
///
/// # Errors
///
/// Returns the same errors as [`open`].
pub fn open_with_external_history(root: &Path, above: &Path) -> Result<Disk, WorkspaceError> {
    Disk::open(root).map(|disk| disk.with_external_history(root, above))
}

/// Opens the tree of `revision`, any name that git can resolve, in the repository `git_dir`, for
/// commands that only read. No checkout is needed.
///
/// To open many trees of one repository, create one [`Repository`]. It caches the objects and keeps
/// the git process.
///
/// # Security
///
/// git runs no program that the repository configures and fetches no objects. git does not check
/// who owns the repository.
///
/// # Errors
///
/// Returns an error of the kind [`ErrorKind::Missing`](crate::workspace::ErrorKind::Missing) if the
/// revision does not exist. Returns an error of another kind if the repository cannot be read or
/// git cannot be run.
///
/// # Examples
///
/// ```no_run
/// use std::path::Path;
///
/// use wpatch::engine::{self, Request};
///
/// let tree = engine::open_tree(Path::new("/srv/project/.git"), "main")?;
/// let report = engine::check(Request::of("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n"), &tree).report;
/// println!("{}", report.ok);
/// # Ok::<(), wpatch::workspace::WorkspaceError>(())
/// ```
pub fn open_tree(git_dir: &Path, revision: &str) -> Result<RepositoryTree, WorkspaceError> {
    Repository::at(git_dir, None, Timeout::default()).tree(revision.as_bytes())
}
