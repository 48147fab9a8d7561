//! A tree of files as one value: read from a fixture or a disk, written to a disk, compared as a
//! whole.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use fs_err as fs;
use tempfile::TempDir;
use walkdir::{DirEntry, WalkDir};
use wpatch::path::RelPath;
use wpatch::text::printable;

use crate::world;

/// Files, links and *empty* directories; other directories follow from what is in them.
pub(crate) type Tree = BTreeMap<RelPath, Node>;

/// What is at a path.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// A regular file.
    File {
        /// Its contents.
        bytes: Vec<u8>,
        /// Whether its owner may execute it.
        is_executable: bool,
    },
    /// A symbolic link and its target.
    Link(Vec<u8>),
    /// An empty directory.
    Directory,
}

impl Node {
    /// Returns a file that cannot be executed.
    pub(crate) fn file(bytes: impl Into<Vec<u8>>) -> Self {
        Self::File {
            bytes: bytes.into(),
            is_executable: false,
        }
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File {
                bytes,
                is_executable: false,
            } => write!(f, "file \"{}\"", printable(bytes)),
            Self::File {
                bytes,
                is_executable: true,
            } => write!(f, "executable \"{}\"", printable(bytes)),
            Self::Link(target) => write!(f, "link \"{}\"", printable(target)),
            Self::Directory => f.write_str("directory"),
        }
    }
}

/// Returns the path that is called so.
pub(crate) fn path(name: &str) -> RelPath {
    RelPath::new(name.as_bytes()).unwrap()
}

/// Returns the tree that a directory of a fixture stands for; see `fixtures/README.md`. None is an
/// empty tree.
pub(crate) fn fixture(directory: &Path) -> Tree {
    if !directory.exists() {
        return Tree::new();
    }
    let mut tree = Tree::new();
    for entry in below(directory).filter(|entry| !entry.file_type().is_dir()) {
        let name = decoded(&world::bytes_of(relative(entry.path(), directory)));
        if name == b"." {
            continue;
        }
        match name.strip_suffix(b"/.") {
            Some(directory) => tree.insert(RelPath::new(directory).unwrap(), Node::Directory),
            None => tree.insert(RelPath::new(&name).unwrap(), node(&entry)),
        };
    }
    tree
}

/// Reads the tree below `root`, without the state directory.
pub(crate) fn read(root: &Path) -> Tree {
    let is_state = |entry: &DirEntry| {
        let path = relative(entry.path(), root);
        path == Path::new(".wpatch") || path == Path::new(".git/wpatch")
    };
    let entries = WalkDir::new(root)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter();
    let entries = entries
        .filter_entry(|entry| !is_state(entry))
        .map(Result::unwrap);
    let is_kept = |entry: &DirEntry| {
        !entry.file_type().is_dir() || fs::read_dir(entry.path()).unwrap().count() == 0
    };
    entries
        .filter(is_kept)
        .map(|entry| (path_below(entry.path(), root), node(&entry)))
        .collect()
}

/// Writes `tree` into the directory `root`, which is made.
pub(crate) fn write(tree: &Tree, root: &Path) {
    fs::create_dir_all(root).unwrap();
    for (path, node) in tree {
        let path = root.join(world::path_of(path.as_bytes()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match node {
            Node::File {
                bytes,
                is_executable,
            } => {
                fs::write(&path, bytes).unwrap();
                let mode = if *is_executable { 0o755 } else { 0o644 };
                world::set_mode(&path, mode);
            }
            Node::Link(target) => {
                world::link(world::path_of(target), &path).unwrap();
            }
            Node::Directory => fs::create_dir_all(&path).unwrap(),
        }
    }
}

/// Returns a new directory with text files.
pub(crate) fn directory(files: &[(&str, &str)]) -> TempDir {
    let tree = files
        .iter()
        .map(|(name, text)| (path(name), Node::file(*text)))
        .collect();
    let root = TempDir::new().unwrap();
    write(&tree, root.path());
    root
}

/// What a look at a tree must not change of each path: [`world::traces_of`].
pub(crate) type Traces = BTreeMap<PathBuf, [i64; 7]>;

/// Returns the traces of `root` and of everything below it.
pub(crate) fn traces(root: &Path) -> Traces {
    let traces = |entry: DirEntry| {
        let data = entry.path().symlink_metadata().unwrap();
        (entry.into_path(), world::traces_of(&data))
    };
    WalkDir::new(root)
        .into_iter()
        .map(|entry| traces(entry.unwrap()))
        .collect()
}

fn below(directory: &Path) -> impl Iterator<Item = DirEntry> {
    WalkDir::new(directory)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
}

fn relative<'a>(path: &'a Path, root: &Path) -> &'a Path {
    path.strip_prefix(root).unwrap()
}

fn path_below(path: &Path, root: &Path) -> RelPath {
    RelPath::new(&world::bytes_of(relative(path, root))).unwrap()
}

fn node(entry: &DirEntry) -> Node {
    let kind = entry.file_type();
    if kind.is_dir() {
        Node::Directory
    } else if kind.is_symlink() {
        Node::Link(world::bytes_of(fs::read_link(entry.path()).unwrap()))
    } else {
        let is_executable = world::is_executable(&entry.metadata().unwrap());
        Node::File {
            bytes: fs::read(entry.path()).unwrap(),
            is_executable,
        }
    }
}

fn decoded(name: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&first, behind)) = rest.split_first() {
        match behind {
            [high, low, behind @ ..] if first == b'%' => {
                bytes.push(digit(*high).unwrap() * 16 + digit(*low).unwrap());
                rest = behind;
            }
            _ => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    bytes
}
