//! Writes edits of numbered lines in the format of hashline.

use std::collections::HashSet;

use super::{PatchChange, PatchHunk, WriteError, for_each_change};
use crate::path::RelPath;
use crate::plan::Action;
use crate::text::tag::HashlineTag;

const NO_CONTENT: &str = "the format needs the content of the file; check the patch against a tree";
const FILE_NAME: &str = "the format cannot express this file name";

/// Writes `changes` as sections of hashline.
pub(in crate::syntax) fn write(changes: &[PatchChange<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    let mut paths = HashSet::new();
    for_each_change(changes, |change| {
        // All line numbers refer to the file before the change.
        if !paths.insert(change.from.unwrap_or(change.path)) {
            return Err("the format cannot express two changes of one file");
        }
        let reason = change.text_error();
        if let Some(reason) = reason.filter(|_| change.action != Action::Delete) {
            return Err(reason);
        }
        let [old, _] = change.contents.ok_or(NO_CONTENT)?;
        if change.action == Action::Create {
            return Err("the format cannot express the creation of a file");
        }
        put_header(&mut out, change.from.unwrap_or(change.path), old)?;
        match change.action {
            Action::Delete => out.extend_from_slice(b"REM\n"),
            Action::Rename => {
                put_edits(&mut out, change);
                let name = checked_name(change.path)?;
                out.extend([b"MV ", name, b"\n"].concat());
            }
            _ if !change.has_hunks() => {
                return Err("the format cannot express a change without lines");
            }
            _ => put_edits(&mut out, change),
        }
        Ok(())
    })?;
    Ok(out)
}

fn checked_name(path: &RelPath) -> Result<&[u8], &'static str> {
    let name = path.as_bytes();
    let is_plain = !name.contains(&b'\n') && name.trim_ascii() == name && !name.starts_with(b"\"");
    is_plain.then_some(name).ok_or(FILE_NAME)
}

fn put_header(out: &mut Vec<u8>, path: &RelPath, old: &[u8]) -> Result<(), &'static str> {
    let tag = HashlineTag::of(old).to_string();
    out.extend([b"[", checked_name(path)?, b"#", tag.as_bytes(), b"]\n"].concat());
    Ok(())
}

/// Writes the edits of a file. All line numbers refer to the old file.
fn put_edits(out: &mut Vec<u8>, change: &PatchChange<'_>) {
    for hunk in change.hunks.iter().map(PatchHunk::without_mark) {
        let start = hunk.old.start + usize::from(hunk.old.count == 0);
        for run in hunk.runs() {
            let first = start + run.old_start;
            let last = first + run.old.len().saturating_sub(1);
            let command = match (run.old.len(), run.new.len()) {
                (0, _) if first == 1 && hunk.old.count == 0 => "PUT >$:".to_owned(),
                (0, _) if first == 1 => "PUT <1:".to_owned(),
                (0, _) => format!("PUT >{}:", first - 1),
                (_, 0) => format!("CUT {first}.={last}"),
                _ => format!("PUT {first}.={last}:"),
            };
            out.extend(command.bytes());
            out.push(b'\n');
            for line in run.new {
                out.push(b'+');
                out.extend_from_slice(line);
                if !line.ends_with(b"\n") {
                    out.push(b'\n');
                }
            }
        }
    }
}
