//! One hunk in a report: its stated lines, its placement, or the reason why it has none.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::applied::{AppliedLines, applied_lines};
use super::merge::MergedChange;
use super::nearest::{Budget, NearestPlace};
use super::omitted::EntryLimits;
use super::status::HunkStatus;
use super::words::LineCounter;
use crate::matching::{MergeResult, MergedHunk, Mismatch, MismatchKind, Placement, SymbolMismatch};
use crate::plan::{Hunk, LineRange, Operation};
use crate::preflight::FileOutcome;
use crate::text::Span;

/// The result for one hunk.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct HunkReport {
    /// The identifier in this report, for example `f1h2`.
    pub id: String,
    /// The index of the hunk in the operation.
    #[serde(skip)]
    pub(crate) index: usize,
    /// The status.
    pub status: HunkStatus,
    /// The line comparison that found the placement.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub rung: Option<&'static str>,
    /// The distance in lines from the stated line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<isize>,
    /// The number of context lines ignored at the start or the end, whichever is larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuzz: Option<usize>,
    /// The lines that the patch states, in the direction of application.
    pub patch: StatedLines,
    /// The lines where the hunk was applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<AppliedLines>,
    /// The position of the hunk in the patch.
    pub source: Source,
    /// The result of each change in a merged hunk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedChange>,
    /// All lines where the hunk applies, if it has an offset or is ambiguous.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// The first preimage lines of a hunk without a placement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// The closest match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Box<NearestPlace>>,
}

/// The ranges of a hunk header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct StatedLines {
    /// The first line of the preimage, if the grammar has line numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_start: Option<usize>,
    /// The number of preimage lines.
    pub old_lines: usize,
    /// The first line of the postimage, if the grammar has line numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_start: Option<usize>,
    /// The number of postimage lines.
    pub new_lines: usize,
    /// The section heading after the ranges.
    pub section: String,
}

/// A position in a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Source {
    /// The index of the patch.
    pub input: usize,
    /// The offset of the first byte, counted from 0.
    pub byte_start: usize,
    /// The offset after the last byte.
    pub byte_end: usize,
    /// The first line, counted from 1.
    pub line_start: usize,
    /// The last line, counted from 1.
    pub line_end: usize,
    /// The same range in the decoded text of a mail. The spans of a plan refer to this text.
    #[serde(skip)]
    pub(crate) text: Span,
}

/// A line where a hunk applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Candidate {
    /// The first line, counted from 1.
    pub line: usize,
}

/// The hunks of a file that a report lists, and the counts of the others.
#[derive(Debug, Default)]
pub(super) struct ListedHunks {
    pub(super) hunks: Vec<HunkReport>,
    /// The number of hunks that are not listed.
    pub(super) omitted: usize,
    /// The numbers of omitted hunks that apply with an offset, and with fuzz.
    pub(super) omitted_moves: (usize, usize),
}

impl ListedHunks {
    /// Returns an empty list with capacity for `count` hunks. An empty `Vec` would grow to a
    /// capacity of four, but most files have one hunk.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            hunks: Vec::with_capacity(count),
            ..Self::default()
        }
    }

    /// Counts a hunk that is omitted.
    pub(super) fn count_omitted(&mut self, placement: Option<&Placement>) {
        self.omitted += 1;
        self.omitted_moves.0 +=
            usize::from(placement.is_some_and(|placement| placement.offset != 0));
        self.omitted_moves.1 +=
            usize::from(placement.is_some_and(|placement| placement.ignored_context != (0, 0)));
    }
}

/// Returns whether a merged hunk has a conflict.
pub(super) fn has_conflict(hunk: &MergedHunk) -> bool {
    hunk.parts
        .iter()
        .any(|part| part.kind == MergeResult::Conflict)
}

/// Returns the entries for the hunks of the file `id`, within the limits of `room`. The outcome has
/// no placements if the hunks were not searched for.
pub(super) fn reports(
    id: &str,
    operation: &Operation,
    (hunks, outcome): (&[Hunk], &FileOutcome),
    (patch, mut room): (&[u8], EntryLimits),
    counter: &mut LineCounter<'_>,
) -> ListedHunks {
    let placements = &outcome.placements;
    let mut applied = applied_lines(operation, hunks, placements);
    let mut listed = ListedHunks::with_capacity(room.max_hunks(hunks.len()));
    let merged = |index: usize| outcome.merge.as_ref()?.hunks.get(index);
    for (index, hunk) in hunks
        .iter()
        .enumerate()
        .filter(|(index, _)| operation.is_applied(*index))
    {
        let placement = placements
            .get(index)
            .and_then(|placed| placed.as_ref().ok());
        if !room.try_take_hunk(merged(index).map_or(placement.is_none(), has_conflict)) {
            listed.count_omitted(placement);
            continue;
        }
        let source = Source::of(operation, hunk.span, counter);
        let mut report =
            HunkReport::without_placement(id, index, stated_lines(operation, hunk, patch), source);
        report.applied = applied.get_mut(index).and_then(Option::take);
        match placements.get(index) {
            Some(Ok(placement)) => report.set_placement(placement),
            Some(Err(mismatch)) => report.set_mismatch(mismatch, counter),
            None => {}
        }
        if let Some(merged) = merged(index) {
            report.set_merge(merged);
        }
        listed.hunks.push(report);
    }
    listed
}

impl Source {
    pub(super) fn of(operation: &Operation, span: Span, counter: &mut LineCounter<'_>) -> Self {
        let (line_start, line_end) = counter.lines(span);
        let Span {
            start: byte_start,
            end: byte_end,
        } = counter.original_span(span);
        Self {
            input: operation.input,
            byte_start,
            byte_end,
            line_start,
            line_end,
            text: span,
        }
    }
}

impl HunkReport {
    /// Returns the entry of a change of the file `id` whose placement was not searched for.
    pub(super) fn without_placement(
        id: &str,
        index: usize,
        patch: StatedLines,
        source: Source,
    ) -> Self {
        Self {
            id: hunk_id(id, index),
            index,
            status: HunkStatus::Unplaced,
            rung: None,
            offset: None,
            fuzz: None,
            patch,
            applied: None,
            source,
            merged: Vec::new(),
            candidates: Vec::new(),
            expected: Vec::new(),
            nearest: None,
        }
    }

    /// Returns the entry of a change that has no text in the patch. Its stated lines are those
    /// where it was applied.
    pub(super) fn without_text(
        id: &str,
        index: usize,
        operation: &Operation,
        applied: AppliedLines,
    ) -> Self {
        let (old_lines, new_lines) = (applied.old_lines, applied.new_lines);
        let patch = StatedLines {
            old_start: None,
            old_lines,
            new_start: None,
            new_lines,
            section: String::new(),
        };
        let source = Source {
            input: operation.input,
            byte_start: 0,
            byte_end: 0,
            line_start: 1,
            line_end: 1,
            text: Span::default(),
        };
        Self {
            status: HunkStatus::Clean,
            applied: Some(applied),
            ..Self::without_placement(id, index, patch, source)
        }
    }

    pub(super) fn set_placement(&mut self, placement: &Placement) {
        let fuzz = placement.ignored_context.0.max(placement.ignored_context.1);
        self.status = match (fuzz, placement.offset) {
            (0, 0) => HunkStatus::Clean,
            (0, _) => HunkStatus::Offset,
            _ => HunkStatus::Fuzzy,
        };
        self.rung = Some(placement.rung);
        self.offset = Some(placement.offset);
        self.fuzz = Some(fuzz);
        self.candidates = candidates(&placement.candidates);
    }

    /// Adds the results of the merged changes. If the hunk has a placement, its new lines are
    /// shifted by the changes merged before it.
    pub(super) fn set_merge(&mut self, merged: &MergedHunk) {
        let has = |kind: MergeResult| merged.parts.iter().any(|part| part.kind == kind);
        self.merged = merged.parts.iter().map(MergedChange::of).collect();
        if let Some(applied) = &mut self.applied {
            applied.new_start = merged.lines.start + usize::from(applied.new_lines > 0);
            return;
        }
        self.status = match (has(MergeResult::Conflict), has(MergeResult::Merged)) {
            (true, _) => HunkStatus::Conflict,
            (false, true) => HunkStatus::Merged,
            (false, false) => HunkStatus::AlreadyApplied,
        };
    }

    /// Sets the candidates, and returns the status.
    fn set_symbol(&mut self, mismatch: &SymbolMismatch) -> HunkStatus {
        match mismatch {
            SymbolMismatch::NotFound(_) => HunkStatus::NotFound,
            SymbolMismatch::Ambiguous(_, symbols) => {
                let lines: Vec<_> = symbols.iter().map(|symbol| symbol.line).collect();
                self.candidates = candidates(&lines);
                HunkStatus::Ambiguous
            }
            _ => HunkStatus::Unsupported,
        }
    }

    pub(super) fn set_mismatch(&mut self, mismatch: &Mismatch, counter: &mut LineCounter<'_>) {
        self.status = match &mismatch.kind {
            MismatchKind::NotFound | MismatchKind::HeadingNotFound { .. } => HunkStatus::NotFound,
            MismatchKind::Overlap => HunkStatus::Overlap,
            MismatchKind::TooLarge { .. } => HunkStatus::TooLarge,
            MismatchKind::NotEmpty => HunkStatus::Exists,
            MismatchKind::Symbol { reason, .. } => self.set_symbol(reason),
            MismatchKind::Ambiguous {
                lines,
                rung,
                ignored_context: left_out,
            } => {
                self.rung = Some(rung);
                self.fuzz = Some(left_out.0.max(left_out.1)).filter(|&fuzz| fuzz > 0);
                self.candidates = candidates(lines);
                HunkStatus::Ambiguous
            }
            MismatchKind::AlreadyApplied { line } => {
                self.candidates = candidates(&[*line]);
                HunkStatus::AlreadyApplied
            }
        };
        let mut budget = Budget::default();
        self.nearest = mismatch
            .nearest
            .as_ref()
            .map(|nearest| Box::new(NearestPlace::of(nearest, counter, &mut budget)));
        self.expected = match &mismatch.kind {
            MismatchKind::HeadingNotFound { heading, .. } => {
                budget.lines(std::slice::from_ref(heading))
            }
            _ => budget.lines(&mismatch.expected),
        };
    }
}

/// Returns the identifier of the hunk with this index in the file `file`.
pub(super) fn hunk_id(file: &str, index: usize) -> String {
    format!("{file}h{}", index + 1)
}

fn candidates(lines: &[usize]) -> Vec<Candidate> {
    lines
        .iter()
        .map(|line| Candidate { line: line + 1 })
        .collect()
}

fn stated_lines(operation: &Operation, hunk: &Hunk, patch: &[u8]) -> StatedLines {
    let (old, new) = (
        hunk.preimage_range(operation.direction),
        hunk.postimage_range(operation.direction),
    );
    let start = |range: LineRange| (hunk.anchor.is_numbered()).then_some(range.start);
    StatedLines {
        old_start: start(old),
        old_lines: old.count,
        new_start: start(new),
        new_lines: new.count,
        section: Budget::section(hunk.section.slice(patch)),
    }
}
