//! The preamble of a section as GNU patch reads it: `Index:` and `Prereq:` lines. For a section
//! without header, also the `---` and `+++` lines anywhere above it.

use super::names::{self, HeaderName};
use super::stamp;
use super::unified::{action_and_name, action_by_time};
use crate::plan::{Anchor, Edit, Name, NameCandidate, Operation, Preamble, StripRule};
use crate::text::{Span, lines, without_ending};

/// Adds the information in the preamble `between` to `operations`. Sections with git header ignore
/// the preamble.
pub(super) fn record_preamble(between: &[u8], operations: &mut [Operation<Name>]) {
    let is_meant = |operation: &&mut Operation<Name>| {
        matches!(operation.path, Name::Traditional { .. } | Name::Unnamed(_))
    };
    let may_name = |operation: &Operation<Name>| matches!(operation.path, Name::Unnamed(_));
    // Most preambles contain no colon, and therefore no `Index:` and no `Prereq:` line.
    if memchr::memchr(b':', between).is_none() && !operations.iter().any(may_name) {
        return;
    }
    for operation in operations.iter_mut().filter(is_meant) {
        let lead = read_preamble(between);
        name_by_sides(between, operation);
        if let (Name::Unnamed(span), Some(index)) = (&operation.path, &lead.index) {
            operation.path = Name::Agreed(vec![NameCandidate {
                span: *span,
                ..index.clone()
            }]);
        }
        operation.preamble = (lead != Preamble::default()).then(|| Box::new(lead));
    }
}

/// Names a section without header by the last `---` line and the last `+++` line above it, in any
/// order. One of the lines is enough. GNU patch remembers both lines (`intuit_diff_type` in its
/// `pch.c`).
fn name_by_sides(between: &[u8], operation: &mut Operation<Name>) {
    let (Name::Unnamed(span), Edit::Hunks(hunks)) = (&operation.path, &operation.edit) else {
        return;
    };
    // Only unified hunks have `---` and `+++` lines.
    if hunks.iter().any(|hunk| hunk.anchor != Anchor::Line) {
        return;
    }
    let span = *span;
    let last = |marker: &[u8]| {
        lines(between)
            .filter_map(|(_, line)| without_ending(line).strip_prefix(marker))
            .last()
    };
    let side =
        |name: &[u8]| match names::read_dated(name, Span::new(0, name.len()), stamp::is_missing)
            .ok()?
        {
            HeaderName::File(claim, is_nowhere) => Some(HeaderName::File(
                NameCandidate { span, ..claim },
                is_nowhere,
            )),
            HeaderName::Null => Some(HeaderName::Null),
        };
    let named = match (last(b"--- ").and_then(side), last(b"+++ ").and_then(side)) {
        (Some(old), Some(new)) => action_and_name(old, new, hunks),
        (Some(HeaderName::File(claim, is_new)), None) => Some((
            action_by_time((is_new, false), hunks),
            Name::Agreed(vec![claim]),
        )),
        (None, Some(HeaderName::File(claim, is_gone))) => Some((
            action_by_time((false, is_gone), hunks),
            Name::Agreed(vec![claim]),
        )),
        _ => None,
    };
    if let Some((action, path)) = named {
        (operation.action, operation.path) = (action, path);
    }
}

/// Returns whether `between` names a file for the next section.
pub(super) fn names_file(between: &[u8]) -> bool {
    lines(between).any(|(_, line)| read_index_line(line).is_some())
}

fn read_preamble(between: &[u8]) -> Preamble {
    let mut lead = Preamble::default();
    for (_, line) in lines(between) {
        if let Some(index) = read_index_line(line) {
            lead.index = Some(index);
        }
        if let Some(rest) = line.strip_prefix(b"Prereq:") {
            let word = rest
                .split(u8::is_ascii_whitespace)
                .find(|word| !word.is_empty());
            lead.prerequisite = word.map(<[u8]>::to_vec);
        }
    }
    lead
}

/// Returns the name on an `Index:` line. Its span is empty, because the section can be in another
/// input than the line.
fn read_index_line(line: &[u8]) -> Option<NameCandidate> {
    let name = without_ending(line).strip_prefix(b"Index:")?.trim_ascii();
    let claim = names::read_name(name, Span::new(0, name.len()), StripRule::Prefixed).ok()?;
    Some(NameCandidate {
        span: Span::default(),
        ..claim
    })
}
