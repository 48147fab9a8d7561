//! The history of one root, or of several roots as one list.

use super::entries::entries_of;
use super::{EntryFile, EntryStatus, HistoryEntry, OldContentLocation};
use crate::path::RelPath;
use crate::transaction::{Failure, KeptFile};
use crate::workspace::{Root, Roots, Workspace, top};

/// A work tree that a change of several roots concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryRoot {
    /// The name of the root in the command that made the change.
    pub name: RelPath,
    /// The location of its top, for [`Workspace::open_root`](crate::workspace::Workspace::open_root).
    pub location: Vec<u8>,
    /// Whether the entry contains the files of this root.
    pub is_included: bool,
}

/// Returns the entries of the work tree, newest first. Their paths start at the top. Without a
/// state directory there are none.
///
/// For several roots, paths begin with the name of a root. A change of several roots is one entry.
/// A root below the top of its work tree has no entries here: use the top as the root.
///
/// # Errors
///
/// Returns [`Failure::State`] if the state directory cannot be trusted, and the errors of the disk.
pub fn entries(workspace: &dyn Workspace) -> Result<Vec<HistoryEntry>, Failure> {
    match workspace.roots() {
        Some(roots) => merged_entries(roots),
        None => entries_of(top(workspace)?),
    }
}

/// Returns the entries of `roots`, newest first. The entries of one change of several roots are
/// merged.
fn merged_entries(roots: &Roots) -> Result<Vec<HistoryEntry>, Failure> {
    let mut all: Vec<HistoryEntry> = Vec::new();
    for root in roots.roots() {
        if root.workspace.work_tree()?.is_some() {
            continue;
        }
        let entries = entries_of(&*root.workspace).map_err(|failure| in_root(failure, root))?;
        all.extend(entries.into_iter().map(|entry| with_name(entry, root)));
    }
    // The sort is stable, so the entries of one change keep the order of the roots.
    all.sort_by(|one, other| other.id.cmp(&one.id));
    let mut merged: Vec<HistoryEntry> = Vec::with_capacity(all.len());
    for entry in all {
        match merged
            .last_mut()
            .filter(|last| is_same_change(last, &entry))
        {
            Some(last) => merge(last, entry),
            None => merged.push(entry),
        }
    }
    Ok(merged)
}

/// Returns whether both entries belong to one change of several roots.
fn is_same_change(one: &HistoryEntry, other: &HistoryEntry) -> bool {
    let locations = |entry: &HistoryEntry| -> Vec<_> {
        let roots = entry.roots.iter();
        roots.map(|root| root.location.clone()).collect()
    };
    one.id == other.id && !one.roots.is_empty() && locations(one) == locations(other)
}

/// Adds the part `other` of the same change to `entry`.
fn merge(entry: &mut HistoryEntry, other: HistoryEntry) {
    entry.root_prefixes.extend(other.root_prefixes);
    for (root, added) in entry.roots.iter_mut().zip(other.roots) {
        root.is_included |= added.is_included;
    }
    for id in other.label.undoes {
        if !entry.label.undoes.contains(&id) {
            entry.label.undoes.push(id);
        }
    }
    entry.files.extend(other.files);
    entry
        .files
        .sort_unstable_by(|one, other| one.path.cmp(&other.path));
    entry.created_dirs.extend(other.created_dirs);
    entry.removed_dirs.extend(other.removed_dirs);
    entry.kept.extend(other.kept);
    if entry.status == EntryStatus::Committed {
        entry.status = other.status;
    }
}

/// Returns `entry` with paths that begin with the name of `root`.
fn with_name(entry: HistoryEntry, root: &Root) -> HistoryEntry {
    let join = |path: &RelPath| root.join(path).unwrap_or_else(|| path.clone());
    let file = |file: EntryFile| EntryFile {
        path: join(&file.path),
        from: file.from.as_ref().map(join),
        old_content: match file.old_content {
            OldContentLocation::Kept(path) => OldContentLocation::Kept(join(&path)),
            OldContentLocation::MovedTo(path) => OldContentLocation::MovedTo(join(&path)),
            location => location,
        },
        ..file
    };
    let kept = |kept: KeptFile| KeptFile {
        path: kept.path.as_ref().map(join),
        ..kept
    };
    HistoryEntry {
        root_prefixes: entry.root_prefixes.iter().map(join).collect(),
        files: entry.files.into_iter().map(file).collect(),
        created_dirs: entry.created_dirs.iter().map(join).collect(),
        removed_dirs: (entry.removed_dirs.into_iter())
            .map(|(path, attributes)| (join(&path), attributes))
            .collect(),
        kept: entry.kept.into_iter().map(kept).collect(),
        ..entry
    }
}

/// Returns `failure` with the name of `root`.
fn in_root(failure: Failure, root: &Root) -> Failure {
    match failure {
        Failure::Workspace(error) => Failure::Workspace(root.error(error)),
        Failure::State { reason } => Failure::State {
            reason: format!("root {}: {reason}", root.name),
        },
        failure => failure,
    }
}
