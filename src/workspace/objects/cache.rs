//! Trees that were read, up to a weight.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use super::id::ObjectId;
use super::tree::Tree;

/// Two generations: what is asked for moves to the young one, and when that has half of the weight, the old one goes.
#[derive(Debug, Default)]
pub(super) struct Cache {
    young: HashMap<ObjectId, Arc<Tree>>,
    old: HashMap<ObjectId, Arc<Tree>>,
    weight: usize,
}

impl Cache {
    /// Most bytes of all trees.
    const MOST: usize = 32 << 20;

    /// Returns the tree of this name, if it was kept.
    pub(super) fn find(&mut self, id: ObjectId) -> Option<Arc<Tree>> {
        if let Some(tree) = self.young.get(&id) {
            return Some(Arc::clone(tree));
        }
        let tree = self.old.remove(&id)?;
        self.keep(id, &tree);
        Some(tree)
    }

    /// Keeps `tree`, unless it alone is too heavy.
    pub(super) fn keep(&mut self, id: ObjectId, tree: &Arc<Tree>) {
        let weight = tree.weight();
        if weight > Self::MOST / 2 {
            return;
        }
        if self.weight + weight > Self::MOST / 2 {
            self.old = mem::take(&mut self.young);
            self.weight = 0;
        }
        if self.young.insert(id, Arc::clone(tree)).is_none() {
            self.weight += weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> ObjectId {
        ObjectId::from_hex(format!("{number:040x}").as_bytes()).unwrap()
    }

    fn tree(bytes: usize) -> Arc<Tree> {
        let name = vec![b'n'; bytes];
        Arc::new(Tree::read([b"100644 ", &name[..], b"\0", &[1; 20]].concat(), id(0)).unwrap())
    }

    #[test]
    fn what_is_kept_has_a_limit_and_what_is_used_stays() {
        let mut cache = Cache::default();
        let megabyte = tree(1 << 20);
        for number in 0..100 {
            cache.keep(id(number), &megabyte);
            assert!(cache.find(id(0)).is_some(), "{number}");
            let held: usize = cache.young.values().chain(cache.old.values()).map(|tree| tree.weight()).sum();
            assert!(held <= Cache::MOST, "{held}");
        }
        assert!(cache.find(id(99)).is_some() && cache.find(id(50)).is_none());
        cache.keep(id(200), &tree(Cache::MOST));
        assert!(cache.find(id(200)).is_none());
    }
}
