//! Whether it is certain how deep the new lines of a chunk stand that was found at another depth.

use super::chunk::{ReadLine, Reading};
use super::lines::Lines;
use crate::lines::ladder::{indentation, trimmed};
use crate::plan::LineKind;

/// Returns whether the new lines may be meant for another depth than the difference of the old ones
/// gives them, where these are read as `chosen` and stand at `start`.
pub(super) fn is_doubtful(
    file: &Lines<'_>,
    reading: &Reading,
    chosen: &[&[u8]],
    start: usize,
) -> bool {
    let come: Vec<_> = reading
        .lines
        .iter()
        .filter(|line| line.kind == LineKind::Insertion && !trimmed(&line.text).is_empty())
        .collect();
    if come.is_empty() {
        return false;
    }
    let pairs = chosen
        .iter()
        .enumerate()
        .filter(|(_, old)| !trimmed(old).is_empty());
    let pairs: Vec<_> = pairs
        .map(|(index, old)| (indentation(old), indentation(file.content(start + index))))
        .collect();
    is_right_already(&pairs, &come)
        || reading
            .old()
            .zip(chosen)
            .enumerate()
            .any(|(index, (line, old))| is_short(line, old, file.content(start + index)))
}

/// Returns whether every line may have lost a column instead of its marker, where the old lines are
/// read as `chosen`: these are all indented, and a new line is not.
pub(super) fn is_column_lost(reading: &Reading, chosen: &[&[u8]]) -> bool {
    let mut old = reading
        .old()
        .zip(chosen)
        .filter(|(_, old)| !trimmed(old).is_empty())
        .peekable();
    let is_bare =
        |line: &ReadLine| !trimmed(&line.text).is_empty() && indentation(&line.text).is_empty();
    old.peek().is_some()
        && old.all(|(line, old)| line.raw.as_deref() == Some(old) && !indentation(old).is_empty())
        && reading
            .lines
            .iter()
            .any(|line| line.kind == LineKind::Insertion && is_bare(line))
}

/// Returns whether the old lines are all at one depth and too shallow, as where only they lost it,
/// while every new line is at least as deep as the file.
fn is_right_already(pairs: &[(&[u8], &[u8])], come: &[&ReadLine]) -> bool {
    let Some(&(old, found)) = pairs.first() else {
        return false;
    };
    old.len() < found.len()
        && pairs.iter().all(|pair| *pair == (old, found))
        && come.iter().all(|line| line.text.starts_with(found))
}

/// Returns whether a line may have lost its marker instead of depth: with the column that this
/// takes, the difference is no longer odd.
fn is_short(line: &ReadLine, old: &[u8], found: &[u8]) -> bool {
    let (depth, deep) = (indentation(old), indentation(found));
    let is_odd = depth.len().abs_diff(deep.len()) % 2 == 1;
    line.raw.is_some()
        && is_odd
        && !trimmed(old).is_empty()
        && !depth.contains(&b'\t')
        && !deep.contains(&b'\t')
}
