//! Computes the file changes that result from the operations of a group.

use std::collections::{HashMap, HashSet};

use super::{Node, Overlay, OverlayEntry, PathState};
use crate::change::{Content, FileChange, Postimage};
use crate::mode::FileKind;
use crate::path::RelPath;

/// The files that move without a change of their content, by source and by target.
#[derive(Default)]
struct Moves<'o> {
    targets: HashMap<&'o RelPath, &'o RelPath>,
    sources: HashMap<&'o RelPath, &'o RelPath>,
}

impl Overlay<'_> {
    /// Returns one change for each file that differs from the file on disk.
    pub(in crate::preflight) fn into_changes(self) -> Vec<FileChange> {
        // A single file cannot be moved from another path and has no other file below it.
        if let (Some((path, entry)), 1) = (self.entries.iter().next(), self.entries.len()) {
            return self
                .change(path, entry, &Moves::default())
                .into_iter()
                .collect();
        }
        let moves = self.moves();
        // A directory that a file replaces is a change. A directory that still has files below it
        // is not.
        let needed = self.ancestors_of(|entry| matches!(entry.current, PathState::Node(_)));
        let emptied = self.ancestors_of(|entry| {
            entry.found.is_some() && matches!(entry.current, PathState::Nothing)
        });
        let is_kept =
            |path: &RelPath, entry: &OverlayEntry| entry.was_directory() && needed.contains(path);
        let others = self
            .entries
            .iter()
            .filter(|(path, entry)| !is_kept(path, entry));
        let mut changes: Vec<_> = others
            .filter_map(|(path, entry)| self.change(path, entry, &moves))
            .collect();
        let staying = self
            .entries
            .iter()
            .filter(|(path, _)| emptied.contains(*path) && !needed.contains(*path));
        changes.extend(staying.filter_map(|(path, entry)| entry.staying_directory(path)));
        changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        changes
    }

    /// Returns the files that move unchanged. If several new files have the content of one source,
    /// only the first by name is a move.
    fn moves(&self) -> Moves<'_> {
        let mut moves = Moves::default();
        let mut arrived: Vec<_> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.found.is_none())
            .collect();
        arrived.sort_unstable_by_key(|(path, _)| *path);
        for (to, entry) in arrived {
            let PathState::Node(Node {
                origin: Some(from), ..
            }) = &entry.current
            else {
                continue;
            };
            if self.is_moved(from, to) && !moves.targets.contains_key(from) {
                moves.targets.insert(from, to);
                moves.sources.insert(to, from);
            }
        }
        moves
    }

    /// Returns the directories above the entries that satisfy `is_such`.
    fn ancestors_of(&self, is_such: impl Fn(&OverlayEntry) -> bool) -> HashSet<RelPath> {
        let mut found = HashSet::new();
        for (path, _) in self.entries.iter().filter(|(_, entry)| is_such(entry)) {
            // If a directory is already in the set, so are all directories above it. `all` stops
            // there.
            let _ = path.ancestors().all(|above| found.insert(above));
        }
        found
    }

    /// Returns whether the file at `from` can be renamed to `to`: the source is removed, and the
    /// type and the permissions are equal.
    fn is_moved(&self, from: &RelPath, to: &RelPath) -> bool {
        let (Some(source), Some(target)) = (self.entries.get(from), self.entries.get(to)) else {
            return false;
        };
        match (&source.found, &source.current, &target.current) {
            (Some((_, old)), PathState::Nothing, PathState::Node(new)) => {
                old.permissions == new.permissions && old.kind == new.kind
            }
            _ => false,
        }
    }

    /// Returns the change of the file at `path`. Returns `None` if the file stays as it is on disk,
    /// or if it moves to another path, whose change contains the move.
    fn change(
        &self,
        path: &RelPath,
        entry: &OverlayEntry,
        moves: &Moves<'_>,
    ) -> Option<FileChange> {
        let before = entry.found.as_ref();
        let PathState::Node(node) = &entry.current else {
            let is_moved_on = moves.targets.contains_key(path);
            let (state, _) =
                before.filter(|_| !is_moved_on && matches!(entry.current, PathState::Nothing))?;
            return Some(FileChange {
                path: path.clone(),
                before: Some(state.clone()),
                after: None,
            });
        };
        let content = match (before, moves.sources.get(path)) {
            (Some((_, old)), _) if old.kind == node.kind && old.bytes == node.bytes => {
                if node.kind != FileKind::Regular || old.permissions == node.permissions {
                    return None;
                }
                Content::Unchanged
            }
            (None, Some(&from)) => Content::MovedFrom(
                from.clone(),
                self.entries.get(from)?.found.as_ref()?.0.clone(),
            ),
            _ => match &node.restored {
                Some((from, state)) => Content::Restored(from.clone(), state.clone()),
                None => Content::Bytes(node.bytes.clone()),
            },
        };
        let after = Postimage {
            kind: node.kind,
            permissions: node.permissions,
            content,
            attribute_source: node.like.clone(),
        };
        Some(FileChange {
            path: path.clone(),
            before: before.map(|(state, _)| state.clone()),
            after: Some(after),
        })
    }
}

impl OverlayEntry {
    /// Returns a change that keeps the directory of a created submodule. Without this change, the
    /// transaction removes the directory when its last file is removed.
    fn staying_directory(&self, path: &RelPath) -> Option<FileChange> {
        let (state, _) = self
            .found
            .as_ref()
            .filter(|_| self.was_directory() && self.made_in.is_some())?;
        let PathState::Node(node) = &self.current else {
            return None;
        };
        let kept = Postimage {
            kind: node.kind,
            permissions: node.permissions,
            content: Content::Unchanged,
            attribute_source: None,
        };
        let after = (node.kind == FileKind::Directory).then_some(kept)?;
        Some(FileChange {
            path: path.clone(),
            before: Some(state.clone()),
            after: Some(after),
        })
    }
}
