//! Writes normal diffs. An `Index:` line names each file.

use super::unified::check_plain;
use super::{PatchChange, PatchHunk, WriteError, for_each_change, put_line};
use crate::plan::{Action, LineRange};
use crate::syntax::quote;

/// Writes `changes` as a normal diff.
pub(in crate::syntax) fn write(changes: &[PatchChange<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    for_each_change(changes, |change| {
        check_plain(change)?;
        if change.action == Action::Delete {
            return Err("the format cannot express deletions");
        }
        let name = change.path.as_bytes();
        if *quote(name) != *name || name.contains(&b' ') {
            return Err("the format cannot express this file name");
        }
        // Without a directory in front, the first directory of the name would count as a prefix.
        out.extend([b"Index: a/", name, b"\n"].concat());
        change
            .hunks
            .iter()
            .for_each(|hunk| put_hunk(&mut out, hunk));
        Ok(())
    })?;
    Ok(out)
}

pub(in crate::syntax) fn put_hunk(out: &mut Vec<u8>, hunk: &PatchHunk<'_>) {
    // An empty range names the line before it.
    let first = |range: LineRange| range.start + usize::from(range.count == 0);
    let (old_start, new_start) = (first(hunk.old), first(hunk.new));
    for run in hunk.runs() {
        let (old, new) = (old_start + run.old_start, new_start + run.new_start);
        let (before, after) = (run.old.len(), run.new.len());
        let line = match (before, after) {
            (0, _) => format!("{}a{}", old - 1, range(new, after)),
            (_, 0) => format!("{}d{}", range(old, before), new - 1),
            _ => format!("{}c{}", range(old, before), range(new, after)),
        };
        out.extend(line.bytes());
        out.push(b'\n');
        run.old.iter().for_each(|line| put_line(out, b"< ", line));
        if before > 0 && after > 0 {
            out.extend_from_slice(b"---\n");
        }
        run.new.iter().for_each(|line| put_line(out, b"> ", line));
    }
}

fn range(first: usize, count: usize) -> String {
    match count {
        1 => first.to_string(),
        _ => format!("{first},{}", first + count - 1),
    }
}
