//! Listing directories.

use wpatch_nt::flags::FILE_ATTRIBUTE_DIRECTORY;
use wpatch_nt::{DirectoryEntry, find, list};

use super::TestDirectory;

#[test]
fn all_entries_are_listed_again_by_each_call() {
    let directory = TestDirectory::new();
    assert_eq!(list(directory.handle()).unwrap(), []);
    let name = |number: u32| format!("{number:04}-ä€😀-{}", "n".repeat(40));
    let expected: Vec<_> = (0..1000).map(name).collect();
    for name in &expected {
        drop(directory.create(name, ""));
    }
    // More than one call of the system is necessary for this number of names.
    assert!(directory.names() == expected);
    assert!(directory.names() == expected);
}

#[test]
fn an_entry_has_its_stored_name_and_attributes() {
    let directory = TestDirectory::new();
    drop(directory.create_directory("Folder"));
    let entries = list(directory.handle()).unwrap();
    let expected = DirectoryEntry {
        name: "Folder".into(),
        attributes: FILE_ATTRIBUTE_DIRECTORY,
    };
    assert_eq!(entries, [expected]);
}

#[test]
fn a_name_in_another_case_finds_the_stored_name() {
    let directory = TestDirectory::new();
    drop(directory.create("Mixed.Case", ""));
    drop(directory.create("other", ""));
    let found = |name: &str| {
        let entry = find(directory.handle(), name.as_ref()).unwrap();
        entry.map(|entry| entry.name.into_string().unwrap())
    };
    assert_eq!(found("mIXED.cASE").as_deref(), Some("Mixed.Case"));
    assert_eq!(found("Mixed.Case").as_deref(), Some("Mixed.Case"));
    assert_eq!(found("mixed"), None);
}
