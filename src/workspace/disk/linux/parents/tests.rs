//! Tests of path resolution and of the handle cache.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fd::AsFd;
use rustix::fs::{CWD, fstat, open};
use tempfile::TempDir;

use super::*;

fn parents() -> (TempDir, DirectoryResolver) {
    let root = TempDir::new().unwrap();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let parents = DirectoryResolver::new(open(root.path(), flags, Mode::empty()).unwrap());
    (root, parents)
}

fn inode(handle: impl AsFd) -> u64 {
    fstat(handle).unwrap().st_ino
}

#[test]
fn walking_leads_to_the_same_places() {
    let (root, parents) = parents();
    fs::create_dir_all(root.path().join("a/b/c")).unwrap();
    fs::write(root.path().join("a/file"), b"").unwrap();
    for (target, link) in [
        ("b", "a/link"),
        ("..", "a/up"),
        ("/", "slash"),
        ("loop", "loop"),
        ("none", "dangling"),
    ] {
        symlink(target, root.path().join(link)).unwrap();
    }
    let paths = [
        "a",
        "a/b",
        "a/b/c",
        "a/link",
        "a/link/c",
        "a/up",
        "a/up/a",
        "slash",
        "slash/etc",
        "loop",
        "loop/x",
        "dangling",
        "dangling/x",
        "a/file",
        "a/file/x",
        "none",
        "a/none/x",
    ];
    let look = |path: &&str| match parents.resolve(path.as_bytes(), OFlags::PATH) {
        Ok(handle) => Ok(inode(handle)),
        Err(trouble) => Err(trouble.kind),
    };
    let resolved: Vec<_> = paths.iter().map(look).collect();
    assert_eq!(resolved.iter().filter(|found| found.is_ok()).count(), 3);
    parents.lacks_openat2.store(true, Ordering::Relaxed);
    let walked: Vec<_> = paths.iter().map(look).collect();
    assert_eq!(walked, resolved);
}

#[test]
fn a_handle_is_kept_but_not_for_ever() {
    let (root, parents) = parents();
    let path = RelPath::new(b"a/x").unwrap();
    fs::create_dir(root.path().join("a")).unwrap();
    let first = inode(parents.parent_and_name(&path).unwrap().0);
    fs::rename(root.path().join("a"), root.path().join("moved")).unwrap();
    fs::create_dir(root.path().join("a")).unwrap();
    assert_eq!(inode(parents.parent_and_name(&path).unwrap().0), first);
    let long_ago = Instant::now().checked_sub(MAX_AGE * 2).unwrap();
    parents.lock_cache().entries[0].opened = long_ago;
    assert_ne!(inode(parents.parent_and_name(&path).unwrap().0), first);
}

#[test]
fn the_handle_that_was_used_longest_ago_goes_first() {
    let (root, mut parents) = parents();
    parents.capacity = 2;
    for name in ["a", "b", "c"] {
        fs::create_dir(root.path().join(name)).unwrap();
    }
    for path in [b"a/x", b"b/x", b"a/x", b"c/x"] {
        parents
            .parent_and_name(&RelPath::new(path).unwrap())
            .unwrap();
    }
    let kept: Vec<_> = parents
        .lock_cache()
        .entries
        .iter()
        .map(|entry| entry.path.clone())
        .collect();
    assert_eq!(kept, [b"a"[..].into(), b"c"[..].into()]);
}

#[test]
fn what_is_at_or_below_a_path_is_forgotten() {
    let (root, parents) = parents();
    fs::create_dir_all(root.path().join("a/b/c")).unwrap();
    fs::create_dir(root.path().join("ab")).unwrap();
    let use_all = || {
        for path in [&b"a/x"[..], b"a/b/x", b"a/b/c/x", b"ab/x"] {
            parents
                .parent_and_name(&RelPath::new(path).unwrap())
                .unwrap();
        }
    };
    use_all();
    parents.forget([
        &RelPath::new(b"none").unwrap(),
        &RelPath::new(b"a/b").unwrap(),
    ]);
    let kept: Vec<_> = parents
        .lock_cache()
        .entries
        .iter()
        .map(|entry| entry.path.clone())
        .collect();
    assert_eq!(kept, [b"a"[..].into(), b"ab"[..].into()]);
    use_all();
    parents.forget_all();
    assert!(parents.lock_cache().entries.is_empty());
}

#[test]
fn no_more_handles_are_kept_than_there_is_room_for() {
    let mut kept = HandleCache::default();
    let here = Arc::new(open_directory(CWD, b".", OFlags::PATH).unwrap());
    kept.add(b"a", &here, 0);
    assert!(kept.entries.is_empty());
    kept.add(b"a", &here, 1);
    kept.add(b"a", &here, 1);
    assert_eq!(kept.entries.len(), 1);
}
