//! Writes unified diffs without git's headers.

use super::{PatchChange, PatchHunk, WriteError, for_each_change, marker, put_line};
use crate::plan::{Action, LineKind};
use crate::syntax::write::file_name;

/// Writes `changes` as a unified diff.
pub(in crate::syntax) fn write(changes: &[PatchChange<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    for_each_change(changes, |change| {
        check_plain(change)?;
        put_names(&mut out, [b"--- ", b"+++ "], change);
        put_hunks(&mut out, change);
        Ok(())
    })?;
    Ok(out)
}

/// Returns an error if a diff without git's headers cannot express the change.
pub(super) fn check_plain(change: &PatchChange<'_>) -> Result<(), &'static str> {
    match (change.text_error(), change.action) {
        (Some(reason), _) => Err(reason),
        (None, Action::Rename) => Err("the format cannot express renames"),
        (None, _) if !change.has_hunks() => Err("the format cannot express a change without lines"),
        _ => Ok(()),
    }
}

/// Writes the two header lines with the file names, each after its marker.
pub(super) fn put_names(out: &mut Vec<u8>, markers: [&[u8]; 2], change: &PatchChange<'_>) {
    for (marker, name) in markers.into_iter().zip(header_names(change)) {
        out.extend([marker, &name, b"\n"].concat());
    }
}

/// Returns the names of the old and the new file for the header lines.
fn header_names(change: &PatchChange<'_>) -> [Vec<u8>; 2] {
    let old = change.from.unwrap_or(change.path);
    let old = (change.action != Action::Create).then(|| [b"a/", old.as_bytes()].concat());
    let is_left = change.action != Action::Delete;
    let new = is_left.then(|| [b"b/", change.path.as_bytes()].concat());
    [file_name(old), file_name(new)]
}

/// Writes the hunks.
pub(super) fn put_hunks(out: &mut Vec<u8>, change: &PatchChange<'_>) {
    for hunk in &change.hunks {
        put_hunk(out, hunk);
    }
}

pub(in crate::syntax) fn put_hunk(out: &mut Vec<u8>, hunk: &PatchHunk<'_>) {
    let header = format!("@@ -{} +{} @@", hunk.old, hunk.new);
    out.extend_from_slice(header.as_bytes());
    if !hunk.section.is_empty() {
        out.push(b' ');
        out.extend_from_slice(hunk.section);
    }
    out.push(b'\n');
    put_body(out, &hunk.lines);
}

/// Writes the lines of a hunk, each after its marker.
pub(crate) fn put_body(out: &mut Vec<u8>, lines: &[(LineKind, &[u8])]) {
    for &(kind, line) in lines {
        put_line(out, &[marker(kind)], line);
    }
}
