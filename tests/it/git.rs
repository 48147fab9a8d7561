//! What git is asked about a directory, and that it is asked only where it can have something to
//! say.

use fs_err as fs;
use tempfile::TempDir;
use wpatch::path::RelPath;
use wpatch::transaction::Interrupt;
use wpatch::workspace::git::{Attribute, Git};

fn repository(config: &str) -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::create_dir_all(directory.path().join(".git/objects")).unwrap();
    fs::create_dir_all(directory.path().join(".git/refs")).unwrap();
    fs::create_dir_all(directory.path().join(".git/info")).unwrap();
    fs::create_dir_all(directory.path().join("below/it")).unwrap();
    fs::write(directory.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(directory.path().join(".git/config"), config).unwrap();
    directory
}

#[cfg(unix)]
#[test]
fn the_configuration_of_a_repository_is_read_from_any_directory_in_it() {
    let directory = repository(
        "[core]\n\tWhitespace = -trailing\n[core]\n\tfilemode\n[include]\n\tpath = more\n",
    );
    fs::write(
        directory.path().join(".git/more"),
        "[apply]\n\twhitespace = fix\n",
    )
    .unwrap();
    let git = Git::for_directory(&directory.path().join("below"));
    assert_eq!(
        git.config("core.whitespace").unwrap(),
        Some(&b"-trailing"[..])
    );
    assert_eq!(git.config("apply.whitespace").unwrap(), Some(&b"fix"[..]));
    assert_eq!(git.config("apply.ignorewhitespace").unwrap(), None);
    assert_eq!(
        (
            git.config_bool("core.filemode").unwrap(),
            git.config_bool("core.symlinks").unwrap()
        ),
        (Some(true), None)
    );
}

#[cfg(unix)]
#[test]
fn git_is_not_asked_for_what_no_text_mentions() {
    // git refuses to read this; whoever asked it would get an error.
    let directory = repository("[core\n\tfilemode\n");
    let git = Git::for_directory(directory.path());
    assert_eq!(git.config("core.conflictstyle").unwrap(), None);
    assert!(
        git.config("core.filemode")
            .unwrap_err()
            .to_string()
            .contains("bad config")
    );
    let path = RelPath::new(b"a").unwrap();
    assert_eq!(
        git.attributes(&["text"], &[&path]).unwrap(),
        [[Attribute::Unspecified]]
    );
}

#[test]
fn a_directory_in_no_repository_has_what_the_user_has() {
    let directory = TempDir::new().unwrap();
    let git = Git::for_directory(directory.path());
    assert_eq!(git.config("core.nobody-has-this").unwrap(), None);
}

#[cfg(unix)]
#[test]
fn attributes_come_from_all_directories_above() {
    let directory = repository("");
    fs::write(
        directory.path().join(".gitattributes"),
        "*.c whitespace=tabwidth=4\n*.bin binary\n",
    )
    .unwrap();
    fs::write(
        directory.path().join("below/it/.gitattributes"),
        "b.c -whitespace\n",
    )
    .unwrap();
    fs::write(
        directory.path().join(".git/info/attributes"),
        "d.c whitespace\n",
    )
    .unwrap();
    let git = Git::for_directory(&directory.path().join("below"));
    let paths = ["a.c", "it/b.c", "it/c d\n.c", "d.c", "x.bin"]
        .map(|path| RelPath::new(path.as_bytes()).unwrap());
    let found = git
        .attributes(&["whitespace", "text"], &paths.each_ref())
        .unwrap();
    let width = Attribute::Value(b"tabwidth=4".to_vec());
    let expected = [
        [width.clone(), Attribute::Unspecified],
        [Attribute::Unset, Attribute::Unspecified],
        [width, Attribute::Unspecified],
        [Attribute::Set, Attribute::Unspecified],
        [Attribute::Unspecified, Attribute::Unset],
    ];
    assert_eq!(found, expected);
}

#[cfg(unix)]
#[test]
fn a_raised_interrupt_ends_every_wait_for_git() {
    let raised = Interrupt::new();
    raised.raise(15);
    let directory = repository("[core]\n\tautocrlf = true\n");
    fs::write(directory.path().join(".gitattributes"), "* text\n").unwrap();
    let path = RelPath::new(b"a").unwrap();
    let git = || Git::for_directory(directory.path()).with_interrupt(&raised);
    let errors = [
        git().config("core.autocrlf").unwrap_err(),
        git().attributes(&["text"], &[&path]).unwrap_err(),
        git().prefix().unwrap_err(),
        git().with_directory(directory.path()).prefix().unwrap_err(),
    ];
    assert_eq!(
        errors.map(|error| error.to_string()),
        ["git was killed: signal 15 ended the wait"; 4]
    );
}
