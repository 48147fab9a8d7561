//! The calls of Apple's systems beyond POSIX.

use std::path::Path;
use std::time::SystemTime;

use memmap2::MmapMut;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags, RenameFlags, fcntl_fullfsync, fsync, renameat_with};
use rustix::io::Errno;

use super::portable;
use super::system::{SourceAccess, System, reported_birth_time};
use crate::workspace::disk::calls::SysResult;
use crate::workspace::{RenameMode, Timestamp};

pub(super) enum Apple {}

impl System for Apple {
    const RESOLVE: OFlags = OFlags::RDONLY;
    const HAS_UNNAMED_FILES: bool = false;

    fn open_beneath(_: &OwnedFd, _: &[u8], _: OFlags) -> Option<SysResult<OwnedFd>> {
        None
    }

    /// `renameatx_np` with `RENAME_EXCL` or `RENAME_SWAP`. HFS+, exFAT, SMB and NFS have no swap and
    /// return `ENOTSUP`; see rename(2).
    fn rename_with_flags(
        (old_directory, old): (&OwnedFd, &[u8]),
        (new_directory, new): (&OwnedFd, &[u8]),
        mode: RenameMode,
    ) -> rustix::io::Result<()> {
        let flags = match mode {
            RenameMode::Replace => RenameFlags::empty(),
            RenameMode::Exclusive => RenameFlags::NOREPLACE,
            RenameMode::Exchange => RenameFlags::EXCHANGE,
        };
        renameat_with(old_directory, old, new_directory, new, flags)
    }

    fn list_names(directory: &OwnedFd) -> SysResult<Vec<Vec<u8>>> {
        portable::list_names(directory)
    }

    fn sync_file_system(_: &OwnedFd) -> rustix::io::Result<()> {
        Err(Errno::NOSYS)
    }

    /// fsync(2) does not flush the cache of the drive, `F_FULLFSYNC` does; see fcntl(2). A file system
    /// without it, such as SMB, gets fsync(2).
    fn sync_file(file: &OwnedFd) -> rustix::io::Result<()> {
        match fcntl_fullfsync(file) {
            Err(Errno::NOTSUP | Errno::OPNOTSUPP | Errno::INVAL | Errno::NOTTY) => fsync(file),
            result => result,
        }
    }

    fn start_writeback(_: &OwnedFd) {}

    fn advise_large_pages(_: &MmapMut) {}

    fn create_unnamed(_: &OwnedFd) -> rustix::io::Result<OwnedFd> {
        Err(Errno::OPNOTSUPP)
    }

    fn set_bits_by_name(directory: &OwnedFd, name: &[u8], mode: Mode) -> SysResult<()> {
        portable::set_bits_by_name(directory, name, mode)
    }

    fn open_unreadable(_: &OwnedFd, _: &[u8]) -> SysResult<OwnedFd> {
        Err(Errno::ACCESS.into())
    }

    /// The list of extended attributes does not show an access control list.
    fn has_no_attributes(_: impl AsFd) -> bool {
        false
    }

    fn copy_attributes(
        (source, _): (&OwnedFd, SourceAccess),
        file: &OwnedFd,
        _: bool,
    ) -> SysResult<()> {
        Ok(wpatch_apple::copy_attributes(source, file)?)
    }

    /// [`System::copy_attributes`] replaces an inherited list. Other new files keep it, as every
    /// file that is created in that directory has it.
    fn has_acl(_: &OwnedFd) -> SysResult<bool> {
        Ok(false)
    }

    fn remove_acl(_: &OwnedFd) -> SysResult<()> {
        Ok(())
    }

    fn default_acl(_: &OwnedFd) -> SysResult<Option<Vec<u8>>> {
        Ok(None)
    }

    fn set_acl(_: &OwnedFd, _: &[u8]) -> SysResult<()> {
        Ok(())
    }

    fn inherits_group(directory_bits: u32) -> bool {
        portable::inherits_group(directory_bits)
    }

    fn read_umask() -> Option<u32> {
        None
    }

    fn now() -> Timestamp {
        portable::now()
    }

    fn identity(root: &OwnedFd) -> SysResult<String> {
        portable::identity(root)
    }

    fn birth_time(path: &Path) -> Option<SystemTime> {
        reported_birth_time(path)
    }

    fn lists_stored_names(_: impl AsFd) -> bool {
        true
    }
}
