//! Creates namespaces.

use std::io;

use rustix::thread::UnshareFlags;

/// Moves this process to new namespaces.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // The flags do not contain `FILES`, which is the reason why `unshare` is deprecated.
    #[allow(deprecated, reason = "safe without `FILES`")]
    rustix::thread::unshare(flags).map_err(|error| {
        io::Error::other(format!(
            "cannot create namespaces: {}",
            io::Error::from(error)
        ))
    })
}
