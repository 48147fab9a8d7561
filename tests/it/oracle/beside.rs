//! The same command by git and by wpatch, each in a repository of its own.

use std::path::Path;
use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use crate::repository::{git, init};
use crate::tree::{self, Tree};

/// What a program leaves.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Left {
    /// -1 after a crash.
    pub(crate) exit: i32,
    pub(crate) files: Tree,
    pub(crate) index: String,
    /// On standard error.
    pub(crate) said: String,
    /// On standard output.
    pub(crate) printed: String,
}

impl Left {
    /// Returns the content of a file.
    pub(crate) fn file(&self, name: &str) -> Option<&[u8]> {
        match self.files.get(&tree::path(name))? {
            tree::Node::File { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    /// Returns all but the text.
    pub(crate) fn result(&self) -> (i32, &Tree, &str) {
        (self.exit, &self.files, &self.index)
    }
}

/// Runs `apply` with `arguments` and `patch` in two repositories that `prepare` made, and returns
/// what git leaves and what wpatch leaves.
pub(crate) fn beside(prepare: &dyn Fn(&Path), arguments: &[&str], patch: &[u8]) -> [Left; 2] {
    ["git", env!("CARGO_BIN_EXE_wpatch")].map(|program| {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("root");
        fs::create_dir(&root).unwrap();
        init(&root);
        prepare(&root);
        fs::write(directory.path().join("patch"), patch).unwrap();
        let mut command = Command::new(program);
        command.arg("apply").args(arguments).arg("../patch");
        let output = super::quiet(command, &root, directory.path());
        let mut files = tree::read(&root);
        files
            .retain(|path, _| !path.as_bytes().starts_with(b".git/") && path.as_bytes() != b".git");
        // Of a damaged repository git lists nothing.
        let listed = git(&["ls-files", "-s"])
            .current_dir(&root)
            .output()
            .unwrap()
            .stdout;
        Left {
            exit: output.status.code().unwrap_or(-1),
            files,
            index: String::from_utf8(listed).unwrap(),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
            printed: String::from_utf8_lossy(&output.stdout).into_owned(),
        }
    })
}

/// Runs git in `root`, which has to succeed.
pub(crate) fn runs(root: &Path, arguments: &[&str]) {
    let output = git(arguments).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// Writes files and commits them.
pub(crate) fn commit(root: &Path, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), bytes).unwrap();
    }
    runs(root, &["add", "-A"]);
    runs(root, &["commit", "-q", "--allow-empty", "-m", "files"]);
}
