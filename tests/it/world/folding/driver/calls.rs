//! The calls of the kernel to the driver.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory,
    ReplyEmpty, ReplyEntry, ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use super::{Answer, Content, FoldingDriver, Node, change_links, entries, node, touch};

/// No answer is cached, so that every lookup reaches the driver.
const TTL: Duration = Duration::ZERO;

fn answer_entry(answer: Answer<FileAttr>, reply: ReplyEntry) {
    match answer {
        Ok(attributes) => reply.entry(&TTL, &attributes, Generation(0)),
        Err(errno) => reply.error(errno),
    }
}

fn answer_empty(answer: Answer<()>, reply: ReplyEmpty) {
    match answer {
        Ok(()) => reply.ok(),
        Err(errno) => reply.error(errno),
    }
}

impl Filesystem for FoldingDriver {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.with(|nodes| {
            let key = self.rules.key(name.as_bytes());
            let inode = entries(nodes, parent)?.get(&key).ok_or(Errno::ENOENT)?.1;
            Ok(node(nodes, inode)?.attributes)
        });
        answer_entry(found, reply);
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.with(|nodes| Ok(node(nodes, inode.0)?.attributes)) {
            Ok(attributes) => reply.attr(&TTL, &attributes),
            Err(errno) => reply.error(errno),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        inode: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let changed = self.with(|nodes| {
            let node = node(nodes, inode.0)?;
            let now = SystemTime::now();
            let attributes = &mut node.attributes;
            if let Some(mode) = mode.filter(|_| !self.rules.ignores_modes) {
                attributes.perm = u16::try_from(mode & 0o7777).unwrap();
            }
            attributes.uid = uid.unwrap_or(attributes.uid);
            attributes.gid = gid.unwrap_or(attributes.gid);
            if let (Some(size), Content::File(bytes)) = (size, &mut node.content) {
                bytes.resize(usize::try_from(size).unwrap(), 0);
                (attributes.size, attributes.mtime) = (size, now);
            }
            match modified {
                Some(TimeOrNow::SpecificTime(time)) => attributes.mtime = time,
                Some(TimeOrNow::Now) => attributes.mtime = now,
                None => {}
            }
            attributes.ctime = now;
            Ok(*attributes)
        });
        match changed {
            Ok(attributes) => reply.attr(&TTL, &attributes),
            Err(errno) => reply.error(errno),
        }
    }

    fn readlink(&self, _: &Request, inode: INodeNo, reply: ReplyData) {
        self.with(|nodes| match node(nodes, inode.0) {
            Ok(Node {
                content: Content::Link(target),
                ..
            }) => reply.data(target),
            _ => reply.error(Errno::EINVAL),
        });
    }

    fn mkdir(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        reply: ReplyEntry,
    ) {
        let content = Content::Directory(BTreeMap::new());
        let answer = self.add(request, (parent, name), content, mode & !umask);
        answer_entry(answer, reply);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer_empty(self.remove(parent, name, false), reply);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer_empty(self.remove(parent, name, true), reply);
    }

    fn symlink(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        target: &Path,
        reply: ReplyEntry,
    ) {
        let content = Content::Link(target.as_os_str().as_bytes().to_vec());
        answer_entry(self.add(request, (parent, name), content, 0o777), reply);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let renamed = self.rename_entry((parent, name), (new_parent, new_name), flags);
        answer_empty(renamed, reply);
    }

    fn link(&self, _: &Request, inode: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let linked = self.with(|nodes| {
            let key = self.rules.key(name.as_bytes());
            if entries(nodes, parent)?.contains_key(&key) {
                return Err(Errno::EEXIST);
            }
            let entry = (self.rules.stored(name.as_bytes()), inode.0);
            entries(nodes, parent)?.insert(key, entry);
            change_links(nodes, inode.0, 1);
            touch(nodes, parent.0);
            Ok(node(nodes, inode.0)?.attributes)
        });
        answer_entry(linked, reply);
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let content = Content::File(Vec::new());
        match self.add(request, (parent, name), content, mode & !umask) {
            Ok(attributes) => reply.created(
                &TTL,
                &attributes,
                Generation(0),
                FileHandle(0),
                FopenFlags::FOPEN_DIRECT_IO,
            ),
            Err(errno) => reply.error(errno),
        }
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        self.with(|nodes| match node(nodes, inode.0) {
            Ok(Node {
                content: Content::File(bytes),
                ..
            }) => {
                let start = usize::try_from(offset).unwrap().min(bytes.len());
                let end = (start + size as usize).min(bytes.len());
                reply.data(&bytes[start..end]);
            }
            _ => reply.error(Errno::EISDIR),
        });
    }

    fn write(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        self.with(|nodes| {
            let Ok(Node {
                content: Content::File(bytes),
                attributes,
            }) = node(nodes, inode.0)
            else {
                return reply.error(Errno::EISDIR);
            };
            let start = usize::try_from(offset).unwrap();
            let end = start + data.len();
            bytes.resize(bytes.len().max(end), 0);
            bytes[start..end].copy_from_slice(data);
            attributes.size = bytes.len() as u64;
            attributes.mtime = SystemTime::now();
            attributes.ctime = attributes.mtime;
            reply.written(u32::try_from(data.len()).unwrap());
        });
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn readdir(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let listed = self.with(|nodes| {
            let names = entries(nodes, inode)?.values().cloned().collect::<Vec<_>>();
            let kind = |(name, inode): (Vec<u8>, u64)| (name, inode, nodes[&inode].attributes.kind);
            Ok(names.into_iter().map(kind).collect::<Vec<_>>())
        });
        let names = match listed {
            Ok(names) => names,
            Err(errno) => return reply.error(errno),
        };
        let dots = [b"." as &[u8], b".."];
        let dots = dots.map(|name| (name.to_vec(), inode.0, FileType::Directory));
        let all = dots.into_iter().chain(names).enumerate();
        for (place, (name, inode, kind)) in all.skip(usize::try_from(offset).unwrap()) {
            let next = place as u64 + 1;
            if reply.add(INodeNo(inode), next, kind, OsStr::from_bytes(&name)) {
                break;
            }
        }
        reply.ok();
    }
}
