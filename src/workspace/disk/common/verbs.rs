//! The verbs of the disk. Each resolves a directory and works with single names in it.

use std::path::PathBuf;
use std::time::Duration;

use super::Disk;
use crate::interrupt::Interrupt;
use crate::mode::{FileKind, Permissions};
use crate::path::{RelPath, os_path, plain_path};
use crate::text::Bytes;
use crate::workspace::disk::calls::{Access, SysError, SysResult};
use crate::workspace::disk::system;
use crate::workspace::{
    Directory, DirectoryPermissions, EXTERNAL_HISTORY_NAME, EntryRights, ErrorKind, GitDirectory,
    InPlaceChange, Lock, ModeProbe, NewFile, RenameMode, Result, Spellings, Stat, Timestamp,
    WorkTree, Workspace,
};

impl Workspace for Disk {
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>> {
        self.run_verb("stat", Some(path), || match self.lstat(path) {
            Err(error) if matches!(error.kind, ErrorKind::Missing | ErrorKind::NotDirectory) => {
                Ok(None)
            }
            found => found.map(Some),
        })
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
        self.run_verb("read", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            system::read_file(&directory, name, limit, interrupt)
        })
    }

    fn read_end(&self, path: &RelPath, length: u64) -> Result<(Vec<u8>, Stat)> {
        self.run_verb("read", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            system::read_file_end(&directory, name, length)
        })
    }

    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>> {
        self.run_verb("read link", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            system::read_target(&directory, name)
        })
    }

    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        self.run_verb("list", directory, || {
            let opened = match directory {
                None => system::resolve(self.parents.root(), b".", Access::List)?,
                Some(path) => self.parents.open(path)?,
            };
            system::list_names(&opened)
        })
    }

    fn create(&self, path: &RelPath, file: NewFile<'_>) -> Result<Permissions> {
        self.run_verb("create", Some(path), || self.try_create(path, file))
    }

    fn append(&self, path: &RelPath, bytes: &[u8]) -> Result<()> {
        self.run_verb("write", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            system::append_to_file(&directory, name, bytes)
        })
    }

    fn overwrite(&self, path: &RelPath, bytes: &[u8], was: &Stat) -> Result<()> {
        self.run_verb("overwrite", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            system::overwrite_file(&directory, name, bytes, was)
        })
    }

    fn symlink(
        &self,
        target: &[u8],
        path: &RelPath,
        final_path: &RelPath,
        owner_source: Option<&RelPath>,
    ) -> Result<()> {
        self.run_verb("create link", Some(path), || {
            let source = owner_source
                .map(|source| self.lstat(source).map_err(|error| error.with_path(source)))
                .transpose()?;
            let (directory, name) = self.parents.parent_and_name(path)?;
            let owner = source.map(|source| (source.uid, source.gid));
            let leads_to_directory = || self.leads_to_directory(final_path, target);
            system::create_symlink(&directory, name, target, owner, leads_to_directory)
        })
    }

    fn link(&self, from: &RelPath, to: &RelPath) -> Result<()> {
        self.run_verb("link", Some(from), || {
            let (old_directory, old) = self.parents.parent_and_name(from)?;
            let (new_directory, new) = self
                .parents
                .parent_and_name(to)
                .map_err(|error| error.with_path(to))?;
            let linked = system::link(&old_directory, old, &new_directory, new);
            linked.map_err(|error| match error.kind {
                // The new name exists, so the error names `to`.
                ErrorKind::Exists => error.with_path(to),
                _ => error,
            })
        })
    }

    fn rename(&self, from: &RelPath, to: &RelPath, how: RenameMode) -> Result<()> {
        self.run_verb("rename", Some(from), || self.try_rename(from, to, how))
    }

    fn remove(&self, path: &RelPath) -> Result<()> {
        self.run_verb("remove", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            system::remove(&directory, name)
        })
    }

    fn make_dir(&self, path: &RelPath, privacy: DirectoryPermissions) -> Result<()> {
        self.run_verb("create directory", Some(path), || {
            if let Some(history) = self
                .parents
                .external_history()
                .filter(|_| path.as_bytes() == EXTERNAL_HISTORY_NAME.as_bytes())
            {
                history.create_parents()?;
            }
            let (directory, name) = self.parents.parent_and_name(path)?;
            let result = self.caches.make_directory(&directory, name, privacy);
            // A handle cached for this path can belong to a directory that was removed before.
            self.parents.forget([path]);
            result
        })
    }

    fn remove_dir(&self, path: &RelPath) -> Result<()> {
        self.run_verb("remove directory", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            let result = system::remove_directory(&directory, name);
            self.parents.forget([path]);
            result
        })
    }

    fn set_permissions(&self, path: &RelPath, permissions: Permissions) -> Result<()> {
        self.run_verb("change mode", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            self.caches.set_permissions(&directory, name, permissions)
        })
    }

    fn restore_dir(&self, path: &RelPath, bits: u32, owner: (u32, u32)) -> Result<()> {
        self.run_verb("restore", Some(path), || {
            let (above, name) = self.parents.parent_and_name(path)?;
            system::restore_directory(&above, name, bits, owner)
        })
    }

    fn start_writeback(&self, path: &RelPath) {
        if let Ok((directory, name)) = self.parents.parent_and_name(path) {
            system::start_writeback(&directory, name);
        }
    }

    fn sync(&self, path: Directory<'_>) -> Result<()> {
        self.run_verb("sync", path, || match path {
            None => system::sync_root(self.parents.root()),
            Some(path) => {
                let (directory, name) = self.parents.parent_and_name(path)?;
                system::sync(&directory, name)
            }
        })
    }

    fn write_to_device(&self, path: &RelPath) -> Result<()> {
        self.run_verb("sync", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            system::write_to_device(&directory, name)
        })
    }

    fn sync_all(&self) -> Result<()> {
        self.run_verb("sync", None, || system::sync_all(self.parents.root()))
    }

    fn lock(&self, path: &RelPath, patience: Duration) -> Result<Option<Lock>> {
        self.wait_for_lock(path, patience, |directory, name| {
            system::try_lock(directory, name)
        })
    }

    fn lock_dir(&self, path: &RelPath, patience: Duration) -> Result<Option<Lock>> {
        self.wait_for_lock(path, patience, |above, name| {
            system::try_lock_directory(above, name)
        })
    }

    fn now(&self) -> Timestamp {
        system::now()
    }

    fn user(&self) -> u32 {
        system::user()
    }

    fn stored_bits(&self, directory: Directory<'_>, bits: u32, probe: ModeProbe) -> Option<u32> {
        self.open_handle(directory).map_or(Some(bits), |opened| {
            self.caches.stored_bits(&opened, bits, probe)
        })
    }

    fn can_store_owners(&self, directory: Directory<'_>, probe: ModeProbe) -> bool {
        self.open_handle(directory)
            .map_or(true, |opened| self.caches.can_store_owners(&opened, probe))
    }

    fn check_name(&self, path: &RelPath) -> std::result::Result<(), &'static str> {
        system::check_name(path.as_bytes())
    }

    fn symlink_refusal(&self) -> Option<&'static str> {
        system::symlink_refusal()
    }

    fn entry_rights(&self, directory: Directory<'_>) -> Result<EntryRights> {
        self.run_verb("create", directory, || {
            system::entry_rights(&*self.open_handle(directory)?)
        })
    }

    fn check_in_place(&self, path: &RelPath, change: InPlaceChange) -> Result<()> {
        self.run_verb("change", Some(path), || {
            let (directory, name) = self.parents.parent_and_name(path)?;
            system::check_in_place(&directory, name, change)
        })
    }

    fn spellings(&self) -> Option<&dyn Spellings> {
        Some(self)
    }

    fn identity(&self) -> Result<String> {
        self.run_verb("stat", None, || system::identity(self.parents.root()))
    }

    fn close_cached_handles(&self) {
        self.close_handles();
    }

    fn git_index_file(&self, directory: &[u8]) -> Result<()> {
        let not_text =
            || SysError::without_errno(ErrorKind::Other, "the path is not valid Unicode");
        let directory = self.run_verb("open", None, || os_path(directory).ok_or_else(not_text))?;
        self.parents.git_index_file().set(directory.to_owned());
        self.close_handles();
        Ok(())
    }

    fn real_path(&self, path: &RelPath) -> Vec<u8> {
        let outside = self.outside_path(path);
        outside.map_or_else(
            || path.as_bytes().to_vec(),
            |real| real.into_os_string().into_encoded_bytes(),
        )
    }

    fn external_history(&self) -> Option<RelPath> {
        self.parents
            .external_history()
            .map(|history| history.directory_of_root().clone())
    }

    fn has_unusable_history(&self) -> bool {
        self.history_parent.is_some() && self.parents.external_history().is_none()
    }

    fn work_tree(&self) -> Result<Option<WorkTree<'_>>> {
        self.find_work_tree()
    }

    fn git_directory(&self) -> Result<GitDirectory> {
        self.find_git_directory()
    }

    fn visit_names(
        &self,
        most: usize,
        visit: &mut dyn FnMut(Directory<'_>, &[u8], FileKind),
    ) -> bool {
        self.visit_names(most, visit)
    }

    fn link_targets(&self, path: &RelPath) -> Vec<RelPath> {
        self.find_link_paths(path)
    }

    fn git_directory_paths(&self, directory: Directory<'_>) -> Vec<RelPath> {
        self.find_git_paths(directory)
    }

    fn hook_directory_paths(&self) -> Vec<Option<RelPath>> {
        self.find_hook_paths()
    }

    fn configuration_file_paths(&self) -> Vec<RelPath> {
        self.find_configuration_paths()
    }

    fn absolute_root(&self) -> Option<PathBuf> {
        self.root.canonicalize().map(plain_path).ok()
    }

    fn absolute_path(&self, path: &RelPath) -> Option<PathBuf> {
        Some(self.absolute_path_of(path))
    }

    fn open_root(&self, location: &[u8]) -> Result<Box<dyn Workspace + Send>> {
        self.open_other(location)
    }
}

impl Disk {
    pub(super) fn lstat(&self, path: &RelPath) -> SysResult<Stat> {
        let (directory, name) = self.parents.parent_and_name(path)?;
        system::stat(&directory, name)
    }

    fn try_rename(&self, from: &RelPath, to: &RelPath, mode: RenameMode) -> SysResult<()> {
        if system::OPEN_DIRECTORIES_PREVENT_RENAMES {
            self.parents.forget([from, to]);
        }
        let (old_directory, old) = self.parents.parent_and_name(from)?;
        let (new_directory, new) = self
            .parents
            .parent_and_name(to)
            .map_err(|error| error.with_path(to))?;
        let is_nested = to.is_below(from) || from.is_below(to);
        let result = system::rename(
            (&old_directory, old),
            (&new_directory, new),
            mode,
            is_nested,
        );
        // An error does not prove that nothing was renamed, so drop the handles in any case.
        self.parents.forget([from, to]);
        result.map_err(|error| {
            if error.is_of_target || error.kind == ErrorKind::Exists {
                error.with_path(to)
            } else {
                error
            }
        })
    }
}
