//! Finds other names of files that control an agent or a CI system: links, hard links, and the hook
//! directory and the files that git's configuration names.
//!
//! The policy rules for these files use names. A program that writes through another name changes
//! the same file.

use std::borrow::Cow;
use std::sync::Arc;

use crate::mode::FileKind;
use crate::path::RelPath;
use crate::policy::{GitDirectoryRole, Policy, is_control_component};
use crate::workspace::{Directory, WorkTree, Workspace, path_relative_to};

/// The maximum number of names in a tree that are searched. In a larger tree, every write by a
/// model needs approval.
const MAX_NAMES: usize = 1_000_000;

/// Returns `policy` with the other names of control files below the root, if the policy asks about
/// control files. These names are links and hard links in the root and in the work tree around it,
/// git's hook directory, and the files that git's configuration names.
#[must_use]
pub fn with_other_names(policy: Arc<Policy>, workspace: &dyn Workspace) -> Arc<Policy> {
    let Some(roots) = workspace.roots() else {
        return with_other_names_of(MAX_NAMES, policy, workspace);
    };
    Arc::new(policy.map_roots(|name, policy| {
        match roots.roots().iter().find(|root| root.name == *name) {
            Some(root) => with_other_names_of(MAX_NAMES, policy, &*root.workspace),
            None => policy,
        }
    }))
}

fn with_other_names_of(most: usize, policy: Arc<Policy>, workspace: &dyn Workspace) -> Arc<Policy> {
    if !policy.asks_about_control_files() {
        return policy;
    }
    let mut names = ControlFileAliases {
        most,
        ..ControlFileAliases::default()
    };
    // In the root itself, a target has the same path.
    names.add_names(&policy, workspace, &|target| {
        Some((Some(target.clone()), None))
    });
    // A work tree that cannot be located is reported when it is needed.
    if let Ok(Some(WorkTree {
        top,
        prefix,
        directory,
    })) = workspace.work_tree()
    {
        let name = directory.as_os_str().as_encoded_bytes();
        let policy = policy.for_work_tree(prefix, name).for_root(name, Some(0));
        names.add_names(
            &policy,
            top,
            &|target| match path_relative_to(target, prefix) {
                Some(inner) => Some((Some(inner), None)),
                None if target == prefix => Some((None, None)),
                // The root is inside the directory that the link names.
                None => path_relative_to(prefix, target).map(|rest| (None, Some(rest))),
            },
        );
    }
    let hooks = workspace.hook_directory_paths().into_iter();
    let hooks = hooks.map(|path| (path, GitDirectoryRole::Hooks));
    let configurations = workspace.configuration_file_paths().into_iter();
    let configurations = configurations.map(|path| (Some(path), GitDirectoryRole::Configuration));
    let places: Vec<_> = hooks.chain(configurations).collect();
    let policy = if places.is_empty() {
        policy
    } else {
        Arc::new(policy.with_git_directories(&places))
    };
    let policy = if names.is_cut_off {
        Arc::new(policy.with_unsearched_names())
    } else {
        policy
    };
    if names.is_empty() {
        policy
    } else {
        Arc::new(policy.with_aliases(&names.aliases, &names.hard_links))
    }
}

/// Other names of control files.
#[derive(Default)]
struct ControlFileAliases {
    /// The maximum number of names that are searched in one tree.
    most: usize,
    is_cut_off: bool,
    aliases: Vec<(Option<RelPath>, RelPath)>,
    hard_links: Vec<((u64, u64), RelPath)>,
}

/// Returns the position of a link's target relative to the root, or `None` if both are unrelated.
/// The first element is the path of the target below the root; it is `None` if the target is the
/// root or a directory above it. The second element is the path of the root below the target.
type RootRelation<'b> = &'b dyn Fn(&RelPath) -> Option<(Option<RelPath>, Option<RelPath>)>;

impl ControlFileAliases {
    /// Adds the links and hard links of the control files of `workspace`.
    fn add_names(
        &mut self,
        policy: &Policy,
        workspace: &dyn Workspace,
        below_root: RootRelation<'_>,
    ) {
        let (found, is_complete) = control_names(self.most, policy, workspace);
        self.is_cut_off |= !is_complete;
        for (path, kind) in found {
            if kind == FileKind::Symlink {
                let targets = workspace.link_targets(&path);
                self.aliases.extend(targets.iter().filter_map(|target| {
                    let (place, rest) = below_root(target)?;
                    let name = rest.map_or_else(
                        || Some(path.clone()),
                        |rest| path.join(rest.as_bytes()).ok(),
                    )?;
                    Some((place, name))
                }));
            } else if let Some(identity) = identity(&path, workspace) {
                self.hard_links.push((identity, path));
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.aliases.is_empty() && self.hard_links.is_empty()
    }
}

/// Returns the control files among the first `most` names of `workspace`, including the links and
/// files on the way to them. The flag is `true` if the tree has no more names.
fn control_names(
    most: usize,
    policy: &Policy,
    workspace: &dyn Workspace,
) -> (Vec<(RelPath, FileKind)>, bool) {
    let mut found: Vec<(RelPath, FileKind)> = Vec::new();
    let mut last: (Option<RelPath>, bool) = (None, false);
    let is_complete = workspace.visit_names(most, &mut |directory: Directory<'_>, name, kind| {
        if directory != last.0.as_ref() {
            let is_near = directory.is_some_and(|path| path.components().any(is_control_component));
            last = (directory.cloned(), is_near);
        }
        if last.1 || is_control_component(name) {
            let path =
                directory.map_or_else(|| RelPath::new(name), |directory| directory.join(name));
            found.extend(path.ok().map(|path| (path, kind)));
        }
    });
    found.retain(|(path, _)| policy.control_reason(path).is_some());
    (found, is_complete)
}

/// Returns `policy` with the hard links of control files among `paths`.
pub(super) fn with_hard_links<'p, 'a>(
    paths: impl Iterator<Item = &'a RelPath>,
    policy: Cow<'p, Policy>,
    workspace: &dyn Workspace,
) -> Cow<'p, Policy> {
    if !policy.has_hard_links() {
        return policy;
    }
    let alias = |path: &RelPath| {
        let name = policy.control_file_by_inode(identity(path, workspace)?)?;
        (name != path).then(|| (Some(path.clone()), name.clone()))
    };
    let aliases: Vec<_> = paths.filter_map(alias).collect();
    if aliases.is_empty() {
        policy
    } else {
        Cow::Owned(policy.with_aliases(&aliases, &[]))
    }
}

/// Returns the device and inode of a regular file with several hard links.
fn identity(path: &RelPath, workspace: &dyn Workspace) -> Option<(u64, u64)> {
    let stat = workspace.stat(path).ok()??;
    (stat.kind == FileKind::Regular && stat.links > 1).then_some((stat.device, stat.inode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::disk::Disk;

    #[test]
    fn a_tree_with_too_many_names_is_asked_about() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            fs_err::write(directory.path().join(name), "").unwrap();
        }
        let workspace = Disk::open(directory.path()).unwrap();
        let link = RelPath::new(b".claude").unwrap();
        workspace.symlink(b"safe", &link, &link, None).unwrap();
        let reason = |most, path: &str| {
            let policy =
                with_other_names_of(most, Arc::new(Policy::default().for_model()), &workspace);
            policy.tree_reason(&RelPath::new(path.as_bytes()).unwrap())
        };
        assert!(
            reason(3, "safe/settings.json").is_some_and(|why| why.contains("controls Claude Code"))
        );
        assert_eq!(reason(3, "x"), None);
        for most in [0, 1, 2] {
            for path in ["safe/settings.json", "x"] {
                assert!(reason(most, path).is_some(), "{most} {path}");
            }
        }
    }
}
