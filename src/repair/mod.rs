//! Repairs damaged patches, as models write them. A patch with exactly one possible reading becomes
//! a git diff for the current files.
//!
//! The input is the text of a patch and the contents of its files. `DamagedPatch` reads the
//! sections of a text, `apply_section` computes the new content of the file of one section, and
//! `SectionChange` writes the change as a git diff. `engine::lenient` finds and reads the file of
//! each section.
//!
//! Two functions repair a whole text before it is parsed: [`unquote_json`] extracts a patch from a
//! JSON document, and [`plain_text`] decodes UTF-16 and removes colours and surrounding text.
//! [`repair_texts`] repairs the texts that parsed edits search for.
//!
//! 1. `older` converts context and normal diffs to unified hunks.
//! 2. `read` finds the sections and hunks in the text.
//! 3. `readings` lists the readings of each hunk, and `place` finds the place of one of them.
//! 4. `compose` computes the new content, and `section_result` writes the change as a git diff.
//!
//! Invariants:
//!
//! - The module reads and writes no file. The resulting diff is matched, checked, reported and
//!   committed like any other patch.
//! - The module never guesses. The first reading that matches is used only if it has one place. A
//!   hunk without a place, or with several that nothing decides between, is refused.
//! - All work of one input shares one budget in steps (`RepairLog`), so the result does not depend
//!   on time.
//!
//! Read `readings.rs` and `place.rs` first. To add a repair, add a row to [`REPAIRS`] and the
//! corresponding reading in `readings` or `read`. `engine/lenient/names.rs` repairs file names.

mod bodies;
mod chunk;
mod compose;
mod elision;
mod error;
mod fitted;
mod folded;
mod indentation;
mod line;
mod lines;
mod lost;
mod older;
mod parts;
mod patch;
mod place;
mod quoted;
mod read;
mod readings;
mod refusal;
mod rows;
mod second_match;
mod section_result;
mod shown;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod text;
mod texts;
mod typography;
mod unwrap;
mod vocabulary;

pub(crate) use patch::DamagedPatch;
pub use quoted::unquote_json;
pub(crate) use read::{EndingSource, Section, SectionAction};
pub(crate) use refusal::budget_refusal;
pub use refusal::{RepairError, RepairErrorKind};
pub use rows::{REPAIRS, RepairKind, StepBudget};
pub(crate) use rows::{RepairLog, SectionSpan};
pub(crate) use section_result::{FileVersion, SectionChange, apply_section};
pub use text::plain_text;
pub use texts::{TextRepairs, has_elision, repair_texts};
