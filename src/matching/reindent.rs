//! Derives the indentation of insertions if a hunk matched at another indentation than its own.

use crate::lines::ladder::{indentation, trim};
use crate::plan::{HunkLine, LineKind};
use crate::text::{without_bom, without_ending};

/// The pairs of indentations of the old lines in the hunk and in the file.
pub(crate) struct Reindent<'a> {
    pairs: Vec<(&'a [u8], &'a [u8])>,
    markers: ContextMarkers,
}

/// Whether the context lines of a hunk have their markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContextMarkers {
    Present,
    /// All context lines differ from the file by one blank, and there are no deletions. They have
    /// no markers, or the hunk is indented by one blank less.
    Unclear,
    /// All context lines differ from the file by one blank, and the deletions are equal.
    Missing,
}

impl<'a> Reindent<'a> {
    /// Compares the indentation of the old lines of a hunk with the matched lines of the file.
    /// Blank lines are ignored.
    pub(crate) fn new(old: &[&'a [u8]], found: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut pairs = Vec::new();
        for (old, found) in old.iter().zip(found) {
            // The first line of a file can start with a byte order mark before its indentation.
            let found = without_bom(found);
            let pair = (
                indentation(without_ending(old)),
                indentation(without_ending(found)),
            );
            if !trim(old).is_empty() && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        Self {
            pairs,
            markers: ContextMarkers::Present,
        }
    }

    /// Compares the old lines of a hunk with the matched lines of the file, as [`Self::new`] does.
    ///
    /// The context lines can lack their markers, so that their first blank was read as one. The
    /// insertions then have their correct indentation.
    pub(crate) fn of_hunk(old: &[HunkLine<'a>], found: impl Iterator<Item = &'a [u8]>) -> Self {
        let found: Vec<_> = found.take(old.len()).collect();
        let is_unmarked = |(line, found): (&HunkLine<'_>, &[u8])| {
            let (content, found) = (line.content(), without_ending(without_bom(found)));
            let found = match line.kind {
                LineKind::Context => found.strip_prefix(b" "),
                _ => Some(found),
            };
            trim(content).is_empty() || found == Some(content)
        };
        let is_context = |line: &HunkLine<'_>| {
            line.kind == LineKind::Context && !trim(line.content()).is_empty()
        };
        let texts: Vec<_> = old.iter().map(|line| line.text).collect();
        let is_deletion = |line: &HunkLine<'_>| {
            line.kind == LineKind::Deletion && !trim(line.content()).is_empty()
        };
        let is_shifted =
            old.iter().any(is_context) && old.iter().zip(found.iter().copied()).all(is_unmarked);
        let markers = match (is_shifted, old.iter().any(is_deletion)) {
            (false, _) => ContextMarkers::Present,
            (true, false) => ContextMarkers::Unclear,
            (true, true) => ContextMarkers::Missing,
        };
        Self {
            markers,
            ..Self::new(&texts, found.into_iter())
        }
    }

    /// Returns the indentation of an inserted line in the patch and in the file, or `None` if it
    /// cannot be derived.
    ///
    /// - If old lines have the same indentation, the inserted line gets the indentation of these
    ///   lines in the file. They must all agree.
    /// - Otherwise, if all old lines differ from the file by the same prefix, this prefix is
    ///   exchanged.
    /// - Otherwise, the indentation is kept if it occurs in the file and no old line is indented
    ///   with the same character.
    pub(crate) fn convert<'l>(&self, line: &'l [u8]) -> Option<(&'l [u8], Vec<u8>)> {
        let depth = indentation(line);
        // A blank line, or an indentation that matched exactly, needs no conversion.
        let is_same = self.pairs.iter().all(|(old, found)| old == found);
        if trim(line).is_empty() || is_same {
            return Some((depth, depth.to_vec()));
        }
        let has_old = self.pairs.iter().any(|(old, _)| *old == depth);
        let has_found = self.pairs.iter().any(|(_, found)| *found == depth);
        match (self.markers, has_old) {
            (ContextMarkers::Missing, _) | (ContextMarkers::Unclear, false) => {
                return Some((depth, depth.to_vec()));
            }
            // The insertion has the indentation of a line in either reading.
            (ContextMarkers::Unclear, true) if has_found => return None,
            _ => {}
        }
        let mut seen = self.pairs.iter().filter(|(old, _)| *old == depth);
        if let Some((_, found)) = seen.next() {
            return seen.next().is_none().then(|| (depth, found.to_vec()));
        }
        if let Some((old, found)) = self.difference()
            && let Some(rest) = depth.strip_prefix(old)
        {
            return Some((depth, [found, rest].concat()));
        }
        let is_other = self
            .pairs
            .iter()
            .all(|(old, _)| old.first() != depth.first());
        let is_known = is_other && self.pairs.iter().any(|(_, found)| *found == depth);
        is_known.then(|| (depth, depth.to_vec()))
    }

    /// Returns the prefix of the old indentations and its replacement in the file, if they are the
    /// same for all old lines.
    fn difference(&self) -> Option<(&'a [u8], &'a [u8])> {
        let mut differences = self.pairs.iter().map(|&(old, found)| {
            let common = old
                .iter()
                .rev()
                .zip(found.iter().rev())
                .take_while(|(old, found)| old == found)
                .count();
            (&old[..old.len() - common], &found[..found.len() - common])
        });
        let first = differences.next()?;
        differences
            .all(|difference| difference == first)
            .then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::testing;
    use crate::plan::Direction;
    use crate::text::lines;

    fn depths(file: &[u8], old: &[&[u8]], line: &[u8]) -> Option<Vec<u8>> {
        Reindent::new(old, lines(file).map(|(_, line)| line))
            .convert(line)
            .map(|(_, depth)| depth)
    }

    #[test]
    fn a_dedented_hunk_lands_at_the_depth_of_the_file() {
        let file = b"    if x:\n        y\n";
        assert_eq!(
            depths(file, &[b"if x:\n", b"    y\n"], b"        z"),
            Some(b"            ".to_vec())
        );
    }

    #[test]
    fn context_without_markers_keeps_the_insertions() {
        let depth = |patch: &[u8], file: &'static [u8], line: &[u8]| {
            let hunk = testing::hunk(patch, 0, 0);
            let old: Vec<_> = hunk
                .lines(patch, Direction::Forward)
                .filter(HunkLine::is_in_preimage)
                .collect();
            let depths = Reindent::of_hunk(&old, lines(file).map(|(_, line)| line));
            depths.convert(line).map(|(_, depth)| depth.len())
        };
        let file = b"    if x {\n        y();\n    }\n";
        let unmarked = b"    if x {\n        y();\n    }\n";
        assert_eq!(depth(unmarked, file, b"        z();"), Some(8));
        // The deletion has its marker.
        let mixed = b"    if x {\n-        y();\n    }\n";
        assert_eq!(depth(mixed, file, b"        z();"), Some(8));
        // A hunk with another indentation has deletions with this indentation.
        let shifted = b"    if x {\n-       y();\n    }\n";
        assert_eq!(depth(shifted, file, b"       z();"), Some(8));
    }

    #[test]
    fn tabs_for_blanks_are_known_only_where_they_were_seen() {
        let (file, old): (&[u8], [&[u8]; 2]) = (b"def f():\n\tx\n", [b"def f():\n", b"    x\n"]);
        assert_eq!(depths(file, &old, b"    y"), Some(b"\t".to_vec()));
        assert_eq!(depths(file, &old, b"\ty"), Some(b"\t".to_vec()));
        assert_eq!(depths(file, &old, b"        y"), None);
    }
}
