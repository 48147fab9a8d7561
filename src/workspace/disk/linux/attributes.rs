//! The attributes of a file: owner, group, extended attributes, permissions.

use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, Uid, XattrFlags, chmod, chownat, fchmod, fchown, fgetxattr,
    flistxattr, fremovexattr, fsetxattr, fstat, getxattr, listxattr, openat, statat,
};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::umask;

use super::contents::{not_regular_error, open_regular};
use super::initial_attributes::{ACCESS_ACL, InitialAttributes};
use super::stat::{kind_of, stat_of};
use super::sys_error::SysResult;
use crate::bytes::read_next;
use crate::mode::{FileKind, Permissions};
use crate::workspace::Stat;

/// The limit in bytes on a list of names and on a value: `XATTR_LIST_MAX` and `XATTR_SIZE_MAX` of
/// xattr(7).
const MAX_ATTRIBUTE_BYTES: usize = 64 * 1024;
/// Bytes of `/proc/self/status` that contain the umask. The first line has at most 70 bytes, and
/// the second line is the umask.
const STATUS_START: usize = 512;
/// Attributes that belong to the content: capabilities, signatures and hashes. A new file must not
/// inherit them. The kernel itself drops or invalidates them when a file is written.
const BOUND_TO_CONTENTS: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// An existing file that supplies the attributes of a new file. It is opened before the new file is
/// created.
pub(super) struct SourceAttributes {
    stat: Stat,
    file: OwnedFd,
    /// Its path below `/proc`, if the file cannot be opened for reading. The handle is then
    /// `O_PATH` and does not support attribute calls.
    proc_path: Option<String>,
}

impl SourceAttributes {
    pub(super) fn open(directory: impl AsFd, name: &[u8]) -> SysResult<Self> {
        let stat = stat_of(&statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)?);
        if stat.kind != FileKind::Regular {
            return Err(not_regular_error());
        }
        match open_regular(&directory, name, OFlags::RDONLY) {
            Err(trouble) if Errno::from_io_error(&trouble.source) == Some(Errno::ACCESS) => {
                let file = open_path_handle(&directory, name)?;
                let by_name = Some(proc_path_of(&file));
                Ok(Self {
                    stat,
                    file,
                    proc_path: by_name,
                })
            }
            file => Ok(Self {
                stat,
                file: file?,
                proc_path: None,
            }),
        }
    }

    /// Returns the names of the extended attributes, each with its final NUL.
    fn names(&self) -> rustix::io::Result<Vec<u8>> {
        fill_buffer(|names| match &self.proc_path {
            None => flistxattr(&self.file, spare_capacity(names)),
            Some(path) => listxattr(path, spare_capacity(names)),
        })
    }

    fn value(&self, name: &[u8]) -> rustix::io::Result<Vec<u8>> {
        fill_buffer(|value| match &self.proc_path {
            None => fgetxattr(&self.file, name, spare_capacity(value)),
            Some(path) => getxattr(path, name, spare_capacity(value)),
        })
    }

    /// Sets owner, group and extended attributes of `file`, as far as the caller is allowed to.
    /// Returns the part of `bits` that gives no user more access than before.
    pub(super) fn copy_to(
        &self,
        file: impl AsFd,
        birth: &InitialAttributes,
        bits: u32,
    ) -> SysResult<u32> {
        let bits = set_file_owner(&file, (self.stat.uid, self.stat.gid), birth, bits)?;
        self.copy_xattrs(&file, birth)?;
        Ok(bits)
    }

    fn copy_xattrs(&self, file: impl AsFd, birth: &InitialAttributes) -> SysResult<()> {
        let names = ignore_unsupported(self.names())?;
        for name in split(&names).filter(|name| !BOUND_TO_CONTENTS.contains(name)) {
            let given = self
                .value(name)
                .and_then(|value| fsetxattr(&file, name, &value, XattrFlags::empty()));
            match given {
                // The attribute was removed meanwhile, or the file system has none.
                Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => {}
                // Only the system can set this attribute, for example a security label.
                Err(Errno::PERM | Errno::ACCESS | Errno::INVAL) if !is_user_settable(name) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        // The new file got a list from its directory, and the existing file has none.
        if birth.has_acl && !split(&names).any(|name| name == ACCESS_ACL) {
            fremovexattr(&file, ACCESS_ACL)?;
        }
        Ok(())
    }
}

/// Sets owner and group of `file` and removes its access control list. Returns the part of `bits`
/// that the file can have.
pub(super) fn clear_acl(
    file: impl AsFd,
    owner: (u32, u32),
    birth: &InitialAttributes,
    bits: u32,
) -> SysResult<u32> {
    let bits = set_file_owner(&file, owner, birth, bits)?;
    if birth.has_acl {
        fremovexattr(&file, ACCESS_ACL)?;
    }
    Ok(bits)
}

fn set_file_owner(
    file: impl AsFd,
    (uid, gid): (u32, u32),
    birth: &InitialAttributes,
    bits: u32,
) -> SysResult<u32> {
    let owner = (birth.uid != uid).then(|| Uid::from_raw(uid));
    let group = (birth.gid != gid).then(|| Gid::from_raw(gid));
    if owner.is_none() && group.is_none() {
        return Ok(bits);
    }
    if is_permitted(fchown(&file, owner, group))? {
        return Ok(bits);
    }
    // An ordinary user cannot give a file away, but can set the group to any group of that user.
    let has_group = group.is_none() || is_permitted(fchown(&file, None, group))?;
    Ok(safe_bits(bits, owner.is_none(), has_group))
}

/// Sets owner and group of the file or link `name`, as far as the caller is allowed to. An empty
/// `name` means `directory` itself.
pub(super) fn set_owner(
    directory: impl AsFd,
    name: &[u8],
    (uid, gid): (u32, u32),
) -> SysResult<()> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH;
    let is = stat_of(&statat(&directory, name, flags)?);
    if (is.uid, is.gid) == (uid, gid) {
        return Ok(());
    }
    let give = |owner, group| is_permitted(chownat(&directory, name, owner, group, flags));
    let (owner, group) = (Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)));
    if !give(owner, group)? {
        give(None, group)?;
    }
    Ok(())
}

/// Returns the part of `bits` that gives no user more access than before, if the new file could not
/// get the previous owner or group. Members of the previous group then count as others. Some others
/// are members of the new group.
fn safe_bits(bits: u32, has_owner: bool, has_group: bool) -> u32 {
    let mut safe = bits;
    if !has_owner {
        safe &= !0o4000;
    }
    if !has_group {
        // Group and others get the access that both had before. The set-group-ID bit is removed.
        let both = (bits >> 3) & bits & 0o007;
        safe = (safe & !0o2077) | (both << 3) | both;
    }
    safe
}

/// Returns whether the system permitted a call.
pub(super) fn is_permitted(result: rustix::io::Result<()>) -> SysResult<bool> {
    match result {
        Ok(()) => Ok(true),
        // EINVAL: the ID is not mapped in this user namespace; see user_namespaces(7).
        Err(Errno::PERM | Errno::INVAL) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
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

/// Returns the permission bits for `permissions` under a umask.
pub(super) fn bits_of(permissions: Permissions, umask: impl FnOnce() -> u32) -> u32 {
    match permissions {
        Permissions::New { executable: false } => 0o666 & !umask(),
        Permissions::New { executable: true } => 0o777 & !umask(),
        Permissions::Exact(bits) => bits & 0o7777,
    }
}

/// Returns the umask of the process.
pub(super) fn process_umask() -> u32 {
    read_umask().unwrap_or_else(probe_umask)
}

/// Reads the umask from the line `Umask:` of `proc_pid_status(5)`, in octal. Linux 4.7 and later
/// have it.
fn read_umask() -> Option<u32> {
    let status = open_regular(CWD, b"/proc/self/status", OFlags::RDONLY).ok()?;
    let status = read_next(&status.into(), STATUS_START).ok()?;
    let line = status
        .split(|&byte| byte == b'\n')
        .find_map(|line| line.strip_prefix(b"Umask:"))?;
    u32::from_str_radix(str::from_utf8(line).ok()?.trim(), 8).ok()
}

/// Reads the umask by changing it, which is the only other way; see umask(2). The change affects
/// all threads. The temporary value grants too little rather than too much.
fn probe_umask() -> u32 {
    let old = umask(Mode::from_raw_mode(0o077));
    umask(old);
    old.as_raw_mode()
}

pub(super) fn set_bits(file: impl AsFd, bits: u32) -> SysResult<()> {
    Ok(retry_on_intr(|| fchmod(&file, Mode::from_raw_mode(bits)))?)
}

/// Sets the permission bits of the file or directory `name`, even if it cannot be opened for
/// reading.
///
/// `fchmodat` follows links, and `fchmod` does not accept an `O_PATH` handle. The call therefore
/// uses the path of the handle below `/proc`; see the notes on `O_PATH` in open(2).
pub(super) fn set_bits_by_name(directory: impl AsFd, name: &[u8], bits: u32) -> SysResult<()> {
    let file = open_path_handle(&directory, name)?;
    let found = fstat(&file)?;
    if !matches!(kind_of(&found), FileKind::Regular | FileKind::Directory) {
        return Err(not_regular_error());
    }
    match chmod(proc_path_of(&file), Mode::from_raw_mode(bits)) {
        // `/proc` is not mounted.
        Err(Errno::NOENT | Errno::NOTDIR) => {
            set_bits(open_regular(&directory, name, OFlags::RDONLY)?, bits)
        }
        result => Ok(result?),
    }
}

fn open_path_handle(directory: impl AsFd, name: &[u8]) -> SysResult<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| {
        openat(&directory, name, flags, Mode::empty())
    })?)
}

pub(super) fn proc_path_of(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_gains_access_by_a_lost_owner_or_group() {
        assert_eq!(safe_bits(0o6664, true, true), 0o6664);
        assert_eq!(safe_bits(0o6775, false, true), 0o2775);
        assert_eq!(safe_bits(0o6775, true, false), 0o4755);
        assert_eq!(safe_bits(0o664, true, false), 0o644);
        assert_eq!(safe_bits(0o607, true, false), 0o600);
        assert_eq!(safe_bits(0o646, true, false), 0o644);
        assert_eq!(safe_bits(0o660, false, false), 0o600);
    }

    #[test]
    fn both_ways_to_the_umask_agree() {
        let reported = read_umask();
        assert!(reported.is_none_or(|umask| umask == probe_umask()));
    }
}
