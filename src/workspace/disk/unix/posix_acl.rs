//! Extended attributes and access control lists on Linux; see xattr(7) and acl(5).

use rustix::buffer::spare_capacity;
use rustix::fd::OwnedFd;
use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr, getxattr, listxattr};
use rustix::io::Errno;

use crate::workspace::disk::calls::SysResult;

/// The extended attribute with the access control list of a file; see acl(5).
pub(super) const ACCESS_ACL: &[u8] = b"system.posix_acl_access";
/// The default access control list of a directory; see acl(5).
pub(super) const DEFAULT_ACL: &[u8] = b"system.posix_acl_default";
/// The limit in bytes on a list of names and on a value: `XATTR_LIST_MAX` and `XATTR_SIZE_MAX` of
/// xattr(7).
const MAX_ATTRIBUTE_BYTES: usize = 64 * 1024;
/// Attributes that belong to the content: capabilities, signatures and hashes. A new file must not
/// inherit them. The kernel itself drops or invalidates them when a file is written.
const BOUND_TO_CONTENTS: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// How calls for attributes reach a file.
pub(super) enum AttributeHandle<'f> {
    /// By its handle.
    Open(&'f OwnedFd),
    /// By its path below `/proc`, because the handle is `O_PATH`.
    Path(String),
}

/// Copies the attributes of `source` to `file`. `has_acl` states whether `file` got a list from its
/// directory.
pub(super) fn copy_attributes(
    source: &AttributeHandle<'_>,
    file: &OwnedFd,
    has_acl: bool,
) -> SysResult<()> {
    let names = ignore_unsupported(names_of(source))?;
    for name in split(&names).filter(|name| !BOUND_TO_CONTENTS.contains(name)) {
        let given = value_of(source, name)
            .and_then(|value| fsetxattr(file, name, &value, XattrFlags::empty()));
        match given {
            // The attribute was removed meanwhile, or the file system has none.
            Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => {}
            // Only the system can set this attribute, for example a security label.
            Err(Errno::PERM | Errno::ACCESS | Errno::INVAL) if !is_user_settable(name) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    // The new file got a list from its directory, and the existing file has none.
    if has_acl && !split(&names).any(|name| name == ACCESS_ACL) {
        fremovexattr(file, ACCESS_ACL)?;
    }
    Ok(())
}

/// Returns the names of the extended attributes, each with its final NUL.
fn names_of(source: &AttributeHandle<'_>) -> rustix::io::Result<Vec<u8>> {
    fill_buffer(|names| match source {
        AttributeHandle::Open(file) => flistxattr(file, spare_capacity(names)),
        AttributeHandle::Path(path) => listxattr(path, spare_capacity(names)),
    })
}

fn value_of(source: &AttributeHandle<'_>, name: &[u8]) -> rustix::io::Result<Vec<u8>> {
    fill_buffer(|value| match source {
        AttributeHandle::Open(file) => fgetxattr(file, name, spare_capacity(value)),
        AttributeHandle::Path(path) => getxattr(path, name, spare_capacity(value)),
    })
}

/// Returns whether an ordinary user can set the attribute. Failure to copy it is then an error.
fn is_user_settable(name: &[u8]) -> bool {
    name.starts_with(b"user.") || name == ACCESS_ACL
}

fn split(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    names
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
}

fn ignore_unsupported(names: rustix::io::Result<Vec<u8>>) -> SysResult<Vec<u8>> {
    match names {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(Vec::new()),
        names => Ok(names?),
    }
}

/// Calls `fill` with a small buffer. If that is too small, calls it again with the largest size
/// that can be needed.
pub(super) fn fill_buffer(
    mut fill: impl FnMut(&mut Vec<u8>) -> rustix::io::Result<usize>,
) -> rustix::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(512);
    match fill(&mut bytes) {
        Err(Errno::RANGE) => {
            bytes = Vec::with_capacity(MAX_ATTRIBUTE_BYTES);
            fill(&mut bytes)?;
        }
        result => drop(result?),
    }
    Ok(bytes)
}
