//! Symbolic links.

use std::ffi::OsStr;
use std::os::windows::io::AsHandle;

use wpatch_nt::flags::*;
use wpatch_nt::{LinkKind, ReparsePoint, create_symlink, information, read_link};

use super::{TestDirectory, code, is_wine};

#[test]
fn a_link_keeps_the_bytes_of_its_target_or_does_not_exist() {
    let directory = TestDirectory::new();
    let targets = [
        ("a", r"..\x", LinkKind::File),
        ("b", "../x/y", LinkKind::Directory),
        ("c", r"C:\missing", LinkKind::File),
    ];
    for (name, target, kind) in targets {
        let result = create_symlink(
            directory.handle(),
            OsStr::new(name),
            OsStr::new(target),
            kind,
        );
        if result.is_err() {
            // 50: Wine. 1314: a user without the privilege and without developer mode.
            assert_eq!(code(result), Some(if is_wine() { 50 } else { 1314 }));
            assert!(directory.names().is_empty());
            continue;
        }
        let link = directory.open(name).unwrap();
        let found = information(link.as_handle()).unwrap();
        assert_eq!(found.reparse_tag, IO_REPARSE_TAG_SYMLINK);
        let is_directory = found.attributes & FILE_ATTRIBUTE_DIRECTORY != 0;
        assert_eq!(is_directory, kind == LinkKind::Directory);
        let expected = ReparsePoint::SymbolicLink(target.into());
        assert_eq!(read_link(link.as_handle()).unwrap(), expected);
    }
}

#[test]
fn another_file_is_no_link() {
    let directory = TestDirectory::new();
    let file = directory.create("a", "");
    assert_eq!(code(read_link(file.as_handle())), Some(4390));
}
