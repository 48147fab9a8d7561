//! Visits all names of a tree without a system call for each name.

use std::collections::VecDeque;
use std::fs;

use super::{Disk, join, relative_path};
use crate::mode::FileKind;
use crate::path::{RelPath, plain_path};
use crate::workspace::Directory;

impl Disk {
    /// Calls `visit` for each file and link below the root, directory by directory, from the top
    /// down. The walk skips `.git` directories and directories that cannot be listed, and stops
    /// after `most` names. Returns whether it visited all names.
    pub(super) fn visit_names(
        &self,
        most: usize,
        visit: &mut dyn FnMut(Directory<'_>, &[u8], FileKind),
    ) -> bool {
        let mut waiting: VecDeque<Option<RelPath>> = VecDeque::from([None]);
        let mut left = most;
        while let Some(directory) = waiting.pop_front() {
            let name = directory.as_ref().map_or(&b"."[..], RelPath::as_bytes);
            let Ok(entries) = fs::read_dir(join(&self.root, name)) else {
                continue;
            };
            for entry in entries.flatten() {
                let Some(rest) = left.checked_sub(1) else {
                    return false;
                };
                left = rest;
                let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else {
                    continue;
                };
                let name = name.as_encoded_bytes();
                if kind.is_dir() {
                    let path = directory
                        .as_ref()
                        .map_or_else(|| RelPath::new(name), |above| above.join(name));
                    waiting.extend(path.ok().filter(|_| name != b".git").map(Some));
                } else if kind.is_symlink() {
                    visit(directory.as_ref(), name, FileKind::Symlink);
                } else if kind.is_file() {
                    visit(directory.as_ref(), name, FileKind::Regular);
                }
            }
        }
        true
    }

    /// Returns the paths below the root to which the link at `path` leads, one for each link on the
    /// way. The last one may not exist.
    pub(super) fn find_link_paths(&self, path: &RelPath) -> Vec<RelPath> {
        let Ok(root) = self.root.canonicalize().map(plain_path) else {
            return Vec::new();
        };
        let mut names = Vec::new();
        super::git_names::follow_links(&join(&root, path.as_bytes()), &mut names);
        let below = |name: &std::path::PathBuf| relative_path(name.strip_prefix(&root).ok()?);
        names
            .iter()
            .filter_map(below)
            .filter(|name| name != path)
            .collect()
    }
}
