//! The verbs of the disk. Each resolves a directory and works with single names in it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fd::OwnedFd;
use rustix::fs::{
    Advice, AtFlags, Mode, OFlags, fadvise, fstat, linkat, mkdirat, statat, symlinkat, syncfs,
    unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::time::{ClockId, clock_gettime};

use super::attributes::{set_bits, set_bits_by_name, set_owner};
use super::contents::{
    list_names, open_regular, overwrite_file, read_file, read_target, write_bytes,
};
use super::directory::make_private;
use super::handle::open_directory;
use super::machine::machine_id;
use super::stat::stat_of;
use super::sync::sync_handle;
use super::sys_error::{SysError, SysResult, link_error, symlink_error};
use super::{Disk, lock};
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::text::Bytes;
use crate::workspace::{
    AttributeSource, Directory, DirectoryPermissions, EXTERNAL_HISTORY_NAME, ErrorKind,
    GitDirectory, Lock, ModeProbe, RenameMode, Result, Spellings, Stat, TEMPORARY, Timestamp,
    WorkTree, Workspace,
};

/// Permission bits of a directory that only its owner can access.
const PRIVATE: u32 = 0o700;

impl Workspace for Disk {
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>> {
        let found = self.run_verb("stat", Some(path), || self.lstat(path));
        match found {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if matches!(error.kind, ErrorKind::Missing | ErrorKind::NotDirectory) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<(Bytes, Stat)> {
        self.run_verb("read", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            read_file(&directory, name, limit)
        })
    }

    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>> {
        self.run_verb("read link", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            read_target(&directory, name)
        })
    }

    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        self.run_verb("list", directory, || {
            let opened = match directory {
                None => open_directory(self.parents.root(), b".", OFlags::RDONLY)?,
                Some(path) => self.parents.open(path)?,
            };
            list_names(&opened)
        })
    }

    fn create(
        &self,
        path: &RelPath,
        slices: &[&[u8]],
        permissions: Permissions,
        like: Option<AttributeSource<'_>>,
    ) -> Result<()> {
        self.run_verb("create", Some(path), || {
            self.try_create(path, slices, permissions, like)
        })
    }

    fn append(&self, path: &RelPath, bytes: &[u8]) -> Result<()> {
        self.run_verb("write", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            write_bytes(
                open_regular(&directory, name, OFlags::WRONLY | OFlags::APPEND)?,
                bytes,
            )
        })
    }

    fn overwrite(&self, path: &RelPath, bytes: &[u8], was: &Stat) -> Result<()> {
        self.run_verb("overwrite", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            overwrite_file(&directory, name, bytes, was)
        })
    }

    fn symlink(&self, target: &[u8], path: &RelPath, like: Option<&RelPath>) -> Result<()> {
        self.run_verb("create link", Some(path), || {
            let model = like
                .map(|like| self.lstat(like).map_err(|trouble| trouble.with_path(like)))
                .transpose()?;
            let (directory, name) = self.parents.parent_and_name(path)?;
            symlinkat(target, &directory, name).map_err(symlink_error)?;
            let result = model.map_or(Ok(()), |model| {
                set_owner(&directory, name, (model.uid, model.gid))
            });
            if result.is_err() {
                // Remove the link. If that fails too, the original error is still the one to
                // return.
                let _ = unlinkat(&directory, name, AtFlags::empty());
            }
            result
        })
    }

    fn link(&self, from: &RelPath, to: &RelPath) -> Result<()> {
        self.run_verb("link", Some(from), || {
            let (old_directory, old) = self.parents.parent_and_name(from)?;
            let (new_directory, new) = self
                .parents
                .parent_and_name(to)
                .map_err(|trouble| trouble.with_path(to))?;
            linkat(&old_directory, old, &new_directory, new, AtFlags::empty()).map_err(|errno| {
                match errno {
                    // linkat(2) reports EEXIST for the new name, so the error names `to`.
                    Errno::EXIST => link_error(errno).with_path(to),
                    errno => link_error(errno),
                }
            })
        })
    }

    fn rename(&self, from: &RelPath, to: &RelPath, how: RenameMode) -> Result<()> {
        self.run_verb("rename", Some(from), || self.try_rename(from, to, how))
    }

    fn remove(&self, path: &RelPath) -> Result<()> {
        self.run_verb("remove", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            Ok(unlinkat(&directory, name, AtFlags::empty())?)
        })
    }

    fn make_dir(&self, path: &RelPath, privacy: DirectoryPermissions) -> Result<()> {
        self.run_verb("create directory", Some(path), || {
            if let Some(history) = self
                .parents
                .external_history()
                .filter(|_| path.as_bytes() == EXTERNAL_HISTORY_NAME.as_bytes())
            {
                history.create_parents()?;
            }
            let (directory, name) = self.parents.parent_and_name(path)?;
            let result = match privacy {
                DirectoryPermissions::Private => {
                    make_private(&directory, name, PRIVATE, &self.mode_support)
                }
                DirectoryPermissions::Temporary => {
                    make_private(&directory, name, PRIVATE | TEMPORARY, &self.mode_support)
                }
                DirectoryPermissions::Shared => {
                    Ok(mkdirat(&directory, name, Mode::from_raw_mode(0o777))?)
                }
            };
            // A handle cached for this path can belong to a directory that was removed before.
            self.parents.forget([path]);
            result
        })
    }

    fn remove_dir(&self, path: &RelPath) -> Result<()> {
        self.run_verb("remove directory", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            let result = unlinkat(&directory, name, AtFlags::REMOVEDIR);
            self.parents.forget([path]);
            result.map_err(|errno| match errno {
                // POSIX allows rmdir(2) to fail with EEXIST instead of ENOTEMPTY.
                Errno::EXIST => SysError::new(ErrorKind::NotEmpty, errno),
                errno => errno.into(),
            })
        })
    }

    fn set_permissions(&self, path: &RelPath, permissions: Permissions) -> Result<()> {
        self.run_verb("change mode", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            set_bits_by_name(&directory, name, self.bits_of(permissions))
        })
    }

    fn restore_dir(&self, path: &RelPath, bits: u32, owner: (u32, u32)) -> Result<()> {
        self.run_verb("restore", Some(path), || {
            let (above, name) = self.parents.parent_and_name(path)?;
            let directory = open_directory(&above, name, OFlags::RDONLY)?;
            set_owner(&directory, b"", owner)?;
            if stat_of(&fstat(&directory)?).permissions == bits {
                Ok(())
            } else {
                set_bits(&directory, bits)
            }
        })
    }

    /// Linux implements `POSIX_FADV_DONTNEED` by starting the write-back of changed pages; see
    /// mm/fadvise.c and `posix_fadvise(2)`.
    fn start_writeback(&self, path: &RelPath) {
        let file = self
            .parents
            .parent_and_name(path)
            .and_then(|(directory, name)| open_regular(&directory, name, OFlags::RDONLY));
        if let Ok(file) = file {
            let _ = fadvise(&file, 0, None, Advice::DontNeed);
        }
    }

    fn sync(&self, path: Directory<'_>) -> Result<()> {
        self.run_verb("sync", path, || match path {
            None => sync_handle(self.parents.root()),
            Some(path) => self.try_sync(path),
        })
    }

    fn sync_all(&self) -> Result<()> {
        self.run_verb("sync", None, || Ok(syncfs(self.parents.root())?))
    }

    fn lock(&self, path: &RelPath, patience: Duration) -> Result<Option<Lock>> {
        self.wait_for_lock(path, patience, |directory, name| {
            lock::try_lock(directory, name)
        })
    }

    fn lock_dir(&self, path: &RelPath, patience: Duration) -> Result<Option<Lock>> {
        self.wait_for_lock(path, patience, |above, name| {
            lock::try_lock_dir(above, name)
        })
    }

    fn now(&self) -> Timestamp {
        // Linux uses this clock for file timestamps. It can be some milliseconds earlier than
        // `CLOCK_REALTIME`; see clock_gettime(2).
        let now = clock_gettime(ClockId::RealtimeCoarse);
        Timestamp {
            seconds: now.tv_sec,
            nanoseconds: u32::try_from(now.tv_nsec).unwrap_or_default(),
        }
    }

    fn user(&self) -> u32 {
        geteuid().as_raw()
    }

    fn can_store_modes(&self, directory: Directory<'_>, probe: ModeProbe) -> bool {
        self.open_handle(directory).map_or(true, |opened| {
            self.mode_support.can_store_modes(&opened, probe)
        })
    }

    fn spellings(&self) -> Option<&dyn Spellings> {
        Some(self)
    }

    fn identity(&self) -> Result<String> {
        self.run_verb("stat", None, || {
            let root = stat_of(&fstat(self.parents.root())?);
            // The device number is left out, because it can change when the system restarts.
            let machine = machine_id().map_err(|error| SysError::new(ErrorKind::Other, error))?;
            Ok(format!("{:x}:{machine}", root.inode))
        })
    }

    fn close_cached_handles(&self) {
        self.close_handles();
    }

    fn git_index_file(&self, directory: &[u8]) -> Result<()> {
        self.parents
            .git_index_file()
            .set(Path::new(OsStr::from_bytes(directory)));
        self.close_handles();
        Ok(())
    }

    fn real_path(&self, path: &RelPath) -> Vec<u8> {
        let outside = self.outside_path(path);
        outside.map_or_else(
            || path.as_bytes().to_vec(),
            |real| real.into_os_string().into_encoded_bytes(),
        )
    }

    fn external_history(&self) -> Option<RelPath> {
        self.parents
            .external_history()
            .map(|history| history.directory_of_root().clone())
    }

    fn has_unusable_history(&self) -> bool {
        self.history_parent.is_some() && self.parents.external_history().is_none()
    }

    fn work_tree(&self) -> Result<Option<WorkTree<'_>>> {
        self.find_work_tree()
    }

    fn git_directory(&self) -> Result<GitDirectory> {
        self.find_git_directory()
    }

    fn visit_names(
        &self,
        most: usize,
        visit: &mut dyn FnMut(Directory<'_>, &[u8], FileKind),
    ) -> bool {
        self.visit_names(most, visit)
    }

    fn link_targets(&self, path: &RelPath) -> Vec<RelPath> {
        self.link_ways(path)
    }

    fn git_directory_paths(&self, directory: Directory<'_>) -> Vec<RelPath> {
        self.git_ways(directory)
    }

    fn hook_directory_paths(&self) -> Vec<Option<RelPath>> {
        self.hook_ways()
    }

    fn configuration_ways(&self) -> Vec<RelPath> {
        self.configuration_ways()
    }

    fn absolute_root(&self) -> Option<PathBuf> {
        self.root.canonicalize().ok()
    }

    fn absolute_path(&self, path: &RelPath) -> Option<PathBuf> {
        Some(self.absolute_path_of(path))
    }
}

impl Disk {
    /// Tries to lock the file or directory `path` until this succeeds or `patience` has elapsed.
    fn wait_for_lock(
        &self,
        path: &RelPath,
        patience: Duration,
        try_lock: impl Fn(&OwnedFd, &[u8]) -> SysResult<lock::LockAttempt>,
    ) -> Result<Option<Lock>> {
        self.run_verb("lock", Some(path), || {
            let look = || {
                // Resolve the directory again each time: the process that holds the lock may remove
                // it when it finishes, and another process may create it again.
                self.close_handles();
                let (directory, name) = self.parents.parent_and_name(path)?;
                try_lock(&directory, name)
            };
            Ok(lock::wait(patience, look)?.map(Lock::new))
        })
    }

    fn lstat(&self, path: &RelPath) -> SysResult<Stat> {
        let (directory, name) = self.parents.parent_and_name(path)?;
        Ok(stat_of(&statat(
            &directory,
            name,
            AtFlags::SYMLINK_NOFOLLOW,
        )?))
    }
}
