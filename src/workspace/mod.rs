//! The only access to files: verbs as small as system calls, below one open root.
//!
//! A [`Workspace`] takes a [`RelPath`] and returns file contents, a [`Stat`] or a
//! [`WorkspaceError`]. All other layers access the files below the root only through this trait.
//! Three invariants hold:
//! - No verb follows a symbolic link or leaves the root, except under the names
//!   [`EXTERNAL_HISTORY_NAME`], [`GIT_INDEX_DIRECTORY_NAME`] and [`GIT_DIRECTORY_NAME`].
//! - A verb is as atomic as its system call. It is durable only after the sync that its
//!   documentation names.
//! - An error does not prove that nothing has changed. The caller inspects the file system.
//!
//! `disk` is the real file system. `memory` simulates crashes and power loss for tests. `index` and
//! `objects` read git's index and git's commits. `git` runs git and reads its configuration. Read
//! [`Workspace`] first, then `memory/mod.rs`.
//!
//! To add a backend, add `workspace/<name>.rs` and a row of [`BACKENDS`].

mod arguments;
mod backends;
pub mod disk;
mod folding;
pub mod git;
pub mod index;
mod layered;
mod lock;
pub mod memory;
pub mod objects;
mod read_only;
mod rights;
mod roots;
mod work_tree;

use std::path::PathBuf;
use std::time::Duration;

use crate::interrupt::Interrupt;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::text::{Bytes, last_bytes};

pub use crate::stat::{Protection, Stat, Timestamp};
pub use crate::workspace_error::{ErrorKind, Result, StickyBitError, WorkspaceError};
pub use arguments::{
    AttributeSource, Directory, DirectoryPermissions, ModeProbe, NewFile, PROBE_PREFIX, RenameMode,
    TEMPORARY,
};
pub use backends::{BACKENDS, Backend};
pub use folding::{FoldingCache, Spellings, has_equal_name, other_spellings};
pub use layered::{Layer, LayerFile, LayeredTree};
pub use lock::Lock;
pub use objects::{GitObject, ObjectId};
pub use rights::{EntryRights, InPlaceChange, OwnerError, ProtectedError};
pub use roots::{Root, Roots, RootsError};
pub use work_tree::{
    EXTERNAL_HISTORY_NAME, GIT_DIRECTORY_NAME, GIT_INDEX_DIRECTORY_NAME, GitDirectory, TOP_RECORD,
    WorkTree, path_relative_to, top,
};

use read_only::read_only;

/// The interface to the files below one root.
///
/// A verb resolves its path through real directories only. If a directory of the path is a symbolic
/// link, the verb fails with [`ErrorKind::ThroughLink`]. If the last component is a link, the verb
/// works on the link itself or fails.
///
/// # Errors
///
/// Every verb returns a [`WorkspaceError`]. If a verb that changes files fails, its effect is unknown:
/// inspect the file system. In a read-only backend these verbs fail with [`ErrorKind::Unsupported`].
#[allow(clippy::missing_errors_doc, reason = "said once, above")]
pub trait Workspace: Sync {
    /// Returns the attributes of the file at `path`, without following a symbolic link. Returns
    /// `None` if the file or a directory above it is missing, or if a component above it is not a
    /// directory.
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>>;

    /// Returns the content of the regular file at `path`, and its attributes when it was read.
    ///
    /// Never blocks on a FIFO and never opens a device: both fail with [`ErrorKind::NotRegular`]. A
    /// file of more than `limit` bytes fails with [`ErrorKind::TooLarge`].
    fn read(&self, path: &RelPath, limit: u64) -> Result<(Bytes, Stat)>;

    /// Reads as [`Workspace::read`] does. A disk reads a large file in parts. Soon after the given
    /// [`Interrupt`] is raised, it fails with [`std::io::ErrorKind::Interrupted`].
    fn read_in_parts(&self, path: &RelPath, limit: u64, _: &Interrupt) -> Result<(Bytes, Stat)> {
        self.read(path, limit)
    }

    /// Returns the last `length` bytes of the regular file at `path`, and its attributes.
    fn read_end(&self, path: &RelPath, length: u64) -> Result<(Vec<u8>, Stat)> {
        let (bytes, stat) = self.read(path, u64::MAX)?;
        Ok((last_bytes(&bytes, length).to_vec(), stat))
    }

    /// Returns the target of the symbolic link at `path`.
    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>>;

    /// Returns the git object at `path`. Only the trees of git repositories have objects.
    fn git_object(&self, _path: &RelPath) -> Result<Option<GitObject>> {
        Ok(None)
    }

    /// Returns the names in `directory`, without `.` and `..`, in byte order.
    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>>;

    /// Creates a regular file. Fails if `path` exists.
    ///
    /// The file has mode 0600 until its content is complete. Then it gets the attributes of its
    /// source, as far as the caller may set them, and finally its permissions. Returns the permissions
    /// that were set: some bits are not set if owner or group is not kept. The content is durable after
    /// [`Workspace::sync`] of the file, and its name after a sync of its directory.
    fn create(&self, path: &RelPath, _file: NewFile<'_>) -> Result<Permissions> {
        read_only("create", Some(path))
    }

    /// Appends `bytes` to the regular file at `path`, neither atomically nor durably.
    fn append(&self, path: &RelPath, _bytes: &[u8]) -> Result<()> {
        read_only("write", Some(path))
    }

    /// Overwrites the content of the regular file at `path` with `bytes`.
    ///
    /// The inode stays the same, so all names of the file show the new content. The write is neither
    /// atomic nor durable: until it is complete, a reader can find a mixture of old and new bytes.
    ///
    /// If kind, device, inode, size or modification time of the file differ from `expected`, the verb
    /// fails with [`ErrorKind::Missing`] and changes nothing.
    fn overwrite(&self, path: &RelPath, _bytes: &[u8], _expected: &Stat) -> Result<()> {
        read_only("overwrite", Some(path))
    }

    /// Creates a symbolic link with the owner and group of the file `owner_source`, as far as the
    /// caller is allowed to set them. Fails if `path` exists.
    ///
    /// The link will be renamed to `final_path`, to which a relative target refers. On Windows, it
    /// becomes a link to a directory if the target is a directory below the root now.
    fn symlink(
        &self,
        _target: &[u8],
        path: &RelPath,
        _final_path: &RelPath,
        _owner_source: Option<&RelPath>,
    ) -> Result<()> {
        read_only("create", Some(path))
    }

    /// Creates a second name `to` for the file at `from`.
    fn link(&self, _from: &RelPath, to: &RelPath) -> Result<()> {
        read_only("link", Some(to))
    }

    /// Renames a file atomically.
    ///
    /// The new name is durable only after [`Workspace::sync`] of *both* directories. After a power
    /// loss the file can have its old name, its new name, or both.
    fn rename(&self, from: &RelPath, _to: &RelPath, _mode: RenameMode) -> Result<()> {
        read_only("rename", Some(from))
    }

    /// Removes one name of a file or a symbolic link.
    fn remove(&self, path: &RelPath) -> Result<()> {
        read_only("remove", Some(path))
    }

    /// Creates a directory with the mode that `permissions` names.
    fn make_dir(&self, path: &RelPath, _permissions: DirectoryPermissions) -> Result<()> {
        read_only("create", Some(path))
    }

    /// Removes an empty directory.
    fn remove_dir(&self, path: &RelPath) -> Result<()> {
        read_only("remove", Some(path))
    }

    /// Sets the permission bits of the file or directory at `path`.
    fn set_permissions(&self, path: &RelPath, _permissions: Permissions) -> Result<()> {
        read_only("change mode", Some(path))
    }

    /// Sets the permission bits of the directory at `path`, and as far as permitted owner and group.
    fn restore_dir(&self, path: &RelPath, _bits: u32, _owner: (u32, u32)) -> Result<()> {
        read_only("restore", Some(path))
    }

    /// Starts to write the file at `path`. This hint shortens a later [`Workspace::sync`].
    fn start_writeback(&self, _path: &RelPath) {}

    /// Makes the content and the attributes of the file at `path` durable. For a directory, makes
    /// its names durable.
    ///
    /// After an error, discard the file and do not retry: the kernel may have dropped the data that
    /// it could not write (`fsync(2)`).
    fn sync(&self, path: Directory<'_>) -> Result<()> {
        read_only("sync", path)
    }

    /// Writes the content and the attributes of the file at `path` to its device. They are durable
    /// after a later [`Workspace::sync`] of any file on that device.
    ///
    /// Only on macOS is this less than [`Workspace::sync`]: the device can still cache the file.
    fn write_to_device(&self, path: &RelPath) -> Result<()> {
        self.sync(Some(path))
    }

    /// Makes all files on the file system of the root durable.
    ///
    /// Fails with [`ErrorKind::Unsupported`] if the system has no such call, or if its call does not
    /// wait until the files are durable.
    fn sync_all(&self) -> Result<()> {
        read_only("sync", None)
    }

    /// Locks the file at `path` against other processes, and creates it if needed.
    ///
    /// Returns `None` if another process holds the lock for longer than `timeout`. Dropping the
    /// [`Lock`] releases it.
    fn lock(&self, path: &RelPath, _timeout: Duration) -> Result<Option<Lock>> {
        read_only("lock", Some(path))
    }

    /// Locks the directory at `path`, in the same way as [`Workspace::lock`]. Fails with
    /// [`ErrorKind::Unsupported`] if the file system can lock only files that are open for writing,
    /// such as NFS; see flock(2).
    fn lock_dir(&self, path: &RelPath, _timeout: Duration) -> Result<Option<Lock>> {
        read_only("lock", Some(path))
    }

    /// Returns the current time of the clock that file timestamps use.
    fn now(&self) -> Timestamp {
        Timestamp::default()
    }

    /// Returns the user that owns new files.
    fn user(&self) -> u32;

    /// Returns the bits of a file in `directory` after `bits` were set, or `None` if none are stored,
    /// as on vfat, exFAT and SMB shares. `probe` selects how the verb tests this.
    fn stored_bits(&self, _: Directory<'_>, bits: u32, _probe: ModeProbe) -> Option<u32> {
        Some(bits)
    }

    /// Returns whether the owners and permission bits that [`Workspace::stat`] reports belong to the
    /// files in `directory`. If not, they belong to the mount, and every user with access to it can
    /// write to the files.
    fn can_store_owners(&self, directory: Directory<'_>, probe: ModeProbe) -> bool {
        self.stored_bits(directory, 0o600, probe).is_some()
    }

    /// Checks that every component of `path` can be the name of a file. Windows changes some names
    /// and reserves others, such as `con.txt`.
    ///
    /// # Errors
    ///
    /// Returns the reason if it cannot. Verbs that create such a file fail, and other verbs do not
    /// find it.
    fn check_name(&self, _path: &RelPath) -> std::result::Result<(), &'static str> {
        Ok(())
    }

    /// Returns the reason why this user cannot create symbolic links.
    fn symlink_refusal(&self) -> Option<&'static str> {
        None
    }

    /// Returns the rights of this user on the entries of `directory`. Changes nothing.
    ///
    /// # Errors
    ///
    /// Returns the error with which the system would refuse to create a file in the directory.
    fn entry_rights(&self, _directory: Directory<'_>) -> Result<EntryRights> {
        Ok(EntryRights::default())
    }

    /// Checks that this user can change the file at `path` in place. Changes nothing.
    ///
    /// # Errors
    ///
    /// Returns the error with which the system would refuse the change.
    fn check_in_place(&self, _path: &RelPath, _change: InPlaceChange) -> Result<()> {
        Ok(())
    }

    /// Returns how the file systems spell names, or `None` if every file has exactly one spelling.
    fn spellings(&self) -> Option<&dyn Spellings> {
        None
    }

    /// Returns a text that distinguishes this root from a copy of it, also after a restart.
    fn identity(&self) -> Result<String>;

    /// Drops cached directory handles, because another process may have moved the directories.
    fn close_cached_handles(&self) {}

    /// Returns the directory of the external history of this root, below [`EXTERNAL_HISTORY_NAME`].
    fn external_history(&self) -> Option<RelPath> {
        None
    }

    /// Returns whether the path of the external history is unusable: relative, with `..`, or nested.
    fn has_unusable_history(&self) -> bool {
        false
    }

    /// Returns `path` as other programs name it: a path outside the root becomes absolute.
    fn real_path(&self, path: &RelPath) -> Vec<u8> {
        path.as_bytes().to_vec()
    }

    /// Sets the directory that verbs find under the name [`GIT_INDEX_DIRECTORY_NAME`]. The first verb
    /// that needs it opens it; the handle remains valid.
    ///
    /// # Security
    ///
    /// The caller decides where verbs write. `directory` must never come from a patch.
    fn git_index_file(&self, _directory: &[u8]) -> Result<()> {
        Ok(())
    }

    /// Returns the git work tree that contains this root, if the root is below its top.
    fn work_tree(&self) -> Result<Option<WorkTree<'_>>> {
        Ok(None)
    }

    /// Returns the git directory of the work tree whose top is this root.
    fn git_directory(&self) -> Result<GitDirectory> {
        work_tree::ordinary_git_directory(self)
    }

    /// Returns the paths below the root that `.git` of `directory` leads to: each link on the way
    /// and the git directories. For the root, the list also contains the directories and the index
    /// that environment variables of git name.
    ///
    /// The list is empty if `.git` is an ordinary directory that no other work tree shares.
    ///
    /// # Security
    ///
    /// No patch may change these paths or any path below them.
    fn git_directory_paths(&self, _directory: Directory<'_>) -> Vec<RelPath> {
        Vec::new()
    }

    /// Returns the paths of git's hook directory, if it is outside the git directory, and of each
    /// link on the way. An item is `None` if the root is inside the hook directory.
    fn hook_directory_paths(&self) -> Vec<Option<RelPath>> {
        Vec::new()
    }

    /// Returns the paths of included configuration and attribute files of git, and links to them.
    fn configuration_file_paths(&self) -> Vec<RelPath> {
        Vec::new()
    }

    /// Calls `visit` with directory, name and kind of each file and link, from the top down. Skips
    /// `.git` directories, and stops after `max_names` names. Returns whether it visited all names.
    fn visit_names(
        &self,
        _max_names: usize,
        _visit: &mut dyn FnMut(Directory<'_>, &[u8], FileKind),
    ) -> bool {
        true
    }

    /// Returns the paths below the root to which the link at `path` leads, including further links.
    fn link_targets(&self, _path: &RelPath) -> Vec<RelPath> {
        Vec::new()
    }

    /// Returns this workspace if it is a tree with a layer of changed files.
    fn layered(&self) -> Option<&LayeredTree<'_>> {
        None
    }

    /// Returns the absolute name of the root without links, if other programs can access it.
    fn absolute_root(&self) -> Option<PathBuf> {
        None
    }

    /// Returns the absolute name of `path`, if other programs can access it.
    fn absolute_path(&self, _path: &RelPath) -> Option<PathBuf> {
        None
    }

    /// Returns the name by which [`Workspace::open_root`] opens this root in any process.
    fn location(&self) -> Option<Vec<u8>> {
        self.absolute_root().map(|path| roots::location_of(&path))
    }

    /// Opens another root. A journal can name it, so the caller checks its identity.
    fn open_root(&self, _location: &[u8]) -> Result<Box<dyn Workspace + Send>> {
        read_only("open", None)
    }

    /// Returns the roots, if there are several.
    fn roots(&self) -> Option<&Roots> {
        None
    }
}
