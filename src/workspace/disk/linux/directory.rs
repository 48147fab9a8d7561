//! Making directories that nobody else may look into.

use rustix::fd::AsFd;
use rustix::fs::{AtFlags, Dir, Mode, OFlags, mkdirat, statat, unlinkat};
use rustix::io::Errno;

use super::attributes::{process_umask, set_bits_of};
use super::fault::{Attempt, Trouble};
use super::handle::open_directory;
use super::modes::Modes;
use super::stat::stat_of;
use crate::mode::FileKind;
use crate::workspace::{Fault, PASSING, Probe, Stat};

/// The bit that a directory takes over from the one above.
const INHERITED: u32 = 0o2000;

/// Makes a directory with these permission bits, also where the umask takes some away or the
/// directory above gives its group on.
///
/// Where the file system keeps no bits, it is enough that it was made.
pub(super) fn make_private(
    directory: impl AsFd,
    name: &[u8],
    bits: u32,
    modes: &Modes,
) -> Attempt<()> {
    mkdirat(&directory, name, Mode::from_raw_mode(bits))?;
    let result = match statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .map(|found| stat_of(&found))
    {
        Ok(found) if found.permissions == bits => Ok(()),
        Ok(found) if is_made(&found, bits) => set_bits_of(&directory, name, bits),
        // ntfs-3g with `permissions` takes the sticky bit only from chmod(2). One that stays has
        // files in it.
        Ok(found) if is_made(&found, bits & !PASSING) && is_empty(&directory, name) => {
            set_bits_of(&directory, name, bits)
        }
        Ok(found) if found.kind == FileKind::Directory && !keeps_modes(&directory, name, modes) => {
            Ok(())
        }
        // Another process had use for it and took it away, or has put its own in the place: as if
        // that had made it.
        Ok(_) | Err(Errno::NOENT) => return Err(Errno::EXIST.into()),
        Err(errno) => Err(errno.into()),
    };
    if matches!(&result, Err(trouble) if trouble.fault == Fault::Missing) {
        // Another process found it before its mode was looked at, took it for its own, and away.
        return Err(Trouble::new(Fault::Exists, Errno::EXIST));
    }
    if result.is_err() {
        // It is empty and useless; if it stays, that is no worse than the error that is returned.
        let _ = unlinkat(&directory, name, AtFlags::REMOVEDIR);
    }
    result
}

/// Returns whether the file system of the directory `name` keeps permission bits.
fn keeps_modes(above: impl AsFd, name: &[u8], modes: &Modes) -> bool {
    let opened = open_directory(above, name, OFlags::RDONLY);
    opened.map_or(true, |opened| modes.are_kept_in(&opened, Probe::Named))
}

/// Returns whether nothing is in the directory `name`.
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

/// Returns whether `found` may be what mkdir(2) made when it was asked for `bits`.
fn is_made(found: &Stat, bits: u32) -> bool {
    found.kind == FileKind::Directory && found.permissions & !INHERITED == bits & !process_umask()
}
