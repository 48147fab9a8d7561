//! Owners and access lists.

use std::os::windows::io::AsHandle;

use wpatch_nt::flags::*;
use wpatch_nt::{
    Disposition, OpenOptions, SecurityDescriptor, copy_dacl, grants_write_to_others,
    has_access_lists, inherit_dacl, owner_is_trusted, user_sid,
};

use super::{TestDirectory, open_options};

#[test]
fn the_user_owns_new_files() {
    let directory = TestDirectory::new();
    assert!(owner_is_trusted(directory.handle()).unwrap());
    let file = directory.create("a", "");
    assert!(owner_is_trusted(file.as_handle()).unwrap());
    let parts: Vec<_> = user_sid().unwrap().split('-').map(str::to_owned).collect();
    assert_eq!(parts[..3], ["S", "1", "5"]);
    assert!(parts.len() > 3);
}

#[test]
fn a_private_directory_is_not_writable_for_others() {
    let directory = TestDirectory::new();
    let private = SecurityDescriptor::private().unwrap();
    let how = OpenOptions {
        security: Some(&private),
        ..open_options(Disposition::Create, FILE_DIRECTORY_FILE)
    };
    let inner = directory.open_with("private", &how).unwrap();
    assert!(!grants_write_to_others(inner.as_handle()).unwrap());
    assert!(owner_is_trusted(inner.as_handle()).unwrap());
    let how = open_options(Disposition::Create, 0);
    let file = wpatch_nt::open_at(Some(inner.as_handle()), "a".as_ref(), &how).unwrap();
    assert!(!grants_write_to_others(file.as_handle()).unwrap());
}

#[test]
fn a_list_is_copied() {
    let directory = TestDirectory::new();
    let private = SecurityDescriptor::private().unwrap();
    let how = OpenOptions {
        security: Some(&private),
        ..open_options(Disposition::Create, 0)
    };
    let from = directory.open_with("from", &how).unwrap();
    let to = directory.create("to", "");
    copy_dacl(from.as_handle(), to.as_handle()).unwrap();
    assert!(!grants_write_to_others(to.as_handle()).unwrap());
    assert!(owner_is_trusted(to.as_handle()).unwrap());
}

#[test]
fn a_file_gets_the_list_of_another_directory() {
    let directory = TestDirectory::new();
    let private = SecurityDescriptor::private().unwrap();
    let how = OpenOptions {
        security: Some(&private),
        ..open_options(Disposition::Create, FILE_DIRECTORY_FILE)
    };
    let inner = directory.open_with("private", &how).unwrap();
    let file = directory.create("a", "text");
    inherit_dacl(inner.as_handle(), file.as_handle()).unwrap();
    assert!(has_access_lists(file.as_handle()).unwrap());
    assert!(!grants_write_to_others(file.as_handle()).unwrap());
    assert!(owner_is_trusted(file.as_handle()).unwrap());
    assert_eq!(directory.read("a"), "text");
}
