//! The files, directories and links that tests put into a tree.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::tree::{Node, NodeContent};
use crate::mode::FileKind;

/// One file, directory or link of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// File type.
    pub kind: FileKind,
    /// Permission bits, at most 0o7777. Links have 0o777.
    pub mode: u32,
    /// Content of a file, or target of a symbolic link. Empty for directories.
    pub contents: Vec<u8>,
}

impl Entry {
    /// Returns a regular file with mode 0644.
    #[must_use]
    pub fn file(contents: impl Into<Vec<u8>>) -> Self {
        Self {
            kind: FileKind::Regular,
            mode: 0o644,
            contents: contents.into(),
        }
    }

    /// Returns a regular file with mode 0755.
    #[must_use]
    pub fn executable(contents: impl Into<Vec<u8>>) -> Self {
        Self {
            mode: 0o755,
            ..Self::file(contents)
        }
    }

    /// Returns a symbolic link.
    #[must_use]
    pub fn link(target: impl Into<Vec<u8>>) -> Self {
        Self {
            kind: FileKind::Symlink,
            mode: 0o777,
            contents: target.into(),
        }
    }

    /// Returns an empty directory with mode 0755.
    #[must_use]
    pub fn directory() -> Self {
        Self {
            kind: FileKind::Directory,
            mode: 0o755,
            contents: Vec::new(),
        }
    }

    /// Returns a FIFO with mode 0644.
    #[must_use]
    pub fn special() -> Self {
        Self {
            kind: FileKind::Special,
            ..Self::file("")
        }
    }

    pub(super) fn body(&self) -> NodeContent {
        let bytes = || Arc::new(self.contents.clone());
        match self.kind {
            FileKind::Regular => NodeContent::File(bytes()),
            FileKind::Directory => NodeContent::Directory(BTreeMap::new()),
            FileKind::Symlink => NodeContent::Link(bytes()),
            FileKind::Special => NodeContent::Special,
        }
    }
}

impl From<&Node> for Entry {
    fn from(node: &Node) -> Self {
        Self {
            kind: node.content.kind(),
            mode: node.permissions,
            contents: node.content.bytes().to_vec(),
        }
    }
}
