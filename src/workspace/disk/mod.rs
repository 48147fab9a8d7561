//! The real file system. Only this module selects code by operating system.
//!
//! To add a system, add `disk/<system>` with a `Disk` that has `open` and implements
//! [`Workspace`](super::Workspace), and select it here. `--cfg wpatch_no_disk` builds the code for
//! unsupported systems.

#[cfg(all(target_os = "linux", not(wpatch_no_disk)))]
mod linux;
#[cfg(feature = "cli")]
pub(crate) mod os_paths;
#[cfg(not(all(target_os = "linux", not(wpatch_no_disk))))]
mod unsupported;

#[cfg(all(target_os = "linux", not(wpatch_no_disk)))]
pub use linux::Disk;
#[cfg(not(all(target_os = "linux", not(wpatch_no_disk))))]
pub use unsupported::Disk;
