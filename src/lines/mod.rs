//! Lines of texts: how two texts differ, and what two changed versions of a text are together.
//!
//! A result depends on the lines alone. A [`Budget`] of steps limits the work, never a clock. Read
//! [`diff`] first.

mod diff;
mod edits;
mod indent;
mod merge;
mod pieces;
mod script;
mod table;

pub(crate) use diff::{Slide, diff};
pub(crate) use edits::{Budget, Edit, Edits, push};
pub use merge::{Conflict, ConflictStyle, Favour, Merged, merge};
pub(crate) use merge::{Touching, end_line, put_marker, regions};
pub(crate) use script::{Pair, beginning, script};
pub(crate) use table::LineTable;
