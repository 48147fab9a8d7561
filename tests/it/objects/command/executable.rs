//! Which git is started.
#![cfg(unix)]

use std::path::Path;

use fs_err as fs;
use tempfile::TempDir;

use super::{checked, wpatch};
use crate::objects::{before_all, fake_git, sample};
use crate::repository::{Repository, git};
use crate::world;

/// Makes the work tree `root` of a repository in it, with a commit of `a.txt`.
fn work_tree(root: &Path) {
    fs::create_dir(root).unwrap();
    let made =
        |arguments: &[&str]| assert!(git(arguments).current_dir(root).status().unwrap().success());
    made(&["init", "-q", "-b", "main"]);
    fs::write(root.join("a.txt"), "one\n").unwrap();
    made(&["add", "a.txt"]);
    made(&["commit", "-q", "-m", "first"]);
}

#[test]
fn a_tree_does_not_bring_its_own_git() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    work_tree(&root);
    fake_git(&root, "echo brought >&2; exit 1");
    world::link(&root, directory.path().join("link")).unwrap();
    for entry in [
        "",
        ".",
        "../root",
        &root.display().to_string(),
        &directory.path().join("link").display().to_string(),
    ] {
        let report =
            checked(wpatch(&root, &["--from-tree", "HEAD"]).env("PATH", before_all(entry)));
        assert_eq!(report["exit_code"], 0, "{entry}: {report:#}");
    }
}

#[test]
fn neither_the_root_nor_the_work_tree_of_a_repository_brings_its_own_git() {
    let (directory, elsewhere, bare) = (
        TempDir::new().unwrap(),
        TempDir::new().unwrap(),
        Repository::of(&sample()),
    );
    let root = directory.path().join("root");
    work_tree(&root);
    for name in ["bin", "src"] {
        fs::create_dir(root.join(name)).unwrap();
    }
    fake_git(&root.join("bin"), "echo brought >&2; exit 1");
    world::link(root.join(".git"), directory.path().join("link.git")).unwrap();
    let (path, bare) = (
        before_all(&root.join("bin").display().to_string()),
        bare.path().display().to_string(),
    );
    let (inside, linked) = (
        root.join(".git").display().to_string(),
        directory.path().join("link.git"),
    );
    for (place, git_dir) in [
        (&*root, Some(".git")),
        (&root, Some(&*bare)),
        (&root.join("src"), Some("../.git")),
        (&root.join("src"), None),
        (elsewhere.path(), Some(&inside)),
        (elsewhere.path(), linked.to_str()),
    ] {
        let named = git_dir.map(|git_dir| format!("--git-dir={git_dir}"));
        let arguments: Vec<_> = ["--from-tree=main"]
            .into_iter()
            .chain(named.as_deref())
            .collect();
        let report = checked(wpatch(place, &arguments).env("PATH", &path));
        assert_eq!(
            report["exit_code"],
            0,
            "{} {git_dir:?}: {report:#}",
            place.display()
        );
    }
}

#[test]
fn without_a_search_path_the_git_of_the_system_is_taken() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    work_tree(&root);
    let report = checked(wpatch(&root, &["--from-tree", "HEAD"]).env_remove("PATH"));
    assert_eq!(report["exit_code"], 0, "{report:#}");
    for path in ["", ".", &root.display().to_string()] {
        let report = checked(wpatch(&root, &["--from-tree", "HEAD"]).env("PATH", path));
        assert_eq!(report["exit_code"], 0, "{path}: {report:#}");
    }
}

#[test]
fn of_a_root_that_holds_the_system_its_git_is_taken() {
    let (repository, elsewhere) = (Repository::of(&sample()), TempDir::new().unwrap());
    fake_git(elsewhere.path(), "echo brought >&2; exit 1");
    let path = format!("{}:/usr/bin:/bin", elsewhere.path().display());
    let git_dir = repository.path().display().to_string();
    let report = checked(
        wpatch(Path::new("/"), &["--from-tree=main", "--git-dir", &git_dir]).env("PATH", path),
    );
    assert_eq!(report["exit_code"], 0, "{report:#}");
}
