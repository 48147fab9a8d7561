//! The work tree of git that a root is in, located as git locates it, by a few system calls and no git.
//!
//! Discovery follows `setup_git_directory_gently_1` in git's setup.c: from the root upwards, the first directory with a
//! valid `.git` is the top. `.git` is a directory, a link to one, or a file with `gitdir: PATH` (linked work trees,
//! submodules, `--separate-git-dir`). A git directory that is named `.git` is accepted only in its own parent directory.
//! Discovery ends at a bare repository, at another file system, and below
//! `GIT_CEILING_DIRECTORIES`. `GIT_DIR`, `GIT_WORK_TREE` and `core.worktree` have no influence: all commands in one work
//! tree must find the same lock, whatever their environment is.
//!
//! # Security
//!
//! wpatch trusts its state. It is therefore kept only in a git directory of the current user, whose `.git` belongs to the
//! current user as well. An archive may contain a `.git` file that names any directory. That directory must have the
//! structure of a git directory, must not be reachable by a patch, and must not be the `.git` of another directory or the
//! git directory of another linked work tree. `core.worktree` is not read: the git directory of a submodule is accepted
//! from every directory.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;

use super::Disk;
use super::fault::Trouble;
use crate::path::RelPath;
use crate::text::printable;
use crate::workspace::{GIT, GitDirectory, Result, WorkTree, Workspace, WorkspaceError};

/// Most bytes that are read of a `.git` file, or of a file of one line in a git directory. The rest is ignored.
const MAX_LINE: u64 = 1 << 16;

/// Where a root is.
#[derive(Debug)]
pub(super) enum Located {
    /// At the top of a work tree; git's directory is `.git` below it.
    Top,
    /// At the top of a work tree; git's directory has this name elsewhere.
    Apart(PathBuf),
    /// Below the top of a work tree.
    Below { top: Box<Disk>, prefix: RelPath },
    /// In no work tree.
    Nowhere,
    /// In what looks like a work tree whose git directory cannot keep the state, for this reason.
    Unusable(String),
}

/// What `.git` of a directory is.
enum Git {
    /// Nothing that git takes for a repository.
    Nothing,
    /// The directory of a repository.
    Directory,
    /// A file or a link that leads to this directory of a repository.
    Apart(PathBuf),
}

/// Result of an examination.
type Attempt<T> = std::result::Result<T, Refusal>;

/// Why a `.git` is not the place of the state.
enum Refusal {
    /// The state cannot be kept there, for this reason.
    Unusable(String),
    /// An I/O error: another command may succeed.
    Failed(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl Disk {
    pub(super) fn tree_above(&self) -> Result<Option<WorkTree<'_>>> {
        Ok(match self.find_git()? {
            Located::Below { top, prefix } => Some(WorkTree { top: &**top, prefix, directory: &top.root }),
            _ => None,
        })
    }

    pub(super) fn git_place(&self) -> Result<GitDirectory> {
        let at = |name: &str| RelPath::new(name.as_bytes()).expect("BUG: a plain name is no path");
        Ok(match self.find_git()? {
            Located::Top => GitDirectory::At(at(".git")),
            Located::Apart(_) => GitDirectory::At(at(GIT)),
            Located::Below { .. } | Located::Nowhere => GitDirectory::Missing,
            Located::Unusable(why) => GitDirectory::Unusable(why.clone()),
        })
    }

    /// Returns the name that other programs have for `path`.
    pub(super) fn name_of(&self, path: &RelPath) -> PathBuf {
        let name = self.outside(path).unwrap_or_else(|| self.root.join(OsStr::from_bytes(path.as_bytes())));
        std::path::absolute(&name).unwrap_or(name)
    }

    fn find_git(&self) -> Result<&Located> {
        self.located().map_err(|source| {
            let fault = Trouble::from(Errno::from_io_error(&source).unwrap_or(Errno::IO)).fault;
            WorkspaceError { verb: "look at", path: shown(&self.root.join(".git")), fault, source }
        })
    }

    /// Returns where the root is. A failure is not kept.
    fn located(&self) -> io::Result<&Located> {
        if let Some(located) = self.located.get() {
            return Ok(located);
        }
        let located = match self.locate() {
            Ok(located) => located,
            Err(Refusal::Unusable(why)) => Located::Unusable(why),
            Err(Refusal::Failed(error)) => return Err(error),
        };
        if let Located::Apart(git) = &located {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            self.parents.set_git(retry_on_intr(|| openat(CWD, git, flags, Mode::empty()))?);
        }
        Ok(self.located.get_or_init(|| located))
    }

    /// Returns the name that other programs have for `path` in git's directory, if that is not below the root.
    pub(super) fn in_git(&self, path: &RelPath) -> Option<PathBuf> {
        let rest = path.as_bytes().strip_prefix(GIT.as_bytes())?;
        match (self.located.get()?, rest) {
            (Located::Apart(git), []) => Some(git.clone()),
            (Located::Apart(git), [b'/', rest @ ..]) => Some(git.join(OsStr::from_bytes(rest))),
            _ => None,
        }
    }

    fn locate(&self) -> Attempt<Located> {
        match statat(self.parents.root(), ".git", AtFlags::SYMLINK_NOFOLLOW) {
            // A directory `.git` in the root is never an ordinary one: no patch may change it.
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::Directory => {
                return owned(&self.root.join(".git"), found.st_uid).map(|()| Located::Top);
            }
            Ok(_) => match git_of(&self.root)? {
                Git::Directory => return Ok(Located::Top),
                Git::Apart(git) => return Ok(Located::Apart(git)),
                Git::Nothing => {}
            },
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(Refusal::Failed(errno.into())),
        }
        let own = fstat(self.parents.root()).map_err(io::Error::from)?;
        let Some(root) = there(self.root.canonicalize())? else { return Ok(Located::Nowhere) };
        let ceiling = ceiling(&root);
        let is_one_system = !crosses_file_systems();
        let mut below = &*root;
        while !is_repository(below)? {
            let Some(above) = below.parent().filter(|above| ceiling.as_deref().is_none_or(|it| it != *above)) else {
                return Ok(Located::Nowhere);
            };
            if is_one_system && there(above.metadata())?.is_none_or(|found| found.dev() != own.st_dev) {
                return Ok(Located::Nowhere);
            }
            if !matches!(git_of(above)?, Git::Nothing) {
                return self.below(&root, above);
            }
            below = above;
        }
        Err(Refusal::Unusable(format!("{} is in a git directory, and in no work tree", shown(&root))))
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
        Ok(Located::Below { top: Box::new(above), prefix })
    }
}

/// Returns what `.git` of `directory` is.
fn git_of(directory: &Path) -> Attempt<Git> {
    let git = directory.join(".git");
    let Some(found) = there(git.symlink_metadata())? else { return Ok(Git::Nothing) };
    if found.is_dir() {
        return if is_repository(&git)? { owned(&git, found.uid()).map(|()| Git::Directory) } else { Ok(Git::Nothing) };
    }
    owned(&git, found.uid())?;
    let named = if git.is_dir() { git.clone() } else { named(directory, &git)? };
    let unusable = |why: &str| Refusal::Unusable(format!("{}: {} {why}", shown(&git), shown(&named)));
    let Some(real) = there(named.canonicalize())? else { return Err(unusable("does not exist")) };
    if !is_repository(&real)? {
        return Err(unusable("is not a git directory"));
    }
    owned(&real, real.metadata()?.uid())?;
    let is_protected = |inner: &Path| inner.components().any(|part| part.as_os_str() == ".git");
    if real.strip_prefix(directory.canonicalize()?).is_ok_and(|inner| !is_protected(inner)) {
        return Err(unusable("is inside the work tree, where a patch may change it"));
    }
    if !leads_back(&real, &git) {
        let is_linked = real.join("commondir").exists();
        let advice = if is_linked { "; `git worktree repair` fixes one that was moved" } else { "" };
        return Err(unusable(&format!("belongs to another work tree{advice}")));
    }
    Ok(Git::Apart(real))
}

/// Returns what was found; `None` if the file is missing or the user may not access it.
fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    match found {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | PermissionDenied) => Ok(None),
        found => found.map(Some),
    }
}

/// Returns an error if another user owns `path`, because wpatch trusts its content. git has `safe.directory` for this.
fn owned(path: &Path, owner: u32) -> Attempt<()> {
    if owner == geteuid().as_raw() {
        return Ok(());
    }
    Err(Refusal::Unusable(format!("{} belongs to another user", shown(path))))
}

/// Returns the directory that the file `git` in `directory` names, see gitrepository-layout(5).
fn named(directory: &Path, git: &Path) -> Attempt<PathBuf> {
    let text = line(git)?.unwrap_or_default();
    match text.strip_prefix(b"gitdir: ") {
        Some(name) => Ok(directory.join(OsStr::from_bytes(name))),
        None => Err(Refusal::Unusable(format!("{} does not name a git directory", shown(git)))),
    }
}

/// Returns the text of a file of one line; `None` if there is no such regular file. Opening a FIFO does not wait.
fn line(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let opened = there(fs::File::options().read(true).custom_flags(flags).open(path))?;
    let Some(file) = opened else { return Ok(None) };
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut text = Vec::new();
    file.take(MAX_LINE).read_to_end(&mut text)?;
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    text.truncate(end);
    Ok(Some(text))
}

/// Returns whether `directory` has the structure of a git directory, as `is_git_directory` of git's setup.c has it.
fn is_repository(directory: &Path) -> io::Result<bool> {
    let head = there(directory.join("HEAD").symlink_metadata())?;
    if !head.is_some_and(|head| head.is_file() || head.is_symlink()) {
        return Ok(false);
    }
    let common = match line(&directory.join("commondir"))? {
        Some(name) => directory.join(OsStr::from_bytes(&name)),
        None => directory.to_owned(),
    };
    Ok(common.join("objects").is_dir() && common.join("refs").is_dir())
}

/// Returns whether `git`, the `.git` of a work tree, is the one that the git directory `real` records, if it records one.
fn leads_back(real: &Path, git: &Path) -> bool {
    if real.file_name() == Some(OsStr::new(".git")) {
        // A git directory named `.git` belongs to its parent.
        return real.parent().is_some_and(|top| is_same(&top.join(".git"), git));
    }
    if !real.join("commondir").exists() {
        return true;
    }
    // A linked work tree: the file may be relative to the git directory, see worktree.useRelativePaths in git-config(1).
    let recorded = line(&real.join("gitdir")).ok().flatten();
    recorded.is_some_and(|name| is_same(&real.join(OsStr::from_bytes(&name)), git))
}

fn is_same(a: &Path, b: &Path) -> bool {
    let inode = |path: &Path| path.symlink_metadata().ok().map(|found| (found.dev(), found.ino()));
    inode(a).is_some() && inode(a) == inode(b)
}

/// Returns the nearest directory above `root` that discovery must not enter: see `GIT_CEILING_DIRECTORIES` in git(1).
fn ceiling(root: &Path) -> Option<PathBuf> {
    let named = env::var_os("GIT_CEILING_DIRECTORIES")?;
    let mut resolves = true;
    let mut nearest: Option<PathBuf> = None;
    for path in env::split_paths(&named) {
        if path.as_os_str().is_empty() {
            // Entries after an empty one are not resolved, because that can be slow: see git(1).
            resolves = false;
            continue;
        }
        let real = if resolves { path.canonicalize().unwrap_or(path) } else { path };
        let is_nearer = nearest.as_ref().is_none_or(|nearest| real.starts_with(nearest));
        if real.is_absolute() && real != *root && root.starts_with(&real) && is_nearer {
            nearest = Some(real);
        }
    }
    nearest
}

/// Returns whether discovery goes on at another file system: `GIT_DISCOVERY_ACROSS_FILESYSTEM`, see git(1).
fn crosses_file_systems() -> bool {
    let is_number =
        |value: &OsStr| value.to_str().and_then(|value| value.parse().ok()).is_some_and(|value: i64| value != 0);
    let is_true =
        |value: &OsStr| ["true", "yes", "on"].iter().any(|word| value.eq_ignore_ascii_case(word)) || is_number(value);
    env::var_os("GIT_DISCOVERY_ACROSS_FILESYSTEM").is_some_and(|value| is_true(&value))
}

fn shown(path: &Path) -> String {
    printable(path.as_os_str().as_encoded_bytes()).to_string()
}
