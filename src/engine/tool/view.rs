//! The tool that shows a file or a directory.

use std::fmt::Write;
use std::sync::Arc;

use super::arguments::{ListArguments, ViewArguments, parse};
use super::{ArgumentError, ToolContext, ToolResult};
use crate::engine::{
    ListOrder, ListRequest, Outcome, ReadFormat, ReadRange, ReadRequest, SymbolsRequest,
    list as list_files, list_symbols as symbols_of, read as read_file,
};
use crate::path::{PathPattern, PatternError};
use crate::plan::{SymbolName, SymbolNameError};
use crate::preflight::ProblemKind;
use crate::report::{Extract, Listing};

/// The limit on the number of lines if the call names no lines.
const MAX_LINES: usize = 2000;
/// The limit on the size of the output, with line numbers, in bytes.
const MAX_OUTPUT: usize = 40 << 10;
/// The limit on the number of entries of a directory.
const MAX_ENTRIES: usize = 1000;
/// The limit on the size of a listing, in bytes.
const MAX_LISTING: usize = 20 << 10;

pub(super) fn view(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let ViewArguments {
        path,
        view_range,
        symbol,
        hashline,
        ..
    } = parse(arguments)?;
    let path = call.relative_path(&path);
    let window = match (view_range, symbol) {
        (Some(_), Some(_)) => {
            let message = "`view_range` and `symbol` cannot be combined";
            return Err(ArgumentError(message.to_owned()));
        }
        (Some(range), None) => parse_line_range(range)?,
        (None, Some(name)) => ReadRange::Symbol(Box::new(parse_symbol(&name)?)),
        (None, None) => ReadRange::All,
    };
    let is_whole = window == ReadRange::All;
    // The caller chose the lines of a range, so only the size limits them.
    let max_lines = if is_whole { MAX_LINES } else { usize::MAX };
    let defaults = ReadRequest::of(path.as_slice());
    let request = ReadRequest {
        range: window,
        format: match hashline {
            Some(true) => ReadFormat::Hashline,
            _ => ReadFormat::Numbered,
        },
        max_lines,
        max_output: MAX_OUTPUT,
        policy: Arc::clone(&call.options.policy),
        ..defaults
    };
    match read_file(&request, call.workspace) {
        Ok(extract) => Ok(extract_result(&extract, request.format)),
        Err(outcome) if is_not_a_file(&outcome) => {
            match list_files(&list_request(path, call), call.workspace) {
                Ok(_) if !is_whole => Err(ArgumentError(
                    "view_range and symbol work only for a file, but this is a directory"
                        .to_owned(),
                )),
                Ok(listing) => Ok(listing_result(&listing)),
                Err(_) => Ok(ToolResult::of(&call.with_root(*outcome))),
            }
        }
        Err(outcome) => Ok(ToolResult::of(&call.with_root(*outcome))),
    }
}

fn is_not_a_file(outcome: &Outcome) -> bool {
    outcome
        .problems
        .iter()
        .any(|problem| problem.code.kind == ProblemKind::NotAFile)
}

pub(super) fn list(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let ListArguments {
        path,
        pattern,
        hidden,
        newest,
        symbols,
        ..
    } = parse(arguments)?;
    if symbols == Some(true) {
        if pattern.is_some() || hidden.is_some() || newest.is_some() {
            let message = "`symbols` cannot be combined with `pattern`, `hidden` and `newest`";
            return Err(ArgumentError(message.to_owned()));
        }
        return list_symbols(path.as_deref(), call);
    }
    let wrong = |error: PatternError| ArgumentError(format!("`pattern`: {error}"));
    let pattern = pattern.map(|text| PathPattern::new(&text).map_err(wrong));
    let path = call.relative_path(path.as_deref().unwrap_or_default());
    let request = ListRequest {
        hidden: hidden == Some(true),
        pattern: pattern.transpose()?,
        order: match newest {
            Some(true) => ListOrder::Newest,
            _ => ListOrder::Name,
        },
        ..list_request(path, call)
    };
    Ok(match list_files(&request, call.workspace) {
        Ok(listing) => listing_result(&listing),
        Err(outcome) => ToolResult::of(&call.with_root(*outcome)),
    })
}

/// Lists the symbols of the file at `path`.
fn list_symbols(path: Option<&str>, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let path =
        path.ok_or_else(|| ArgumentError("`symbols` needs the `path` of a file".to_owned()))?;
    let request = SymbolsRequest {
        max_symbols: MAX_ENTRIES,
        policy: Arc::clone(&call.options.policy),
        ..SymbolsRequest::of(call.relative_path(path))
    };
    Ok(match symbols_of(&request, call.workspace) {
        Ok(listing) => {
            let mut text = Vec::new();
            // Writing to a vector cannot fail.
            let _ = listing.print(&mut text);
            text_result(&text, listing.truncated, "(the file has no symbols)\n")
        }
        Err(outcome) => ToolResult::of(&call.with_root(*outcome)),
    })
}

fn parse_symbol(name: &str) -> Result<SymbolName, ArgumentError> {
    name.parse()
        .map_err(|error: SymbolNameError| ArgumentError(format!("`symbol`: {error}")))
}

/// Returns the request to list the directory at `path`.
fn list_request(path: Vec<u8>, call: &ToolContext<'_>) -> ListRequest {
    ListRequest {
        max_entries: MAX_ENTRIES,
        policy: Arc::clone(&call.options.policy),
        ..ListRequest::of(path)
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

fn extract_result(extract: &Extract, format: ReadFormat) -> ToolResult {
    let mut text = String::from_utf8_lossy(&extract.content).into_owned();
    // The first line of a hashline view is the tag.
    let tag_lines = usize::from(format == ReadFormat::Hashline);
    let shown = text.lines().count().saturating_sub(tag_lines);
    let complete = memchr::memchr_iter(b'\n', &extract.content).count();
    let last = extract.first_line + complete.saturating_sub(tag_lines);
    match (shown == 0, extract.truncated) {
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
    ToolResult::of_text(text)
}

fn listing_result(listing: &Listing) -> ToolResult {
    let mut text = Vec::new();
    // Writing to a vector cannot fail.
    let _ = listing.print(&mut text);
    let empty = "(nothing to list; names that begin with a dot may be hidden)\n";
    text_result(&text, listing.truncated, empty)
}

/// Returns a listing, or `empty` if it has no lines.
fn text_result(text: &[u8], is_truncated: bool, empty: &str) -> ToolResult {
    let mut text = String::from_utf8_lossy(text).into_owned();
    if is_truncated || text.len() > MAX_LISTING {
        let limit = text.len().min(MAX_LISTING);
        text.truncate(memchr::memrchr(b'\n', &text.as_bytes()[..limit]).map_or(0, |end| end + 1));
        let listed = text.lines().count();
        let _ = writeln!(text, "(only {listed} names are listed)");
    } else if text.is_empty() {
        text.push_str(empty);
    }
    ToolResult::of_text(text)
}
