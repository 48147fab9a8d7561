//! The real file system. The only place that knows on which system it runs.
//!
//! To add a system, write `disk/<system>` with a `Disk` that has `open` and is a
//! [`Workspace`](super::Workspace), and choose it here. `--cfg wpatch_no_disk` builds what other
//! systems get.

#[cfg(all(target_os = "linux", not(wpatch_no_disk)))]
mod linux;
#[cfg(not(all(target_os = "linux", not(wpatch_no_disk))))]
mod unsupported;

#[cfg(all(target_os = "linux", not(wpatch_no_disk)))]
pub use linux::Disk;
#[cfg(not(all(target_os = "linux", not(wpatch_no_disk))))]
pub use unsupported::Disk;
