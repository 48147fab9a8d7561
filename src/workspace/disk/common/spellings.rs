//! Detects how the mounted file systems spell names.

use std::fs;
use std::path::Path;

use super::{Disk, join};
use crate::path::plain_path;
use crate::text::is_same_name;
use crate::workspace::disk::system;
use crate::workspace::{Directory, Spellings, other_spellings};

impl Spellings for Disk {
    fn lists_stored_names(&self, directory: Directory<'_>) -> bool {
        self.open_handle(directory)
            .map_or(true, |opened| system::lists_stored_names(&opened))
    }

    fn is_root_folded(&self) -> bool {
        let root = self
            .root
            .canonicalize()
            .map_or_else(|_| self.root.clone(), plain_path);
        let device = system::stat_handle(self.parents.root()).ok();
        let device = device.map(|root| root.device);
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
    let other = other_spellings(name.as_encoded_bytes())
        .into_iter()
        .next()?;
    let other = join(above, &other);
    let names = || {
        fs::read_dir(above)
            .ok()
            .map(|names| names.filter_map(Result::ok))
    };
    let is_one = |found: &fs::DirEntry| {
        is_same_name(
            found.file_name().as_encoded_bytes(),
            name.as_encoded_bytes(),
        )
    };
    Some(
        // Some drivers report different inodes for two spellings, so the listing decides.
        other.symlink_metadata().is_ok()
            && names().is_some_and(|names| names.filter(is_one).count() == 1),
    )
}

fn device_of(path: &Path) -> Option<u64> {
    Some(system::file_id(path).ok()?.device)
}
