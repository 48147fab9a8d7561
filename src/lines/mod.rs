//! Lines of texts, and how two texts differ.
//!
//! A result depends on the lines alone. A [`Budget`] of steps limits the work, never a clock. Read [`diff`] first.

mod diff;
mod indent;
mod pieces;
mod table;

pub(crate) use diff::{Budget, Edit, Edits, Slide, diff};
pub(crate) use table::LineTable;
