//! Creates files and directories with their attributes.

use std::sync::{Arc, OnceLock};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, mkdirat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::Current;
use super::attributes::{
    InheritedAttributes, InitialAttributes, SourceAttributes, bits_of, clear_acl, process_umask,
};
use super::contents::write_slices;
use super::directory::make_private;
use super::files::{create_file, mode_of, set_bits};
use super::handle::DirectoryHandle;
use super::modes::ModeSupportCache;
use super::system::System;
use crate::mode::Permissions;
use crate::workspace::disk::calls::{SysError, SysResult};
use crate::workspace::disk::per_directory::PerDirectoryCache;
use crate::workspace::{DirectoryPermissions, ModeProbe, NewFile, TEMPORARY};

/// Permission bits of a directory that only its owner can access.
const PRIVATE: u32 = 0o700;

/// The opened source of the attributes of a new file.
pub(in crate::workspace::disk) enum OpenedAttributeSource {
    File(SourceAttributes),
    /// Owner, group and inode flags.
    Owner((u32, u32), u32),
    Directory(Arc<InheritedAttributes>),
}

/// Opens the file `name` as the source of attributes.
pub(in crate::workspace::disk) fn open_source_file(
    directory: &OwnedFd,
    name: &[u8],
) -> SysResult<OpenedAttributeSource> {
    SourceAttributes::open(directory, name).map(OpenedAttributeSource::File)
}

/// Returns a source that has only an owner, a group and inode flags.
pub(in crate::workspace::disk) fn source_of_owner(
    owner: (u32, u32),
    inode_flags: u32,
) -> OpenedAttributeSource {
    OpenedAttributeSource::Owner(owner, inode_flags)
}

impl OpenedAttributeSource {
    /// Returns the inode flags that a new file gets, or `None` if it keeps the flags with which the
    /// system creates it.
    fn inode_flags(&self) -> Option<u32> {
        match self {
            Self::File(source) => source.inode_flags(),
            Self::Owner(_, flags) => Some(*flags),
            Self::Directory(_) => None,
        }
    }
}

/// Facts about the process and about directories that are read once.
#[derive(Debug, Default)]
pub(in crate::workspace::disk) struct Caches {
    /// The umask of the process, read on first use.
    umask: OnceLock<u32>,
    /// The attributes of a file that this process creates in a directory.
    initial_attributes: PerDirectoryCache<OwnedFd, InitialAttributes>,
    /// The attributes that new files get from a directory.
    inherited_attributes: PerDirectoryCache<OwnedFd, InheritedAttributes>,
    /// Whether each file system stores permission bits.
    mode_support: ModeSupportCache,
}

impl Caches {
    /// Closes the cached handles.
    pub(in crate::workspace::disk) fn close_handles(&self) {
        self.initial_attributes.forget();
        self.inherited_attributes.forget();
    }

    /// Returns the attributes that new files in `directory` get.
    pub(in crate::workspace::disk) fn source_of_directory(
        &self,
        directory: &DirectoryHandle,
    ) -> SysResult<OpenedAttributeSource> {
        self.inherited_attributes
            .get(directory, InheritedAttributes::of)
            .map(OpenedAttributeSource::Directory)
    }

    /// Returns `bits` if the file system of `directory` stores permission bits.
    pub(in crate::workspace::disk) fn stored_bits(
        &self,
        directory: &OwnedFd,
        bits: u32,
        probe: ModeProbe,
    ) -> Option<u32> {
        let are_stored = self.mode_support.can_store_modes(directory, probe);
        are_stored.then_some(bits)
    }

    /// Returns whether the owners and permission bits that `stat` reports are those of the files in
    /// `directory`, and not those of the mount.
    pub(in crate::workspace::disk) fn can_store_owners(
        &self,
        directory: &OwnedFd,
        probe: ModeProbe,
    ) -> bool {
        self.mode_support.can_store_modes(directory, probe)
    }

    /// Sets the permission bits of the file or directory `name`.
    pub(in crate::workspace::disk) fn set_permissions(
        &self,
        directory: &OwnedFd,
        name: &[u8],
        permissions: Permissions,
    ) -> SysResult<()> {
        Current::set_bits_by_name(directory, name, mode_of(self.bits_of(permissions)))
    }

    /// Creates the directory `name`.
    pub(in crate::workspace::disk) fn make_directory(
        &self,
        directory: &OwnedFd,
        name: &[u8],
        permissions: DirectoryPermissions,
    ) -> SysResult<()> {
        let private = |bits| make_private(directory, name, bits, &self.mode_support);
        match permissions {
            DirectoryPermissions::Private => private(PRIVATE),
            DirectoryPermissions::Temporary => private(PRIVATE | TEMPORARY),
            DirectoryPermissions::Shared => Ok(mkdirat(directory, name, mode_of(0o777))?),
        }
    }

    /// Creates the file `name` with its content and its attributes. Returns `permissions`, with the
    /// exact bits that it has set.
    pub(in crate::workspace::disk) fn create(
        &self,
        directory: &DirectoryHandle,
        name: &[u8],
        new: NewFile<'_>,
        source: Option<&OpenedAttributeSource>,
    ) -> SysResult<Permissions> {
        let bits = self.bits_of(new.permissions);
        let file = create_file(directory, name)?;
        let result = self.write_new_file((directory, &file), new, bits, source);
        if result.is_err() {
            // Remove the incomplete file. If that fails too, the original error is still the one to
            // return.
            let _ = unlinkat(directory, name, AtFlags::empty());
        }
        result
    }

    /// Writes a new file, sets its attributes, and finally its permissions: those of `bits` that
    /// the source allows.
    fn write_new_file(
        &self,
        (directory, file): (&DirectoryHandle, &OwnedFd),
        new: NewFile<'_>,
        bits: u32,
        source: Option<&OpenedAttributeSource>,
    ) -> SysResult<Permissions> {
        let permissions = new.permissions;
        let birth = || {
            self.initial_attributes
                .get(directory, |_| InitialAttributes::of(file))
        };
        // btrfs can set `NOCOW` only for an empty file, and compresses data when it is written.
        if let Some(flags) = source.and_then(OpenedAttributeSource::inode_flags) {
            birth()?.set_flags(file, flags);
        }
        write_slices(file, new)?;
        let bits = match source {
            Some(OpenedAttributeSource::File(model)) => model.copy_to(file, &*birth()?, bits)?,
            Some(OpenedAttributeSource::Owner(owner, _)) => {
                clear_acl(file, *owner, &*birth()?, bits)?
            }
            Some(OpenedAttributeSource::Directory(inherited)) => {
                inherited.copy_to(file, &*birth()?, permissions, bits)?
            }
            None => bits,
        };
        // The bits come last, because chown(2) clears the set-user-ID and set-group-ID bits.
        match set_bits(file, bits) {
            // The process does not own a file that it just created: the mount determines its bits.
            Err(error) if is_foreign(&error, birth()?.uid) => Ok(permissions),
            set => set.map(|()| match permissions {
                Permissions::Exact(_) => Permissions::Exact(bits),
                Permissions::New { .. } => permissions,
            }),
        }
    }

    fn bits_of(&self, permissions: Permissions) -> u32 {
        bits_of(permissions, || *self.umask.get_or_init(process_umask))
    }
}

/// Returns whether a change was refused because another user, `owner`, owns the file.
fn is_foreign(error: &SysError, owner: u32) -> bool {
    Errno::from_io_error(&error.source) == Some(Errno::PERM) && owner != geteuid().as_raw()
}
