//! Reports the changes that an input names but does not contain.

use bstr::ByteSlice;

use super::stages::Selected;
use crate::plan::{ContentlessChange, Input, NamedChange};
use crate::preflight::{Problem, Severity, code};
use crate::text::printable_line;

/// The limit on the number of changes in one message.
const MAX_NAMED: usize = 5;

/// Adds a problem for each input that names changes without their content.
pub(super) fn report(severity: Severity, selected: &mut Selected) {
    let inputs = selected
        .plan
        .inputs
        .iter()
        .enumerate()
        .filter(|(_, input)| !input.not_included.is_empty());
    selected
        .problems
        .extend(inputs.map(|(index, input)| problem(index, input, severity)));
}

fn problem(index: usize, input: &Input, severity: Severity) -> Problem {
    let named = &input.not_included;
    let lines: Vec<_> = named.iter().take(MAX_NAMED).map(line).collect();
    let more = named.len() - lines.len();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let message = match named.len() {
        1 => format!("the input lists a change without its content: {}", lines[0]),
        count => format!(
            "the input lists {count} changes without their content: {}{more}",
            lines.join(", ")
        ),
    };
    // After a repair, the input has another text, and the span does not fit it.
    let place = named
        .first()
        .filter(|first| first.span.end <= input.bytes.len() && input.repairs.is_empty());
    let place = place.map(|first| (index, first.span));
    let help = help(named.iter().map(|named| named.kind)).map(str::to_owned);
    Problem {
        severity,
        place,
        help,
        ..Problem::new(&code::NOT_INCLUDED, message)
    }
}

/// Returns the line in printable form, shortened. The file name precedes a line that does not
/// contain it.
fn line(named: &ContentlessChange) -> String {
    const MAX: usize = 160;
    let shown = printable_line(&named.text[..named.text.len().min(MAX)]);
    let rest = if named.text.len() > MAX { "…" } else { "" };
    let has_name = named.kind == NamedChange::OnlyIn || named.text.contains_str(&named.name);
    if has_name {
        format!("`{shown}{rest}`")
    } else {
        format!("{} (`{shown}{rest}`)", printable_line(&named.name))
    }
}

/// Returns how to write an input that contains the first change.
fn help(mut kinds: impl Iterator<Item = NamedChange>) -> Option<&'static str> {
    kinds.find_map(|kind| match kind {
        NamedChange::OnlyIn => Some("run `diff -N` to include files that exist on one side only"),
        NamedChange::Binary => Some("run `git diff --binary` to include binary files"),
        NamedChange::Differ => Some("run `diff` without `-q` to include the changes"),
        NamedChange::Link | NamedChange::Type | NamedChange::Rename => {
            Some("create the patch with `git diff` to include these changes")
        }
        NamedChange::Unmerged => Some("resolve the merge conflict and create the diff again"),
        _ => None,
    })
}
