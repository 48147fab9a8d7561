//! A cache of objects with a memory limit.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use super::id::ObjectId;

/// A cache with two generations. A lookup moves an object to the young generation. If the young
/// generation would then exceed half of the limit, it becomes the old generation, and the previous
/// old generation is dropped.
#[derive(Debug)]
pub(super) struct ObjectCache<T> {
    young: HashMap<ObjectId, Arc<T>>,
    old: HashMap<ObjectId, Arc<T>>,
    /// The weight in bytes of the young generation.
    weight: usize,
}

/// A value that uses memory.
pub(super) trait CacheWeight {
    /// Returns the approximate size in bytes.
    fn weight(&self) -> usize;
}

/// The limit in bytes on all cached objects.
const MAX_BYTES: usize = 32 << 20;
/// The limit in bytes on one cached object.
pub(super) const MAX_OBJECT_BYTES: usize = MAX_BYTES / 2;

impl<T: CacheWeight> ObjectCache<T> {
    /// Returns the cached object `id`, if there is one.
    pub(super) fn find(&mut self, id: ObjectId) -> Option<Arc<T>> {
        if let Some(kept) = self.young.get(&id) {
            return Some(Arc::clone(kept));
        }
        let kept = self.old.remove(&id)?;
        self.insert(id, &kept);
        Some(kept)
    }

    /// Caches `read`, unless it is larger than the limit for one object.
    pub(super) fn insert(&mut self, id: ObjectId, read: &Arc<T>) {
        let weight = read.weight();
        if weight > MAX_OBJECT_BYTES {
            return;
        }
        if self.weight + weight > MAX_OBJECT_BYTES {
            self.old = mem::take(&mut self.young);
            self.weight = 0;
        }
        if self.young.insert(id, Arc::clone(read)).is_none() {
            self.weight += weight;
        }
    }
}

impl<T> Default for ObjectCache<T> {
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

    impl CacheWeight for usize {
        fn weight(&self) -> usize {
            *self
        }
    }

    #[test]
    fn what_is_kept_has_a_limit_and_what_is_used_stays() {
        let mut cache = ObjectCache::default();
        let megabyte = Arc::new(1 << 20);
        for number in 0..100 {
            cache.insert(id(number), &megabyte);
            assert!(cache.find(id(0)).is_some(), "{number}");
            let held: usize = cache
                .young
                .values()
                .chain(cache.old.values())
                .map(|kept| kept.weight())
                .sum();
            assert!(held <= MAX_BYTES, "{held}");
        }
        assert!(cache.find(id(99)).is_some() && cache.find(id(50)).is_none());
        cache.insert(id(200), &Arc::new(MAX_BYTES));
        assert!(cache.find(id(200)).is_none());
    }
}
