//! The spellings under which some file system finds a protected name.
//!
//! - HFS+ ignores case and certain code points.
//! - NTFS ignores case, trailing spaces and dots, and everything after a colon. It has short names
//!   (`git~1`) and also accepts backslashes as separators.
//! - APFS, and ext4 with the feature casefold, treat names as equal if they are canonically
//!   equivalent and have the same full case folding, for example `.ssh` and `.\u{df}h`. ext4 also
//!   ignores default-ignorable code points.
//!
//! See "core.protectHFS" and "core.protectNTFS" in git-config(1).

use crate::path::RelPath;
use crate::text::fold_name;

/// The reason of the rule that protects git directories.
pub(super) const GIT_REASON: &str = "the path is in a git directory; patches may not change it";
/// The directories that git creates in a git directory, see gitrepository-layout(5). A linked work
/// tree can be next to them.
const GIT_SUBDIRECTORIES: [&str; 9] = [
    "branches",
    "hooks",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "refs",
    "worktrees",
];

/// Returns the components of `path`. Slashes and backslashes separate them.
pub(super) fn components(path: &RelPath) -> impl Iterator<Item = &[u8]> {
    path.as_bytes().split(|&byte| byte == b'/' || byte == b'\\')
}

/// Returns whether `path` is certainly unprotected: it has no unusual spelling, and no component
/// begins like a protected name. Other paths need a full check.
pub(super) fn is_ordinary(path: &RelPath) -> bool {
    let begins_as_none = |part: &[u8]| {
        !matches!(
            part,
            [b'.', ..] | [b'g' | b'G', b'i' | b'I', ..] | [b'w' | b'W', b'p' | b'P', ..]
        )
    };
    path.as_bytes().is_ascii()
        && !has_drive_letter(path.as_bytes())
        && components(path).all(begins_as_none)
}

/// Returns whether `name` is one of the directories that git creates in a git directory.
pub(super) fn is_git_subdirectory(name: &[u8]) -> bool {
    GIT_SUBDIRECTORIES
        .iter()
        .any(|own| is_spelling_of(name, own.as_bytes()))
}

/// Returns whether some file system treats `part` as `.git`.
pub(super) fn is_git_directory(part: &[u8]) -> bool {
    is_spelling_of(part, b".git") || is_ntfs_spelling_of(part, b"git~1")
}

/// Returns whether some file system treats `part` as a state directory of wpatch.
pub(super) fn is_state_directory(part: &[u8]) -> bool {
    // The state directory of a user has the user's number, and a scratch file next to its target
    // the ID of its transaction. Both begin with a digit.
    let is_of_user = || {
        let folded = fold_name(part).to_ascii_lowercase();
        folded
            .strip_prefix(b".wpatch-")
            .is_some_and(|user| user.first().is_some_and(u8::is_ascii_digit))
    };
    [
        &b".wpatch"[..],
        b".wpatch-attic",
        b".wpatch-git",
        b".wpatch-index",
    ]
    .iter()
    .any(|name| is_spelling_of(part, name))
        || is_of_user()
        || is_ntfs_spelling_of(part, b"wpatch~1")
}

/// Returns whether some file system treats `path` as the project's own policy file, or as a path
/// below it.
pub(super) fn is_project_policy_file(path: &RelPath) -> bool {
    components(path).next().is_some_and(|part| {
        is_spelling_of(part, b"wpatch.toml") || is_ntfs_spelling_of(part, b"wpatch~1.tom")
    })
}

/// Returns whether some file system treats `path` as `file`, or as a directory above it.
pub(super) fn is_at_or_above(path: &RelPath, file: &RelPath) -> bool {
    let mut names = file.components();
    components(path).all(|part| names.next().is_some_and(|name| is_spelling_of(part, name)))
}

/// Returns the rest of `path` after `directory`, if some file system treats `path` as `directory`
/// or as a path below it.
pub(super) fn strip_directory(path: &RelPath, directory: &RelPath) -> Option<Vec<u8>> {
    let mut names = components(path);
    let is_below = directory.components().all(|wanted| {
        names
            .next()
            .is_some_and(|name| is_spelling_of(name, wanted))
    });
    is_below.then(|| names.collect::<Vec<_>>().join(&b'/'))
}

/// Returns whether `path` begins with a drive letter: `C:`, `c:\x` or `c:x`. The last form is
/// relative to the current directory of the drive.
pub(super) fn has_drive_letter(path: &[u8]) -> bool {
    matches!(path, [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Returns whether some file system treats the component `part` as `name`.
pub(super) fn is_spelling_of(part: &[u8], name: &[u8]) -> bool {
    let is_plain = part.is_ascii() && name.is_ascii();
    is_ntfs_spelling_of(part, name)
        || !is_plain && is_ntfs_spelling_of(&fold_name(part), &fold_name(name))
}

/// Returns whether some file system treats `part` as a name with the suffix `end`.
pub(super) fn has_suffix(part: &[u8], end: &[u8]) -> bool {
    let name = fold_name(part);
    // NTFS ignores the name of a stream, and blanks and dots before it. Other systems do not.
    let stream = name
        .iter()
        .position(|&byte| byte == b':')
        .unwrap_or(name.len());
    let dots = name[..stream]
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b' ' | b'.'))
        .count();
    let is_end = |name: &[u8]| {
        name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
    };
    is_end(&name) || is_end(&name[..stream - dots])
}

/// Returns whether some file system treats `part` as a name with the prefix `start`.
pub(super) fn has_prefix(part: &[u8], start: &[u8]) -> bool {
    let name = fold_name(part);
    name.len() >= start.len() && name[..start.len()].eq_ignore_ascii_case(start)
}

/// Returns whether NTFS treats `part` as `name`. Only the case of ASCII letters is ignored.
fn is_ntfs_spelling_of(part: &[u8], name: &[u8]) -> bool {
    let Some((head, tail)) = part.split_at_checked(name.len()) else {
        return false;
    };
    let stream = tail
        .iter()
        .position(|&byte| byte == b':')
        .unwrap_or(tail.len());
    head.eq_ignore_ascii_case(name)
        && tail[..stream]
            .iter()
            .all(|byte| matches!(byte, b' ' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_by_every_folding_of_it() {
        let known = |part: &str, name: &str| is_spelling_of(part.as_bytes(), name.as_bytes());
        for (part, name) in [
            (".EnV", ".env"),
            ("\u{17f}ecrets", "secrets"),
            (".\u{17f}sh", ".ssh"),
            (".\u{df}h", ".ssh"),
            (".\u{1e9e}H", ".ssh"),
            (".\u{212a}UBE", ".kube"),
            ("\u{fb06}ate", "state"),
            (".e\u{ad}nv", ".env"),
            (".env\u{fe0f}", ".env"),
            (".env\u{e0001}. ", ".env"),
            ("e\u{301}t\u{e9}", "\u{c9}TE\u{301}"),
            ("stra\u{df}e", "STRASSE"),
            ("\u{3c2}", "\u{3a3}"),
        ] {
            assert!(known(part, name), "{part} {name}");
        }
        for (part, name) in [
            (".envy", ".env"),
            (".e\u{301}nv", ".env"),
            ("\u{ff0e}env", ".env"),
            ("", ".env"),
        ] {
            assert!(!known(part, name), "{part} {name}");
        }
        for part in [
            ".wpatch-1000",
            ".WPATCH-1000",
            ".wPatch-0 .",
            ".wp\u{ad}atch-1000",
            ".WPATCH",
            "WPATCH~1",
        ] {
            assert!(is_state_directory(part.as_bytes()), "{part}");
        }
        assert!(!is_state_directory(b".wpatch-") && !is_state_directory(b".WPATCH-rules"));
        assert!(
            has_suffix("id.\u{212a}EY".as_bytes(), b".key") && has_suffix(b"a.PEM::$DATA", b".pem")
        );
        assert!(
            has_suffix(b"a:b.key", b".key")
                && has_suffix(b"a.key. .", b".key")
                && !has_suffix(b"a.keys", b".key")
        );
        assert!(!has_suffix(b".pe", b".pem") && !has_suffix(b"\xff.pe", b".pem"));
    }
}
