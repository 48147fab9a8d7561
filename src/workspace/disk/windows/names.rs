//! The names that a file can have.
//!
//! NT accepts almost every name. Win32 changes some of them and gives others a special meaning, so
//! that most programs cannot open or remove such a file; see "Naming Files, Paths, and Namespaces"
//! in the documentation of Windows.

use std::ffi::OsStr;

use crate::path::os_str;
use crate::workspace::ErrorKind;
use crate::workspace::disk::calls::{SysError, SysResult};

/// The characters that Win32 reserves. `:` separates the name of a stream.
const RESERVED: &[u8] = b"<>:\"|?*\\/";

/// The names of devices, in upper case. Those in [`NUMBERED`] have one more character.
const DEVICES: &[&str] = &["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
const NUMBERED: &[&str] = &["COM", "LPT"];
const NUMBERS: &str = "0123456789\u{b9}\u{b2}\u{b3}";

/// Checks that every component of `path` can be the name of a file.
///
/// # Errors
///
/// Returns the reason if it cannot.
pub(in crate::workspace::disk) fn check_name(path: &[u8]) -> Result<(), &'static str> {
    path.split(|&byte| byte == b'/')
        .try_for_each(check_component)
}

fn check_component(name: &[u8]) -> Result<(), &'static str> {
    let Ok(text) = str::from_utf8(name) else {
        return Err("the name is not valid UTF-8");
    };
    if name
        .iter()
        .any(|byte| *byte < b' ' || RESERVED.contains(byte))
    {
        return Err("Windows does not allow control characters and <>:\"|?*\\ in names");
    }
    if text.ends_with(['.', ' ']) {
        return Err("Windows removes a period or space at the end of a name");
    }
    if is_device(text) {
        return Err("Windows reserves this name for a device");
    }
    Ok(())
}

/// Returns whether Win32 opens a device for this name. An extension does not matter.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end_matches(' ').to_ascii_uppercase();
    let is_numbered = |prefix: &&str| {
        let number = stem.strip_prefix(*prefix).map(str::chars);
        number.is_some_and(|mut number| {
            number.next().is_some_and(|it| NUMBERS.contains(it)) && number.next().is_none()
        })
    };
    DEVICES.contains(&stem.as_str()) || NUMBERED.iter().any(is_numbered)
}

/// Returns `name` for a call that looks it up. An empty name means the directory itself.
///
/// # Errors
///
/// Returns [`ErrorKind::Missing`] for a name that no file can have.
pub(super) fn existing_name(name: &[u8]) -> SysResult<&OsStr> {
    to_name(name, ErrorKind::Missing)
}

/// Returns `name` for a call that creates it.
///
/// # Errors
///
/// Returns [`ErrorKind::Unsupported`] for a name that no file can have.
pub(super) fn new_name(name: &[u8]) -> SysResult<&OsStr> {
    to_name(name, ErrorKind::Unsupported)
}

fn to_name(name: &[u8], kind: ErrorKind) -> SysResult<&OsStr> {
    if name == b"." {
        return Ok(OsStr::new(""));
    }
    let not_unicode = || SysError::without_errno(kind, "the name is not valid UTF-8");
    match check_component(name) {
        Ok(()) => os_str(name).ok_or_else(not_unicode),
        Err(reason) => Err(SysError::without_errno(kind, reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_win32_changes_or_reserves_are_refused() {
        for name in [
            "con",
            "CON.txt",
            "nul.tar.gz",
            "Aux ",
            "prn .c",
            "conin$",
            "CONOUT$.x",
            "com1",
            "COM0.log",
            "lpt9",
            "lpt\u{b2}",
            "COM\u{b9}.txt",
            "a:b",
            "a:b:$DATA",
            "a<",
            "a>",
            "a\"",
            "a|b",
            "a?",
            "*",
            "a\\b",
            "a\nb",
            "\u{1}",
            "x.",
            "x ",
            "d./f",
            "nul/f",
            "d/com3/f",
        ] {
            assert!(check_name(name.as_bytes()).is_err(), "{name}");
        }
        assert!(check_name(b"a\xff").is_err());
        for name in [
            "console",
            "a.con",
            "com",
            "com10",
            "lpt",
            "com\u{b4}",
            "nul_",
            ".x",
            "..x",
            "a b",
            "~",
            "LONGFI~1.TXT",
            "d/e.f",
            "\u{e9}",
        ] {
            assert_eq!(check_name(name.as_bytes()), Ok(()), "{name}");
        }
    }
}
