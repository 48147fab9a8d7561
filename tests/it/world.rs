//! The program in the world as it is.
//!
//! Tests of any module use [`system`] for what differs between operating systems.
//!
//! The other modules are about disks of Linux: full, mounted below the root, read-only, locked by
//! attributes, without the calls that a commit would rather make. Each test mounts what it needs
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
#[cfg(target_os = "linux")]
mod modes;
#[cfg(target_os = "linux")]
mod mounts;
mod system;

#[cfg(target_os = "linux")]
use disks::{Scene, is_refused_by_the_disk, mount_memory, must, reported, survives_kills};
pub(crate) use system::*;
