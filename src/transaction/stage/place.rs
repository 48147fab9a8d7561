//! The directory in which the scratch files of a path have to be: the state directory, or one on the
//! file system of the path.

use super::Stage;
use crate::mode::FileKind;
use crate::mutex::locked;
use crate::path::RelPath;
use crate::transaction::{Failure, annex};
use crate::workspace::{Fault, Rename, Workspace};

/// The directories above one path that are missing, and the place of its scratch files.
pub(super) struct Place {
    /// How many directories above the path are missing.
    pub(super) missing: usize,
    /// Those of them that were not noted before.
    pub(super) makes: Vec<RelPath>,
    pub(super) is_beside: bool,
}

impl Stage {
    /// Finds out which directories above `path` are missing, and where its scratch files have to
    /// stand.
    pub(super) fn place(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
        is_there: bool,
    ) -> Result<Place, Failure> {
        if let (true, Some(is_beside)) = (is_there, self.is_known(path.directory())) {
            return Ok(Place {
                missing: 0,
                makes: Vec::new(),
                is_beside,
            });
        }
        let mut above_it = Vec::new();
        let mut directory = path.parent();
        while let Some(above) = directory.clone() {
            let is_known = self.is_known(Some(above.as_bytes())).is_some();
            let is_missing = locked(&self.missing).contains(&above);
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
        let mut noted = locked(&self.missing);
        let makes = above_it
            .into_iter()
            .filter(|above| noted.insert(above.clone()))
            .collect();
        Ok(Place {
            missing,
            makes,
            is_beside,
        })
    }

    /// Returns whether the scratch files of `path`, whose directory was looked at, stand beside it.
    pub(in crate::transaction) fn is_known_beside(&self, path: &RelPath) -> bool {
        self.is_known(path.directory()).unwrap_or_default()
    }

    /// Returns whether scratch files have to stand in `directory`; `None` if it was not looked at.
    fn is_known(&self, directory: Option<&[u8]>) -> Option<bool> {
        locked(&self.beside)
            .get(directory.unwrap_or_default())
            .copied()
    }

    /// Returns whether no file can be renamed from `directory` to the one above it.
    pub(in crate::transaction) fn is_mount(
        &self,
        workspace: &dyn Workspace,
        directory: &RelPath,
    ) -> bool {
        let absent = self.scratch.beside(Some(directory), "absent");
        absent
            .and_then(|absent| self.are_apart(workspace, &absent, directory.parent().as_ref()))
            .unwrap_or(true)
    }

    /// Returns whether no file can be renamed from the state directory to `directory`.
    pub(super) fn is_beside(
        &self,
        workspace: &dyn Workspace,
        directory: Option<&RelPath>,
    ) -> Result<bool, Failure> {
        let name = directory.map(RelPath::as_bytes);
        if let Some(known) = self.is_known(name) {
            return Ok(known);
        }
        let is_beside = annex::is_annex(directory)
            || self.are_apart(workspace, &self.scratch.file("absent")?, directory)?;
        locked(&self.beside).insert(name.unwrap_or_default().into(), is_beside);
        Ok(is_beside)
    }

    /// Returns whether a file cannot be renamed from `absent`, where none is, to `directory`.
    ///
    /// Device numbers do not tell it (bind mounts have equal ones), so a file that is not there is
    /// renamed to it: `renameat2` of Linux compares the mounts before it looks at the names.
    fn are_apart(
        &self,
        workspace: &dyn Workspace,
        absent: &RelPath,
        directory: Option<&RelPath>,
    ) -> Result<bool, Failure> {
        let target = self.scratch.beside(directory, "p")?;
        let probe = || {
            workspace
                .rename(absent, &target, Rename::Replace)
                .err()
                .map(|error| error.fault)
        };
        // An error of the disk says neither; one that passes is not to be taken for an answer.
        let first = probe();
        let is_answer = matches!(first, Some(Fault::Missing | Fault::CrossDevice));
        Ok((if is_answer { first } else { probe() }) == Some(Fault::CrossDevice))
    }
}
