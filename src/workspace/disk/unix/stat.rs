//! Converts the attributes that `stat` returns.

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, fstat, statat};

use crate::mode::FileKind;
use crate::workspace::disk::calls::SysResult;
use crate::workspace::{Stat, Timestamp};

#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "the fields have other types on other systems and processors"
)]
pub(super) fn stat_of(stat: &rustix::fs::Stat) -> Stat {
    Stat {
        kind: kind_of(stat),
        permissions: u32::from(stat.st_mode) & 0o7777,
        uid: stat.st_uid,
        gid: stat.st_gid,
        links: stat.st_nlink.into(),
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: Timestamp {
            seconds: stat.st_mtime.into(),
            nanoseconds: u32::try_from(stat.st_mtime_nsec).unwrap_or_default(),
        },
        device: device_of(stat),
        inode: stat.st_ino.into(),
        has_no_xattrs: false,
        protection: None,
        inode_flags: 0,
    }
}

/// Returns the number of the device. Some systems have a signed type.
#[allow(
    clippy::useless_conversion,
    clippy::cast_sign_loss,
    clippy::unnecessary_cast,
    reason = "the field has other types on other systems"
)]
fn device_of(stat: &rustix::fs::Stat) -> u64 {
    stat.st_dev as u64
}

pub(super) fn kind_of(stat: &rustix::fs::Stat) -> FileKind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => FileKind::Regular,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Special,
    }
}

/// Returns the attributes of the file `name`, without following a link.
pub(in crate::workspace::disk) fn stat(directory: &OwnedFd, name: &[u8]) -> SysResult<Stat> {
    Ok(stat_of(&statat(
        directory,
        name,
        AtFlags::SYMLINK_NOFOLLOW,
    )?))
}

/// Returns the attributes of an open file.
pub(in crate::workspace::disk) fn stat_handle(file: &OwnedFd) -> SysResult<Stat> {
    Ok(stat_of(&fstat(file)?))
}
