//! The program in the world as it is.
//!
//! Tests of any module use [`system`] for what differs between operating systems. A test that needs
//! more is marked, or a whole file if most of its tests are:
//!
//! - `cfg(unix)`: symbolic links, permission bits, FIFOs, signals, scripts of a shell; git and GNU
//!   patch, which Wine cannot start; names that Windows cannot store or does not tell apart.
//! - `cfg(target_os = "linux")`: strace, mounts, terminals, other users, `/proc`.
//! - `cfg(not(wpatch_plain_unix))`: renames with flags and `syncfs`, also where a trace names the
//!   calls; extended attributes and access control lists; the coarse clock, the ID of the machine and
//!   the type of a file system. A build with `--cfg wpatch_plain_unix` makes the
//!   calls of POSIX only, as on a system without a backend of its own: a file is absent for a moment
//!   while it is replaced, and each file is synced by itself.
//!
//! The other modules here are about disks of Linux: full, mounted below the root, read-only, locked
//! by attributes, without the calls that a commit would rather make. Each test mounts what it needs
//! where nobody else sees it, and fails where that is not permitted. `WPATCH_FAULTS=all` takes
//! every kill and every amount of free space in place of a sample.

#[cfg(target_os = "linux")]
mod attributes;
#[cfg(target_os = "linux")]
mod denied;
#[cfg(target_os = "linux")]
mod disks;
#[cfg(target_os = "linux")]
mod folding;
#[cfg(target_os = "linux")]
mod full;
#[cfg(target_os = "linux")]
mod images;
#[cfg(all(target_os = "linux", not(wpatch_plain_unix)))]
mod inode_flags;
#[cfg(target_os = "linux")]
mod modes;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod refusals;
mod system;

#[cfg(target_os = "linux")]
use disks::{Scene, is_refused_by_the_disk, mount_memory, must, reported, survives_kills};
pub(crate) use system::*;
