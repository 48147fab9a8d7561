//! Walks two trees at the same time, and lists the files that can differ.

use std::collections::BTreeSet;

use super::file::{FilePair, NEW, OLD, TreeComparison, TreeFile};
use super::ignored::IgnoreRules;
use super::{RenameDetection, TreeDiffWarning, TreeResult};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::FilterRule;
use crate::policy::protecting_rule;
use crate::workspace::{Directory, ObjectId};

/// The result of a walk.
#[derive(Default)]
pub(super) struct WalkResult {
    /// The files that can differ.
    pub(super) pairs: Vec<FilePair>,
    /// The files of the old tree that have the same git object in the new tree, if they can be the
    /// source of a copy.
    pub(super) unchanged: Vec<TreeFile>,
    pub(super) warnings: Vec<TreeDiffWarning>,
}

/// Lists the files of both trees.
pub(super) fn walk(trees: &TreeComparison<'_>) -> TreeResult<WalkResult> {
    let mut walk = Walk {
        comparison: trees,
        ignore_rules: <[IgnoreRules; 2]>::default(),
        found: WalkResult::default(),
    };
    walk.visit_children(None, [DirectoryState::Exists; 2])?;
    Ok(walk.found)
}

/// The entry at a path of one tree.
enum Node {
    Missing,
    File(TreeFile),
    Directory(Option<ObjectId>),
    /// A FIFO, a socket or a device.
    Special,
}

/// The state of a directory in one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DirectoryState {
    Missing,
    /// A file or another entry is at the path.
    Replaced,
    Exists,
    /// It exists, and `.gitignore` excludes it with everything in it.
    Ignored,
}

impl DirectoryState {
    fn is_directory(self) -> bool {
        matches!(self, Self::Exists | Self::Ignored)
    }
}

struct Walk<'a, 'w> {
    comparison: &'a TreeComparison<'w>,
    ignore_rules: [IgnoreRules; 2],
    found: WalkResult,
}

impl Walk<'_, '_> {
    fn visit_children(
        &mut self,
        directory: Directory<'_>,
        states: [DirectoryState; 2],
    ) -> TreeResult<()> {
        self.comparison.check_interrupt()?;
        self.load_ignore_rules(directory, states)?;
        let mut lists = [BTreeSet::new(), BTreeSet::new()];
        for side in [OLD, NEW] {
            if states[side].is_directory() {
                lists[side] = self.comparison.workspaces[side]
                    .list(directory)?
                    .into_iter()
                    .collect();
                lists[side].retain(|name| !is_skipped(directory, name));
            }
        }
        self.warn_about_empty_directory(
            directory,
            states,
            lists.each_ref().map(BTreeSet::is_empty),
        );
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
                    nodes[side] = self.read_node(&path, side)?;
                }
            }
            self.visit_path(&path, nodes, states)?;
        }
        self.drop_ignore_rules();
        Ok(())
    }

    fn visit_path(
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
        // Equal git trees have equal files, but these can be the source of a copy.
        if let [Node::Directory(Some(old)), Node::Directory(Some(new))] = &nodes
            && old == new
            && self.comparison.request.renames != RenameDetection::AllCopies
        {
            return Ok(());
        }
        let states = [OLD, NEW].map(|side| match (&nodes[side], ignored[side]) {
            (Node::Directory(_), false) => DirectoryState::Exists,
            (Node::Directory(_), true) => DirectoryState::Ignored,
            (Node::Missing, _) => DirectoryState::Missing,
            _ => DirectoryState::Replaced,
        });
        let special = nodes.iter().filter(|node| matches!(node, Node::Special));
        // Two special files count as equal. wpatch never opens one.
        if special.count() == 1 && self.is_selected(path) {
            self.warn(Some(path), "a special file cannot be part of a patch", true);
        }
        let [before, after] = nodes.map(|node| match node {
            Node::File(file) => Some(file),
            _ => None,
        });
        if (before.is_some() || after.is_some()) && self.is_selected(path) {
            self.add(path, before, after)?;
        }
        if states.iter().any(|state| state.is_directory()) {
            self.visit_children(Some(path), states)?;
        }
        Ok(())
    }

    /// Adds a file, unless it is the same git object on both sides.
    fn add(
        &mut self,
        path: &RelPath,
        before: Option<TreeFile>,
        after: Option<TreeFile>,
    ) -> TreeResult<()> {
        let pair = FilePair::in_place(before, after);
        let objects = pair
            .sides()
            .map(|file| file.and_then(|file| Some((file.object?, file.mode))));
        if objects[OLD].is_some() && objects[OLD] == objects[NEW] {
            // Policy can deny reading the file, which then is no source of a copy.
            if self.comparison.request.renames == RenameDetection::AllCopies
                && self.comparison.check_access(&pair).is_ok()
            {
                self.found.unchanged.extend(pair.before);
            }
            return Ok(());
        }
        // The built-in rules deny reading these names, too. Their contents are not printed.
        if protecting_rule(path).is_some() {
            if self.comparison.is_changed(&pair)? {
                let message = "git and wpatch refuse to change a file of this name";
                self.warn(Some(path), message, true);
            }
            return Ok(());
        }
        self.comparison.check_access(&pair)?;
        self.found.pairs.push(pair);
        Ok(())
    }

    fn read_node(&self, path: &RelPath, side: usize) -> TreeResult<Node> {
        let workspace = self.comparison.workspaces[side];
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
    fn warn_about_empty_directory(
        &mut self,
        directory: Directory<'_>,
        states: [DirectoryState; 2],
        is_empty: [bool; 2],
    ) {
        let exists = states.map(|state| state == DirectoryState::Exists);
        let cannot_be_created = is_empty[NEW] && exists[NEW] && !(exists[OLD] && is_empty[OLD]);
        let cannot_be_deleted =
            is_empty[OLD] && exists[OLD] && states[NEW] == DirectoryState::Missing;
        let selected = directory.filter(|path| self.is_selected(path));
        if cannot_be_created && selected.is_some() {
            self.warn(
                directory,
                "an empty directory cannot be part of a patch",
                true,
            );
        } else if cannot_be_deleted && selected.is_some() {
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
        let filters = &self.comparison.request.filters;
        // A pattern that matches a directory selects all files in it.
        let is_match = |filter: &&FilterRule| {
            let mut directories = path.ancestor_bytes();
            filter.pattern.is_match(path.as_bytes())
                || directories.any(|directory| filter.pattern.is_match(directory))
        };
        let matching = filters.iter().find(is_match);
        match matching {
            Some(filter) => filter.is_include,
            None => !filters.iter().any(|filter| filter.is_include),
        }
    }

    fn load_ignore_rules(
        &mut self,
        directory: Directory<'_>,
        states: [DirectoryState; 2],
    ) -> TreeResult<()> {
        if self.comparison.request.ignored.are_skipped() {
            for side in [OLD, NEW] {
                let workspace = states[side]
                    .is_directory()
                    .then_some(self.comparison.workspaces[side]);
                self.ignore_rules[side].enter(directory, workspace)?;
            }
        }
        Ok(())
    }

    fn drop_ignore_rules(&mut self) {
        if self.comparison.request.ignored.are_skipped() {
            self.ignore_rules.iter_mut().for_each(IgnoreRules::leave);
        }
    }

    fn is_ignored(&self, path: &RelPath, node: &Node, parent: DirectoryState, side: usize) -> bool {
        let is_directory = matches!(node, Node::Directory(_));
        self.comparison.request.ignored.are_skipped()
            && (parent == DirectoryState::Ignored
                || self.ignore_rules[side].is_ignored(path, is_directory))
    }
}

/// Returns whether the name belongs to git or wpatch. Such files and directories are not compared. A
/// submodule has a `.git` of its own, and wpatch has one state directory for a root.
fn is_skipped(directory: Directory<'_>, name: &[u8]) -> bool {
    name == b".git" || directory.is_none() && name == b".wpatch"
}
