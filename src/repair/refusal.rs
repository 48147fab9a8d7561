//! The reasons why a patch cannot be repaired.

use super::chunk::{RawHunk, Reading};
use super::error::{CountMismatch, PlacementError};
use super::read::Section;
use super::rows::RepairLog;
use crate::lines::LineOffsets;
use crate::matching::{self, ClosestMatch, MatchRules, Mismatch, MismatchKind};
use crate::path::RelPath;
use crate::plan::{Anchor, Direction, Hunk, LineKind, LineRange};
use crate::text::Span;

/// A reason why a patch cannot be repaired.
#[derive(Clone, Debug)]
pub struct RepairError {
    /// The kind of failure.
    pub kind: RepairErrorKind,
    /// The file, if it is known.
    pub path: Option<RelPath>,
    /// The place in the patch.
    pub span: Span,
    /// The message for people.
    pub message: String,
    /// The affected lines of the file, counted from 0.
    pub lines: Vec<usize>,
    /// The closest match.
    pub nearest: Option<ClosestMatch>,
}

/// The kinds of failure of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairErrorKind {
    /// The input contains no patch.
    NoPatch,
    /// Options change the names of a section that is copied without a repair.
    VerbatimName,
    /// Lines look like a change but belong to no section.
    Stray,
    /// The patch is truncated.
    Truncated,
    /// A hunk does not match anywhere.
    NotFound,
    /// A hunk matches several places.
    Ambiguous,
    /// A hunk is already applied.
    Applied,
    /// No file has the name, or several files are possible.
    Name,
    /// The name leads out of the root.
    OutsideRoot,
    /// Policy denies the path.
    Denied,
    /// Policy requires approval before the file is read.
    Unapproved,
    /// Two hunks change the same lines.
    Overlap,
    /// The file cannot be read as text.
    Unreadable,
    /// The search would exceed the budget.
    BudgetExceeded,
}

impl RepairError {
    /// Returns a refusal without further details.
    pub(crate) fn new(
        kind: RepairErrorKind,
        path: Option<RelPath>,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            path,
            span,
            message: message.into(),
            lines: Vec::new(),
            nearest: None,
        }
    }
}

/// Returns the refusals of the hunks without a place in `content`, with their closest matches.
pub(super) fn collect_refusals(
    section: &Section<'_>,
    path: &RelPath,
    content: &[u8],
    errors: Vec<(usize, PlacementError)>,
    log: &mut RepairLog,
) -> Vec<RepairError> {
    let mut refusals = Vec::with_capacity(errors.len());
    for (index, error) in errors {
        let chunk = &section.hunks[index];
        let first = chunk.body.first().map_or(section.span, |line| line.span);
        let mismatch = find_closest_match(chunk, content, log);
        // The strict search also finds a postimage that is already in the file.
        let (error, nearest) = match mismatch {
            Some(Mismatch {
                kind: MismatchKind::AlreadyApplied { line },
                ..
            }) if error == PlacementError::NotFound => (PlacementError::AlreadyApplied(line), None),
            Some(Mismatch { nearest, .. }) => (error, nearest),
            None => (error, None),
        };
        let differs = nearest
            .as_ref()
            .and_then(|nearest| Some(nearest.difference.as_ref()?.patch_offset));
        // The refusal refers to the line that differs, or else to the first line of the hunk.
        let span = differs.and_then(|at| {
            chunk
                .body
                .iter()
                .map(|line| line.span)
                .find(|span| span.start == at)
        });
        let span = span.unwrap_or(first);
        let (kind, message, lines) = describe(index + 1, error);
        refusals.push(RepairError {
            lines,
            nearest,
            ..RepairError::new(kind, Some(path.clone()), span, message)
        });
    }
    refusals
}

/// The cost of searching through one byte of the file, in steps.
const STEPS_PER_BYTE: usize = 4;

/// Returns the mismatch of the most likely reading of `chunk`. Its offsets refer to the patch.
///
/// The reading becomes a hunk of an envelope, which strict mode compares on several rungs,
/// regardless of line numbers.
fn find_closest_match(
    chunk: &RawHunk<'_>,
    content: &[u8],
    log: &mut RepairLog,
) -> Option<Mismatch> {
    let reading = chunk.readings().into_iter().next()?;
    // A search through the file costs much more than comparing its lines with those of a hunk.
    if !log.charge(content.len() * STEPS_PER_BYTE + reading.lines.len()) {
        return None;
    }
    // `starts` maps the offset of each line in `text` to its offset in the patch.
    let (mut text, mut starts) = (Vec::new(), Vec::new());
    for line in &reading.lines {
        starts.push((text.len(), line.at));
        text.push(match line.kind {
            LineKind::Context => b' ',
            LineKind::Deletion => b'-',
            LineKind::Insertion => b'+',
        });
        text.extend_from_slice(&line.text);
        text.push(b'\n');
    }
    let placed = matching::place_hunks(
        &LineOffsets::new(content),
        &text,
        &[build_hunk(&reading, Span::new(0, text.len()))],
        Direction::Forward,
        &MatchRules::default(),
    )
    .pop()?;
    let mut mismatch = *placed.err()?;
    if let Some(difference) = mismatch
        .nearest
        .as_mut()
        .and_then(|nearest| nearest.difference.as_mut())
    {
        // The mismatch refers to `text`. Its line has a position in the patch.
        let line = starts
            .partition_point(|&(start, _)| start <= difference.patch_offset)
            .saturating_sub(1);
        difference.patch_offset = starts.get(line)?.1;
    }
    Some(mismatch)
}

/// Returns `reading` as a hunk of an envelope with the given `body`.
fn build_hunk(reading: &Reading, body: Span) -> Hunk {
    let count =
        |is: fn(LineKind) -> bool| reading.lines.iter().filter(|line| is(line.kind)).count();
    Hunk {
        anchor: Anchor::Headings {
            headings: Box::default(),
            at_end: false,
        },
        span: body,
        header: Span::default(),
        body,
        old: LineRange {
            start: 0,
            count: count(|kind| kind != LineKind::Insertion),
        },
        new: LineRange {
            start: 0,
            count: count(|kind| kind != LineKind::Deletion),
        },
        section: Span::default(),
        selection: None,
    }
}

/// Returns the kind, the message, and the affected lines of the file for a hunk without a place.
pub(super) fn describe(
    number: usize,
    error: PlacementError,
) -> (RepairErrorKind, String, Vec<usize>) {
    let message = message(number, &error);
    let (kind, lines) = match error {
        PlacementError::NotFound | PlacementError::NoChange => {
            (RepairErrorKind::NotFound, Vec::new())
        }
        PlacementError::Indentation(line) => (RepairErrorKind::NotFound, vec![line]),
        PlacementError::Ambiguous(lines) => (RepairErrorKind::Ambiguous, lines),
        PlacementError::Typography | PlacementError::DoubtfulSign(_) => {
            (RepairErrorKind::Ambiguous, Vec::new())
        }
        PlacementError::AlreadyApplied(line) => (RepairErrorKind::Applied, vec![line]),
        PlacementError::Overlap => (RepairErrorKind::Overlap, Vec::new()),
        PlacementError::Elided | PlacementError::DoubtfulTail => {
            (RepairErrorKind::Stray, Vec::new())
        }
        PlacementError::Truncated(_) => (RepairErrorKind::Truncated, Vec::new()),
        PlacementError::BudgetExceeded => (RepairErrorKind::BudgetExceeded, Vec::new()),
    };
    (kind, message, lines)
}

fn message(number: usize, error: &PlacementError) -> String {
    match error {
        PlacementError::NotFound => {
            format!("hunk {number} does not match, even with repairs")
        }
        PlacementError::Ambiguous(lines) => {
            let lines: Vec<_> = lines.iter().map(|line| (line + 1).to_string()).collect();
            format!("hunk {number} matches at lines {}", lines.join(", "))
        }
        PlacementError::AlreadyApplied(line) => format!(
            "the result of hunk {number} is already at line {}",
            line + 1
        ),
        PlacementError::Indentation(line) => format!(
            "hunk {number} matches at line {}, but with another indentation",
            line + 1
        ),
        PlacementError::Overlap => {
            format!("hunk {number} changes lines that another hunk changes")
        }
        PlacementError::Elided => {
            format!("hunk {number} would write a placeholder line that represents omitted code")
        }
        PlacementError::DoubtfulTail => format!(
            "it is unclear whether the last lines of hunk {number} belong to the patch or to a list after it; \
             provide the patch alone"
        ),
        PlacementError::Truncated(shortage) => {
            describe_truncation(&format!("hunk {number}"), *shortage)
        }
        PlacementError::Typography => format!(
            "it is unclear whether the typographic characters in an inserted line of hunk {number} are intended"
        ),
        PlacementError::DoubtfulSign(line) => format!(
            "it is unclear whether a line of hunk {number} (line {line} of the patch) is an insertion or a context \
             line without its leading space"
        ),
        PlacementError::BudgetExceeded => {
            format!("the search for hunk {number} would exceed the limit")
        }
        PlacementError::NoChange => format!("hunk {number} changes nothing"),
    }
}

/// Returns the refusal of an input that was not read to its end, because the budget is used up.
pub(crate) fn budget_refusal(span: Span) -> RepairError {
    RepairError::new(
        RepairErrorKind::BudgetExceeded,
        None,
        span,
        "the search for the hunks of the patch would exceed the limit",
    )
}

/// Returns the message for a hunk with fewer lines than its header counts.
pub(super) fn describe_truncation(
    hunk: &str,
    CountMismatch {
        stated: promised,
        found,
    }: CountMismatch,
) -> String {
    let (old, new) = promised;
    format!(
        "{hunk} is truncated: its header counts {old} old and {new} new lines, but the patch has {} and {}",
        found.0, found.1
    )
}
