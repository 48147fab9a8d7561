//! The locks of the memory backend.

use crate::workspace::Lock;
use crate::workspace::memory::tree::Inode;
use crate::workspace::memory::{Memory, MemoryState};

impl Memory {
    /// Locks a file or a directory. Returns `None` if it is locked already.
    pub(super) fn lock_inode(&self, state: &mut MemoryState, inode: Inode) -> Option<Lock> {
        state.locked.insert(inode).then(|| {
            Lock::new(LockGuard {
                memory: self.second_handle(),
                inode,
            })
        })
    }
}

/// Releases a lock when it is dropped.
struct LockGuard {
    memory: Memory,
    inode: Inode,
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        self.memory.state().locked.remove(&self.inode);
    }
}
