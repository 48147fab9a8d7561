//! Removes indentation and CRs from a patch as GNU patch does. A mail program may have added them.

use crate::text::{Bytes, lines};

/// A patch, and a record of the removed bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CleanedPatch {
    pub(super) bytes: Bytes,
    /// The removed indentation, in columns.
    pub(super) indent: usize,
    /// Whether all lines ended with CR LF.
    pub(super) had_returns: bool,
}

impl CleanedPatch {
    /// Reads a patch. `is_binary` keeps the line endings.
    pub(super) fn new(bytes: impl Into<Bytes>, is_binary: bool) -> Self {
        let bytes = bytes.into();
        let had_returns = !is_binary && has_returns(&bytes);
        let bytes = if had_returns {
            remove_returns(&bytes).into()
        } else {
            bytes
        };
        match indentation(&bytes) {
            Some(indentation) => Self {
                bytes: remove_indentation(&bytes, indentation).into(),
                indent: columns(indentation),
                had_returns,
            },
            None => Self {
                bytes,
                indent: 0,
                had_returns,
            },
        }
    }

    /// Returns GNU patch's messages about the removed bytes.
    pub(super) fn notes(&self) -> Vec<String> {
        let plural = if self.indent == 1 { "" } else { "s" };
        let indent = (self.indent > 0)
            .then(|| format!("(Patch is indented {} space{plural}.)", self.indent));
        let returns = "(Stripping trailing CRs from patch; use --binary to disable.)";
        indent
            .into_iter()
            .chain(self.had_returns.then(|| returns.to_owned()))
            .collect()
    }
}

/// Returns whether all lines end with CR LF. A patch for files with CR LF lines has headers that
/// end with LF.
fn has_returns(bytes: &[u8]) -> bool {
    bytes.contains(&b'\n')
        && lines(bytes).all(|(_, line)| line.ends_with(b"\r\n") || !line.ends_with(b"\n"))
}

fn remove_returns(bytes: &[u8]) -> Vec<u8> {
    let parts =
        |line| <[u8]>::strip_suffix(line, b"\r\n").map_or([line, b""], |line| [line, b"\n"]);
    lines(bytes)
        .flat_map(|(_, line)| parts(line))
        .collect::<Vec<_>>()
        .concat()
}

/// Returns the indentation of the first file header, or of the first hunk header if there is no
/// file header. Returns `None` if a header without indentation exists.
fn indentation(bytes: &[u8]) -> Option<&[u8]> {
    let names = |first: &[u8], second: &[u8]| {
        [(b"--- ", b"+++ "), (b"*** ", b"--- ")]
            .iter()
            .any(|(a, b)| first.starts_with(*a) && second.starts_with(*b))
    };
    let blanks = |line: &[u8]| {
        line.iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count()
    };
    // For file headers and for hunk headers: the first indentation, and whether a header has none.
    let mut found = [(None, false); 2];
    let mut before: &[u8] = b"";
    for (_, line) in lines(bytes) {
        let (indentation, rest) = line.split_at(blanks(line));
        let names_file = before
            .strip_prefix(indentation)
            .is_some_and(|before| names(before, rest));
        let is_hunk = [&b"@@ -"[..], b"***************"]
            .iter()
            .any(|sign| rest.starts_with(sign));
        let is_header = [names_file || line.starts_with(b"diff --git "), is_hunk];
        for ((first, is_plain), _) in found
            .iter_mut()
            .zip(is_header)
            .filter(|(_, is_header)| *is_header)
        {
            *first = first.or(Some(indentation));
            *is_plain |= indentation.is_empty();
        }
        before = line;
    }
    let (first, is_plain) = found.into_iter().find(|(first, _)| first.is_some())?;
    first.filter(|_| !is_plain)
}

/// Removes `indentation` from each line that starts with it. Blank lines may be shorter.
fn remove_indentation(bytes: &[u8], indentation: &[u8]) -> Vec<u8> {
    let rest = |line| <[u8]>::strip_prefix(line, indentation).unwrap_or(line);
    lines(bytes)
        .flat_map(|(_, line)| rest(line))
        .copied()
        .collect()
}

fn columns(indentation: &[u8]) -> usize {
    indentation.iter().fold(0, |column, &byte| {
        if byte == b'\t' {
            column / 8 * 8 + 8
        } else {
            column + 1
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, usize, bool) {
        let CleanedPatch {
            bytes,
            indent,
            had_returns,
        } = CleanedPatch::new(text.as_bytes().to_vec(), false);
        (
            String::from_utf8(bytes.into_vec()).unwrap(),
            indent,
            had_returns,
        )
    }

    #[test]
    fn what_came_to_all_lines_is_taken_off() {
        let plain = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+y\n \n";
        assert_eq!(read(plain), (plain.to_owned(), 0, false));
        let indented = plain
            .replace(" \n", "")
            .lines()
            .map(|line| ["  ", line, "\n"].concat())
            .collect::<String>();
        assert_eq!(
            read(&format!("Hi\n\n{indented}bye\n")),
            (format!("Hi\n\n{}bye\n", plain.replace(" \n", "")), 2, false)
        );
        assert_eq!(
            read(&format!("{plain}{indented}")),
            (format!("{plain}{indented}"), 0, false)
        );
        assert_eq!(
            read(&plain.replace('\n', "\r\n")),
            (plain.to_owned(), 0, true)
        );
        let mixed = plain.replace("x\n", "x\r\n");
        assert_eq!(read(&mixed), (mixed.clone(), 0, false));
        assert_eq!(
            read(&plain.replace("--- ", "\t--- ").replace("+++ ", "\t+++ ")).1,
            8
        );
        assert_eq!(read("prose\n  @@ -1 +1 @@\n  -x\n  +y\n").1, 2);
        assert_eq!(read("@@ -1 +1,2 @@\n @@ -x\n+y\n").1, 0);
        assert_eq!(read(""), (String::new(), 0, false));
        assert!(!CleanedPatch::new(plain.replace('\n', "\r\n").into_bytes(), true).had_returns);
    }
}
