//! Creates files with the attributes of a source.

use super::parents::DirectoryResolver;
use super::{Disk, not_unicode};
use crate::mode::Permissions;
use crate::path::{RelPath, os_path};
use crate::workspace::disk::calls::{Access, SysResult};
use crate::workspace::disk::system;
use crate::workspace::{AttributeSource, NewFile};

impl Disk {
    /// Creates a file with the attributes of its source.
    pub(super) fn try_create(&self, path: &RelPath, file: NewFile<'_>) -> SysResult<Permissions> {
        let source = file.source.map(|like| self.open_source(like)).transpose()?;
        let (directory, name) = self.parents.parent_and_name(path)?;
        self.caches.create(&directory, name, file, source.as_ref())
    }

    fn open_source(&self, like: AttributeSource<'_>) -> SysResult<system::OpenedAttributeSource> {
        match like {
            AttributeSource::File(path) => self
                .parents
                .parent_and_name(path)
                .and_then(|(directory, name)| system::open_source_file(&directory, name))
                .map_err(|error| error.with_path(path)),
            AttributeSource::OtherRoot { location, path } => {
                let root = os_path(location).ok_or_else(not_unicode)?;
                let root = system::open_directory_at(root, Access::List)?;
                DirectoryResolver::new(root)
                    .parent_and_name(path)
                    .and_then(|(directory, name)| system::open_source_file(&directory, name))
            }
            AttributeSource::OwnerOnly {
                uid,
                gid,
                inode_flags,
            } => Ok(system::source_of_owner((uid, gid), inode_flags)),
            AttributeSource::NewIn(None) => self.caches.source_of_directory(self.parents.root()),
            AttributeSource::NewIn(Some(path)) => self
                .parents
                .open_cached(path.as_bytes())
                .and_then(|directory| self.caches.source_of_directory(&directory))
                .map_err(|error| error.with_path(path)),
        }
    }
}
