//! The tool that shows a file or a directory.

use std::fmt::Write;
use std::sync::Arc;

use super::arguments::{ViewArguments, parse};
use super::{ArgumentError, ToolAnswer, ToolContext, document};
use crate::engine::{
    ListRequest, Outcome, ReadFormat, ReadRange, ReadRequest, list, read as read_file,
};
use crate::preflight::ProblemKind;
use crate::report::{Extract, Listing};

/// The limit on the number of lines if the call names no lines.
const MAX_LINES: usize = 2000;
/// The limit on the size of the output, with line numbers, in bytes.
const MAX_OUTPUT: usize = 64 << 10;
/// The limit on the number of entries of a directory.
const MAX_ENTRIES: usize = 1000;

pub(super) fn view(arguments: &str, call: &ToolContext<'_>) -> Result<ToolAnswer, ArgumentError> {
    let ViewArguments {
        path, view_range, ..
    } = parse(arguments)?;
    let path = call.relative_path(&path);
    let window = view_range.map_or(Ok(ReadRange::All), parse_line_range)?;
    // The caller chose the lines of a range, so only the size limits them.
    let max_lines = if view_range.is_none() {
        MAX_LINES
    } else {
        usize::MAX
    };
    let defaults = ReadRequest::of(path.as_slice());
    let request = ReadRequest {
        range: window,
        format: ReadFormat::Numbered,
        max_lines,
        max_output: MAX_OUTPUT,
        policy: Arc::clone(&call.options.policy),
        ..defaults
    };
    match read_file(&request, call.workspace) {
        Ok(extract) => Ok(extract_answer(&extract)),
        Err(outcome) if is_not_a_file(&outcome) => {
            list_directory(path, call, *outcome, view_range.is_some())
        }
        Err(outcome) => Ok(ToolAnswer::of(&call.with_root(*outcome))),
    }
}

fn is_not_a_file(outcome: &Outcome) -> bool {
    outcome
        .problems
        .iter()
        .any(|problem| problem.code.kind == ProblemKind::NotAFile)
}

/// Lists the directory at `path`. If it is not a directory, the answer describes `outcome`.
fn list_directory(
    path: Vec<u8>,
    call: &ToolContext<'_>,
    outcome: Outcome,
    has_range: bool,
) -> Result<ToolAnswer, ArgumentError> {
    match list(
        &ListRequest {
            max_entries: MAX_ENTRIES,
            policy: Arc::clone(&call.options.policy),
            ..ListRequest::of(path)
        },
        call.workspace,
    ) {
        Ok(_) if has_range => Err(ArgumentError(
            "view_range works only for a file, but this is a directory".to_owned(),
        )),
        Ok(listing) => Ok(listing_answer(&listing)),
        Err(_) => Ok(ToolAnswer::of(&call.with_root(outcome))),
    }
}

/// Returns the requested range of lines.
fn parse_line_range([first, last]: [i64; 2]) -> Result<ReadRange, ArgumentError> {
    let wrong = || {
        ArgumentError(
            "view_range needs two line numbers, counted from 1; the last one must not be before the first, or is -1"
                .to_owned(),
        )
    };
    let number = |line: i64| {
        usize::try_from(line)
            .ok()
            .filter(|&line| line > 0)
            .ok_or_else(wrong)
    };
    let first = number(first)?;
    let last = if last == -1 {
        usize::MAX
    } else {
        number(last)?
    };
    if first <= last {
        Ok(ReadRange::Lines { first, last })
    } else {
        Err(wrong())
    }
}

fn extract_answer(extract: &Extract) -> ToolAnswer {
    let mut text = String::from_utf8_lossy(&extract.content).into_owned();
    let last = extract.first_line + memchr::memchr_iter(b'\n', &extract.content).count();
    match (text.is_empty(), extract.truncated) {
        (true, false) => {
            text = format!(
                "(no lines in this range: the file has {} lines)\n",
                extract.lines
            );
        }
        // `last` is the first line that is not shown, or the line that was cut.
        (_, true) => {
            let _ = writeln!(
                text,
                "(the file continues at line {last} of {})",
                extract.lines
            );
        }
        (false, false) => {}
    }
    ToolAnswer {
        text,
        document: document(extract),
        is_error: false,
    }
}

fn listing_answer(listing: &Listing) -> ToolAnswer {
    let mut text = Vec::new();
    // Writing to a vector cannot fail.
    let _ = listing.print(&mut text);
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if listing.truncated {
        let _ = writeln!(text, "(only the first {MAX_ENTRIES} names are listed)");
    } else if text.is_empty() {
        text.push_str("(the directory has no entries, except names that begin with a dot)\n");
    }
    ToolAnswer {
        text,
        document: document(listing),
        is_error: false,
    }
}
