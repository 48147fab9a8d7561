//! The forms in which a patch can write a name.

use crate::syntax::unquote;

/// Removes quotes, backquotes and `./` from a name, and converts backslashes to slashes.
pub(super) fn clean_name(name: &[u8]) -> Vec<u8> {
    let mut name = name.trim_ascii();
    // Unquote the name as git quotes it. Without git's prefix, a control character in the result
    // comes from a backslash that separates directories.
    let is_quoted_by_git =
        |plain: &[u8]| !plain.iter().any(u8::is_ascii_control) || strip_git_prefix(plain).is_some();
    if let Some((plain, [])) = unquote(name).filter(|(plain, _)| is_quoted_by_git(plain)) {
        return plain;
    }
    for quote in [b'"', b'`', b'\''] {
        if let [first, inner @ .., last] = name
            && *first == quote
            && *last == quote
        {
            name = inner;
        }
    }
    while let Some(rest) = name.strip_prefix(b"./") {
        name = rest;
    }
    name.iter()
        .map(|&byte| if byte == b'\\' { b'/' } else { byte })
        .collect()
}

/// Returns the rest of a name after one of git's prefixes, such as `a/`.
pub(super) fn strip_git_prefix(name: &[u8]) -> Option<&[u8]> {
    let prefixes = [b"a/", b"b/", b"c/", b"i/", b"o/", b"w/"];
    prefixes
        .into_iter()
        .find_map(|prefix| name.strip_prefix(prefix))
}

/// Returns whether `name` is absolute, such as `/x` or `C:/x`.
pub(super) fn is_absolute(name: &[u8]) -> bool {
    matches!(name, [b'/', ..])
        || matches!(name, [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}
