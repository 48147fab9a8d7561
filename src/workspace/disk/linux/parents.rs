//! From a path to an open directory and one name in it. Nothing else resolves a path.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, openat, openat2, statat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Resource, getrlimit};

use super::fault::{Attempt, Trouble};
use crate::path::RelPath;
use crate::workspace::Fault;

/// Most handles that are kept.
const MOST_HANDLES: u64 = 32;
/// How long a handle is kept: a directory that somebody else moved away is not written to for longer.
const MAX_AGE: Duration = Duration::from_secs(1);
/// `openat2` gives `EAGAIN` when something was renamed while it walked; see openat2(2).
const MOST_RACES: u32 = 64;

/// An open directory; may be an `O_PATH` handle.
pub(super) type Handle = Arc<OwnedFd>;

/// Resolves the directories of paths below one root, and keeps some of them open.
///
/// # Security
///
/// What is kept is the handle, never the knowledge that a name is a directory: whatever is put under the
/// name afterwards, a verb works in the directory that was resolved through directories alone.
#[derive(Debug)]
pub(super) struct Parents {
    root: Handle,
    /// The kernel has no `openat2`: walk component by component.
    walks: AtomicBool,
    capacity: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// The one that was used last is at the end.
    entries: Vec<Entry>,
    /// Grows when entries are forgotten, so that what was resolved before is not kept after.
    generation: u64,
}

#[derive(Debug)]
struct Entry {
    path: Box<[u8]>,
    handle: Handle,
    opened: Instant,
}

impl Parents {
    pub(super) fn new(root: OwnedFd) -> Self {
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let capacity = usize::try_from((limit / 8).min(MOST_HANDLES)).unwrap_or_default();
        Self { root: Arc::new(root), walks: AtomicBool::new(false), capacity, kept: Mutex::default() }
    }

    pub(super) fn root(&self) -> &Handle {
        &self.root
    }

    /// Returns the directory that holds `path`, and the last component.
    pub(super) fn of<'p>(&self, path: &'p RelPath) -> Attempt<(Handle, &'p [u8])> {
        let name = path.name();
        let bytes = path.as_bytes();
        match bytes.len().checked_sub(name.len() + 1) {
            None => Ok((Arc::clone(&self.root), name)),
            Some(end) => Ok((self.directory(&bytes[..end])?, name)),
        }
    }

    fn directory(&self, path: &[u8]) -> Attempt<Handle> {
        let generation = {
            let mut kept = self.kept();
            if let Some(handle) = kept.find(path) {
                return Ok(handle);
            }
            kept.generation
        };
        let handle = Arc::new(self.resolve(path)?);
        let mut kept = self.kept();
        if kept.generation == generation {
            kept.add(path, &handle, self.capacity);
        }
        Ok(handle)
    }

    fn resolve(&self, path: &[u8]) -> Attempt<OwnedFd> {
        if !self.walks.load(Ordering::Relaxed) {
            match open_beneath(&self.root, path) {
                // EPERM is what system call filters say that have never heard of it.
                Err(Errno::NOSYS | Errno::PERM) => self.walks.store(true, Ordering::Relaxed),
                Err(Errno::LOOP) => return Err(Trouble::new(Fault::ThroughLink, Errno::LOOP)),
                result => return Ok(result?),
            }
        }
        self.walk(path)
    }

    fn walk(&self, path: &[u8]) -> Attempt<OwnedFd> {
        let mut reached: Option<OwnedFd> = None;
        for name in path.split(|&byte| byte == b'/') {
            let above = reached.as_ref().unwrap_or(&self.root);
            reached = Some(open_directory(above, name, OFlags::PATH)?);
        }
        Ok(reached.expect("BUG: split gives at least one component"))
    }

    /// Forgets the directories at and below `path`, of which one was moved, made or removed.
    pub(super) fn forget(&self, path: &RelPath) {
        let path = path.as_bytes();
        let is_at_or_below =
            |entry: &Entry| entry.path.strip_prefix(path).is_some_and(|rest| matches!(rest.first(), None | Some(b'/')));
        let mut kept = self.kept();
        kept.generation += 1;
        kept.entries.retain(|entry| !is_at_or_below(entry));
    }

    /// Gives all handles back.
    pub(super) fn forget_all(&self) {
        let mut kept = self.kept();
        kept.generation += 1;
        kept.entries.clear();
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Behaves as on a kernel without `openat2`.
    #[cfg(test)]
    pub(super) fn only_walk(&self) {
        self.walks.store(true, Ordering::Relaxed);
    }
}

impl Kept {
    fn find(&mut self, path: &[u8]) -> Option<Handle> {
        let index = self.entries.iter().rposition(|entry| *entry.path == *path)?;
        let entry = self.entries.remove(index);
        if entry.opened.elapsed() > MAX_AGE {
            return None;
        }
        let handle = Arc::clone(&entry.handle);
        self.entries.push(entry);
        Some(handle)
    }

    fn add(&mut self, path: &[u8], handle: &Handle, capacity: usize) {
        self.entries.retain(|entry| *entry.path != *path);
        if self.entries.len() >= capacity && !self.entries.is_empty() {
            self.entries.remove(0);
        }
        if capacity > 0 {
            self.entries.push(Entry { path: path.into(), handle: Arc::clone(handle), opened: Instant::now() });
        }
    }
}

/// Opens the directory at `path` below `root` through directories alone; a link on the way is `ELOOP`.
fn open_beneath(root: &OwnedFd, path: &[u8]) -> rustix::io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut result = Err(Errno::AGAIN);
    for _ in 0..MOST_RACES {
        result = openat2(root, path, flags, Mode::empty(), resolve);
        if !matches!(result, Err(Errno::AGAIN | Errno::INTR)) {
            break;
        }
    }
    result
}

/// Opens the directory `name` in `above`, which must not be a link.
pub(super) fn open_directory(above: impl AsFd, name: &[u8], access: OFlags) -> Attempt<OwnedFd> {
    let flags = access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    retry_on_intr(|| openat(&above, name, flags, Mode::empty())).map_err(|errno| match errno {
        Errno::NOTDIR | Errno::LOOP if is_link(&above, name) => Trouble::new(Fault::ThroughLink, Errno::LOOP),
        errno => errno.into(),
    })
}

fn is_link(above: impl AsFd, name: &[u8]) -> bool {
    statat(above, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}
