//! Where hunks belong in a file, and what the file becomes. Pure: bytes in, bytes out.
//!
//! To add a comparison of lines, add a row of `lines::LADDER`.

mod correct;
mod covered;
mod difference;
mod headings;
mod hunkwise;
mod level;
mod lines;
mod lookalike;
mod nearest;
mod numbered;
mod overlay;
mod pattern;
#[cfg(test)]
mod reference;
pub(crate) mod reindent;
mod rules;
mod search;
mod shift;
mod splice;
#[cfg(test)]
mod testing;
mod texts;
mod trailing;

pub use hunkwise::{MergeResult, MergedFile, MergedHunk, MergedPart, merge_hunks};
pub use lines::{ChangedLines, LineChange, LineMisfit, LineMismatch, change_lines};
pub(crate) use lookalike::{END_OF_NAME, LookalikeSearch};
pub use lookalike::{Lookalike, lookalike, lookalike_name};
pub use overlay::overlay;
pub use rules::{Correction, Detail, Rules};
pub use shift::shift;
pub use texts::{
    Misplaced, Replaced, TextChange, TextMismatch, replace, replace_at, replace_unexplained,
};
pub use trailing::{BlankEnd, blank_end};

use std::ops::Range;

use crate::lines::LADDER;
pub use crate::lines::{Conflict, ConflictStyle, Favour, LineIndex, Merged, merge};
use crate::plan::{Anchor, Direction, Hunk};
use crate::text::{Pieces, Span, without_ending};

/// Where a hunk went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Bytes of the preimage that its old lines cover, without context lines that were left out.
    pub bytes: Range<usize>,
    /// The same as lines, counted from 0.
    pub lines: Range<usize>,
    /// Lines from the stated place, counted in the file as the hunks before left it; 0 where none
    /// is stated.
    pub offset: isize,
    /// Lines of context left out at the start and at the end.
    pub left_out: (usize, usize),
    /// The name of the rung of the ladder that found it.
    pub rung: &'static str,
    /// Lines, counted from 0, of all places where it fits as well, this one among them, when it is
    /// off its stated place; at most [`MOST_CANDIDATES`].
    pub candidates: Vec<usize>,
    /// How many old lines, all blank, would be behind the end of the file; there are some only
    /// where white space is put right.
    pub beyond: usize,
    /// The stated line, counted from 0, of a hunk that fits in one other place only, if the result
    /// of the hunk is at the stated line.
    pub already_at: Option<usize>,
}

impl Placement {
    /// Returns the placement of all lines of a hunk at its stated place.
    fn new(bytes: Range<usize>, lines: Range<usize>, rung: usize) -> Self {
        let rung = LADDER[rung].name;
        Self {
            bytes,
            lines,
            offset: 0,
            left_out: (0, 0),
            rung,
            candidates: Vec::new(),
            beyond: 0,
            already_at: None,
        }
    }

    /// Returns whether it is at the stated place, line for line, so that there is nothing to tell
    /// of it.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        self.offset == 0 && self.left_out == (0, 0) && self.rung == LADDER[0].name
    }
}

/// Most places that are listed for a hunk that fits in several.
pub const MOST_CANDIDATES: usize = 8;

/// Most hunks of one file that do not fit for which a mismatch shows lines; a report lists no more
/// of them.
pub const MOST_EXPLAINED: usize = 100;

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What kind of failure it is.
    pub kind: MismatchKind,
    /// The first lines of the preimage, without terminators; at most four, and none after
    /// [`MOST_EXPLAINED`] mismatches of a file.
    pub expected: Vec<Vec<u8>>,
    /// The place that is most like it.
    pub nearest: Option<Nearest>,
}

impl Mismatch {
    /// Says that a hunk fits nowhere, and nothing about the file.
    #[must_use]
    pub fn not_found() -> Box<Self> {
        Self::unexplained(MismatchKind::NotFound)
    }

    /// Says what kind of failure it is, and nothing yet about the file.
    fn unexplained(kind: MismatchKind) -> Box<Self> {
        Box::new(Self {
            kind,
            expected: Vec::new(),
            nearest: None,
        })
    }
}

/// The kinds of failure of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchKind {
    /// It fits nowhere.
    NotFound,
    /// It fits at these lines, counted from 0, and nothing decides.
    Ambiguous {
        /// The lines, at most [`MOST_CANDIDATES`].
        lines: Vec<usize>,
        /// The rung on which it fits there.
        rung: &'static str,
    },
    /// It fits only where another hunk is placed.
    Overlap,
    /// The file would have at least so many bytes, more than it may.
    TooLarge {
        /// The bytes.
        size: u64,
    },
    /// It fills an empty file, and there is something in this one.
    NotEmpty,
    /// Its result already stands at this line, counted from 0.
    AlreadyApplied {
        /// The line.
        line: usize,
    },
    /// The heading that it stands below is not in the file after the hunk before.
    HeadingNotFound {
        /// The heading.
        heading: Vec<u8>,
        /// A line before that place that has the heading, counted from 0.
        above: Option<usize>,
    },
}

/// The place in a file that is most like a hunk that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// First line, counted from 0.
    pub line: usize,
    /// How many of the hunk's old lines are there.
    pub matched: usize,
    /// How many old lines the hunk has.
    pub of: usize,
    /// The first line that differs.
    pub difference: Option<Difference>,
    /// The lines of the file there, without terminators, clipped.
    pub text: Vec<Vec<u8>>,
    /// The lines before them, at most two.
    pub lines_before: Vec<Vec<u8>>,
    /// The lines behind them, at most two.
    pub lines_after: Vec<Vec<u8>>,
}

/// The first line that keeps a hunk from fitting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Offset of the line in the patch, in bytes.
    pub patch_offset: usize,
    /// Line of the file, counted from 0; the number of lines at the end of the file.
    pub file_line: usize,
    /// What the patch has.
    pub expected: Vec<u8>,
    /// What the file has; `None` at its end.
    pub found: Option<Vec<u8>>,
    /// Why they differ, where that can be told.
    pub reason: Option<DifferenceReason>,
}

/// Why two lines differ whose words are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DifferenceReason {
    /// The line ending.
    LineEnd,
    /// White space in the line.
    Whitespace,
    /// Typographic quotes, dashes and blanks.
    Punctuation,
    /// Upper and lower case.
    Case,
}

impl DifferenceReason {
    /// Returns the name that reports have for it.
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

/// The hunks of one file placed in it, in the order of the patch.
pub type Placements = Vec<Result<Placement, Box<Mismatch>>>;

/// Finds the place of each hunk in the file of `index`; `text` is the patch that the hunks point into.
///
/// Placements never overlap. The time grows with file and patch, not with their product; with the
/// file also for each number of lines that hunks off their place have.
#[must_use]
pub fn place(
    index: &LineIndex<'_>,
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    rules: &Rules,
) -> Placements {
    let mut placements = match hunks.first().map(|hunk| &hunk.anchor) {
        Some(Anchor::Headings { .. }) => headings::place(index, text, hunks, direction, rules),
        _ => numbered::place(index, text, hunks, direction, rules),
    };
    let most = match rules.detail {
        Detail::Nothing => return placements,
        Detail::Kind => 0,
        // GNU patch names a cause next to every hunk that fails.
        Detail::Full if rules.as_gnu => usize::MAX,
        Detail::Full => MOST_EXPLAINED,
    };
    nearest::explain(
        index,
        (text, hunks),
        direction,
        (&mut placements, most),
        &rules.interrupt,
    );
    placements
}

/// Most bytes of a line that a mismatch shows.
const MOST_SHOWN: usize = 200;

/// Returns the start of `line` without its terminator.
fn clipped(line: &[u8]) -> Vec<u8> {
    let line = without_ending(line);
    line[..line.len().min(MOST_SHOWN)].to_vec()
}

/// Returns what `preimage` becomes when every hunk goes to its placement.
///
/// Context lines keep the bytes of the file. An inserted line keeps its own bytes where the hunk
/// was matched exactly by a grammar that is exact about line ends; else it ends as the lines around
/// it.
#[must_use]
pub fn splice(
    preimage: &[u8],
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    placements: &[Placement],
) -> Vec<u8> {
    let placements: Vec<_> = placements.iter().collect();
    splice_by(
        preimage,
        text,
        hunks,
        direction,
        &placements,
        &Rules::default(),
    )
    .pieces
    .join(preimage)
}

/// What a file becomes, and what of it is not as the patch has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spliced {
    /// The file, in pieces of what it was and of the patch.
    pub pieces: Pieces,
    /// The lines of the patch that had errors in their white space, which the file does not have.
    pub corrected: Vec<Span>,
    /// The blank lines of the patch that were left out at the end of the file.
    pub left_out: Vec<Span>,
}

/// The same by `rules`: inserted lines may move to the depth that the hunk was found at, those of a
/// grammar without line numbers always do; and white space may be put right.
#[must_use]
pub fn splice_by(
    preimage: &[u8],
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    placements: &[&Placement],
    rules: &Rules,
) -> Spliced {
    splice::splice(preimage, (text, hunks), direction, placements, rules)
}
