//! A patch of another grammar in a string.

use super::reader::Value;
use super::{Json, Options, Sections, Syntax, SyntaxError};
use crate::plan::Input;
use crate::syntax::SYNTAXES;
use crate::syntax::reader::read;

/// Reads the patch, which is an input of its own: its lines stand nowhere in the document.
pub(super) fn quoted(
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
