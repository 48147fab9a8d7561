//! Objects that were read, up to a weight.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use super::id::ObjectId;

/// Two generations: what is asked for moves to the young one, and when that has half of the weight,
/// the old one goes.
#[derive(Debug)]
pub(super) struct Cache<T> {
    young: HashMap<ObjectId, Arc<T>>,
    old: HashMap<ObjectId, Arc<T>>,
    weight: usize,
}

/// What takes memory.
pub(super) trait Weighed {
    /// Returns about how many bytes it takes.
    fn weight(&self) -> usize;
}

/// Most bytes of all that is kept.
const MOST: usize = 32 << 20;
/// Most bytes of one thing that is kept.
pub(super) const MOST_OF_ONE: usize = MOST / 2;

impl<T: Weighed> Cache<T> {
    /// Returns what has this name, if it was kept.
    pub(super) fn find(&mut self, id: ObjectId) -> Option<Arc<T>> {
        if let Some(kept) = self.young.get(&id) {
            return Some(Arc::clone(kept));
        }
        let kept = self.old.remove(&id)?;
        self.keep(id, &kept);
        Some(kept)
    }

    /// Keeps `read`, unless it alone is too heavy.
    pub(super) fn keep(&mut self, id: ObjectId, read: &Arc<T>) {
        let weight = read.weight();
        if weight > MOST_OF_ONE {
            return;
        }
        if self.weight + weight > MOST_OF_ONE {
            self.old = mem::take(&mut self.young);
            self.weight = 0;
        }
        if self.young.insert(id, Arc::clone(read)).is_none() {
            self.weight += weight;
        }
    }
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            weight: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> ObjectId {
        ObjectId::from_hex(format!("{number:040x}").as_bytes()).unwrap()
    }

    impl Weighed for usize {
        fn weight(&self) -> usize {
            *self
        }
    }

    #[test]
    fn what_is_kept_has_a_limit_and_what_is_used_stays() {
        let mut cache = Cache::default();
        let megabyte = Arc::new(1 << 20);
        for number in 0..100 {
            cache.keep(id(number), &megabyte);
            assert!(cache.find(id(0)).is_some(), "{number}");
            let held: usize = cache
                .young
                .values()
                .chain(cache.old.values())
                .map(|kept| kept.weight())
                .sum();
            assert!(held <= MOST, "{held}");
        }
        assert!(cache.find(id(99)).is_some() && cache.find(id(50)).is_none());
        cache.keep(id(200), &Arc::new(MOST));
        assert!(cache.find(id(200)).is_none());
    }
}
