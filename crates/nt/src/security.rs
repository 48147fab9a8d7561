//! Owners and access lists of files.
//!
//! A descriptor is a byte buffer in the self-relative form: a header with the offsets of the owner,
//! the group and the lists (`SECURITY_DESCRIPTOR_RELATIVE`). Two SIDs are equal if their bytes are.

use std::fmt::Write;
use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr;
use std::sync::OnceLock;

use windows_sys::Wdk::Storage::FileSystem::{NtQuerySecurityObject, NtSetSecurityObject};
use windows_sys::Win32::Foundation::{
    GENERIC_ALL, GENERIC_EXECUTE, GENERIC_READ, GENERIC_WRITE, STATUS_BUFFER_TOO_SMALL,
};
use windows_sys::Win32::Security::{
    ACL_REVISION, CONTAINER_INHERIT_ACE, DACL_SECURITY_INFORMATION, GetTokenInformation,
    INHERIT_ONLY_ACE, INHERITED_ACE, OBJECT_INHERIT_ACE, OWNER_SECURITY_INFORMATION,
    SE_DACL_AUTO_INHERIT_REQ, SE_DACL_AUTO_INHERITED, SE_DACL_PRESENT, SE_DACL_PROTECTED,
    SE_SELF_RELATIVE, TOKEN_INFORMATION_CLASS, TOKEN_QUERY, TokenElevation, TokenUser,
};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_ALL_ACCESS, FILE_APPEND_DATA, FILE_DELETE_CHILD, FILE_GENERIC_EXECUTE,
    FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_WRITE_DATA, WRITE_DAC, WRITE_OWNER,
};
use windows_sys::Win32::System::SystemServices::{ACCESS_ALLOWED_ACE_TYPE, ACCESS_DENIED_ACE_TYPE};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use crate::buffer::{Buffer, array_at, length_at, u16_at, u32_at};
use crate::error::{Status, check_win32};

/// The offsets in the header of a descriptor, and its length.
const CONTROL: usize = 2;
const OWNER: usize = 4;
const DACL: usize = 16;
const HEADER: usize = 20;
/// The length of the header of a list, and of the fields before the SID of an entry.
const LIST_HEADER: usize = 8;
const ENTRY_HEADER: usize = 8;

/// The rights that change a file, its list or its entries.
const WRITE_RIGHTS: u32 = FILE_WRITE_DATA
    | FILE_APPEND_DATA
    | FILE_DELETE_CHILD
    | DELETE
    | WRITE_DAC
    | WRITE_OWNER
    | GENERIC_WRITE
    | GENERIC_ALL;

/// S-1-5-18, the account of the system.
const SYSTEM: &[u8] = &[1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0];
/// S-1-5-32-544, the group of administrators.
const ADMINISTRATORS: &[u8] = &[1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 32, 2, 0, 0];
/// S-1-3-0, which a new file replaces by its owner.
const CREATOR_OWNER: &[u8] = &[1, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0];
/// S-1-3-4, the owner of the file.
const OWNER_RIGHTS: &[u8] = &[1, 1, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0];

/// An owner and an access list for a new file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityDescriptor(Buffer);

impl SecurityDescriptor {
    /// Returns the descriptor of a file that only the user, administrators and the system can
    /// access. It inherits nothing. New files in a directory with this descriptor inherit its list.
    ///
    /// # Errors
    ///
    /// Returns the error of reading the user's token.
    pub fn private() -> io::Result<Self> {
        let mut entries = Vec::new();
        for subject in [user()?, SYSTEM.to_vec(), ADMINISTRATORS.to_vec()] {
            let inheritance = (OBJECT_INHERIT_ACE | CONTAINER_INHERIT_ACE).to_ne_bytes()[0];
            let mut entry = vec![ACCESS_ALLOWED_ACE_TYPE.to_ne_bytes()[0], inheritance];
            entry.extend(short(ENTRY_HEADER + subject.len())?);
            entry.extend(FILE_ALL_ACCESS.to_ne_bytes());
            entry.extend(subject);
            entries.push(entry);
        }
        let control = SE_SELF_RELATIVE | SE_DACL_PRESENT | SE_DACL_PROTECTED;
        let bytes = descriptor(control, &entries)?;
        Ok(Self(Buffer::from_bytes(&bytes)))
    }

    pub(crate) fn as_ptr(&self) -> *const std::ffi::c_void {
        self.0.as_ptr()
    }
}

/// Returns a descriptor with an access list of these entries, and without an owner.
fn descriptor(control: u16, entries: &[Vec<u8>]) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; HEADER];
    bytes[0] = 1;
    bytes[CONTROL..CONTROL + 2].copy_from_slice(&control.to_ne_bytes());
    bytes[DACL..DACL + 2].copy_from_slice(&short(HEADER)?);
    bytes.extend([ACL_REVISION.to_ne_bytes()[0], 0]);
    bytes.extend(short(LIST_HEADER + entries.concat().len())?);
    bytes.extend(short(entries.len())?);
    bytes.extend([0, 0]);
    bytes.extend(entries.concat());
    Ok(bytes)
}

fn short(length: usize) -> io::Result<[u8; 2]> {
    let length = u16::try_from(length).map_err(io::Error::other)?;
    Ok(length.to_ne_bytes())
}

/// Returns whether the file belongs to the user, or to the administrators if the process runs with
/// their rights. The handle needs `READ_CONTROL` access.
///
/// # Errors
///
/// Returns the error of the system.
pub fn owner_is_trusted(file: BorrowedHandle<'_>) -> io::Result<bool> {
    let descriptor = query(file, OWNER_SECURITY_INFORMATION)?;
    let owner = sid_at(&descriptor, length_at(&descriptor, OWNER));
    Ok(owner == user()? || owner == ADMINISTRATORS && is_elevated()?)
}

/// Returns whether the file belongs to the administrators or to the system. The handle needs
/// `READ_CONTROL` access.
///
/// # Errors
///
/// Returns the error of the system.
pub fn owner_is_administrative(file: BorrowedHandle<'_>) -> io::Result<bool> {
    let descriptor = query(file, OWNER_SECURITY_INFORMATION)?;
    let owner = sid_at(&descriptor, length_at(&descriptor, OWNER));
    Ok(owner == ADMINISTRATORS || owner == SYSTEM)
}

/// Returns whether the access list lets users change the file or its entries, except for the user,
/// administrators and the system. The handle needs `READ_CONTROL` access.
///
/// The function ignores entries that deny access, and entries that only new files inherit. A file
/// without a list, as on FAT, is writable for all users.
///
/// # Errors
///
/// Returns the error of the system.
pub fn grants_write_to_others(file: BorrowedHandle<'_>) -> io::Result<bool> {
    let descriptor = query(file, DACL_SECURITY_INFORMATION)?;
    let list = length_at(&descriptor, DACL);
    if u16_at(&descriptor, CONTROL) & SE_DACL_PRESENT == 0 || list == 0 {
        return Ok(true);
    }
    let user = user()?;
    let trusted = [user.as_slice(), SYSTEM, ADMINISTRATORS, OWNER_RIGHTS];
    let mut entry = list + LIST_HEADER;
    for _ in 0..u16_at(&descriptor, list + 4) {
        let [kind, flags] = array_at(&descriptor, entry);
        // Other types of entries that grant access have their SID in another place.
        let is_other = u32::from(kind) != ACCESS_ALLOWED_ACE_TYPE
            || !trusted.contains(&sid_at(&descriptor, entry + ENTRY_HEADER));
        if u32::from(kind) != ACCESS_DENIED_ACE_TYPE
            && u32::from(flags) & INHERIT_ONLY_ACE == 0
            && u32_at(&descriptor, entry + 4) & WRITE_RIGHTS != 0
            && is_other
        {
            return Ok(true);
        }
        entry += usize::from(u16_at(&descriptor, entry + 2));
    }
    Ok(false)
}

/// Copies the access list, inherited entries included, but not the owner. The handles need
/// `READ_CONTROL` and `WRITE_DAC` access.
///
/// # Errors
///
/// Returns the error of the system. FAT has no access lists; see [`has_access_lists`].
///
/// [`has_access_lists`]: crate::has_access_lists
pub fn copy_dacl(from: BorrowedHandle<'_>, to: BorrowedHandle<'_>) -> io::Result<()> {
    set_dacl(to, query(from, DACL_SECURITY_INFORMATION)?)
}

/// Gives `file` the access list of a new file in `directory`. Keeps the current list if `directory`
/// has no entries that files inherit. The handles need `READ_CONTROL` and `WRITE_DAC` access.
///
/// # Errors
///
/// Returns the error of the system.
pub fn inherit_dacl(directory: BorrowedHandle<'_>, file: BorrowedHandle<'_>) -> io::Result<()> {
    let above = query(directory, DACL_SECURITY_INFORMATION)?;
    let entries = inherited_entries(&above, &user()?);
    if entries.is_empty() {
        return Ok(());
    }
    let control = SE_SELF_RELATIVE | SE_DACL_PRESENT | SE_DACL_AUTO_INHERITED;
    set_dacl(file, descriptor(control, &entries)?)
}

/// Returns the entries that a new file inherits from a directory with this descriptor. The file
/// belongs to `owner`.
fn inherited_entries(above: &[u8], owner: &[u8]) -> Vec<Vec<u8>> {
    let list = length_at(above, DACL);
    if u16_at(above, CONTROL) & SE_DACL_PRESENT == 0 || list == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = list + LIST_HEADER;
    for _ in 0..u16_at(above, list + 4) {
        let size = usize::from(u16_at(above, at + 2));
        let Some(entry) = above.get(at..at + size).filter(|_| size > ENTRY_HEADER) else {
            break;
        };
        at += size;
        let [kind, flags] = array_at(entry, 0);
        let is_simple = [ACCESS_ALLOWED_ACE_TYPE, ACCESS_DENIED_ACE_TYPE].contains(&kind.into());
        if u32::from(flags) & OBJECT_INHERIT_ACE == 0 {
            continue;
        }
        let mut entry = entry.to_vec();
        entry[1] = INHERITED_ACE.to_ne_bytes()[0];
        if is_simple {
            let mask = file_rights(u32_at(&entry, 4));
            entry[4..8].copy_from_slice(&mask.to_ne_bytes());
            if sid_at(&entry, ENTRY_HEADER) == CREATOR_OWNER {
                entry.truncate(ENTRY_HEADER);
                entry.extend(owner);
                let size = u16::try_from(entry.len()).unwrap_or_default();
                entry[2..4].copy_from_slice(&size.to_ne_bytes());
            }
        }
        found.push(entry);
    }
    found
}

/// Returns `mask` with the rights to files that its generic rights stand for.
fn file_rights(mask: u32) -> u32 {
    let table = [
        (GENERIC_ALL, FILE_ALL_ACCESS),
        (GENERIC_READ, FILE_GENERIC_READ),
        (GENERIC_WRITE, FILE_GENERIC_WRITE),
        (GENERIC_EXECUTE, FILE_GENERIC_EXECUTE),
    ];
    table.iter().fold(mask, |mask, (generic, rights)| {
        if mask & generic == 0 {
            mask
        } else {
            mask & !generic | rights
        }
    })
}

/// Sets the access list of a file to that of `descriptor`.
fn set_dacl(file: BorrowedHandle<'_>, mut descriptor: Vec<u8>) -> io::Result<()> {
    let mut control = u16_at(&descriptor, CONTROL);
    if control & SE_DACL_AUTO_INHERITED != 0 {
        // Without the request, the system clears the mark of inherited entries.
        control |= SE_DACL_AUTO_INHERIT_REQ;
    }
    descriptor[CONTROL..CONTROL + 2].copy_from_slice(&control.to_ne_bytes());
    let mut buffer = Buffer::from_bytes(&descriptor);
    // SAFETY: the buffer contains a complete descriptor in the self-relative form.
    Status::check(unsafe {
        NtSetSecurityObject(
            file.as_raw_handle(),
            DACL_SECURITY_INFORMATION,
            buffer.as_mut_ptr(),
        )
    })?;
    Ok(())
}

/// Returns the SID of the user, such as `S-1-5-21-1-2-3-1001`.
///
/// # Errors
///
/// Returns the error of reading the token of the process.
pub fn user_sid() -> io::Result<String> {
    let sid = user()?;
    let authority: [u8; 6] = array_at(&sid, 2);
    let authority = authority
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    let mut text = format!("S-{}-{authority}", sid[0]);
    for place in (8..sid.len()).step_by(4) {
        // Writing to a string cannot fail.
        let _ = write!(text, "-{}", u32_at(&sid, place));
    }
    Ok(text)
}

/// Returns the parts of the descriptor of a file that `information` names.
fn query(file: BorrowedHandle<'_>, information: u32) -> io::Result<Vec<u8>> {
    let mut buffer = Buffer::with_length(512);
    loop {
        let mut needed = 0;
        // SAFETY: the buffer has the stated size.
        let status = unsafe {
            NtQuerySecurityObject(
                file.as_raw_handle(),
                information,
                buffer.as_mut_ptr(),
                buffer.size(),
                &raw mut needed,
            )
        };
        if status == STATUS_BUFFER_TOO_SMALL && needed > buffer.size() {
            buffer = Buffer::with_length(needed as usize);
            continue;
        }
        Status::check(status)?;
        return Ok(buffer.to_bytes(buffer.size() as usize));
    }
}

/// Returns the SID at `offset`, or an empty slice if `bytes` does not contain it.
fn sid_at(bytes: &[u8], offset: usize) -> &[u8] {
    let [_, count] = array_at(bytes, offset);
    let rest = bytes
        .get(offset..)
        .filter(|_| offset > 0)
        .unwrap_or_default();
    rest.get(..8 + 4 * usize::from(count)).unwrap_or_default()
}

/// Returns the SID of the user of this process.
fn user() -> io::Result<Vec<u8>> {
    static USER: OnceLock<Vec<u8>> = OnceLock::new();
    match USER.get() {
        Some(sid) => Ok(sid.clone()),
        None => read_user().map(|sid| USER.get_or_init(|| sid).clone()),
    }
}

fn read_user() -> io::Result<Vec<u8>> {
    let buffer = token_information(TokenUser, 256)?;
    let bytes = buffer.to_bytes(buffer.size() as usize);
    // The first field points to the SID, which is in the same buffer.
    let pointer = usize::from_ne_bytes(array_at(&bytes, 0));
    let offset = pointer.wrapping_sub(buffer.as_ptr().addr());
    match sid_at(&bytes, offset) {
        [] => Err(io::ErrorKind::InvalidData.into()),
        sid => Ok(sid.to_vec()),
    }
}

/// Returns whether the process has the rights of an administrator.
fn is_elevated() -> io::Result<bool> {
    let buffer = token_information(TokenElevation, 8)?;
    Ok(u32_at(&buffer.to_bytes(4), 0) != 0)
}

/// Returns information of `class` about the token of this process, at most `size` bytes.
pub(crate) fn token_information(class: TOKEN_INFORMATION_CLASS, size: usize) -> io::Result<Buffer> {
    // SAFETY: the function has no preconditions.
    let process = unsafe { GetCurrentProcess() };
    let mut token = ptr::null_mut();
    // SAFETY: `token` is a place for a handle.
    check_win32(unsafe { OpenProcessToken(process, TOKEN_QUERY, &raw mut token) })?;
    // SAFETY: the successful call returned a new handle that nothing else owns.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut buffer = Buffer::with_length(size);
    let mut length = 0;
    // SAFETY: the buffer has the stated size and the alignment of every structure.
    check_win32(unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            class,
            buffer.as_mut_ptr(),
            buffer.size(),
            &raw mut length,
        )
    })?;
    Ok(buffer)
}
