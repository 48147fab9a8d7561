//! The disk backend. It works with directory handles and single names, and follows no link.
//!
//! A verb starts in `verbs.rs`. `parents.rs` turns its path into a directory handle and a name; no
//! other file resolves the paths of verbs. `system` then makes the system call on that handle and
//! maps its error number to an [`ErrorKind`](crate::workspace::ErrorKind). Read `verbs.rs` first,
//! then `parents.rs`.
//!
//! Invariant: every path of a verb is resolved through real directories only, and below the root.
//! Three directories can be outside the root: the external history (`external_history.rs`), the
//! directory of git's index file (`git_index_file.rs`) and the git directory (`work_tree.rs`).

mod create;
mod dot_git;
#[cfg(wpatch_exit_at_verb)]
mod exit;
mod external_history;
mod git_files;
mod git_index_file;
mod git_names;
mod link_kind;
mod lock;
mod parents;
mod spellings;
mod verbs;
mod walk;
mod work_tree;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::sleep;
use std::time::Duration;

use self::external_history::ExternalHistory;
use self::parents::DirectoryResolver;
use self::work_tree::WorkTreePosition;
use super::calls::{Access, SysError, SysResult};
use super::system::{self, DirectoryHandle};
use crate::mutex::lock_unpoisoned;
use crate::path::{RelPath, os_path};
use crate::text::printable;
use crate::workspace::{Directory, ErrorKind, Result, Workspace, WorkspaceError};

/// The number of retries of a verb that found no free file handle, and the pause after each.
const MAX_RETRIES: u32 = 50;
const RETRY_PAUSE: Duration = Duration::from_millis(2);

/// A directory of the real file system. It is `Send` and `Sync`.
///
/// # Security
///
/// The root is opened once. The handle stays valid even if its name later refers to another
/// directory. Below the root a verb takes two steps. It resolves the directory through real
/// directories only, with `openat2` and `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS`. On kernels before
/// 5.6 it opens one component after the other. Then it works with a single name in that directory.
///
/// Handles are cached for up to one second. If another process moves a directory within that second
/// or between the two steps, the verb works in the moved directory. Verbs enter mounts below the
/// root.
#[derive(Debug)]
pub struct Disk {
    parents: DirectoryResolver,
    /// The name by which the root was opened.
    root: PathBuf,
    /// The directory that contains the external history, if one is configured.
    history_parent: Option<PathBuf>,
    /// The position in a work tree, once a verb needed it.
    position: OnceLock<WorkTreePosition>,
    /// Facts that the functions of the system cache.
    caches: system::Caches,
    /// Held by the only verb that retries while no file handles are free.
    retry_lock: Mutex<()>,
}

impl Disk {
    /// Opens the directory `root`. Its own path may contain links.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`](crate::workspace::ErrorKind::Missing) if the directory does
    /// not exist, and [`ErrorKind::NotDirectory`](crate::workspace::ErrorKind::NotDirectory) if
    /// `root` is not a directory.
    pub fn open(root: &Path) -> Result<Self> {
        let opened = system::open_directory_at(root, Access::List);
        let handle = opened.map_err(|error| WorkspaceError {
            verb: "open",
            path: printable(root.as_os_str().as_encoded_bytes()).to_string(),
            kind: error.kind,
            source: error.source,
        })?;
        Ok(Self {
            parents: DirectoryResolver::new(handle),
            root: root.to_owned(),
            history_parent: None,
            position: OnceLock::new(),
            caches: system::Caches::default(),
            retry_lock: Mutex::default(),
        })
    }

    /// Keeps the history in `above/wpatch` if it cannot be kept below the root. `root` must name
    /// this root. There is no external history if one of the two directories contains the other.
    #[must_use]
    pub fn with_external_history(self, root: &Path, above: &Path) -> Self {
        let history = system::generation(self.parents.root())
            .ok()
            .and_then(|generation| ExternalHistory::new(above, root, &generation));
        Self {
            parents: self.parents.with_external_history(history),
            history_parent: Some(above.to_owned()),
            ..self
        }
    }

    /// Opens the directory `location`, which is absolute. Its history is kept in the same way.
    fn open_other(&self, location: &[u8]) -> Result<Box<dyn Workspace + Send>> {
        let root = self.run_verb("open", None, || os_path(location).ok_or_else(not_unicode))?;
        let opened = Self::open(root)?;
        Ok(Box::new(match &self.history_parent {
            Some(above) => opened.with_external_history(root, above),
            None => opened,
        }))
    }

    /// Runs a verb and adds its name and path to an error. A verb opens everything that it needs
    /// before it changes anything. It can therefore be retried while no file handles are free.
    fn run_verb<T>(
        &self,
        verb: &'static str,
        path: Directory<'_>,
        work: impl Fn() -> SysResult<T>,
    ) -> Result<T> {
        #[cfg(wpatch_exit_at_verb)]
        exit::count_verb(verb);
        let result = match work() {
            Err(error) if system::is_out_of_handles(&error) => {
                self.retry_without_handles(work, error)
            }
            result => result,
        };
        result.map_err(|error| {
            let path = error
                .path
                .as_ref()
                .or(path)
                .map_or_else(|| ".".to_owned(), |path| self.display_path(path));
            WorkspaceError {
                verb,
                path,
                kind: error.kind,
                source: error.source,
            }
        })
    }

    fn open_handle(&self, directory: Directory<'_>) -> SysResult<DirectoryHandle> {
        match directory {
            None => Ok(Arc::clone(self.parents.root())),
            Some(path) => self.parents.open_cached(path.as_bytes()),
        }
    }

    /// Returns `path` as messages show it.
    fn display_path(&self, path: &RelPath) -> String {
        self.outside_path(path).map_or_else(
            || path.to_string(),
            |real| printable(real.as_os_str().as_encoded_bytes()).to_string(),
        )
    }

    /// Returns the absolute path of `path` if it is outside the root.
    fn outside_path(&self, path: &RelPath) -> Option<PathBuf> {
        let outside = self
            .parents
            .external_history()
            .and_then(|history| history.absolute_path(path));
        outside
            .or_else(|| self.parents.git_index_file().absolute_path(path))
            .or_else(|| self.git_path(path))
    }

    /// Closes the cached handles.
    fn close_handles(&self) {
        self.parents.forget_all();
        self.caches.close_handles();
    }

    /// Closes the cached handles and retries, one thread at a time, until the other threads have
    /// closed their handles.
    fn retry_without_handles<T>(
        &self,
        work: impl Fn() -> SysResult<T>,
        error: SysError,
    ) -> SysResult<T> {
        let _alone = lock_unpoisoned(&self.retry_lock);
        let mut result = Err(error);
        for _ in 0..MAX_RETRIES {
            self.close_handles();
            result = work();
            if !matches!(&result, Err(error) if system::is_out_of_handles(error)) {
                break;
            }
            sleep(RETRY_PAUSE);
        }
        result
    }
}

/// Returns the path of `path`, which has `/` between its components, in `directory`.
fn join(directory: &Path, path: &[u8]) -> PathBuf {
    match os_path(path) {
        Some(path) => directory.join(path),
        // A name that the system cannot represent belongs to no file, and verbs refuse it.
        None => directory.join(String::from_utf8_lossy(path).as_ref()),
    }
}

/// Returns the error for a path that the system cannot represent.
fn not_unicode() -> SysError {
    SysError::without_errno(ErrorKind::Other, "the path is not valid Unicode")
}

/// Returns the relative path `path` with `/` between its components. Returns `None` if it is empty
/// or has other components than names.
fn relative_path(path: &Path) -> Option<RelPath> {
    let names: Vec<_> = path
        .components()
        .map(|name| name.as_os_str().as_encoded_bytes())
        .collect();
    RelPath::new(&names.join(&b'/')).ok()
}
