//! A file system in memory that folds names, by FUSE. Each rule of APFS, HFS+, NTFS and ext4 can be
//! selected.

mod calls;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Mutex;
use std::time::SystemTime;

use fuser::{
    Config, Errno, FileAttr, FileType, INodeNo, MountOption, RenameFlags, Request, SessionACL,
};
use unicode_normalization::UnicodeNormalization;

/// The rules of a file system.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "the rules are independent")]
pub(crate) struct Rules {
    /// `A` and `a` are one name.
    pub(crate) folds_case: bool,
    /// The composed and the decomposed form of a letter are one name.
    pub(crate) folds_normalization: bool,
    /// Names are stored in their decomposed form, as on HFS+.
    pub(crate) decomposes: bool,
    /// `RENAME_NOREPLACE` and `RENAME_EXCHANGE` are not supported.
    pub(crate) lacks_flags: bool,
    /// Permission bits are the same for all files, as on vfat.
    pub(crate) ignores_modes: bool,
}

impl Rules {
    fn key(self, name: &[u8]) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(name) else {
            return name.to_vec();
        };
        let text: String = if self.folds_normalization {
            text.nfd().collect()
        } else {
            text.to_owned()
        };
        if self.folds_case {
            text.to_lowercase().into_bytes()
        } else {
            text.into_bytes()
        }
    }

    fn stored(self, name: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(name) {
            Ok(text) if self.decomposes => text.nfd().collect::<String>().into_bytes(),
            _ => name.to_vec(),
        }
    }
}

/// The stored name and the inode of each entry, by the key of the name.
type Entries = BTreeMap<Vec<u8>, (Vec<u8>, u64)>;

enum Content {
    File(Vec<u8>),
    Link(Vec<u8>),
    Directory(Entries),
}

struct Node {
    content: Content,
    attributes: FileAttr,
}

type Nodes = HashMap<u64, Node>;

pub(crate) struct FoldingDriver {
    rules: Rules,
    nodes: Mutex<Nodes>,
}

type Answer<T> = Result<T, Errno>;

impl FoldingDriver {
    /// Mounts an empty file system at `place`. Returns a handle that unmounts it when it is dropped.
    pub(crate) fn mount(rules: Rules, place: &Path) -> fuser::BackgroundSession {
        let driver = Self {
            rules,
            nodes: Mutex::default(),
        };
        let root = Content::Directory(BTreeMap::new());
        driver.with(|nodes| add_node(nodes, root, 0o755, (0, 0)));
        let mut config = Config::default();
        config.mount_options = vec![MountOption::DefaultPermissions, MountOption::Suid];
        config.acl = SessionACL::All;
        fuser::spawn_mount(driver, place, &config).unwrap()
    }

    fn with<T>(&self, work: impl FnOnce(&mut Nodes) -> T) -> T {
        work(&mut self.nodes.lock().unwrap())
    }

    /// Adds a file with this name.
    fn add(
        &self,
        request: &Request,
        (parent, name): (INodeNo, &OsStr),
        content: Content,
        mode: u32,
    ) -> Answer<FileAttr> {
        self.with(|nodes| {
            let key = self.rules.key(name.as_bytes());
            if entries(nodes, parent)?.contains_key(&key) {
                return Err(Errno::EEXIST);
            }
            let mode = match &content {
                Content::Directory(_) if self.rules.ignores_modes => 0o755,
                Content::File(_) if self.rules.ignores_modes => 0o644,
                _ => mode,
            };
            let inode = add_node(nodes, content, mode, (request.uid(), request.gid()));
            let entry = (self.rules.stored(name.as_bytes()), inode);
            entries(nodes, parent)?.insert(key, entry);
            touch(nodes, parent.0);
            Ok(nodes[&inode].attributes)
        })
    }

    fn remove(&self, parent: INodeNo, name: &OsStr, is_directory: bool) -> Answer<()> {
        self.with(|nodes| {
            let key = self.rules.key(name.as_bytes());
            let inode = entries(nodes, parent)?.get(&key).ok_or(Errno::ENOENT)?.1;
            match (&nodes[&inode].content, is_directory) {
                (Content::Directory(inner), true) if !inner.is_empty() => {
                    return Err(Errno::ENOTEMPTY);
                }
                (Content::Directory(_), true) => {}
                (Content::Directory(_), false) => return Err(Errno::EISDIR),
                (_, true) => return Err(Errno::ENOTDIR),
                (_, false) => {}
            }
            entries(nodes, parent)?.remove(&key);
            change_links(nodes, inode, -1);
            touch(nodes, parent.0);
            Ok(())
        })
    }

    fn rename_entry(
        &self,
        (parent, name): (INodeNo, &OsStr),
        (new_parent, new_name): (INodeNo, &OsStr),
        flags: RenameFlags,
    ) -> Answer<()> {
        if self.rules.lacks_flags && !flags.is_empty() {
            return Err(Errno::EINVAL);
        }
        self.with(|nodes| {
            let [key, new_key] = [name, new_name].map(|name| self.rules.key(name.as_bytes()));
            let entry = entries(nodes, parent)?.get(&key).cloned();
            let (old_name, inode) = entry.ok_or(Errno::ENOENT)?;
            let there = entries(nodes, new_parent)?.get(&new_key).cloned();
            let new_entry = (self.rules.stored(new_name.as_bytes()), inode);
            if flags.contains(RenameFlags::RENAME_EXCHANGE) {
                let (other_name, other) = there.ok_or(Errno::ENOENT)?;
                entries(nodes, parent)?.insert(key, (old_name, other));
                entries(nodes, new_parent)?.insert(new_key, (other_name, inode));
            } else {
                let is_same = (parent, &key) == (new_parent, &new_key);
                if let Some((_, other)) = there.filter(|_| !is_same) {
                    if flags.contains(RenameFlags::RENAME_NOREPLACE) {
                        return Err(Errno::EEXIST);
                    }
                    change_links(nodes, other, -1);
                }
                entries(nodes, parent)?.remove(&key);
                entries(nodes, new_parent)?.insert(new_key, new_entry);
            }
            for inode in [parent.0, new_parent.0, inode] {
                touch(nodes, inode);
            }
            Ok(())
        })
    }
}

fn add_node(nodes: &mut Nodes, content: Content, mode: u32, (uid, gid): (u32, u32)) -> u64 {
    let inode = nodes.len() as u64 + 1;
    let now = SystemTime::now();
    let (kind, nlink) = match content {
        Content::File(_) => (FileType::RegularFile, 1),
        Content::Link(_) => (FileType::Symlink, 1),
        Content::Directory(_) => (FileType::Directory, 2),
    };
    let size = match &content {
        Content::Link(target) => target.len() as u64,
        _ => 0,
    };
    let attributes = FileAttr {
        ino: INodeNo(inode),
        size,
        blocks: 0,
        atime: now,
        mtime: now,
        ctime: now,
        crtime: now,
        kind,
        perm: u16::try_from(mode & 0o7777).unwrap(),
        nlink,
        uid,
        gid,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    };
    nodes.insert(
        inode,
        Node {
            content,
            attributes,
        },
    );
    inode
}

fn node(nodes: &mut Nodes, inode: u64) -> Answer<&mut Node> {
    nodes.get_mut(&inode).ok_or(Errno::ENOENT)
}

fn entries(nodes: &mut Nodes, directory: INodeNo) -> Answer<&mut Entries> {
    match &mut node(nodes, directory.0)?.content {
        Content::Directory(entries) => Ok(entries),
        _ => Err(Errno::ENOTDIR),
    }
}

fn change_links(nodes: &mut Nodes, inode: u64, by: i32) {
    let attributes = &mut nodes.get_mut(&inode).unwrap().attributes;
    attributes.nlink = attributes.nlink.saturating_add_signed(by);
    attributes.ctime = SystemTime::now();
}

fn touch(nodes: &mut Nodes, inode: u64) {
    let attributes = &mut nodes.get_mut(&inode).unwrap().attributes;
    attributes.ctime = SystemTime::now();
    if attributes.kind == FileType::Directory {
        attributes.mtime = attributes.ctime;
    }
}
