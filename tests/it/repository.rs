//! Repositories of git that tests make, and the git that makes them: no configuration but the
//! repository's own.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::tree::{Node, Tree};
use crate::world;

/// A bare repository that goes with the value.
pub(crate) struct Repository {
    directory: TempDir,
}

impl Repository {
    /// Makes an empty one.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// Makes an empty one with options of `git init`.
    pub(crate) fn with(options: &[&str]) -> Self {
        let repository = Self {
            directory: TempDir::new().unwrap(),
        };
        let path = repository.path();
        run(
            git(&["init", "-q", "--bare", "-b", "main"])
                .args(options)
                .arg(&path),
            b"",
        );
        repository
    }

    /// Makes one with a commit of `tree` on `main`.
    pub(crate) fn of(tree: &Tree) -> Self {
        let repository = Self::new();
        repository.import(&[("main", tree)]);
        repository
    }

    /// Returns its directory.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("r.git")
    }

    /// Runs git in it and returns what it prints, without the last line feed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_with(arguments, b"")
    }

    /// Runs git in it with `input` and returns what it prints, without the last line feed.
    pub(crate) fn git_with(&self, arguments: &[&str], input: &[u8]) -> String {
        let printed = run(git(arguments).env("GIT_DIR", self.path()), input);
        String::from_utf8(printed)
            .unwrap()
            .trim_end_matches('\n')
            .to_owned()
    }

    /// Commits trees, each to a branch of its own.
    pub(crate) fn import(&self, branches: &[(&str, &Tree)]) {
        let mut stream = Vec::new();
        for (branch, tree) in branches {
            stream.extend(
                format!("commit refs/heads/{branch}\ncommitter a <a> 0 +0000\ndata 0\n\n")
                    .into_bytes(),
            );
            for (path, node) in *tree {
                let (mode, bytes) = match node {
                    Node::File {
                        bytes,
                        is_executable: false,
                    } => ("100644", bytes),
                    Node::File {
                        bytes,
                        is_executable: true,
                    } => ("100755", bytes),
                    Node::Link(target) => ("120000", target),
                    Node::Directory => continue,
                };
                stream.extend(format!("M {mode} inline \"").into_bytes());
                stream.extend(
                    path.as_bytes()
                        .iter()
                        .flat_map(|byte| format!("\\{byte:03o}").into_bytes()),
                );
                stream.extend(format!("\"\ndata {}\n", bytes.len()).into_bytes());
                stream.extend([bytes, &b"\n"[..]].concat());
            }
        }
        self.git_with(&["fast-import", "--quiet"], &stream);
    }

    /// Writes the tree of `revision` into the directory `root`, which is made, as a checkout
    /// without filters does.
    pub(crate) fn check_out(&self, revision: &str, root: &Path) {
        fs_err::create_dir_all(root).unwrap();
        let index = self.directory.path().join("index");
        let in_tree = |arguments: &[&str]| {
            let mut command = git(arguments);
            command
                .env("GIT_DIR", self.path())
                .env("GIT_WORK_TREE", root)
                .env("GIT_INDEX_FILE", &index);
            run(command.current_dir(root), b"");
        };
        fs_err::create_dir_all(self.path().join("info")).unwrap();
        fs_err::write(
            self.path().join("info/attributes"),
            "* -text -filter -ident\n",
        )
        .unwrap();
        in_tree(&["read-tree", revision]);
        in_tree(&["checkout-index", "-a", "-q"]);
    }
}

/// Makes an empty repository in the directory `top` without git.
pub(crate) fn init(top: &Path) {
    write_git_directory(&top.join(".git"), false);
}

/// Makes an empty repository in the directory `top` with the git directory `git_directory`, which
/// may be relative to `top`.
pub(crate) fn init_apart(top: &Path, git_directory: &str) {
    fs_err::create_dir_all(top).unwrap();
    write_git_directory(&top.join(git_directory), false);
    fs_err::write(top.join(".git"), format!("gitdir: {git_directory}\n")).unwrap();
}

/// Makes the empty bare repository `git_directory` without git.
pub(crate) fn init_bare(git_directory: &Path) {
    write_git_directory(git_directory, true);
}

/// Adds the work tree `top` with the branch `name` to the git directory `common`, which has no
/// commit.
pub(crate) fn link_work_tree(common: &Path, name: &str, top: &Path) {
    let private = common.join("worktrees").join(name);
    for directory in [&private, top] {
        fs_err::create_dir_all(directory).unwrap();
    }
    let text = |path: &Path| String::from_utf8(world::bytes_of(path)).unwrap();
    for (file, line) in [
        (private.join("HEAD"), format!("ref: refs/heads/{name}")),
        (private.join("commondir"), "../..".to_owned()),
        (private.join("gitdir"), text(&top.join(".git"))),
        (top.join(".git"), format!("gitdir: {}", text(&private))),
    ] {
        fs_err::write(file, line + "\n").unwrap();
    }
}

fn write_git_directory(path: &Path, is_bare: bool) {
    for directory in [
        "hooks",
        "info",
        "objects/info",
        "objects/pack",
        "refs/heads",
        "refs/tags",
    ] {
        fs_err::create_dir_all(path.join(directory)).unwrap();
    }
    let config = format!("[core]\n\trepositoryformatversion = 0\n\tbare = {is_bare}\n");
    fs_err::write(path.join("config"), config).unwrap();
    fs_err::write(path.join("HEAD"), "ref: refs/heads/main\n").unwrap();
}

/// Returns a git that reads no configuration but that of a repository.
pub(crate) fn git<A: AsRef<OsStr>>(arguments: &[A]) -> Command {
    let mut command = Command::new("git");
    command
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    for (name, value) in [
        ("NAME", "a"),
        ("EMAIL", "a@b"),
        ("DATE", "2001-01-01T00:00:00Z"),
    ] {
        command
            .env(format!("GIT_AUTHOR_{name}"), value)
            .env(format!("GIT_COMMITTER_{name}"), value);
    }
    command
}

/// Runs `command` with this standard input, and returns its standard output.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let output = output(command, input);
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Runs `command` with this standard input.
pub(crate) fn output(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut requests = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || requests.write_all(input));
        child.wait_with_output().unwrap()
    })
}
