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
    pub(super) makes: Vec<RelPath>,
    /// Whether the scratch files must be in the nearest existing directory above the path.
    pub(super) is_beside: bool,
}

impl ChangeStager {
    /// Finds the missing directories above `path` and the place of its scratch files. With
    /// `is_there` the file exists, so no directory is missing.
    pub(super) fn place(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
        is_there: bool,
    ) -> Result<ScratchLocation, Failure> {
        if let (true, Some(is_beside)) = (is_there, self.is_known(path.directory())) {
            return Ok(ScratchLocation {
                missing: 0,
                makes: Vec::new(),
                is_beside,
            });
        }
        let mut above_it = Vec::new();
        let mut directory = path.parent();
        while let Some(above) = directory.clone() {
            let is_known = self.is_known(Some(above.as_bytes())).is_some();
            let is_missing = lock_unpoisoned(&self.missing).contains(&above);
            let is_directory = || -> Result<bool, Failure> {
                Ok(!is_missing
                    && workspace
                        .stat(&above)?
                        .is_some_and(|stat| stat.kind == FileKind::Directory))
            };
            if is_there || is_known || is_directory()? {
                break;
            }
            directory = above.parent();
            above_it.push(above);
        }
        let is_beside = self.is_beside(workspace, directory.as_ref())?;
        let missing = above_it.len();
        let mut noted = lock_unpoisoned(&self.missing);
        let makes = above_it
            .into_iter()
            .filter(|above| noted.insert(above.clone()))
            .collect();
        Ok(ScratchLocation {
            missing,
            makes,
            is_beside,
        })
    }

    /// Returns whether the scratch files of `path` are next to it. Its directory was examined
    /// before.
    pub(in crate::transaction) fn is_known_beside(&self, path: &RelPath) -> bool {
        self.is_known(path.directory()).unwrap_or_default()
    }

    /// Returns whether scratch files must be in `directory`, or `None` if the directory was not
    /// examined.
    fn is_known(&self, directory: Option<&[u8]>) -> Option<bool> {
        lock_unpoisoned(&self.beside)
            .get(directory.unwrap_or_default())
            .copied()
    }

    /// Returns whether renaming a file from `directory` to its parent fails.
    pub(in crate::transaction) fn is_mount(
        &self,
        workspace: &dyn Workspace,
        directory: &RelPath,
    ) -> bool {
        let absent = self.scratch.path_in(Some(directory), "absent");
        absent
            .and_then(|absent| self.are_apart(workspace, &absent, directory.parent().as_ref()))
            .unwrap_or(true)
    }

    /// Returns whether renaming a file from the state directory to `directory` fails.
    pub(super) fn is_beside(
        &self,
        workspace: &dyn Workspace,
        directory: Option<&RelPath>,
    ) -> Result<bool, Failure> {
        let name = directory.map(RelPath::as_bytes);
        if let Some(known) = self.is_known(name) {
            return Ok(known);
        }
        let is_beside = git_index_file::is_annex(directory)
            || self.are_apart(workspace, &self.scratch.file("absent")?, directory)?;
        lock_unpoisoned(&self.beside).insert(name.unwrap_or_default().into(), is_beside);
        Ok(is_beside)
    }

    /// Returns whether renaming a file from `absent`, which does not exist, to `directory` fails.
    ///
    /// Bind mounts have equal device numbers, so device numbers do not answer this. Linux's
    /// renameat2(2) compares the mounts before it looks up the names, so it returns `EXDEV` even
    /// for a missing file.
    fn are_apart(
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
                .map(|error| error.fault)
        };
        // Another error, such as an I/O error, answers neither way. It can be temporary, so the
        // probe runs once more.
        let first = probe();
        let is_answer = matches!(first, Some(ErrorKind::Missing | ErrorKind::CrossDevice));
        Ok((if is_answer { first } else { probe() }) == Some(ErrorKind::CrossDevice))
    }
}
