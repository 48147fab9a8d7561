//! Lines of texts, and how two texts differ.
//!
//! A result depends on the lines alone. A [`Budget`] of steps limits the work, never a clock. Read [`diff`] first.

mod diff;
mod edits;
mod indent;
mod pieces;
mod table;

pub(crate) use diff::{Slide, diff};
pub(crate) use edits::{Budget, Edit, Edits};
pub(crate) use table::LineTable;
