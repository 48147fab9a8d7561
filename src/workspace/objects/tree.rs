//! Parses tree objects: the names of a directory, each with its mode and its object.

use super::cache::CacheWeight;
use super::id::ObjectId;
use crate::mode::FileMode;

/// The type bits of a directory. No file mode has these bits.
const DIRECTORY_TYPE: u32 = 0o040_000;
const TYPE_MASK: u32 = 0o170_000;

/// A tree object. Its entries can be looked up by name.
#[derive(Debug)]
pub(super) struct GitTree {
    bytes: Vec<u8>,
    /// The offset of each entry, sorted by name.
    starts: Vec<u32>,
    /// The size in bytes of an object ID.
    id_length: usize,
}

/// The object of a name in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeObject {
    Directory(ObjectId),
    File {
        id: ObjectId,
        /// The mode of a regular file.
        mode: FileMode,
    },
    Link(ObjectId),
    /// A commit of another repository. In a work tree it is an empty directory.
    Submodule(ObjectId),
}

/// A git object with a path. Objects with the same ID have the same content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GitObject {
    /// The ID of the blob, of the tree or of the commit of a submodule.
    pub id: ObjectId,
    /// The mode of a file, link or submodule; `None` for a directory.
    pub mode: Option<FileMode>,
}

impl From<TreeObject> for GitObject {
    fn from(object: TreeObject) -> Self {
        let (id, mode) = match object {
            TreeObject::Directory(id) => (id, None),
            TreeObject::File { id, mode } => (id, Some(mode)),
            TreeObject::Link(id) => (id, Some(FileMode::Symlink)),
            TreeObject::Submodule(id) => (id, Some(FileMode::Submodule)),
        };
        Self { id, mode }
    }
}

impl GitTree {
    /// Parses a tree from `bytes`. Object IDs have the size of `sample_id`. Returns `None` if the tree
    /// is damaged.
    pub(super) fn read(bytes: Vec<u8>, sample_id: ObjectId) -> Option<Self> {
        let width = sample_id.as_bytes().len();
        let mut starts = Vec::new();
        let mut start = 0;
        while start < bytes.len() {
            starts.push(u32::try_from(start).ok()?);
            let name = memchr::memchr(b' ', &bytes[start..])? + start + 1;
            start = memchr::memchr(0, &bytes[name..])? + name + 1 + width;
        }
        let mut tree = Self {
            bytes,
            starts: Vec::new(),
            id_length: width,
        };
        // The object sorts directories as if their names ended with a slash; here names are
        // compared alone.
        starts.sort_unstable_by(|&a, &b| tree.name(a).cmp(tree.name(b)));
        // Programs disagree about which of two entries with the same name applies, so reject such a
        // tree.
        let is_unique = starts
            .windows(2)
            .all(|pair| tree.name(pair[0]) != tree.name(pair[1]));
        tree.starts = starts;
        (is_unique && start == tree.bytes.len()).then_some(tree)
    }

    /// Returns the entry `name`.
    pub(super) fn find(&self, name: &[u8]) -> Option<TreeObject> {
        let place = self
            .starts
            .binary_search_by(|&start| self.name(start).cmp(name))
            .ok()?;
        self.entry(self.starts[place])
    }

    /// Returns the names in byte order.
    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.starts.iter().map(|&start| self.name(start))
    }

    /// Returns the mode and the name of the entry at `start`, and the bytes after them.
    fn parts(&self, start: u32) -> (&[u8], &[u8], &[u8]) {
        let rest = &self.bytes[start as usize..];
        let (mode, rest) = rest.split_at(memchr::memchr(b' ', rest).unwrap_or(rest.len()));
        let rest = rest.get(1..).unwrap_or_default();
        let (name, rest) = rest.split_at(memchr::memchr(0, rest).unwrap_or(rest.len()));
        (mode, name, rest.get(1..).unwrap_or_default())
    }

    fn name(&self, start: u32) -> &[u8] {
        self.parts(start).1
    }

    fn entry(&self, start: u32) -> Option<TreeObject> {
        let (mode, _, id) = self.parts(start);
        let id = ObjectId::from_bytes(id.get(..self.id_length)?)?;
        let bits = u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
        if bits & TYPE_MASK == DIRECTORY_TYPE {
            return Some(TreeObject::Directory(id));
        }
        Some(match FileMode::from_bits(bits)? {
            mode @ (FileMode::Regular | FileMode::Executable) => TreeObject::File { id, mode },
            FileMode::Symlink => TreeObject::Link(id),
            FileMode::Submodule => TreeObject::Submodule(id),
        })
    }
}

impl CacheWeight for GitTree {
    fn weight(&self) -> usize {
        self.bytes.len() + 4 * self.starts.len() + size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(byte: u8) -> ObjectId {
        ObjectId::from_bytes(&[byte; 20]).unwrap()
    }

    fn tree(entries: &[(&str, &[u8], u8)]) -> Vec<u8> {
        entries
            .iter()
            .flat_map(|(mode, name, byte)| {
                [mode.as_bytes(), b" ", name, b"\0", &[*byte; 20]].concat()
            })
            .collect()
    }

    #[test]
    fn entries_are_found_by_their_names() {
        // In git's order: `a-b` comes before `a`, because `a` is a directory.
        let entries: [(&str, &[u8], u8); 6] = [
            ("100644", b"a-b", 1),
            ("40000", b"a", 2),
            ("100755", b"run", 3),
            ("160000", b"sub", 4),
            ("120000", b"\xff", 5),
            ("100664", b"z", 6),
        ];
        let tree = GitTree::read(tree(&entries), id(0)).unwrap();
        assert_eq!(
            tree.find(b"a-b"),
            Some(TreeObject::File {
                id: id(1),
                mode: FileMode::Regular
            })
        );
        assert_eq!(tree.find(b"a"), Some(TreeObject::Directory(id(2))));
        assert_eq!(
            tree.find(b"run"),
            Some(TreeObject::File {
                id: id(3),
                mode: FileMode::Executable
            })
        );
        assert_eq!(tree.find(b"sub"), Some(TreeObject::Submodule(id(4))));
        assert_eq!(tree.find(b"\xff"), Some(TreeObject::Link(id(5))));
        assert_eq!(
            tree.find(b"z"),
            Some(TreeObject::File {
                id: id(6),
                mode: FileMode::Regular
            })
        );
        assert_eq!(tree.find(b"b"), None);
        assert_eq!(
            tree.names().collect::<Vec<_>>(),
            [&b"a"[..], b"a-b", b"run", b"sub", b"z", b"\xff"]
        );
    }

    #[test]
    fn a_damaged_tree_is_none() {
        let whole = tree(&[("100644", b"a", 1), ("40000", b"b", 2)]);
        for length in 1..whole.len() {
            let is_between = length == tree(&[("100644", b"a", 1)]).len();
            assert_eq!(
                GitTree::read(whole[..length].to_vec(), id(0)).is_some(),
                is_between,
                "{length}"
            );
        }
        for second in [("100644", &b"a"[..], 2), ("40000", b"a", 1)] {
            assert!(
                GitTree::read(
                    tree(&[("100644", b"a", 1), ("100644", b"b", 1), second]),
                    id(0)
                )
                .is_none()
            );
        }
        assert_eq!(
            GitTree::read(tree(&[("7", b"a", 1)]), id(0))
                .unwrap()
                .find(b"a"),
            None
        );
    }
}
