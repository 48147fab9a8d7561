//! The roots of a scene: the directory itself, or two directories below it.

use std::path::PathBuf;

use super::trees::{listed, replace};
use super::{Place, Scene};
use crate::power::model::Tree;

/// The roots of a change of several, below the directory that is looked at.
const ROOTS: [&str; 2] = ["one", "two"];
/// What the program is told for them.
const EACH_ROOT: [&str; 4] = ["--root", "one", "--root", "two"];

impl Scene {
    /// Returns the directories in which commands run.
    pub(super) fn roots(&self) -> Vec<PathBuf> {
        match self.place {
            Place::Roots => ROOTS.map(|name| self.root.join(name)).to_vec(),
            Place::Plain | Place::Git => vec![self.root.clone()],
        }
    }

    pub(super) fn each_root(&self) -> &'static [&'static str] {
        match self.place {
            Place::Roots => &EACH_ROOT,
            Place::Plain | Place::Git => &[],
        }
    }

    /// Lays `state` in the roots. Their inodes, which journals name, stay.
    pub(super) fn put(&self, state: &Tree) {
        if self.place != Place::Roots {
            return replace(&self.root, state);
        }
        for name in ROOTS {
            let below =
                |path: &String| Some(path.strip_prefix(name)?.strip_prefix('/')?.to_owned());
            let tree = state
                .iter()
                .filter_map(|(path, node)| Some((below(path)?, node.clone())));
            replace(&self.root.join(name), &tree.collect());
        }
    }

    /// Returns `tree` without the records that a commit leaves for the next command, because it
    /// could not complete them in each of several roots.
    pub(super) fn without_records(&self, mut tree: Tree) -> Tree {
        tree.retain(|path, _| self.place != Place::Roots || !path.contains(".wpatch"));
        tree
    }

    /// Says what is wrong if one root is before the change and another one after it. The state of a
    /// root that was not recovered yet does not count.
    pub(super) fn check_roots(&self, found: &Tree) -> Result<(), String> {
        let visible = |tree: &Tree| -> Tree {
            let is_seen = |path: &String| !path.contains(".wpatch");
            let seen = tree.iter().filter(|(path, _)| is_seen(path));
            seen.map(|(path, node)| (path.clone(), node.clone()))
                .collect()
        };
        let seen = visible(found);
        let whole = [&self.before, &self.success, &self.after];
        if self.place == Place::Roots && !whole.iter().any(|tree| visible(tree) == seen) {
            return Err(format!("a recovery of one root leaves\n{}", listed(&seen)));
        }
        Ok(())
    }
}
