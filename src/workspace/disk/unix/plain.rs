//! The calls of Unix systems that have only those of POSIX, such as the BSDs.
//!
//! These systems cannot exchange two files, and rename replaces an existing file. Extended
//! attributes and access control lists have no portable calls, so a new file does not get those of
//! the file that it replaces.

use std::path::Path;
use std::time::SystemTime;

use memmap2::MmapMut;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags, fsync};
use rustix::io::Errno;

use super::portable;
use super::system::{SourceAccess, System, reported_birth_time};
use crate::workspace::disk::calls::SysResult;
use crate::workspace::{RenameMode, Timestamp};

pub(super) enum Plain {}

impl System for Plain {
    const RESOLVE: OFlags = OFlags::RDONLY;
    const HAS_UNNAMED_FILES: bool = false;

    fn open_beneath(_: &OwnedFd, _: &[u8], _: OFlags) -> Option<SysResult<OwnedFd>> {
        None
    }

    fn rename_with_flags(
        _: (&OwnedFd, &[u8]),
        _: (&OwnedFd, &[u8]),
        _: RenameMode,
    ) -> rustix::io::Result<()> {
        Err(Errno::NOSYS)
    }

    fn list_names(directory: &OwnedFd) -> SysResult<Vec<Vec<u8>>> {
        portable::list_names(directory)
    }

    fn sync_file_system(_: &OwnedFd) -> rustix::io::Result<()> {
        Err(Errno::NOSYS)
    }

    fn sync_file(file: &OwnedFd) -> rustix::io::Result<()> {
        fsync(file)
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

    fn has_no_attributes(_: impl AsFd) -> bool {
        false
    }

    fn copy_attributes(_: (&OwnedFd, SourceAccess), _: &OwnedFd, _: bool) -> SysResult<()> {
        Ok(())
    }

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
