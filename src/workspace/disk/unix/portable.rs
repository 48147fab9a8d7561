//! The calls that Apple's systems and the BSDs have in common.

use std::fs::File;
use std::time::SystemTime;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, Mode, OFlags, chmodat, fchmod, fstat, statat};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

use super::files::{not_regular_error, open_regular};
use super::stat::{kind_of, stat_of};
use crate::mode::FileKind;
use crate::workspace::Timestamp;
use crate::workspace::disk::calls::SysResult;

/// The set-group-ID bit. Linux, on which tests run this code, inherits the group only with it.
const SET_GROUP: u32 = 0o2000;

pub(super) fn list_names(directory: &OwnedFd) -> SysResult<Vec<Vec<u8>>> {
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

/// Sets the permission bits of the file or directory `name`.
///
/// Between the first two calls another process can replace the file by a link. fchmodat(2) then
/// changes the link itself.
pub(super) fn set_bits_by_name(directory: &OwnedFd, name: &[u8], mode: Mode) -> SysResult<()> {
    let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if !matches!(kind_of(&found), FileKind::Regular | FileKind::Directory) {
        return Err(not_regular_error());
    }
    match chmodat(directory, name, mode, AtFlags::SYMLINK_NOFOLLOW) {
        // fchmodat(2) of Linux has no such flag, so the file is opened.
        Err(Errno::OPNOTSUPP) => {
            let file = open_regular(directory, name, OFlags::RDONLY)?;
            Ok(fchmod(file, mode)?)
        }
        result => Ok(result?),
    }
}

/// Returns whether new files get the group of a directory. On the BSDs and on Apple's systems they
/// always do; see open(2) there.
pub(super) fn inherits_group(directory_bits: u32) -> bool {
    !cfg!(target_os = "linux") || directory_bits & SET_GROUP != 0
}

pub(super) fn now() -> Timestamp {
    let now = clock_gettime(ClockId::Realtime);
    Timestamp {
        seconds: now.tv_sec,
        nanoseconds: u32::try_from(now.tv_nsec).unwrap_or_default(),
    }
}

/// The inode number and the birth time. These systems have no ID of the machine that a program can
/// read in the same way everywhere.
pub(super) fn identity(root: &OwnedFd) -> SysResult<String> {
    let inode = stat_of(&fstat(root)?).inode;
    let opened = File::from(root.try_clone()?);
    let birth = opened.metadata().and_then(|found| found.created()).ok();
    let birth = birth
        .and_then(|birth| birth.duration_since(SystemTime::UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_nanos());
    Ok(format!("{inode:x}:{birth:x}"))
}
