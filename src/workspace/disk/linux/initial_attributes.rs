//! The attributes that a file has when it is created. They depend only on its directory.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{fgetxattr, fstat};
use rustix::io::Errno;

use super::handle::{DirectoryHandle, MAX_AGE};
use super::stat::stat_of;
use super::sys_error::SysResult;
use crate::mutex::lock_unpoisoned;

/// The extended attribute with the access control list of a file; see acl(5).
pub(super) const ACCESS_ACL: &[u8] = b"system.posix_acl_access";

/// The attributes of a file that this process just created.
#[derive(Clone, Copy, Debug)]
pub(super) struct InitialAttributes {
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Whether the default list of the directory gave the file an access control list; see acl(5).
    pub(super) has_acl: bool,
}

impl InitialAttributes {
    pub(super) fn of(file: impl AsFd) -> SysResult<Self> {
        let stat = stat_of(&fstat(&file)?);
        Ok(Self {
            uid: stat.uid,
            gid: stat.gid,
            has_acl: has_list(file)?,
        })
    }
}

/// Returns whether `file` has an access control list.
fn has_list(file: impl AsFd) -> SysResult<bool> {
    match fgetxattr(file, ACCESS_ACL, &mut [0; 0][..]) {
        Ok(_) => Ok(true),
        Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// The limit on the number of cached directories. Each thread usually works in only one directory.
const MAX_DIRECTORIES: usize = 4;

/// Facts about some directories, cached together with a handle of each.
#[derive(Debug)]
pub(super) struct PerDirectoryCache<T>(Mutex<Vec<(DirectoryHandle, Instant, Arc<T>)>>);

impl<T> Default for PerDirectoryCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> PerDirectoryCache<T> {
    /// Returns the cached value for `directory`, or computes it with `compute`.
    pub(super) fn get(
        &self,
        directory: &DirectoryHandle,
        compute: impl FnOnce(&OwnedFd) -> SysResult<T>,
    ) -> SysResult<Arc<T>> {
        // The cache owns a clone of the handle, so no other directory can have the same pointer.
        let is_it =
            |(known, _, _): &&(DirectoryHandle, Instant, Arc<T>)| Arc::ptr_eq(known, directory);
        let known = lock_unpoisoned(&self.0)
            .iter()
            .find(is_it)
            .map(|(_, since, found)| (*since, Arc::clone(found)));
        if let Some((_, found)) = known.filter(|(since, _)| since.elapsed() <= MAX_AGE) {
            return Ok(found);
        }
        let since = Instant::now();
        let found = Arc::new(compute(directory)?);
        let mut kept = lock_unpoisoned(&self.0);
        kept.retain(|known| !is_it(&known));
        kept.truncate(MAX_DIRECTORIES - 1);
        kept.insert(0, (Arc::clone(directory), since, Arc::clone(&found)));
        Ok(found)
    }

    /// Closes the cached handles.
    pub(super) fn forget(&self) {
        lock_unpoisoned(&self.0).clear();
    }
}
