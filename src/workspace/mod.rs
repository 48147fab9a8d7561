//! The only way to files: verbs as small as system calls, below one open root.
//!
//! To add a storage, write `workspace/<name>.rs` and a row of [`BACKENDS`].

mod arguments;
pub mod disk;
mod error;
mod folding;
pub mod git;
pub mod index;
mod lock;
pub mod memory;
pub mod objects;
mod stat;
mod work_tree;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::text::Bytes;

pub use arguments::{Like, PASSING, PROBE, Privacy, Probe, Rename};
pub use error::{Fault, StickyBit, WorkspaceError};
pub use folding::{Folding, Spellings, lists, other_spellings};
pub use lock::Lock;
pub use stat::{Stat, Timestamp};
pub use work_tree::{GIT, GitDirectory, TOP, WorkTree, below, top};

/// Result of a verb.
pub type Result<T> = std::result::Result<T, WorkspaceError>;

/// A directory of a workspace; `None` is the root.
pub type Directory<'a> = Option<&'a RelPath>;

/// A storage that files can be kept in.
#[derive(Clone, Copy, Debug)]
pub struct Backend {
    /// What it is called.
    pub name: &'static str,
    /// Opens the root: an existing directory, or a new tree in memory.
    pub open: fn(&Path) -> Result<Box<dyn Workspace>>,
}

/// Every storage; the tests hold each of them to the same table.
pub const BACKENDS: &[Backend] = &[
    Backend {
        name: "disk",
        open: |root| Ok(Box::new(disk::Disk::open(root)?)),
    },
    Backend {
        name: "memory",
        open: |_| Ok(Box::new(memory::Memory::with_files([]))),
    },
];

/// The door to the files below one root.
///
/// A verb resolves its path through real directories only: a symbolic link on the way is an error
/// of the kind [`Fault::ThroughLink`], never followed. The last component is never followed either.
///
/// Atomic, durable and ordered are three different things: a verb is atomic where its system call
/// is, and durable only after the sync that its documentation names.
///
/// # Errors
///
/// Every verb returns a [`WorkspaceError`] with the [`Fault`] that callers tell apart. An error of
/// a verb that changes something proves nothing: look at what is there before deciding. A storage
/// that can only be read leaves those verbs out: each is [`Fault::Unsupported`] then.
#[allow(clippy::missing_errors_doc, reason = "said once, above")]
pub trait Workspace: Sync {
    /// Returns what is at `path`, not following a link there; `None` if nothing is, also when a
    /// directory above is missing or is no directory.
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>>;

    /// Returns the contents of the regular file at `path`, and what it was when they were read.
    ///
    /// Never blocks on a FIFO and never opens a device: those are [`Fault::NotRegular`].
    /// More than `limit` bytes are [`Fault::TooLarge`].
    fn read(&self, path: &RelPath, limit: u64) -> Result<(Bytes, Stat)>;

    /// Returns the target of the symbolic link at `path`.
    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>>;

    /// Returns the names in `directory`, without `.` and `..`, in byte order.
    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>>;

    /// Makes a regular file that was not there and writes `slices` to it, one behind the other.
    ///
    /// It is private (0600) until everything is in it; then it gets what `like` says, as far as the
    /// caller may give it, and last its permissions. Its contents are durable after
    /// [`Workspace::sync`] of it, its name after that of its directory.
    fn create(
        &self,
        path: &RelPath,
        _slices: &[&[u8]],
        _permissions: Permissions,
        _like: Option<Like<'_>>,
    ) -> Result<()> {
        read_only("create", Some(path))
    }

    /// Writes `bytes` behind what is in the regular file at `path`; neither at once nor durable.
    fn append(&self, path: &RelPath, _bytes: &[u8]) -> Result<()> {
        read_only("write", Some(path))
    }

    /// Writes `bytes` over the contents of the regular file at `path`, which stays the same inode:
    /// all its names have the new contents. Neither at once nor durable: whoever reads meanwhile,
    /// after a kill or after a loss of power finds some bytes of each.
    ///
    /// A file that is not `was` any more, by its inode, size and time of change, is
    /// [`Fault::Missing`] and left alone.
    fn overwrite(&self, path: &RelPath, _bytes: &[u8], _was: &Stat) -> Result<()> {
        read_only("write over", Some(path))
    }

    /// Makes a symbolic link that was not there, with owner and group of the file at `like` as far
    /// as the caller may give them.
    fn symlink(&self, _target: &[u8], path: &RelPath, _like: Option<&RelPath>) -> Result<()> {
        read_only("create", Some(path))
    }

    /// Gives the file at `from` a second name.
    fn link(&self, _from: &RelPath, to: &RelPath) -> Result<()> {
        read_only("link", Some(to))
    }

    /// Renames, atomically. The names are durable only after [`Workspace::sync`] of *both*
    /// directories: after a power loss the file may have its old name, its new one, or both.
    fn rename(&self, from: &RelPath, _to: &RelPath, _how: Rename) -> Result<()> {
        read_only("rename", Some(from))
    }

    /// Removes the name of a file or link.
    fn remove(&self, path: &RelPath) -> Result<()> {
        read_only("remove", Some(path))
    }

    /// Makes a directory with the mode that `privacy` names.
    fn make_dir(&self, path: &RelPath, _privacy: Privacy) -> Result<()> {
        read_only("create", Some(path))
    }

    /// Removes an empty directory.
    fn remove_dir(&self, path: &RelPath) -> Result<()> {
        read_only("remove", Some(path))
    }

    /// Sets the permission bits of the file or directory at `path`.
    fn set_permissions(&self, path: &RelPath, _permissions: Permissions) -> Result<()> {
        read_only("change the mode of", Some(path))
    }

    /// Gives the directory at `path` to this user and group, as far as the caller may, and sets its
    /// permission bits.
    fn restore_dir(&self, path: &RelPath, _bits: u32, _owner: (u32, u32)) -> Result<()> {
        read_only("restore", Some(path))
    }

    /// Begins to write out the file at `path`, which is going to be synced: a hint, that
    /// [`Workspace::sync`] has less to wait for.
    fn write_out(&self, _path: &RelPath) {}

    /// Makes the contents and attributes of the file at `path` durable; of a directory, its names.
    ///
    /// After an error the file has to be given up: the kernel may have dropped what it could not
    /// write.
    fn sync(&self, path: Directory<'_>) -> Result<()> {
        read_only("sync", path)
    }

    /// Makes everything on the file system of the root durable.
    fn sync_all(&self) -> Result<()> {
        read_only("sync", None)
    }

    /// Locks the file at `path` against other processes, making it if needed; `None` when somebody
    /// else holds it for longer than `patience`. The lock goes with the value.
    fn lock(&self, path: &RelPath, _patience: Duration) -> Result<Option<Lock>> {
        read_only("lock", Some(path))
    }

    /// Locks the directory at `path` as [`Workspace::lock`] does a file. [`Fault::Unsupported`]
    /// where only a file that is open for writing can be locked, as on NFS; see flock(2).
    fn lock_dir(&self, path: &RelPath, _patience: Duration) -> Result<Option<Lock>> {
        read_only("lock", Some(path))
    }

    /// Returns the present time by the clock that dates files.
    fn now(&self) -> Timestamp {
        Timestamp::default()
    }

    /// Returns the user that new files belong to.
    fn user(&self) -> u32;

    /// Returns whether the file system of `directory` keeps permission bits. Some show the same
    /// bits for every file, whatever is set: vfat, exFAT, NTFS, SMB shares. `probe` says how to
    /// find out.
    fn keeps_modes(&self, _directory: Directory<'_>, _probe: Probe) -> bool {
        true
    }

    /// Returns how file systems at and below the root spell names, where one may find a file under
    /// several spellings of its name; see [`Folding`].
    fn spellings(&self) -> Option<&dyn Spellings> {
        None
    }

    /// Returns what tells this root from a copy of it elsewhere: inode and machine, as text.
    ///
    /// The number of the device is no part of it: the same disk may have another one after a
    /// restart.
    fn identity(&self) -> Result<String>;

    /// Forgets where directories are: somebody else had time to move them.
    fn forget(&self) {}

    /// Returns where the history of this root may be kept if there is no place for it below the
    /// root: a directory below [`ATTIC`], which stands outside of the root. `None` if there is no
    /// attic.
    fn attic(&self) -> Option<RelPath> {
        None
    }

    /// Returns `path` as other programs find it: below the root as it is, elsewhere as an absolute
    /// path.
    fn real_path(&self, path: &RelPath) -> Vec<u8> {
        path.as_bytes().to_vec()
    }

    /// Says which directory outside of the root verbs find under the name [`ANNEX`] from now on. It
    /// is opened when it is first needed, and is the one that it was then.
    ///
    /// # Security
    ///
    /// Whoever names it decides what is written there: no patch may.
    fn annex(&self, _directory: &[u8]) -> Result<()> {
        Ok(())
    }

    /// Returns the work tree of git that this root is in, if the root is below its top. It is
    /// located once.
    fn work_tree(&self) -> Result<Option<WorkTree<'_>>> {
        Ok(None)
    }

    /// Returns git's directory of the work tree whose top this root is.
    fn git_directory(&self) -> Result<GitDirectory> {
        let git = RelPath::new(b".git").expect("BUG: a plain name is no path");
        let is_there = self
            .stat(&git)?
            .is_some_and(|stat| stat.kind == FileKind::Directory);
        Ok(if is_there {
            GitDirectory::At {
                directory: git,
                binding: None,
            }
        } else {
            GitDirectory::Missing
        })
    }

    /// Returns the paths below the root that `.git` of `directory` leads to if it is a link or a
    /// file, or if several work trees share its git directory: each link on the way and the git
    /// directories. For the root, also those that the environment names.
    ///
    /// # Security
    ///
    /// No patch may change one of these paths, nor what is below them.
    fn git_ways(&self, _directory: Directory<'_>) -> Vec<RelPath> {
        Vec::new()
    }

    /// Returns the directory that git runs hooks from, if it is not in the git directory, and each
    /// link on the way: their paths, or `None` if the root is in the directory.
    fn hook_ways(&self) -> Vec<Option<RelPath>> {
        Vec::new()
    }

    /// Calls `visit` with the directory, the name and the kind of each file and link below the
    /// root, from the top down and for at most `most` names. Directories of git are left out.
    /// Returns whether these are all names.
    fn visit_names(
        &self,
        _most: usize,
        _visit: &mut dyn FnMut(Directory<'_>, &[u8], FileKind),
    ) -> bool {
        true
    }

    /// Returns the paths below the root that the link at `path` leads to: each link on the way and
    /// the last path.
    fn link_ways(&self, _path: &RelPath) -> Vec<RelPath> {
        Vec::new()
    }

    /// Returns the absolute name of the root without links; `None` if other programs cannot find
    /// it.
    fn root_name(&self) -> Option<PathBuf> {
        None
    }

    /// Returns the absolute path by which other programs find `path`; `None` if they cannot.
    fn absolute_path(&self, _path: &RelPath) -> Option<PathBuf> {
        None
    }
}

fn read_only<T>(verb: &'static str, path: Directory<'_>) -> Result<T> {
    let path = path.map_or_else(|| ".".to_owned(), ToString::to_string);
    let source = io::Error::new(io::ErrorKind::Unsupported, "this storage can only be read");
    Err(WorkspaceError {
        verb,
        path,
        fault: Fault::Unsupported,
        source,
    })
}

/// The name below a root under which verbs find a directory that is not there: the attic, see
/// [`Workspace::attic`].
pub const ATTIC: &str = ".wpatch-attic";

/// The name below a root under which verbs find the directory that [`Workspace::annex`] named: the
/// one that git keeps the index in.
pub const ANNEX: &str = ".wpatch-index";
