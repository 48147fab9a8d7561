//! The model of a sequence: the expected tree, index and history after each step.

use std::collections::BTreeMap;

use super::Index;
use crate::history::patches::{NAMES, are_in_the_way, id, mode};
use crate::tree::{Node, Tree, path};

/// Tree and index of a work tree, with names from the top.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) tree: Tree,
    pub(super) index: Index,
}

/// How a patch is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Plain,
    Index,
    Intent,
    Cached,
    ThreeWay,
    Reject,
}

impl How {
    pub(super) const ALL: [Self; 6] = [
        Self::Plain,
        Self::Index,
        Self::Intent,
        Self::Cached,
        Self::ThreeWay,
        Self::Reject,
    ];

    pub(super) fn options(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Index => &["--index"],
            Self::Intent => &["-N"],
            Self::Cached => &["--cached"],
            Self::ThreeWay => &["--3way"],
            Self::Reject => &["--reject"],
        }
    }
}

impl State {
    /// Returns the files below `prefix` in the tree, or in the index; of a file that is only
    /// intended nothing is there.
    pub(super) fn files(
        &self,
        prefix: &str,
        how: How,
        blobs: &BTreeMap<String, Node>,
    ) -> BTreeMap<String, Node> {
        let named = |name: &str| {
            name.strip_prefix(prefix)
                .filter(|name| NAMES.contains(name))
                .map(str::to_owned)
        };
        if how == How::Cached {
            let blob = |(mode, id): &(String, String)| blobs.get(&format!("{mode} {id}")).cloned();
            return self
                .index
                .iter()
                .filter_map(|(name, entry)| Some((named(name)?, blob(entry)?)))
                .collect();
        }
        let text =
            |name: &wpatch::path::RelPath| String::from_utf8(name.as_bytes().to_vec()).unwrap();
        let files = self
            .tree
            .iter()
            .filter(|(_, node)| !matches!(node, Node::Directory));
        files
            .filter_map(|(name, node)| Some((named(&text(name))?, node.clone())))
            .collect()
    }

    /// Returns the state after `changes` of a root.
    pub(super) fn after(
        &self,
        prefix: &str,
        how: How,
        changes: &BTreeMap<String, Option<Node>>,
    ) -> Self {
        let mut next = self.clone();
        for (name, new) in changes {
            let full = format!("{prefix}{name}");
            if how != How::Cached {
                match new {
                    Some(new) => drop(next.tree.insert(path(&full), new.clone())),
                    None => drop(next.tree.remove(&path(&full))),
                }
            }
            let is_new = !self.index.contains_key(&full);
            match (how, new) {
                (How::Plain | How::Reject, _) | (How::Intent, None) => {}
                (How::Intent, Some(new)) if !self.is_made(&full, new) || !is_new => {}
                (How::Intent, Some(_)) => drop(
                    next.index
                        .insert(full, ("100644".into(), "intended".into())),
                ),
                (_, Some(new)) => drop(next.index.insert(full, (mode(new).to_owned(), id(new)))),
                (_, None) => drop(next.index.remove(&full)),
            }
        }
        let comes: Vec<_> = next
            .index
            .keys()
            .filter(|name| self.index.get(*name) != next.index.get(*name))
            .cloned()
            .collect();
        next.index
            .retain(|name, _| !comes.iter().any(|other| are_in_the_way(name, other)));
        next
    }

    /// Returns whether a patch creates `new` at `name`: also where that has another type.
    pub(super) fn is_made(&self, name: &str, new: &Node) -> bool {
        match (self.tree.get(&path(name)), new) {
            (Some(Node::File { .. }), new) => matches!(new, Node::Link(_)),
            (Some(Node::Link(_)), new) => !matches!(new, Node::Link(_)),
            _ => true,
        }
    }

    /// Returns it without empty directories, which a change need not leave as the model does.
    pub(super) fn without_directories(mut self) -> Self {
        self.tree.retain(|_, node| !matches!(node, Node::Directory));
        self
    }
}
