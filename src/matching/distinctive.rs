//! Whether the result of a hunk can be in a file by chance.

use crate::plan::{Direction, Hunk, HunkLine, LineKind};

/// The number of context lines that the result of a hunk without long insertions needs. Fewer
/// lines, such as closing brackets, occur by chance.
const MIN_CONTEXT: usize = 4;
/// The number of these lines that must be long.
const MIN_LONG_CONTEXT: usize = 3;
/// The size of a long line in bytes, without surrounding white space.
const MIN_LONG_LINE: usize = 4;

/// Returns whether the result of a hunk does not occur in a file by chance: the hunk inserts a long
/// line, or has enough context.
pub(crate) fn has_distinctive_result(hunk: &Hunk, text: &[u8], direction: Direction) -> bool {
    let is_long = |line: &HunkLine<'_>| line.text.trim_ascii().len() >= MIN_LONG_LINE;
    let (mut context, mut long_context) = (0, 0);
    for line in hunk.lines(text, direction) {
        match line.kind {
            LineKind::Insertion if is_long(&line) => return true,
            LineKind::Context => {
                context += 1;
                long_context += usize::from(is_long(&line));
            }
            _ => {}
        }
    }
    context >= MIN_CONTEXT && long_context >= MIN_LONG_CONTEXT
}

/// Returns whether the result of a hunk is recognisable at its stated line: the hunk inserts a line
/// that is not blank, or has enough context.
pub(crate) fn is_recognisable(hunk: &Hunk, text: &[u8], direction: Direction) -> bool {
    let is_inserted = |line: &HunkLine<'_>| {
        line.kind == LineKind::Insertion && !line.text.trim_ascii().is_empty()
    };
    let mut lines = hunk.lines(text, direction);
    lines.any(|line| is_inserted(&line)) || has_distinctive_result(hunk, text, direction)
}
