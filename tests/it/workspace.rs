//! The table of path shapes and verbs that every storage is held to.

use std::time::Duration;

use tempfile::TempDir;
use wpatch::mode::{FileKind, Permissions};
use wpatch::path::RelPath;
use wpatch::workspace::{BACKENDS, Fault, Privacy, Rename, Result, Workspace};

/// A path from text that is known to be one.
fn path(text: &str) -> RelPath {
    RelPath::new(text.as_bytes()).unwrap()
}

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
    workspace.read(&path(at), u64::MAX).unwrap().0
}

fn create(workspace: &dyn Workspace, at: &str, bytes: &[u8]) {
    workspace.create(&path(at), bytes, NEW, None).unwrap();
}

#[test]
fn what_is_created_can_be_read() {
    on_each(|workspace, name| {
        create(workspace, "a", b"one\n");
        let (bytes, stat) = workspace.read(&path("a"), 4).unwrap();
        assert_eq!(bytes, b"one\n", "{name}");
        assert_eq!(workspace.stat(&path("a")).unwrap(), Some(stat), "{name}");
        assert_eq!((stat.kind, stat.size, stat.links), (FileKind::Regular, 4, 1), "{name}");
        assert_eq!(fault(workspace.read(&path("a"), 3)), Fault::TooLarge, "{name}");
        assert_eq!(fault(workspace.create(&path("a"), b"", NEW, None)), Fault::Exists, "{name}");
        assert_eq!(contents(workspace, "a"), b"one\n", "{name}");
    });
}

#[test]
fn nothing_is_done_through_a_link() {
    on_each(|workspace, name| {
        workspace.make_dir(&path("real"), Privacy::Shared).unwrap();
        workspace.make_dir(&path("real/below"), Privacy::Shared).unwrap();
        create(workspace, "real/file", b"one\n");
        create(workspace, "free", b"two\n");
        workspace.symlink(b"real", &path("link")).unwrap();
        let inside = path("link/file");
        let faults = [
            fault(workspace.stat(&inside)),
            fault(workspace.stat(&path("link/below/x"))),
            fault(workspace.read(&inside, 10)),
            fault(workspace.read_link(&inside)),
            fault(workspace.list(Some(&path("link")))),
            fault(workspace.list(Some(&path("link/below")))),
            fault(workspace.create(&path("link/new"), b"", NEW, None)),
            fault(workspace.create(&path("new"), b"", NEW, Some(&inside))),
            fault(workspace.symlink(b"x", &path("link/new"))),
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
        assert_eq!(faults, [Fault::ThroughLink; 20], "{name}");
        let names: [&[u8]; 3] = [b"free", b"link", b"real"];
        assert_eq!(workspace.list(None).unwrap(), names, "{name}");
        assert_eq!(workspace.list(Some(&path("real"))).unwrap(), [&b"below"[..], b"file"], "{name}");
    });
}
