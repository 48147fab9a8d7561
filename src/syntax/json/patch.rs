//! A patch of another grammar in a string.

use super::reader::Value;
use super::{Json, Options, Sections, Syntax, SyntaxError};
use crate::plan::{Input, Operation};
use crate::syntax::{SYNTAXES, read};

/// Reads the patch, which is an input of its own: its lines stand nowhere in the document.
pub(super) fn quoted(value: Value<'_>, options: Options, sections: &mut Sections) -> Result<(), SyntaxError> {
    let mut text = value.text("a patch as a string")?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let mut input = Input { bytes: text.into_bytes(), ..Input::default() };
    let among: Vec<_> = SYNTAXES.iter().copied().filter(|syntax| syntax.name() != Json.name()).collect();
    let mut inside = Sections { step: sections.step, ..Sections::default() };
    read(&mut input, &among, options, &mut inside).map_err(|error| SyntaxError::new(error.kind, value.span()))?;
    sections.quoted.push(input.bytes);
    let input = sections.quoted.len();
    sections.operations.extend(inside.operations.into_iter().map(|operation| Operation { input, ..operation }));
    sections.hunks += inside.hunks;
    sections.step = inside.step;
    Ok(())
}
