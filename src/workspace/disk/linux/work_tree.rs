//! The work tree of git that a root is in, located as git locates it, by a few system calls and no
//! git.
//!
//! Discovery follows `setup_git_directory_gently_1` in git's setup.c: from the root upwards, the
//! first directory with a `.git` is the top. A directory `.git` without a repository is passed
//! over. It marks the top only if git finds no repository. `.git` is a directory, a link to one, or
//! a file with `gitdir: PATH` (linked work trees, submodules, `--separate-git-dir`). A git
//! directory that is named `.git` is accepted only in its own parent directory. Discovery ends at a
//! bare repository and at another file system. `GIT_CEILING_DIRECTORIES`,
//! `GIT_DISCOVERY_ACROSS_FILESYSTEM`, `GIT_DIR`, `GIT_WORK_TREE` and `core.worktree` have no
//! influence: all commands in one work tree must find the same lock, whatever their environment is.
//! For the same reason a `.git` that cannot keep the state still marks the top.
//!
//! # Security
//!
//! wpatch trusts its state. It is therefore kept only in a git directory of the current user, whose
//! `.git` belongs to the current user as well. An archive may contain a `.git` file that names any
//! directory. That directory must have the structure of a git directory, must not be reachable by a
//! patch, and must not be the `.git` of another directory or the git directory of another linked
//! work tree. Any other git directory, as of a submodule, does not record its work tree: there the
//! state directory records the top whose history it has ([`binding`]).

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    Access, AtFlags, CWD, FileType, Mode, OFlags, Stat, accessat, fstat, openat, statat,
};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;

use super::Disk;
use super::fault::Trouble;
use super::git_files::{is_repository, leads_back, line, there};
use crate::path::RelPath;
use crate::text::printable;
use crate::workspace::git::discovery::named_by;
use crate::workspace::{GIT, GitDirectory, Result, TOP, WorkTree, Workspace, WorkspaceError};

/// Where a root is.
#[derive(Debug)]
pub(super) enum Located {
    /// At the top of a work tree; git's directory is `.git` below it.
    Top,
    /// At the top of a work tree; git's directory has this name elsewhere. The state directory has
    /// to record the second value.
    Apart(PathBuf, Option<Vec<u8>>),
    /// Below the top of a work tree.
    Below { top: Box<Disk>, prefix: RelPath },
    /// In no work tree.
    Nowhere,
    /// In a git directory, and in no work tree: in words.
    Inside(String),
    /// In what looks like a work tree whose git directory cannot keep the state.
    Unusable(Unusable),
}

/// Why git's directory cannot keep the state.
#[derive(Debug)]
pub(super) struct Unusable {
    why: String,
    /// Git's directory, if another user owns it or its `.git`.
    theirs: Option<PathBuf>,
    /// Whether `why` names what helps.
    has_remedy: bool,
}

/// What `.git` of a directory is.
enum Git {
    /// It is not there.
    Nothing,
    /// The directory of a repository.
    Directory,
    /// A directory without a repository.
    Empty,
    /// A file or a link that leads to this directory of a repository. The state directory has to
    /// record the second value.
    Apart(PathBuf, Option<Vec<u8>>),
}

/// What the directories above a root have.
enum Above {
    /// The top of the work tree.
    Top(PathBuf),
    /// No repository, and this nearest directory with a `.git`.
    Empty(PathBuf),
    /// A git directory.
    Inside,
    /// Neither.
    Nothing,
}

/// Result of an examination.
type Attempt<T> = std::result::Result<T, Refusal>;

/// Why a `.git` is not the place of the state.
enum Refusal {
    /// The state cannot be kept there.
    Unusable(Unusable),
    /// An I/O error: another command may succeed.
    Failed(io::Error),
}

impl Refusal {
    fn unusable(why: String) -> Self {
        Self::advised(why, false)
    }

    /// As [`Refusal::unusable`], where `why` names what helps if `has_remedy`.
    fn advised(why: String, has_remedy: bool) -> Self {
        Self::Unusable(Unusable {
            why,
            theirs: None,
            has_remedy,
        })
    }

    /// Returns the refusal of a `.git` of another user that leads to the git directory `theirs`.
    fn naming(self, theirs: Option<&Path>) -> Self {
        match self {
            Self::Unusable(unusable) => Self::Unusable(Unusable {
                theirs: theirs.map(Path::to_path_buf),
                ..unusable
            }),
            failed @ Self::Failed(_) => failed,
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl Disk {
    pub(super) fn tree_above(&self) -> Result<Option<WorkTree<'_>>> {
        Ok(match self.find_git()? {
            Located::Below { top, prefix } => Some(WorkTree {
                top: &**top,
                prefix,
                directory: &top.root,
            }),
            _ => None,
        })
    }

    pub(super) fn git_place(&self) -> Result<GitDirectory> {
        let at = |name: &str| RelPath::new(name.as_bytes()).expect("BUG: a plain name is no path");
        Ok(match self.find_git()? {
            Located::Top => GitDirectory::At {
                directory: at(".git"),
                binding: None,
            },
            Located::Apart(_, binding) => GitDirectory::At {
                directory: at(GIT),
                binding: binding.clone(),
            },
            Located::Below { .. } | Located::Nowhere => GitDirectory::Missing,
            Located::Inside(why) => GitDirectory::Inside { why: why.clone() },
            Located::Unusable(Unusable {
                why,
                theirs,
                has_remedy,
            }) => {
                let theirs = theirs.as_ref().map(|_| at(GIT));
                GitDirectory::Unusable {
                    why: why.clone(),
                    theirs,
                    has_remedy: *has_remedy,
                }
            }
        })
    }

    /// Returns the name that other programs have for `path`.
    pub(super) fn name_of(&self, path: &RelPath) -> PathBuf {
        let name = self
            .outside(path)
            .unwrap_or_else(|| self.root.join(OsStr::from_bytes(path.as_bytes())));
        std::path::absolute(&name).unwrap_or(name)
    }

    fn find_git(&self) -> Result<&Located> {
        self.located().map_err(|source| {
            let fault = Trouble::from(Errno::from_io_error(&source).unwrap_or(Errno::IO)).fault;
            WorkspaceError {
                verb: "look at",
                path: shown(&self.root.join(".git")),
                fault,
                source,
            }
        })
    }

    /// Returns where the root is. A failure is not kept.
    fn located(&self) -> io::Result<&Located> {
        if let Some(located) = self.located.get() {
            return Ok(located);
        }
        let mut located = match self.locate() {
            Ok(located) => located,
            Err(Refusal::Unusable(unusable)) => Located::Unusable(unusable),
            Err(Refusal::Failed(error)) => return Err(error),
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = |git: &Path| retry_on_intr(|| openat(CWD, git, flags, Mode::empty()));
        match &mut located {
            Located::Apart(git, _) => self.parents.set_git(open(git)?),
            Located::Unusable(Unusable { theirs, .. }) => match theirs.as_deref().map(open) {
                Some(Ok(handle)) => self.parents.set_git(handle),
                // What this user cannot open is ignored.
                _ => *theirs = None,
            },
            _ => {}
        }
        Ok(self.located.get_or_init(|| located))
    }

    /// Returns the name that other programs have for `path` in git's directory, if that is not
    /// below the root.
    pub(super) fn in_git(&self, path: &RelPath) -> Option<PathBuf> {
        let rest = path.as_bytes().strip_prefix(GIT.as_bytes())?;
        let git = match self.located.get()? {
            Located::Apart(git, _) => git,
            Located::Unusable(unusable) => unusable.theirs.as_ref()?,
            _ => return None,
        };
        match rest {
            [] => Some(git.clone()),
            [b'/', rest @ ..] => Some(git.join(OsStr::from_bytes(rest))),
            _ => None,
        }
    }

    fn locate(&self) -> Attempt<Located> {
        let mut is_top = false;
        match statat(self.parents.root(), ".git", AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if is_own_directory(&found) && is_repository(&self.root.join(".git"))? => {
                return Ok(Located::Top);
            }
            Ok(_) => match git_of(&self.root)? {
                Git::Directory => return Ok(Located::Top),
                Git::Apart(git, binding) => return Ok(Located::Apart(git, binding)),
                Git::Empty => is_top = true,
                Git::Nothing => {}
            },
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(Refusal::Failed(errno.into())),
        }
        let root = there(self.root.canonicalize())?;
        let above = match &root {
            Some(root) => self.locate_above(root),
            None => Ok(Above::Nothing),
        };
        match (above, root) {
            // No repository: the nearest `.git` marks the top.
            (
                Ok(Above::Nothing | Above::Empty(_) | Above::Inside) | Err(Refusal::Unusable(_)),
                _,
            ) if is_top => Ok(Located::Top),
            (Ok(Above::Top(top) | Above::Empty(top)), Some(root)) => self.below(&root, &top),
            (Ok(Above::Inside), Some(root)) => Ok(Located::Inside(format!(
                "{} is in a git directory, and in no work tree",
                shown(&root)
            ))),
            (Err(refusal), _) => Err(refusal),
            (Ok(_), _) => Ok(Located::Nowhere),
        }
    }

    /// Searches the directories above `root` for the top.
    fn locate_above(&self, root: &Path) -> Attempt<Above> {
        let own = fstat(self.parents.root()).map_err(io::Error::from)?;
        let mut below = root;
        let mut empty = None;
        while !is_repository(below)? {
            let Some(above) = below.parent() else { break };
            if there(above.metadata())?.is_none_or(|found| found.dev() != own.st_dev) {
                break;
            }
            match git_of(above) {
                Ok(Git::Nothing) => {}
                Ok(Git::Empty) => empty = empty.or(Some(above)),
                // A user who cannot share the top has the state in each root.
                Err(refusal @ Refusal::Unusable(_)) if empty.is_none() && is_public(above) => {
                    return Err(refusal.naming(None));
                }
                Err(refusal @ Refusal::Unusable(_)) if empty.is_none() && !may_share(above) => {
                    return Err(refusal);
                }
                Err(Refusal::Unusable(_)) if is_public(above) || !may_share(above) => break,
                Err(Refusal::Failed(error)) => return Err(Refusal::Failed(error)),
                Ok(_) | Err(Refusal::Unusable(_)) => return Ok(Above::Top(above.to_owned())),
            }
            below = above;
        }
        match empty {
            Some(top) => Ok(Above::Empty(top.to_owned())),
            None if is_repository(below)? => Ok(Above::Inside),
            None => Ok(Above::Nothing),
        }
    }

    /// Returns where the root, which has the name `root`, is in the work tree `top`.
    fn below(&self, root: &Path, top: &Path) -> Attempt<Located> {
        let unsound = || Refusal::Failed(io::Error::other("the directory was moved meanwhile"));
        let failed = |error: WorkspaceError| Refusal::Failed(error.source);
        let prefix = root.strip_prefix(top).map_err(|_| unsound())?;
        let prefix = RelPath::new(prefix.as_os_str().as_bytes()).map_err(|_| unsound())?;
        let mut above = Self::open(top).map_err(failed)?;
        if let Some(attic) = &self.above {
            above = above.with_attic(top, attic);
        }
        let own = fstat(self.parents.root()).map_err(io::Error::from)?;
        let found = above.stat(&prefix).map_err(failed)?;
        if found.is_none_or(|found| (found.device, found.inode) != (own.st_dev, own.st_ino)) {
            return Err(unsound());
        }
        Ok(Located::Below {
            top: Box::new(above),
            prefix,
        })
    }
}

/// Returns what `.git` of `directory` is.
fn git_of(directory: &Path) -> Attempt<Git> {
    let git = directory.join(".git");
    let Some(found) = there(git.symlink_metadata())? else {
        return Ok(Git::Nothing);
    };
    if found.is_dir() {
        owned(&git, found.uid()).map_err(|refusal| refusal.naming(Some(&git)))?;
        return Ok(if is_repository(&git)? {
            Git::Directory
        } else {
            Git::Empty
        });
    }
    let target = target(directory, &git);
    owned(&git, found.uid()).map_err(|refusal| refusal.naming(target.as_deref().ok()))?;
    let real = target?;
    owned(&real, real.metadata()?.uid()).map_err(|refusal| refusal.naming(Some(&real)))?;
    let top = directory.canonicalize()?;
    let unusable =
        |why: &str| Refusal::unusable(format!("{}: {} {why}", shown(&git), shown(&real)));
    let is_protected = |inner: &Path| inner.components().any(|part| part.as_os_str() == ".git");
    if real
        .strip_prefix(&top)
        .is_ok_and(|inner| !is_protected(inner))
    {
        return Err(unusable(
            "is inside the work tree, where a patch may change it",
        ));
    }
    match leads_back(&real, &git) {
        Some(true) => Ok(Git::Apart(real, None)),
        Some(false) => {
            let is_linked = real.join("commondir").exists();
            let advice = if is_linked {
                "; `git worktree repair` fixes one that was moved"
            } else {
                ""
            };
            let why = format!(
                "{}: {} belongs to another work tree{advice}",
                shown(&git),
                shown(&real)
            );
            Err(Refusal::advised(why, is_linked))
        }
        None => binding(&real, &top).map(|binding| Git::Apart(real, binding)),
    }
}

/// Returns the git directory that `git`, the `.git` of `directory`, leads to.
fn target(directory: &Path, git: &Path) -> Attempt<PathBuf> {
    let named = if git.is_dir() {
        git.to_owned()
    } else {
        named(directory, git)?
    };
    let unusable =
        |why: &str| Refusal::unusable(format!("{}: {} {why}", shown(git), shown(&named)));
    let Some(real) = there(named.canonicalize())? else {
        // A linked work tree of a repository that was moved.
        let is_linked = named.parent().and_then(Path::file_name) == Some(OsStr::new("worktrees"));
        let advice = if is_linked {
            "; `git worktree repair` in the main work tree fixes it after a move"
        } else {
            ""
        };
        let why = format!("{}: {} does not exist{advice}", shown(git), shown(&named));
        return Err(Refusal::advised(why, is_linked));
    };
    if !is_repository(&real)? {
        return Err(unusable("is not a git directory"));
    }
    Ok(real)
}

/// Returns what the state directory in the git directory `real` has to record, so that it keeps the
/// history of `top`; `None` if it does so already. The record names the state directory itself,
/// because the record of a copied one has no meaning, and then inode and name of the top: one of
/// them must be the same.
///
/// # Errors
///
/// Returns an error if it has the history of another directory.
fn binding(real: &Path, top: &Path) -> Attempt<Option<Vec<u8>>> {
    let found = top.metadata()?;
    let inode = format!("{}:{}", found.dev(), found.ino());
    let wanted = [inode.as_bytes(), b" ", top.as_os_str().as_bytes()].concat();
    let state = real.join("wpatch");
    let (Some(itself), Some(record)) = (there(state.symlink_metadata())?, line(&state.join(TOP))?)
    else {
        return Ok(Some(wanted));
    };
    let mut parts = record.splitn(3, |byte| *byte == b' ');
    let (Some(recorded), Some(old), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return Ok(Some(wanted));
    };
    let is_copy = recorded != itself.ino().to_string().as_bytes();
    let (is_inode, is_name) = (old == inode.as_bytes(), name == top.as_os_str().as_bytes());
    if !is_copy && !is_inode && !is_name {
        let (name, record) = (printable(name), shown(&state.join(TOP)));
        let (state, top) = (shown(&state), shown(top));
        let why = format!(
            "{state} has the history of {name}; if that was moved to {top}, remove {record}"
        );
        return Err(Refusal::advised(why, true));
    }
    Ok((is_copy || !is_inode || !is_name).then_some(wanted))
}

/// Returns whether every user can create files in `directory`, as in `/tmp`. A `.git` there must
/// not become the top of the trees of other users, nor its lock theirs.
fn is_public(directory: &Path) -> bool {
    directory
        .metadata()
        .is_ok_and(|found| found.mode() & 0o002 != 0)
}

/// Returns whether this user can use `directory` as the top of a work tree whose git directory
/// belongs to another user.
fn may_share(directory: &Path) -> bool {
    accessat(
        CWD,
        directory,
        Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK,
        AtFlags::EACCESS,
    )
    .is_ok()
}

fn is_own_directory(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::Directory
        && found.st_uid == geteuid().as_raw()
}

/// Returns an error if another user owns `path`, because wpatch trusts its content. git has
/// `safe.directory` for this.
fn owned(path: &Path, owner: u32) -> Attempt<()> {
    if owner == geteuid().as_raw() {
        return Ok(());
    }
    Err(Refusal::unusable(format!(
        "{} belongs to another user",
        shown(path)
    )))
}

/// Returns the directory that the file `git` in `directory` names, see gitrepository-layout(5).
fn named(directory: &Path, git: &Path) -> Attempt<PathBuf> {
    let text = line(git)?.unwrap_or_default();
    match named_by(&text) {
        Some(name) => Ok(directory.join(name)),
        None => Err(Refusal::unusable(format!(
            "{} does not name a git directory",
            shown(git)
        ))),
    }
}

fn shown(path: &Path) -> String {
    printable(path.as_os_str().as_encoded_bytes()).to_string()
}
