//! The repairs, as a table, and what is noted of them on the way.

use super::error::PlacementError;
use crate::plan::Repair;
use crate::text::Span;

/// The repairs, as reports name them: each has a row of [`ROWS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RepairKind {
    /// The text was encoded as UTF-16.
    Utf16,
    /// The diff was coloured.
    Colours,
    /// Fences, prose, tags, indentation or a byte order mark around the patch were cut away.
    Wrapping,
    /// Markers of an envelope were written in another way, or were missing.
    Envelope,
    /// The lines of a chunk were counted instead of believing its header.
    Counts,
    /// A chunk was not at its stated line.
    StartLine,
    /// A header said nothing of lines.
    BareHeader,
    /// The first line of a chunk stood on its header.
    GluedHeader,
    /// Lines of context had lost their marker.
    Markers,
    /// Blanks at the ends of lines, or runs of blanks, differed.
    Whitespace,
    /// The chunk stood at another depth, and so do the lines that it adds.
    Indentation,
    /// Typographic dashes, quotes or blanks differed.
    Typography,
    /// Line numbers of a viewer were taken off.
    LineNumbers,
    /// Entities of HTML were turned back.
    Escaped,
    /// A line of context stood for others.
    Elision,
    /// The file was found under another name than the patch gives it.
    Name,
    /// Chunks did not come in the order of the file, or shared lines.
    Order,
}

/// Every repair with its stable name, and what it says.
pub const ROWS: &[(RepairKind, &str, &str)] = &[
    (
        RepairKind::Utf16,
        "utf16",
        "the patch was converted from UTF-16 to UTF-8",
    ),
    (
        RepairKind::Colours,
        "colours",
        "the escape sequences of a coloured diff were removed",
    ),
    (
        RepairKind::Wrapping,
        "wrapping",
        "text around the patch was left out",
    ),
    (
        RepairKind::Envelope,
        "envelope",
        "the markers of the envelope were read as they were meant",
    ),
    (
        RepairKind::Counts,
        "counts",
        "the header of the chunk counted its lines wrongly; they were counted again",
    ),
    (
        RepairKind::StartLine,
        "start_line",
        "the header of the chunk named another line",
    ),
    (
        RepairKind::BareHeader,
        "bare_header",
        "the header of the chunk named no lines; they were searched",
    ),
    (
        RepairKind::GluedHeader,
        "glued_header",
        "the first line of the chunk stood on its header",
    ),
    (
        RepairKind::Markers,
        "markers",
        "lines had lost the blank or sign that they begin with",
    ),
    (
        RepairKind::Whitespace,
        "whitespace",
        "blanks differ in lines that stay; those of the file were kept",
    ),
    (
        RepairKind::Indentation,
        "indentation",
        "the chunk stands at another depth in the file; so do its new lines",
    ),
    (
        RepairKind::Typography,
        "typography",
        "dashes, quotes or blanks differ in lines that stay; those of the file were kept",
    ),
    (
        RepairKind::LineNumbers,
        "line_numbers",
        "line numbers in front of the lines were taken off",
    ),
    (
        RepairKind::Escaped,
        "escaped",
        "entities of HTML were turned back",
    ),
    (
        RepairKind::Elision,
        "elision",
        "a line that stands for others was read as a gap between two places; what is there stays",
    ),
    (
        RepairKind::Name,
        "name",
        "the file was found under another name than the patch gives",
    ),
    (
        RepairKind::Order,
        "order",
        "the chunks do not come in the order of the file, or share lines",
    ),
];

/// The steps that were taken for an input, or for one of its files, and their limit. A step is a
/// comparison of two lines.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    done: u64,
    most: u64,
}

impl Default for Work {
    fn default() -> Self {
        Self::within(MOST_WORK)
    }
}

impl Work {
    /// Returns a budget of `most` steps.
    pub(super) const fn within(most: u64) -> Self {
        Self { done: 0, most }
    }

    /// Returns the steps that were taken.
    #[cfg(test)]
    pub(super) fn done(self) -> u64 {
        self.done
    }

    /// Returns the share of a file with `content` in the budget of an input that changes so many
    /// `files`: an equal part of the budget, and what it takes to read the file a few times. It
    /// does not depend on what the other files take.
    #[must_use]
    pub fn share(files: usize, content: &[u8]) -> Self {
        Self::within(MOST_WORK / files.max(1) as u64 + (READS * read_cost(content)) as u64)
    }
}

/// What is noted on the way.
#[derive(Debug, Default)]
pub(super) struct RepairLog {
    rows: Vec<(usize, RepairKind)>,
    work: Work,
}

/// Most steps for one input: a patch that needs more is not one that was damaged by mistake.
const MOST_WORK: u64 = 1 << 25;

/// How often each file can be read in addition.
const READS: usize = 8;

impl RepairLog {
    /// Notes a repair of what begins at `line` of the patch.
    pub(super) fn note(&mut self, row: RepairKind, line: usize) {
        let is_known = |known: &(usize, RepairKind)| {
            *known == (line, row) || row == RepairKind::Wrapping && known.1 == row
        };
        if !self.rows.iter().rev().take(64).any(is_known) {
            self.rows.push((line, row));
        }
    }

    /// Notes so much work; `false` if it was too much.
    pub(super) fn charge(&mut self, work: usize) -> bool {
        self.work.done = self.work.done.saturating_add(work as u64);
        !self.is_spent()
    }

    /// Notes so much work.
    ///
    /// # Errors
    ///
    /// Returns [`PlacementError::TooMuch`] if it was too much.
    pub(super) fn spend(&mut self, work: usize) -> Result<(), PlacementError> {
        if self.charge(work) {
            Ok(())
        } else {
            Err(PlacementError::TooMuch)
        }
    }

    /// Returns whether no more work is to be done.
    pub(super) fn is_spent(&self) -> bool {
        self.work.done > self.work.most
    }

    /// Returns one that goes on with `work`, and has no rows yet.
    pub(super) fn with_work(work: Work) -> Self {
        Self {
            rows: Vec::new(),
            work,
        }
    }

    /// Returns one that goes on with the work of this one, and has no rows yet.
    pub(super) fn tried(&self) -> Self {
        Self::with_work(self.work)
    }

    /// Returns the work so far.
    pub(super) fn work(&self) -> Work {
        self.work
    }

    /// Takes the work of `tried`, and not what it noted.
    pub(super) fn leave(&mut self, tried: &Self) {
        self.work = tried.work;
    }

    /// Takes the rows and the work of `tried`.
    pub(super) fn take(&mut self, tried: Self) {
        self.work = tried.work;
        tried
            .rows
            .into_iter()
            .for_each(|(line, row)| self.note(row, line));
    }

    /// Returns what was repaired, each once.
    pub(super) fn into_rows(self) -> Vec<RepairKind> {
        let mut rows: Vec<_> = self.rows.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Returns what was repaired, in the order of the patch. `sections` have their first lines
    /// there, and what they came to.
    pub(super) fn repairs(mut self, sections: &[(usize, Span)]) -> Vec<Repair> {
        self.rows.sort_unstable();
        self.rows.dedup();
        let told = |(line, row): (usize, RepairKind)| {
            let &(_, code, message) = ROWS.iter().find(|(known, ..)| *known == row)?;
            let next = sections.partition_point(|(first, _)| *first <= line);
            let section = next.checked_sub(1).map(|last| sections[last].1);
            Some(Repair {
                code,
                line,
                message,
                section,
            })
        };
        self.rows.into_iter().filter_map(told).collect()
    }
}

/// What it costs to read a line and to write it again, in comparisons.
const WHOLE: usize = 20;

/// How many bytes of a line cost as much as a comparison.
const LENGTH: usize = 4;

/// Returns the steps that it takes to find the lines of `content`.
pub(super) fn read_cost(content: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', content).count() * WHOLE + content.len() / LENGTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_an_input_share_its_budget() {
        let shares = |files: usize| files as u64 * Work::share(files, b"").most;
        for files in [1, 2, 3, 1000, 1_000_000] {
            assert!(
                (MOST_WORK - files as u64..=MOST_WORK).contains(&shares(files)),
                "{files}"
            );
        }
        let content = "line\n".repeat(1000);
        assert!(
            Work::share(usize::MAX, content.as_bytes()).most
                >= 2 * read_cost(content.as_bytes()) as u64
        );
    }

    #[test]
    fn every_repair_has_its_row() {
        let last = RepairKind::Order as usize;
        let rows: Vec<_> = ROWS.iter().map(|(row, ..)| *row as usize).collect();
        assert_eq!(rows, (0..=last).collect::<Vec<_>>());
    }
}
