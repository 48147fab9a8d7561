//! Finds the paths below the root to which a `.git` leads: links, the git directory that a `.git`
//! file names, and the common directory of several work trees.
//!
//! See gitrepository-layout(5), "gitfile" in gitglossary(7), and `GIT_DIR` in git(1).

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::git_files::read_line;
use super::{Disk, join, relative_path};
use crate::mode::FileKind;
use crate::path::{MAX_LINKS, RelPath, plain_path};
use crate::workspace::disk::system;
use crate::workspace::git::discovery::gitdir_path;
use crate::workspace::git::environment::directory_of;
use crate::workspace::git::{Git, special_files};
use crate::workspace::{Directory, Workspace};

impl Disk {
    /// Returns the paths below the root to which `.git` of `directory` leads: each link on the way
    /// and the git directories.
    ///
    /// The cost is two system calls for a `.git` directory without `commondir`, and one without
    /// `.git`.
    pub(super) fn find_git_paths(&self, directory: Directory<'_>) -> Vec<RelPath> {
        let at = |name: &[u8]| {
            directory
                .map_or_else(|| RelPath::new(name), |directory| directory.join(name))
                .ok()
        };
        let kind = |name: &[u8]| Some(self.stat(&at(name)?).ok()??.kind);
        let is_elsewhere = match kind(b".git") {
            Some(FileKind::Directory) => kind(b".git/commondir").is_some(),
            found => found.is_some(),
        };
        let variables = if directory.is_none() {
            of_environment()
        } else {
            Vec::new()
        };
        if !is_elsewhere && variables.is_empty() {
            return Vec::new();
        }
        let Ok(root) = self.root.canonicalize().map(plain_path) else {
            return Vec::new();
        };
        let top = directory.map_or_else(|| root.clone(), |path| join(&root, path.as_bytes()));
        let mut names = Vec::new();
        if is_elsewhere {
            follow_git(&top, &mut names);
        }
        for name in variables {
            follow_git_directory(&top.join(name), &mut names);
        }
        let below = |name: &PathBuf| relative_path(name.strip_prefix(&root).ok()?);
        names.iter().filter_map(below).collect()
    }
}

impl Disk {
    /// Returns the paths of the directory that `core.hooksPath` names and of each link on the way.
    /// An item is `None` if that path contains the root.
    pub(super) fn find_hook_paths(&self) -> Vec<Option<RelPath>> {
        self.find_paths(|root| match Git::for_directory(root).hooks_path() {
            Ok(path) => path,
            // wpatch does not run git, because git would read a special file. The user's git can
            // still read its configuration, so each file can be a hook.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Some(root.to_owned()),
            Err(_) => None,
        })
    }

    /// Returns the paths of the files that git's configuration names and of each link on the way.
    pub(super) fn find_configuration_paths(&self) -> Vec<RelPath> {
        let paths = self.find_paths(special_files::named_files);
        paths.into_iter().flatten().collect()
    }

    /// Returns the paths below the root that `find` returns for the root, and each link on the
    /// way. An item is `None` if that path contains the root.
    fn find_paths<P: IntoIterator<Item = PathBuf>>(
        &self,
        find: impl Fn(&Path) -> P,
    ) -> Vec<Option<RelPath>> {
        let Ok(root) = self.root.canonicalize().map(plain_path) else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for path in find(&root) {
            follow_links(&path, &mut names);
        }
        let to_relative = |name: &PathBuf| match name.strip_prefix(&root) {
            Ok(below) if below != Path::new("") => relative_path(below).map(Some),
            _ => root.starts_with(name).then_some(None),
        };
        names.iter().filter_map(to_relative).collect()
    }
}

/// Returns the paths that variables of git name. The caller joins relative paths to the top of the
/// work tree, or to the root if it finds none.
fn of_environment() -> Vec<PathBuf> {
    let directories = ["GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"];
    let index = env::var_os("GIT_INDEX_FILE").map(PathBuf::from);
    let alternates = env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
    let paths = directories.into_iter().filter_map(directory_of);
    let paths = paths.chain(index).chain(env::split_paths(&alternates));
    paths.filter(|path| !path.as_os_str().is_empty()).collect()
}

/// Adds the paths to which `.git` of `top` leads.
fn follow_git(top: &Path, names: &mut Vec<PathBuf>) {
    let real = follow_links(&top.join(".git"), names);
    match read_line(&real) {
        // git resolves a relative name from the directory in which it found `.git`, not from a
        // link's target.
        Ok(Some(text)) => {
            if let Some(name) = gitdir_path(&text) {
                follow_git_directory(&top.join(name), names);
            }
        }
        _ => follow_git_directory(&real, names),
    }
}

/// Adds the git directory `name` and the common directory that it shares with other work trees.
fn follow_git_directory(name: &Path, names: &mut Vec<PathBuf>) {
    let real = follow_links(name, names);
    if let Ok(Some(common)) = read_line(&real.join("commondir")) {
        follow_links(&join(&real, &common), names);
    }
}

/// Adds each link on the way of the absolute path `name`, and the path without links. Returns the
/// latter, which may not exist.
pub(super) fn follow_links(name: &Path, names: &mut Vec<PathBuf>) -> PathBuf {
    let parts = |path: &Path| {
        path.components()
            .map(|part| part.as_os_str().to_owned())
            .collect::<Vec<_>>()
    };
    let mut rest: VecDeque<OsString> = parts(name).into();
    let (mut done, mut links) = (PathBuf::new(), 0);
    while let Some(part) = rest.pop_front() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => drop(done.pop()),
            Some(Component::CurDir) | None => {}
            // Pushing the root of an absolute path replaces the previous value.
            Some(_) => done.push(part),
        }
        let Some(target) = fs::read_link(&done).ok().filter(|_| links < MAX_LINKS) else {
            continue;
        };
        links += 1;
        names.push(system::real_spelling(&done));
        done.pop();
        // The components of the target replace the name of the link.
        for part in parts(&target).into_iter().rev() {
            rest.push_front(part);
        }
    }
    names.push(system::real_spelling(&done));
    done
}
