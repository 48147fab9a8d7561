//! Making directories that nobody else may look into.

use rustix::fd::AsFd;
use rustix::fs::{AtFlags, Mode, mkdirat, statat, unlinkat};
use rustix::io::Errno;

use super::attributes::set_bits_of;
use super::fault::{Attempt, Trouble};
use super::stat::stat_of;
use crate::workspace::Fault;

/// Makes a directory with mode 0700, also where the umask takes that away or the directory above gives its group on.
pub(super) fn make_private(directory: impl AsFd, name: &[u8], bits: u32) -> Attempt<()> {
    mkdirat(&directory, name, Mode::from_raw_mode(bits))?;
    let result = match statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(made) if stat_of(&made).permissions == bits => Ok(()),
        Ok(_) => set_bits_of(&directory, name, bits),
        // Another process had use for it and took it away: as if that had made it.
        Err(Errno::NOENT) => return Err(Errno::EXIST.into()),
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
