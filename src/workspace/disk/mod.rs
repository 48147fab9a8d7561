//! The real file system. Only this module selects code by operating system.
//!
//! `common` has the backend, `unix` and `windows` have the calls of one system. To add a system, add
//! `disk/<system>` with the functions that `common` takes from `system`, and select it here. `--cfg
//! wpatch_no_disk` builds the code for unsupported systems.

pub(crate) mod advice;
#[cfg(all(any(unix, windows), not(wpatch_no_disk)))]
mod calls;
#[cfg(all(any(unix, windows), not(wpatch_no_disk)))]
mod common;
#[cfg(feature = "cli")]
pub(crate) mod os_paths;
#[cfg(all(unix, not(wpatch_no_disk)))]
mod per_directory;
#[cfg(all(unix, not(wpatch_no_disk)))]
mod unix;
#[cfg(any(wpatch_no_disk, not(any(unix, windows))))]
mod unsupported;
#[cfg(all(windows, not(wpatch_no_disk)))]
mod windows;

#[cfg(all(unix, not(wpatch_no_disk)))]
use unix as system;
#[cfg(all(windows, not(wpatch_no_disk)))]
use windows as system;

#[cfg(all(any(unix, windows), not(wpatch_no_disk)))]
pub use common::Disk;
#[cfg(any(wpatch_no_disk, not(any(unix, windows))))]
pub use unsupported::Disk;
