//! The calls of the disk backend on Windows.
//!
//! Each function works with an open directory and a single name in it, as NT does; see `wpatch_nt`.
//! No function joins paths, and each opens a reparse point itself instead of its target. `names.rs`
//! refuses names that Win32 changes or reserves. `handle.rs` opens all files. Read it first, then
//! `contents.rs`.
//!
//! Windows has no permission bits. `stat` reports 0600 or 0400 for files and 0700 for directories.
//! It reports the user ID 0 for the current user and 1 for all others. No call exchanges two files.

mod attributes;
mod contents;
mod create;
mod entries;
mod errors;
mod handle;
mod lock;
mod names;
mod paths;
mod stat;
mod sync;

use std::os::windows::io::AsHandle;
use std::time::{Duration, SystemTime};

use super::calls::SysResult;
use crate::workspace::{EntryRights, InPlaceChange, Timestamp};

pub(super) use self::contents::{
    append_to_file, list_names, overwrite_file, read_file, read_file_end, read_target,
};
pub(super) use self::create::{
    Caches, OpenedAttributeSource, open_source_file, restore_directory, source_of_owner,
};
pub(super) use self::entries::{
    create_symlink, link, remove, remove_directory, rename, symlink_refusal,
};
pub(super) use self::errors::is_out_of_handles;
pub(super) use self::handle::{
    DirectoryHandle, Handle, open_directory_at, open_real_directory, resolve,
};
pub(super) use self::lock::{try_lock, try_lock_directory};
pub(super) use self::names::check_name;
pub(super) use self::paths::{
    FileId, create_private_directories, file_id, is_accessible, is_owned, is_world_writable,
    open_without_blocking, real_spelling,
};
pub(super) use self::stat::{stat, stat_handle};
pub(super) use self::sync::{start_writeback, sync, sync_all, sync_root, write_to_device};

/// Whether a directory cannot be renamed while a handle to a directory below it is open.
pub(super) const OPEN_DIRECTORIES_PREVENT_RENAMES: bool = true;

/// Returns the maximum number of files that this process may open, or `None` if there is no limit.
pub(super) fn max_handles() -> Option<u64> {
    None
}

/// Returns the user ID that [`stat`] reports for files of the current user.
pub(super) fn user() -> u32 {
    stat::OWN_USER
}

/// Returns the current time. File timestamps can be up to one tick, 15.6 ms, earlier.
pub(super) fn now() -> Timestamp {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.unwrap_or(Duration::ZERO);
    Timestamp {
        seconds: now.as_secs().try_into().unwrap_or_default(),
        nanoseconds: now.subsec_nanos(),
    }
}

/// Returns a text that distinguishes the directory `root` from a copy of it: the volume and the
/// number of the file.
///
/// On NTFS the number contains a count of its uses, so a new directory never gets the number of a
/// removed one. The time of creation says less, because some programs copy it.
pub(super) fn identity(root: &Handle) -> SysResult<String> {
    let found = wpatch_nt::information(root.as_handle())?;
    Ok(format!("{:x}:{:x}", found.volume, found.index))
}

/// Returns a text that distinguishes the directory `root` from earlier directories at its path.
pub(super) fn generation(root: &Handle) -> SysResult<String> {
    identity(root)
}

/// Returns the rights of this user on the entries of `directory`. They are not examined.
#[allow(clippy::unnecessary_wraps, reason = "other systems examine them")]
pub(super) fn entry_rights(_: &Handle) -> SysResult<EntryRights> {
    Ok(EntryRights::default())
}

/// Checks that this user can change the file `name` in place. This is not examined.
#[allow(clippy::unnecessary_wraps, reason = "other systems examine it")]
pub(super) fn check_in_place(_: &Handle, _: &[u8], _: InPlaceChange) -> SysResult<()> {
    Ok(())
}

/// Returns whether listings of `directory` contain names as they were stored.
pub(super) fn lists_stored_names(_: &Handle) -> bool {
    true
}
