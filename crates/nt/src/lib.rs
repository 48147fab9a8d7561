//! Calls of Windows NT that the standard library lacks: file operations relative to the handle of a
//! directory, links, locks, security descriptors, privileges, and job objects.
//!
//! Every function is safe. Errors are [`std::io::Error`], with a Win32 code if the system returned
//! one. The crate is empty on other systems. Structures that the system reads or
//! writes are byte buffers here, so that only the calls themselves are unsafe. Start with
//! [`open_at`], then read `buffer.rs` and `error.rs`.

#![cfg(windows)]

mod buffer;
mod directory;
mod error;
mod information;
mod job;
mod link;
mod lock;
mod names;
mod open;
mod privileges;
mod security;

pub use directory::{DirectoryEntry, find, list};
pub use information::{
    BasicInformation, Information, final_path, flush, has_access_lists, information,
    set_information, stream_names,
};
pub use job::{Job, available_bytes, resume, send_break};
pub use link::{LinkKind, ReparsePoint, create_symlink, read_link};
pub use lock::try_lock;
pub use names::{OnExisting, dispose, link_at, rename_at};
pub use open::{Disposition, OpenOptions, open_at, to_nt_path};
pub use privileges::may_create_symlinks;
pub use security::{
    SecurityDescriptor, copy_dacl, grants_write_to_others, inherit_dacl, owner_is_administrative,
    owner_is_trusted, user_sid,
};

/// Constants of the system that [`OpenOptions`] and [`Information`] use.
pub mod flags {
    pub use windows_sys::Wdk::Storage::FileSystem::{
        FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE, FILE_OPEN_FOR_BACKUP_INTENT,
        FILE_OPEN_REPARSE_POINT,
    };
    pub use windows_sys::Win32::Storage::FileSystem::{
        DELETE, FILE_ADD_FILE, FILE_APPEND_DATA, FILE_ATTRIBUTE_ARCHIVE, FILE_ATTRIBUTE_DIRECTORY,
        FILE_ATTRIBUTE_HIDDEN, FILE_ATTRIBUTE_NORMAL, FILE_ATTRIBUTE_NOT_CONTENT_INDEXED,
        FILE_ATTRIBUTE_READONLY, FILE_ATTRIBUTE_REPARSE_POINT, FILE_ATTRIBUTE_SYSTEM,
        FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES,
        FILE_READ_DATA, FILE_TRAVERSE, FILE_WRITE_ATTRIBUTES, FILE_WRITE_DATA, READ_CONTROL,
        WRITE_DAC,
    };
    pub use windows_sys::Win32::System::SystemServices::IO_REPARSE_TAG_SYMLINK;
}
