//! Tests of path resolution and of the handle cache.

use std::fs;

use tempfile::TempDir;

use super::*;

fn parents() -> (TempDir, DirectoryResolver) {
    let root = TempDir::new().unwrap();
    let opened = system::open_directory_at(root.path(), Access::List).unwrap();
    (root, DirectoryResolver::new(opened))
}

fn inode(handle: &system::Handle) -> u64 {
    system::stat_handle(handle).unwrap().inode
}

#[test]
fn a_handle_is_kept_but_not_for_ever() {
    let (root, parents) = parents();
    let path = RelPath::new(b"a/x").unwrap();
    fs::create_dir(root.path().join("a")).unwrap();
    let first = inode(&parents.parent_and_name(&path).unwrap().0);
    fs::rename(root.path().join("a"), root.path().join("moved")).unwrap();
    fs::create_dir(root.path().join("a")).unwrap();
    assert_eq!(inode(&parents.parent_and_name(&path).unwrap().0), first);
    let long_ago = Instant::now().checked_sub(MAX_AGE * 2).unwrap();
    parents.lock_cache().entries[0].opened = long_ago;
    assert_ne!(inode(&parents.parent_and_name(&path).unwrap().0), first);
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
    let here = Arc::new(system::open_directory_at(".".as_ref(), Access::Resolve).unwrap());
    kept.add(b"a", &here, 0);
    assert!(kept.entries.is_empty());
    kept.add(b"a", &here, 1);
    kept.add(b"a", &here, 1);
    assert_eq!(kept.entries.len(), 1);
}
