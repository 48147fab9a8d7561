//! The attribute `ident`: expands and collapses `$Id$`.

use crate::digest::{ObjectFormat, blob_id};

/// Replaces each `$Id: ...$` with `$Id$`, like git's `ident_to_git`. Returns `None` if nothing
/// changes.
pub(super) fn collapse(bytes: &[u8]) -> Option<Vec<u8>> {
    if !has_ident(bytes) {
        return None;
    }
    let (mut out, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    while let Some(at) = memchr::memchr(b'$', rest) {
        out.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 1..];
        let Some(value) = rest.strip_prefix(b"Id:") else {
            continue;
        };
        let Some(end) = memchr::memchr(b'$', value) else {
            break;
        };
        if memchr::memchr(b'\n', &value[..end]).is_none() {
            out.extend_from_slice(b"Id$");
            rest = &value[end + 1..];
        }
    }
    out.extend_from_slice(rest);
    (out != bytes).then_some(out)
}

/// Replaces each `$Id$` with a keyword that contains the blob name, like git's `ident_to_worktree`.
/// Returns `None` if nothing changes.
pub(super) fn expand(bytes: &[u8], format: ObjectFormat) -> Option<Vec<u8>> {
    if !has_ident(bytes) {
        return None;
    }
    let expanded = format!("Id: {} $", blob_id(bytes, format));
    let (mut out, mut rest) = (Vec::with_capacity(bytes.len() + expanded.len()), bytes);
    while let Some(at) = memchr::memchr(b'$', rest) {
        out.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 1..];
        rest = match parse_keyword(rest) {
            Keyword::None => continue,
            Keyword::Unfinished => break,
            Keyword::Length(length) => &rest[length..],
        };
        out.extend_from_slice(expanded.as_bytes());
    }
    out.extend_from_slice(rest);
    (out != bytes).then_some(out)
}

/// The text after a `$`.
enum Keyword {
    None,
    /// `Id:` without a further `$` in the file.
    Unfinished,
    /// A keyword of this length, including its final `$`.
    Length(usize),
}

fn parse_keyword(rest: &[u8]) -> Keyword {
    match rest {
        [b'I', b'd', b'$', ..] => Keyword::Length(3),
        [b'I', b'd', b':', value @ ..] => {
            let Some(end) = memchr::memchr(b'$', value) else {
                return Keyword::Unfinished;
            };
            // As in git, a keyword with a space other than its first or last byte belongs to
            // another version control system.
            let inner = value[..end]
                .get(1..end.saturating_sub(1).max(1))
                .unwrap_or_default();
            let is_foreign = memchr::memchr(b' ', inner).is_some();
            if is_foreign || memchr::memchr(b'\n', &value[..end]).is_some() {
                return Keyword::None;
            }
            Keyword::Length(end + 4)
        }
        _ => Keyword::None,
    }
}

/// Returns whether `bytes` contain a keyword, like git's `count_ident`.
fn has_ident(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'$', rest) {
        rest = &rest[at + 1..];
        let Some(value) = rest.strip_prefix(b"Id") else {
            continue;
        };
        match value.first() {
            Some(b'$') => return true,
            Some(b':') => {}
            // As in git, the next byte cannot start a keyword, even if it is a `$`.
            Some(_) => {
                rest = &value[1..];
                continue;
            }
            None => return false,
        }
        match memchr::memchr2(b'$', b'\n', &value[1..]) {
            Some(end) if value[1 + end] == b'$' => return true,
            Some(end) => rest = &value[end + 2..],
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_is_collapsed_whatever_it_says() {
        assert_eq!(
            collapse(b"/* $Id: 0123 $ */\n"),
            Some(b"/* $Id$ */\n".to_vec())
        );
        assert_eq!(collapse(b"$Id: a b c $ $Id:$"), Some(b"$Id$ $Id$".to_vec()));
        for plain in [
            &b"$Id$\n"[..],
            b"$Id: x\n",
            b"$Id: x\n$\n",
            b"$Ident$",
            b"Id",
            b"$I",
        ] {
            assert_eq!(collapse(plain), None, "{plain:?}");
        }
    }

    #[test]
    fn a_keyword_is_expanded_to_the_name_of_the_blob() {
        let id = blob_id(b"$Id$\n", ObjectFormat::Sha1);
        assert_eq!(
            expand(b"$Id$\n", ObjectFormat::Sha1),
            Some(format!("$Id: {id} $\n").into_bytes())
        );
        for foreign in [
            &b"$Id: x.c 1.2 now $\n"[..],
            b"$Id: x\n$\n",
            b"$Id: x\n",
            b"$\n",
        ] {
            assert_eq!(expand(foreign, ObjectFormat::Sha1), None, "{foreign:?}");
        }
        let own = expand(b"$Id: 12 $", ObjectFormat::Sha1).unwrap();
        assert_eq!(
            own,
            format!("$Id: {} $", blob_id(b"$Id: 12 $", ObjectFormat::Sha1)).into_bytes()
        );
    }
}
