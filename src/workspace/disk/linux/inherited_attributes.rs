//! The attributes that new files get from their directory. wpatch creates files elsewhere and moves
//! them there, so it must set these attributes itself.

use std::os::fd::OwnedFd;

use rustix::buffer::spare_capacity;
use rustix::fd::AsFd;
use rustix::fs::{Gid, XattrFlags, fchown, fremovexattr, fsetxattr, fstat, getxattr};
use rustix::io::Errno;

use super::attributes::{fill_buffer, is_permitted, proc_path_of};
use super::initial_attributes::{ACCESS_ACL, InitialAttributes};
use super::stat::stat_of;
use super::sys_error::SysResult;
use crate::mode::Permissions;

/// The default access control list of a directory; see acl(5).
const DEFAULT_ACL: &[u8] = b"system.posix_acl_default";
/// The set-group-ID bit. New files in such a directory get its group; see inode(7).
const SET_GROUP: u32 = 0o2000;

/// The attributes that new files in one directory get.
#[derive(Debug)]
pub(super) struct InheritedAttributes {
    group: Option<u32>,
    list: Option<Vec<u8>>,
}

impl InheritedAttributes {
    /// Reads the attributes of an open directory, which can be an `O_PATH` handle. Such a handle
    /// does not support fgetxattr(2), so the call uses its path below `/proc`. Without `/proc` the
    /// default list is unknown and is ignored.
    pub(super) fn of(directory: &OwnedFd) -> SysResult<Self> {
        let stat = stat_of(&fstat(directory)?);
        let list = match fill_buffer(|list| {
            getxattr(proc_path_of(directory), DEFAULT_ACL, spare_capacity(list))
        }) {
            Ok(list) => Some(list),
            Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOENT | Errno::NOTDIR) => {
                None
            }
            Err(errno) => return Err(errno.into()),
        };
        Ok(Self {
            group: (stat.permissions & SET_GROUP != 0).then_some(stat.gid),
            list,
        })
    }

    /// Sets the attributes of `file` and returns its permission bits. These are `bits`, to which
    /// the umask is already applied, unless a default list replaces the umask.
    pub(super) fn copy_to(
        &self,
        file: impl AsFd,
        birth: &InitialAttributes,
        permissions: Permissions,
        bits: u32,
    ) -> SysResult<u32> {
        if let Some(group) = self.group.filter(|group| *group != birth.gid) {
            // The kernel assigns the group of the directory even to a user who is not a member.
            // fchown(2) cannot, so such a file keeps its own group.
            is_permitted(fchown(&file, None, Some(Gid::from_raw(group))))?;
        }
        let Some(list) = &self.list else {
            if birth.has_acl {
                fremovexattr(&file, ACCESS_ACL)?;
            }
            return Ok(bits);
        };
        fsetxattr(&file, ACCESS_ACL, list, XattrFlags::empty())?;
        let most = match permissions {
            Permissions::New { executable: false } => 0o666,
            Permissions::New { executable: true } => 0o777,
            Permissions::Exact(_) => return Ok(bits),
        };
        // The mode shows the entries of the list for owner, mask and others. A later chmod(2)
        // changes these entries, just as creating a file with that mode does; see acl(5).
        Ok(stat_of(&fstat(&file)?).permissions & most)
    }
}
