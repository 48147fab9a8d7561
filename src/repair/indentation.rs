//! Checks whether the indentation of the new lines is certain, if a hunk matches at another
//! indentation.

use super::chunk::{Reading, ReadingLine};
use super::lines::FileLines;
use crate::lines::ladder::{indentation, trim};
use crate::plan::LineKind;

/// Returns whether the new lines may need another indentation than the one that follows from the
/// preimage lines. `chosen` contains the preimage lines as they are read, and `start` is their
/// place in the file.
pub(super) fn is_indentation_doubtful(
    file: &FileLines<'_>,
    reading: &Reading,
    chosen: &[&[u8]],
    start: usize,
) -> bool {
    let insertions: Vec<_> = reading
        .lines
        .iter()
        .filter(|line| line.kind == LineKind::Insertion && !trim(&line.text).is_empty())
        .collect();
    // Only insertions take an indentation from the patch.
    if insertions.is_empty() {
        return false;
    }
    let pairs = chosen
        .iter()
        .enumerate()
        .filter(|(_, old)| !trim(old).is_empty());
    let pairs: Vec<_> = pairs
        .map(|(index, old)| (indentation(old), indentation(file.content(start + index))))
        .collect();
    is_already_indented(&pairs, &insertions)
        || reading
            .old()
            .zip(chosen)
            .enumerate()
            .any(|(index, (line, old))| has_lost_sign(line, old, file.content(start + index)))
}

/// Returns whether every line may lack a column of indentation instead of its sign. This is possible
/// if all preimage lines, read as `chosen`, are indented and a new line is not. The new line would
/// then lack a column too.
pub(super) fn may_lack_column(reading: &Reading, chosen: &[&[u8]]) -> bool {
    let mut old = reading
        .old()
        .zip(chosen)
        .filter(|(_, old)| !trim(old).is_empty())
        .peekable();
    let is_bare =
        |line: &ReadingLine| !trim(&line.text).is_empty() && indentation(&line.text).is_empty();
    // If the raw form was chosen for every preimage line, each line lost a sign or a column.
    old.peek().is_some()
        && old.all(|(line, old)| line.raw.as_deref() == Some(old) && !indentation(old).is_empty())
        && reading
            .lines
            .iter()
            .any(|line| line.kind == LineKind::Insertion && is_bare(line))
}

/// Returns whether all preimage lines have the same indentation, which is smaller than in the file,
/// while every new line is indented at least as deeply as the file. Probably only the preimage
/// lines lost their indentation, and the new lines must not be indented twice.
fn is_already_indented(pairs: &[(&[u8], &[u8])], insertions: &[&ReadingLine]) -> bool {
    let Some(&(old, found)) = pairs.first() else {
        return false;
    };
    old.len() < found.len()
        && pairs.iter().all(|pair| *pair == (old, found))
        && insertions.iter().all(|line| line.text.starts_with(found))
}

/// Returns whether a line may have lost its sign instead of indentation. Indentations of spaces are
/// usually even: if the difference is odd, the column of the sign makes it even.
fn has_lost_sign(line: &ReadingLine, old: &[u8], found: &[u8]) -> bool {
    let (patch_indent, file_indent) = (indentation(old), indentation(found));
    let is_odd = patch_indent.len().abs_diff(file_indent.len()) % 2 == 1;
    line.raw.is_some()
        && is_odd
        && !trim(old).is_empty()
        && !patch_indent.contains(&b'\t')
        && !file_indent.contains(&b'\t')
}
