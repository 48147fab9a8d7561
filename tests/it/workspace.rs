//! The table of path shapes and verbs that every storage is held to.

mod disk;
mod names;

use std::time::Duration;

use tempfile::TempDir;
use wpatch::mode::{FileKind, Permissions};
use wpatch::workspace::{BACKENDS, Fault, Like, Privacy, Rename, Result, Stat, Workspace};

use crate::tree::path;

const NEW: Permissions = Permissions::New { executable: false };
const PATIENCE: Duration = Duration::from_millis(20);

/// Runs `test` on an empty root of each storage.
fn on_each(test: impl Fn(&dyn Workspace, &str)) {
    assert!(!BACKENDS.is_empty());
    for backend in BACKENDS {
        let root = TempDir::new().unwrap();
        let workspace = (backend.open)(root.path()).unwrap();
        test(&*workspace, backend.name);
    }
}

fn fault<T: std::fmt::Debug>(result: Result<T>) -> Fault {
    result.unwrap_err().fault
}

fn contents(workspace: &dyn Workspace, at: &str) -> Vec<u8> {
    workspace.read(&path(at), u64::MAX).unwrap().0.into_vec()
}

fn create(workspace: &dyn Workspace, at: &str, bytes: &[u8]) {
    workspace.create(&path(at), &[bytes], NEW, None).unwrap();
}

#[test]
fn what_is_created_can_be_read() {
    on_each(|workspace, name| {
        create(workspace, "a", b"one\n");
        let (bytes, stat) = workspace.read(&path("a"), 4).unwrap();
        assert_eq!(bytes, b"one\n", "{name}");
        let seen = workspace.stat(&path("a")).unwrap().unwrap();
        assert_eq!(
            Stat {
                is_bare: stat.is_bare,
                ..seen
            },
            stat,
            "{name}"
        );
        assert_eq!(
            (stat.kind, stat.size, stat.links),
            (FileKind::Regular, 4, 1),
            "{name}"
        );
        assert_eq!(
            fault(workspace.read(&path("a"), 3)),
            Fault::TooLarge,
            "{name}"
        );
        assert_eq!(
            fault(workspace.create(&path("a"), &[b""], NEW, None)),
            Fault::Exists,
            "{name}"
        );
        assert_eq!(contents(workspace, "a"), b"one\n", "{name}");
    });
}

#[test]
fn slices_are_written_one_behind_the_other() {
    on_each(|workspace, name| {
        // Short ones are written together, long ones by themselves, and some are just too long for
        // what is left.
        let sizes = [
            1, 0, 100_000, 31_000, 72, 1, 131_072, 5, 131_073, 300_000, 131_071, 1, 1,
        ];
        let slices: Vec<_> = (b'a'..)
            .zip(sizes)
            .map(|(byte, size)| vec![byte; size])
            .collect();
        let borrowed: Vec<_> = slices.iter().map(Vec::as_slice).collect();
        for count in 0..=borrowed.len() {
            let file = path(&format!("f{count}"));
            workspace
                .create(&file, &borrowed[..count], NEW, None)
                .unwrap();
            let (bytes, _) = workspace.read(&file, u64::MAX).unwrap();
            assert!(bytes == slices[..count].concat(), "{name}: {count}");
        }
    });
}

#[test]
fn what_is_appended_stands_behind_the_rest() {
    on_each(|workspace, name| {
        create(workspace, "a", b"");
        workspace.append(&path("a"), b"on").unwrap();
        workspace.append(&path("a"), b"e\n").unwrap();
        assert_eq!(contents(workspace, "a"), b"one\n", "{name}");
        assert_eq!(
            fault(workspace.append(&path("none"), b"x")),
            Fault::Missing,
            "{name}"
        );
        workspace.symlink(b"a", &path("link"), None).unwrap();
        workspace.make_dir(&path("d"), Privacy::Shared).unwrap();
        for at in ["link", "d"] {
            assert_eq!(
                fault(workspace.append(&path(at), b"x")),
                Fault::NotRegular,
                "{name}: {at}"
            );
        }
        assert_eq!(contents(workspace, "a"), b"one\n", "{name}");
    });
}

#[test]
fn what_is_written_over_has_all_its_names() {
    on_each(|workspace, name| {
        create(workspace, "a", b"one two");
        workspace.link(&path("a"), &path("b")).unwrap();
        let stat = |at: &str| workspace.stat(&path(at)).unwrap().unwrap();
        let inode = stat("a").inode;
        for bytes in [&b"two"[..], b"two and three", b""] {
            let was = stat("a");
            workspace.overwrite(&path("b"), bytes, &was).unwrap();
            assert_eq!(
                (contents(workspace, "a"), stat("a").inode),
                (bytes.to_vec(), inode),
                "{name}"
            );
        }
        let was = stat("a");
        create(workspace, "other", b"");
        workspace.symlink(b"a", &path("link"), None).unwrap();
        workspace.make_dir(&path("d"), Privacy::Shared).unwrap();
        for (at, expected) in [
            ("none", Fault::Missing),
            ("other", Fault::Missing),
            ("link", Fault::NotRegular),
            ("d", Fault::NotRegular),
        ] {
            assert_eq!(
                fault(workspace.overwrite(&path(at), b"x", &was)),
                expected,
                "{name}: {at}"
            );
        }
        workspace.append(&path("a"), b"more").unwrap();
        assert_eq!(
            fault(workspace.overwrite(&path("a"), b"x", &was)),
            Fault::Missing,
            "{name}"
        );
        assert_eq!(
            (contents(workspace, "a"), contents(workspace, "other")),
            (b"more".to_vec(), vec![]),
            "{name}"
        );
    });
}

#[test]
fn nothing_is_done_through_a_link() {
    on_each(|workspace, name| {
        workspace.make_dir(&path("real"), Privacy::Shared).unwrap();
        workspace
            .make_dir(&path("real/below"), Privacy::Shared)
            .unwrap();
        create(workspace, "real/file", b"one\n");
        create(workspace, "free", b"two\n");
        workspace.symlink(b"real", &path("link"), None).unwrap();
        let inside = path("link/file");
        let faults = [
            fault(workspace.stat(&inside)),
            fault(workspace.stat(&path("link/below/x"))),
            fault(workspace.read(&inside, 10)),
            fault(workspace.read_link(&inside)),
            fault(workspace.list(Some(&path("link")))),
            fault(workspace.list(Some(&path("link/below")))),
            fault(workspace.create(&path("link/new"), &[b""], NEW, None)),
            fault(workspace.append(&inside, b"")),
            fault(workspace.overwrite(
                &inside,
                b"",
                &workspace.stat(&path("free")).unwrap().unwrap(),
            )),
            fault(workspace.create(&path("new"), &[b""], NEW, Some(Like::File(&inside)))),
            fault(workspace.symlink(b"x", &path("link/new"), None)),
            fault(workspace.link(&inside, &path("new"))),
            fault(workspace.link(&path("free"), &path("link/new"))),
            fault(workspace.rename(&inside, &path("new"), Rename::Replace)),
            fault(workspace.rename(&path("free"), &path("link/new"), Rename::Exclusive)),
            fault(workspace.rename(&path("free"), &inside, Rename::Exchange)),
            fault(workspace.remove(&inside)),
            fault(workspace.make_dir(&path("link/new"), Privacy::Shared)),
            fault(workspace.remove_dir(&path("link/below"))),
            fault(workspace.set_permissions(&inside, Permissions::Exact(0))),
            fault(workspace.sync(Some(&inside))),
            fault(workspace.lock(&inside, PATIENCE)),
        ];
        assert_eq!(faults, [Fault::ThroughLink; 22], "{name}");
        let names: [&[u8]; 3] = [b"free", b"link", b"real"];
        assert_eq!(workspace.list(None).unwrap(), names, "{name}");
        assert_eq!(
            workspace.list(Some(&path("real"))).unwrap(),
            [&b"below"[..], b"file"],
            "{name}"
        );
    });
}

#[test]
fn a_file_is_no_directory_and_nothing_is_below_it() {
    on_each(|workspace, name| {
        create(workspace, "file", b"");
        let below = path("file/x");
        assert_eq!(workspace.stat(&below).unwrap(), None, "{name}");
        let faults = [
            fault(workspace.read(&below, 10)),
            fault(workspace.list(Some(&path("file")))),
            fault(workspace.list(Some(&below))),
            fault(workspace.create(&below, &[b""], NEW, None)),
            fault(workspace.symlink(b"x", &below, None)),
            fault(workspace.link(&path("file"), &below)),
            fault(workspace.rename(&path("file"), &path("file/x/y"), Rename::Replace)),
            fault(workspace.remove(&below)),
            fault(workspace.make_dir(&below, Privacy::Shared)),
            fault(workspace.remove_dir(&below)),
            fault(workspace.remove_dir(&path("file"))),
            fault(workspace.set_permissions(&below, NEW)),
            fault(workspace.sync(Some(&below))),
            fault(workspace.lock(&below, PATIENCE)),
        ];
        assert_eq!(faults, [Fault::NotDirectory; 14], "{name}");
    });
}

#[test]
fn nothing_is_there_where_nothing_was_made() {
    on_each(|workspace, name| {
        create(workspace, "file", b"");
        for absent in [path("absent"), path("no/absent"), path("no/such/absent")] {
            assert_eq!(workspace.stat(&absent).unwrap(), None, "{name}");
            let faults = [
                fault(workspace.read(&absent, 10)),
                fault(workspace.read_link(&absent)),
                fault(workspace.list(Some(&absent))),
                fault(workspace.create(&path("new"), &[b""], NEW, Some(Like::File(&absent)))),
                fault(workspace.link(&absent, &path("new"))),
                fault(workspace.rename(&absent, &path("new"), Rename::Exclusive)),
                fault(workspace.rename(&absent, &path("new"), Rename::Replace)),
                fault(workspace.rename(&path("file"), &absent, Rename::Exchange)),
                fault(workspace.remove(&absent)),
                fault(workspace.remove_dir(&absent)),
                fault(workspace.set_permissions(&absent, NEW)),
                fault(workspace.sync(Some(&absent))),
            ];
            assert_eq!(faults, [Fault::Missing; 12], "{name}: {absent}");
        }
        let below = path("no/absent");
        let faults = [
            fault(workspace.create(&below, &[b""], NEW, None)),
            fault(workspace.symlink(b"x", &below, None)),
            fault(workspace.link(&path("file"), &below)),
            fault(workspace.rename(&path("file"), &below, Rename::Exclusive)),
            fault(workspace.make_dir(&below, Privacy::Shared)),
            fault(workspace.lock(&below, PATIENCE)),
        ];
        assert_eq!(faults, [Fault::Missing; 6], "{name}");
        assert_eq!(workspace.list(None).unwrap(), [b"file"], "{name}");
    });
}

#[test]
fn only_regular_files_are_read_written_and_locked() {
    on_each(|workspace, name| {
        workspace
            .make_dir(&path("directory"), Privacy::Shared)
            .unwrap();
        create(workspace, "file", b"");
        workspace.symlink(b"file", &path("link"), None).unwrap();
        for other in [path("directory"), path("link")] {
            let faults = [
                fault(workspace.read(&other, 10)),
                fault(workspace.create(&path("new"), &[b""], NEW, Some(Like::File(&other)))),
                fault(workspace.lock(&other, PATIENCE)),
            ];
            assert_eq!(faults, [Fault::NotRegular; 3], "{name}: {other}");
            assert_eq!(
                fault(workspace.create(&other, &[b""], NEW, None)),
                Fault::Exists,
                "{name}: {other}"
            );
        }
        assert_eq!(
            fault(workspace.remove(&path("directory"))),
            Fault::NotRegular,
            "{name}"
        );
        assert_eq!(
            fault(workspace.set_permissions(&path("link"), NEW)),
            Fault::NotRegular,
            "{name}"
        );
        assert_eq!(
            fault(workspace.sync(Some(&path("link")))),
            Fault::NotRegular,
            "{name}"
        );
        assert_eq!(
            fault(workspace.list(Some(&path("link")))),
            Fault::ThroughLink,
            "{name}"
        );
    });
}

#[test]
fn a_link_is_what_its_target_says_and_is_not_followed() {
    on_each(|workspace, name| {
        for target in [&b"../../etc"[..], b"/dev/null", b"\xff\n", &[b'x'; 4000]] {
            let link = path("link");
            workspace.symlink(target, &link, None).unwrap();
            assert_eq!(workspace.read_link(&link).unwrap(), target, "{name}");
            let stat = workspace.stat(&link).unwrap().unwrap();
            assert_eq!(
                (stat.kind, stat.size),
                (FileKind::Symlink, target.len() as u64),
                "{name}"
            );
            assert_eq!(
                fault(workspace.symlink(b"x", &link, None)),
                Fault::Exists,
                "{name}"
            );
            workspace.remove(&link).unwrap();
        }
        assert_eq!(
            workspace.list(None).unwrap(),
            Vec::<Vec<u8>>::new(),
            "{name}"
        );
    });
}

#[test]
fn an_exclusive_rename_replaces_nothing() {
    on_each(|workspace, name| {
        create(workspace, "a", b"a");
        create(workspace, "b", b"b");
        assert_eq!(
            fault(workspace.rename(&path("a"), &path("b"), Rename::Exclusive)),
            Fault::Exists,
            "{name}"
        );
        assert_eq!(
            (contents(workspace, "a"), contents(workspace, "b")),
            (b"a".to_vec(), b"b".to_vec()),
            "{name}"
        );
        workspace
            .rename(&path("a"), &path("c"), Rename::Exclusive)
            .unwrap();
        assert_eq!(contents(workspace, "c"), b"a", "{name}");
        workspace
            .rename(&path("c"), &path("b"), Rename::Replace)
            .unwrap();
        assert_eq!(contents(workspace, "b"), b"a", "{name}");
        assert_eq!(workspace.list(None).unwrap(), [b"b"], "{name}");
    });
}

#[test]
fn an_exchange_swaps_names_and_keeps_inodes() {
    on_each(|workspace, name| {
        create(workspace, "a", b"a");
        workspace.make_dir(&path("d"), Privacy::Shared).unwrap();
        create(workspace, "d/b", b"b");
        let before = (
            workspace.stat(&path("a")).unwrap(),
            workspace.stat(&path("d/b")).unwrap(),
        );
        workspace
            .rename(&path("a"), &path("d/b"), Rename::Exchange)
            .unwrap();
        let after = (
            workspace.stat(&path("d/b")).unwrap(),
            workspace.stat(&path("a")).unwrap(),
        );
        assert_eq!(before, after, "{name}");
        assert_eq!(contents(workspace, "a"), b"b", "{name}");
    });
}

#[test]
fn a_directory_that_moved_is_found_under_its_new_name_only() {
    on_each(|workspace, name| {
        for directory in ["a", "b", "b/a"] {
            workspace
                .make_dir(&path(directory), Privacy::Shared)
                .unwrap();
        }
        create(workspace, "a/x", b"from a");
        create(workspace, "b/x", b"from b");
        create(workspace, "b/a/x", b"from b/a");
        workspace
            .rename(&path("a"), &path("b"), Rename::Exchange)
            .unwrap();
        assert_eq!(contents(workspace, "a/x"), b"from b", "{name}");
        assert_eq!(contents(workspace, "b/x"), b"from a", "{name}");
        assert_eq!(contents(workspace, "a/a/x"), b"from b/a", "{name}");
        workspace
            .rename(&path("a"), &path("c"), Rename::Exclusive)
            .unwrap();
        assert_eq!(workspace.stat(&path("a/a/x")).unwrap(), None, "{name}");
        workspace.make_dir(&path("a"), Privacy::Shared).unwrap();
        create(workspace, "a/x", b"new");
        assert_eq!(contents(workspace, "c/x"), b"from b", "{name}");
        assert_eq!(workspace.list(Some(&path("a"))).unwrap(), [b"x"], "{name}");
    });
}

#[test]
fn a_directory_made_anew_is_not_the_one_that_was_removed() {
    on_each(|workspace, name| {
        for round in 0..3 {
            workspace.make_dir(&path("d"), Privacy::Shared).unwrap();
            assert_eq!(
                fault(workspace.make_dir(&path("d"), Privacy::Shared)),
                Fault::Exists,
                "{name}"
            );
            create(workspace, "d/x", &[round]);
            assert_eq!(
                fault(workspace.remove_dir(&path("d"))),
                Fault::NotEmpty,
                "{name}"
            );
            assert_eq!(contents(workspace, "d/x"), [round], "{name}");
            workspace.remove(&path("d/x")).unwrap();
            workspace.remove_dir(&path("d")).unwrap();
            assert_eq!(workspace.stat(&path("d/x")).unwrap(), None, "{name}");
        }
    });
}

#[test]
fn a_second_name_is_the_same_file() {
    on_each(|workspace, name| {
        create(workspace, "a", b"one");
        workspace.link(&path("a"), &path("b")).unwrap();
        let stat = workspace.stat(&path("a")).unwrap();
        assert_eq!(stat, workspace.stat(&path("b")).unwrap(), "{name}");
        assert_eq!(stat.map(|stat| stat.links), Some(2), "{name}");
        assert_eq!(
            fault(workspace.link(&path("a"), &path("b"))),
            Fault::Exists,
            "{name}"
        );
        workspace
            .set_permissions(&path("a"), Permissions::Exact(0o604))
            .unwrap();
        workspace.remove(&path("a")).unwrap();
        let stat = workspace.stat(&path("b")).unwrap();
        assert_eq!(
            stat.map(|stat| (stat.links, stat.permissions)),
            Some((1, 0o604)),
            "{name}"
        );
        workspace.make_dir(&path("d"), Privacy::Shared).unwrap();
        assert_eq!(
            fault(workspace.link(&path("d"), &path("e"))),
            Fault::Unsupported,
            "{name}"
        );
    });
}

#[test]
fn permissions_are_exactly_those_asked_for() {
    on_each(|workspace, name| {
        workspace
            .make_dir(&path("private"), Privacy::Private)
            .unwrap();
        for bits in [0o700, 0o1755, 0o700] {
            let stat = workspace.stat(&path("private")).unwrap().unwrap();
            assert_eq!(
                (stat.kind, stat.permissions),
                (FileKind::Directory, 0o700),
                "{name}"
            );
            workspace
                .set_permissions(&path("private"), Permissions::Exact(bits))
                .unwrap();
            assert_eq!(
                workspace
                    .stat(&path("private"))
                    .unwrap()
                    .unwrap()
                    .permissions,
                bits,
                "{name}"
            );
            workspace
                .set_permissions(&path("private"), Permissions::Exact(0o700))
                .unwrap();
        }
        for bits in [0, 0o200, 0o400, 0o644, 0o755, 0o2751, 0o4711, 0o777] {
            let file = path("file");
            workspace
                .create(&file, &[b"x"], Permissions::Exact(bits), None)
                .unwrap();
            assert_eq!(
                workspace.stat(&file).unwrap().unwrap().permissions,
                bits,
                "{name}"
            );
            workspace
                .set_permissions(&file, Permissions::Exact(0o600))
                .unwrap();
            workspace
                .set_permissions(&file, Permissions::Exact(bits))
                .unwrap();
            assert_eq!(
                workspace.stat(&file).unwrap().unwrap().permissions,
                bits,
                "{name}"
            );
            workspace.sync(Some(&file)).unwrap();
            workspace.remove(&file).unwrap();
        }
        let like = path("private/like");
        workspace
            .create(&like, &[b"x"], Permissions::Exact(0o400), None)
            .unwrap();
        workspace
            .create(
                &path("new"),
                &[b"y"],
                Permissions::Exact(0o440),
                Some(Like::File(&like)),
            )
            .unwrap();
        assert_eq!(
            workspace.stat(&path("new")).unwrap().unwrap().permissions,
            0o440,
            "{name}"
        );
    });
}

#[test]
fn everything_can_be_synced() {
    on_each(|workspace, name| {
        workspace.make_dir(&path("d"), Privacy::Shared).unwrap();
        create(workspace, "d/x", b"x");
        for place in [None, Some(path("d")), Some(path("d/x"))] {
            assert!(workspace.sync(place.as_ref()).is_ok(), "{name}: {place:?}");
        }
        assert!(workspace.sync_all().is_ok(), "{name}");
    });
}

#[test]
fn an_error_names_verb_and_path() {
    on_each(|workspace, name| {
        create(workspace, "a", b"");
        create(workspace, "b", b"");
        let read = workspace.read(&path("x\u{1b}"), 1).unwrap_err();
        assert_eq!(read.to_string(), "x\\x1b: cannot read", "{name}");
        let rename = workspace
            .rename(&path("x"), &path("a"), Rename::Replace)
            .unwrap_err();
        assert_eq!(rename.to_string(), "x: cannot rename", "{name}");
    });
}
