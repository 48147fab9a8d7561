//! The repository of a row.

use std::path::Path;

use fs_err as fs;

use super::Files;
use crate::oracle::beside::{commit, runs};
use crate::world;
use Then::{Broken, Executable, Git, Link, Remove};

/// What happens to a repository after the commit.
pub(in crate::oracle) enum Then {
    Git(&'static [&'static str]),
    Link(&'static str, &'static str),
    Remove(&'static str),
    Directory(&'static str),
    Executable(&'static str),
    /// The `.git` file names no repository.
    Broken,
}

/// Commits `files`, and does what happens `then`.
pub(in crate::oracle) fn prepare(files: Files, then: &[Then], root: &Path) {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    commit(root, &files);
    for then in then {
        match then {
            Git(arguments) => runs(root, arguments),
            Link(target, name) => world::link(target, root.join(name)).unwrap(),
            Then::Directory(name) => fs::create_dir(root.join(name)).unwrap(),
            Remove(name) => fs::remove_file(root.join(name)).unwrap(),
            Executable(name) => {
                world::set_mode(root.join(name), 0o755);
            }
            Broken => {
                fs::rename(root.join(".git"), root.join("../other")).unwrap();
                fs::write(root.join(".git"), "gitdir: nowhere\n").unwrap();
            }
        }
    }
}
