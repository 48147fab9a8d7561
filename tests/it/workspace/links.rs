//! Symbolic links: they are not followed.

use wpatch::mode::{FileKind, Permissions};
use wpatch::workspace::{AttributeSource, DirectoryPermissions, ErrorKind, NewFile, RenameMode};

use super::{Feature, NEW, PATIENCE, create, fault, on_each_with};
use crate::tree::path;

#[test]
fn nothing_is_done_through_a_link() {
    on_each_with(&[Feature::Unix], |workspace, name| {
        workspace
            .make_dir(&path("real"), DirectoryPermissions::Shared)
            .unwrap();
        workspace
            .make_dir(&path("real/below"), DirectoryPermissions::Shared)
            .unwrap();
        create(workspace, "real/file", b"one\n");
        create(workspace, "free", b"two\n");
        workspace
            .symlink(b"real", &path("link"), &path("link"), None)
            .unwrap();
        let inside = path("link/file");
        let faults = [
            fault(workspace.stat(&inside)),
            fault(workspace.stat(&path("link/below/x"))),
            fault(workspace.read(&inside, 10)),
            fault(workspace.read_link(&inside)),
            fault(workspace.list(Some(&path("link")))),
            fault(workspace.list(Some(&path("link/below")))),
            fault(workspace.create(&path("link/new"), NewFile::new(&[b""], NEW, None))),
            fault(workspace.append(&inside, b"")),
            fault(workspace.overwrite(
                &inside,
                b"",
                &workspace.stat(&path("free")).unwrap().unwrap(),
            )),
            fault(workspace.create(
                &path("new"),
                NewFile::new(&[b""], NEW, Some(AttributeSource::File(&inside))),
            )),
            fault(workspace.symlink(b"x", &path("link/new"), &path("link/new"), None)),
            fault(workspace.link(&inside, &path("new"))),
            fault(workspace.link(&path("free"), &path("link/new"))),
            fault(workspace.rename(&inside, &path("new"), RenameMode::Replace)),
            fault(workspace.rename(&path("free"), &path("link/new"), RenameMode::Exclusive)),
            fault(workspace.rename(&path("free"), &inside, RenameMode::Exchange)),
            fault(workspace.remove(&inside)),
            fault(workspace.make_dir(&path("link/new"), DirectoryPermissions::Shared)),
            fault(workspace.remove_dir(&path("link/below"))),
            fault(workspace.set_permissions(&inside, Permissions::Exact(0))),
            fault(workspace.sync(Some(&inside))),
            fault(workspace.lock(&inside, PATIENCE)),
        ];
        assert_eq!(faults, [ErrorKind::ThroughLink; 22], "{name}");
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
fn a_link_is_what_its_target_says_and_is_not_followed() {
    on_each_with(&[Feature::Unix], |workspace, name| {
        for target in [&b"../../etc"[..], b"/dev/null", b"\xff\n", &[b'x'; 4000]] {
            let link = path("link");
            workspace.symlink(target, &link, &link, None).unwrap();
            assert_eq!(workspace.read_link(&link).unwrap(), target, "{name}");
            let stat = workspace.stat(&link).unwrap().unwrap();
            assert_eq!(
                (stat.kind, stat.size),
                (FileKind::Symlink, target.len() as u64),
                "{name}"
            );
            assert_eq!(
                fault(workspace.symlink(b"x", &link, &link, None)),
                ErrorKind::Exists,
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
