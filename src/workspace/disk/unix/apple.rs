//! The calls of Apple's systems beyond POSIX.

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{RenameFlags, fcntl_fullfsync, fsync, renameat_with};
use rustix::io::Errno;

use super::system::{FileFlags, SourceAccess, System};
use crate::workspace::disk::calls::SysResult;
use crate::workspace::{Protection, RenameMode};

/// The protecting flags of `sys/stat.h`.
const UF_IMMUTABLE: u32 = 0x2;
const UF_APPEND: u32 = 0x4;
const SF_IMMUTABLE: u32 = 0x2_0000;
const SF_APPEND: u32 = 0x4_0000;

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

    /// Either flag of a pair protects the file. Only the owner or root can clear the first one, only
    /// root the second one; see chflags(2).
    fn file_flags(_: impl AsFd, found: &rustix::fs::Stat) -> FileFlags {
        let has = |flags| found.st_flags & flags != 0;
        FileFlags {
            protection: if has(UF_IMMUTABLE | SF_IMMUTABLE) {
                Some(Protection::Immutable)
            } else {
                has(UF_APPEND | SF_APPEND).then_some(Protection::AppendOnly)
            },
            kept: 0,
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
