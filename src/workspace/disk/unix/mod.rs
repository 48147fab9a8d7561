//! The calls of the disk backend on Unix systems.
//!
//! Each function works with an open directory and a single name in it. `system.rs` lists the calls
//! that differ between the Unix systems, with the calls of POSIX. `linux.rs` and `apple.rs` replace
//! some of them, `plain.rs` none, and only this file selects one of the three. `--cfg
//! wpatch_plain_unix` selects `plain` everywhere, so that tests on Linux run the code of the other
//! systems. Read `contents.rs` first, then `system.rs`.

mod access;
#[cfg(all(target_vendor = "apple", not(wpatch_plain_unix)))]
mod apple;
mod attributes;
mod contents;
mod create;
mod directory;
mod errno;
mod files;
mod handle;
#[cfg(all(target_os = "linux", not(wpatch_plain_unix)))]
mod inode_flags;
#[cfg(all(target_os = "linux", not(wpatch_plain_unix)))]
mod linux;
mod lock;
mod modes;
mod names;
mod paths;
#[cfg(any(
    wpatch_plain_unix,
    not(any(target_os = "linux", target_vendor = "apple"))
))]
mod plain;
#[cfg(all(target_os = "linux", not(wpatch_plain_unix)))]
mod posix_acl;
mod stat;
mod sync;
mod system;

#[cfg(all(target_vendor = "apple", not(wpatch_plain_unix)))]
use apple::Apple as Current;
#[cfg(all(target_os = "linux", not(wpatch_plain_unix)))]
use linux::Linux as Current;
#[cfg(any(
    wpatch_plain_unix,
    not(any(target_os = "linux", target_vendor = "apple"))
))]
use plain::Plain as Current;

use rustix::process::{Resource, geteuid, getrlimit};

use self::system::System;
use crate::workspace::Timestamp;

pub(super) use self::access::{check_in_place, entry_rights};
pub(super) use self::contents::{
    append_to_file, list_names, overwrite_file, read_file, read_file_end, read_target,
};
pub(super) use self::create::{Caches, OpenedAttributeSource, open_source_file, source_of_owner};
pub(super) use self::directory::restore_directory;
pub(super) use self::errno::is_out_of_handles;
pub(super) use self::handle::{
    DirectoryHandle, Handle, open_directory_at, open_real_directory, resolve,
};
pub(super) use self::lock::{try_lock, try_lock_directory};
pub(super) use self::names::{create_symlink, link, remove, remove_directory, rename};
pub(super) use self::paths::{
    FileId, create_private_directories, file_id, is_accessible, is_owned, is_world_writable,
    open_without_blocking, real_spelling,
};
pub(super) use self::stat::{stat, stat_handle};
pub(super) use self::sync::{start_writeback, sync, sync_all, sync_root, write_to_device};

/// Whether a directory cannot be renamed while a handle to a directory below it is open.
pub(super) const OPEN_DIRECTORIES_PREVENT_RENAMES: bool = false;

/// Checks that every component of `path` can be the name of a file. Every name can.
///
/// # Errors
///
/// Returns the reason if it cannot.
#[allow(clippy::unnecessary_wraps, reason = "other systems refuse some names")]
pub(super) fn check_name(_: &[u8]) -> Result<(), &'static str> {
    Ok(())
}

/// Returns the reason why this user cannot create symbolic links, if there is one.
pub(super) fn symlink_refusal() -> Option<&'static str> {
    None
}

/// Returns the maximum number of files that this process may open, or `None` if there is no limit.
pub(super) fn max_handles() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Returns the effective user ID.
pub(super) fn user() -> u32 {
    geteuid().as_raw()
}

/// Returns the time of the clock that file timestamps use.
pub(super) fn now() -> Timestamp {
    Current::now()
}

/// Returns a text that distinguishes the directory `root` from a copy of it.
pub(super) fn identity(root: &Handle) -> super::calls::SysResult<String> {
    Current::identity(root)
}

/// Returns a text that distinguishes the directory `root` from earlier directories at its path. It
/// is the same after the file system was mounted again.
pub(super) fn generation(root: &Handle) -> super::calls::SysResult<String> {
    Current::generation(root)
}

/// Returns whether listings of `directory` contain names as they were stored.
pub(super) fn lists_stored_names(directory: &Handle) -> bool {
    Current::lists_stored_names(directory)
}
