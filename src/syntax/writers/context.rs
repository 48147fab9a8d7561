//! Writes context diffs, in the form that POSIX diff describes for `-c`.

use super::unified::{check_plain, put_names};
use super::{PatchChange, PatchHunk, WriteError, for_each_change, put_line};
use crate::plan::{LineKind, LineRange};

/// Writes `changes` as a context diff.
pub(in crate::syntax) fn write(changes: &[PatchChange<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    for_each_change(changes, |change| {
        check_plain(change)?;
        put_names(&mut out, [b"*** ", b"--- "], change);
        change
            .hunks
            .iter()
            .for_each(|hunk| put_hunk(&mut out, hunk));
        Ok(())
    })?;
    Ok(out)
}

pub(in crate::syntax) fn put_hunk(out: &mut Vec<u8>, hunk: &PatchHunk<'_>) {
    out.extend_from_slice(b"***************\n");
    let lines = marked_lines(hunk);
    let has = |kind: LineKind| hunk.lines.iter().any(|(found, _)| *found == kind);
    out.extend(format!("*** {} ****\n", range(hunk.old)).bytes());
    // A half without changes has no lines.
    if has(LineKind::Deletion) {
        put_half(out, &lines, LineKind::Insertion);
    }
    out.extend(format!("--- {} ----\n", range(hunk.new)).bytes());
    if has(LineKind::Insertion) {
        put_half(out, &lines, LineKind::Deletion);
    }
}

/// Writes all lines except those of the kind `left_out`.
fn put_half(out: &mut Vec<u8>, lines: &[(LineKind, &[u8], &[u8])], left_out: LineKind) {
    for (_, marker, line) in lines.iter().filter(|(kind, ..)| *kind != left_out) {
        put_line(out, marker, line);
    }
}

/// Returns the lines with their markers: `!` for lines that are replaced by others.
fn marked_lines<'a>(hunk: &PatchHunk<'a>) -> Vec<(LineKind, &'static [u8], &'a [u8])> {
    let is_context = |kind: LineKind| kind == LineKind::Context;
    let runs = hunk
        .lines
        .chunk_by(|one, next| is_context(one.0) == is_context(next.0));
    let marked = runs.flat_map(|run| {
        let is_replaced = [LineKind::Deletion, LineKind::Insertion]
            .iter()
            .all(|kind| run.iter().any(|(found, _)| found == kind));
        run.iter().map(move |&(kind, line)| {
            let marker: &[u8] = match kind {
                LineKind::Context => b"  ",
                _ if is_replaced => b"! ",
                LineKind::Deletion => b"- ",
                LineKind::Insertion => b"+ ",
            };
            (kind, marker, line)
        })
    });
    marked.collect()
}

/// Returns a range as its first and last line. An empty range is the line before it.
fn range(lines: LineRange) -> String {
    match lines.count {
        0 | 1 => lines.start.to_string(),
        count => format!("{},{}", lines.start, lines.start + count - 1),
    }
}
