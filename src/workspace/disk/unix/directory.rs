//! Creates directories that other users cannot access.

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, OFlags, fstat, mkdirat, statat, unlinkat};
use rustix::io::Errno;

use super::Current;
use super::attributes::{process_umask, set_owner_of};
use super::files::{mode_of, set_bits};
use super::handle::open_directory;
use super::modes::ModeSupportCache;
use super::stat::stat_of;
use super::system::System;
use crate::mode::FileKind;
use crate::workspace::disk::calls::{SysError, SysResult};
use crate::workspace::{ErrorKind, ModeProbe, Stat, TEMPORARY};

/// The set-group-ID bit, which a new directory inherits from its parent; see mkdir(2).
const SET_GROUP_ID: u32 = 0o2000;

/// Creates a directory with exactly these permission bits, even if the umask removes some or the
/// parent directory passes on its set-group-ID bit.
///
/// On a file system that does not store permission bits, creating the directory is enough.
pub(super) fn make_private(
    directory: &OwnedFd,
    name: &[u8],
    bits: u32,
    modes: &ModeSupportCache,
) -> SysResult<()> {
    mkdirat(directory, name, mode_of(bits))?;
    let result = match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .map(|found| stat_of(&found))
    {
        Ok(found) if found.permissions == bits => Ok(()),
        Ok(found) if can_be_new_directory(&found, bits) => {
            Current::set_bits_by_name(directory, name, mode_of(bits))
        }
        // ntfs-3g with `permissions` accepts the sticky bit only in chmod(2). A permanent directory
        // of another process is not empty.
        Ok(found)
            if can_be_new_directory(&found, bits & !TEMPORARY) && is_empty(directory, name) =>
        {
            Current::set_bits_by_name(directory, name, mode_of(bits))
        }
        Ok(found)
            if found.kind == FileKind::Directory && !can_store_modes(directory, name, modes) =>
        {
            Ok(())
        }
        // Another process removed or replaced the new directory. Report this as if that process had
        // created the directory first.
        Ok(_) | Err(Errno::NOENT) => return Err(Errno::EXIST.into()),
        Err(errno) => Err(errno.into()),
    };
    if matches!(&result, Err(error) if error.kind == ErrorKind::Missing) {
        // Another process used and removed the directory before its mode was checked.
        return Err(SysError::new(ErrorKind::Exists, Errno::EXIST));
    }
    if result.is_err() {
        // Remove the empty directory. If that fails too, the original error is still the one to
        // return.
        let _ = unlinkat(directory, name, AtFlags::REMOVEDIR);
    }
    result
}

/// Sets owner, group and permission bits of the directory `name`, owner and group as far as the
/// caller is allowed to.
pub(in crate::workspace::disk) fn restore_directory(
    above: &OwnedFd,
    name: &[u8],
    bits: u32,
    owner: (u32, u32),
) -> SysResult<()> {
    let directory = open_directory(above, name, OFlags::RDONLY)?;
    set_owner_of(&directory, owner)?;
    if stat_of(&fstat(&directory)?).permissions == bits {
        Ok(())
    } else {
        set_bits(&directory, bits)
    }
}

/// Returns whether the file system of the directory `name` stores permission bits.
fn can_store_modes(above: impl AsFd, name: &[u8], modes: &ModeSupportCache) -> bool {
    let opened = open_directory(above, name, OFlags::RDONLY);
    opened.map_or(true, |opened| {
        modes.can_store_modes(&opened, ModeProbe::Named)
    })
}

/// Returns whether the directory `name` is empty.
fn is_empty(above: impl AsFd, name: &[u8]) -> bool {
    let listed = open_directory(above, name, OFlags::RDONLY)
        .ok()
        .and_then(|opened| Dir::new(opened).ok());
    listed.is_some_and(|names| {
        names
            .flatten()
            .all(|entry| matches!(entry.file_name().to_bytes(), b"." | b".."))
    })
}

/// Returns whether `found` can be the result of mkdir(2) with the mode `bits`.
fn can_be_new_directory(found: &Stat, bits: u32) -> bool {
    found.kind == FileKind::Directory
        && found.permissions & !SET_GROUP_ID == bits & !process_umask()
}
