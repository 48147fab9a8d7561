//! Places hunks in a file and builds the new file from the placements.
//!
//! Inputs: the bytes of a file, the bytes of the patch, its hunks, and [`MatchRules`]. Outputs: one
//! [`Placement`] or [`Mismatch`] for each hunk, and the bytes of the new file. The module is pure.
//!
//! Invariants:
//!
//! - Placements of one file never overlap, except those of [`overlay()`].
//! - Bytes outside the placements never change.
//! - The same input gives the same result.
//!
//! Start with [`place_hunks`], which selects the search by the anchor of the hunks: `numbered` for
//! line numbers, `headings` for Codex. `splice` builds the new file. `texts` and `lines` are the
//! counterparts for edits that name a text or a line number. `nearest` finds the closest match of a
//! hunk that does not apply.
//!
//! To add a line comparison, add a row to `lines::LADDER`.

mod applied;
mod context_level;
mod corrected_lines;
mod difference;
mod distinctive;
mod headings;
mod hunkwise;
mod line_offset;
mod lines;
mod lookalike;
mod nearest;
mod numbered;
mod occupied;
mod overlay;
mod pattern;
#[cfg(test)]
mod reference;
pub(crate) mod reindent;
mod rules;
mod search;
mod splice;
mod symbols;
#[cfg(test)]
mod testing;
mod texts;
mod trailing;

pub(crate) use applied::has_known_candidates;
pub(crate) use distinctive::{has_distinctive_result, is_recognisable};
pub use hunkwise::{MergeResult, MergedFile, MergedHunk, MergedPart, merge_hunks};
pub use line_offset::line_offset;
pub use lines::{LineChange, LineEditError, LineEditResult, LineMismatch, change_lines};
pub(crate) use lookalike::{END_OF_NAME, LookalikeSearch};
pub use lookalike::{Lookalike, lookalike, lookalike_name};
pub use overlay::overlay;
pub use rules::{MatchRules, MismatchDetail, WhitespaceCorrection};
pub use symbols::{SymbolCandidate, SymbolMismatch, find_symbol};
pub use texts::{
    ReplaceResult, TextChange, TextMismatch, UnplacedChanges, replace, replace_at,
    replace_unexplained,
};
pub use trailing::{TrailingBlankLines, find_trailing_blank_lines};

use std::ops::Range;

use crate::lines::LADDER;
pub use crate::lines::{
    Conflict, ConflictResolution, ConflictStyle, LineOffsets, MergedText, merge,
};
use crate::plan::{Anchor, Direction, Hunk};
use crate::text::{Pieces, Span, without_ending};

/// The lines where a hunk matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The range of the preimage that the old lines occupy, in bytes, without ignored context
    /// lines.
    pub bytes: Range<usize>,
    /// The same range in lines, counted from 0.
    pub lines: Range<usize>,
    /// The distance from the stated line, in lines of the file after the earlier hunks. 0 if the
    /// hunk states no line.
    pub offset: isize,
    /// The number of ignored context lines at the start and at the end.
    pub ignored_context: (usize, usize),
    /// The name of the rung on which the hunk matched.
    pub rung: &'static str,
    /// All lines, counted from 0, where the hunk also matches, including this one. Empty if the
    /// hunk is at its stated line. At most [`MAX_CANDIDATES`].
    pub candidates: Vec<usize>,
    /// The number of blank old lines after the end of the file. Can be greater than 0 only if
    /// white-space errors are fixed.
    pub missing_blank_lines: usize,
    /// The stated line, counted from 0, if the hunk was placed elsewhere and its postimage is at
    /// the stated line. The patch may then already be applied.
    pub already_at: Option<usize>,
}

impl Placement {
    /// Returns the placement of a complete hunk at its stated line.
    fn new(bytes: Range<usize>, lines: Range<usize>, rung: usize) -> Self {
        let rung = LADDER[rung].name;
        Self {
            bytes,
            lines,
            offset: 0,
            ignored_context: (0, 0),
            rung,
            candidates: Vec::new(),
            missing_blank_lines: 0,
            already_at: None,
        }
    }

    /// Returns whether the hunk matches exactly and completely at its stated line.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        self.offset == 0 && self.ignored_context == (0, 0) && self.rung == LADDER[0].name
    }
}

/// The maximum number of candidates listed for a hunk that matches in several places.
pub const MAX_CANDIDATES: usize = 8;

/// The maximum number of mismatches per file that show lines and a closest match. A report lists at
/// most this many.
pub const MAX_EXPLAINED: usize = 100;

/// The reason why a hunk has no placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The kind of failure.
    pub kind: MismatchKind,
    /// The first lines of the preimage, without terminators. At most four lines, and none after
    /// [`MAX_EXPLAINED`] mismatches of a file.
    pub expected: Vec<Vec<u8>>,
    /// The closest match.
    pub nearest: Option<ClosestMatch>,
}

impl Mismatch {
    /// Creates a mismatch for a hunk that matches nowhere, without details of the file.
    #[must_use]
    pub fn without_match() -> Box<Self> {
        Self::of_kind(MismatchKind::NotFound)
    }

    /// Returns whether the file already contains the postimage of the hunk.
    #[must_use]
    pub fn is_applied(&self) -> bool {
        matches!(self.kind, MismatchKind::AlreadyApplied { .. })
    }

    /// Creates a mismatch of this kind, without details of the file.
    pub(crate) fn of_kind(kind: MismatchKind) -> Box<Self> {
        Box::new(Self {
            kind,
            expected: Vec::new(),
            nearest: None,
        })
    }
}

/// The reasons why a hunk has no placement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchKind {
    /// The hunk matches nowhere.
    NotFound,
    /// The hunk matches at several lines, and no rule selects one.
    Ambiguous {
        /// The lines, counted from 0; at most [`MAX_CANDIDATES`].
        lines: Vec<usize>,
        /// The rung on which the hunk matches there.
        rung: &'static str,
        /// The number of ignored context lines at the start and at the end.
        ignored_context: (usize, usize),
    },
    /// The hunk matches only where another hunk is placed.
    Overlap,
    /// The new file would exceed the size limit.
    TooLarge {
        /// The size of the new file in bytes, or a lower bound of it.
        size: u64,
    },
    /// The edit fills an empty file, but the file is not empty.
    NotEmpty,
    /// The edit names a symbol that cannot be edited.
    Symbol {
        /// The name of the symbol, as the edit states it.
        name: String,
        /// The reason.
        reason: SymbolMismatch,
    },
    /// The file already contains the postimage of the hunk.
    AlreadyApplied {
        /// The line of the postimage, counted from 0.
        line: usize,
    },
    /// A heading of the hunk is not in the file after the previous hunk.
    HeadingNotFound {
        /// The heading.
        heading: Vec<u8>,
        /// A line before that position that matches the heading, counted from 0.
        above: Option<usize>,
    },
}

/// The closest match of a hunk that does not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosestMatch {
    /// The first line, counted from 0.
    pub line: usize,
    /// The number of old lines of the hunk that match there.
    pub matched: usize,
    /// The number of old lines in the hunk.
    pub total: usize,
    /// The first line that differs.
    pub difference: Option<LineDifference>,
    /// The lines of the file there, without terminators, clipped.
    pub text: Vec<Vec<u8>>,
    /// At most two lines before them.
    pub lines_before: Vec<Vec<u8>>,
    /// At most two lines after them.
    pub lines_after: Vec<Vec<u8>>,
}

/// The first line that prevents a hunk from matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineDifference {
    /// The offset of the line in the patch, in bytes.
    pub patch_offset: usize,
    /// The line of the file, counted from 0. At the end of the file, the number of its lines.
    pub file_line: usize,
    /// The line in the patch.
    pub expected: Vec<u8>,
    /// The line in the file, or `None` at its end.
    pub found: Option<Vec<u8>>,
    /// The reason why the lines differ, if it is known.
    pub reason: Option<DifferenceReason>,
}

/// The reasons why two lines with the same words differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DifferenceReason {
    /// Different line endings.
    LineEnd,
    /// Different white space in the line.
    Whitespace,
    /// Typographic quotes, dashes and spaces.
    Punctuation,
    /// Upper and lower case.
    Case,
}

impl DifferenceReason {
    /// Returns the name of the reason in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LineEnd => "line end",
            Self::Whitespace => "whitespace",
            Self::Punctuation => "unicode punctuation",
            Self::Case => "case",
        }
    }
}

/// The placements or mismatches of the hunks of one file, in patch order.
pub type Placements = Vec<Result<Placement, Box<Mismatch>>>;

/// Finds a placement for each hunk in the file of `index`. `text` is the patch that contains the
/// hunks.
///
/// Placements never overlap. The time is proportional to the sizes of the file and the patch, not
/// to their product. Hunks that are not at their stated line take one more pass over the file for
/// each different number of old lines.
#[must_use]
pub fn place_hunks(
    index: &LineOffsets<'_>,
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    rules: &MatchRules,
) -> Placements {
    place_after(index, index, (text, hunks), direction, rules)
}

/// Finds a placement for each hunk like [`place_hunks`]. Earlier hunks have turned the file of
/// `original` into the file of `index`. A hunk is already applied only if `original` contains its
/// postimage.
fn place_after(
    original: &LineOffsets<'_>,
    index: &LineOffsets<'_>,
    (text, hunks): (&[u8], &[Hunk]),
    direction: Direction,
    rules: &MatchRules,
) -> Placements {
    let patch = numbered::FilePatch {
        text,
        hunks,
        direction,
        rules,
    };
    let mut placements = match hunks.first().map(|hunk| &hunk.anchor) {
        Some(Anchor::Headings { .. }) => headings::place(index, text, hunks, direction, rules),
        _ if rules.skips_applied && !rules.is_gnu => applied::place(original, index, patch),
        _ => numbered::place(original, index, patch),
    };
    let most = match rules.detail {
        MismatchDetail::Nothing => return placements,
        MismatchDetail::Kind => 0,
        // GNU patch prints a cause for every failed hunk.
        MismatchDetail::Full if rules.is_gnu => usize::MAX,
        MismatchDetail::Full => MAX_EXPLAINED,
    };
    nearest::explain_mismatches(
        (original, index),
        (text, hunks),
        direction,
        (&mut placements, most),
        &rules.interrupt,
    );
    placements
}

/// The maximum length in bytes of a line that a mismatch shows.
const MAX_SHOWN: usize = 200;

/// Returns the first [`MAX_SHOWN`] bytes of `line`, without its terminator.
fn clip(line: &[u8]) -> Vec<u8> {
    let line = without_ending(line);
    line[..line.len().min(MAX_SHOWN)].to_vec()
}

/// Applies every hunk at its placement and returns the new file.
///
/// Context lines keep the bytes of the file. Insertions keep the bytes of the patch if the grammar
/// states line endings and the hunk matched exactly. Otherwise they get the line ending of the
/// neighbouring lines.
#[must_use]
pub fn splice(
    preimage: &[u8],
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    placements: &[Placement],
) -> Vec<u8> {
    let placements: Vec<_> = placements.iter().collect();
    splice_with_rules(
        &LineOffsets::new(preimage),
        text,
        hunks,
        direction,
        &placements,
        &MatchRules::default(),
    )
    .expect("BUG: the interrupt is never raised")
    .pieces
    .join(preimage)
}

/// The new file and its differences from the patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplicedFile {
    /// The new file, as pieces of the preimage and of the patch.
    pub pieces: Pieces,
    /// The lines of the patch whose white-space errors were fixed.
    pub corrected: Vec<Span>,
    /// The blank lines of the patch that were omitted at the end of the file.
    pub omitted: Vec<Span>,
}

/// Applies every hunk at its placement, like [`splice()`], and follows `rules`.
///
/// Insertions are indented to match the file under
/// [`MatchMode::Reindented`](crate::plan::MatchMode::Reindented), and always for grammars without
/// line numbers. White-space errors are fixed if `rules` request it. Returns `None` if the interrupt
/// of `rules` is raised.
#[must_use]
pub fn splice_with_rules(
    preimage: &LineOffsets<'_>,
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    placements: &[&Placement],
    rules: &MatchRules,
) -> Option<SplicedFile> {
    splice::splice(preimage, (text, hunks), direction, placements, rules)
}
