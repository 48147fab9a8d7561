//! What a directory gives to the files that are made in it, for those that are made elsewhere and
//! moved into it.

use std::os::fd::OwnedFd;

use rustix::buffer::spare_capacity;
use rustix::fd::AsFd;
use rustix::fs::{Gid, XattrFlags, fchown, fremovexattr, fsetxattr, fstat, getxattr};
use rustix::io::Errno;

use super::attributes::{filled, may, path_of};
use super::birth::{ACCESS_LIST, Birth};
use super::fault::Attempt;
use super::stat::stat_of;
use crate::mode::Permissions;

/// The access control list that new files in a directory get; see acl(5).
const DEFAULT_LIST: &[u8] = b"system.posix_acl_default";
/// The mode bit that lets new files have the group of the directory; see inode(7).
const SET_GROUP: u32 = 0o2000;

/// What one directory gives.
#[derive(Debug)]
pub(super) struct Heritage {
    group: Option<u32>,
    list: Option<Vec<u8>>,
}

impl Heritage {
    /// Looks at an open directory, also an `O_PATH` handle: such a one takes no calls for
    /// attributes, so it is named through `/proc`. Where that is missing nothing is known of a
    /// list.
    pub(super) fn of(directory: &OwnedFd) -> Attempt<Self> {
        let stat = stat_of(&fstat(directory)?);
        let list =
            match filled(|list| getxattr(path_of(directory), DEFAULT_LIST, spare_capacity(list))) {
                Ok(list) => Some(list),
                Err(
                    Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOENT | Errno::NOTDIR,
                ) => None,
                Err(errno) => return Err(errno.into()),
            };
        Ok(Self {
            group: (stat.permissions & SET_GROUP != 0).then_some(stat.gid),
            list,
        })
    }

    /// Gives it to `file`, and returns its permission bits: `bits`, which are under the umask,
    /// unless a list takes the place of the umask.
    pub(super) fn give_to(
        &self,
        file: impl AsFd,
        birth: &Birth,
        permissions: Permissions,
        bits: u32,
    ) -> Attempt<u32> {
        if let Some(group) = self.group.filter(|group| *group != birth.gid) {
            // The kernel gives the group also to files of those who may not: they keep their own
            // here.
            may(fchown(&file, None, Some(Gid::from_raw(group))))?;
        }
        let Some(list) = &self.list else {
            if birth.has_list {
                fremovexattr(&file, ACCESS_LIST)?;
            }
            return Ok(bits);
        };
        fsetxattr(&file, ACCESS_LIST, list, XattrFlags::empty())?;
        let most = match permissions {
            Permissions::New { executable: false } => 0o666,
            Permissions::New { executable: true } => 0o777,
            Permissions::Exact(_) => return Ok(bits),
        };
        // The list shows in the mode, and setting the mode changes its entries for owner, mask and
        // others, as making a file with that mode does.
        Ok(stat_of(&fstat(&file)?).permissions & most)
    }
}
