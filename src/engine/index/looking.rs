//! Compares one file of the work tree with its entry in the index.

use crate::change::FileState;
use crate::digest::{Digest, blob_id};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::preflight::{self, Problem, ProblemCode, ProblemFacts, code};
use crate::text::Bytes;
use crate::workspace::index::{GitIndex, IndexEntry, IndexTree};
use crate::workspace::{ErrorKind, Stat, Workspace, WorkspaceError};

pub(super) const DIFFERS_MESSAGE: &str = "the file in the work tree differs from the index";
const UNTRACKED_MESSAGE: &str = "an untracked file already exists at this path";

/// The result of comparing one file.
pub(super) enum FileComparison {
    /// There is no file to compare. git would check it out.
    NoFile,
    /// The file matches its entry, or it may be replaced.
    Same(FileState),
    /// The bytes differ. The file can still match after git converts line endings and applies
    /// filters.
    DifferentBytes(FileState),
    /// The file does not match. The text is the reason.
    Different(&'static str),
    /// The file is not valid in its encoding.
    Undecodable(Box<Problem>),
}

/// Compares files in the work tree with the index.
pub(super) struct FileComparer<'a> {
    pub(super) staged: &'a IndexTree,
    pub(super) index: &'a GitIndex,
    pub(super) workspace: &'a dyn Workspace,
    pub(super) options: &'a preflight::Options,
    /// Whether git ignores the execute bits of files (`core.fileMode` is false).
    pub(super) ignores_modes: bool,
}

impl FileComparer<'_> {
    /// Compares the file at `path`. `arrives` states that an operation puts a file there.
    pub(super) fn compare_path(
        &self,
        path: &RelPath,
        arrives: bool,
    ) -> Result<FileComparison, WorkspaceError> {
        let stat = match self.workspace.stat(path) {
            Err(error) if error.kind == ErrorKind::ThroughLink => {
                let is_known = self.staged.entry(path).is_some();
                return Ok(if is_known {
                    FileComparison::Different(DIFFERS_MESSAGE)
                } else {
                    FileComparison::NoFile
                });
            }
            stat => stat?,
        };
        match (self.staged.entry(path), stat) {
            // An entry for intent-to-add has no contents that a file could match.
            (Some(_), _) if self.staged.is_intent_to_add(path) => {
                Ok(FileComparison::Different(DIFFERS_MESSAGE))
            }
            (_, None) => Ok(FileComparison::NoFile),
            (Some(entry), Some(stat)) => self.compare_entry(path, entry, stat),
            (None, Some(stat)) => self.examine_untracked(path, stat, arrives),
        }
    }

    /// Examines a path that is not in the index.
    fn examine_untracked(
        &self,
        path: &RelPath,
        stat: Stat,
        arrives: bool,
    ) -> Result<FileComparison, WorkspaceError> {
        let is_directory = stat.kind == FileKind::Directory;
        if !arrives || is_directory && self.staged.has_directory(path) {
            return Ok(FileComparison::NoFile);
        }
        if is_directory && self.workspace.list(Some(path))?.is_empty()
            || self.options.overwrite && !is_directory
        {
            return Ok(self
                .state(path, stat)?
                .map_or(FileComparison::NoFile, |(state, _)| {
                    FileComparison::Same(state)
                }));
        }
        Ok(FileComparison::Different(UNTRACKED_MESSAGE))
    }

    fn compare_entry(
        &self,
        path: &RelPath,
        entry: IndexEntry,
        stat: Stat,
    ) -> Result<FileComparison, WorkspaceError> {
        let is_executable = stat.permissions & 0o100 != 0;
        let is_other_mode = match entry.mode {
            FileMode::Regular => is_executable && !self.ignores_modes,
            FileMode::Executable => !is_executable && !self.ignores_modes,
            FileMode::Symlink | FileMode::Submodule => false,
        };
        // With `core.symlinks=false`, a link is a regular file that contains the target.
        let is_link_file = self.options.links_are_files
            && entry.mode == FileMode::Symlink
            && stat.kind == FileKind::Regular;
        if stat.kind != entry.mode.kind() && !is_link_file || is_other_mode {
            return Ok(FileComparison::Different(DIFFERS_MESSAGE));
        }
        if let Some(problem) = self.encoding_problem(path, stat)? {
            return Ok(FileComparison::Undecodable(Box::new(problem)));
        }
        let Some((state, id)) = self.state(path, stat)? else {
            return Ok(FileComparison::Different(DIFFERS_MESSAGE));
        };
        // Any directory matches a submodule: its commit is not compared.
        let is_same = entry.mode == FileMode::Submodule || id == entry.id.to_string();
        Ok(match state.stat.kind {
            _ if is_same => FileComparison::Same(state),
            FileKind::Regular => FileComparison::DifferentBytes(state),
            _ => FileComparison::Different(DIFFERS_MESSAGE),
        })
    }

    /// Returns the problem of the file at `path` if it is not valid in its encoding. git would
    /// write it in that encoding nevertheless.
    fn encoding_problem(
        &self,
        path: &RelPath,
        stat: Stat,
    ) -> Result<Option<Problem>, WorkspaceError> {
        let conversions = self
            .options
            .conversions
            .as_ref()
            .filter(|_| stat.kind == FileKind::Regular);
        let Some(conversions) = conversions else {
            return Ok(None);
        };
        match conversions.is_encoded(path) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(problem) => return Ok(Some(*problem)),
        }
        match self.workspace.read(path, self.options.max_read()) {
            Ok((bytes, _)) => Ok(conversions.work_tree_problem(path, &bytes)),
            Err(error)
                if matches!(
                    error.kind,
                    ErrorKind::Missing | ErrorKind::NotRegular | ErrorKind::TooLarge
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the state of the file at `path`, and the ID of the blob with its bytes; `None` if
    /// the file is missing or too large.
    fn state(
        &self,
        path: &RelPath,
        stat: Stat,
    ) -> Result<Option<(FileState, String)>, WorkspaceError> {
        let read = match stat.kind {
            FileKind::Regular => self.workspace.read(path, self.options.max_read()),
            FileKind::Symlink => self
                .workspace
                .read_link(path)
                .map(|target| (target.into(), stat)),
            FileKind::Directory | FileKind::Special => Ok((Bytes::default(), stat)),
        };
        match read {
            Ok((bytes, stat)) => {
                let id = blob_id(&bytes, self.index.format());
                Ok(Some((
                    FileState {
                        stat,
                        digest: Digest::of(&bytes),
                    },
                    id,
                )))
            }
            Err(error)
                if matches!(
                    error.kind,
                    ErrorKind::Missing | ErrorKind::NotRegular | ErrorKind::TooLarge
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the problem of the file at `path`. `why` states how it differs from the index.
pub(super) fn problem(path: &RelPath, arrives: bool, why: &'static str) -> Problem {
    let (code, help): (&ProblemCode, _) = if arrives && why == UNTRACKED_MESSAGE {
        (&code::EXISTS, "use --overwrite to replace it")
    } else {
        (
            &code::NOT_AS_INDEXED,
            "run `git add` on the file or restore it with `git checkout`; use --cached to change only the index",
        )
    };
    let facts = ProblemFacts {
        is_untracked: why == UNTRACKED_MESSAGE,
        ..ProblemFacts::default()
    };
    let path = Some(path.clone());
    Problem {
        path,
        help: Some(help.to_owned()),
        facts,
        ..Problem::new(code, why)
    }
}
