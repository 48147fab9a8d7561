//! Owners, access lists and hard links on Windows.

use std::fs::Metadata;
use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::path::{Path, PathBuf};

use fs_err::File;
use wpatch_nt::flags::{FILE_OPEN_REPARSE_POINT, FILE_READ_ATTRIBUTES, READ_CONTROL};
use wpatch_nt::{
    OpenOptions, grants_write_to_others, information, open_at, owner_is_administrative,
    owner_is_trusted, to_nt_path,
};

use crate::path::{MAX_LINKS, plain_path};
use crate::process::home;

/// The serial number of the volume and the number of the file.
pub(crate) type FileIdentity = (u64, u64);

/// Opens the file at `path` for reading. Opening a file never blocks.
pub(super) fn open_without_blocking(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Returns the number of hard links of the file at `path`, or `None` if the system does not report
/// it.
#[must_use]
pub(crate) fn count_hard_links(path: &Path, _: &Metadata) -> Option<u64> {
    let opened = open(path, FILE_READ_ATTRIBUTES, 0).ok()?;
    Some(information(opened.as_handle()).ok()?.links.into())
}

/// Returns the identity of the file to which `path` leads: two paths with the same identity lead to
/// the same file.
#[must_use]
pub(crate) fn file_identity(path: &Path) -> Option<FileIdentity> {
    let opened = open(path, FILE_READ_ATTRIBUTES, 0).ok()?;
    let found = information(opened.as_handle()).ok()?;
    Some((found.volume.into(), found.index))
}

/// Returns the first directory or link in the path of `file`, or the file itself, with which a user
/// other than the current one and the administrators can replace or change the file. Such a
/// directory belongs to another user, or its access list lets other users write to it. Directories
/// above the home directory are trusted, as ssh(1) does for its keys.
///
/// # Errors
///
/// Returns the error of the system, or an error if too many links lead to the file.
pub(crate) fn find_replaceable(file: &Path, _user: u32) -> io::Result<Option<PathBuf>> {
    let home = home();
    let homes = [
        home.as_ref()
            .and_then(|home| fs_err::canonicalize(home).map(plain_path).ok()),
        home,
    ];
    let mut path = std::path::absolute(file)?;
    for _ in 0..=MAX_LINKS {
        let mut link = None;
        let mut steps: Vec<_> = path.ancestors().collect();
        steps.reverse();
        for here in steps {
            let is_above_home = homes.iter().flatten().any(|home| home.starts_with(here));
            if !is_above_home && !is_trusted(here)? {
                return Ok(Some(here.to_owned()));
            }
            if let Ok(target) = fs_err::read_link(here) {
                link = Some((here.to_owned(), target));
                break;
            }
        }
        let Some((link, target)) = link else {
            return Ok(None);
        };
        let above = link.parent().unwrap_or(&link);
        let rest = path.strip_prefix(&link).map_err(io::Error::other)?;
        path = std::path::absolute(above.join(target).join(rest))?;
    }
    Err(io::Error::other("too many symbolic links lead to the file"))
}

/// Returns whether only the current user and administrators can change the file or directory at
/// `path`, without following a link.
fn is_trusted(path: &Path) -> io::Result<bool> {
    let opened = open(path, READ_CONTROL, FILE_OPEN_REPARSE_POINT)?;
    let file = opened.as_handle();
    Ok((owner_is_trusted(file)? || owner_is_administrative(file)?)
        && !grants_write_to_others(file)?)
}

fn open(path: &Path, access: u32, options: u32) -> io::Result<OwnedHandle> {
    let how = OpenOptions {
        access,
        options,
        ..OpenOptions::default()
    };
    open_at(None, &to_nt_path(&std::path::absolute(path)?), &how)
}
