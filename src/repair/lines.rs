//! The lines of a file, and the search for runs of lines.

use std::cell::OnceCell;
use std::ops::Range;

use super::chunk::ReadingLine;
use super::error::PlacementError;
use super::rows::{RepairLog, read_cost};
use crate::lines::{Comparison, LADDER, LineOccurrences};
use crate::text::{lines, without_bom, without_ending};

/// A file as lines.
pub(super) struct FileLines<'f> {
    /// The lines with their terminators, without a byte order mark.
    pub(super) all: Vec<&'f [u8]>,
    pub(super) has_mark: bool,
    /// The occurrences of the lines on each rung, computed on first use.
    occurrences: [OnceCell<LineOccurrences>; LADDER.len()],
    /// The number of lines that were read.
    #[cfg(test)]
    pub(super) reads: std::cell::Cell<usize>,
}

impl<'f> FileLines<'f> {
    /// Returns the lines of `content`.
    pub(super) fn of(content: &'f [u8], log: &mut RepairLog) -> Result<Self, PlacementError> {
        // A patch usually lacks the byte order mark, so it is not part of the first line. `splice`
        // writes it again.
        let text = without_bom(content);
        log.spend(read_cost(text))?;
        let all = lines(text).map(|(_, line)| line).collect();
        Ok(Self {
            all,
            has_mark: text.len() < content.len(),
            occurrences: Default::default(),
            #[cfg(test)]
            reads: std::cell::Cell::default(),
        })
    }

    pub(super) fn content(&self, index: usize) -> &'f [u8] {
        #[cfg(test)]
        self.reads.set(self.reads.get() + 1);
        without_ending(self.all[index])
    }

    /// Returns whether the file contains `line`.
    pub(super) fn has(&self, line: &[u8], log: &mut RepairLog) -> Result<bool, PlacementError> {
        let occurrences = self.occurrences(0);
        log.spend(occurrences.lookup_cost())?;
        // Lines with the same 64-bit hash count as equal, here and in `find_runs`.
        Ok(occurrences.count(occurrences.hash(line)) > 0)
    }

    fn occurrences(&self, rung: usize) -> &LineOccurrences {
        self.occurrences[rung].get_or_init(|| {
            let lines = (0..self.all.len()).map(|index| self.content(index));
            LineOccurrences::new(Comparison::loose(rung), lines)
        })
    }

    /// Returns whether the run of lines in `range` occurs nowhere else.
    pub(super) fn is_unique(
        &self,
        range: &Range<usize>,
        log: &mut RepairLog,
    ) -> Result<bool, PlacementError> {
        let (occurrences, run) = (self.occurrences(0), &self.all[range.clone()]);
        log.spend(occurrences.lookup_cost())?;
        if run.is_empty() {
            // An empty run occurs before every line.
            return Ok(self.all.is_empty());
        }
        // The hashes ignore line endings, so the lines with their terminators decide.
        for &at in occurrences
            .find(occurrences.hashes()[range.start])
            .iter()
            .filter(|&&at| at != range.start)
        {
            let same = run
                .iter()
                .zip(&self.all[at..])
                .take_while(|(one, other)| one == other)
                .count();
            log.spend(same + 1)?;
            if same == run.len() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Replaces the lines in `range` by the lines of `text`.
    pub(super) fn replace(&mut self, range: Range<usize>, text: &'f [u8]) {
        let new: Vec<_> = lines(text).map(|(_, line)| line).collect();
        // Only the new lines are hashed. Otherwise, every edit of a long list would hash the whole
        // file.
        for occurrences in &mut self.occurrences {
            if let Some(occurrences) = occurrences.get_mut() {
                occurrences.replace(range.clone(), new.iter().copied());
            }
        }
        self.all.splice(range, new);
    }

    /// Returns the places where the run `lines` occurs, under the comparison of the rung. A line
    /// matches by its text or by its raw form. An empty run has a place before each line and at the
    /// end.
    pub(super) fn find_runs(
        &self,
        lines: &[&ReadingLine],
        rung: usize,
        log: &mut RepairLog,
    ) -> Result<Vec<usize>, PlacementError> {
        let Some(last) = self.all.len().checked_sub(lines.len()) else {
            return Ok(Vec::new());
        };
        let occurrences = self.occurrences(rung);
        let hashes = occurrences.hashes();
        // The context line ` x` is the line `x` of the file, or ` x` if the patch lost the sign.
        let hash = |line: &&ReadingLine| {
            [&*line.text, line.raw.as_deref().unwrap_or(&line.text)].map(|it| occurrences.hash(it))
        };
        let wanted: Vec<_> = lines.iter().map(hash).collect();
        log.spend(wanted.len() * occurrences.lookup_cost())?;
        let count = |hashes: [u64; 2]| match hashes {
            [text, raw] if text == raw => occurrences.count(text),
            [text, raw] => occurrences.count(text) + occurrences.count(raw),
        };
        // Only the places of the rarest line need to be compared.
        let Some(nth) = (0..wanted.len()).min_by_key(|&nth| count(wanted[nth])) else {
            return Ok((0..=last).collect());
        };
        log.spend(count(wanted[nth]))?;
        let rarest = match wanted[nth] {
            [text, raw] if text == raw => occurrences.find(text),
            [text, raw] => [occurrences.find(text), occurrences.find(raw)]
                .concat()
                .into(),
        };
        let mut starts: Vec<_> = rarest.iter().filter_map(|at| at.checked_sub(nth)).collect();
        starts.sort_unstable();
        starts.dedup();
        let mut found = Vec::new();
        for start in starts.into_iter().filter(|&start| start <= last) {
            let length = wanted
                .iter()
                .zip(&hashes[start..])
                .take_while(|(wanted, found)| wanted.contains(found))
                .count();
            log.spend(length + 1)?;
            if length == wanted.len() {
                found.push(start);
            }
        }
        Ok(found)
    }
}
