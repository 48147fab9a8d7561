//! Walks two trees at the same time, and lists the files that can differ.

use std::collections::BTreeSet;

use super::file::{FilePair, NEW, OLD, TreeFile, Trees};
#[cfg(feature = "cli")]
use super::ignored::IgnoreRules;
use super::{IgnoredFiles, MoveDetection, TreeDiffWarning, TreeResult};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::policy::protecting_rule;
use crate::workspace::{Directory, ObjectId};

/// The result of a walk.
#[derive(Default)]
pub(super) struct Found {
    /// The files of which at least one side exists, unless both sides are the same git object.
    pub(super) pairs: Vec<FilePair>,
    /// The files of the old tree that have the same git object in the new tree, if they can be the
    /// source of a copy.
    pub(super) unchanged: Vec<TreeFile>,
    pub(super) warnings: Vec<TreeDiffWarning>,
}

/// Lists the files of both trees.
pub(super) fn walk(trees: &Trees<'_>) -> TreeResult<Found> {
    let mut walk = Walk {
        trees,
        #[cfg(feature = "cli")]
        ignore_rules: [IgnoreRules::default(), IgnoreRules::default()],
        found: Found::default(),
    };
    walk.visit_directory(None, [DirectoryState::Exists; 2])?;
    Ok(walk.found)
}

/// What a path of one tree is.
enum Node {
    Missing,
    File(TreeFile),
    Directory(Option<ObjectId>),
    /// A FIFO, a socket or a device.
    Special,
}

/// A directory of one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DirectoryState {
    Missing,
    Exists,
    /// It exists, and `.gitignore` excludes it with everything in it.
    Ignored,
}

struct Walk<'a, 'w> {
    trees: &'a Trees<'w>,
    #[cfg(feature = "cli")]
    ignore_rules: [IgnoreRules; 2],
    found: Found,
}

impl Walk<'_, '_> {
    fn visit_directory(
        &mut self,
        directory: Directory<'_>,
        states: [DirectoryState; 2],
    ) -> TreeResult<()> {
        self.trees.check_interrupt()?;
        self.enter(directory, states)?;
        let mut lists = [BTreeSet::new(), BTreeSet::new()];
        for side in [OLD, NEW] {
            if states[side] != DirectoryState::Missing {
                lists[side] = self.trees.workspaces[side]
                    .list(directory)?
                    .into_iter()
                    .collect();
                lists[side].retain(|name| !is_skipped(directory, name));
            }
        }
        self.check_empty(directory, states, lists.each_ref().map(BTreeSet::is_empty));
        for name in lists[OLD].union(&lists[NEW]) {
            let path = match directory {
                None => RelPath::new(name),
                Some(directory) => directory.join(name),
            };
            let Ok(path) = path else {
                let message = "a path in this directory is too long for a patch";
                self.warn(directory, message, true);
                continue;
            };
            let mut nodes = [Node::Missing, Node::Missing];
            for side in [OLD, NEW] {
                if lists[side].contains(name) {
                    nodes[side] = self.node(&path, side)?;
                }
            }
            self.visit(&path, nodes, states)?;
        }
        self.leave();
        Ok(())
    }

    fn visit(
        &mut self,
        path: &RelPath,
        nodes: [Node; 2],
        parents: [DirectoryState; 2],
    ) -> TreeResult<()> {
        let ignored =
            [OLD, NEW].map(|side| self.is_ignored(path, &nodes[side], parents[side], side));
        let exists = nodes.each_ref().map(|node| !matches!(node, Node::Missing));
        if [OLD, NEW]
            .iter()
            .all(|&side| ignored[side] || !exists[side])
        {
            return Ok(());
        }
        if let [Node::Directory(Some(old)), Node::Directory(Some(new))] = &nodes
            && old == new
            && self.trees.request.moves != MoveDetection::AllCopies
        {
            return Ok(());
        }
        let states = [OLD, NEW].map(|side| match (&nodes[side], ignored[side]) {
            (Node::Directory(_), false) => DirectoryState::Exists,
            (Node::Directory(_), true) => DirectoryState::Ignored,
            _ => DirectoryState::Missing,
        });
        if nodes.iter().any(|node| matches!(node, Node::Special)) && self.is_selected(path) {
            self.warn(Some(path), "a special file cannot be part of a patch", true);
        }
        let [before, after] = nodes.map(|node| match node {
            Node::File(file) => Some(file),
            _ => None,
        });
        if (before.is_some() || after.is_some()) && self.is_selected(path) {
            self.add(path, before, after);
        }
        if states != [DirectoryState::Missing; 2] {
            self.visit_directory(Some(path), states)?;
        }
        Ok(())
    }

    /// Adds a file, unless it is the same git object on both sides.
    fn add(&mut self, path: &RelPath, before: Option<TreeFile>, after: Option<TreeFile>) {
        if protecting_rule(path).is_some() {
            let message = "git and wpatch refuse to change a file of this name";
            self.warn(Some(path), message, true);
            return;
        }
        if let (Some(old), Some(new)) = (&before, &after)
            && old.object.is_some()
            && (old.object, old.mode) == (new.object, new.mode)
        {
            if self.trees.request.moves == MoveDetection::AllCopies {
                self.found.unchanged.extend(before);
            }
            return;
        }
        self.found.pairs.push(FilePair::in_place(before, after));
    }

    fn node(&self, path: &RelPath, side: usize) -> TreeResult<Node> {
        let workspace = self.trees.workspaces[side];
        if let Some(object) = workspace.git_object(path)? {
            return Ok(match object.mode {
                None => Node::Directory(Some(object.id)),
                Some(mode) => Node::File(TreeFile {
                    path: path.clone(),
                    mode,
                    size: None,
                    object: Some(object.id),
                }),
            });
        }
        let Some(stat) = workspace.stat(path)? else {
            // Another process removed the file.
            return Ok(Node::Missing);
        };
        Ok(match stat.kind {
            FileKind::Directory => Node::Directory(None),
            FileKind::Special => Node::Special,
            FileKind::Regular | FileKind::Symlink => Node::File(TreeFile {
                path: path.clone(),
                mode: FileMode::of(stat.kind, Some(stat.permissions)),
                size: (stat.kind == FileKind::Regular).then_some(stat.size),
                object: None,
            }),
        })
    }

    /// Adds a warning about a directory without files, which a diff can neither create nor delete.
    fn check_empty(
        &mut self,
        directory: Directory<'_>,
        states: [DirectoryState; 2],
        is_empty: [bool; 2],
    ) {
        let exists = states.map(|state| state == DirectoryState::Exists);
        let is_lost = is_empty[NEW] && exists[NEW] && !(exists[OLD] && is_empty[OLD]);
        let is_kept = is_empty[OLD] && exists[OLD] && states[NEW] == DirectoryState::Missing;
        let selected = directory.filter(|path| self.is_selected(path));
        if is_lost && selected.is_some() {
            self.warn(
                directory,
                "an empty directory cannot be part of a patch",
                true,
            );
        } else if is_kept && selected.is_some() {
            let message = "no patch can delete an empty directory";
            self.warn(directory, message, true);
        }
    }

    fn warn(&mut self, path: Directory<'_>, message: &'static str, is_difference: bool) {
        self.found.warnings.push(TreeDiffWarning {
            path: path.cloned(),
            message,
            is_difference,
        });
    }

    /// Returns whether the filters select `path`.
    fn is_selected(&self, path: &RelPath) -> bool {
        let filters = &self.trees.request.filters;
        let matching = filters
            .iter()
            .find(|filter| filter.pattern.is_match(path.as_bytes()));
        match matching {
            Some(filter) => filter.is_include,
            None => !filters.iter().any(|filter| filter.is_include),
        }
    }

    #[cfg(feature = "cli")]
    fn enter(&mut self, directory: Directory<'_>, states: [DirectoryState; 2]) -> TreeResult<()> {
        if self.trees.request.ignored == IgnoredFiles::Skipped {
            for side in [OLD, NEW] {
                let exists = states[side] != DirectoryState::Missing;
                let workspace = exists.then_some(self.trees.workspaces[side]);
                self.ignore_rules[side].enter(directory, workspace)?;
            }
        }
        Ok(())
    }

    #[cfg(feature = "cli")]
    fn leave(&mut self) {
        if self.trees.request.ignored == IgnoredFiles::Skipped {
            self.ignore_rules.iter_mut().for_each(IgnoreRules::leave);
        }
    }

    #[cfg(feature = "cli")]
    fn is_ignored(&self, path: &RelPath, node: &Node, parent: DirectoryState, side: usize) -> bool {
        let is_directory = matches!(node, Node::Directory(_));
        self.trees.request.ignored == IgnoredFiles::Skipped
            && (parent == DirectoryState::Ignored
                || self.ignore_rules[side].is_ignored(path, is_directory))
    }

    #[cfg(not(feature = "cli"))]
    fn enter(&mut self, _: Directory<'_>, _: [DirectoryState; 2]) -> TreeResult<()> {
        Ok(())
    }

    #[cfg(not(feature = "cli"))]
    fn leave(&mut self) {}

    #[cfg(not(feature = "cli"))]
    fn is_ignored(&self, _: &RelPath, _: &Node, _: DirectoryState, _: usize) -> bool {
        false
    }
}

/// Returns whether git or wpatch keep their own files under this name, which are not compared.
fn is_skipped(directory: Directory<'_>, name: &[u8]) -> bool {
    name == b".git" || directory.is_none() && name == b".wpatch"
}
