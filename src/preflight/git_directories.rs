//! Finds git directories that have another name than `.git`, so that the policy can protect them.
//!
//! `.git` can be a link or a file that names a directory in the tree, for example after
//! `git init --separate-git-dir`. The tree can also contain a git directory whose `.git` is
//! elsewhere, or a bare repository.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::MIN_PER_THREAD;
use super::control_file_aliases::with_hard_links;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::Plan;
use crate::policy::{GitDirectoryRole, Policy};
use crate::threads;
use crate::workspace::{Directory, ErrorKind, Workspace, git, path_relative_to};

/// The maximum size, in bytes, of a git configuration that is read. A larger configuration is
/// treated like one with a work tree, which is the stricter case.
const MAX_CONFIG: u64 = 1 << 20;

type GitPlaces = Vec<(Option<RelPath>, GitDirectoryRole)>;

/// Returns `policy` with the directories that the root's `.git` names. Includes the `.git` at the
/// top of a work tree that contains the root.
///
/// A work tree that cannot be located is not an error here. The error is reported when the work
/// tree is needed.
#[must_use]
pub fn with_own_git(policy: Arc<Policy>, workspace: &dyn Workspace) -> Arc<Policy> {
    let mut paths = workspace.git_directory_paths(None);
    if let Ok(Some(tree)) = workspace.work_tree() {
        paths.extend(
            tree.top
                .git_directory_paths(None)
                .iter()
                .filter_map(|path| path_relative_to(path, tree.prefix)),
        );
    }
    let mut places: GitPlaces = paths.into_iter().map(named_place).collect();
    if policy.is_for_model() {
        places.extend(git_directory_role(None, workspace).map(|place| (None, place)));
    }
    if places.is_empty() {
        policy
    } else {
        Arc::new(policy.with_git_directories(&places))
    }
}

/// Returns `policy` with the git directories and work trees on the way to the paths of `plan`.
pub(super) fn with_git_of_plan<'p>(
    plan: &Plan,
    policy: &'p Policy,
    workspace: &dyn Workspace,
) -> Cow<'p, Policy> {
    let paths = plan
        .operations
        .iter()
        .flat_map(|operation| operation.from.iter().chain([&operation.path]));
    with_git_on_the_way(paths, policy, workspace)
}

/// Returns `policy` with the git directories and work trees on the way to `paths`.
#[must_use]
pub fn with_git_on_the_way<'p, 'a>(
    paths: impl Iterator<Item = &'a RelPath> + Clone,
    policy: &'p Policy,
    workspace: &dyn Workspace,
) -> Cow<'p, Policy> {
    let mut places = places_on_the_way(paths.clone(), workspace);
    // A work tree without other git directories needs no protection. The policy is then not copied.
    if places
        .iter()
        .all(|(_, place)| *place == GitDirectoryRole::WorkTree)
        && !policy.has_git_directories()
    {
        places.clear();
    }
    let policy = if places.is_empty() {
        Cow::Borrowed(policy)
    } else {
        Cow::Owned(policy.with_git_directories(&places))
    };
    with_hard_links(paths, policy, workspace)
}

/// Returns whether `root`, a path in `system`, is inside a git directory. The git directory can be
/// above the root, or a `.git` can name it.
#[must_use]
pub fn is_in_git_directory(root: &RelPath, system: &dyn Workspace) -> bool {
    let Ok(inner) = root.join(b"x") else {
        return false;
    };
    let mut places = places_on_the_way([&inner].into_iter(), system);
    // Another rule covers a root that is itself a git directory.
    let is_around = |place: GitDirectoryRole| {
        matches!(
            place,
            GitDirectoryRole::WorkTree | GitDirectoryRole::Referenced
        )
    };
    places.retain(|(directory, place)| directory.as_ref() != Some(root) || is_around(*place));
    Policy::default()
        .with_git_directories(&places)
        .is_in_git_or_bare_directory(root)
}

fn places_on_the_way<'a>(
    paths: impl Iterator<Item = &'a RelPath>,
    workspace: &dyn Workspace,
) -> GitPlaces {
    let mut seen: HashSet<&[u8]> = HashSet::new();
    let mut directories = Vec::new();
    for path in paths {
        let mut directory = path.parent_bytes();
        while let Some(above) = directory.filter(|above| seen.insert(above)) {
            directories.push(above);
            directory = memchr::memrchr(b'/', above).map(|slash| &above[..slash]);
        }
    }
    let places = threads::map_parallel(&directories, MIN_PER_THREAD, |directory| {
        places_at(directory, workspace)
    });
    places.into_iter().flatten().collect()
}

fn places_at(directory: &[u8], workspace: &dyn Workspace) -> GitPlaces {
    let Ok(directory) = RelPath::new(directory) else {
        return Vec::new();
    };
    if kind(Some(&directory), b".git", workspace).is_some() {
        let paths = workspace
            .git_directory_paths(Some(&directory))
            .into_iter()
            .map(named_place);
        return paths
            .chain([(Some(directory), GitDirectoryRole::WorkTree)])
            .collect();
    }
    let place = git_directory_role(Some(&directory), workspace);
    place
        .into_iter()
        .map(|place| (Some(directory.clone()), place))
        .collect()
}

fn named_place(path: RelPath) -> (Option<RelPath>, GitDirectoryRole) {
    (Some(path), GitDirectoryRole::Referenced)
}

/// Returns the kind of git directory that `directory` is, based on its structure. The rules are
/// those of `is_git_directory` in git's setup.c.
fn git_directory_role(
    directory: Directory<'_>,
    workspace: &dyn Workspace,
) -> Option<GitDirectoryRole> {
    let is = |name: &[u8], kinds: &[FileKind]| {
        kind(directory, name, workspace).is_some_and(|it| kinds.contains(&it))
    };
    if !is(b"HEAD", &[FileKind::Regular, FileKind::Symlink]) {
        return None;
    }
    if is(b"commondir", &[FileKind::Regular]) {
        return Some(GitDirectoryRole::Directory);
    }
    let has = |name: &[u8]| is(name, &[FileKind::Directory, FileKind::Symlink]);
    if !has(b"objects") || !has(b"refs") {
        return None;
    }
    let is_bare = !has(b"worktrees") && !has_work_tree(directory, workspace);
    Some(if is_bare {
        GitDirectoryRole::Bare
    } else {
        GitDirectoryRole::Directory
    })
}

/// Returns whether `config` or `config.worktree` in `directory` states that the repository has a
/// work tree.
fn has_work_tree(directory: Directory<'_>, workspace: &dyn Workspace) -> bool {
    let is_stated =
        |name: &[u8]| match path(directory, name).map(|path| workspace.read(&path, MAX_CONFIG)) {
            Some(Ok((text, _))) => git::has_work_tree(&text),
            Some(Err(error)) => error.kind != ErrorKind::Missing,
            None => false,
        };
    is_stated(b"config") || is_stated(b"config.worktree")
}

fn kind(directory: Directory<'_>, name: &[u8], workspace: &dyn Workspace) -> Option<FileKind> {
    Some(workspace.stat(&path(directory, name)?).ok()??.kind)
}

fn path(directory: Directory<'_>, name: &[u8]) -> Option<RelPath> {
    directory
        .map_or_else(|| RelPath::new(name), |directory| directory.join(name))
        .ok()
}
