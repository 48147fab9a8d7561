//! The calls that differ between the Unix systems.

use std::fs::File;
use std::time::SystemTime;

use memmap2::MmapMut;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, Mode, OFlags, chmodat, fchmod, fstat, fsync, statat};
use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::time::{ClockId, clock_gettime};

use super::errno::is_unsupported;
use super::files::{bits_of_mode, not_regular_error, open_regular};
use super::stat::{kind_of, stat_of};
use crate::mode::FileKind;
use crate::workspace::disk::calls::SysResult;
use crate::workspace::{Protection, RenameMode, Timestamp};

/// The set-group-ID bit. New files in such a directory get its group; see inode(7).
const SET_GROUP: u32 = 0o2000;

/// How the attribute source was opened.
#[derive(Clone, Copy)]
pub(super) enum SourceAccess {
    /// For reading.
    Read,
    /// By [`System::open_unreadable`].
    Unreadable,
}

/// The attributes of a directory on which the changes of its entries depend.
pub(super) struct DirectoryStatus {
    pub(super) permissions: u32,
    pub(super) uid: u32,
    pub(super) protection: Option<Protection>,
}

/// The flags of a file, such as those of chattr(1) or chflags(1).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FileFlags {
    pub(super) protection: Option<Protection>,
    /// The flags that a new version of the file also gets.
    pub(super) kept: u32,
}

/// A Unix system. The functions are calls, without state.
///
/// The default implementations use only calls of POSIX.1-2017, and the birth time where rustix knows
/// it. If these cannot do what a
/// function describes, it returns the result that its documentation states.
pub(super) trait System {
    /// The access of a handle that only resolves names. With `O_PATH` of Linux, it needs no
    /// permission to read the directory.
    const RESOLVE: OFlags = OFlags::RDONLY;

    /// Whether the system can create files without a name, on some file systems.
    const HAS_UNNAMED_FILES: bool = false;

    /// Opens the directory at `path` below `start` through real directories only, in one call.
    /// Returns `None` if the system has no such call.
    fn open_beneath(_start: &OwnedFd, _path: &[u8], _: OFlags) -> Option<SysResult<OwnedFd>> {
        None
    }

    /// Renames in the mode [`RenameMode::Exclusive`] or [`RenameMode::Exchange`]. Returns `ENOSYS`
    /// if the system has no such call.
    fn rename_with_flags(
        _old: (&OwnedFd, &[u8]),
        _new: (&OwnedFd, &[u8]),
        _: RenameMode,
    ) -> rustix::io::Result<()> {
        Err(Errno::NOSYS)
    }

    /// Returns the names in a directory that is open for reading, except `.` and `..`, in any order.
    fn list_names(directory: &OwnedFd) -> SysResult<Vec<Vec<u8>>> {
        let mut names = Vec::new();
        // `Dir` opens a handle of its own, so the position of `directory` does not matter.
        for entry in Dir::read_from(directory)? {
            match entry?.file_name().to_bytes() {
                b"." | b".." => {}
                name => names.push(name.to_vec()),
            }
        }
        Ok(names)
    }

    /// Makes all files on the file system of `file` durable. Returns `ENOSYS` if the system cannot
    /// wait for that.
    fn sync_file_system(_file: &OwnedFd) -> rustix::io::Result<()> {
        Err(Errno::NOSYS)
    }

    /// Makes one open file or directory durable.
    fn sync_file(file: &OwnedFd) -> rustix::io::Result<()> {
        fsync(file)
    }

    /// Starts to write the changed pages of `file` to the disk, if the system can.
    fn start_writeback(_file: &OwnedFd) {}

    /// Asks for large pages for `memory`, if the system has them.
    fn advise_large_pages(_memory: &MmapMut) {}

    /// Creates a file without a name in `directory`. Returns `EOPNOTSUPP` if the system cannot.
    fn create_unnamed(_directory: &OwnedFd) -> rustix::io::Result<OwnedFd> {
        Err(Errno::OPNOTSUPP)
    }

    /// Sets the permission bits of the file or directory `name`, even if it cannot be opened for
    /// reading. Does not follow a link.
    ///
    /// Between the first two calls another process can replace the file by a link. fchmodat(2) then
    /// changes the link itself.
    fn set_bits_by_name(directory: &OwnedFd, name: &[u8], mode: Mode) -> SysResult<()> {
        let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if !matches!(kind_of(&found), FileKind::Regular | FileKind::Directory) {
            return Err(not_regular_error());
        }
        // A user who can write to a file of another user may not set its mode; see chmod(2).
        if stat_of(&found).permissions == bits_of_mode(mode) {
            return Ok(());
        }
        match chmodat(directory, name, mode, AtFlags::SYMLINK_NOFOLLOW) {
            // fchmodat(2) of Linux has no such flag, so the file is opened.
            Err(errno) if is_unsupported(errno) => {
                let file = open_regular(directory, name, OFlags::RDONLY)?;
                Ok(fchmod(file, mode)?)
            }
            result => Ok(result?),
        }
    }

    /// Opens a file that this user cannot read, to copy its attributes. Returns `EACCES` if the
    /// system has no such handle.
    fn open_unreadable(_directory: &OwnedFd, _name: &[u8]) -> SysResult<OwnedFd> {
        Err(Errno::ACCESS.into())
    }

    /// Returns the attributes of `directory`.
    fn directory_status(directory: &OwnedFd) -> SysResult<DirectoryStatus> {
        let found = fstat(directory)?;
        let stat = stat_of(&found);
        Ok(DirectoryStatus {
            permissions: stat.permissions,
            uid: stat.uid,
            protection: Self::file_flags(directory, &found).protection,
        })
    }

    /// Returns the flags of `file`, whose attributes are `found`.
    fn file_flags(_file: impl AsFd, _found: &rustix::fs::Stat) -> FileFlags {
        FileFlags::default()
    }

    /// Returns whether this user can change the mode of the files of other users, and remove them
    /// from directories with the sticky bit.
    fn can_change_foreign_files() -> bool {
        geteuid().is_root()
    }

    /// Returns all inode flags of `file`, which is new, or `None` if they cannot be set.
    fn initial_flags(_file: &OwnedFd) -> Option<u32> {
        None
    }

    /// Sets the inode flags of `file`, which is new and has the flags `initial`, to a value of
    /// [`FileFlags::kept`], as far as the caller is allowed to and the system can.
    fn set_flags(_file: &OwnedFd, _initial: u32, _kept: u32) {}

    /// Returns whether `file` certainly has no extended attributes and no access control list.
    fn has_no_attributes(_file: impl AsFd) -> bool {
        false
    }

    /// Copies the extended attributes and the access control list of `source` to `file`, as far as
    /// the caller is allowed to and the system can. `has_acl` states whether `file` already has a
    /// list.
    fn copy_attributes(
        _source: (&OwnedFd, SourceAccess),
        _file: &OwnedFd,
        _has_acl: bool,
    ) -> SysResult<()> {
        Ok(())
    }

    /// Returns whether `file`, which was just created, got an access control list from its
    /// directory.
    fn has_acl(_file: &OwnedFd) -> SysResult<bool> {
        Ok(false)
    }

    /// Removes the access control list of `file`.
    fn remove_acl(_file: &OwnedFd) -> SysResult<()> {
        Ok(())
    }

    /// Returns the access control list that files get that are created in `directory`, if there is
    /// one.
    fn default_acl(_directory: &OwnedFd) -> SysResult<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Sets the access control list of `file` to `list`, a result of [`System::default_acl`].
    fn set_acl(_file: &OwnedFd, _list: &[u8]) -> SysResult<()> {
        Ok(())
    }

    /// Returns whether new files get the group of a directory with these permission bits. On the
    /// BSDs and on Apple's systems they always do; see open(2) there.
    fn inherits_group(directory_bits: u32) -> bool {
        !cfg!(target_os = "linux") || directory_bits & SET_GROUP != 0
    }

    /// Returns the umask of the process if it can be read without changing it.
    fn read_umask() -> Option<u32> {
        None
    }

    /// Returns the time of the clock that file timestamps use.
    fn now() -> Timestamp {
        let now = clock_gettime(ClockId::Realtime);
        Timestamp {
            seconds: now.tv_sec,
            nanoseconds: u32::try_from(now.tv_nsec).unwrap_or_default(),
        }
    }

    /// Returns a text that distinguishes the directory `root` from a copy of it: the inode number
    /// and the birth time. POSIX has no ID of the machine.
    fn identity(root: &OwnedFd) -> SysResult<String> {
        let inode = stat_of(&fstat(root)?).inode;
        let birth = birth_time(root).unwrap_or_default();
        Ok(format!("{inode:x}:{birth:x}"))
    }

    /// Returns a text that distinguishes the directory `root` from earlier directories at its path.
    /// It is the same after the file system was mounted again. A new directory can get the inode
    /// number of a removed one at once, but not its birth time. File systems without birth times,
    /// such as FUSE, may number the inodes anew at each mount, so the text distinguishes nothing
    /// there.
    fn generation(root: &OwnedFd) -> SysResult<String> {
        Ok(birth_time(root).map_or_else(String::new, |birth| format!("{birth:x}")))
    }

    /// Returns whether listings of `directory` contain names as they were stored.
    fn lists_stored_names(_directory: impl AsFd) -> bool {
        true
    }
}

/// Returns the birth time that the file system reports for `file`, in nanoseconds since 1970.
pub(super) fn birth_time(file: &OwnedFd) -> Option<u128> {
    let found = File::from(file.try_clone().ok()?).metadata().ok()?;
    let since = found.created().ok()?.duration_since(SystemTime::UNIX_EPOCH);
    Some(since.ok()?.as_nanos())
}
