//! Trees of repositories as workspaces: they are what a checkout is, and say what is wrong with a
//! repository.

mod command;
pub(crate) mod damage;

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;
use wpatch::engine;
use wpatch::path::RelPath;
use wpatch::process::Timeout;
use wpatch::workspace::disk::Disk;
use wpatch::workspace::objects::{self, RepositoryTree};
use wpatch::workspace::{ErrorKind, Workspace};

use crate::case::{Case, Settings, each, same};
use crate::repository::Repository;
use crate::run;
use crate::tree::{Node, Tree, path};
use crate::world;

/// Fewest cases whose tree git can keep.
const LEAST: usize = 440;

/// Puts a program named `git` into `directory`: a shell script.
pub(crate) fn fake_git(directory: &std::path::Path, script: &str) {
    let file = directory.join("git");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    world::set_mode(&file, 0o755);
}

/// Returns a search path with `directory` before everything else.
pub(crate) fn before_all(directory: &str) -> String {
    format!("{directory}:{}", std::env::var("PATH").unwrap())
}

fn open(repository: &Repository, revision: &str) -> RepositoryTree {
    engine::open_tree(&repository.path(), revision).unwrap()
}

/// Returns a tree with something of each kind.
fn sample() -> Tree {
    let names: [(&[u8], Node); 8] = [
        (b"a.txt", Node::file("one\n")),
        (b"dir/b", Node::file("two\n")),
        (b"dir/deep/c", Node::file("")),
        (b"dir-b", Node::file("between\n")),
        (b"dir0", Node::file("behind\n")),
        (b"link", Node::Link(b"dir".to_vec())),
        (
            b"run",
            Node::File {
                bytes: b"#!/bin/sh\n".to_vec(),
                is_executable: true,
            },
        ),
        (b"\xff\xe4 \n", Node::file("bytes\n")),
    ];
    names
        .into_iter()
        .map(|(name, node)| (RelPath::new(name).unwrap(), node))
        .collect()
}

/// What a verb that reads finds at a path, as far as a checkout can be the same.
fn found(workspace: &dyn Workspace, path: &RelPath) -> String {
    let stat = workspace.stat(path).map_err(|error| error.kind);
    let stat = stat.map(|stat| stat.map(|stat| (stat.kind, stat.permissions, stat.links)));
    let read = workspace
        .read(path, 6)
        .map(|(bytes, stat)| (bytes, stat.size))
        .map_err(|error| error.kind);
    let list = workspace.list(Some(path)).map_err(|error| error.kind);
    let target = workspace.read_link(path).map_err(|_| ());
    // Directories of a disk have as many names as it likes.
    let stat = stat.map(|stat| stat.map(|(kind, bits, links)| (kind, bits, links.min(1))));
    format!("{stat:?} {read:?} {list:?} {target:?}")
}

#[cfg(unix)]
#[test]
fn a_tree_is_what_its_checkout_is() {
    let repository = Repository::of(&sample());
    let directory = TempDir::new().unwrap();
    repository.check_out("main", directory.path());
    let (disk, tree) = (
        Disk::open(directory.path()).unwrap(),
        open(&repository, "main"),
    );
    assert_eq!(tree.list(None).unwrap(), disk.list(None).unwrap());
    let mut paths: Vec<_> = sample().into_keys().collect();
    let others = [
        "dir",
        "dir/deep",
        "no",
        "no/no",
        "dir/no",
        "dir/no/no",
        "a.txt/no",
        "link/b",
        "link/no/b",
        "run/x/y",
    ];
    paths.extend(others.map(path));
    for path in paths {
        assert_eq!(found(&tree, &path), found(&disk, &path), "{path}");
    }
    assert_eq!(tree.stat(&path("a.txt")).unwrap().unwrap().size, 4);
    assert_eq!(tree.stat(&path("link")).unwrap().unwrap().size, 3);
}

#[cfg(unix)]
#[test]
fn a_check_of_a_tree_says_what_a_check_of_its_checkout_says() {
    let is_kept = |case: &Case| {
        let mut parts = case
            .before
            .keys()
            .flat_map(|path| path.components().collect::<Vec<_>>());
        parts.all(|part| !part.eq_ignore_ascii_case(b".git"))
    };
    let cases: Vec<_> = Case::all().into_iter().filter(is_kept).collect();
    assert!(
        cases.len() >= LEAST || std::env::var_os("CASE").is_some(),
        "{}",
        cases.len()
    );
    let names: Vec<_> = (0..cases.len())
        .map(|index| format!("case-{index}"))
        .collect();
    let repository = Repository::new();
    let branches: Vec<_> = names
        .iter()
        .zip(&cases)
        .map(|(name, case)| (name.as_str(), &case.before))
        .collect();
    repository.import(&branches);
    let trees = objects::Repository::at(&repository.path(), None, Timeout::default());
    let directory = TempDir::new().unwrap();
    let mut numbered = names.iter();
    let next = std::cell::RefCell::new(&mut numbered);
    each(&cases, |case| {
        let name = next.borrow_mut().next().unwrap();
        let root = directory.path().join(name);
        repository.check_out(name, &root);
        let on_disk = run::check(&Disk::open(&root).unwrap(), &case.patch, &case.settings);
        let in_tree = run::check(
            &trees.tree(name.as_bytes()).unwrap(),
            &case.patch,
            &case.settings,
        );
        same("report", &in_tree, &on_disk)
    });
}

#[cfg(unix)]
#[test]
fn nothing_can_be_written_to_a_tree() {
    let repository = Repository::of(&sample());
    let tree = open(&repository, "main");
    let report = run::apply(
        &tree,
        b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n",
        &Settings::default(),
    );
    assert_eq!(
        (&report["exit_code"], &report["changed"]),
        (&Value::from(4), &Value::from(false)),
        "{report:#}"
    );
    assert_eq!(
        tree.remove(&path("a.txt")).unwrap_err().kind,
        ErrorKind::Unsupported
    );
    assert_eq!(tree.read(&path("a.txt"), 100).unwrap().0, b"one\n");
}

#[cfg(unix)]
#[test]
fn a_submodule_is_an_empty_directory() {
    let repository = Repository::of(&sample());
    let commit = repository.git(&["rev-parse", "main"]);
    let entry = format!("160000 commit {commit}\tsub\n");
    let id = repository.git_with(&["mktree", "--missing"], entry.as_bytes());
    let directory = TempDir::new().unwrap();
    repository.check_out(&id, directory.path());
    let (disk, tree) = (
        Disk::open(directory.path()).unwrap(),
        open(&repository, &id),
    );
    for name in ["sub", "sub/a.txt", "sub/a/b"] {
        assert_eq!(
            found(&tree, &path(name)),
            found(&disk, &path(name)),
            "{name}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_revision_is_any_name_of_a_tree() {
    let repository = Repository::of(&sample());
    repository.git(&["tag", "-a", "-m", "first", "one", "main"]);
    repository.git(&["tag", "-a", "-m", "second", "two", "one"]);
    let id = repository.git(&["rev-parse", "main^{tree}"]);
    let commit = repository.git(&["rev-parse", "main"]);
    for name in [
        "main",
        "HEAD",
        "one",
        "two",
        "main^0",
        &commit,
        &commit[..8],
    ] {
        let tree = open(&repository, name);
        assert_eq!(
            (
                tree.id().to_string(),
                tree.commit().map(|id| id.to_string())
            ),
            (id.clone(), Some(commit.clone()))
        );
    }
    assert_eq!(open(&repository, &id).commit(), None);
    let below = open(&repository, "main:dir");
    assert_eq!(below.list(None).unwrap(), [b"b".to_vec(), b"deep".to_vec()]);
}

#[cfg(unix)]
#[test]
fn a_repository_with_sha256_is_read_as_any_other() {
    let repository = Repository::with(&["--object-format=sha256"]);
    repository.import(&[("main", &sample())]);
    let tree = open(&repository, "main");
    assert_eq!(tree.id().to_string().len(), 64);
    assert_eq!(tree.read(&path("dir/b"), 100).unwrap().0, b"two\n");
}

#[cfg(unix)]
#[test]
fn an_object_that_replaces_another_is_not_looked_at() {
    let repository = Repository::of(&sample());
    let old = repository.git(&["rev-parse", "main:a.txt"]);
    let new = repository.git_with(&["hash-object", "-w", "--stdin"], b"another\n");
    repository.git(&["replace", &old, &new]);
    assert_eq!(repository.git(&["cat-file", "-p", &old]), "another");
    assert_eq!(
        open(&repository, "main")
            .read(&path("a.txt"), 100)
            .unwrap()
            .0,
        b"one\n"
    );
}
