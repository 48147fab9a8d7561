//! The attributes of a file: owner, group, permissions, access control list, extended attributes.

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid, chownat, fchown, fstat, statat};
use rustix::io::Errno;
use rustix::process::umask;

use super::Current;
use super::files::{bits_of_mode, not_regular_error, open_regular};
use super::stat::stat_of;
use super::system::{SourceAccess, System};
use crate::mode::{FileKind, Permissions};
use crate::workspace::Stat;
use crate::workspace::disk::calls::SysResult;

/// An existing file that supplies the attributes of a new file. It is opened before the new file is
/// created.
pub(in crate::workspace::disk) struct SourceAttributes {
    stat: Stat,
    file: OwnedFd,
    access: SourceAccess,
}

impl SourceAttributes {
    pub(super) fn open(directory: &OwnedFd, name: &[u8]) -> SysResult<Self> {
        let stat = stat_of(&statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?);
        if stat.kind != FileKind::Regular {
            return Err(not_regular_error());
        }
        let (file, access) = match open_regular(directory, name, OFlags::RDONLY) {
            Err(error) if Errno::from_io_error(&error.source) == Some(Errno::ACCESS) => {
                let file = Current::open_unreadable(directory, name)?;
                (file, SourceAccess::Unreadable)
            }
            opened => (opened?, SourceAccess::Read),
        };
        Ok(Self { stat, file, access })
    }

    /// Returns the inode flags that a new version of the file gets, if this user can read the file.
    pub(super) fn inode_flags(&self) -> Option<u32> {
        match self.access {
            SourceAccess::Read => {
                let found = fstat(&self.file).ok()?;
                Some(Current::file_flags(&self.file, &found).kept)
            }
            SourceAccess::Unreadable => None,
        }
    }

    /// Sets owner, group, access control list and extended attributes of `file`, as far as the
    /// caller is allowed to. Returns the part of `bits` that gives no user more access than before.
    pub(super) fn copy_to(
        &self,
        file: &OwnedFd,
        birth: &InitialAttributes,
        bits: u32,
    ) -> SysResult<u32> {
        let bits = set_file_owner(file, (self.stat.uid, self.stat.gid), birth, bits)?;
        Current::copy_attributes((&self.file, self.access), file, birth.has_acl)?;
        Ok(bits)
    }
}

/// The attributes of a file that this process just created. They depend only on its directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct InitialAttributes {
    pub(super) uid: u32,
    gid: u32,
    /// Whether the directory gave the file an access control list.
    has_acl: bool,
    /// The inode flags, or `None` if they cannot be set.
    flags: Option<u32>,
}

impl InitialAttributes {
    pub(super) fn of(file: &OwnedFd) -> SysResult<Self> {
        let stat = stat_of(&fstat(file)?);
        Ok(Self {
            uid: stat.uid,
            gid: stat.gid,
            has_acl: Current::has_acl(file)?,
            flags: Current::initial_flags(file),
        })
    }

    /// Sets the inode flags of `file` to `kept`, a result of [`SourceAttributes::inode_flags`].
    pub(super) fn set_flags(&self, file: &OwnedFd, kept: u32) {
        if let Some(initial) = self.flags {
            Current::set_flags(file, initial, kept);
        }
    }
}

/// The attributes that new files in one directory get. wpatch creates files elsewhere and moves them
/// there, so it must set these attributes itself.
#[derive(Debug)]
pub(in crate::workspace::disk) struct InheritedAttributes {
    group: Option<u32>,
    list: Option<Vec<u8>>,
}

impl InheritedAttributes {
    /// Reads the attributes of an open directory.
    pub(super) fn of(directory: &OwnedFd) -> SysResult<Self> {
        let stat = stat_of(&fstat(directory)?);
        Ok(Self {
            group: Current::inherits_group(stat.permissions).then_some(stat.gid),
            list: Current::default_acl(directory)?,
        })
    }

    /// Sets the attributes of `file` and returns its permission bits. These are `bits`, to which
    /// the umask is already applied, unless a default list replaces the umask.
    pub(super) fn copy_to(
        &self,
        file: &OwnedFd,
        birth: &InitialAttributes,
        permissions: Permissions,
        bits: u32,
    ) -> SysResult<u32> {
        if let Some(group) = self.group.filter(|group| *group != birth.gid) {
            // The kernel assigns the group of the directory even to a user who is not a member.
            // fchown(2) cannot, so such a file keeps its own group.
            is_permitted(fchown(file, None, Some(Gid::from_raw(group))))?;
        }
        let Some(list) = &self.list else {
            if birth.has_acl {
                Current::remove_acl(file)?;
            }
            return Ok(bits);
        };
        Current::set_acl(file, list)?;
        let most = match permissions {
            Permissions::New { executable: false } => 0o666,
            Permissions::New { executable: true } => 0o777,
            Permissions::Exact(_) => return Ok(bits),
        };
        // The mode shows the entries of the list for owner, mask and others. A later chmod(2)
        // changes these entries, just as creating a file with that mode does; see acl(5).
        Ok(stat_of(&fstat(file)?).permissions & most)
    }
}

/// Sets owner and group of `file` and removes its access control list. Returns the part of `bits`
/// that the file can have.
pub(super) fn clear_acl(
    file: &OwnedFd,
    owner: (u32, u32),
    birth: &InitialAttributes,
    bits: u32,
) -> SysResult<u32> {
    let bits = set_file_owner(file, owner, birth, bits)?;
    if birth.has_acl {
        Current::remove_acl(file)?;
    }
    Ok(bits)
}

fn set_file_owner(
    file: &OwnedFd,
    (uid, gid): (u32, u32),
    birth: &InitialAttributes,
    bits: u32,
) -> SysResult<u32> {
    let owner = (birth.uid != uid).then(|| Uid::from_raw(uid));
    let group = (birth.gid != gid).then(|| Gid::from_raw(gid));
    if owner.is_none() && group.is_none() {
        return Ok(bits);
    }
    if is_permitted(fchown(file, owner, group))? {
        return Ok(bits);
    }
    // An ordinary user cannot give a file away, but can set the group to any group of that user.
    let has_group = group.is_none() || is_permitted(fchown(file, None, group))?;
    Ok(safe_bits(bits, owner.is_none(), has_group))
}

/// Sets owner and group of the file or link `name`, as far as the caller is allowed to.
pub(super) fn set_owner(directory: &OwnedFd, name: &[u8], ids: (u32, u32)) -> SysResult<()> {
    let flags = AtFlags::SYMLINK_NOFOLLOW;
    let found = stat_of(&statat(directory, name, flags)?);
    change_owner(&found, ids, |owner, group| {
        chownat(directory, name, owner, group, flags)
    })
}

/// Sets owner and group of an open file or directory, as far as the caller is allowed to.
pub(super) fn set_owner_of(file: &OwnedFd, ids: (u32, u32)) -> SysResult<()> {
    let found = stat_of(&fstat(file)?);
    change_owner(&found, ids, |owner, group| fchown(file, owner, group))
}

fn change_owner(
    found: &Stat,
    (uid, gid): (u32, u32),
    change: impl Fn(Option<Uid>, Option<Gid>) -> rustix::io::Result<()>,
) -> SysResult<()> {
    if (found.uid, found.gid) == (uid, gid) {
        return Ok(());
    }
    let (owner, group) = (Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)));
    if !is_permitted(change(owner, group))? {
        is_permitted(change(None, group))?;
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
    Current::read_umask().unwrap_or_else(probe_umask)
}

/// Reads the umask by changing it, which is the only call for this in POSIX; see umask(2). The
/// change affects all threads. The temporary value grants too little rather than too much.
pub(super) fn probe_umask() -> u32 {
    let old = umask(Mode::from_raw_mode(0o077));
    umask(old);
    bits_of_mode(old)
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
        let reported = Current::read_umask();
        assert!(reported.is_none_or(|umask| umask == probe_umask()));
    }
}
