//! Renames a file or directory.

use rustix::fs::{RenameFlags, renameat, renameat_with};
use rustix::io::Errno;

use super::Disk;
use super::sys_error::{SysError, SysResult, sticky_error};
use crate::path::RelPath;
use crate::workspace::{ErrorKind, RenameMode};

impl Disk {
    pub(super) fn try_rename(
        &self,
        from: &RelPath,
        to: &RelPath,
        how: RenameMode,
    ) -> SysResult<()> {
        let (old_directory, old) = self.parents.parent_and_name(from)?;
        let (new_directory, new) = self
            .parents
            .parent_and_name(to)
            .map_err(|trouble| trouble.with_path(to))?;
        let result = match how {
            RenameMode::Exclusive => renameat_with(
                &old_directory,
                old,
                &new_directory,
                new,
                RenameFlags::NOREPLACE,
            ),
            RenameMode::Exchange => renameat_with(
                &old_directory,
                old,
                &new_directory,
                new,
                RenameFlags::EXCHANGE,
            ),
            RenameMode::Replace => renameat(&old_directory, old, &new_directory, new),
        };
        // An error does not prove that nothing was renamed, so drop the handles in any case.
        self.parents.forget([from, to]);
        result.map_err(|errno| match errno {
            // Without the flags, EINVAL only means that a directory would be moved below itself.
            // With them, it also means that the file system does not support the flags; see
            // rename(2).
            Errno::INVAL
                if how != RenameMode::Replace && !to.is_below(from) && !from.is_below(to) =>
            {
                SysError::new(ErrorKind::Unsupported, errno)
            }
            Errno::EXIST => SysError::from(errno).with_path(to),
            // EPERM can be caused by the sticky bit of either directory.
            Errno::PERM => sticky_error(&new_directory, new)
                .map(|trouble| trouble.with_path(to))
                .or_else(|| sticky_error(&old_directory, old))
                .unwrap_or_else(|| errno.into()),
            errno => errno.into(),
        })
    }
}
