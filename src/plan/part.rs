//! The parts of a patch that the parser reads as texts of their own.

use crate::text::Span;

/// A part of a patch that contains a diff in another form, such as a context diff or a JSON string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchPart {
    /// The position in the text that contains the part. For a JSON string, the position of an
    /// error.
    pub span: Span,
    /// The name of the grammar.
    pub format: &'static str,
}
