//! Finds the git directory that `.git` of a directory is or names, and checks that it can contain
//! the state directory.
//!
//! # Security
//!
//! wpatch trusts its state. It therefore keeps it only in a git directory of the current user,
//! whose `.git` also belongs to the current user. An archive may contain a `.git` file that names
//! any directory. That directory must have the structure of a git directory, and no patch may be
//! able to change it. It must not be the `.git` of another directory or the git directory of
//! another linked work tree. Other git directories, such as those of submodules, do not record
//! their work tree. For these, the state directory records the top to which its history belongs
//! ([`binding`]).

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::git_files::{if_accessible, is_git_directory_of, is_repository, read_line};
use crate::path::plain_path;
use crate::text::printable;
use crate::workspace::TOP_RECORD;
use crate::workspace::disk::system::{self, FileId};
use crate::workspace::git::discovery::gitdir_path;

/// What `.git` of a directory is.
pub(super) enum DotGitKind {
    /// `.git` does not exist.
    Missing,
    /// A directory that is a git directory.
    Directory,
    /// A directory that is not a git directory.
    NotARepository,
    /// A file or a link that leads to this git directory. The second value is the record that the
    /// state directory must contain, if any.
    Separate(PathBuf, Option<Vec<u8>>),
}

/// Returns what `.git` of `directory` is.
pub(super) fn inspect_dot_git(directory: &Path) -> DotGitResult<DotGitKind> {
    let git = directory.join(".git");
    let Some(found) = if_accessible(git.symlink_metadata())? else {
        return Ok(DotGitKind::Missing);
    };
    if found.is_dir() {
        check_owner(&git).map_err(|refusal| refusal.with_foreign_path(Some(&git)))?;
        return Ok(if is_repository(&git)? {
            DotGitKind::Directory
        } else {
            DotGitKind::NotARepository
        });
    }
    // A refusal because of the owner also names the git directory, so find that directory first.
    let target = resolve_target(directory, &git);
    check_owner(&git).map_err(|refusal| refusal.with_foreign_path(target.as_deref().ok()))?;
    let real = target?;
    check_owner(&real).map_err(|refusal| refusal.with_foreign_path(Some(&real)))?;
    let top = directory.canonicalize().map(plain_path)?;
    let unusable = |why: &str| {
        DotGitError::unusable(format!(
            "{}: {} {why}",
            display_path(&git),
            display_path(&real)
        ))
    };
    let is_protected = |inner: &Path| inner.components().any(|part| part.as_os_str() == ".git");
    if real
        .strip_prefix(&top)
        .is_ok_and(|inner| !is_protected(inner))
    {
        return Err(unusable(
            "is inside the work tree, where a patch may change it",
        ));
    }
    // A git directory that records another work tree would mix the histories of two trees.
    match is_git_directory_of(&real, &git) {
        Some(true) => Ok(DotGitKind::Separate(real, None)),
        Some(false) => {
            let is_linked = real.join("commondir").exists();
            let advice = if is_linked {
                "; run `git worktree repair` if the work tree was moved"
            } else {
                ""
            };
            let why = format!(
                "{}: {} belongs to another work tree{advice}",
                display_path(&git),
                display_path(&real)
            );
            Err(DotGitError::with_remedy(why, is_linked))
        }
        None => binding(&real, &top).map(|binding| DotGitKind::Separate(real, binding)),
    }
}

/// Returns the git directory to which `git`, the `.git` of `directory`, leads.
fn resolve_target(directory: &Path, git: &Path) -> DotGitResult<PathBuf> {
    let named = if git.is_dir() {
        git.to_owned()
    } else {
        linked_directory(directory, git)?
    };
    let unusable = |why: &str| {
        DotGitError::unusable(format!(
            "{}: {} {why}",
            display_path(git),
            display_path(&named)
        ))
    };
    let Some(real) = if_accessible(named.canonicalize().map(plain_path))? else {
        // This can be a linked work tree of a repository that was moved.
        let is_linked = named.parent().and_then(Path::file_name) == Some(OsStr::new("worktrees"));
        let advice = if is_linked {
            "; run `git worktree repair` in the main work tree if it was moved"
        } else {
            ""
        };
        let why = format!(
            "{}: {} does not exist{advice}",
            display_path(git),
            display_path(&named)
        );
        return Err(DotGitError::with_remedy(why, is_linked));
    };
    if !is_repository(&real)? {
        return Err(unusable("is not a git directory"));
    }
    Ok(real)
}

/// Returns the directory that the file `git` in `directory` names, see gitrepository-layout(5).
fn linked_directory(directory: &Path, git: &Path) -> DotGitResult<PathBuf> {
    let text = read_line(git)?.unwrap_or_default();
    match gitdir_path(&text) {
        Some(name) => Ok(directory.join(name)),
        None => Err(DotGitError::unusable(format!(
            "{} does not name a git directory",
            display_path(git)
        ))),
    }
}

/// Returns the record that binds the state directory in the git directory `real` to `top`. Returns
/// `None` if the state directory contains it already.
///
/// The record starts with the inode number of the state directory, which makes a copied record
/// invalid. Inode and name of the top follow. One of them must match.
///
/// # Errors
///
/// Returns an error if the state directory contains the history of another directory.
fn binding(real: &Path, top: &Path) -> DotGitResult<Option<Vec<u8>>> {
    let FileId { device, inode } = system::file_id(top)?;
    let inode = format!("{device}:{inode}");
    let top_name = top.as_os_str().as_encoded_bytes();
    let wanted = [inode.as_bytes(), b" ", top_name].concat();
    let state = real.join("wpatch");
    let (Some(itself), Some(record)) = (
        if_accessible(system::file_id(&state))?,
        read_line(&state.join(TOP_RECORD))?,
    ) else {
        return Ok(Some(wanted));
    };
    let mut parts = record.splitn(3, |byte| *byte == b' ');
    let (Some(recorded), Some(old), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return Ok(Some(wanted));
    };
    let is_copy = recorded != itself.inode.to_string().as_bytes();
    let (is_inode, is_name) = (old == inode.as_bytes(), name == top_name);
    if !is_copy && !is_inode && !is_name {
        let (name, record) = (printable(name), display_path(&state.join(TOP_RECORD)));
        let (state, top) = (display_path(&state), display_path(top));
        let why = format!(
            "{state} contains the history of {name}; remove {record} if that directory was moved to {top}"
        );
        return Err(DotGitError::with_remedy(why, true));
    }
    Ok((is_copy || !is_inode || !is_name).then_some(wanted))
}

/// Returns an error if another user owns `path`, because wpatch trusts its content. git has
/// `safe.directory` for the same purpose.
fn check_owner(path: &Path) -> DotGitResult<()> {
    if system::is_owned(path)? {
        return Ok(());
    }
    Err(DotGitError::unusable(format!(
        "{} belongs to another user",
        display_path(path)
    )))
}

/// The result of a check of a `.git`.
pub(super) type DotGitResult<T> = Result<T, DotGitError>;

/// The reason why a `.git` cannot contain the state directory.
pub(super) enum DotGitError {
    /// It cannot contain the state directory.
    Unusable(UnusableGitDirectory),
    /// An I/O error. Another command may succeed.
    Failed(io::Error),
}

impl DotGitError {
    fn unusable(why: String) -> Self {
        Self::with_remedy(why, false)
    }

    /// Returns the same as [`DotGitError::unusable`]. `has_remedy` states whether `why` names a
    /// remedy.
    fn with_remedy(why: String, has_remedy: bool) -> Self {
        Self::Unusable(UnusableGitDirectory {
            why,
            foreign_path: None,
            has_remedy,
        })
    }

    /// Adds the git directory `theirs`, to which the `.git` of another user leads.
    pub(super) fn with_foreign_path(self, theirs: Option<&Path>) -> Self {
        match self {
            Self::Unusable(unusable) => Self::Unusable(UnusableGitDirectory {
                foreign_path: theirs.map(Path::to_path_buf),
                ..unusable
            }),
            failed @ Self::Failed(_) => failed,
        }
    }
}

impl From<io::Error> for DotGitError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// The reason why the git directory cannot contain the state directory.
#[derive(Debug)]
pub(super) struct UnusableGitDirectory {
    pub(super) why: String,
    /// The git directory, if another user owns it or its `.git`.
    pub(super) foreign_path: Option<PathBuf>,
    /// Whether `why` names a remedy.
    pub(super) has_remedy: bool,
}

pub(super) fn display_path(path: &Path) -> String {
    printable(path.as_os_str().as_encoded_bytes()).to_string()
}
