//! Lines of texts: where a run of lines occurs, how two texts differ, and what two changed versions
//! of a text are together.
//!
//! A result depends on the lines alone. A [`Budget`] of steps limits the work, never a clock. Read
//! [`diff`] and [`RunIndex`] first.

mod comparison;
mod diff;
mod edits;
mod find;
mod indent;
mod index;
pub(crate) mod ladder;
mod merge;
mod pieces;
mod script;
mod table;

pub(crate) use comparison::Comparison;
pub(crate) use diff::{Slide, diff};
pub(crate) use edits::{Budget, Edit, Edits, push};
pub(crate) use find::{LineHashes, Needle, Places, RunHash, RunIndex, is_at, power};
pub use index::LineIndex;
pub(crate) use ladder::{LADDER, Rung};
pub use merge::{Conflict, ConflictStyle, Favour, Merged, merge};
pub(crate) use merge::{Touching, end_line, put_marker, regions};
pub(crate) use script::{Pair, beginning, script};
pub(crate) use table::LineTable;
