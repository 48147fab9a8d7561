//! Trees on a real directory.

use std::collections::HashMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use fs_err as fs;
use walkdir::WalkDir;

use crate::power::model::{Inode, Tree};

/// Bits of a mode that say what a node is, and what they say.
const KIND: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const SYMLINK: u32 = 0o120_000;
/// What stays in git's directory for good, besides the history.
const STAYS: [&str; 4] = [
    ".git/wpatch",
    ".git/wpatch/lock",
    ".git/wpatch/audit.jsonl",
    // A repair of the audit file saves its head.
    ".git/wpatch/audit.head",
];

/// Makes `root` hold `state` and nothing else. Names of one file become links to one.
pub(super) fn replace(root: &Path, state: &Tree) {
    for entry in fs::read_dir(root).unwrap().map(Result::unwrap) {
        let is_directory = entry.file_type().unwrap().is_dir();
        if is_directory {
            fs::remove_dir_all(entry.path())
        } else {
            fs::remove_file(entry.path())
        }
        .unwrap();
    }
    let mut laid: HashMap<Inode, PathBuf> = HashMap::new();
    for (path, (mode, bytes, inode)) in state {
        let path = root.join(path);
        if let Some(first) = laid.get(inode) {
            fs::hard_link(first, &path).unwrap();
            continue;
        }
        match mode & KIND {
            DIRECTORY => fs::create_dir(&path).unwrap(),
            SYMLINK => symlink(std::str::from_utf8(bytes).unwrap(), &path).unwrap(),
            _ => fs::write(&path, bytes).unwrap(),
        }
        if mode & KIND != SYMLINK {
            fs::set_permissions(&path, std::fs::Permissions::from_mode(mode & 0o7777)).unwrap();
        }
        laid.insert(*inode, path);
    }
}

pub(super) fn read(root: &Path) -> Tree {
    let entries = WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .map(Result::unwrap);
    let node = |entry: walkdir::DirEntry| {
        let metadata = entry.path().symlink_metadata().unwrap();
        let bytes = match metadata.mode() & KIND {
            SYMLINK => fs::read_link(entry.path())
                .unwrap()
                .into_os_string()
                .into_encoded_bytes(),
            DIRECTORY => Vec::new(),
            _ => fs::read(entry.path()).unwrap(),
        };
        let path = entry
            .path()
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        (path, (metadata.mode(), bytes, 0))
    };
    entries.map(node).collect()
}

pub(super) fn without_inodes(tree: Tree) -> Tree {
    tree.into_iter()
        .map(|(path, (mode, bytes, _))| (path, (mode, bytes, 0)))
        .collect()
}

/// Returns `tree` without what may stay for the next command.
pub(super) fn lasting(mut tree: Tree) -> Tree {
    tree.retain(|path, _| {
        let is_kept = [".git/wpatch/entry-", ".git/wpatch/session-"];
        !STAYS.contains(&path.as_str()) && !is_kept.iter().any(|kept| path.starts_with(kept))
    });
    tree
}

pub(super) fn listed(tree: &Tree) -> String {
    let line = |(path, (mode, bytes, _)): (&String, &(u32, Vec<u8>, Inode))| {
        let text: String = String::from_utf8_lossy(bytes).chars().take(60).collect();
        format!("  {path} {mode:o} {text:?}\n")
    };
    tree.iter().map(line).collect()
}
