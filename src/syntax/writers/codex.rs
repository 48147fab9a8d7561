//! Writes Codex envelopes.

use super::{PatchChange, PatchHunk, WriteError, for_each_change, marker};
use crate::path::RelPath;
use crate::plan::Action;

/// Writes `changes` as one envelope.
pub(in crate::syntax) fn write(changes: &[PatchChange<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut out = b"*** Begin Patch\n".to_vec();
    for_each_change(changes, |change| {
        if let Some(reason) = change.text_error() {
            return Err(reason);
        }
        match change.action {
            Action::Create => put_creation(&mut out, change),
            Action::Delete => put_path(&mut out, "Delete File", change.path),
            _ => put_update(&mut out, change),
        }
    })?;
    out.extend_from_slice(b"*** End Patch\n");
    Ok(out)
}

fn put_path(out: &mut Vec<u8>, keyword: &str, path: &RelPath) -> Result<(), &'static str> {
    let name = path.as_bytes();
    if name.contains(&b'\n') || name.trim_ascii() != name {
        return Err("the format cannot express this file name");
    }
    out.extend([b"*** ", keyword.as_bytes(), b": ", name, b"\n"].concat());
    Ok(())
}

fn put_creation(out: &mut Vec<u8>, change: &PatchChange<'_>) -> Result<(), &'static str> {
    put_path(out, "Add File", change.path)?;
    for line in change.hunks.iter().flat_map(|hunk| &hunk.lines) {
        put_line(out, b'+', line.1)?;
    }
    Ok(())
}

fn put_update(out: &mut Vec<u8>, change: &PatchChange<'_>) -> Result<(), &'static str> {
    put_path(out, "Update File", change.from.unwrap_or(change.path))?;
    if change.from.is_some() {
        put_path(out, "Move to", change.path)?;
    } else if !change.has_hunks() {
        return Err("the format cannot express an operation without a change");
    }
    for hunk in change.hunks.iter().map(PatchHunk::without_mark) {
        out.extend_from_slice(b"@@\n");
        for &(kind, line) in &hunk.lines {
            // The parser adds the terminator that the file has.
            out.push(marker(kind));
            out.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                out.push(b'\n');
            }
        }
        if hunk.is_at_end {
            out.extend_from_slice(b"*** End of File\n");
        }
    }
    Ok(())
}

/// Appends a line of a new file, which always has a terminator.
fn put_line(out: &mut Vec<u8>, marker: u8, line: &[u8]) -> Result<(), &'static str> {
    if !line.ends_with(b"\n") {
        return Err("the format cannot express a new file without a final newline");
    }
    out.push(marker);
    out.extend_from_slice(line);
    Ok(())
}
