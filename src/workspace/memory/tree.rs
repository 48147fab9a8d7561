//! Inodes and names: the static model of a file system, without time or failures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::{ErrorKind, Stat, Timestamp};

/// An inode number.
pub(super) type Inode = u64;

/// The inode of the root.
pub(super) const ROOT: Inode = 1;

/// The entries of a directory.
pub(super) type DirectoryEntries = BTreeMap<Vec<u8>, Inode>;

/// One file, directory or link. Names are kept in directories, not in the node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) content: NodeContent,
    pub(super) permissions: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) modified: Timestamp,
    pub(super) links: u64,
}

/// The content of a node. It is shared, so copying a tree is cheap.
#[derive(Clone, Debug)]
pub(super) enum NodeContent {
    File(Arc<Vec<u8>>),
    Link(Arc<Vec<u8>>),
    Directory(DirectoryEntries),
    Special,
}

impl NodeContent {
    pub(super) fn kind(&self) -> FileKind {
        match self {
            Self::File(_) => FileKind::Regular,
            Self::Link(_) => FileKind::Symlink,
            Self::Directory(_) => FileKind::Directory,
            Self::Special => FileKind::Special,
        }
    }

    /// Returns the content or the target. Other types have none.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::File(bytes) | Self::Link(bytes) => bytes,
            Self::Directory(_) | Self::Special => b"",
        }
    }
}

impl Node {
    pub(super) fn names(&self) -> Option<&DirectoryEntries> {
        if let NodeContent::Directory(names) = &self.content {
            Some(names)
        } else {
            None
        }
    }

    pub(super) fn stat(&self, inode: Inode) -> Stat {
        Stat {
            kind: self.content.kind(),
            permissions: self.permissions,
            uid: self.uid,
            gid: self.gid,
            links: self.links,
            size: self.content.bytes().len() as u64,
            modified: self.modified,
            device: 1,
            inode,
            has_no_xattrs: true,
            protection: None,
            inode_flags: 0,
        }
    }
}

/// All inodes of one file system.
#[derive(Clone, Debug)]
pub(super) struct InodeTable {
    pub(super) nodes: BTreeMap<Inode, Node>,
}

impl InodeTable {
    pub(super) fn new(root: Node) -> Self {
        Self {
            nodes: BTreeMap::from([(ROOT, root)]),
        }
    }

    /// Returns the owner and the group of the regular file at `path`.
    pub(super) fn owner(&self, path: &RelPath) -> Result<(u32, u32), ErrorKind> {
        let node = &self.nodes[&self.find(path)?];
        if matches!(node.content, NodeContent::File(_)) {
            Ok((node.uid, node.gid))
        } else {
            Err(ErrorKind::NotRegular)
        }
    }

    /// Returns the inode of a directory. The path must contain only real directories.
    pub(super) fn directory(&self, path: Option<&RelPath>) -> Result<Inode, ErrorKind> {
        let mut inode = ROOT;
        for part in path.iter().flat_map(|path| path.components()) {
            inode = *self.names(inode)?.get(part).ok_or(ErrorKind::Missing)?;
            match self.nodes[&inode].content {
                NodeContent::Directory(_) => {}
                NodeContent::Link(_) => return Err(ErrorKind::ThroughLink),
                NodeContent::File(_) | NodeContent::Special => return Err(ErrorKind::NotDirectory),
            }
        }
        Ok(inode)
    }

    /// Returns the inode of `path`, without following a link.
    pub(super) fn find(&self, path: &RelPath) -> Result<Inode, ErrorKind> {
        let directory = self.directory(path.parent().as_ref())?;
        self.names(directory)?
            .get(path.name())
            .copied()
            .ok_or(ErrorKind::Missing)
    }

    pub(super) fn names(&self, directory: Inode) -> Result<&DirectoryEntries, ErrorKind> {
        self.nodes
            .get(&directory)
            .ok_or(ErrorKind::Missing)?
            .names()
            .ok_or(ErrorKind::NotDirectory)
    }

    /// Returns `directories` and everything below them.
    pub(super) fn collect_below(&self, directories: &BTreeSet<Inode>) -> BTreeSet<Inode> {
        let mut found = BTreeSet::new();
        let mut open: Vec<_> = directories.iter().copied().collect();
        while let Some(inode) = open.pop() {
            if found.insert(inode) {
                open.extend(
                    self.names(inode)
                        .into_iter()
                        .flat_map(|names| names.values().copied()),
                );
            }
        }
        found
    }

    /// Overwrites the beginning of a file with `bytes`.
    pub(super) fn overwrite(&mut self, inode: Inode, bytes: &[u8]) -> Result<(), ErrorKind> {
        let contents = self.contents(inode)?;
        let rest = contents.get(bytes.len()..).unwrap_or_default().to_vec();
        *contents = [bytes, &rest].concat();
        Ok(())
    }

    /// Truncates a file to `size` bytes.
    pub(super) fn truncate(&mut self, inode: Inode, size: usize) -> Result<(), ErrorKind> {
        self.contents(inode)?.truncate(size);
        Ok(())
    }

    /// Returns the content of a regular file.
    pub(super) fn contents(&mut self, inode: Inode) -> Result<&mut Vec<u8>, ErrorKind> {
        match self.nodes.get_mut(&inode).map(|node| &mut node.content) {
            Some(NodeContent::File(contents)) => Ok(Arc::make_mut(contents)),
            _ => Err(ErrorKind::NotRegular),
        }
    }

    /// Sets `name` to `target`, or removes it. `retention` decides what happens to a node without a
    /// name.
    pub(super) fn set_name(
        &mut self,
        directory: Inode,
        name: &[u8],
        target: Option<Inode>,
        retention: NodeRetention,
    ) {
        let Some(NodeContent::Directory(names)) =
            self.nodes.get_mut(&directory).map(|node| &mut node.content)
        else {
            return;
        };
        let old = match target {
            Some(inode) => names.insert(name.to_vec(), inode),
            None => names.remove(name),
        };
        if let Some(node) = target.and_then(|inode| self.nodes.get_mut(&inode)) {
            node.links += 1;
        }
        if let Some(inode) = old {
            let node = self
                .nodes
                .get_mut(&inode)
                .expect("BUG: a name leads nowhere");
            node.links -= 1;
            if node.links == 0 && retention == NodeRetention::Named {
                self.nodes.remove(&inode);
            }
        }
    }

    /// Adds `names`, which can be negative, to the link counts of two nodes.
    pub(super) fn add_links(&mut self, one: Inode, other: Inode, names: i64) {
        for inode in [one, other] {
            if let Some(node) = self.nodes.get_mut(&inode) {
                node.links = node.links.saturating_add_signed(names);
            }
        }
    }

    /// Removes unreachable nodes and recomputes all link counts.
    pub(super) fn sweep(&mut self) {
        let mut links = BTreeMap::from([(ROOT, 1)]);
        let mut open = vec![ROOT];
        while let Some(directory) = open.pop() {
            for &inode in self.nodes[&directory]
                .names()
                .into_iter()
                .flat_map(BTreeMap::values)
            {
                let count = links.entry(inode).or_insert(0);
                *count += 1;
                if *count == 1 {
                    open.push(inode);
                }
            }
        }
        self.nodes.retain(|inode, _| links.contains_key(inode));
        for (inode, node) in &mut self.nodes {
            node.links = links[inode];
        }
    }

    /// Returns every path with its inode, in byte order of the components.
    pub(super) fn walk(&self) -> Vec<(RelPath, Inode)> {
        let mut found = Vec::new();
        self.walk_below(ROOT, b"", &mut found);
        found
    }

    fn walk_below(&self, directory: Inode, prefix: &[u8], found: &mut Vec<(RelPath, Inode)>) {
        for (name, &inode) in self.nodes[&directory].names().into_iter().flatten() {
            let bytes = [prefix, name].concat();
            if let Ok(path) = RelPath::new(&bytes) {
                found.push((path, inode));
            }
            self.walk_below(inode, &[&bytes[..], b"/"].concat(), found);
        }
    }
}

/// Which nodes remain after their last name is removed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeRetention {
    /// Only nodes with a name.
    Named,
    /// All nodes, because a pending change may add a name.
    All,
}
