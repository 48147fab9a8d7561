//! What the text above a section says of it, as GNU patch reads it: `Index:` and `Prereq:` lines.

use super::names;
use crate::plan::{Claim, Lead, Name, Operation, Strip};
use crate::text::{Span, lines, without_ending};

/// Notes what `between`, the text between the sections before and `operations`, says of these. Sections with git header
/// say all by themselves.
pub(super) fn note(between: &[u8], operations: &mut [Operation<Name>]) {
    let is_meant =
        |operation: &&mut Operation<Name>| matches!(operation.path, Name::Traditional { .. } | Name::Unnamed(_));
    if memchr::memchr(b':', between).is_none() {
        return;
    }
    for operation in operations.iter_mut().filter(is_meant) {
        let lead = read(between);
        if let (Name::Unnamed(span), Some(index)) = (&operation.path, &lead.index) {
            operation.path = Name::Agreed(vec![Claim { span: *span, ..index.clone() }]);
        }
        operation.lead = (lead != Lead::default()).then(|| Box::new(lead));
    }
}

/// Returns whether `between` names a file for what follows.
pub(super) fn names_file(between: &[u8]) -> bool {
    lines(between).any(|(_, line)| index(line).is_some())
}

fn read(between: &[u8]) -> Lead {
    let mut lead = Lead::default();
    for (_, line) in lines(between) {
        if let Some(index) = index(line) {
            lead.index = Some(index);
        }
        if let Some(rest) = line.strip_prefix(b"Prereq:") {
            let word = rest.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
            lead.prerequisite = word.map(<[u8]>::to_vec);
        }
    }
    lead
}

/// Returns the name on an `Index:` line. Where the line stands is not told: the section may be an input of its own.
fn index(line: &[u8]) -> Option<Claim> {
    let name = without_ending(line).strip_prefix(b"Index:")?.trim_ascii();
    let claim = names::whole(name, Span::new(0, name.len()), Strip::Prefixed).ok()?;
    Some(Claim { span: Span::default(), ..claim })
}
