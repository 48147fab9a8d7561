//! A patch in another grammar, in a JSON string.

use super::reader::Value;
use super::{Json, Options, Sections, Syntax, SyntaxError};
use crate::plan::Input;
use crate::syntax::SYNTAXES;
use crate::syntax::reader::read;

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
    let input = Input {
        bytes: text.into(),
        ..Input::default()
    };
    sections.quote(input, value.span(), |input, sections| {
        read(input, &among, options, sections)
    })
}
