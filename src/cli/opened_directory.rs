//! A directory that serves several calls.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::EarlyExit;
use crate::engine::options::{Interrupt, Policy, Workspace, code};
use crate::engine::{Disk, FileIdentity, Git, file_identity};

/// A directory that was opened for several calls, which are then faster.
///
/// The location of the repository, git's configuration and the policy of the user are read once, at
/// the first call that needs them. Later changes of them have no effect. Files, git attributes and
/// the policy file of the project are read by each call. A call that writes opens the directory
/// again.
#[derive(Debug)]
pub struct OpenedDirectory {
    path: PathBuf,
    /// The identity of the directory at `path`.
    identity: Option<FileIdentity>,
    workspace: Arc<Disk>,
    git: Git,
    policy: OnceLock<Arc<Policy>>,
    paths: Vec<PathBuf>,
    real_path: String,
}

impl OpenedDirectory {
    /// Returns the directory `workspace` at the absolute path `path`. `paths` are its absolute
    /// paths, and `real_path` is the one with links resolved.
    pub(super) fn new(
        path: PathBuf,
        workspace: Disk,
        (paths, real_path): (Vec<PathBuf>, String),
    ) -> Self {
        Self {
            workspace: Arc::new(workspace),
            git: Git::for_directory(&path),
            policy: OnceLock::new(),
            paths,
            real_path,
            identity: file_identity(&path),
            path,
        }
    }

    /// Returns the absolute path by which the directory was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the path still leads to the directory that was opened.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory was moved, replaced or removed.
    pub(super) fn check_path(&self) -> Result<(), EarlyExit> {
        if self.identity.is_some() && file_identity(&self.path) == self.identity {
            return Ok(());
        }
        let message = format!(
            "{}: no longer the directory that was opened",
            self.path.display()
        );
        Err(EarlyExit {
            help: Some("open the directory again".to_owned()),
            ..EarlyExit::new(&code::IO, message)
        })
    }

    /// Returns the workspace for a command that changes nothing.
    pub(super) fn workspace(&self) -> Arc<dyn Workspace + Send> {
        // A directory below can have been moved since the last call.
        self.workspace.close_cached_handles();
        Arc::clone(&self.workspace) as Arc<dyn Workspace + Send>
    }

    /// Returns the git of one call, which `interrupt` cancels.
    pub(super) fn git(&self, interrupt: &Interrupt) -> Git {
        self.git.for_command().with_interrupt(interrupt)
    }

    /// Returns the policy that `read` has returned at the first call.
    pub(super) fn policy(
        &self,
        read: impl FnOnce() -> Result<Arc<Policy>, EarlyExit>,
    ) -> Result<Arc<Policy>, EarlyExit> {
        if let Some(policy) = self.policy.get() {
            return Ok(Arc::clone(policy));
        }
        let policy = read()?;
        Ok(Arc::clone(self.policy.get_or_init(|| policy)))
    }

    /// Returns the absolute paths, the one with links resolved last.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Returns the absolute path with links resolved.
    pub(super) fn real_path(&self) -> &str {
        &self.real_path
    }
}
