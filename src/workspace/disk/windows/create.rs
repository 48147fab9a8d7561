//! Creates files and directories with their attributes.

use std::fs::File;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::sync::{Arc, OnceLock};

use wpatch_nt::flags::{
    DELETE, FILE_ATTRIBUTE_ARCHIVE, FILE_DIRECTORY_FILE, FILE_GENERIC_WRITE,
    FILE_NON_DIRECTORY_FILE, FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES, READ_CONTROL, WRITE_DAC,
};
use wpatch_nt::{
    BasicInformation, Disposition, OpenOptions, SecurityDescriptor, dispose, flush, inherit_dacl,
};

use super::attributes::{SourceAttributes, set_read_only, set_with_mode, unmark_temporary};
use super::contents::write_slices;
use super::handle::{DirectoryHandle, not_regular_error, open_existing, open_new};
use super::stat::{TEMPORARY_DIRECTORY, file_bits, stat_handle};
use crate::mode::{FileKind, Permissions};
use crate::workspace::disk::calls::{SysError, SysResult};
use crate::workspace::{DirectoryPermissions, ErrorKind, ModeProbe, NewFile, TEMPORARY};

/// The opened source of the attributes of a new file.
pub(in crate::workspace::disk) enum OpenedAttributeSource {
    File(SourceAttributes),
    /// The owner of a new file is always the current user.
    Owner,
    Directory(DirectoryHandle),
}

/// Opens the file `name` as the source of attributes.
pub(in crate::workspace::disk) fn open_source_file(
    directory: &OwnedHandle,
    name: &[u8],
) -> SysResult<OpenedAttributeSource> {
    SourceAttributes::open(directory, name).map(OpenedAttributeSource::File)
}

/// Returns a source without attributes, because user IDs do not exist.
pub(in crate::workspace::disk) fn source_of_owner(_: (u32, u32), _: u32) -> OpenedAttributeSource {
    OpenedAttributeSource::Owner
}

/// Facts about the process that are read once.
#[derive(Debug, Default)]
pub(in crate::workspace::disk) struct Caches {
    /// The descriptor of directories that only this user can access.
    private: OnceLock<SecurityDescriptor>,
}

#[allow(
    clippy::unused_self,
    reason = "the functions are those of the other systems"
)]
impl Caches {
    /// Closes the cached handles.
    pub(in crate::workspace::disk) fn close_handles(&self) {}

    /// Returns the attributes that new files in `directory` get.
    #[allow(clippy::unnecessary_wraps, reason = "this fails on other systems")]
    pub(in crate::workspace::disk) fn source_of_directory(
        &self,
        directory: &DirectoryHandle,
    ) -> SysResult<OpenedAttributeSource> {
        Ok(OpenedAttributeSource::Directory(Arc::clone(directory)))
    }

    /// Returns the bits that `stat` reports for a file after `bits` were set.
    #[allow(clippy::unnecessary_wraps, reason = "other systems may store no bits")]
    pub(in crate::workspace::disk) fn stored_bits(
        &self,
        _: &OwnedHandle,
        bits: u32,
        _: ModeProbe,
    ) -> Option<u32> {
        Some(file_bits(bits & 0o200 == 0))
    }

    /// Returns true. On FAT, `stat` reports that the current user owns all files, so callers can trust
    /// the owner.
    pub(in crate::workspace::disk) fn can_store_owners(
        &self,
        _: &OwnedHandle,
        _: ModeProbe,
    ) -> bool {
        true
    }

    /// Sets or removes the read-only attribute of the file `name`. Removes the mark of a temporary
    /// directory.
    pub(in crate::workspace::disk) fn set_permissions(
        &self,
        directory: &OwnedHandle,
        name: &[u8],
        permissions: Permissions,
    ) -> SysResult<()> {
        let access = FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES;
        let file = open_existing(directory, name, access, 0)?;
        let bits = bits_of(permissions);
        match stat_handle(&file)?.kind {
            FileKind::Directory if bits & TEMPORARY == 0 => unmark_temporary(&file),
            FileKind::Regular => set_read_only(&file, bits),
            // Directories have no permission bits.
            FileKind::Directory => Ok(()),
            _ => Err(not_regular_error()),
        }
    }

    fn private(&self) -> SysResult<&SecurityDescriptor> {
        if let Some(private) = self.private.get() {
            return Ok(private);
        }
        let private = SecurityDescriptor::private()?;
        Ok(self.private.get_or_init(|| private))
    }

    /// Creates the directory `name`.
    pub(in crate::workspace::disk) fn make_directory(
        &self,
        directory: &OwnedHandle,
        name: &[u8],
        permissions: DirectoryPermissions,
    ) -> SysResult<()> {
        let (security, attributes) = match permissions {
            DirectoryPermissions::Private => (Some(self.private()?), 0),
            DirectoryPermissions::Temporary => (Some(self.private()?), TEMPORARY_DIRECTORY),
            DirectoryPermissions::Shared => (None, 0),
        };
        let how = OpenOptions {
            access: FILE_READ_ATTRIBUTES,
            disposition: Disposition::Create,
            options: FILE_DIRECTORY_FILE,
            attributes,
            security,
            ..OpenOptions::default()
        };
        open_new(directory, name, &how).map(drop)
    }

    /// Creates the file `name` with its content and its attributes.
    pub(in crate::workspace::disk) fn create(
        &self,
        directory: &DirectoryHandle,
        name: &[u8],
        new: NewFile<'_>,
        source: Option<&OpenedAttributeSource>,
    ) -> SysResult<Permissions> {
        let how = OpenOptions {
            access: FILE_GENERIC_WRITE | FILE_READ_ATTRIBUTES | READ_CONTROL | WRITE_DAC | DELETE,
            disposition: Disposition::Create,
            options: FILE_NON_DIRECTORY_FILE,
            attributes: FILE_ATTRIBUTE_ARCHIVE,
            // The source may have a stricter access list than the directory.
            security: match source {
                Some(OpenedAttributeSource::File(_)) => Some(self.private()?),
                _ => None,
            },
            ..OpenOptions::default()
        };
        let file = File::from(open_new(directory, name, &how)?);
        let written = write_slices(&file, new);
        let file = OwnedHandle::from(file);
        let result =
            written.and_then(|()| set_new_attributes(&file, bits_of(new.permissions), source));
        if result.is_err() {
            // Remove the incomplete file. If that fails too, the original error is still the one to
            // return.
            let _ = dispose(file.as_handle());
        }
        result.map(|()| new.permissions)
    }
}

/// Sets the attributes of a new file, and finally its read-only attribute.
fn set_new_attributes(
    file: &OwnedHandle,
    bits: u32,
    source: Option<&OpenedAttributeSource>,
) -> SysResult<()> {
    let new = BasicInformation {
        attributes: FILE_ATTRIBUTE_ARCHIVE,
        ..BasicInformation::default()
    };
    let wanted = match source {
        Some(OpenedAttributeSource::File(model)) => model.copy_to(file)?,
        Some(OpenedAttributeSource::Directory(directory)) => {
            match inherit_dacl(directory.as_handle(), file.as_handle()).map_err(SysError::from) {
                // FAT has no access lists.
                Err(error) if error.kind == ErrorKind::Unsupported => {}
                inherited => inherited?,
            }
            new
        }
        Some(OpenedAttributeSource::Owner) | None => new,
    };
    if bits & 0o200 == 0 {
        // A read-only file cannot be opened for writing, which a sync requires.
        flush(file.as_handle())?;
    }
    set_with_mode(file, &wanted, bits)
}

/// Does nothing, because directories have neither permission bits nor user IDs.
#[allow(clippy::unnecessary_wraps, reason = "this fails on other systems")]
pub(in crate::workspace::disk) fn restore_directory(
    _: &OwnedHandle,
    _: &[u8],
    _: u32,
    _: (u32, u32),
) -> SysResult<()> {
    Ok(())
}

fn bits_of(permissions: Permissions) -> u32 {
    match permissions {
        Permissions::New { .. } => 0o600,
        Permissions::Exact(bits) => bits,
    }
}
