//! Finds the lines of constructs of source code that edits name by their first line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::code::{self, Unparsed};
use crate::path::RelPath;
use crate::plan::{LineEdit, LineTarget, NewLines, NumberedLines};
use crate::text::Bytes;

/// The last line of each construct that edits name, by its first line. Lines are counted from 1.
pub(super) type ConstructEnds = HashMap<usize, usize>;

/// A file from which lines are taken, in the version to which the line numbers refer.
pub(super) struct NumberedFile {
    pub(super) text: Arc<Bytes>,
    pub(super) constructs: ConstructEnds,
}

/// Returns the ends of the constructs that `edits` name in the file at `path` with the content
/// `text`. A construct whose end is uncertain is missing.
pub(super) fn find_ends(
    edits: &[LineEdit],
    path: &RelPath,
    text: &[u8],
) -> Result<ConstructEnds, Unparsed> {
    let named = edits.iter().filter_map(|edit| match edit.target {
        LineTarget::Construct(line) | LineTarget::AfterConstruct(line) => Some(line),
        _ => None,
    });
    let named: Vec<usize> = named.collect();
    if named.is_empty() {
        return Ok(ConstructEnds::new());
    }
    let ends = code::last_lines_of_constructs(path.as_bytes(), text, &named)?;
    let known = named.into_iter().zip(ends);
    Ok(known
        .filter_map(|(first, last)| Some((first, last?)))
        .collect())
}

/// Returns `edits` with all lines of each construct in `ends` as their targets, also of those after
/// which something is inserted.
pub(super) fn with_named_lines(edits: &[LineEdit], ends: &ConstructEnds) -> Vec<LineEdit> {
    let mut edits = edits.to_vec();
    for edit in &mut edits {
        if let LineTarget::Construct(first) | LineTarget::AfterConstruct(first) = edit.target
            && let Some(&last) = ends.get(&first)
        {
            edit.target = LineTarget::Lines(NumberedLines { first, last });
        }
    }
    edits
}

/// Returns `edits` with the lines of all constructs in `own` instead of the constructs. `cut`
/// returns the last line of a construct that an operation cuts.
pub(super) fn with_lines<'e>(
    edits: &'e [LineEdit],
    own: &ConstructEnds,
    cut: impl Fn(usize, usize) -> Option<usize>,
) -> Cow<'e, [LineEdit]> {
    let names_construct = |edit: &LineEdit| {
        matches!(
            edit.target,
            LineTarget::Construct(_) | LineTarget::AfterConstruct(_)
        ) || matches!(edit.new, NewLines::CutConstruct { .. })
    };
    if !edits.iter().any(names_construct) {
        return Cow::Borrowed(edits);
    }
    let mut edits = edits.to_vec();
    for edit in &mut edits {
        edit.target = match edit.target {
            LineTarget::Construct(first) => own.get(&first).map_or(edit.target, |&last| {
                LineTarget::Lines(NumberedLines { first, last })
            }),
            LineTarget::AfterConstruct(first) => own
                .get(&first)
                .map_or(edit.target, |&last| LineTarget::After(last)),
            target => target,
        };
        if let NewLines::CutConstruct { operation, line } = edit.new
            && let Some(last) = cut(operation, line)
        {
            let lines = NumberedLines { first: line, last };
            edit.new = NewLines::Cut { operation, lines };
        }
    }
    Cow::Owned(edits)
}
