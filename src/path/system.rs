//! Paths in the form of the operating system.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf, Prefix};

use bstr::ByteSlice;

/// Returns `bytes` as a path of this operating system.
///
/// Unix accepts all bytes. Other systems accept only UTF-8, and the result is `None` for other
/// bytes.
#[must_use]
pub(crate) fn os_path(bytes: &[u8]) -> Option<&Path> {
    bytes.to_path().ok()
}

/// Returns `bytes` as a string of this operating system, with the rule of [`os_path`].
#[must_use]
pub(crate) fn os_str(bytes: &[u8]) -> Option<&OsStr> {
    bytes.to_os_str().ok()
}

/// Returns the bytes of a path of this operating system, with `/` between its components.
#[must_use]
pub(crate) fn path_bytes<T: AsRef<OsStr> + ?Sized>(path: &T) -> Cow<'_, [u8]> {
    with_slashes(path.as_ref().as_encoded_bytes())
}

/// Returns the bytes of a path with `/` in place of the other separator of this operating system,
/// and with the drive letter in upper case.
#[must_use]
pub(crate) fn with_slashes(bytes: &[u8]) -> Cow<'_, [u8]> {
    if MAIN_SEPARATOR == '/' {
        return Cow::Borrowed(bytes);
    }
    let is_separator = |byte: u8| char::from(byte) == MAIN_SEPARATOR;
    let mut slashes: Vec<u8> = bytes
        .iter()
        .map(|&byte| if is_separator(byte) { b'/' } else { byte })
        .collect();
    if let [letter, b':', b'/', ..] = &mut slashes[..] {
        letter.make_ascii_uppercase();
    }
    Cow::Owned(slashes)
}

/// Splits an absolute path with `/` between its components after its root, which is `/`, `C:/` or
/// `//server/share/`. The rest has no slash at its start and end. Returns `None` for a relative
/// path.
#[must_use]
pub(crate) fn split_root(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let absolute = os_path(path).filter(|path| path.is_absolute())?;
    let prefix = match absolute.components().next()? {
        Component::Prefix(prefix) => prefix.as_os_str().len(),
        _ => 0,
    };
    let (root, below) = path.split_at_checked(prefix + 1).unwrap_or((path, b""));
    let is_slash = |byte: &u8| *byte == b'/';
    let below = &below[below.iter().take_while(|byte| is_slash(byte)).count()..];
    let slashes = below.iter().rev().take_while(|byte| is_slash(byte)).count();
    Some((root, &below[..below.len() - slashes]))
}

/// Returns whether `path` is absolute on Unix or on this operating system.
#[must_use]
pub(crate) fn is_absolute(path: &[u8]) -> bool {
    path.starts_with(b"/") || split_root(path).is_some()
}

/// Returns the rest of the absolute path `path` below the directory `root`, without the slash
/// between them: empty for the root itself. Returns `None` if `path` is not below `root`.
///
/// If `root` is a Windows path, the case of ASCII letters does not matter, and the drive can
/// have the form of Git for Windows (`/c/x`) or be omitted (`/x` is on the drive of the root).
#[must_use]
pub(crate) fn below_root<'p>(root: &[u8], path: &'p [u8]) -> Option<&'p [u8]> {
    let root = root.strip_suffix(b"/").unwrap_or(root);
    let without = |root: &[u8], is_windows: bool| {
        let (start, rest) = path.split_at_checked(root.len())?;
        if start != root && !(is_windows && start.eq_ignore_ascii_case(root)) {
            return None;
        }
        rest.strip_prefix(b"/")
            .or_else(|| rest.is_empty().then_some(rest))
    };
    let Some((drive, directory)) = split_drive(root) else {
        return without(root, root.starts_with(b"//"));
    };
    let mounted = [b"/", &[drive], directory].concat();
    // `//x/y` is on another computer, and not below a root without directory.
    let is_remote = path.starts_with(b"//");
    [root, &mounted, directory]
        .into_iter()
        .filter(|root| !(root.is_empty() && is_remote))
        .find_map(|root| without(root, true))
}

/// Returns the letter of a drive, and the rest of the path: `C` and `/x` for `C:/x`.
fn split_drive(path: &[u8]) -> Option<(u8, &[u8])> {
    match path {
        [letter, b':', rest @ ..]
            if letter.is_ascii_alphabetic() && (rest.is_empty() || rest.starts_with(b"/")) =>
        {
            Some((*letter, rest))
        }
        _ => None,
    }
}

/// Returns the last component of an absolute path, and any other text unchanged.
#[cfg(feature = "html")]
#[must_use]
pub(crate) fn absolute_file_name(path: &str) -> &str {
    let is_separator = |character: char| character == '/' || character == MAIN_SEPARATOR;
    let last = path.rsplit(is_separator).next();
    last.filter(|_| is_absolute(path.as_bytes()))
        .unwrap_or(path)
}

/// Returns a path of Windows without the prefix `\\?\`, which many programs do not understand.
/// Returns other paths unchanged.
///
/// Without the prefix, Windows removes periods and spaces at the end of a component. A path with
/// such a component keeps the prefix.
#[must_use]
pub(crate) fn plain_path(path: PathBuf) -> PathBuf {
    let mut parts = path.components();
    let Some(Component::Prefix(prefix)) = parts.next() else {
        return path;
    };
    let plain: OsString = match prefix.kind() {
        Prefix::VerbatimDisk(letter) => format!("{}:", char::from(letter)).into(),
        Prefix::VerbatimUNC(server, share) => [r"\\".as_ref(), server, r"\".as_ref(), share]
            .into_iter()
            .collect(),
        _ => return path,
    };
    let is_changed = |part: Component<'_>| {
        let name = part.as_os_str().as_encoded_bytes();
        name.ends_with(b".") || name.ends_with(b" ")
    };
    if parts.clone().any(is_changed) {
        return path;
    }
    PathBuf::from(plain).join(parts.as_path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::printable;

    #[test]
    fn a_path_of_the_system_has_the_same_bytes() {
        for bytes in [&b""[..], b"a/b", "\u{e9}".as_bytes()] {
            let names = [os_path(bytes).map(Path::as_os_str), os_str(bytes)];
            let found = names.map(|name| name.map(OsStr::as_encoded_bytes));
            assert_eq!(found, [Some(bytes); 2], "{}", printable(bytes));
        }
        let invalid = os_path(b"a/\xff").map(|path| path.as_os_str().as_encoded_bytes());
        assert!(invalid.is_none_or(|bytes| bytes == b"a/\xff"));
    }

    #[test]
    fn a_path_of_windows_loses_its_prefix() {
        for (path, plain) in [
            (r"\\?\C:\a\b c", r"C:\a\b c"),
            (r"\\?\C:\", r"C:\"),
            (r"\\?\UNC\server\share\a", r"\\server\share\a"),
            (r"\\?\C:\a.\b", r"\\?\C:\a.\b"),
            (r"C:\a", r"C:\a"),
            ("/a/b", "/a/b"),
        ] {
            // Other systems have no prefixes.
            let has_prefix = Path::new(r"C:\").is_absolute();
            let expected = if has_prefix { plain } else { path };
            assert_eq!(plain_path(path.into()), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn the_root_of_an_absolute_path_is_split_off() {
        if MAIN_SEPARATOR == '/' {
            for path in [&b"//x/y"[..], b"/x/y/", b"///x/y//"] {
                assert_eq!(split_root(path), Some((&b"/"[..], &b"x/y"[..])));
            }
            assert_eq!(split_root(b"/"), Some((&b"/"[..], &b""[..])));
        }
        let found = [&b"/x/y"[..], b"C:/x/y", b"x/y"].map(split_root);
        let (below, root) = (
            &b"x/y"[..],
            if MAIN_SEPARATOR == '/' {
                &b"/"[..]
            } else {
                b"C:/"
            },
        );
        let mut expected = [None; 3];
        expected[usize::from(MAIN_SEPARATOR != '/')] = Some((root, below));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_path_is_below_the_root_in_each_spelling_of_windows() {
        for (root, path, expected) in [
            ("C:/a/b", "C:/a/b/x/y", Some("x/y")),
            ("C:/a/b", "c:/A/B/x", Some("x")),
            ("C:/a/b", "/c/a/b/x", Some("x")),
            ("C:/a/b", "/C/a/B/x", Some("x")),
            ("C:/a/b", "/a/b/x", Some("x")),
            ("C:/a/b", "C:/a/b", Some("")),
            ("C:/a/b", "D:/a/b/x", None),
            ("C:/a/b", "/d/a/b/x", None),
            ("C:/a/b", "C:/a/bc", None),
            ("C:/a/b", "a/b/x", None),
            ("C:/", "c:/x", Some("x")),
            ("C:/", "/c/x", Some("x")),
            ("C:/", "/x", Some("x")),
            ("C:/", "//server/x", None),
            ("//server/share/r", "//SERVER/share/r/x", Some("x")),
            ("/a/b", "/a/b/x", Some("x")),
            ("/a/b", "/a/b", Some("")),
            ("/a/b", "/A/b/x", None),
            ("/a/b", "/a/bc", None),
            ("/", "/x", Some("x")),
        ] {
            let found = below_root(root.as_bytes(), path.as_bytes());
            assert_eq!(found, expected.map(str::as_bytes), "{root} {path}");
        }
    }
}
