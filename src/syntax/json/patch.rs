//! A patch in another grammar, in a JSON string.

use super::reader::Value;
use super::{Json, Options, Sections, Syntax, SyntaxError};
use crate::plan::PatchPart;
use crate::syntax::reader::read;
use crate::syntax::{SYNTAXES, decode_input};

/// Reads the patch as an input of its own, because the document does not contain its lines
/// literally.
pub(super) fn read_patch(
    value: Value<'_>,
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let mut text = value.text("a patch as a string")?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let among: Vec<_> = SYNTAXES
        .iter()
        .copied()
        .filter(|syntax| syntax.name() != Json.name())
        .collect();
    // A mail in the string is decoded like a mail in a file.
    let input = decode_input("", text.into())
        .map_err(|malformed| SyntaxError::new(malformed.error.kind, value.span()))?;
    let span = value.span();
    let part = PatchPart {
        span,
        format: "json",
    };
    sections.read_quoted(input, (part, span), |input, sections| {
        read(input, &among, options, sections)
    })
}
