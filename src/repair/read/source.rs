//! The lines of a patch, without the indentation that all of them share.

use super::markers::is_file_header;
use crate::repair::line::{Line, plain_lines};
use crate::repair::older::OwnedLine;
use crate::repair::{RepairKind, RepairLog};
use crate::text::bom_length;

/// Returns the lines of `text`, without the indentation that all lines of the patch share.
pub(super) fn read_lines<'t>(
    text: &'t [u8],
    converted: Option<&'t [OwnedLine<'t>]>,
    log: &mut RepairLog,
) -> Vec<Line<'t>> {
    if bom_length(text) > 0 {
        log.note(RepairKind::Wrapping, 1);
    }
    let mut all: Vec<_> = converted.map_or_else(
        || plain_lines(text),
        |lines| lines.iter().map(OwnedLine::as_line).collect(),
    );
    let indentation = |line: &Line<'_>| line.text.len() - line.text.trim_ascii_start().len();
    // Other lines can be indented for reasons of their own, so only headers decide.
    let is_header = |line: &&Line<'_>| is_file_header(line.text.trim_ascii_start());
    let Some(depth) = all
        .iter()
        .filter(is_header)
        .map(indentation)
        .min()
        .filter(|&depth| depth > 0)
    else {
        return all;
    };
    let Some(first) = all
        .iter()
        .position(|line| is_file_header(line.text.trim_ascii_start()))
    else {
        return all;
    };
    // Prose after the patch is indented less. An empty line can have lost its indentation.
    let is_whole =
        |line: &Line<'_>| line.text.trim_ascii().is_empty() || indentation(line) >= depth;
    let end = all[first..]
        .iter()
        .position(|line| !is_whole(line))
        .map_or(all.len(), |length| first + length);
    log.note(RepairKind::Wrapping, all[first].number);
    for line in &mut all[first..end] {
        line.text = line.text.get(depth..).unwrap_or_default();
        line.whole = line.whole.get(depth..).unwrap_or_default();
    }
    all
}
