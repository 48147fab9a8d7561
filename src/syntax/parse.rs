//! Parses the bytes of one input into a plan.

use std::sync::Arc;

use super::reader::read;
use super::{
    MalformedPatch, Options, Sections, Syntax, TruncationHandling, mail, not_included, recount,
    unsupported,
};
use crate::plan::{Input, Name, Plan};
use crate::text::Bytes;

/// Parses all sections of one text. Each section can be in any of the grammars `among`.
///
/// # Errors
///
/// Returns the first error. For a text without a section it is usually
/// [`NoPatch`](super::SyntaxErrorKind::NoPatch).
pub fn parse(
    name: &str,
    bytes: impl Into<Bytes>,
    among: &[&'static dyn Syntax],
    options: Options,
) -> Result<Plan<Name>, Box<MalformedPatch>> {
    let mut input = decode_input(name, bytes.into())?;
    let mut sections = Sections::default();
    let started = unsupported::refuse_start(&input.bytes);
    if let Err(error) = started.and_then(|()| read(&mut input, among, options, &mut sections)) {
        // A change that a quoted text names has no position in this input.
        input.not_included = sections
            .not_included
            .into_iter()
            .filter(|named| named.input == 0)
            .collect();
        number_not_included(&mut input);
        return Err(Box::new(MalformedPatch { input, error }));
    }
    let plan = plan_of(input, sections);
    if options.recount {
        note_recounts(plan, options.truncated)
    } else {
        Ok(plan)
    }
}

/// Returns the plan of the `sections` that were read from `input`.
fn plan_of(input: Input, sections: Sections) -> Plan<Name> {
    let name = input.name.clone();
    // The text itself is input 0, so the numbers of the quoted texts start at 1.
    let quoted = sections
        .quoted
        .into_iter()
        .enumerate()
        .map(|(index, quoted)| Input {
            name: format!("{name}, diff {}", index + 1),
            ..quoted
        });
    let mut inputs: Vec<_> = std::iter::once(input).chain(quoted).collect();
    for named in sections.not_included {
        inputs[named.input].not_included.push(named);
    }
    inputs.iter_mut().for_each(number_not_included);
    Plan {
        inputs,
        operations: sections.operations,
    }
}

/// Adds a repair to `plan` for each hunk header with wrong counts.
///
/// # Errors
///
/// Returns an error for a truncated last hunk if `truncated` refuses it.
fn note_recounts(
    mut plan: Plan<Name>,
    truncated: TruncationHandling,
) -> Result<Plan<Name>, Box<MalformedPatch>> {
    if truncated == TruncationHandling::Refused
        && let Some((input, error)) = recount::find_truncation(&plan)
    {
        let input = plan.inputs.swap_remove(input);
        return Err(Box::new(MalformedPatch { input, error }));
    }
    recount::record_repairs(&mut plan);
    Ok(plan)
}

/// Sets the line numbers of the named changes. They count lines of the input before mail decoding.
fn number_not_included(input: &mut Input) {
    not_included::set_line_numbers(&input.bytes, &mut input.not_included);
    if let Some(origin) = &input.origin {
        let line = origin.line_numbers();
        for named in &mut input.not_included {
            named.line = line(named.span.start);
        }
    }
}

/// Returns `bytes` as an input, with mail decoded.
///
/// # Errors
///
/// Returns the first part of a mail that cannot be decoded.
pub fn decode_input(name: &str, bytes: Bytes) -> Result<Input, Box<MalformedPatch>> {
    let name = name.to_owned();
    match mail::decode(&bytes) {
        Ok(None) => Ok(Input {
            name,
            bytes,
            ..Input::default()
        }),
        Ok(Some(opened)) => {
            let (text, origin) = opened.into_parts(bytes);
            Ok(Input {
                name,
                bytes: text.into(),
                origin: Some(Arc::new(origin)),
                ..Input::default()
            })
        }
        Err(error) => Err(Box::new(MalformedPatch {
            input: Input {
                name,
                bytes,
                ..Input::default()
            },
            error,
        })),
    }
}
