//! Detects how the mounted file systems spell names.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{fstat, getxattr};

use super::Disk;
use super::attributes::proc_path_of;
use crate::text::is_same_name;
use crate::workspace::{Directory, Spellings, other_spellings};

/// The extended attribute with the NTFS attributes. Only the ntfs-3g drivers provide it under this
/// name. Of these, only `lowntfs-3g` with `ignore_case` folds names, and it lists them in lower
/// case.
const NTFS_3G_ATTRIBUTE: &str = "system.ntfs_attrib";

impl Spellings for Disk {
    fn lists_stored_names(&self, directory: Directory<'_>) -> bool {
        !self.open_handle(directory).is_ok_and(|opened| {
            getxattr(proc_path_of(&opened), NTFS_3G_ATTRIBUTE, &mut [0; 8]).is_ok()
        })
    }

    fn is_root_folded(&self) -> bool {
        let root = self
            .root
            .canonicalize()
            .unwrap_or_else(|_| self.root.clone());
        let device = fstat(self.parents.root()).map(|root| root.st_dev).ok();
        let above = root
            .ancestors()
            .skip(1)
            .take_while(|above| device_of(above) == device);
        above
            .zip(root.ancestors())
            .find_map(|(above, directory)| is_folded(above, directory))
            .unwrap_or(false)
    }
}

/// Returns whether another spelling finds `directory` in `above`. Returns `None` if the name has
/// only one spelling.
fn is_folded(above: &Path, directory: &Path) -> Option<bool> {
    let name = directory.file_name()?;
    let other = other_spellings(name.as_bytes()).into_iter().next()?;
    let other = above.join(std::ffi::OsStr::from_bytes(&other));
    let names = || {
        fs::read_dir(above)
            .ok()
            .map(|names| names.filter_map(Result::ok))
    };
    let is_one = |found: &fs::DirEntry| is_same_name(found.file_name().as_bytes(), name.as_bytes());
    Some(
        // Some drivers report different inodes for two spellings, so the listing decides.
        other.symlink_metadata().is_ok()
            && names().is_some_and(|names| names.filter(is_one).count() == 1),
    )
}

fn device_of(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|found| found.dev())
}
