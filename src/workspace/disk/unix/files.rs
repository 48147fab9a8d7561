//! Opens files and sets their permission bits.

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags, RawMode, fchmod, openat};
use rustix::io::{Errno, retry_on_intr};

use crate::workspace::ErrorKind;
use crate::workspace::disk::calls::{SysError, SysResult};

/// Opens `name`, which was a regular file a moment ago. If another file replaced it, the call
/// neither waits for the other end of a FIFO nor acquires a controlling terminal.
pub(super) fn open_regular(
    directory: impl AsFd,
    name: &[u8],
    access: OFlags,
) -> SysResult<OwnedFd> {
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    retry_on_intr(|| openat(&directory, name, flags, Mode::from_raw_mode(0o600))).map_err(|errno| {
        match errno {
            // `O_NOFOLLOW` fails with ELOOP if the name is a symbolic link, on FreeBSD with EMLINK.
            Errno::LOOP | Errno::MLINK => not_regular_error(),
            errno => errno.into(),
        }
    })
}

/// Creates the file `name` with mode 0600 and opens it for writing.
pub(super) fn create_file(directory: impl AsFd, name: &[u8]) -> SysResult<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| {
        openat(&directory, name, flags, Mode::from_raw_mode(0o600))
    })?)
}

pub(super) fn not_regular_error() -> SysError {
    SysError::without_errno(ErrorKind::NotRegular, "not a regular file")
}

pub(super) fn set_bits(file: impl AsFd, bits: u32) -> SysResult<()> {
    Ok(retry_on_intr(|| fchmod(&file, mode_of(bits)))?)
}

/// Returns `bits` in the type of the system.
#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "the type has 16 bits on some systems"
)]
pub(super) fn mode_of(bits: u32) -> Mode {
    Mode::from_raw_mode(RawMode::try_from(bits & 0o7777).unwrap_or_default())
}

/// Returns the permission bits of `mode`.
#[allow(
    clippy::useless_conversion,
    reason = "the type has 16 bits on some systems"
)]
pub(super) fn bits_of_mode(mode: Mode) -> u32 {
    mode.as_raw_mode().into()
}
