//! Chooses the directory of a path's scratch files: the state directory, or one on the file system
//! of the path.

use super::ChangeStager;
use crate::mode::FileKind;
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::transaction::{Failure, git_index_file};
use crate::workspace::{ErrorKind, RenameMode, Workspace};

/// The missing directories above one path, and the place of its scratch files.
pub(super) struct ScratchLocation {
    /// The number of missing directories above the path.
    pub(super) missing: usize,
    /// The missing directories that no earlier path has recorded.
    pub(super) created_dirs: Vec<RelPath>,
    /// Whether the scratch files must be in the nearest existing directory above the path.
    pub(super) is_outside_state: bool,
}

impl ChangeStager {
    /// Finds the missing directories above `path` and the place of its scratch files. With
    /// `is_existing` the file exists, so no directory is missing.
    pub(super) fn locate_scratch(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
        is_existing: bool,
    ) -> Result<ScratchLocation, Failure> {
        if let (true, Some(is_beside)) = (
            is_existing,
            self.cached_is_outside_state(path.parent_bytes()),
        ) {
            return Ok(ScratchLocation {
                missing: 0,
                created_dirs: Vec::new(),
                is_outside_state: is_beside,
            });
        }
        let mut above_it = Vec::new();
        let mut directory = path.parent();
        while let Some(above) = directory.clone() {
            let is_known = self
                .cached_is_outside_state(Some(above.as_bytes()))
                .is_some();
            let is_missing = lock_unpoisoned(&self.missing).contains(&above);
            let is_directory = || -> Result<bool, Failure> {
                let found = match workspace.stat(&above) {
                    // The change removes the link above it. Otherwise, the swap finds the link.
                    Err(error) if error.kind == ErrorKind::ThroughLink => None,
                    found => found?,
                };
                let is_directory = found.is_some_and(|stat| stat.kind == FileKind::Directory);
                Ok(!is_missing && is_directory)
            };
            if is_existing || is_known || is_directory()? {
                break;
            }
            directory = above.parent();
            above_it.push(above);
        }
        let is_beside = self.is_outside_state(workspace, directory.as_ref())?;
        let missing = above_it.len();
        let mut noted = lock_unpoisoned(&self.missing);
        let makes = above_it
            .into_iter()
            .filter(|above| noted.insert(above.clone()))
            .collect();
        Ok(ScratchLocation {
            missing,
            created_dirs: makes,
            is_outside_state: is_beside,
        })
    }

    /// Returns whether the scratch files of `path` are next to it. Its directory was examined
    /// before.
    pub(in crate::transaction) fn is_known_outside_state(&self, path: &RelPath) -> bool {
        self.cached_is_outside_state(path.parent_bytes())
            .unwrap_or_default()
    }

    /// Returns whether scratch files must be in `directory`, or `None` if the directory was not
    /// examined.
    fn cached_is_outside_state(&self, directory: Option<&[u8]>) -> Option<bool> {
        lock_unpoisoned(&self.examined_directories)
            .get(directory.unwrap_or_default())
            .copied()
    }

    /// Returns whether renaming a file from `directory` to its parent fails.
    pub(in crate::transaction) fn is_mount_point(
        &self,
        workspace: &dyn Workspace,
        directory: &RelPath,
    ) -> bool {
        let absent = self.scratch.path_in(Some(directory), "absent");
        absent
            .and_then(|absent| {
                self.is_cross_device(workspace, &absent, directory.parent().as_ref())
            })
            .unwrap_or(true)
    }

    /// Returns whether renaming a file from the state directory to `directory` fails.
    pub(super) fn is_outside_state(
        &self,
        workspace: &dyn Workspace,
        directory: Option<&RelPath>,
    ) -> Result<bool, Failure> {
        let name = directory.map(RelPath::as_bytes);
        if let Some(known) = self.cached_is_outside_state(name) {
            return Ok(known);
        }
        let is_beside = git_index_file::is_index_directory(directory)
            || self.is_cross_device(workspace, &self.scratch.file("absent")?, directory)?;
        lock_unpoisoned(&self.examined_directories)
            .insert(name.unwrap_or_default().into(), is_beside);
        Ok(is_beside)
    }

    /// Returns whether renaming a file from `absent`, which does not exist, to `directory` fails.
    ///
    /// Bind mounts have equal device numbers, so device numbers do not answer this. Linux's
    /// renameat2(2) compares the mounts before it looks up the names, so it returns `EXDEV` even
    /// for a missing file.
    fn is_cross_device(
        &self,
        workspace: &dyn Workspace,
        absent: &RelPath,
        directory: Option<&RelPath>,
    ) -> Result<bool, Failure> {
        let target = self.scratch.path_in(directory, "p")?;
        let probe = || {
            workspace
                .rename(absent, &target, RenameMode::Replace)
                .err()
                .map(|error| error.kind)
        };
        // Another error, such as an I/O error, answers neither way. It can be temporary, so the
        // probe runs once more.
        let first = probe();
        let is_answer = matches!(first, Some(ErrorKind::Missing | ErrorKind::CrossDevice));
        Ok((if is_answer { first } else { probe() }) == Some(ErrorKind::CrossDevice))
    }
}
