//! Predicts the tree. If several entries are undone together, each sees the tree that the reversal
//! of the newer ones leaves.

use std::collections::{BTreeMap, BTreeSet};

use crate::digest::Digest;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::policy::{Access, Verdict};
use crate::preflight::{ApprovalGate, Options};
use crate::text::Bytes;
use crate::transaction::Failure;
use crate::transaction::history::{HistoryEntry, Version};
use crate::workspace::{ErrorKind, Workspace};

/// Returns whether the tree is already in its state before all of `chosen`, which are the newest
/// first. Returns `false` if policy does not allow reading one of the files, because the answer
/// would reveal its contents.
pub(super) fn has_old_state(
    workspace: &dyn Workspace,
    chosen: &[&HistoryEntry],
    options: &Options,
) -> Result<bool, Failure> {
    let (now, mut back) = (PredictedTree::new(workspace), PredictedTree::new(workspace));
    for entry in chosen {
        back.add_reversal(entry);
    }
    for (path, kind) in &back.kinds {
        if now.kind(path)? != *kind {
            return Ok(false);
        }
    }
    let files = chosen.iter().flat_map(|entry| &entry.files);
    // The newest entry comes first, so the version before the oldest entry remains for each path.
    let before: BTreeMap<_, _> = files.map(|file| (&file.path, file.before)).collect();
    let before: Vec<_> = before
        .into_iter()
        .filter_map(|(path, version)| Some((path, version?)))
        .collect();
    let is_open = |path: &RelPath| match options.policy.judge(path, Access::Read).verdict {
        Verdict::Allow => true,
        Verdict::Ask => options.approval_gate == ApprovalGate::Nothing,
        Verdict::Deny => false,
    };
    Ok(before.iter().all(|(path, _)| is_open(path))
        && before
            .iter()
            .all(|(path, version)| is_version(workspace, path, *version)))
}

/// Returns whether the file at `path` is `version`; `false` if it cannot be read.
fn is_version(workspace: &dyn Workspace, path: &RelPath, version: Version) -> bool {
    let Ok(Some(stat)) = workspace.stat(path) else {
        return false;
    };
    let is_link = version.kind == FileKind::Symlink;
    let has_bits = is_link
        || version
            .permissions
            .is_none_or(|bits| bits == stat.permissions);
    if !has_bits || (stat.kind, stat.size) != (version.kind, version.size) {
        return false;
    }
    let content = match version.kind {
        FileKind::Symlink => workspace.read_link(path).map(Bytes::from),
        _ => workspace.read(path, version.size).map(|(bytes, _)| bytes),
    };
    content.is_ok_and(|content| Digest::of(&content) == version.digest)
}

/// The predicted type of the file at each path.
pub(super) struct PredictedTree<'w> {
    workspace: &'w dyn Workspace,
    /// The types at the paths of the reversed entries; `None` if no file remains at the path.
    kinds: BTreeMap<RelPath, Option<FileKind>>,
}

impl<'w> PredictedTree<'w> {
    pub(super) fn new(workspace: &'w dyn Workspace) -> Self {
        Self {
            workspace,
            kinds: BTreeMap::new(),
        }
    }

    /// Adds the reversal of `entry`.
    pub(super) fn add_reversal(&mut self, entry: &HistoryEntry) {
        let made = entry.created_dirs.iter().map(|path| (path.clone(), None));
        let removed = entry
            .removed_dirs
            .keys()
            .map(|path| (path.clone(), Some(FileKind::Directory)));
        let files = entry
            .files
            .iter()
            .map(|file| (file.path.clone(), file.before.map(|before| before.kind)));
        self.kinds.extend(made.chain(removed).chain(files));
    }

    /// Returns the type of the file at `path`. If a link has replaced a directory above it, no file
    /// of the entries exists there.
    pub(super) fn kind(&self, path: &RelPath) -> Result<Option<FileKind>, Failure> {
        if let Some(kind) = self.kinds.get(path) {
            return Ok(*kind);
        }
        match self.workspace.stat(path) {
            Err(error) if error.kind == ErrorKind::ThroughLink => Ok(None),
            stat => Ok(stat?.map(|stat| stat.kind)),
        }
    }

    /// Returns the names in `directory`. The set is empty if the directory does not exist.
    pub(super) fn names(&self, directory: &RelPath) -> Result<BTreeSet<Vec<u8>>, Failure> {
        let listed = match self.workspace.list(Some(directory)) {
            Err(error)
                if matches!(
                    error.kind,
                    ErrorKind::Missing | ErrorKind::NotDirectory | ErrorKind::ThroughLink
                ) =>
            {
                Vec::new()
            }
            listed => listed?,
        };
        let mut names: BTreeSet<_> = listed.into_iter().collect();
        for (path, kind) in self
            .kinds
            .iter()
            .filter(|(path, _)| path.parent().as_ref() == Some(directory))
        {
            match kind {
                Some(_) => drop(names.insert(path.name().to_vec())),
                None => drop(names.remove(path.name())),
            }
        }
        Ok(names)
    }
}
