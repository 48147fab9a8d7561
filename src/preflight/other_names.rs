//! Looks for other names of files that control what an agent or a CI system does: links and hard links.
//!
//! The rule on these files goes by names. A program that writes through another name changes the same file.

use std::borrow::Cow;
use std::sync::Arc;

use crate::mode::FileKind;
use crate::path::RelPath;
use crate::policy::{Policy, is_control_part};
use crate::workspace::{Directory, Workspace};

/// Most names of a tree that are looked at. In a larger tree, other names of files deep in it are not found.
const MOST_NAMES: usize = 100_000;

/// Returns `policy` with the other names of control files below the root, if it asks about control files.
#[must_use]
pub fn with_other_names(policy: Arc<Policy>, workspace: &dyn Workspace) -> Arc<Policy> {
    if !policy.asks_about_control_files() {
        return policy;
    }
    let mut found: Vec<(RelPath, FileKind)> = Vec::new();
    let mut last: (Option<RelPath>, bool) = (None, false);
    workspace.visit_names(MOST_NAMES, &mut |directory: Directory<'_>, name, kind| {
        if directory != last.0.as_ref() {
            let is_near = directory.is_some_and(|path| path.components().any(is_control_part));
            last = (directory.cloned(), is_near);
        }
        if last.1 || is_control_part(name) {
            let path = directory.map_or_else(|| RelPath::new(name), |directory| directory.join(name));
            found.extend(path.ok().map(|path| (path, kind)));
        }
    });
    found.retain(|(path, _)| policy.control_reason(path).is_some());
    let (mut aliases, mut hard_links) = (Vec::new(), Vec::new());
    for (path, kind) in found {
        if kind == FileKind::Symlink {
            aliases.extend(workspace.link_ways(&path).into_iter().map(|target| (target, path.clone())));
        } else if let Some(identity) = identity(&path, workspace) {
            hard_links.push((identity, path));
        }
    }
    if aliases.is_empty() && hard_links.is_empty() {
        policy
    } else {
        Arc::new(policy.with_aliases(&aliases, &hard_links))
    }
}

/// Returns `policy` with those of `paths` that are hard links of control files.
pub(super) fn with_hard_links<'p, 'a>(
    paths: impl Iterator<Item = &'a RelPath>,
    policy: Cow<'p, Policy>,
    workspace: &dyn Workspace,
) -> Cow<'p, Policy> {
    if !policy.has_hard_links() {
        return policy;
    }
    let alias = |path: &RelPath| {
        let name = policy.control_file(identity(path, workspace)?)?;
        (name != path).then(|| (path.clone(), name.clone()))
    };
    let aliases: Vec<_> = paths.filter_map(alias).collect();
    if aliases.is_empty() { policy } else { Cow::Owned(policy.with_aliases(&aliases, &[])) }
}

/// Returns device and inode of a regular file that has several names.
fn identity(path: &RelPath, workspace: &dyn Workspace) -> Option<(u64, u64)> {
    let stat = workspace.stat(path).ok()??;
    (stat.kind == FileKind::Regular && stat.links > 1).then_some((stat.device, stat.inode))
}
