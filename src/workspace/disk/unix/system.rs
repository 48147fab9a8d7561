//! The calls that differ between the Unix systems.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use memmap2::MmapMut;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags};

use crate::workspace::disk::calls::SysResult;
use crate::workspace::{RenameMode, Timestamp};

/// How a file is open whose attributes are copied.
#[derive(Clone, Copy)]
pub(super) enum SourceAccess {
    /// For reading.
    Read,
    /// By [`System::open_unreadable`].
    Unreadable,
}

/// A Unix system. The functions are calls, without state.
///
/// A function whose call the system lacks returns the result that its documentation states. The
/// callers then use a call of POSIX.1-2017.
pub(super) trait System {
    /// The access of a handle that only resolves names. With `O_PATH` of Linux, it needs no
    /// permission to read the directory.
    const RESOLVE: OFlags;

    /// Whether the system can create files without a name, on some file systems.
    const HAS_UNNAMED_FILES: bool;

    /// Opens the directory at `path` below `start` through real directories only, in one call.
    /// Returns `None` if the system has no such call.
    fn open_beneath(start: &OwnedFd, path: &[u8], access: OFlags) -> Option<SysResult<OwnedFd>>;

    /// Renames in the mode [`RenameMode::Exclusive`] or [`RenameMode::Exchange`]. Returns `ENOSYS`
    /// if the system has no such call.
    fn rename_with_flags(
        old: (&OwnedFd, &[u8]),
        new: (&OwnedFd, &[u8]),
        mode: RenameMode,
    ) -> rustix::io::Result<()>;

    /// Returns the names in a directory that is open for reading, except `.` and `..`, in any order.
    fn list_names(directory: &OwnedFd) -> SysResult<Vec<Vec<u8>>>;

    /// Makes all files on the file system of `file` durable. Returns `ENOSYS` if the system cannot
    /// wait for that.
    fn sync_file_system(file: &OwnedFd) -> rustix::io::Result<()>;

    /// Makes one open file or directory durable.
    fn sync_file(file: &OwnedFd) -> rustix::io::Result<()>;

    /// Starts to write the changed pages of `file` to the disk, if the system can.
    fn start_writeback(file: &OwnedFd);

    /// Asks for large pages for `memory`, if the system has them.
    fn advise_large_pages(memory: &MmapMut);

    /// Creates a file without a name in `directory`. Returns `EOPNOTSUPP` if the system cannot.
    fn create_unnamed(directory: &OwnedFd) -> rustix::io::Result<OwnedFd>;

    /// Sets the permission bits of the file or directory `name`, even if it cannot be opened for
    /// reading. Does not follow a link.
    fn set_bits_by_name(directory: &OwnedFd, name: &[u8], mode: Mode) -> SysResult<()>;

    /// Opens a file that this user cannot read, to copy its attributes. Returns `EACCES` if the
    /// system has no such handle.
    fn open_unreadable(directory: &OwnedFd, name: &[u8]) -> SysResult<OwnedFd>;

    /// Returns whether `file` certainly has no extended attributes and no access control list.
    fn has_no_attributes(file: impl AsFd) -> bool;

    /// Copies the extended attributes and the access control list of `source` to `file`, as far as
    /// the caller is allowed to. `has_acl` states whether `file` already has a list.
    fn copy_attributes(
        source: (&OwnedFd, SourceAccess),
        file: &OwnedFd,
        has_acl: bool,
    ) -> SysResult<()>;

    /// Returns whether `file`, which was just created, got an access control list from its
    /// directory.
    fn has_acl(file: &OwnedFd) -> SysResult<bool>;

    /// Removes the access control list of `file`.
    fn remove_acl(file: &OwnedFd) -> SysResult<()>;

    /// Returns the access control list that files get that are created in `directory`, if there is
    /// one.
    fn default_acl(directory: &OwnedFd) -> SysResult<Option<Vec<u8>>>;

    /// Sets the access control list of `file` to `list`, a result of [`System::default_acl`].
    fn set_acl(file: &OwnedFd, list: &[u8]) -> SysResult<()>;

    /// Returns whether new files get the group of a directory with these permission bits.
    fn inherits_group(directory_bits: u32) -> bool;

    /// Returns the umask of the process if it can be read without changing it.
    fn read_umask() -> Option<u32>;

    /// Returns the time of the clock that file timestamps use.
    fn now() -> Timestamp;

    /// Returns a text that distinguishes the directory `root` from a copy of it.
    fn identity(root: &OwnedFd) -> SysResult<String>;

    /// Returns the birth time of the directory `path`, if the file system keeps it unchanged.
    fn birth_time(path: &Path) -> Option<SystemTime>;

    /// Returns whether listings of `directory` contain names as they were stored.
    fn lists_stored_names(directory: impl AsFd) -> bool;
}

/// Returns the birth time that the file system reports for `path`.
pub(super) fn reported_birth_time(path: &Path) -> Option<SystemTime> {
    let birth = |path: &Path| -> io::Result<SystemTime> { path.metadata()?.created() };
    birth(path).ok()
}
