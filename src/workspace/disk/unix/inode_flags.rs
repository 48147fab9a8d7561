//! The inode flags of Linux, which chattr(1) sets; see `ioctl_iflags(2)`.

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};

use super::system::FileFlags;
use crate::workspace::Protection;

/// `FS_NOCOMP_FL`, which rustix has no name for.
const NO_COMPRESSION: IFlags = IFlags::from_bits_retain(0x400);

/// The flags that a new version of a file gets from the version before it.
///
/// Each of them belongs to the file, and its owner can set it. `IMMUTABLE` and `APPEND` are
/// missing, because the system lets no process replace such a file. The other flags state how the
/// file system stores the file (extents, encryption, verity), or concern directories.
const KEPT: IFlags = IFlags::SECURE_REMOVAL
    .union(IFlags::UNRM)
    .union(IFlags::COMPRESSED)
    .union(IFlags::SYNC)
    .union(IFlags::NODUMP)
    .union(IFlags::NOATIME)
    .union(NO_COMPRESSION)
    .union(IFlags::JOURNALING)
    .union(IFlags::NOTAIL)
    .union(IFlags::NOCOW);

/// Returns all inode flags of an open file, or `None` if its file system has none.
pub(super) fn all_flags(file: impl AsFd) -> Option<u32> {
    ioctl_getflags(file).ok().map(|flags| flags.bits())
}

/// Returns the meaning of `flags`, a result of [`all_flags`].
pub(super) fn file_flags(flags: u32) -> FileFlags {
    let flags = IFlags::from_bits_retain(flags);
    let protection = if flags.contains(IFlags::IMMUTABLE) {
        Some(Protection::Immutable)
    } else {
        flags
            .contains(IFlags::APPEND)
            .then_some(Protection::AppendOnly)
    };
    FileFlags {
        protection,
        kept: (flags & KEPT).bits(),
    }
}

/// Sets the flags of `file`, which is new and has the flags `initial`, to `wanted`, a value of
/// [`FileFlags::kept`], as far as the caller is allowed to and the file system can.
pub(super) fn set_flags(file: &OwnedFd, initial: u32, wanted: u32) {
    let mut current = IFlags::from_bits_retain(initial);
    let wanted = IFlags::from_bits_retain(wanted);
    // btrfs refuses to replace `NOCOW` by `COMPRESSED` in one call, so flags are cleared first.
    let (cleared, set) = ((current & KEPT) - wanted, wanted - current);
    for changed in [cleared, set] {
        if changed.is_empty() {
            continue;
        }
        if ioctl_setflags(file, current ^ changed).is_ok() {
            current ^= changed;
            continue;
        }
        // One flag can be refused alone: `chattr +j` needs a capability.
        for flag in changed.iter() {
            if ioctl_setflags(file, current ^ flag).is_ok() {
                current ^= flag;
            }
        }
    }
}
