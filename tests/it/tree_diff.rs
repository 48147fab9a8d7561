//! `diff -r`: the diff of two trees gives the second tree, in wpatch and in git.

#[cfg(unix)]
mod command;
pub(crate) mod random;

use std::path::Path;

use fs_err as fs;
use tempfile::TempDir;
use wpatch::engine::{self, RenameDetection, Request, TreeDiffRequest, compare_trees};
use wpatch::path::RelPath;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use crate::tree::{self, Node, Tree};
use crate::{repository, world};
use random::RandomTrees;

/// The number of pairs of random trees that wpatch applies.
const PAIRS: u64 = 2_000;
/// One in so many pairs is applied by git, too.
const GIT_SHARE: u64 = 20;

fn entry(node: &Node) -> Entry {
    match node {
        Node::File {
            bytes,
            is_executable: true,
        } => Entry::executable(bytes.clone()),
        Node::File { bytes, .. } => Entry::file(bytes.clone()),
        Node::Link(target) => Entry::link(target.clone()),
        Node::Directory => Entry::directory(),
    }
}

fn memory(tree: &Tree) -> Memory {
    Memory::with_files(tree.iter().map(|(path, node)| (path.clone(), entry(node))))
}

/// Returns the diff from `old` to `new`.
pub(crate) fn diff(request: &TreeDiffRequest, old: &Tree, new: &Tree) -> Vec<u8> {
    let [old, new] = [old, new].map(memory);
    let found = compare_trees(request, &old, &new).unwrap();
    assert_eq!(found.warnings(), []);
    let sections = found.sections().map(|section| section.unwrap().diff.text);
    sections.collect::<Vec<_>>().concat()
}

/// Returns the tree after wpatch has applied `patch` to `old`.
fn applied(old: &Tree, patch: &[u8]) -> Memory {
    let workspace = memory(old);
    if !patch.is_empty() {
        let outcome = engine::apply(Request::of(patch), &workspace, &Interrupt::new());
        let text = String::from_utf8_lossy(patch);
        assert!(outcome.report.ok, "{text}\n{:#?}", outcome.report.problems);
    }
    workspace
}

/// Returns the files without the state of wpatch.
fn files(workspace: &Memory) -> Vec<(RelPath, Entry)> {
    let files = workspace.files().into_iter();
    files
        .filter(|(path, _)| !path.as_bytes().starts_with(b".wpatch"))
        .collect()
}

/// Returns whether `path` is below a link that leads to itself.
#[cfg(unix)]
fn is_in_loop(directory: &Path, path: &RelPath) -> bool {
    let found = directory
        .join(world::path_of(path.as_bytes()))
        .symlink_metadata();
    let code = found.map_err(|error| error.raw_os_error());
    code.is_err_and(|code| code == Some(rustix::io::Errno::LOOP.raw_os_error()))
}

/// Applies the diff from `old` to `new` with git, and returns the tree. Returns `None` if git has
/// refused the patch because a directory replaces a link that leads to itself: before git creates a
/// file, it accepts only that the path is missing, but not ELOOP (`check_to_create` in git's
/// apply.c).
#[cfg(unix)]
fn applied_by_git(old: &Tree, new: &Tree, patch: &[u8]) -> Option<Tree> {
    let directory = TempDir::new().unwrap();
    tree::write(old, directory.path());
    if !patch.is_empty() {
        let is_refused = (new.keys()).any(|path| is_in_loop(directory.path(), path));
        let mut git = repository::git(&["apply", "--whitespace=nowarn", "-"]);
        let output = repository::output(git.current_dir(directory.path()), patch);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.success(), !is_refused, "{errors}");
        if is_refused {
            assert!(
                errors.contains("Too many levels of symbolic links"),
                "{errors}"
            );
            return None;
        }
    }
    Some(tree::read(directory.path()))
}

fn requests() -> [TreeDiffRequest; 4] {
    let mut requests = [(); 4].map(|()| TreeDiffRequest::default());
    (requests[1].renames, requests[1].context) = (RenameDetection::AllCopies, 1);
    requests[2].renames = RenameDetection::Renames;
    (requests[3].renames, requests[3].min_similarity) = (RenameDetection::Copies, 1);
    requests
}

#[test]
fn the_diff_of_random_trees_gives_the_second_tree() {
    let mut kinds = [0; 3];
    for seed in 0..PAIRS {
        let RandomTrees { old, new } = RandomTrees::new(seed);
        let request = &requests()[usize::try_from(seed % 4).unwrap()];
        let patch = diff(request, &old, &new);
        assert_eq!(
            files(&applied(&old, &patch)),
            files(&memory(&new)),
            "seed {seed}"
        );
        let has = |text: &str| bstr::ByteSlice::contains_str(&patch[..], text);
        for (count, text) in kinds
            .iter_mut()
            .zip(["\nrename from", "\ncopy from", "GIT binary"])
        {
            *count += usize::from(has(text));
        }
    }
    assert!(kinds.iter().all(|&count| count > 100), "{kinds:?}");
}

#[cfg(unix)]
#[test]
fn git_accepts_the_diff_of_random_trees() {
    let all = std::env::var("WPATCH_FAULTS").is_ok_and(|value| value == "all");
    for seed in (0..PAIRS).filter(|seed| all || seed % GIT_SHARE == 0) {
        let RandomTrees { old, new } = RandomTrees::new(seed);
        let request = &requests()[usize::try_from(seed / GIT_SHARE % 4).unwrap()];
        let patch = diff(request, &old, &new);
        if let Some(tree) = applied_by_git(&old, &new, &patch) {
            assert_eq!(tree, new, "seed {seed}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_directory_takes_the_place_of_a_link_that_leads_to_itself() {
    let named = |name: &[u8]| RelPath::new(name).unwrap();
    let old = Tree::from([(named(b"a"), Node::Link(b"a".to_vec()))]);
    let file = Node::File {
        bytes: b"text\n".to_vec(),
        is_executable: false,
    };
    let new = Tree::from([(named(b"a/file"), file)]);
    let patch = diff(&TreeDiffRequest::default(), &old, &new);
    assert_eq!(files(&applied(&old, &patch)), files(&memory(&new)));
    assert_eq!(applied_by_git(&old, &new, &patch), None);
}

/// Runs `wpatch` in `directory`. Returns its exit code, standard output and standard error.
pub(crate) fn run(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = world::wpatch();
    let output = command
        .current_dir(directory)
        .args(arguments)
        .output()
        .unwrap();
    let [out, errors] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), out, errors)
}

/// Returns a directory with the directories `a` and `b`, which have these files.
fn directories(old: &[(&str, &str)], new: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (name, files) in [("a", old), ("b", new)] {
        fs::create_dir(directory.path().join(name)).unwrap();
        for (path, text) in files {
            let file = directory.path().join(name).join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
    }
    directory
}
