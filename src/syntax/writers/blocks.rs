//! Writes SEARCH/REPLACE blocks.

use super::{PatchChange, PatchHunk, WriteError, for_each_change};
use crate::plan::Action;

/// Writes `changes` as SEARCH/REPLACE blocks, each below the name of its file.
pub(in crate::syntax) fn write(changes: &[PatchChange<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    for_each_change(changes, |change| {
        if let Some(reason) = change.text_error() {
            return Err(reason);
        }
        let name = change.path.as_bytes();
        match change.action {
            Action::Delete => return Err("the format cannot express deletions"),
            Action::Rename => return Err("the format cannot express renames"),
            _ if !change.has_hunks() => {
                return Err("the format cannot express a change without lines");
            }
            _ if name.contains(&b'\n') => return Err("the format cannot express this file name"),
            _ => {}
        }
        if !out.is_empty() {
            out.push(b'\n');
        }
        out.extend([name, b"\n"].concat());
        for hunk in change.hunks.iter().map(PatchHunk::without_mark) {
            out.extend_from_slice(b"<<<<<<< SEARCH\n");
            hunk.old_lines().for_each(|line| put_line(&mut out, line));
            out.extend_from_slice(b"=======\n");
            hunk.new_lines().for_each(|line| put_line(&mut out, line));
            out.extend_from_slice(b">>>>>>> REPLACE\n");
        }
        Ok(())
    })?;
    Ok(out)
}

/// Appends a line. The parser decides about the terminator at the end of a file.
fn put_line(out: &mut Vec<u8>, line: &[u8]) {
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.push(b'\n');
    }
}
