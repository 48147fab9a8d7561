//! Opens directories.

use std::path::Path;
use std::sync::Arc;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::{Errno, retry_on_intr};

use super::Current;
use super::system::System;
use crate::workspace::ErrorKind;
use crate::workspace::disk::calls::{Access, SysError, SysResult};

/// An open file or directory.
pub(in crate::workspace::disk) type Handle = OwnedFd;

/// An open directory.
pub(in crate::workspace::disk) type DirectoryHandle = Arc<OwnedFd>;

/// Opens the directory at `path`, which may contain links.
pub(in crate::workspace::disk) fn open_directory_at(
    path: &Path,
    access: Access,
) -> SysResult<OwnedFd> {
    let flags = flags_of(access) | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| openat(CWD, path, flags, Mode::empty()))?)
}

/// Opens the directory at `path`, whose last component is not a link.
pub(in crate::workspace::disk) fn open_real_directory(
    path: &Path,
    access: Access,
) -> SysResult<OwnedFd> {
    let flags = flags_of(access) | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| openat(CWD, path, flags, Mode::empty()))?)
}

/// Opens the directory at `path` below `start` through real directories only. A link in the path is
/// the error [`ErrorKind::ThroughLink`].
pub(in crate::workspace::disk) fn resolve(
    start: &OwnedFd,
    path: &[u8],
    access: Access,
) -> SysResult<OwnedFd> {
    let flags = flags_of(access);
    Current::open_beneath(start, path, flags)
        .unwrap_or_else(|| open_by_components(start, path, flags))
}

fn flags_of(access: Access) -> OFlags {
    match access {
        Access::Resolve => Current::RESOLVE,
        Access::List => OFlags::RDONLY,
    }
}

/// Opens the directory at `path` below `start`, one component after the other.
pub(super) fn open_by_components(
    start: &OwnedFd,
    path: &[u8],
    access: OFlags,
) -> SysResult<OwnedFd> {
    let mut names = path.split(|&byte| byte == b'/');
    let last = names
        .next_back()
        .expect("BUG: split gives at least one component");
    let mut reached: Option<OwnedFd> = None;
    for name in names {
        let above = reached.as_ref().unwrap_or(start);
        reached = Some(open_directory(above, name, Current::RESOLVE)?);
    }
    open_directory(reached.as_ref().unwrap_or(start), last, access)
}

/// Opens the directory `name` in `above`. Fails if it is a link.
pub(super) fn open_directory(above: impl AsFd, name: &[u8], access: OFlags) -> SysResult<OwnedFd> {
    let flags = access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    retry_on_intr(|| openat(&above, name, flags, Mode::empty())).map_err(|errno| match errno {
        // FreeBSD returns EMLINK for a link; see open(2) there.
        Errno::NOTDIR | Errno::LOOP | Errno::MLINK if is_link(&above, name) => {
            SysError::new(ErrorKind::ThroughLink, Errno::LOOP)
        }
        errno => errno.into(),
    })
}

fn is_link(above: impl AsFd, name: &[u8]) -> bool {
    statat(above, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::fstat;

    use super::*;

    #[test]
    #[allow(
        clippy::disallowed_methods,
        reason = "the test creates the links that a verb must not follow"
    )]
    fn one_call_and_one_call_for_each_component_open_the_same_directories() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/b/c")).unwrap();
        fs::write(root.path().join("a/file"), b"").unwrap();
        for (target, link) in [
            ("b", "a/link"),
            ("..", "a/up"),
            ("/", "slash"),
            ("loop", "loop"),
            ("none", "dangling"),
        ] {
            symlink(target, root.path().join(link)).unwrap();
        }
        let opened = open_directory_at(root.path(), Access::List).unwrap();
        let found = |opened: SysResult<OwnedFd>| match opened {
            Ok(handle) => Ok(fstat(handle).unwrap().st_ino),
            Err(error) => Err(error.kind),
        };
        let paths = [
            "a",
            "a/b",
            "a/b/c",
            "a/link",
            "a/link/c",
            "a/up",
            "a/up/a",
            "slash",
            "slash/etc",
            "loop",
            "loop/x",
            "dangling",
            "dangling/x",
            "a/file",
            "a/file/x",
            "none",
            "a/none/x",
        ];
        let resolved = paths.map(|path| found(resolve(&opened, path.as_bytes(), Access::Resolve)));
        let stepwise = paths.map(|path| {
            found(open_by_components(
                &opened,
                path.as_bytes(),
                Current::RESOLVE,
            ))
        });
        assert_eq!(resolved.iter().filter(|found| found.is_ok()).count(), 3);
        assert_eq!(stepwise, resolved);
    }
}
