//! Searches, compares and merges the lines of texts. This is the only implementation of these
//! tasks.
//!
//! Inputs are texts as bytes; a line includes its terminator. Outputs are line numbers, counted
//! from 0, and half-open ranges of lines. A result depends only on the lines. A [`Budget`] of steps
//! limits the work, never a clock.
//!
//! Start with [`diff()`], which computes an edit script, and [`RunIndex`], which finds runs of
//! lines. [`Comparison`] and the ladder define when two lines are equal.

mod align;
mod anchors;
mod comparison;
mod diff;
mod edits;
mod ends;
mod find;
mod indent;
pub(crate) mod ladder;
mod merge;
mod numbers;
mod offsets;
mod shortest_edits;
mod similarity;
mod slide;
mod table;

pub(crate) use align::shortest_edits;
pub(crate) use comparison::Comparison;
pub(crate) use diff::{diff, diff_until_raised};
pub(crate) use edits::{Budget, Edit, Edits, append_edit};
pub(crate) use ends::common_ends;
pub(crate) use find::{
    ExactRunFinder, LineHashes, LineOccurrences, RunHash, RunIndex, RunMatches, RunOccurrences,
    base_power,
};
pub(crate) use ladder::{LADDER, Rung};
pub use merge::{Conflict, ConflictResolution, ConflictStyle, MergedText, merge};
pub(crate) use merge::{TouchingEdits, end_line, group_touching, put_marker};
pub(crate) use numbers::LineNumbering;
pub use offsets::LineOffsets;
pub(crate) use shortest_edits::{SequencePair, align_prefix};
pub(crate) use similarity::ChunkCounts;
pub(crate) use slide::SlidePosition;
pub(crate) use table::LineTable;
