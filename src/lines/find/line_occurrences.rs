//! The occurrences of each line of a text. Unlike a [`RunIndex`](super::RunIndex), it also serves
//! runs whose lines have alternatives, and texts whose lines are replaced between searches.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::lines::comparison::Comparison;

/// The number of hashes that can be compared for the cost of one step.
const SCAN: usize = 32;

/// The occurrences of each line under one comparison.
pub(crate) struct LineOccurrences {
    comparison: Comparison,
    /// The hash of each line.
    hashes: Vec<u64>,
    /// The lines with each hash, in order; `None` after lines were replaced.
    lines: Option<HashMap<u64, Vec<usize>>>,
}

impl LineOccurrences {
    /// Hashes `lines`.
    pub(crate) fn new<'l>(comparison: Comparison, lines: impl Iterator<Item = &'l [u8]>) -> Self {
        let hashes: Vec<_> = lines.map(|line| comparison.hash(line)).collect();
        let mut lines: HashMap<u64, Vec<usize>> = HashMap::with_capacity(hashes.len());
        for (line, &hash) in hashes.iter().enumerate() {
            lines.entry(hash).or_default().push(line);
        }
        Self {
            comparison,
            hashes,
            lines: Some(lines),
        }
    }

    /// Returns the hash of each line.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns the hash of `line` under the same comparison.
    pub(crate) fn hash(&self, line: &[u8]) -> u64 {
        self.comparison.hash(line)
    }

    /// Returns the lines with the hash `hash`, in order.
    pub(crate) fn find(&self, hash: u64) -> Cow<'_, [usize]> {
        if let Some(lines) = &self.lines {
            return lines.get(&hash).map_or(&[][..], Vec::as_slice).into();
        }
        let all = self.hashes.iter().enumerate();
        all.filter(|(_, other)| **other == hash)
            .map(|(line, _)| line)
            .collect()
    }

    /// Returns the number of lines with the hash `hash`.
    pub(crate) fn count(&self, hash: u64) -> usize {
        match &self.lines {
            Some(lines) => lines.get(&hash).map_or(0, Vec::len),
            None => self.hashes.iter().filter(|other| **other == hash).count(),
        }
    }

    /// Returns the number of steps for looking up a hash. After [`Self::replace`], each lookup
    /// scans the hashes of all lines.
    pub(crate) fn lookup_cost(&self) -> usize {
        if self.lines.is_some() {
            1
        } else {
            1 + self.hashes.len() / SCAN
        }
    }

    /// Replaces the lines in `range` with `lines`.
    pub(crate) fn replace<'l>(
        &mut self,
        range: Range<usize>,
        lines: impl Iterator<Item = &'l [u8]>,
    ) {
        let comparison = self.comparison;
        self.hashes
            .splice(range, lines.map(|line| comparison.hash(line)));
        self.lines = None;
    }
}
