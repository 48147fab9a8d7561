//! Makes files and directories durable.

use rustix::fd::AsFd;
use rustix::fs::{OFlags, fsync, syncfs};
use rustix::io::Errno;

use super::Disk;
use super::contents::open_regular;
use super::handle::open_directory;
use super::sys_error::{SysError, SysResult};
use crate::path::RelPath;

impl Disk {
    pub(super) fn try_sync(&self, path: &RelPath) -> SysResult<()> {
        let (directory, name) = self.parents.parent_and_name(path)?;
        let opened = match open_regular(&directory, name, OFlags::RDONLY) {
            Err(trouble) if is_denied(&trouble) => {
                match open_regular(&directory, name, OFlags::WRONLY) {
                    Ok(file) => Ok(file),
                    // The file cannot be opened at all, so sync its whole file system.
                    Err(_) => {
                        return Ok(syncfs(open_directory(&directory, b".", OFlags::RDONLY)?)?);
                    }
                }
            }
            opened => opened,
        };
        sync_handle(&opened?)
    }
}

pub(super) fn sync_handle(file: impl AsFd) -> SysResult<()> {
    match fsync(&file) {
        // Some file systems cannot sync a directory alone; see fsync(2).
        Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(syncfs(&file)?),
        result => Ok(result?),
    }
}

fn is_denied(trouble: &SysError) -> bool {
    Errno::from_io_error(&trouble.source) == Some(Errno::ACCESS)
}
