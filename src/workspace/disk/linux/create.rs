//! Creates files with their attributes.

use std::sync::Arc;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::Disk;
use super::attributes::{SourceAttributes, bits_of, clear_acl, process_umask, set_bits};
use super::contents::{create_file, write_slices};
use super::handle::DirectoryHandle;
use super::inherited_attributes::InheritedAttributes;
use super::initial_attributes::InitialAttributes;
use super::sys_error::{SysError, SysResult};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::workspace::AttributeSource;

impl Disk {
    pub(super) fn bits_of(&self, permissions: Permissions) -> u32 {
        bits_of(permissions, || *self.umask.get_or_init(process_umask))
    }

    pub(super) fn try_create(
        &self,
        path: &RelPath,
        slices: &[&[u8]],
        permissions: Permissions,
        like: Option<AttributeSource<'_>>,
    ) -> SysResult<()> {
        let source = like.map(|like| self.open_source(like)).transpose()?;
        let bits = self.bits_of(permissions);
        let (directory, name) = self.parents.parent_and_name(path)?;
        let file = create_file(&directory, name)?;
        let result = self.write_new_file(
            (&directory, &file),
            slices,
            (permissions, bits),
            source.as_ref(),
        );
        if result.is_err() {
            // Remove the incomplete file. If that fails too, the original error is still the one to
            // return.
            let _ = unlinkat(&directory, name, AtFlags::empty());
        }
        result
    }

    /// Writes a new file, sets its attributes, and finally its permissions: those of `bits` that
    /// the source allows.
    fn write_new_file(
        &self,
        (directory, file): (&DirectoryHandle, &OwnedFd),
        slices: &[&[u8]],
        (permissions, bits): (Permissions, u32),
        source: Option<&OpenedAttributeSource>,
    ) -> SysResult<()> {
        write_slices(file, slices)?;
        let birth = || {
            self.initial_attributes
                .get(directory, |_| InitialAttributes::of(file))
        };
        let bits = match source {
            Some(OpenedAttributeSource::File(model)) => model.copy_to(file, &*birth()?, bits)?,
            Some(OpenedAttributeSource::Owner(uid, gid)) => {
                clear_acl(file, (*uid, *gid), &*birth()?, bits)?
            }
            Some(OpenedAttributeSource::Directory(heritage)) => {
                heritage.copy_to(file, &*birth()?, permissions, bits)?
            }
            None => bits,
        };
        // The bits come last, because chown(2) clears the set-user-ID and set-group-ID bits.
        match set_bits(file, bits) {
            // The process does not own a file that it just created: the mount determines its bits.
            Err(trouble) if is_foreign(&trouble, birth()?.uid) => Ok(()),
            set => set,
        }
    }

    fn open_source(&self, like: AttributeSource<'_>) -> SysResult<OpenedAttributeSource> {
        match like {
            AttributeSource::File(path) => {
                let model = self
                    .parents
                    .parent_and_name(path)
                    .and_then(|(directory, name)| SourceAttributes::open(&directory, name));
                model
                    .map(OpenedAttributeSource::File)
                    .map_err(|trouble| trouble.with_path(path))
            }
            AttributeSource::OwnerOnly { uid, gid } => Ok(OpenedAttributeSource::Owner(uid, gid)),
            AttributeSource::NewIn(None) => Ok(OpenedAttributeSource::Directory(
                self.inherited_attributes
                    .get(self.parents.root(), InheritedAttributes::of)?,
            )),
            AttributeSource::NewIn(Some(path)) => {
                let directory = self.parents.open_cached(path.as_bytes());
                let heritage = directory.and_then(|directory| {
                    self.inherited_attributes
                        .get(&directory, InheritedAttributes::of)
                });
                heritage
                    .map(OpenedAttributeSource::Directory)
                    .map_err(|trouble| trouble.with_path(path))
            }
        }
    }
}

/// The opened source of the attributes of a new file.
enum OpenedAttributeSource {
    File(SourceAttributes),
    Owner(u32, u32),
    Directory(Arc<InheritedAttributes>),
}

/// Returns whether a change was refused because another user, `owner`, owns the file.
fn is_foreign(trouble: &SysError, owner: u32) -> bool {
    Errno::from_io_error(&trouble.source) == Some(Errno::PERM) && owner != geteuid().as_raw()
}
