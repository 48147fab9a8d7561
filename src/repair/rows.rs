//! The table of repairs, and the log of the repairs that were made.

use super::error::PlacementError;
use crate::plan::Repair;
use crate::text::Span;

/// The repairs that reports name. Each has a row in [`REPAIRS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RepairKind {
    /// The text was encoded in UTF-16.
    Utf16,
    /// The diff was coloured.
    Colours,
    /// Fences, prose, tags, indentation or a byte order mark around the patch were removed.
    Wrapping,
    /// Markers of an envelope or of blocks were missing, or were not in the exact form.
    Envelope,
    /// The counts in a hunk header were wrong. The lines of the hunk decide.
    Counts,
    /// A hunk was not at its stated line.
    StartLine,
    /// A hunk header contained no line numbers.
    BareHeader,
    /// The first line of a hunk was on the header line.
    GluedHeader,
    /// Lines had lost their sign: context its leading space, or lines of a new file their `+`.
    Markers,
    /// White space at the ends of lines, or runs of white space, differed.
    Whitespace,
    /// The hunk matched at another indentation. The new lines take that indentation.
    Indentation,
    /// Typographic dashes, quotes or spaces differed.
    Typography,
    /// Line numbers of a viewer were removed.
    LineNumbers,
    /// HTML entities were decoded.
    Escaped,
    /// A context line represented omitted lines.
    Elision,
    /// The file has another name than the patch states.
    Name,
    /// Hunks were not in the order of the file, or shared lines.
    Order,
}

/// All repairs, each with its stable name and its message.
pub const REPAIRS: &[(RepairKind, &str, &str)] = &[
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
        "text around the patch was ignored",
    ),
    (
        RepairKind::Envelope,
        "envelope",
        "misspelled or additional markers of an envelope or a block were accepted",
    ),
    (
        RepairKind::Counts,
        "counts",
        "the line counts in the hunk header were wrong and were corrected",
    ),
    (
        RepairKind::StartLine,
        "start_line",
        "the start line in the hunk header was wrong",
    ),
    (
        RepairKind::BareHeader,
        "bare_header",
        "the hunk header had no line numbers; the hunk was placed by its lines",
    ),
    (
        RepairKind::GluedHeader,
        "glued_header",
        "the first line of the hunk was on its header line",
    ),
    (
        RepairKind::Markers,
        "markers",
        "lines without their leading space, `-` or `+` were completed",
    ),
    (
        RepairKind::Whitespace,
        "whitespace",
        "white space differs in context lines; the file's white space was kept",
    ),
    (
        RepairKind::Indentation,
        "indentation",
        "the indentation of the hunk differs from the file; inserted lines use the indentation of the file",
    ),
    (
        RepairKind::Typography,
        "typography",
        "dashes, quotes or spaces differ in context lines; the file's characters were kept",
    ),
    (
        RepairKind::LineNumbers,
        "line_numbers",
        "line numbers before the lines were removed",
    ),
    (RepairKind::Escaped, "escaped", "HTML entities were decoded"),
    (
        RepairKind::Elision,
        "elision",
        "a placeholder line was treated as a gap; the file's lines in the gap were kept",
    ),
    (
        RepairKind::Name,
        "name",
        "the patch names the file differently",
    ),
    (
        RepairKind::Order,
        "order",
        "the hunks are not in the order of the file, or they share lines",
    ),
];

/// The budget of an input, or of one of its files: the steps taken and their limit. One step is a
/// comparison of two lines.
#[derive(Clone, Copy, Debug)]
pub struct StepBudget {
    done: u64,
    most: u64,
}

impl Default for StepBudget {
    fn default() -> Self {
        Self::with_limit(MAX_WORK)
    }
}

impl StepBudget {
    /// Returns a budget of `most` steps.
    pub(crate) const fn with_limit(most: u64) -> Self {
        Self { done: 0, most }
    }

    /// Returns the number of steps taken.
    #[cfg(test)]
    pub(super) fn done(self) -> u64 {
        self.done
    }

    /// Returns the budget of a file with `content`, in an input that changes `files` files. It is
    /// an equal part of the input's budget, plus the cost of reading the file a few times. It does
    /// not depend on the cost of the other files.
    #[must_use]
    pub fn share(files: usize, content: &[u8]) -> Self {
        Self::with_limit(MAX_WORK / files.max(1) as u64 + (FREE_READS * read_cost(content)) as u64)
    }
}

/// The place of a section in a patch and in the repaired patch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectionSpan {
    /// The first line of the section in the patch, counted from 1.
    pub(crate) line: usize,
    /// The span of the section in the repaired patch.
    pub(crate) span: Span,
}

/// The repairs and the work so far.
#[derive(Debug, Default)]
pub(crate) struct RepairLog {
    rows: Vec<(usize, RepairKind)>,
    work: StepBudget,
}

/// The maximum number of steps for one input. A patch that needs more was not damaged by mistake.
const MAX_WORK: u64 = 1 << 25;

/// The number of times that each file can be read in addition.
const FREE_READS: usize = 8;

impl RepairLog {
    /// Records a repair of the element that begins at `line` of the patch.
    pub(crate) fn note(&mut self, row: RepairKind, line: usize) {
        // Each line of prose around a patch is a `Wrapping`, but one report is enough. Only the
        // last entries are compared, so that the time per entry is constant.
        let is_known = |known: &(usize, RepairKind)| {
            *known == (line, row) || row == RepairKind::Wrapping && known.1 == row
        };
        if !self.rows.iter().rev().take(64).any(is_known) {
            self.rows.push((line, row));
        }
    }

    /// Adds `work` steps. Returns `false` if the budget is exceeded.
    pub(super) fn charge(&mut self, work: usize) -> bool {
        // The steps count even if they exceed the limit, so that no later search of the input
        // succeeds after one has failed.
        self.work.done = self.work.done.saturating_add(work as u64);
        !self.is_spent()
    }

    /// Adds `work` steps.
    ///
    /// # Errors
    ///
    /// Returns [`PlacementError::TooMuch`] if the budget is exceeded.
    pub(super) fn spend(&mut self, work: usize) -> Result<(), PlacementError> {
        if self.charge(work) {
            Ok(())
        } else {
            Err(PlacementError::BudgetExceeded)
        }
    }

    /// Returns whether the budget is exceeded.
    pub(crate) fn is_spent(&self) -> bool {
        self.work.done > self.work.most
    }

    /// Returns a log without repairs that continues with `work`.
    pub(crate) fn with_work(work: StepBudget) -> Self {
        Self {
            rows: Vec::new(),
            work,
        }
    }

    /// Returns a log without repairs that continues with the work of this log. The repairs of a
    /// failed attempt must not be reported, but its steps count.
    pub(super) fn fork(&self) -> Self {
        Self::with_work(self.work)
    }

    /// Returns the work so far.
    pub(super) fn work(&self) -> StepBudget {
        self.work
    }

    /// Adopts the work of `tried`, but not its repairs.
    pub(super) fn adopt_work(&mut self, tried: &Self) {
        self.work = tried.work;
    }

    /// Adopts the repairs and the work of `tried`.
    pub(super) fn adopt(&mut self, tried: Self) {
        self.work = tried.work;
        tried
            .rows
            .into_iter()
            .for_each(|(line, row)| self.note(row, line));
    }

    /// Returns the repairs, each once.
    pub(super) fn into_rows(self) -> Vec<RepairKind> {
        let mut rows: Vec<_> = self.rows.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Returns the repairs in the order of the patch. `sections` contains the sections in the order
    /// of the patch.
    pub(crate) fn repairs(mut self, sections: &[SectionSpan]) -> Vec<Repair> {
        self.rows.sort_unstable();
        self.rows.dedup();
        let told = |(line, row): (usize, RepairKind)| {
            let &(_, code, message) = REPAIRS.iter().find(|(known, ..)| *known == row)?;
            // A repair before the first section, such as a removed fence, belongs to no section.
            let next = sections.partition_point(|section| section.line <= line);
            let section = next.checked_sub(1).map(|last| sections[last].span);
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

/// The cost of reading and writing a line, in steps.
const STEPS_PER_LINE: usize = 20;

/// The number of bytes in a line that cost one step.
const BYTES_PER_STEP: usize = 4;

/// Returns the number of steps for splitting `content` into lines.
pub(super) fn read_cost(content: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', content).count() * STEPS_PER_LINE + content.len() / BYTES_PER_STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_an_input_share_its_budget() {
        let shares = |files: usize| files as u64 * StepBudget::share(files, b"").most;
        for files in [1, 2, 3, 1000, 1_000_000] {
            assert!(
                (MAX_WORK - files as u64..=MAX_WORK).contains(&shares(files)),
                "{files}"
            );
        }
        let content = "line\n".repeat(1000);
        assert!(
            StepBudget::share(usize::MAX, content.as_bytes()).most
                >= 2 * read_cost(content.as_bytes()) as u64
        );
    }

    #[test]
    fn every_repair_has_its_row() {
        let last = RepairKind::Order as usize;
        let rows: Vec<_> = REPAIRS.iter().map(|(row, ..)| *row as usize).collect();
        assert_eq!(rows, (0..=last).collect::<Vec<_>>());
    }
}
