//! The verbs of a tree with a layer. It is read-only, so verbs that change files are not
//! implemented.

use std::path::PathBuf;

use super::{LayeredEntry, LayeredTree, blocked, failed, missing};
use crate::interrupt::Interrupt;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::text::Bytes;
use crate::workspace::{
    Directory, EntryRights, ErrorKind, GitDirectory, InPlaceChange, ModeProbe, Result, Spellings,
    Stat, Timestamp, WorkTree, Workspace, WorkspaceError, top,
};

/// The limit on the size of a link target in bytes.
const MAX_TARGET: u64 = 1 << 16;

impl Workspace for LayeredTree<'_> {
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>> {
        match self.entry(path)? {
            LayeredEntry::File(file) => self.stat_file(&file).map(Some),
            LayeredEntry::Below(FileKind::Symlink) => Err(blocked("stat", path, FileKind::Symlink)),
            LayeredEntry::Missing | LayeredEntry::Below(_) => Ok(None),
            LayeredEntry::Directory => {
                let found = self.base().stat(path).ok().flatten();
                let found = found.filter(|stat| stat.kind == FileKind::Directory);
                Ok(Some(found.unwrap_or_else(|| self.stat_directory())))
            }
            LayeredEntry::Base => match self.base().stat(path)? {
                Some(stat) if stat.kind == FileKind::Directory && self.is_emptied(path)? => {
                    Ok(None)
                }
                found => Ok(found),
            },
        }
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<(Bytes, Stat)> {
        self.read_in_parts(path, limit, Interrupt::never())
    }

    fn read_in_parts(
        &self,
        path: &RelPath,
        limit: u64,
        interrupt: &Interrupt,
    ) -> Result<(Bytes, Stat)> {
        match self.entry(path)? {
            LayeredEntry::File(file) if file.kind == FileKind::Regular => {
                let read = top(self.base())?.read_in_parts(&file.content, limit, interrupt);
                let (bytes, stat) = read.map_err(|error| WorkspaceError {
                    path: path.to_string(),
                    ..error
                })?;
                let stat = Stat {
                    kind: file.kind,
                    permissions: file.permissions,
                    links: 1,
                    ..stat
                };
                Ok((bytes, stat))
            }
            LayeredEntry::File(_) | LayeredEntry::Directory => Err(failed(
                "read",
                path,
                ErrorKind::NotRegular,
                "not a regular file",
            )),
            LayeredEntry::Missing => Err(missing("read", path)),
            LayeredEntry::Below(kind) => Err(blocked("read", path, kind)),
            LayeredEntry::Base => match self.base().read_in_parts(path, limit, interrupt) {
                Err(error) if error.kind == ErrorKind::NotRegular && self.stat(path)?.is_none() => {
                    Err(missing("read", path))
                }
                read => read,
            },
        }
    }

    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>> {
        match self.entry(path)? {
            LayeredEntry::File(file) if file.kind == FileKind::Symlink => {
                let (target, _) = top(self.base())?.read(&file.content, MAX_TARGET)?;
                Ok(target.into_vec())
            }
            LayeredEntry::File(_) | LayeredEntry::Directory => Err(failed(
                "read link",
                path,
                ErrorKind::Other,
                "not a symbolic link",
            )),
            LayeredEntry::Missing => Err(missing("read link", path)),
            LayeredEntry::Below(kind) => Err(blocked("read link", path, kind)),
            LayeredEntry::Base => self.base().read_link(path),
        }
    }

    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        let entry = directory.map_or(Ok(LayeredEntry::Base), |path| self.entry(path))?;
        let base = match (entry, directory) {
            (LayeredEntry::Directory, _) => self.base().list(directory).unwrap_or_default(),
            (LayeredEntry::Missing, Some(path)) => return Err(missing("list", path)),
            (LayeredEntry::Below(kind), Some(path)) => return Err(blocked("list", path, kind)),
            (LayeredEntry::File(_), Some(path)) => {
                let why = "not a directory";
                return Err(failed("list", path, ErrorKind::NotDirectory, why));
            }
            _ => self.base().list(directory)?,
        };
        let mut names = Vec::with_capacity(base.len());
        for name in base {
            let child = match directory {
                Some(directory) => directory.join(&name),
                None => RelPath::new(&name[..]),
            };
            // A name that is no path cannot be in the layer.
            let is_kept = match child {
                Err(_) => true,
                Ok(child) => match self.entry(&child)? {
                    LayeredEntry::Missing => false,
                    LayeredEntry::Base => !self.is_emptied(&child).unwrap_or(false),
                    _ => true,
                },
            };
            if is_kept {
                names.push(name);
            }
        }
        names.extend(self.added_names(directory)?);
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn layered(&self) -> Option<&LayeredTree<'_>> {
        Some(self)
    }

    /// A commit of the layer checks the rights.
    fn entry_rights(&self, _directory: Directory<'_>) -> Result<EntryRights> {
        Ok(EntryRights::default())
    }

    fn check_in_place(&self, _path: &RelPath, _change: InPlaceChange) -> Result<()> {
        Ok(())
    }

    fn link_targets(&self, path: &RelPath) -> Vec<RelPath> {
        match self.entry(path) {
            Ok(LayeredEntry::Base) => self.base().link_targets(path),
            _ => Vec::new(),
        }
    }

    fn visit_names(
        &self,
        max_names: usize,
        visit: &mut dyn FnMut(Directory<'_>, &[u8], FileKind),
    ) -> bool {
        self.base().visit_names(max_names, visit)
    }

    fn now(&self) -> Timestamp {
        self.base().now()
    }

    fn user(&self) -> u32 {
        self.base().user()
    }

    fn stored_bits(&self, directory: Directory<'_>, bits: u32, probe: ModeProbe) -> Option<u32> {
        self.base().stored_bits(directory, bits, probe)
    }

    fn can_store_owners(&self, directory: Directory<'_>, probe: ModeProbe) -> bool {
        self.base().can_store_owners(directory, probe)
    }

    fn check_name(&self, path: &RelPath) -> std::result::Result<(), &'static str> {
        self.base().check_name(path)
    }

    fn symlink_refusal(&self) -> Option<&'static str> {
        self.base().symlink_refusal()
    }

    fn spellings(&self) -> Option<&dyn Spellings> {
        self.base().spellings()
    }

    fn identity(&self) -> Result<String> {
        self.base().identity()
    }

    fn close_cached_handles(&self) {
        self.base().close_cached_handles();
    }

    fn external_history(&self) -> Option<RelPath> {
        self.base().external_history()
    }

    fn has_unusable_history(&self) -> bool {
        self.base().has_unusable_history()
    }

    fn real_path(&self, path: &RelPath) -> Vec<u8> {
        self.base().real_path(path)
    }

    fn work_tree(&self) -> Result<Option<WorkTree<'_>>> {
        self.base().work_tree()
    }

    fn git_directory(&self) -> Result<GitDirectory> {
        self.base().git_directory()
    }

    fn git_directory_paths(&self, directory: Directory<'_>) -> Vec<RelPath> {
        self.base().git_directory_paths(directory)
    }

    fn hook_directory_paths(&self) -> Vec<Option<RelPath>> {
        self.base().hook_directory_paths()
    }

    fn configuration_file_paths(&self) -> Vec<RelPath> {
        self.base().configuration_file_paths()
    }

    fn absolute_root(&self) -> Option<PathBuf> {
        self.base().absolute_root()
    }

    fn absolute_path(&self, path: &RelPath) -> Option<PathBuf> {
        self.base().absolute_path(path)
    }
}
