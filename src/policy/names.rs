//! The spellings under which some file system finds a protected name.
//!
//! HFS+ ignores certain code points and case; NTFS ignores case, blanks and dots at the end and what stands behind a
//! colon, has short names (`git~1`), and separates with backslashes too. See "core.protectHFS" and
//! "core.protectNTFS" in git-config(1).

use std::borrow::Cow;

use crate::path::RelPath;

/// Returns the components of `path` as any system splits it.
pub(super) fn parts(path: &RelPath) -> impl Iterator<Item = &[u8]> {
    path.as_bytes().split(|&byte| byte == b'/' || byte == b'\\')
}

pub(super) fn is_git_directory(part: &[u8]) -> bool {
    is_spelled(part, b".git") || is_on_ntfs(part, b"git~1")
}

pub(super) fn is_state_directory(part: &[u8]) -> bool {
    [&b".wpatch"[..], b".wpatch-attic", b".wpatch-index"].iter().any(|name| is_spelled(part, name))
        || is_on_ntfs(part, b"wpatch~1")
}

/// Returns whether some file system takes `path` for the project's own policy file, or for something below it.
pub(super) fn is_policy_file(path: &RelPath) -> bool {
    parts(path).next().is_some_and(|part| is_spelled(part, b"wpatch.toml") || is_on_ntfs(part, b"wpatch~1.tom"))
}

/// Returns whether some file system takes `path` for `file`, or for a directory above it.
pub(super) fn is_at_or_above(path: &RelPath, file: &RelPath) -> bool {
    let mut names = file.components();
    parts(path).all(|part| names.next().is_some_and(|name| is_spelled(part, name)))
}

/// `C:`, `c:\x`, `c:x`: absolute or relative to a drive's own directory.
pub(super) fn has_drive_letter(path: &[u8]) -> bool {
    matches!(path, [letter, b':', ..] if letter.is_ascii_alphabetic())
}

pub(super) fn is_spelled(part: &[u8], name: &[u8]) -> bool {
    is_on_ntfs(part, name) || is_on_ntfs(&without_ignorable(part), name)
}

fn is_on_ntfs(part: &[u8], name: &[u8]) -> bool {
    let Some((head, tail)) = part.split_at_checked(name.len()) else {
        return false;
    };
    let stream = tail.iter().position(|&byte| byte == b':').unwrap_or(tail.len());
    head.eq_ignore_ascii_case(name) && tail[..stream].iter().all(|byte| matches!(byte, b' ' | b'.'))
}

/// Drops the code points that HFS+ ignores in names.
fn without_ignorable(part: &[u8]) -> Cow<'_, [u8]> {
    let Ok(text) = std::str::from_utf8(part) else {
        return Cow::Borrowed(part);
    };
    let is_ignorable = |character: char| {
        matches!(character,
            '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
    };
    if text.contains(is_ignorable) {
        Cow::Owned(text.replace(is_ignorable, "").into_bytes())
    } else {
        Cow::Borrowed(part)
    }
}
