//! Opening, renaming and deleting files, and their attributes.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::windows::io::AsHandle;
use std::path::Path;

use wpatch_nt::flags::*;
use wpatch_nt::{
    BasicInformation, Disposition, OnExisting, OpenOptions, dispose, final_path, flush,
    information, link_at, rename_at, set_information, stream_names, to_nt_path, try_lock,
};

use super::{TestDirectory, code, is_wine, open_options};

#[test]
fn a_file_opens_below_its_directory() {
    let directory = TestDirectory::new();
    drop(directory.create("Case.txt", "one"));
    assert_eq!(directory.read("cASE.TXT"), "one");
    let create = open_options(Disposition::Create, FILE_NON_DIRECTORY_FILE);
    let any = open_options(Disposition::OpenOrCreate, 0);
    let empty = open_options(Disposition::Overwrite, 0);
    assert_eq!(code(directory.open_with("case.txt", &create)), Some(183));
    assert_eq!(code(directory.open_with("case.txt", &any)), None);
    assert_eq!(code(directory.open_with("case.txt", &empty)), None);
    assert_eq!(directory.read("Case.txt"), "");
    assert_eq!(directory.names(), ["Case.txt"]);
}

#[test]
fn an_empty_name_opens_the_directory_again() {
    let directory = TestDirectory::new();
    let again = directory.open("").unwrap();
    let of = |file| information(file).unwrap().index;
    assert_eq!(of(again.as_handle()), of(directory.handle()));
}

#[test]
fn each_failure_to_open_has_its_own_code() {
    let directory = TestDirectory::new();
    drop(directory.create("file", ""));
    drop(directory.create_directory("directory"));
    let file = open_options(Disposition::Open, FILE_NON_DIRECTORY_FILE);
    let folder = open_options(Disposition::Open, FILE_DIRECTORY_FILE);
    let codes = [
        ("missing", &file, Some(2)),
        (r"missing\file", &file, Some(3)),
        ("directory", &file, Some(336)),
        ("file", &folder, Some(267)),
        ("a*", &file, Some(123)),
    ];
    for (name, how, expected) in codes {
        assert_eq!(code(directory.open_with(name, how)), expected, "{name}");
    }
    let long = "n".repeat(40_000);
    assert_eq!(
        directory.open(&long).unwrap_err().kind(),
        std::io::ErrorKind::InvalidFilename
    );
}

#[test]
fn a_handle_that_shares_nothing_excludes_others() {
    let directory = TestDirectory::new();
    drop(directory.create("a", ""));
    let alone = OpenOptions {
        share: 0,
        ..open_options(Disposition::Open, 0)
    };
    let held = directory.open_with("a", &alone).unwrap();
    assert_eq!(code(directory.open("a")), Some(32));
    drop(held);
    assert_eq!(code(directory.open("a")), None);
}

#[test]
fn a_rename_replaces_only_on_request() {
    let directory = TestDirectory::new();
    let old = directory.create("old", "old");
    drop(directory.create("new", "new"));
    let rename = |on_existing| {
        let name = OsStr::new("new");
        rename_at(old.as_handle(), directory.handle(), name, on_existing)
    };
    assert_eq!(code(rename(OnExisting::Fail)), Some(183));
    assert_eq!(directory.names(), ["new", "old"]);
    rename(OnExisting::Replace).unwrap();
    assert_eq!(directory.names(), ["new"]);
    assert_eq!(directory.read("new"), "old");
}

#[test]
fn a_rename_moves_to_another_directory() {
    let directory = TestDirectory::new();
    let inner = directory.create_directory("inner");
    let name = OsStr::new("short");
    let hidden = BasicInformation {
        attributes: FILE_ATTRIBUTE_READONLY,
        ..BasicInformation::default()
    };
    let file = directory.create("file", "read-only");
    set_information(file.as_handle(), &hidden).unwrap();
    rename_at(file.as_handle(), inner.as_handle(), name, OnExisting::Fail).unwrap();
    assert_eq!(super::names(inner.as_handle()), ["short"]);
    // A name of one character is shorter than the structure for it.
    let folder = directory.create_directory("folder");
    let name = OsStr::new("f");
    rename_at(
        folder.as_handle(),
        inner.as_handle(),
        name,
        OnExisting::Fail,
    )
    .unwrap();
    assert_eq!(super::names(inner.as_handle()), ["f", "short"]);
    assert_eq!(directory.names(), ["inner"]);
}

#[test]
fn an_open_file_can_be_replaced_except_on_wine() {
    let directory = TestDirectory::new();
    let old = directory.create("old", "old");
    let held = directory.create("new", "new");
    let name = OsStr::new("new");
    let result = rename_at(
        old.as_handle(),
        directory.handle(),
        name,
        OnExisting::Replace,
    );
    assert_eq!(code(result), is_wine().then_some(5));
    drop(held);
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let directory = TestDirectory::new();
    let old = directory.create("old", "old");
    let protected = directory.create("new", "new");
    let read_only = BasicInformation {
        attributes: FILE_ATTRIBUTE_READONLY,
        ..BasicInformation::default()
    };
    set_information(protected.as_handle(), &read_only).unwrap();
    drop(protected);
    let name = OsStr::new("new");
    let result = rename_at(
        old.as_handle(),
        directory.handle(),
        name,
        OnExisting::Replace,
    );
    assert_eq!(code(result), Some(5));
}

#[test]
fn a_link_is_a_second_name() {
    let directory = TestDirectory::new();
    let file = directory.create("one", "content");
    let link = |name| link_at(file.as_handle(), directory.handle(), OsStr::new(name));
    link("two").unwrap();
    assert_eq!(code(link("two")), Some(183));
    assert_eq!(directory.read("two"), "content");
    let (one, two) = (
        information(file.as_handle()).unwrap(),
        information(directory.open("two").unwrap().as_handle()).unwrap(),
    );
    assert_eq!((one.links, one.index), (2, two.index));
    dispose(file.as_handle()).unwrap();
    drop(file);
    assert_eq!(directory.names(), ["two"]);
}

#[test]
fn a_deleted_name_is_free_although_the_file_is_open() {
    let directory = TestDirectory::new();
    let file = directory.create("a", "");
    let other = directory.open("a").unwrap();
    dispose(file.as_handle()).unwrap();
    drop(file);
    let again = open_options(Disposition::Create, 0);
    drop(directory.open_with("a", &again).unwrap());
    drop(other);
}

#[test]
fn only_an_empty_directory_is_deleted() {
    let directory = TestDirectory::new();
    let inner = directory.create_directory("inner");
    let how = open_options(Disposition::Create, 0);
    let name = OsStr::new("a");
    let file = wpatch_nt::open_at(Some(inner.as_handle()), name, &how).unwrap();
    let read_only = BasicInformation {
        attributes: FILE_ATTRIBUTE_READONLY,
        ..BasicInformation::default()
    };
    set_information(file.as_handle(), &read_only).unwrap();
    assert_eq!(code(dispose(inner.as_handle())), Some(145));
    dispose(file.as_handle()).unwrap();
    drop(file);
    dispose(inner.as_handle()).unwrap();
    drop(inner);
    assert!(directory.names().is_empty());
}

#[test]
fn a_lock_excludes_other_locks_but_no_access() {
    let directory = TestDirectory::new();
    let first = directory.create("lock", "content");
    let second = directory.open("lock").unwrap();
    assert!(try_lock(first.as_handle()).unwrap());
    assert!(!try_lock(second.as_handle()).unwrap());
    assert_eq!(directory.read("lock"), "content");
    let mut file = File::from(directory.open("lock").unwrap());
    file.write_all(b"CONTENT").unwrap();
    file.rewind().unwrap();
    drop(first);
    assert!(try_lock(second.as_handle()).unwrap());
}

#[test]
fn attributes_and_times_are_set_and_read() {
    let directory = TestDirectory::new();
    let file = directory.create("a", "12345");
    let before = information(file.as_handle()).unwrap();
    assert_eq!((before.size, before.links, before.reparse_tag), (5, 1, 0));
    assert_eq!(before.attributes & FILE_ATTRIBUTE_DIRECTORY, 0);
    // 2020-01-01 in units of 100 ns.
    let time = 132_223_104_000_000_000;
    let wanted = BasicInformation {
        attributes: FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_READONLY,
        modified: time,
        created: 0,
    };
    set_information(file.as_handle(), &wanted).unwrap();
    let after = information(file.as_handle()).unwrap();
    // Wine always sets this attribute.
    let attributes = after.attributes & !FILE_ATTRIBUTE_ARCHIVE;
    assert_eq!(attributes, wanted.attributes);
    assert_eq!(after.modified, time);
    assert_eq!((after.index, after.volume), (before.index, before.volume));
    assert!(after.changed >= before.changed && before.changed > time);
    let none = BasicInformation {
        attributes: FILE_ATTRIBUTE_NORMAL,
        ..BasicInformation::default()
    };
    set_information(file.as_handle(), &none).unwrap();
    let after = information(file.as_handle()).unwrap();
    assert_eq!(after.attributes & wanted.attributes, 0);
    assert_eq!(after.modified, time);
}

#[test]
fn a_new_directory_can_be_hidden() {
    let directory = TestDirectory::new();
    let how = OpenOptions {
        attributes: FILE_ATTRIBUTE_HIDDEN,
        ..open_options(Disposition::Create, FILE_DIRECTORY_FILE)
    };
    let hidden = directory.open_with("hidden", &how).unwrap();
    let expected = FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_DIRECTORY;
    let found = information(hidden.as_handle()).unwrap().attributes;
    assert_eq!(found & expected, expected);
    let listed = wpatch_nt::list(directory.handle()).unwrap();
    assert_eq!(listed[0].attributes & expected, expected);
}

#[test]
fn files_and_directories_are_flushed() {
    let directory = TestDirectory::new();
    let file = directory.create("a", "1");
    flush(file.as_handle()).unwrap();
    flush(directory.handle()).unwrap();
    let how = OpenOptions {
        access: FILE_GENERIC_READ,
        ..OpenOptions::default()
    };
    let reader = directory.open_with("a", &how).unwrap();
    assert_eq!(code(flush(reader.as_handle())), Some(5));
}

#[test]
fn the_final_path_has_the_stored_name() {
    let directory = TestDirectory::new();
    drop(directory.create("Mixed.Case", ""));
    let file = directory.open("mIXED.cASE").unwrap();
    let expected = final_path(directory.handle()).unwrap().join("Mixed.Case");
    assert_eq!(final_path(file.as_handle()).unwrap(), expected);
    if is_wine() {
        return;
    }
    let name = "n".repeat(200);
    let (outer, inner) = (directory.create_directory(&name), OsStr::new(&name));
    let how = open_options(Disposition::Create, 0);
    let file = wpatch_nt::open_at(Some(outer.as_handle()), inner, &how).unwrap();
    let expected = final_path(outer.as_handle()).unwrap().join(inner);
    assert_eq!(final_path(file.as_handle()).unwrap(), expected);
}

#[test]
fn alternate_streams_are_listed_except_on_wine() {
    let directory = TestDirectory::new();
    let file = directory.create("a", "content");
    assert!(stream_names(file.as_handle()).unwrap().is_empty());
    if !is_wine() {
        drop(directory.create("a:note", "stream"));
        let names = stream_names(file.as_handle()).unwrap();
        assert_eq!(names, [":note:$DATA"]);
    }
}

#[test]
fn a_path_has_a_form_for_nt() {
    let paths = [
        (r"C:\a", r"\??\C:\a"),
        (r"\\?\C:\a", r"\??\C:\a"),
        (r"\\server\share\a", r"\??\UNC\server\share\a"),
        (r"\\?\UNC\server\share\a", r"\??\UNC\server\share\a"),
        (r"\\.\pipe\a", r"\??\pipe\a"),
    ];
    for (path, expected) in paths {
        assert_eq!(to_nt_path(Path::new(path)), expected, "{path}");
    }
}
