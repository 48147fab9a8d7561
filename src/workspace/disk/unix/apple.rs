//! The calls of Apple's systems beyond POSIX.

use rustix::fd::OwnedFd;
use rustix::fs::{RenameFlags, fcntl_fullfsync, fsync, renameat_with};
use rustix::io::Errno;

use super::system::{SourceAccess, System};
use crate::workspace::RenameMode;
use crate::workspace::disk::calls::SysResult;

pub(super) enum Apple {}

/// A new file keeps the access control list that it inherits from the scratch directory.
/// [`System::copy_attributes`] replaces such a list.
impl System for Apple {
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

    /// fsync(2) does not flush the cache of the drive, `F_FULLFSYNC` does; see fcntl(2). A file system
    /// without it, such as SMB, gets fsync(2).
    fn sync_file(file: &OwnedFd) -> rustix::io::Result<()> {
        match fcntl_fullfsync(file) {
            Err(Errno::NOTSUP | Errno::OPNOTSUPP | Errno::INVAL | Errno::NOTTY) => fsync(file),
            result => result,
        }
    }

    fn copy_attributes(
        (source, _): (&OwnedFd, SourceAccess),
        file: &OwnedFd,
        _: bool,
    ) -> SysResult<()> {
        Ok(wpatch_apple::copy_attributes(source, file)?)
    }
}
