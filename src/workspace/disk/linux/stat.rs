//! Converts the attributes that `stat` returns.

use rustix::fs::FileType;

use crate::mode::FileKind;
use crate::workspace::{Stat, Timestamp};

#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "the fields have other types on other processors"
)]
pub(super) fn stat_of(stat: &rustix::fs::Stat) -> Stat {
    Stat {
        kind: kind_of(stat),
        permissions: stat.st_mode & 0o7777,
        uid: stat.st_uid,
        gid: stat.st_gid,
        links: stat.st_nlink.into(),
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: Timestamp {
            seconds: stat.st_mtime.into(),
            nanoseconds: u32::try_from(stat.st_mtime_nsec).unwrap_or_default(),
        },
        device: stat.st_dev.into(),
        inode: stat.st_ino.into(),
        has_no_xattrs: false,
    }
}

pub(super) fn kind_of(stat: &rustix::fs::Stat) -> FileKind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => FileKind::Regular,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Special,
    }
}
