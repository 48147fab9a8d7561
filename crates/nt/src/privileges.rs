//! The rights of the user to create symbolic links.

use std::io;
use std::ptr;

use windows_sys::Win32::Security::TokenPrivileges;
use windows_sys::Win32::System::Registry::{HKEY_LOCAL_MACHINE, RRF_RT_REG_DWORD, RegGetValueW};
use windows_sys::core::w;

use crate::buffer::u32_at;
use crate::security::token_information;

/// `SE_CREATE_SYMBOLIC_LINK_PRIVILEGE` of `wdm.h`: the lower half of the privilege's LUID.
const CREATE_SYMBOLIC_LINK: u32 = 35;
/// The length of `LUID_AND_ATTRIBUTES`, and the offset of the first one in `TOKEN_PRIVILEGES`.
const PRIVILEGE_LENGTH: usize = 12;
const FIRST_PRIVILEGE: usize = 4;
/// More than the number of privileges that exist.
const MAX_PRIVILEGES: usize = 64;

/// Returns whether the user may create symbolic links: the token has the privilege, or developer mode
/// is on. [`create_symlink`](crate::create_symlink) can also use a privilege that is not enabled.
///
/// # Errors
///
/// Returns the error of reading the user's token.
pub fn may_create_symlinks() -> io::Result<bool> {
    let size = FIRST_PRIVILEGE + MAX_PRIVILEGES * PRIVILEGE_LENGTH;
    let privileges = token_information(TokenPrivileges, size)?.to_bytes(size);
    let count = usize::try_from(u32_at(&privileges, 0)).unwrap_or(0);
    let mut luids = (0..count.min(MAX_PRIVILEGES))
        .map(|index| u32_at(&privileges, FIRST_PRIVILEGE + index * PRIVILEGE_LENGTH));
    Ok(luids.any(|luid| luid == CREATE_SYMBOLIC_LINK) || is_in_developer_mode())
}

/// Returns whether developer mode is on; see "Settings for developers" in the documentation of
/// Windows.
fn is_in_developer_mode() -> bool {
    let mut value = 0_u32;
    let mut size = 4;
    // SAFETY: the names end with a NUL, and `value` has the four bytes that `size` states.
    let status = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            w!("SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\AppModelUnlock"),
            w!("AllowDevelopmentWithoutDevLicense"),
            RRF_RT_REG_DWORD,
            ptr::null_mut(),
            (&raw mut value).cast(),
            &raw mut size,
        )
    };
    status == 0 && value == 1
}
