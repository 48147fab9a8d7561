//! Locates the git work tree that contains a root in the same way as git, with a few system calls
//! and without running git.
//!
//! Discovery follows `setup_git_directory_gently_1` in git's setup.c. From the root upwards, the
//! first directory with a `.git` is the top. A `.git` directory without a repository is skipped; it
//! marks the top only if discovery finds no repository. `.git` is a directory, a link to one, or a
//! file with `gitdir: PATH` (linked work trees, submodules, `--separate-git-dir`). A git directory
//! named `.git` is accepted only in its own parent directory. Discovery stops at a bare repository
//! and at the border of a file system.
//!
//! `GIT_CEILING_DIRECTORIES`, `GIT_DISCOVERY_ACROSS_FILESYSTEM`, `GIT_DIR`, `GIT_WORK_TREE` and
//! `core.worktree` have no influence. All commands in one work tree must find the same lock,
//! whatever their environment. For the same reason a `.git` that cannot contain the state directory
//! still marks the top.

use std::io;
use std::path::{Path, PathBuf};

use super::dot_git::{
    DotGitError, DotGitKind, DotGitResult, UnusableGitDirectory, display_path, inspect_dot_git,
};
use super::git_files::{if_accessible, is_repository};
use super::{Disk, join, relative_path};
use crate::mode::FileKind;
use crate::path::{RelPath, plain_path};
use crate::workspace::disk::calls::{Access, SysError};
use crate::workspace::disk::system;
use crate::workspace::{
    ErrorKind, GIT_DIRECTORY_NAME, GitDirectory, Result, WorkTree, Workspace, WorkspaceError,
};

/// The position of a root in a work tree.
#[derive(Debug)]
pub(super) enum WorkTreePosition {
    /// The root is the top of a work tree, and its git directory is `.git`.
    Top,
    /// The root is the top of a work tree, and its `.git` leads to this git directory. The second
    /// value is the record that the state directory must contain, if any.
    SeparateGitDirectory(PathBuf, Option<Vec<u8>>),
    /// The root is below the top of a work tree.
    Below { top: Box<Disk>, prefix: RelPath },
    /// The root is not in a work tree.
    Nowhere,
    /// The root is in a git directory and not in a work tree. The text is a sentence that states
    /// this.
    InGitDirectory(String),
    /// The root seems to be in a work tree, but its git directory cannot contain the state
    /// directory.
    Unusable(UnusableGitDirectory),
}

/// The result of the search above a root.
enum ParentSearchResult {
    /// The top of the work tree.
    Top(PathBuf),
    /// There is no repository. This is the nearest directory with a `.git`.
    NotARepository(PathBuf),
    /// The root is in a git directory.
    InGitDirectory,
    /// There is no `.git` and no git directory.
    Nothing,
}

impl Disk {
    pub(super) fn find_work_tree(&self) -> Result<Option<WorkTree<'_>>> {
        Ok(match self.find_git()? {
            WorkTreePosition::Below { top, prefix } => Some(WorkTree {
                top: &**top,
                prefix,
                directory: &top.root,
            }),
            _ => None,
        })
    }

    pub(super) fn find_git_directory(&self) -> Result<GitDirectory> {
        let at = |name: &str| RelPath::new(name.as_bytes()).expect("BUG: a plain name is no path");
        Ok(match self.find_git()? {
            WorkTreePosition::Top => GitDirectory::At {
                directory: at(".git"),
                binding: None,
            },
            WorkTreePosition::SeparateGitDirectory(_, binding) => GitDirectory::At {
                directory: at(GIT_DIRECTORY_NAME),
                binding: binding.clone(),
            },
            WorkTreePosition::Below { .. } | WorkTreePosition::Nowhere => GitDirectory::Missing,
            WorkTreePosition::InGitDirectory(why) => GitDirectory::Inside { why: why.clone() },
            WorkTreePosition::Unusable(UnusableGitDirectory {
                why,
                foreign_path: theirs,
                has_remedy,
            }) => {
                let theirs = theirs.as_ref().map(|_| at(GIT_DIRECTORY_NAME));
                GitDirectory::Unusable {
                    why: why.clone(),
                    foreign_path: theirs,
                    has_remedy: *has_remedy,
                }
            }
        })
    }

    /// Returns the absolute path of `path`, for other programs.
    pub(super) fn absolute_path_of(&self, path: &RelPath) -> PathBuf {
        let name = self
            .outside_path(path)
            .unwrap_or_else(|| join(&self.root, path.as_bytes()));
        std::path::absolute(&name).unwrap_or(name)
    }

    fn find_git(&self) -> Result<&WorkTreePosition> {
        self.location().map_err(|source| {
            let error = SysError::from(source);
            WorkspaceError {
                verb: "stat",
                path: display_path(&self.root.join(".git")),
                kind: error.kind,
                source: error.source,
            }
        })
    }

    /// Returns the position of the root. An error is not cached.
    fn location(&self) -> io::Result<&WorkTreePosition> {
        if let Some(located) = self.position.get() {
            return Ok(located);
        }
        let mut located = match self.locate() {
            Ok(located) => located,
            Err(DotGitError::Unusable(unusable)) => WorkTreePosition::Unusable(unusable),
            Err(DotGitError::Failed(error)) => return Err(error),
        };
        let open = |git: &Path| system::open_real_directory(git, Access::Resolve);
        match &mut located {
            WorkTreePosition::SeparateGitDirectory(git, _) => {
                self.parents
                    .set_git(open(git).map_err(|error| error.source)?);
            }
            WorkTreePosition::Unusable(UnusableGitDirectory {
                foreign_path: theirs,
                ..
            }) => {
                match theirs.as_deref().map(open) {
                    Some(Ok(handle)) => self.parents.set_git(handle),
                    // This user cannot open the git directory of the other user, so it is ignored.
                    _ => *theirs = None,
                }
            }
            _ => {}
        }
        Ok(self.position.get_or_init(|| located))
    }

    /// Returns the absolute path of `path` in the git directory, if that directory is not below the
    /// root.
    pub(super) fn git_path(&self, path: &RelPath) -> Option<PathBuf> {
        let rest = path
            .as_bytes()
            .strip_prefix(GIT_DIRECTORY_NAME.as_bytes())?;
        let git = match self.position.get()? {
            WorkTreePosition::SeparateGitDirectory(git, _) => git,
            WorkTreePosition::Unusable(unusable) => unusable.foreign_path.as_ref()?,
            _ => return None,
        };
        match rest {
            [] => Some(git.clone()),
            [b'/', rest @ ..] => Some(join(git, rest)),
            _ => None,
        }
    }

    fn locate(&self) -> DotGitResult<WorkTreePosition> {
        let mut is_top = false;
        match system::stat(self.parents.root(), b".git") {
            // The common case: a `.git` directory of the current user needs no further checks.
            Ok(found)
                if found.kind == FileKind::Directory
                    && found.uid == system::user()
                    && is_repository(&self.root.join(".git"))? =>
            {
                return Ok(WorkTreePosition::Top);
            }
            Ok(_) => match inspect_dot_git(&self.root)? {
                DotGitKind::Directory => return Ok(WorkTreePosition::Top),
                DotGitKind::Separate(git, binding) => {
                    return Ok(WorkTreePosition::SeparateGitDirectory(git, binding));
                }
                DotGitKind::NotARepository => is_top = true,
                DotGitKind::Missing => {}
            },
            Err(error) if error.kind == ErrorKind::Missing => {}
            Err(error) => return Err(DotGitError::Failed(error.source)),
        }
        let root = if_accessible(self.root.canonicalize().map(plain_path))?;
        let above = match &root {
            Some(root) => self.locate_above(root),
            None => Ok(ParentSearchResult::Nothing),
        };
        match (above, root) {
            // No repository was found, so the nearest `.git` marks the top.
            (
                Ok(
                    ParentSearchResult::Nothing
                    | ParentSearchResult::NotARepository(_)
                    | ParentSearchResult::InGitDirectory,
                )
                | Err(DotGitError::Unusable(_)),
                _,
            ) if is_top => Ok(WorkTreePosition::Top),
            (
                Ok(ParentSearchResult::Top(top) | ParentSearchResult::NotARepository(top)),
                Some(root),
            ) => self.locate_below(&root, &top),
            (Ok(ParentSearchResult::InGitDirectory), Some(root)) => {
                Ok(WorkTreePosition::InGitDirectory(format!(
                    "{} is in a git directory, not in a work tree",
                    display_path(&root)
                )))
            }
            (Err(refusal), _) => Err(refusal),
            (Ok(_), _) => Ok(WorkTreePosition::Nowhere),
        }
    }

    /// Searches the directories above `root` for the top.
    fn locate_above(&self, root: &Path) -> DotGitResult<ParentSearchResult> {
        let own = system::stat_handle(self.parents.root()).map_err(|error| error.source)?;
        let mut below = root;
        let mut empty = None;
        while !is_repository(below)? {
            let Some(above) = below.parent() else { break };
            if if_accessible(system::file_id(above))?.is_none_or(|id| id.device != own.device) {
                break;
            }
            match inspect_dot_git(above) {
                Ok(DotGitKind::Missing) => {}
                Ok(DotGitKind::NotARepository) => empty = empty.or(Some(above)),
                // If this user cannot use the top, each root has its own state directory.
                Err(refusal @ DotGitError::Unusable(_))
                    if empty.is_none() && system::is_world_writable(above) =>
                {
                    return Err(refusal.with_foreign_path(None));
                }
                Err(refusal @ DotGitError::Unusable(_))
                    if empty.is_none() && !system::is_accessible(above) =>
                {
                    return Err(refusal);
                }
                Err(DotGitError::Unusable(_))
                    if system::is_world_writable(above) || !system::is_accessible(above) =>
                {
                    break;
                }
                Err(DotGitError::Failed(error)) => return Err(DotGitError::Failed(error)),
                Ok(_) | Err(DotGitError::Unusable(_)) => {
                    return Ok(ParentSearchResult::Top(above.to_owned()));
                }
            }
            below = above;
        }
        match empty {
            Some(top) => Ok(ParentSearchResult::NotARepository(top.to_owned())),
            None if is_repository(below)? => Ok(ParentSearchResult::InGitDirectory),
            None => Ok(ParentSearchResult::Nothing),
        }
    }

    /// Returns the position of the root, whose absolute path is `root`, in the work tree `top`.
    fn locate_below(&self, root: &Path, top: &Path) -> DotGitResult<WorkTreePosition> {
        let unsound = || {
            DotGitError::Failed(io::Error::other(
                "the directory was moved while it was in use",
            ))
        };
        let failed = |error: WorkspaceError| DotGitError::Failed(error.source);
        let prefix = root.strip_prefix(top).map_err(|_| unsound())?;
        let prefix = relative_path(prefix).ok_or_else(unsound)?;
        let mut above = Self::open(top).map_err(failed)?;
        if let Some(history) = &self.history_parent {
            above = above.with_external_history(top, history);
        }
        let own = system::stat_handle(self.parents.root()).map_err(|error| error.source)?;
        let found = above.stat(&prefix).map_err(failed)?;
        // The names were resolved separately from the open root. Compare inodes to detect a move.
        if found.is_none_or(|found| (found.device, found.inode) != (own.device, own.inode)) {
            return Err(unsound());
        }
        Ok(WorkTreePosition::Below {
            top: Box::new(above),
            prefix,
        })
    }
}
